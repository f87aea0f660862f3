import type { ValidationRule } from "../../api/operations.gen.ts";

/** The rule is about some products. */
export const namesGoods = ({ applicable_to: { included, excluded } }: ValidationRule): boolean =>
  included.length + excluded.length > 0;

/** The rule asks for nothing: every cart fulfils it. */
export const asksNothing = ({ rules, bundle_rules }: ValidationRule): boolean =>
  Object.keys(rules).length + Object.keys(bundle_rules).length === 0;

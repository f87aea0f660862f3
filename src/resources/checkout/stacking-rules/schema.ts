import { type Static, Type } from "typebox";
import { stackingFields } from "../../../core/stacking/schema.ts";
import { DateTime, listOf, Nullable, open, optional, strict } from "../../../http/schemas.ts";

/** Without an id while the defaults hold. */
export const StackingRules = Type.Object(
  {
    id: Type.Optional(Type.String()),
    ...stackingFields,
    created_at: Type.Optional(DateTime),
    updated_at: Type.Optional(Nullable(DateTime)),
  },
  { title: "StackingRules" },
);
export type StackingRules = Static<typeof StackingRules>;
export const StackingRulesWrite = strict(optional(stackingFields));
/** On v1 unknown fields are ignored. */
export const StackingRulesDraft = open(optional(stackingFields));
export const StackingRulesList = listOf(StackingRules);
export const InProject = Type.Object({ projectId: Type.String() });
export const ByStackingRules = Type.Object({ projectId: Type.String(), stackingRulesId: Type.String() });

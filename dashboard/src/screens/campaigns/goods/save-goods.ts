import type { BodyOf } from "../../../api/op.ts";
import {
  assignValidationRule,
  createValidationRule,
  deleteValidationRuleAssignment,
  updateValidationRule,
} from "../../../api/operations.gen.ts";
import type { SendStep } from "../../../kit/form/steps.ts";
import { asksNothing } from "../../../registry/conditions/rule-says.ts";
import { textOf } from "../../../text/text.ts";
import { applicableOf, type Goods, type Place } from "./values.ts";

type Body = BodyOf<typeof createValidationRule>;
export type Ruled = { related_object_type: "campaign" | "promotion_tier"; related_object_id: string };

/** Makes a rule once, however often a form is sent again. */
export const makeRule = (send: SendStep, rule: Body) =>
  send(createValidationRule, { params: {}, body: rule }, `rule ${JSON.stringify(rule)}`);

/** Makes a rule and gives it to what it is for. */
export async function giveRule(send: SendStep, rule: Body, of: Ruled): Promise<void> {
  const { id: validationRuleId } = await makeRule(send, rule);
  const write = { params: { validationRuleId }, body: of };
  await send(assignValidationRule, write, `assign ${JSON.stringify([rule, of])}`);
}

/** Somebody else may have made more rules about products while the form was open. */
export function refuseClosed({ kind }: Place): void {
  if (kind === "closed") throw new Error(textOf("goods.closed"));
}

/** Changes the products of what is saved. `name` is for a rule that has to be made: others keep the one they share. */
export async function saveGoods(send: SendStep, goods: Goods, to: { place: Place; of: Ruled; name: string }) {
  const { place, of, name } = to;
  const applicable_to = applicableOf(goods);
  if (place.kind === "own") {
    const write = { params: { validationRuleId: place.rule.id }, body: { applicable_to } };
    const seen = place.etag ? { ifMatch: place.etag } : {};
    await send(updateValidationRule, { ...write, ...seen }, `goods ${JSON.stringify(applicable_to)}`);
  }
  if (place.kind === "new" && goods.which !== "all") await giveRule(send, { name, applicable_to }, of);
  if (place.kind !== "shared") return;
  const { rule, assignmentId } = place;
  const { type, context_type, rules, bundle_rules, error } = rule;
  const copy = { type, context_type, rules, bundle_rules, ...(error && { error }) } as Omit<Body, "name">;
  // The new one first: between the two writes nobody gets a discount that the conditions refuse.
  if (goods.which !== "all" || !asksNothing(rule)) await giveRule(send, { ...copy, name, applicable_to }, of);
  const params = { validationRuleId: rule.id, assignmentId };
  await send(deleteValidationRuleAssignment, { params }, `unassign ${assignmentId}`);
}

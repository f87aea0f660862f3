import { type Cart, type Question, questionOf } from "../../registry/cart/cart.ts";
import { bodyOf, ruleOf, type Values } from "./values.ts";

// Names that nothing saved has.
const CAMPAIGN = "camp_draft";
const RULE = "val_draft";
const tierId = (place: number) => `promo_draft_${place + 1}`;

/** The codes and tiers of a campaign that is not saved, as a cart would name them. */
function redeemablesOf(values: Values): string[] {
  if (values.campaign_type === "PROMOTION") return values.tiers.map((_, place) => tierId(place));
  const code = values.code.trim();
  return [values.type === "STANDALONE" && code !== "" ? code : CAMPAIGN];
}

/**
 * What is asked about a cart with a campaign that is being typed; null: the cart is empty. Other codes of the cart are asked about
 * with it. What has not begun is asked about as at its beginning.
 */
export function draftQuestion(values: Values, cart: Cart): Question | null {
  const question = questionOf({ ...cart, codes: [...redeemablesOf(values), ...cart.codes] });
  if (!question?.order) return null;
  const rule = ruleOf(values);
  const { vouchers_count: _, promotion, ...body } = bodyOf(values, rule === null ? null : RULE);
  const campaign = {
    ...{ ...body, id: CAMPAIGN },
    ...(promotion && { promotion: { tiers: promotion.tiers?.map((tier, place) => ({ ...tier, id: tierId(place) })) } }),
  };
  const draft = { campaigns: [campaign], ...(rule && { validation_rules: [{ ...rule, id: RULE }] }) };
  const at = cart.at ?? momentOfStart(values.start_date);
  return { ...question, options: { expand: ["trace"], draft, ...(at !== null && { at }) } } as Question;
}

/** A minute after it begins, where that is still to come. */
export const momentOfStart = (start: string | null): string | null =>
  start !== null && Date.parse(start) > Date.now() ? new Date(Date.parse(start) + 60_000).toISOString() : null;

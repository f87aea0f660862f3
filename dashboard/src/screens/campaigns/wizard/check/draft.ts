import { type Cart, EMPTY_CART, type Question, questionOf } from "../../../../registry/cart/cart.ts";
import { bodyOf, ruleOf, ruleOfTier } from "../sent.ts";
import { typeOf, type Values } from "../values.ts";

// Names that nothing saved has.
const CAMPAIGN = "camp_draft";
const RULE = "val_draft";
const tierRuleId = (key: number) => `${RULE}_${key}`;
const tierId = (place: number) => `promo_draft_${place + 1}`;

/** An order that most offers apply to, so that there is an answer at first sight. In 1/100. */
const FIRST_CART: Cart = { ...EMPTY_CART, amount: 10_000 };
/** The products that a discount is for are in the cart; which ones a collection holds, nobody has asked. */
export function firstCart({ campaign_type, goods, tiers }: Values): Cart {
  const named = campaign_type === "PROMOTION" ? tiers.map((tier) => tier.goods) : [goods];
  const picked = named.flatMap((one) => (one?.which === "only" ? one.picked : []));
  const lines = picked
    .filter(({ entry }) => entry.object !== "products_collection")
    .map(({ entry: { id, object } }) => ({ id, isSku: object === "sku", quantity: 1, price: null }));
  return lines.length === 0 ? FIRST_CART : { ...EMPTY_CART, lines };
}

/** The codes and tiers of a campaign that is not saved, as a cart names them, each with what people call it. */
export function draftNames(values: Values): ReadonlyMap<string, string> {
  if (values.campaign_type === "PROMOTION")
    return new Map(values.tiers.map(({ name }, place) => [tierId(place), name]));
  const code = values.code.trim();
  return new Map([typeOf(values) === "STANDALONE" && code !== "" ? [code, code] : [CAMPAIGN, values.name]]);
}

/**
 * What is asked about a cart with a campaign that is being typed; null: the cart is empty. Other codes of the cart are asked about
 * with it.
 */
export function draftQuestion(values: Values, cart: Cart): Question | null {
  const question = questionOf({ ...cart, codes: [...draftNames(values).keys(), ...cart.codes] });
  if (!question?.order) return null;
  const rule = ruleOf(values);
  const tierRules = values.tiers.flatMap((tier) => {
    const own = values.campaign_type === "PROMOTION" ? ruleOfTier(tier, values) : null;
    return own ? [{ key: tier.key, id: tierRuleId(tier.key), own }] : [];
  });
  // What a friend gets is what a code gives; only that a code of a referral must have been given to somebody first.
  const campaign_type = values.campaign_type === "REFERRAL_PROGRAM" ? "DISCOUNT_COUPONS" : values.campaign_type;
  const asked = { ...values, campaign_type, type: typeOf(values) };
  const {
    vouchers_count: _,
    promotion,
    ...body
  } = bodyOf(asked, rule === null ? null : RULE, {
    tierRules: new Map(tierRules.map(({ key, id }) => [key, id])),
  });
  const campaign = {
    ...{ ...body, id: CAMPAIGN },
    ...(promotion && { promotion: { tiers: promotion.tiers?.map((tier, place) => ({ ...tier, id: tierId(place) })) } }),
  };
  const rules = [...(rule ? [{ ...rule, id: RULE }] : []), ...tierRules.map(({ id, own }) => ({ ...own, id }))];
  const draft = { campaigns: [campaign], ...(rules.length > 0 && { validation_rules: rules }) };
  const { at } = cart;
  return { ...question, options: { expand: ["trace"], draft, ...(at !== null && { at }) } } as Question;
}

/** A minute after it begins, where that is still to come. */
export const momentOfStart = (start: string | null): string | null =>
  start !== null && Date.parse(start) > Date.now() ? new Date(Date.parse(start) + 60_000).toISOString() : null;

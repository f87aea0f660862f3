import assert from "node:assert/strict";
import { test } from "node:test";
import { offer, stack } from "../../../test/support/offers.ts";
import { redeemable, SITUATION } from "../../../test/support/redeemables.ts";
import { FilterFault } from "../filters/filter.ts";
import { compileOfferFilter, passesFilter } from "./filter.ts";

const off = { type: "AMOUNT", amount_off: 1 } as const;
const code = offer(redeemable(off, { id: "CODE", ref: "v_1", campaign_id: "camp_1", category_id: "cat_1" }), {
  campaign_type: "DISCOUNT_COUPONS",
  voucher_type: "DISCOUNT_VOUCHER",
  holder_roles: ["OWNER"],
});
const tier = offer(
  redeemable(off, { object: "promotion_tier", id: "promo_1", ref: "promo_1", campaign_id: "camp_2" }),
  {
    campaign_type: "PROMOTION",
  },
);
const OFFERS = [code, tier, stack("stack_1", [tier])];
const passing = (filters: Record<string, unknown>) => {
  const filter = compileOfferFilter(filters);
  return OFFERS.filter((one) => passesFilter(filter, one, SITUATION)).map(({ id }) => id);
};
const is = (values: unknown, operator = "$is") => ({ conditions: { [operator]: values } });

const CASES: readonly (readonly [Record<string, unknown>, string[]])[] = [
  [{}, ["CODE", "promo_1", "stack_1"]],
  [{ resource_type: is(["promotion_tier"]) }, ["promo_1"]],
  [{ resource_type: is(["promotion_tier", "voucher"], "$not_in") }, ["stack_1"]],
  [{ resource_id: is(["v_1"]) }, ["CODE"]],
  [{ code: is(["CODE"]) }, ["CODE"]],
  [{ code: is("", "$has_value") }, ["CODE"]],
  [{ category_id: is("", "$is_unknown") }, ["promo_1", "stack_1"]],
  [{ campaign_id: is(["camp_1", "camp_2"], "$in") }, ["CODE", "promo_1"]],
  [{ campaign_type: is(["PROMOTION"], "$is_not") }, ["CODE", "stack_1"]],
  [{ voucher_type: is(["DISCOUNT_VOUCHER"]) }, ["CODE"]],
  [{ holder_role: is(["OWNER"]) }, ["CODE"]],
  [{ holder_role: is(["REFEREE", "OWNER"]) }, []],
  [{ holder_role: is(["REFEREE", "OWNER"], "$in") }, ["CODE"]],
  [{ junction: "and", code: is(["CODE"]), resource_id: is(["promo_1"]) }, []],
  [{ junction: "or", code: is(["CODE"]), resource_id: is(["promo_1"]) }, ["CODE", "promo_1"]],
];
for (const [filters, ids] of CASES) {
  test(`${JSON.stringify(filters)} lets through ${ids.join(", ") || "nothing"}`, () => {
    assert.deepEqual(passing(filters), ids);
  });
}

test("an unknown field or operator is refused", () => {
  assert.throws(() => compileOfferFilter({ price: is([1]) }), FilterFault);
  assert.throws(() => compileOfferFilter({ code: is(["x"], "$looks_like") }), FilterFault);
  assert.throws(() => compileOfferFilter({ holder_role: null }), FilterFault);
});

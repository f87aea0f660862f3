import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { errorBody } from "../errors.ts";
import type { Promised } from "../rows/validation.ts";
import type { Decided, Decision } from "../validate/decide.ts";
import type { Redeemable } from "../validate/redeemable.ts";
import {
  failureRows,
  type RedeemRefusal,
  refuseInvalid,
  refuseLapsed,
  refuseOtherPrice,
  refuseUncountable,
} from "./refuse.ts";

const redeemable = (id: string) =>
  ({ object: "voucher", id, ref: `v_${id}`, label: "Discount Coupon", campaign_id: "camp_1" }) as unknown as Redeemable;
const failed = (id: string): Decided => {
  const failure = { error: errorBody("voucher_expired", { details: `${id} is over` }) };
  return { candidate: redeemable(id), outcome: { status: "INAPPLICABLE", failure } } as unknown as Decided;
};
const unknown = (object: string, id: string): Decided =>
  ({
    candidate: { object, id, unknown: true },
    outcome: { status: "INAPPLICABLE", failure: { error: errorBody("not_found", { details: id }) } },
  }) as unknown as Decided;
const skipped = (id: string): Decided =>
  ({
    candidate: redeemable(id),
    outcome: { status: "SKIPPED", reason: "exclusion_rules_not_met" },
  }) as unknown as Decided;
const applied = (id: string): Decided =>
  ({ candidate: redeemable(id), outcome: { status: "APPLICABLE", result: { order: null } } }) as unknown as Decided;
const decision = (...decided: Decided[]): Decision => ({
  valid: decided.some(({ outcome }) => outcome.status === "APPLICABLE"),
  decided,
  order: null,
});
const promise = (...ids: string[]): Promised => ({
  id: "valid_1",
  valid: true,
  promise: { redeemables: ids.map((id) => ({ object: "voucher", id, status: "APPLICABLE" })) },
});

test("what applies is not refused", () => {
  assert.equal(refuseInvalid(decision(applied("a")), { isPartial: false }), null);
  assert.equal(refuseLapsed(decision(applied("a"), failed("b")), promise("a")), null);
  assert.equal(refuseOtherPrice(decision(applied("a")), promise("a")), null);
});

test("the first that fails says why, and in a partial application each does", () => {
  const whole = refuseInvalid(decision(skipped("a"), failed("b"), failed("c")), { isPartial: false });
  assert.deepEqual([whole?.error.key, whole?.concerns?.id, whole?.each], ["voucher_expired", "b", undefined]);
  const partial = refuseInvalid(decision(skipped("a"), failed("b")), { isPartial: true });
  assert.deepEqual([partial?.error.key, partial?.error.details], ["no_applicable_redeemables", "b is over"]);
  assert.deepEqual([partial?.concerns, partial?.each?.length], [null, 2]);
  const codeAlone = refuseInvalid(decision(unknown("voucher", "LASTYEAR")), { isPartial: true });
  assert.equal(codeAlone?.error.details, "Resource not found: LASTYEAR", "a code alone is no reason");
  const none = refuseInvalid(decision(skipped("a")), { isPartial: false });
  assert.equal(none?.error.details, "Redeemable cannot be applied due to exclusion rules");
});

test("a promise refuses what lapsed since, and another price", () => {
  const lapsed = refuseLapsed(decision(applied("a"), failed("b")), promise("a", "b"));
  assert.deepEqual([lapsed?.error.key, lapsed?.concerns?.id], ["voucher_expired", "b"]);
  assert.equal(refuseLapsed(decision(failed("b")), { ...promise("b"), valid: false }), null);
  const other = refuseOtherPrice(decision(applied("a")), promise("a", "b"));
  assert.equal(other?.error.key, "promised_price_changed");
  const none = refuseOtherPrice(decision(applied("a")), { ...promise("a"), valid: false });
  assert.deepEqual(
    [none?.error.details, none?.concerns?.id],
    ["Validation valid_1 was not valid: it promised no price", "a"],
  );
});

test("a sum that could not be read again is refused in words", () => {
  const { error, concerns } = refuseUncountable(redeemable("a"));
  assert.equal(error.key, "invalid_payload");
  assert.match(error.details!, /Discount Coupon a or of its campaign/);
  assert.equal(concerns?.id, "a");
});

const rowsOf = (refusal: RedeemRefusal, customer_id: string | null = null) => {
  let count = 0;
  return failureRows(
    {
      request: {
        project_id: "proj",
        api_key_id: "key_1",
        customer_id,
        tracking_id: null,
        now: "2026-03-04T10:00:00.000Z",
      },
      newId: (prefix) => `${prefix}_${++count}`,
      campaignNameOf: () => "Spring",
      shownOf: ({ id }) => ({ id }),
    },
    refusal,
  );
};

test("law: a refused request leaves nothing but the record of its failure", () => {
  const one = fc.oneof(
    fc.constantFrom("a", "b", "c").map(failed),
    fc.constantFrom("a", "b", "c").map(skipped),
    fc.constantFrom("voucher", "promotion_tier", "promotion_stack").map((object) => unknown(object, "gone")),
  );
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 5 }), fc.boolean(), (decided, isPartial) => {
      const rows = rowsOf(refuseInvalid(decision(...decided), { isPartial })!);
      assert.equal(rows.length, isPartial ? decided.length + 1 : 1);
      for (const row of rows) {
        assert.deepEqual([row.result, row.status, row.amount, row.order_id], ["FAILURE", "FAILED", null, null]);
        const { order_amount, discount_amount, gift_amount, lots, lines, units } = row.effect ?? {};
        assert.ok(!order_amount && !discount_amount && !gift_amount, "it counts nothing");
        assert.deepEqual([lots ?? [], lines ?? [], units ?? []], [[], [], []]);
      }
      const whole = rows.at(-1)!;
      assert.equal(whole.parent_id, null);
      for (const row of rows.slice(0, -1)) assert.equal(row.parent_id, whole.id);
    }),
  );
});

test("what is not there is kept by the words it was asked for with", () => {
  const [row] = rowsOf({ error: errorBody("not_found"), concerns: unknown("voucher", "gone").candidate });
  assert.deepEqual([row!.related_object_id, row!.related_object_type], ["gone", null]);
  assert.deepEqual(row!.effect!.asked, { object: "voucher", id: "gone" });
  const [known] = rowsOf({ error: errorBody("voucher_expired"), concerns: redeemable("a") }, "cust_1");
  assert.deepEqual(
    [
      known!.related_object_id,
      known!.related_object_type,
      known!.campaign_name,
      known!.voucher_code,
      known!.customer_id,
    ],
    ["v_a", "voucher", "Spring", "a", "cust_1"],
  );
});

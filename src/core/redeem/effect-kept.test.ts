import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { NO_EFFECT, type RedemptionEffect } from "../rows/redemption.ts";
import { effectKept, shownOf, wholeEffect } from "./effect-kept.ts";

const text = fc.constantFrom("a", "b", null);
const names = fc.record({
  related_object_type: fc.constantFrom("voucher", "promotion_tier", "redemption", null),
  related_object_id: text,
  voucher_code: text,
  campaign_name: text,
  campaign_id: text,
  channel: fc.record({ channel_id: fc.constantFrom("key", "other"), channel_type: fc.constant("API") }),
});
const shown = fc.oneof(
  fc.constant(null),
  fc.record({ id: text, code: text, campaign: text, campaign_id: text, type: fc.constant("DISCOUNT_VOUCHER") }),
  fc.record({ campaign: text, id: text, name: text }),
);
const effect = fc.record({
  shown,
  api_key_id: fc.constantFrom("key", "other", ""),
  lots: fc.constantFrom([], [["lot", 1]] as [string, number][]),
  units: fc.constantFrom([], [["s", "c", "n", 1]] as [string, string, string, number][]),
  order_amount: fc.nat(),
});

test("law: an effect that was stored is the one that was kept, to the order of what it shows", () =>
  fc.assert(
    fc.property(names, effect, (row, given) => {
      const whole: RedemptionEffect = { ...NO_EFFECT, ...given };
      const kept = JSON.parse(JSON.stringify(effectKept({ ...row, effect: whole })));
      assert.deepEqual(wholeEffect({ ...row, effect: kept }), JSON.parse(JSON.stringify(whole)));
      assert.equal(JSON.stringify(shownOf({ ...row, effect: kept })), JSON.stringify(whole.shown));
      assert.equal(JSON.stringify(shownOf({ ...row, effect: whole })), JSON.stringify(whole.shown));
    }),
  ));

test("what the columns tell is stored once, and no list that is empty", () => {
  const row = {
    related_object_type: "voucher" as const,
    related_object_id: "v_1",
    voucher_code: "CODE",
    campaign_name: "Sale",
    campaign_id: "camp_1",
    channel: { channel_id: "key", channel_type: "API" },
  };
  const all = { id: "v_1", code: "CODE", campaign: "Sale", campaign_id: "camp_1", object: "voucher" };
  const kept = effectKept({ ...row, effect: { ...NO_EFFECT, api_key_id: "key", shown: all } })!;
  assert.deepEqual(kept.shown, { object: "voucher" });
  for (const name of ["api_key_id", "lines", "lots", "units"]) assert.ok(!(name in kept), name);
  assert.equal(effectKept({ ...row, effect: null }), null);
  assert.equal(wholeEffect({ ...row, effect: null }), null);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_SETTINGS } from "./settings.ts";
import { mergeSettings, sumsOf, voucherTypeOf, walletStatus } from "./worth.ts";

const spent = (received: number) => ({
  available: 0,
  pending: 0,
  received,
  subtracted: 0,
  expired: 0,
  spent: received,
});

const discount = { type: "PERCENT", percent_off: 10 } as const;
const TYPES: [
  sent: Parameters<typeof voucherTypeOf>[0],
  expected: Parameters<typeof voucherTypeOf>[1],
  says: string,
][] = [
  [{ discount }, null, "DISCOUNT_VOUCHER"],
  [{ gift: { amount: 1 }, discount: null, type: "GIFT_VOUCHER" }, null, "GIFT_VOUCHER"],
  [{}, "LOYALTY_CARD", "LOYALTY_CARD"],
  [{ type: "GIFT_VOUCHER" }, "GIFT_VOUCHER", "GIFT_VOUCHER"],
  [{ loyalty_card: { points: 1 } }, "LOYALTY_CARD", "LOYALTY_CARD"],
  [{}, null, "Payload must have one of: discount, gift, loyalty_card"],
  [{ type: "GIFT_VOUCHER" }, null, "Payload must have one of: discount, gift, loyalty_card"],
  [{ discount, gift: {} }, null, "Payload must have only one of: discount, gift, loyalty_card"],
  [{ discount, type: "GIFT_VOUCHER" }, null, "Property .type must be DISCOUNT_VOUCHER, as discount says"],
  [{ type: "GIFT_VOUCHER" }, "LOYALTY_CARD", "Property .type must be LOYALTY_CARD, as the campaign says"],
  [{ discount }, "GIFT_VOUCHER", "Property .discount does not fit the campaign, whose codes are GIFT_VOUCHER"],
  [
    { loyalty_card: { points: 1 } },
    null,
    "Payload must have required property 'campaign': a LOYALTY_CARD belongs to one",
  ],
];
for (const [sent, expected, says] of TYPES)
  test(`${JSON.stringify(sent)} ${expected ? `in a campaign of ${expected}` : "alone"}: ${says}`, () => {
    const found = voucherTypeOf(sent, expected);
    assert.equal("type" in found ? found.type : found.fault, says);
  });

test("what is sent takes the place of what was there; metadata is merged, what is left out stays", () => {
  const before = { ...NO_SETTINGS, gift: { amount: 5, effect: "APPLY_TO_ITEMS" as const }, metadata: { a: 1, b: 1 } };
  const after = mergeSettings(before, { gift: { amount: 9 }, metadata: { b: 2 }, start_date: undefined, quantity: 3 });
  const gift = { amount: 9, effect: "APPLY_TO_ITEMS" };
  assert.deepEqual(after, { ...before, gift, metadata: { a: 1, b: 2 }, quantity: 3 });
  assert.deepEqual(mergeSettings(NO_SETTINGS, { gift: { amount: 1 } }).gift, { amount: 1, effect: "APPLY_TO_ORDER" });
  const rules = { period_type: "MONTH", period_value: 1 } as const;
  const card = mergeSettings(
    { ...NO_SETTINGS, loyalty_card: { points: 1, expiration_rules: rules } },
    { loyalty_card: { points: 7 } },
  );
  assert.deepEqual(card.loyalty_card, { points: 7, expiration_rules: rules });
});

test("what is left of a card is what it began with less what was redeemed; a discount has no balance", () => {
  assert.equal(sumsOf({ type: "DISCOUNT_VOUCHER", account: null }, { ...NO_SETTINGS, discount }), null);
  const gift = { amount: 500, effect: "APPLY_TO_ORDER" as const };
  assert.equal(sumsOf({ type: "GIFT_VOUCHER", account: null }, { ...NO_SETTINGS, gift })?.available, 500);
  const loyalty_card = { points: 50 };
  assert.equal(sumsOf({ type: "LOYALTY_CARD", account: spent(50) }, { ...NO_SETTINGS, loyalty_card })?.available, 0);
});

test("the status of a code is the first of disabled, expired, not active yet, used, no balance, active", () => {
  const NOW = "2026-01-01T12:00:00.000Z";
  const gone = {
    is_active: false,
    expiration_date: "2025-01-01T00:00:00.000Z",
    start_date: "2027-01-01T00:00:00.000Z",
    quantity: 1,
    amount: 0,
  };
  const fine = { is_active: true, expiration_date: NOW, start_date: NOW, quantity: 2, amount: 1 };
  const statuses = ["DISABLED", "EXPIRED", "NOT_ACTIVE_YET", "USED", "NO_BALANCE", "ACTIVE"];
  const given = { ...gone };
  for (const [n, status] of statuses.entries()) {
    const { is_active, amount, ...dates } = given;
    const settings = { ...NO_SETTINGS, ...dates, gift: { amount, effect: "APPLY_TO_ORDER" as const } };
    const voucher = { type: "GIFT_VOUCHER" as const, is_active, redeemed_quantity: 1, account: null };
    assert.equal(walletStatus(voucher, settings, NOW), status);
    const cured = Object.keys(gone)[n] as keyof typeof gone | undefined;
    if (cured) Object.assign(given, { [cured]: fine[cured] });
  }
});

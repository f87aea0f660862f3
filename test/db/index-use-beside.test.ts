import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase, testEngine } from "../support/engine.ts";
import { fill, listening } from "../support/plans.ts";
import { okOf, testShop } from "../support/shop.ts";

// What is stored beside codes comes with them, in one statement: each part of it is looked up, and no table is read.
const { db, open } = await testDatabase();
const { heard, plansOf } = listening(db, open);
const { ok: make, project } = await testShop(db);
const ok = okOf((await testEngine(heard, project, { hot: heard })).call);

const voucher = (id: string, more: object = {}) => ({ object: "voucher", id, ...more });
const order = { amount: 5_000 };
const customer = { source_id: "cleo" };
const discount = { type: "PERCENT", percent_off: 10 };
const rules = { 1: { name: "campaign.redemptions.count", conditions: { $less_than: [50] } }, logic: "1" };
const { id: rule } = await make("POST /v1/validation-rules", { name: "r", rules });
await make("POST /v1/vouchers/CODE", { type: "DISCOUNT_VOUCHER", discount, validation_rules: [rule] });
await make("POST /v1/vouchers/GIFT", { type: "GIFT_VOUCHER", gift: { amount: 500 } });
for (const [code, campaign_type, more] of [
  ["COUNTED", "DISCOUNT_COUPONS", { validation_rules: [rule] }],
  ["SHARED", "REFERRAL_PROGRAM", {}],
] as const) {
  const type = { type: "DISCOUNT_VOUCHER", discount, is_referral_code: campaign_type === "REFERRAL_PROGRAM" };
  const made = await make("POST /v1/campaigns", { name: code, campaign_type, voucher: type, ...more });
  await make(`POST /v1/campaigns/${made.id}/vouchers/${code}`, {});
  await make("POST /v1/publications", { voucher: code, customer });
}
const club = await make("POST /v1/loyalties", {
  ...{ name: "Club", voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 70 } } },
});
const { code: card } = await make(`POST /v1/loyalties/${club.id}/members`, { customer });
await make(`POST /v1/loyalties/${club.id}/members/${card}/balance`, { points: 7 });
const { id: mug } = await make("POST /v1/products", { name: "Mug" });
await make(`POST /v1/products/${mug}/skus`, { sku: "Blue", source_id: "blue" });
await make("POST /v1/redemptions", { redeemables: [voucher("COUNTED")], order });
await make("POST /v1/validations", {
  ...{ redeemables: [voucher("GIFT", { gift: { credits: 1 } })], order, session: { type: "LOCK", key: "held" } },
});
await fill(db, {
  customers: "id source_id tracking_id",
  vouchers: "id code code_folded holder_id referrer_id",
  voucher_states: "voucher_id",
  redeemable_holders: "id voucher_id customer_id",
  validation_rule_assignments: "id related_object_id",
  session_locks: "redeemable_id session_key",
  session_sums: "redeemable_id",
  counters: "subject_id",
  ledger_lots: "id account_id",
});
await fill(db, { products: "id source_id", skus: "id source_id" }, 3000);

const validate = (one: object, more: object = {}) => ok("POST /v1/validations", { redeemables: [one], order, ...more });
const OF_EVERY_CODE = [
  ...["vouchers_unique_code", "voucher_states_pkey", "validation_rule_assignments_unique_related_object"],
  "redeemable_holders_unique_holder",
];
const HELD = ["session_sums_pkey", "session_locks_by_code"];
// The first statements of a connection are about types.
await heard`select 1`;
/** What an operation reads, and by which indexes. */
const READ_BY: [what: string, run: () => Promise<unknown>, indexes: readonly string[]][] = [
  ["what is stored beside a gift card", () => validate(voucher("GIFT")), [...OF_EVERY_CODE, ...HELD]],
  ["who shares a referral code", () => validate(voucher("SHARED")), [...OF_EVERY_CODE, "customers_pkey"]],
  ["the lots of a loyalty card", () => validate(voucher(card)), [...OF_EVERY_CODE, ...HELD, "ledger_lots_by_account"]],
  ["what a campaign counts", () => validate(voucher("COUNTED")), [...OF_EVERY_CODE, "counters_pkey"]],
  [
    "the products of SKUs",
    () => validate(voucher("CODE"), { order: { items: [{ sku_id: "blue", quantity: 1, price: 5 }] } }),
    ["skus_unique_source_id", "products_pkey"],
  ],
  [
    "a wallet, and what is stored beside its codes",
    () => ok("POST /v1/qualifications", { scenario: "CUSTOMER_WALLET", customer, order }),
    [
      ...["customers_unique_source_id", "redeemable_holders_by_customer", "vouchers_pkey", ...HELD],
      ...OF_EVERY_CODE.filter((name) => name !== "vouchers_unique_code"),
    ],
  ],
  [
    "codes that stand alone, and what is stored beside them",
    () => ok("POST /v1/qualifications", { scenario: "ALL", order }),
    ["vouchers_alone", ...HELD, "validation_rule_assignments_unique_related_object"],
  ],
];
for (const [what, run, indexes] of READ_BY)
  test(`${what}: looked up by ${indexes.join(", ")}`, async () => {
    const plans = await plansOf(run);
    for (const index of indexes) assert.match(plans, new RegExp(`\\b${index}\\b`), plans);
    assert.doesNotMatch(plans, /Seq Scan/, plans);
  });

import assert from "node:assert/strict";
import { test } from "node:test";
import { advanceCards } from "../../src/jobs/advance-cards.ts";
import { createCountRollups } from "../../src/jobs/count-rollups.ts";
import { purgeExpired } from "../../src/jobs/purge-expired.ts";
import { dueDeliveries } from "../../src/resources/platform/webhooks/sending-store.ts";
import { newId } from "../../src/sources.ts";
import { NOW, testDatabase, testEngine } from "../support/engine.ts";
import { assertReadBy, fill, indexesOf, listening, WRITTEN_MOST } from "../support/plans.ts";
import { okOf, testShop } from "../support/shop.ts";

// An index of a table that redemptions, validations and webhooks write to costs each of them. So each one has an operation that
// reads by it. `index-use-elsewhere.test.ts` is about all other tables.
const { db, open } = await testDatabase();
const { heard, plansOf } = listening(db, open);
const { ok: make, call, project } = await testShop(db);
const ok = okOf((await testEngine(heard, project, { hot: heard })).call);
/** Another one, whose orders bring points: in the first one they would change what each redemption reads. */
const club = await testShop(db);
const inClub = okOf((await testEngine(heard, club.project, { hot: heard })).call);

const voucher = (id: string, more: object = {}) => ({ object: "voucher", id, ...more });
const customer = { source_id: "anna" };
const campaign = await make("POST /v1/campaigns", {
  name: "Gifts",
  campaign_type: "GIFT_VOUCHERS",
  voucher: { type: "GIFT_VOUCHER", gift: { amount: 1000 } },
});
await make(`POST /v1/campaigns/${campaign.id}/vouchers/GIFT`, {});
await make("POST /v1/vouchers/CODE", { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } });
const redeem = (redeemables: readonly object[], key: string) =>
  make(
    "POST /v1/redemptions",
    { redeemables, customer, order: { source_id: key, amount: 5_000, referrer: { source_id: "bob" } } },
    { "idempotency-key": key },
  );
const one = (await redeem([voucher("GIFT", { gift: { credits: 10 } })], "o-1")).redemptions[0];
const stack = await redeem([voucher("CODE"), voucher("GIFT", { gift: { credits: 10 } })], "o-2");
await make("POST /v1/redemptions", { redeemables: [voucher("CODE")], customer: { source_id: "bob" } });
const undone = (await redeem([voucher("CODE")], "o-3")).redemptions[0];
await make(`POST /v1/redemptions/${undone.id}/rollback`, {});
await call("POST /v1/redemptions", {
  redeemables: [voucher("GIFT", { gift: { credits: 5_000 } })],
  order: { amount: 9_000 },
});
const { id: webhook } = await make(`POST /management/v1/projects/${project.id}/webhooks`, {
  target_url: "https://shop.example/hooks",
  events: ["redemption.succeeded"],
});
await make("POST /v1/customers", { source_id: "cleo" });
const referral = { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 }, is_referral_code: true };
const friends = await make("POST /v1/campaigns", {
  ...{ name: "Friends", campaign_type: "REFERRAL_PROGRAM", voucher: referral },
});
for (const code of ["ANNS", "FREE"]) await make(`POST /v1/campaigns/${friends.id}/vouchers/${code}`, {});
await make("POST /v1/publications", { voucher: "ANNS", customer: { source_id: "cleo" } });
await make("POST /v1/referrals/members/ANNS/holders", { holders: [{ source_id: "anna" }] });
await redeem([voucher("CODE")], "o-4");
for (const who of [{ customer }, { tracking_id: "visitor" }])
  await make("POST /v1/validations", { redeemables: [voucher("CODE")], order: { amount: 500 }, ...who });
const loyalty = await club.ok("POST /v1/loyalties", {
  name: "Club",
  type: "AUTO_UPDATE",
  voucher: {
    type: "LOYALTY_CARD",
    loyalty_card: { points: 0, expiration_rules: { period_type: "MONTH", period_value: 1 } },
  },
});
for (const more of [{}, { pending_points: { period_type: "DAY", period_value: 3 } }])
  await club.ok(`POST /v1/loyalties/${loyalty.id}/earning-rules`, [
    { event: "order.paid", loyalty: { type: "FIXED", points: 5 }, source: { banner: "b" }, ...more },
  ]);
await club.ok(`POST /v1/loyalties/${loyalty.id}/members`, { customer });
const paid = await club.ok("POST /v1/orders", { source_id: "paid", status: "PAID", amount: 1000, customer });
const wallet = await club.ok("POST /v2/loyalties/card-definitions", {
  name: "w",
  type: "INDIVIDUAL",
  status: "ACTIVE",
});
const rule = await club.ok("POST /v2/loyalties/earning-rules", {
  ...{ name: "r", status: "ACTIVE", trigger: { event: "customer.order.paid" } },
  earnings: [{ effects: [{ points: { value: 5, card_definition_id: wallet.id } }] }],
});
const program = await club.ok("POST /v2/loyalties/programs", {
  ...{ name: "p", status: "ACTIVE", card_definitions: [{ id: wallet.id }], earning_rules: [{ id: rule.id }] },
});
const members = `/v2/loyalties/programs/${program.id}/members`;
const { id: customer_id } = await club.ok("GET /v1/customers/anna");
const member = `${members}/${(await club.ok(`POST ${members}`, { customer_id })).id}`;
const { card } = (await club.ok(`GET ${member}`)).cards[0];
await fill(db, {
  customers: "id source_id tracking_id",
  vouchers: "id code code_folded holder_id referrer_id",
  validations: "id customer_id tracking_id",
  webhook_deliveries: "id webhook_id object_id event_id customer_id holder_id",
  ledger_lots: "id account_id order_id bucket_id",
  redemptions: "id voucher_code tracking_id order_id customer_id related_object_id campaign_id parent_id redemption_id",
  orders: "id source_id customer_id referrer_id",
  events: "id customer_id voucher_id campaign_id",
  ledger_entries: "id account_id campaign_id",
  idempotency_keys: "key",
});

const jobs = { db: heard, now: () => NOW, newId, random: Buffer.alloc } as never;
const purge = () => purgeExpired.run(jobs) as Promise<unknown>;
/** From its second turn on it looks for what is new since the last one, whether there is anything or not. */
const rollups = createCountRollups();
await rollups.run(jobs);
const countRollups = () => rollups.run(jobs) as Promise<unknown>;
const cancel = async () => {
  await inClub(`PUT /v1/orders/${paid.id}`, { status: "PAID" });
  await inClub(`PUT /v1/orders/${paid.id}`, { status: "CANCELED" });
};
const erase = async () => {
  await make("POST /v1/customers", { source_id: "gone" });
  await ok("POST /v1/customers/gone/permanent-deletion");
};
const redeemOn = (one: object) => ok("POST /v1/redemptions", { redeemables: [one], order: { amount: 500 } });
/** The operation that reads by an index. */
const READ_BY: Record<string, () => Promise<unknown>> = {
  redemptions_by_age: () => ok("GET /v1/redemptions"),
  redemptions_failed_or_undone: () => ok("GET /v1/redemptions?result=FAILURE"),
  redemptions_by_customer: () => ok(`GET /v1/redemptions?customer=${one.customer_id}`),
  redemptions_by_redeemable: () => ok("GET /v1/vouchers/GIFT/redemption"),
  redemptions_by_campaign: () => ok("GET /v1/redemptions?campaign=Gifts"),
  redemptions_by_parent: () => ok(`POST /v1/redemptions/${stack.parent_redemption.id}/rollbacks`, {}),
  redemptions_by_redemption: () => ok(`GET /v1/redemptions/${undone.id}`),
  redemptions_by_code: () => ok("GET /v1/redemptions?order=voucher_code"),
  redemptions_by_tracking_id: () => ok("GET /v1/redemptions?order=tracking_id"),
  orders_by_age: () => ok("GET /v1/orders"),
  orders_by_customer: () => ok("GET /v1/customers/anna"),
  orders_by_referrer: () => ok("DELETE /v1/customers/bob"),
  orders_unique_source_id: () => ok("GET /v1/orders/o-1"),
  events_by_customer: () => ok("GET /v1/customers/anna/activities"),
  events_by_voucher: () => ok(`GET /v1/events?voucher_id=${one.voucher.id}`),
  ledger_entries_by_account: () => ok("GET /v1/vouchers/GIFT/transactions"),
  ledger_entries_told: () => ok(`GET /v1/campaigns/${campaign.id}/transactions`),
  idempotency_keys_expired: purge,
  events_by_transaction: countRollups,
  ledger_entries_by_transaction: countRollups,
  ledger_entries_by_order: cancel,
  ledger_lots_by_account: () => redeemOn(voucher("GIFT", { gift: { credits: 1 } })),
  ledger_lots_by_order: cancel,
  ledger_lots_by_bucket: () =>
    inClub(`POST ${member}/cards/${card.id}/expiring-points/lcpeb_none/expire`, {}).catch((error) =>
      assert.match(String(error), /404/),
    ),
  ledger_lots_waiting: () => inClub(`GET /v1/loyalties/${loyalty.id}/pending-points`),
  vouchers_unique_code: () => ok("GET /v1/vouchers/GIFT"),
  vouchers_by_age: () => ok("GET /v1/vouchers?order=created_at"),
  vouchers_by_campaign: () => ok(`GET /v1/vouchers?campaign_id=${campaign.id}&order=created_at`),
  vouchers_alone: () => ok("POST /v1/qualifications", { scenario: "ALL", order: { amount: 500 } }),
  vouchers_by_holder: () => ok("GET /v1/vouchers?customer=cleo"),
  vouchers_unpublished: () => ok("POST /v1/publications", { campaign: { name: "Friends" }, customer }),
  vouchers_gift_cards: () => ok("GET /v1/gift-cards/balance"),
  vouchers_due: () => advanceCards.run(jobs) as Promise<unknown>,
  validations_by_age: purge,
  validations_by_customer: () => ok("GET /v1/customers/anna/activities"),
  webhook_deliveries_by_time: purge,
  webhook_deliveries_by_object: () => redeemOn(voucher("CODE")),
  webhook_deliveries_by_webhook: () => ok(`GET /management/v1/projects/${project.id}/webhooks/${webhook}/deliveries`),
  webhook_deliveries_due: () =>
    dueDeliveries(heard, project.id, { webhook: { id: webhook, active: true }, now: NOW, limit: 10 }),
  webhook_deliveries_tests: () =>
    dueDeliveries(heard, project.id, { webhook: { id: webhook, active: false }, now: NOW, limit: 10 }),
  customers_unique_source_id: () => ok("GET /v1/customers/anna"),
  customers_by_age: () => ok("GET /v1/customers?order=created_at"),
  customers_by_tracking_id: () =>
    ok("POST /v1/validations", { redeemables: [voucher("CODE")], order: { amount: 500 }, tracking_id: "guest" }),
  validations_by_tracking_id: () => ok("POST /v1/customers", { source_id: "visitor" }),
  ...Object.fromEntries(
    ["name_typed", "source_id_typed", "phone_typed", "email"].map((part) => [
      `customers_by_${part}`,
      () => ok("GET /v1/customers?q=ann&limit=1"),
    ]),
  ),
  events_by_subject: () => inClub("POST /v1/customers/anna/permanent-deletion"),
  // Erased last: each of these finds the rows that name somebody.
  vouchers_by_referrer: erase,
  webhook_deliveries_by_customer: erase,
  webhook_deliveries_by_holder: erase,
  webhook_deliveries_by_people: erase,
};

/** They hold nothing but what is looked for, so it is no loss to read all of them. */
const READ_WHOLE = ["ledger_lots_waiting", "vouchers_due", "vouchers_gift_cards"];
const INDEXES = (await indexesOf(db)).filter(({ table }) => WRITTEN_MOST.includes(table));

for (const [index, run] of Object.entries(READ_BY))
  test(`an operation reads by ${index}`, async () => {
    const plans = await plansOf(run);
    const named = INDEXES.find(({ name }) => name === index) ?? assert.fail(`no index ${index}`);
    if (READ_WHOLE.includes(index)) assert.match(plans, new RegExp(`\\b${index}\\b`), plans);
    else assertReadBy(plans, named);
  });

test("every index of a table that much is written to is read by something", () => {
  const names = INDEXES.map(({ name }) => name).filter((name) => !name.endsWith("_pkey"));
  assert.deepEqual(names.sort(), Object.keys(READ_BY).sort());
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { V1_TYPES, V2_TYPES, WEBHOOK_TYPES } from "../../src/core/webhooks/event-names.ts";
import { recordAll } from "../../src/events/events.ts";
import { EVENTS } from "../../src/events/kinds.ts";
import { PARTS } from "../../src/events/parts.ts";
import { TOLD, TYPES_OF_KIND, UNTOLD } from "../../src/events/payloads.ts";
import { deliveriesOf } from "../../src/events/tell.ts";
import { NOW, newId, testDatabase } from "../support/engine.ts";
import { listeningShop, tellTheStory } from "../support/webhook-story.ts";

const { db } = await testDatabase();
const shop = await listeningShop(db);
await tellTheStory(shop);
const all = await shop.told();
const firstOf = (type: string) => all.find((one) => one.type === type);

test("every kind of events is told, or says why it is not; and every type tells of a kind", () => {
  for (const kind of Object.keys(EVENTS)) {
    const isTold = TYPES_OF_KIND.get(kind)!.length > 0;
    assert.notEqual(isTold, kind in UNTOLD, `${kind} is either told or has a reason`);
  }
  for (const kind of Object.keys(UNTOLD)) assert.ok(kind in EVENTS, kind);
  assert.deepEqual(Object.keys(TOLD).sort(), [...WEBHOOK_TYPES].sort());
  for (const [type, { kinds }] of Object.entries(TOLD)) assert.ok(kinds.length > 0, type);
  assert.deepEqual(
    Object.keys(EVENTS)
      .filter((kind) => kind.startsWith("vl."))
      .sort(),
    [...V2_TYPES].sort(),
    "everything that happens in loyalty programs can be listened to",
  );
});

test("every type is told in the story, but for those that say why they never are", () => {
  const told = new Set(all.map(({ type }) => type));
  const missing = WEBHOOK_TYPES.filter((type) => !told.has(type));
  assert.deepEqual(
    missing,
    Object.entries(TOLD).flatMap(([type, { never }]) => (never ? [type] : [])),
  );
});

test("a body has the envelope, and `data` has every field of its type, also where it is null", async (t) => {
  for (const type of V1_TYPES)
    await t.test(type, () => {
      const body = firstOf(type);
      assert.deepEqual(Object.keys(body), ["id", "project_id", "created_at", "type", "data", "source", "event"]);
      assert.match(body.id, /^whs_[0-9a-f]{18}$/);
      assert.equal(body.project_id, shop.project.id);
      assert.match(body.created_at, /^2026-\d\d-\d\dT\d\d:00:00\.000Z$/);
      const { id, target_url } = shop.webhook;
      assert.deepEqual(body.source, { id, object: "webhook", target_url });
      assert.match(body.event.id, /^ev(?:red|cus|vou|pub|cam|bvr)_[0-9a-f]{24,26}$/);
      assert.equal(body.event.type, type);
      assert.ok(body.event.entity_id, "it says what it happened to");
      assert.ok(Number.isSafeInteger(body.event.number));
      assert.match(body.event.group_id, /./);
      assert.ok(["API", "INTERNAL"].includes(body.event.event_source.channel));
      assert.deepEqual(Object.keys(body.data), Object.keys(TOLD[type]!.data!));
    });
});

/** What must not be null, of each type where the story has it. */
const SHOWN: Record<string, string> = {
  "redemption.succeeded": "customer order voucher redemption created_at",
  "redemption.failed": "customer voucher redemption created_at",
  "redemption.rollback.succeeded": "customer order voucher redemption redemption_rollback",
  "redemption.rollback.failed": "customer voucher redemption redemption_rollback",
  "publication.succeeded": "customer publication voucher",
  "customer.created": "customer",
  "customer.updated": "customer",
  "customer.deleted": "customer",
  "customer.confirmed": "customer",
  "customer.rewarded": "customer holder voucher campaign redemption reward",
  "customer.rewarded.loyalty_points": "customer holder voucher campaign earning_rule balance order event",
  "voucher.created": "voucher",
  "voucher.published": "customer publication voucher created_at",
  "voucher.gift.balance_added": "voucher balance transaction",
  "voucher.gift.transaction.created": "transaction voucher balance",
  "voucher.loyalty_card.points_added": "voucher balance campaign customer transaction",
  "voucher.loyalty_card.points_expired": "voucher points campaign customer buckets transaction",
  "voucher.loyalty_card.transaction.created": "transaction voucher campaign holder balance",
  "voucher.loyalty_card.pending_points.activated": "customer campaign voucher balance transaction pending_points",
  "voucher.loyalty_card.pending_points.added":
    "customer campaign voucher voucher_pending_points_balance order pending_points",
  "voucher.loyalty_card.pending_points.canceled": "customer campaign voucher voucher_pending_points_balance",
  "voucher.loyalty_card.pending_points.updated": "customer campaign voucher voucher_pending_points_balance",
  "campaign.created": "campaign created_at",
  "campaign.deleted": "campaign deleted_at",
  "campaign.vouchers.added": "campaign count",
  "campaign.vouchers.generation.started": "campaign count started_at",
  "campaign.vouchers.generation.completed": "campaign count completed_at",
  "campaign.vouchers.generation.failed": "campaign count error failed_at",
  "campaign.promotion_tier.deleted": "campaign promotion_tier",
  "campaign.loyalty_tier.deleted": "campaign loyalty_tier",
  "campaign.referral_tier.deleted": "campaign referral_tier",
  "campaign.promotion_stack.updated": "campaign promotion_stack",
  "campaign.earning_rule.assigned": "campaign earning_rule",
  "campaign.reward.assignment.created": "campaign reward reward_assignment",
  "business_validation_rule.deleted": "rule deleted_at",
  "business_validation_rule.assignment.created": "rule assignment campaign",
};

test("what an event is about is shown", async (t) => {
  for (const [type, fields] of Object.entries(SHOWN))
    await t.test(type, () => {
      const { data } = firstOf(type);
      for (const field of fields.split(" ")) assert.notEqual(data[field], null, field);
    });
});

test("a redemption of a stack of promotions says which, for each of its tiers and for the whole", async () => {
  const { ok, call, told } = await listeningShop(db, ["redemption.succeeded", "redemption.failed"]);
  const { id: campaign_id } = await ok("POST /v1/campaigns", { name: "Sale", campaign_type: "PROMOTION" });
  const discount = { type: "PERCENT", percent_off: 10 };
  const ids: string[] = [];
  for (const name of ["a", "b"])
    ids.push((await ok(`POST /v1/promotions/${campaign_id}/tiers`, { name, banner: name, action: { discount } })).id);
  const stack = await ok(`POST /v1/promotions/${campaign_id}/stacks`, { name: "Both", tiers: { ids } });
  const redeem = (order: object) =>
    call("POST /v1/redemptions", { redeemables: [{ object: "promotion_stack", id: stack.id }], order });
  assert.equal((await redeem({ amount: 1000 })).status, 200);
  await ok(`POST /v1/promotions/tiers/${ids[0]}/disable`);
  assert.equal((await redeem({ amount: 1000 })).status, 400);
  const all = await told();
  assert.equal(all.filter(({ type }) => type === "redemption.succeeded").length, 3);
  assert.ok(all.some(({ type }) => type === "redemption.failed"));
  for (const { data } of all) {
    const { promotion_stack: shown } = data;
    assert.deepEqual([shown.id, shown.name, shown.category_id, shown.tiers.ids], [stack.id, "Both", null, ids]);
    assert.deepEqual([shown.campaign.id, shown.object], [campaign_id, "promotion_stack"]);
  }
});

test("an event says which key caused it, by its name and id", async () => {
  const { ok, call, project, told } = await listeningShop(db, ["customer.created"]);
  await db`update keys set name = 'Till 7' where kind = 'app' and id = ${project.app.id}`;
  await ok("POST /v1/customers", { source_id: "ann" });
  await ok(`PUT /management/v1/projects/${project.id}`, {
    client_create_customer_enabled: true,
    client_trusted_domains: ["https://shop.example"],
  });
  const client = { "x-client-application-id": project.client.id, "x-client-token": project.client.secret };
  const made = await call(
    "POST /client/v1/customers",
    { source_id: "bob" },
    { ...client, origin: "https://shop.example" },
  );
  assert.equal(made.status, 200, made.text);
  assert.deepEqual(
    (await told()).map(({ event }) => event.event_source),
    [
      { channel: "API", api_key: { name: "Till 7", app_id: project.app.id } },
      { channel: "CLIENT_API", api_key: { name: "default", app_id: project.client.id } },
    ],
  );
});

test("what is shown of an event is made once, however many types tell of it, and not where nobody listens", async () => {
  const { webhook, project } = shop;
  let asked = 0;
  const shown = () => {
    asked += 1;
    return Object.fromEntries(Object.keys(PARTS).map((part) => [part, null]));
  };
  const row = { ...webhook, project_id: project.id };
  const tell = (...types: string[]) => {
    const catalog = { webhooks_of: new Map(types.map((type) => [type, [row]])) };
    const happened = [{ id: newId("ev"), kind: "customer.redemption.succeeded" as const, shown }];
    return deliveriesOf(db, project.id, [{ of: { request_id: "v-1", now: NOW, catalog }, happened }]);
  };
  const both = await tell("redemption.succeeded", "voucher.gift.transaction.created");
  assert.deepEqual([both.length, asked], [2, 1]);
  assert.deepEqual([(await tell("customer.created")).length, asked], [0, 1]);
});

test("numbers of an object grow from event to event", () => {
  const byObject = Map.groupBy(all, ({ event }) => event.entity_id);
  for (const bodies of byObject.values()) {
    const numbers = bodies.map(({ event }) => event.number);
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(numbers).size, numbers.length);
  }
});

test("numbers grow in the order of a batch, also where a request before came later", async () => {
  const { project, ok } = await listeningShop(db, ["voucher.enabled", "voucher.disabled"]);
  const { id: voucher_id } = await ok("POST /v1/vouchers/TEN", {
    type: "DISCOUNT_VOUCHER",
    discount: { type: "PERCENT", percent_off: 10 },
  });
  const at = (ms: number) => ({ request_id: `v-${ms}`, now: new Date(Date.parse(NOW) + ms).toISOString(), newId });
  const happened = (kind: "voucher.enabled" | "voucher.disabled") => [{ kind, voucher_id, payload: { voucher: {} } }];
  await db.begin((tx) =>
    recordAll(tx, project.id, [
      { of: at(5_000), happened: happened("voucher.disabled") },
      { of: at(0), happened: happened("voucher.enabled") },
      { of: at(9_000), happened: happened("voucher.disabled") },
      { of: at(1_000), happened: happened("voucher.enabled") },
    ]),
  );
  const rows = await db`select body from webhook_deliveries where project_id = ${project.id} order by number`;
  assert.deepEqual(
    rows.map(({ body }) => JSON.parse(body).event.group_id),
    ["v-5000", "v-0", "v-9000", "v-1000"],
  );
});

test("a delivery shows what was there at the time of its event", () => {
  const ann = all.filter(({ type, data }) => type === "customer.updated" && data.customer.source_id === "ann");
  assert.equal(ann[0].data.customer.name, "Anna");
  assert.equal(firstOf("customer.created").data.customer.name, "Ann");
  assert.equal(firstOf("customer.deleted").data.customer.name, "Vera");
  assert.deepEqual(
    ["created", "disabled", "enabled"].map((verb) => firstOf(`voucher.${verb}`).data.voucher.active),
    [true, false, true],
  );
  const { voucher, redemption } = firstOf("redemption.succeeded").data;
  assert.equal(voucher.redemption.redeemed_quantity, 1);
  assert.equal(redemption.result, "SUCCESS");
  assert.equal(firstOf("redemption.rollback.succeeded").data.voucher.redemption.redeemed_quantity, 0);
  const credits = all.filter(({ type }) => type === "voucher.gift.transaction.created");
  assert.deepEqual(
    credits.map(({ data }) => [data.transaction.type, data.balance.balance]),
    [
      ["CREDITS_ADDITION", 6000],
      ["CREDITS_REDEMPTION", 5300],
      ["CREDITS_REFUND", 6000],
    ],
  );
});

test("what is told of points that a redemption takes, or a rollback gives back, shows the redemption as it is then", async () => {
  const { ok, told } = await listeningShop(db, ["voucher.loyalty_card.transaction.created"]);
  const voucher = { type: "LOYALTY_CARD", loyalty_card: { points: 100 } };
  const club = await ok("POST /v1/loyalties", { name: "Club", type: "AUTO_UPDATE", voucher });
  const { id: product } = await ok("POST /v1/products", { name: "Mug" });
  const reward = await ok("POST /v1/rewards", { name: "A mug", parameters: { product: { id: product } } });
  const parameters = { loyalty: { points: 20 } };
  await ok(`POST /v1/rewards/${reward.id}/assignments`, { campaign: club.id, parameters });
  const { voucher: card } = await ok("POST /v1/publications", {
    campaign: { name: "Club" },
    customer: { source_id: "ann" },
  });
  const { redemptions } = await ok("POST /v1/redemptions", {
    redeemables: [{ object: "voucher", id: card.code, reward: { id: reward.id } }],
    customer: { source_id: "ann" },
    order: { source_id: "order of ann", amount: 100 },
  });
  const [{ id }] = redemptions;
  await ok(`POST /v1/redemptions/${id}/rollback`);
  const seen = (await told()).map(({ data: { transaction, voucher, redemption, rollback, order } }) => [
    ...[transaction.type, voucher.redemption.redeemed_quantity, voucher.loyalty_card.balance],
    ...[redemption?.id, redemption?.status, rollback?.result, order?.source_id],
  ]);
  assert.deepEqual(seen, [
    ["POINTS_REDEMPTION", 1, 80, id, "SUCCEEDED", undefined, "order of ann"],
    ["POINTS_REFUND", 0, 100, id, "ROLLED_BACK", "SUCCESS", "order of ann"],
  ]);
});

test("a reward of a referral is told with the redemption of the friend, and goes with the friend", async () => {
  const { ok, told } = await listeningShop(db, ["customer.rewarded"]);
  const card = { type: "LOYALTY_CARD", loyalty_card: { points: 100 } };
  const club = await ok("POST /v1/loyalties", { name: "Club", type: "AUTO_UPDATE", voucher: card });
  const { id: product } = await ok("POST /v1/products", { name: "Mug" });
  const { id: mug } = await ok("POST /v1/rewards", { name: "A mug", parameters: { product: { id: product } } });
  const cost = { campaign: club.id, parameters: { loyalty: { points: 1 } } };
  const { id: assignment_id } = await ok(`POST /v1/rewards/${mug}/assignments`, cost);
  const tiers = [{ banner: "each", parameters: { type: "EACH" }, reward: { assignment_id } }];
  await ok("POST /v1/campaigns", {
    name: "Friends",
    campaign_type: "REFERRAL_PROGRAM",
    referral_program: { conversion_event: { type: "redemption" }, tiers },
    voucher: { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } },
  });
  const { voucher } = await ok("POST /v1/publications", { campaign: "Friends", customer: { source_id: "ann" } });
  const { redemptions } = await ok("POST /v1/redemptions", {
    redeemables: [{ object: "voucher", id: voucher.code }],
    customer: { source_id: "friend", name: "Fred" },
    order: { amount: 900 },
  });
  const [{ data }] = (await told()) as [any];
  assert.deepEqual([data.customer.source_id, data.reward.id], ["ann", mug]);
  assert.deepEqual([data.redemption.id, data.redemption.customer.name], [redemptions[0].id, "Fred"]);
  await ok("POST /v1/customers/friend/permanent-deletion");
  assert.deepEqual(await told(), []);
});

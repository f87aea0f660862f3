import assert from "node:assert/strict";
import { test } from "node:test";
import { mainTypeOf } from "../../src/events/event-data.ts";
import { NOW, testDatabase } from "../support/engine.ts";
import { allShown } from "../support/events.ts";
import { testShop } from "../support/shop.ts";
import { listeningShop, tellTheStory } from "../support/webhook-story.ts";

const { db } = await testDatabase();

type Call = Awaited<ReturnType<typeof testShop>>["call"];
/** All events of the feed. */
async function feedOf(call: Call, limit = 100): Promise<any[]> {
  const events: any[] = [];
  for (let cursor = ""; ; ) {
    const { body, text } = await call(`GET /v1/events?limit=${limit}${cursor && `&cursor=${cursor}`}`);
    assert.ok(body.events, text);
    events.push(...body.events);
    cursor = body.cursor;
    if (!body.has_more) return events;
  }
}
const bare = (id: string): string => id.slice(id.indexOf("_"));

/** What belongs to an event, wherever it stands in `data`. */
const FACTS = [
  "transaction",
  "balance",
  "points",
  "buckets",
  "pending_points",
  "publication.vouchers_id",
  "count",
].concat(
  [
    "redemption.amount",
    "redemption.result",
    "redemption.failure_code",
    "order.amount",
    "order.items",
    "order.total_amount",
  ],
  ["redemption_rollback.amount", "redemption_rollback.result", "voucher.redemption.redeemed_quantity"],
);
const at = (data: any, path: string) => path.split(".").reduce((value, name) => value?.[name], data);

test("data is what webhooks were told; without a delivery the facts of the event are the same, as it is built now", async () => {
  const shop = await listeningShop(db);
  await tellTheStory(shop);
  await allShown(db, shop.project.id);
  const told = new Map(((await shop.told()) as any[]).map((one) => [`${one.type} ${bare(one.event.id)}`, one]));
  const stored = await feedOf(shop.call);
  const tellable = stored.filter(({ type }) => mainTypeOf(type) !== null);
  assert.ok(tellable.length > 100, `${tellable.length}`);
  for (const event of tellable) {
    const body = told.get(`${mainTypeOf(event.type)} ${bare(event.id)}`);
    assert.deepEqual(event.data, body.data, event.type);
    assert.equal(event.data_built_at, body.created_at);
  }
  for (const { type, created_at, data_built_at } of stored.filter(({ type }) => mainTypeOf(type) === null))
    assert.equal(data_built_at, created_at, type);
  await db`delete from webhook_deliveries where project_id = ${shop.project.id}`;
  const built = await feedOf(shop.call);
  assert.deepEqual(
    built.map(({ id }) => id),
    stored.map(({ id }) => id),
  );
  const compared = new Map<string, number>();
  for (const [n, { type, data, data_built_at }] of built.entries()) {
    if (mainTypeOf(type) === null || type.startsWith("vl.")) continue;
    assert.deepEqual(Object.keys(data), Object.keys(stored[n].data), type);
    assert.ok(Date.parse(data_built_at) >= Date.parse(stored[n].created_at));
    for (const path of FACTS) {
      const before = at(stored[n].data, path);
      // A redemption tells of how often its code was used; to others that does not belong. A code may have been deleted since.
      const isAboutUse = type.startsWith("customer.redemption.") && data.voucher !== null;
      if (before == null || (path.startsWith("voucher.") && !isAboutUse)) continue;
      assert.deepEqual(at(data, path), before, `${path} of ${type}`);
      compared.set(path, (compared.get(path) ?? 0) + 1);
    }
  }
  for (const path of FACTS) assert.ok(compared.get(path)! > 0, `${path} was compared`);
});

test("figures of use are those after each redemption, and customers are as they are now", async () => {
  const { call, ok, project } = await testShop(db);
  await ok("POST /v1/vouchers/GIFT", { type: "GIFT_VOUCHER", gift: { amount: 1000 } });
  for (const [n, credits] of [100, 200, 300].entries())
    await ok("POST /v1/redemptions", {
      redeemables: [{ object: "voucher", id: "GIFT", gift: { credits } }],
      customer: { source_id: "ada", name: "Ada" },
      order: { source_id: `o-${n}`, amount: 5000 },
    });
  await ok("POST /v1/customers", { source_id: "ada", name: "Ada Lovelace" });
  await allShown(db, project.id);
  const events = (await feedOf(call)).filter(({ type }) => type === "customer.redemption.succeeded");
  const seen = events.map(({ data: { voucher, order, customer } }) => [
    ...[voucher.gift.balance, voucher.redemption.redeemed_quantity, order.source_id, customer.name],
  ]);
  assert.deepEqual(seen, [
    [900, 1, "o-0", "Ada Lovelace"],
    [700, 2, "o-1", "Ada Lovelace"],
    [400, 3, "o-2", "Ada Lovelace"],
  ]);
  assert.deepEqual(new Set(events.map(({ data_built_at }) => data_built_at)), new Set([NOW]));
});

test("a redemption that was rolled back later succeeded when it was made", async () => {
  const { call, ok, project } = await testShop(db);
  await ok("POST /v1/vouchers/TEN", { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } });
  const redeemables = [{ object: "voucher", id: "TEN" }];
  const { redemptions } = await ok("POST /v1/redemptions", { redeemables, order: { amount: 100 } });
  await ok(`POST /v1/redemptions/${redemptions[0].id}/rollback`);
  await allShown(db, project.id);
  const seen = (await feedOf(call)).filter(({ type }) => type.startsWith("customer.redemption."));
  assert.deepEqual(
    seen.map(({ type, data }) => [type, data.redemption.status]),
    [
      ["customer.redemption.succeeded", "SUCCEEDED"],
      ["customer.redemption.rollback.succeeded", "ROLLED_BACK"],
    ],
  );
});

test("a page of large events has fewer of them, and none is lost", async () => {
  const { call, ok, project } = await testShop(db);
  const metadata = { text: "x".repeat(15_000) };
  for (let n = 0; n < 5; n += 1) await ok("POST /v1/customers", { source_id: `c-${n}`, metadata });
  // Each event shows the same customer whole.
  await db`
    insert into events (project_id, id, kind, group_id, customer_id, payload, created_at)
    select project_id, id || lpad(to_hex(n), 2, '0'), 'customer.confirmed', group_id, customer_id, payload, created_at
    from events cross join generate_series(1, 120) n where project_id = ${project.id} and kind = 'customer.created'`;
  await allShown(db, project.id);
  const { body } = await call("GET /v1/events?limit=100&type=customer.confirmed");
  assert.ok(body.events.length > 0);
  const all = (await feedOf(call)).filter(({ type }) => type === "customer.confirmed");
  assert.equal(new Set(all.map(({ id }) => id)).size, 600);
  assert.equal(all.length, 600);
});

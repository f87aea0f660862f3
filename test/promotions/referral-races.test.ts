import assert from "node:assert/strict";
import { test } from "node:test";
import { INVARIANTS } from "../../src/db/invariants.ts";
import { testDatabase } from "../support/engine.ts";
import { errorsOf, inParallel, sender, twoServers, voucher, worldOf } from "../support/two-servers.ts";

// Many clients over two server processes, all at once on the same thing.
const database = await testDatabase();
const { db, url } = database;
const servers = await twoServers(database);

/** A referral code of Ann's; the friend gets points, and Ann a gift for each friend and another for the tenth. */
async function world(program: object) {
  const made = await worldOf(db, (project) => sender(servers, project));
  const { ok, project } = made;
  const manage = `POST /management/v1/projects/${project.id}/custom-event-schemas`;
  await ok(manage, { name: "joined", schema: { properties: {} } });
  const club = await ok("POST /v1/campaigns", { name: "Club", voucher: { loyalty_card: { points: 0 } } });
  const gifts = await ok("POST /v1/campaigns", { name: "Gifts", voucher: { gift: { amount: 1 } } });
  const reward = async (name: string, balance: number) => {
    const { id } = await ok("POST /v1/rewards", { name, parameters: { campaign: { id: gifts.id, balance } } });
    const body = { campaign: club.id, parameters: { loyalty: { points: 1 } } };
    return { reward: { assignment_id: (await ok(`POST /v1/rewards/${id}/assignments`, body)).id } };
  };
  const referral_program = {
    ...program,
    referee_reward: { related_object_parent: { id: club.id }, type: "LOYALTY_CARD", amount: 50 },
    tiers: [
      { parameters: { type: "EACH" }, ...(await reward("Each", 10)) },
      { parameters: { type: "MINIMUM", min: 10 }, ...(await reward("Ten", 1000)) },
    ],
  };
  await made.campaign("Friends", 1, { campaign_type: "REFERRAL_PROGRAM", referral_program });
  await ok("POST /v1/publications", { voucher: "Friends-0", customer: { source_id: "ann" } });
  const cards = async (who: string) => {
    const { data } = await ok(`GET /v1/customers/${who}/redeemables?limit=100`);
    return data.filter((one: any) => one.holder_role === "OWNER").map((one: any) => one.redeemable.voucher);
  };
  return { ...made, cards };
}
const holds = async () => {
  for (const [says, query] of Object.entries(INVARIANTS)) assert.equal((await query(db))[0]!.count, 0, says);
};

const onEvent = { conversion_event_type: "custom_event", custom_event: { name: "joined" } };
const tracking = (source_id: string) => ({
  line: "POST /v1/events",
  body: { event: "joined", customer: { source_id }, referral: { code: "Friends-0" } },
});

for (const [name, program] of [
  ["events", onEvent],
  ["redemptions", { conversion_event_type: "redemption" }],
  ["paid orders", { conversion_event_type: "order.paid" }],
] as const)
  test(`32 ${name} of one friend, at once and from two processes, bring them once`, async () => {
    const { ok, send, cards, redeeming } = await world(program);
    const request = (n: number) =>
      name === "events"
        ? tracking("bob")
        : name === "redemptions" || n % 2 === 0
          ? redeeming([voucher("Friends-0")], { customer: { source_id: "bob" } })
          : {
              line: "POST /v1/orders",
              body: { customer: { source_id: "bob" }, referrer: { source_id: "ann" }, amount: 5, status: "PAID" },
            };
    const replies = await inParallel(32, (n) => send(request(n)), { clients: 32 });
    for (const { status, text } of replies) assert.equal(status, 200, text);
    assert.equal((await ok("GET /v1/customers/bob")).referrals.total, 1);
    assert.equal((await ok("GET /v1/customers/ann")).loyalty.referred_customers, 1);
    assert.deepEqual(
      (await cards("bob")).map((one: any) => one.loyalty_card.balance),
      [50],
    );
    assert.deepEqual(
      (await cards("ann")).map((one: any) => one.gift.balance),
      [11],
    );
    await holds();
  });

test("32 friends of one referrer who come at once count each, and the tenth brings one reward", async () => {
  const { ok, send, cards } = await world(onEvent);
  const replies = await inParallel(64, (n) => send(tracking(`friend ${n % 32}`)), { clients: 32 });
  for (const { status, text } of replies) assert.equal(status, 200, text);
  assert.equal((await ok("GET /v1/customers/ann")).loyalty.referred_customers, 32);
  assert.deepEqual(
    (await cards("ann")).map((one: any) => one.gift.balance),
    [1 + 32 * 10 + 1000],
  );
  await holds();
});

test("a conversion that is sent again under its key is answered as before and counts once", async () => {
  const { ok, send } = await world(onEvent);
  const headers = { "idempotency-key": "k" };
  const replies = await inParallel(8, () => send({ ...tracking("bob"), headers }), { clients: 8 });
  assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
  assert.equal((await ok("GET /v1/customers/bob")).referrals.total, 1);
});

test("friends who refer each other, redeem cards that they get, and are paid at once wait for nobody in a circle", async () => {
  const { ok, send, redeeming, cards } = await world({ conversion_event_type: "redemption" });
  await ok("POST /v1/campaigns/Friends/vouchers/BOBS", {});
  await ok("POST /v1/publications", { voucher: "BOBS", customer: { source_id: "bob" } });
  const gift = async (source_id: string) =>
    (await ok("POST /v1/publications", { campaign: "Gifts", customer: { source_id } })).voucher.code as string;
  const [anns, bobs] = [await gift("ann"), await gift("bob")];
  const pay = (code: string) => voucher(code, { gift: { credits: 1 } });
  const requests = [
    redeeming([voucher("BOBS"), pay(anns)], { customer: { source_id: "ann" } }),
    redeeming([voucher("Friends-0"), pay(bobs)], { customer: { source_id: "bob" } }),
    redeeming([voucher("Friends-0"), pay(anns)], { customer: { source_id: "cleo" } }),
    redeeming([voucher("BOBS"), pay(bobs)], { customer: { source_id: "dora" } }),
    { line: "POST /v1/publications", body: { campaign: "Gifts", customer: { source_id: "ann" } } },
  ];
  const replies = await inParallel(100, (n) => send(requests[n % requests.length]!), { clients: 32 });
  for (const { status, body, text } of replies) assert.ok(status === 200 || body.key === "gift_amount_exceeded", text);
  assert.deepEqual(
    [
      (await ok("GET /v1/customers/ann")).loyalty.referred_customers,
      (await ok("GET /v1/customers/bob")).referrals.total,
    ],
    [2, 1],
  );
  assert.ok((await cards("ann")).length > 0);
  await holds();
});

test("no two transactions waited for each other in a circle", async () => {
  // A session of the database tells what it counted when it ends.
  await Promise.all(servers.map(({ stop }) => stop()));
  const [stats] = await db`
    select deadlocks from pg_stat_database where datname = ${new URL(url).pathname.slice(1)}`;
  assert.equal(stats!.deadlocks, 0);
  for (const server of servers) assert.deepEqual(errorsOf(server), [], "nothing was logged as an error");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { ROLLUP_LAWS } from "../../src/db/rollups/law.ts";
import { seeded } from "../../src/demo/requests.ts";
import { NOW, testDatabase } from "../support/engine.ts";
import { follow, followAll } from "../support/rollups.ts";
import { testShop } from "../support/shop.ts";

// Random redemptions, refusals, rollbacks, erasures, zones and clocks, while a follower counts now and then and is killed:
// after each step the rollups are what a recount of the rows says.
const SEED = Number(process.env.SIMULATION_SEED ?? Math.floor(Math.random() * 2 ** 31));
const STEPS = Number(process.env.ROLLUP_STEPS ?? 80);
const { db, open } = await testDatabase();

async function assertLaws(after: string) {
  for (const [name, law] of Object.entries(ROLLUP_LAWS)) {
    const [found] = await law(db);
    assert.equal(found!.count, 0, `seed ${SEED}, after ${after}: ${name}, but ${found!.example}`);
  }
}

async function openShop() {
  const shop = await testShop(db, { timezone: "Europe/Warsaw" });
  const { ok } = shop;
  const discount = { type: "PERCENT", percent_off: 10 };
  const sale = await ok("POST /v1/campaigns", {
    name: "Sale",
    type: "STATIC",
    voucher: { type: "DISCOUNT_VOUCHER", discount, redemption: { quantity: 4 } },
  });
  for (const code of ["S-1", "S-2", "S-3"]) await ok(`POST /v1/campaigns/${sale.id}/vouchers/${code}`, {});
  await ok("POST /v1/vouchers/CARD", { type: "GIFT_VOUCHER", gift: { amount: 900_000 } });
  const promotion = await ok("POST /v1/campaigns", { name: "Tiers", campaign_type: "PROMOTION" });
  const customers = await Promise.all([0, 1, 2].map((n) => ok("POST /v1/customers", { source_id: `c-${n}` })));
  const { id: segment } = await ok("POST /v1/segments", {
    name: "Three",
    type: "static",
    customers: customers.map(({ id }) => id),
  });
  const rule = await ok("POST /v1/validation-rules", {
    name: "Not others",
    rules: { 1: { name: "customer.segment", conditions: { $is: [segment] } }, logic: "1" },
  });
  await ok("POST /v1/vouchers/THREE", { discount, validation_rules: [rule.id] });
  const tier = await ok(`POST /v1/promotions/${promotion.id}/tiers`, {
    name: "Tier",
    action: { discount: { type: "AMOUNT", amount_off: 500 } },
  });
  const club = await ok("POST /v1/loyalties", {
    name: "Club",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 1_000 } },
  });
  const coin = { exchange_ratio: 0.01, points_ratio: 1 };
  const { id: reward } = await ok("POST /v1/rewards", { name: "Pay", parameters: { coin } });
  await ok(`POST /v1/rewards/${reward}/assignments`, { campaign: club.id });
  await ok(`POST /v1/campaigns/${club.id}/vouchers/POINTS`, {});
  await ok("POST /v1/publications", { voucher: "POINTS", customer: { source_id: "member" } });
  return { ...shop, tier, club, reward, campaigns: [sale.id, promotion.id, club.id] };
}

test("rollups are what a recount of the rows says, whatever happens", async () => {
  const { call, ok, project, tier, reward } = await openShop();
  const { integer, pick } = seeded(SEED);
  const redeemed: string[] = [];
  let offset = 0;
  const customer = () => ({ source_id: `c-${integer(0, 4)}` });
  const steps: Record<string, () => Promise<unknown>> = {
    redeem: async () => {
      const some = [
        { object: "voucher", id: pick(["S-1", "S-2", "S-3", "NONE"]) },
        { object: "voucher", id: "CARD", gift: { credits: integer(1, 50) } },
        { object: "promotion_tier", id: tier.id },
        { object: "voucher", id: "THREE" },
      ].filter(() => integer(0, 2) === 0);
      const order = pick([{ amount: integer(1_000, 9_000) }, { amount: integer(1_000, 9_000), status: "PAID" }]);
      const redeemables = some.length > 0 ? some : [{ object: "promotion_tier", id: tier.id }];
      const { status, body } = await call("POST /v1/redemptions", {
        redeemables,
        order,
        ...(integer(0, 3) > 0 && { customer: customer() }),
      });
      assert.ok(status < 500);
      if (status === 200) redeemed.push(body.parent_redemption?.id ?? body.redemptions[0].id);
    },
    rollBack: async () => {
      if (redeemed.length === 0) return;
      const { status } = await call(`POST /v1/redemptions/${pick(redeemed)}/rollbacks`);
      assert.ok(status < 500);
    },
    spend: async () => {
      const redeemables = [{ object: "voucher", id: "POINTS", reward: { id: reward, points: integer(1, 20) } }];
      const made = await ok("POST /v1/redemptions", {
        redeemables,
        order: { amount: 5_000 },
        customer: { source_id: "member" },
      });
      redeemed.push(made.redemptions[0].id);
    },
    give: () => ok("POST /v1/loyalties/members/POINTS/balance", { points: integer(1, 100) }),
    erase: async () => {
      const { source_id } = customer();
      await call(`POST /v1/customers/${source_id}/permanent-deletion`);
    },
    delete: () => call(`DELETE /v1/customers/${customer().source_id}`),
    zone: () =>
      ok(`PUT /management/v1/projects/${project.id}`, {
        timezone: pick(["Europe/Warsaw", "Asia/Kolkata", "America/New_York", "UTC+5", "GMT"]),
      }),
    clock: async () => {
      offset += integer(1, 30) * 3_600_000;
      const now = new Date(Date.parse(NOW) + offset).toISOString();
      await ok(`POST /management/v1/projects/${project.id}/test-clock`, { now });
    },
    follow: () => follow(db),
    kill: async () => {
      // The connection is cut at some statement of the follower, also between two of one turn.
      const left = integer(1, 14);
      let [asked, pid] = [0, 0];
      const cut = () => db`select pg_terminate_backend(${pid}::int)`.catch(() => {});
      const pool = open({ max: 1, onQuery: () => void (pid > 0 && ++asked === left && void cut()) });
      [{ pid }] = await pool<[{ pid: number }]>`select pg_backend_pid() as pid`;
      await follow(pool).catch(() => {});
      await pool.end({ timeout: 0 });
    },
  };
  const likely = ["redeem", "redeem", "redeem", "redeem", "rollBack", "follow", ...Object.keys(steps)];
  for (let n = 0; n < STEPS; n += 1) {
    const name = pick(likely);
    await steps[name]!();
    await assertLaws(`step ${n}, ${name}`);
  }
  await followAll(db, project.id);
  await assertLaws("the end");
  const [whole] = await db<{ redemptions: number; rollbacks: number; rows: number }[]>`
    select sum(redemptions)::bigint as redemptions, sum(rollbacks)::bigint as rollbacks, count(*) as rows
    from rollup_days where project_id = ${project.id} and subject = 'project'`;
  const [rows] = await db<{ redemptions: number; rollbacks: number }[]>`
    select count(*) filter (where object = 'redemption') as redemptions,
      count(*) filter (where object = 'redemption_rollback') as rollbacks
    from redemptions where project_id = ${project.id} and result = 'SUCCESS' and related_object_type <> 'redemption'`;
  assert.deepEqual({ ...rows }, { redemptions: whole!.redemptions, rollbacks: whole!.rollbacks });
});

test("what the laws find: a row that was counted twice, and one that was not", async () => {
  const { ok, project, tier } = await openShop();
  await ok("POST /v1/redemptions", {
    redeemables: [{ object: "promotion_tier", id: tier.id }],
    order: { amount: 5_000 },
    customer: { source_id: "anna" },
  });
  await followAll(db, project.id);
  await assertLaws("one redemption");
  const broken = [
    `update rollup_hours set redemptions = redemptions + 1 where project_id = '${project.id}' and subject = 'tier'`,
    `update rollup_days set discount = 0 where project_id = '${project.id}' and subject = 'campaign'`,
    `delete from rollup_days where project_id = '${project.id}' and subject = 'channel'`,
    `delete from rollup_customers where project_id = '${project.id}' and campaign_id = ''`,
    `update rollup_days set unique_customers = 7 where project_id = '${project.id}' and subject = 'project'`,
  ];
  for (const statement of broken) {
    const undo = new Error("undo");
    await assert.rejects(
      db.begin(async (tx) => {
        const { count } = await tx.unsafe(statement);
        assert.ok(count > 0, statement);
        const found = await Promise.all(Object.values(ROLLUP_LAWS).map(async (law) => (await law(tx))[0]!.count));
        assert.ok(
          found.some((one) => one > 0),
          statement,
        );
        throw undo;
      }),
      (error) => error === undo,
    );
  }
});

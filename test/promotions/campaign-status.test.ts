import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { testDatabase, testEngine, testProject } from "../support/engine.ts";
import { type Ok, testShop } from "../support/shop.ts";

const { db, open } = await testDatabase();

const AT = "2026-03-10T12:00:00.000Z";
const discount = { type: "AMOUNT", amount_off: 100 };
const PAST = "2026-03-01T00:00:00.000Z";
const FUTURE = "2026-04-01T00:00:00.000Z";
const start = async () => {
  const clock = { now: AT };
  return { ...(await testShop(db, { timezone: "Europe/Warsaw" }, { now: () => clock.now })), clock };
};
const promotion = (ok: Ok, name: string, more: object = {}) =>
  ok("POST /v1/campaigns", {
    name,
    campaign_type: "PROMOTION",
    promotion: { tiers: [{ name: "tier", action: { discount } }] },
    ...more,
  });
const limit = async (ok: Ok, name: string, most: number) => {
  const rules = { 1: { name, conditions: { $less_than_or_equal: [most] } } };
  return (await ok("POST /v1/validation-rules", { name: `${name} ${most}`, rules })).id as string;
};
const tierOf = (campaign: any): string => campaign.promotion.tiers[0].id;
const redeem = (ok: Ok, object: string, id: string) =>
  ok("POST /v1/redemptions", { redeemables: [{ object, id }], order: { amount: 1000 } });
const names = ({ campaigns }: any) => campaigns.map(({ name }: any) => name);

test("campaigns: each has its status, in the list, alone, and on its tiers", async () => {
  const { ok } = await start();
  await promotion(ok, "runs");
  await promotion(ok, "later", { start_date: FUTURE });
  await promotion(ok, "over", { expiration_date: PAST });
  await ok("POST /v1/campaigns", { name: "empty", campaign_type: "PROMOTION" });
  const off = await promotion(ok, "off");
  await ok(`POST /v1/campaigns/${off.id}/disable`);
  const rule = await limit(ok, "campaign.redemptions.count", 1);
  const used = await promotion(ok, "used", { validation_rules: [rule] });
  await redeem(ok, "promotion_tier", tierOf(used));
  const expected: Record<string, string> = {
    runs: "ACTIVE",
    later: "SCHEDULED",
    over: "EXPIRED",
    empty: "DRAFT",
    off: "DISABLED",
    used: "USED_UP",
  };
  const { campaigns } = await ok("GET /v1/campaigns");
  assert.deepEqual(Object.fromEntries(campaigns.map(({ name, status }: any) => [name, status])), expected);
  for (const { id, name, status, promotion: own } of campaigns) {
    assert.equal((await ok(`GET /v1/campaigns/${id}`)).status, status, name);
    for (const tier of own.tiers) {
      assert.equal((await ok(`GET /v1/promotions/tiers/${tier.id}`)).status, status, name);
      assert.equal((await ok(`GET /v1/promotions/${id}/tiers`)).tiers[0].status, status, name);
    }
    assert.deepEqual(names(await ok(`GET /v1/campaigns?status=${status}`)), [name]);
  }
  const sorted = await ok("GET /v1/campaigns?order=status");
  assert.deepEqual(names(sorted), ["empty", "off", "later", "over", "used", "runs"]);
  const second = await ok("GET /v1/campaigns?order=-status&limit=2&page=2");
  assert.deepEqual([names(second), second.total], [["over", "later"], 6]);
});

test("campaigns: codes that were all redeemed as often as they may be use a campaign up; a rollback gives it back", async () => {
  const { ok } = await start();
  const voucher = { type: "DISCOUNT_VOUCHER", discount, code: "ONCE", redemption: { quantity: 2 } };
  const { id } = await ok("POST /v1/campaigns", { name: "one code", type: "STANDALONE", voucher });
  const status = async () => (await ok(`GET /v1/campaigns/${id}`)).status;
  await redeem(ok, "voucher", "ONCE");
  assert.equal(await status(), "ACTIVE");
  const { redemptions } = await redeem(ok, "voucher", "ONCE");
  assert.equal(await status(), "USED_UP");
  await ok(`POST /v1/redemptions/${redemptions[0].id}/rollback`);
  assert.equal(await status(), "ACTIVE");
});

test("campaigns: whatever is set, a validation applies exactly while the status is ACTIVE", async () => {
  const { ok, clock } = await start();
  let count = 0;
  const moment = fc.option(fc.constantFrom(PAST, FUTURE, "2026-03-20T00:00:00.000Z"), { nil: null });
  const RULES = ["campaign.redemptions.count", "campaign.orders.amount", "campaign.orders.amount_discounted"] as const;
  const budget = fc.option(fc.record({ name: fc.constantFrom(...RULES), times: fc.integer({ min: 1, max: 3 }) }), {
    nil: null,
  });
  // What one redemption adds to each.
  const ADDS = {
    "campaign.redemptions.count": 1,
    "campaign.orders.amount": 1000,
    "campaign.orders.amount_discounted": 100,
  };
  await fc.assert(
    fc.asyncProperty(
      moment,
      moment,
      fc.boolean(),
      budget,
      fc.integer({ min: 0, max: 3 }),
      async (start_date, expiration_date, isOn, limited, redeemed) => {
        if (start_date && expiration_date && start_date >= expiration_date) return;
        clock.now = AT;
        const rules = limited ? [await limit(ok, limited.name, ADDS[limited.name] * limited.times)] : [];
        const campaign = await promotion(ok, `campaign ${++count}`, { validation_rules: rules });
        const tier = tierOf(campaign);
        for (let n = 0; n < Math.min(redeemed, limited?.times ?? redeemed); n += 1)
          await redeem(ok, "promotion_tier", tier);
        await ok(`PUT /v1/campaigns/${campaign.id}`, { start_date, expiration_date });
        if (!isOn) await ok(`POST /v1/campaigns/${campaign.id}/disable`);
        for (const now of [AT, "2026-03-25T00:00:00.000Z", "2026-05-01T00:00:00.000Z"]) {
          clock.now = now;
          const { status } = await ok(`GET /v1/campaigns/${campaign.id}`);
          const body = { redeemables: [{ object: "promotion_tier", id: tier }], order: { amount: 1000 } };
          const { valid } = await ok("POST /v1/validations", body);
          assert.equal(valid, status === "ACTIVE", `${status} at ${now}`);
        }
      },
    ),
    { numRuns: 15 },
  );
});

test("campaigns: counters tell use, days, budget and codes, and agree with what was redeemed", async () => {
  const { ok, clock } = await start();
  const rule = await limit(ok, "campaign.orders.amount_discounted", 1000);
  const voucher = { type: "DISCOUNT_VOUCHER", discount, redemption: { quantity: null } };
  const { id } = await ok("POST /v1/campaigns", { name: "codes", type: "STATIC", voucher, validation_rules: [rule] });
  for (const code of ["A1", "A2", "A3"]) await ok(`POST /v1/campaigns/${id}/vouchers/${code}`);
  await promotion(ok, "quiet");
  // Late in the evening in London is the next day in Warsaw.
  clock.now = "2026-03-08T23:30:00.000Z";
  await redeem(ok, "voucher", "A1");
  clock.now = AT;
  await redeem(ok, "voucher", "A1");
  const { redemptions } = await redeem(ok, "voucher", "A2");
  const counters = async () => (await ok("GET /v1/campaigns?expand=counters&order=name")).campaigns;
  const [codes, quiet] = await counters();
  const days = (...last: number[]) => [...Array(30 - last.length).fill(0), ...last];
  assert.deepEqual(codes.counters, {
    redemptions: 3,
    discount: 300,
    redemptions_by_day: days(1, 2),
    budget: 1000,
    budget_used: 300,
    codes: 3,
    codes_used: 2,
  });
  const none = { redemptions: 0, discount: 0, redemptions_by_day: days(), budget: null, budget_used: 0 };
  assert.deepEqual(quiet.counters, { ...none, codes: 0, codes_used: 0 });
  await ok(`POST /v1/redemptions/${redemptions[0].id}/rollback`);
  const [after] = await counters();
  assert.deepEqual([after.counters.redemptions, after.counters.budget_used, after.counters.codes_used], [2, 200, 1]);
  assert.equal((await ok("GET /v1/campaigns")).campaigns[0].counters, undefined, "only when they are asked for");
});

test("campaigns: found by a part of the name in any case, sorted by name and dates", async () => {
  const { ok, call } = await start();
  await promotion(ok, "Über 50%_off", { start_date: FUTURE });
  await promotion(ok, "über all", { start_date: PAST });
  await promotion(ok, "Winter");
  const found = await ok(`GET /v1/campaigns?order=name&name=${encodeURIComponent("ÜBER")}`);
  assert.deepEqual([names(found).toSorted(), found.total], [["Über 50%_off", "über all"].toSorted(), 2]);
  assert.deepEqual(names(await ok(`GET /v1/campaigns?name=${encodeURIComponent("%_")}`)), ["Über 50%_off"]);
  assert.deepEqual(names(await ok("GET /v1/campaigns?order=start_date")), ["über all", "Über 50%_off", "Winter"]);
  assert.deepEqual(names(await ok("GET /v1/campaigns?order=-start_date&campaign_type=DISCOUNT_COUPONS")), []);
  for (const query of ["status=DONE", "order=budget", "name=", "expand=all"]) {
    const { status, body } = await call(`GET /v1/campaigns?${query}`);
    assert.deepEqual([status, body.key], [400, "invalid_query_params"], query);
  }
});

test("campaigns: a page has as many statements for many campaigns as for one", async () => {
  const statements: string[] = [];
  const watched = open({ max: 4, onQuery: (text) => void statements.push(text) });
  const project = await testProject(db);
  const { call } = await testEngine(watched, project, { hot: watched, own: true });
  const voucher = { type: "DISCOUNT_VOUCHER", discount, redemption: { quantity: 1 } };
  const count = async (line: string) => {
    // Once before, so that the catalog is there.
    await call(line);
    statements.length = 0;
    const { status, text } = await call(line);
    assert.equal(status, 200, text);
    return statements.length;
  };
  const make = async (n: number) => {
    await call("POST /v1/campaigns", { name: `a ${n}`, type: "STANDALONE", voucher: { ...voucher, code: `A${n}` } });
    const tiers = [{ name: "tier", action: { discount } }];
    await call("POST /v1/campaigns", { name: `b ${n}`, campaign_type: "PROMOTION", promotion: { tiers } });
    await call("POST /v1/redemptions", { redeemables: [{ object: "voucher", id: `A${n}` }], order: { amount: 900 } });
  };
  const lines = [
    "GET /v1/campaigns?limit=100&expand=counters",
    "GET /v1/campaigns?limit=100&status=USED_UP&order=status",
  ];
  await make(0);
  const few = [await count(lines[0]!), await count(lines[1]!)];
  for (let n = 1; n < 6; n += 1) await make(n);
  assert.deepEqual([await count(lines[0]!), await count(lines[1]!)], few);
  assert.equal((await call(lines[1]!)).body.total, 6);
});

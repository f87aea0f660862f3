import assert from "node:assert/strict";
import { test } from "node:test";
import { wipeProject } from "../../src/demo/wipe.ts";
import { testDatabase } from "../support/engine.ts";
import { assertRefused, tokenOf } from "../support/http.ts";
import { follow, followAll } from "../support/rollups.ts";
import { testShop } from "../support/shop.ts";

const { db, open } = await testDatabase();
const DAY = "from=2026-01-01&to=2026-01-02";
const ALL = "redemptions,rollbacks,discount,gift_credits,points_issued,points_spent,revenue,orders,refusals";

/** A shop with a code, a tier, a gift card and a segment, in which somebody redeemed all of them. */
async function openShop(timezone = "UTC", seen?: (text: string) => void) {
  const shop = await testShop(seen ? open({ max: 2, onQuery: seen }) : db, { timezone });
  const { ok } = shop;
  const sale = await ok("POST /v1/campaigns", {
    name: "Sale",
    type: "STATIC",
    voucher: { type: "DISCOUNT_VOUCHER", discount: { type: "AMOUNT", amount_off: 1000 } },
    expiration_date: "2026-01-05T00:00:00.000Z",
  });
  await ok(`POST /v1/campaigns/${sale.id}/vouchers/TEN`, {});
  await ok("POST /v1/vouchers/CARD", { type: "GIFT_VOUCHER", gift: { amount: 5000 } });
  const promotion = await ok("POST /v1/campaigns", { name: "Tiers", campaign_type: "PROMOTION" });
  const discount = { type: "AMOUNT", amount_off: 500 };
  const tier = await ok(`POST /v1/promotions/${promotion.id}/tiers`, { name: "Tier", action: { discount } });
  const { id: anna } = await ok("POST /v1/customers", { source_id: "anna" });
  const segment = await ok("POST /v1/segments", { name: "Anna", type: "static", customers: [anna] });
  const rule = await ok("POST /v1/validation-rules", {
    name: "Anna",
    rules: { 1: { name: "customer.segment", conditions: { $is: [segment.id] } }, logic: "1" },
  });
  await ok("POST /v1/vouchers/HERS", { discount, validation_rules: [rule.id] });
  const redeem = (source_id: string, ...ids: string[]) =>
    ok("POST /v1/redemptions", {
      redeemables: ids.map((id) => ({
        object: id.startsWith("promo_") ? "promotion_tier" : "voucher",
        id,
        ...(id === "CARD" && { gift: { credits: 300 } }),
      })),
      order: { amount: 10_000 },
      customer: { source_id },
    });
  const series = async (query: string) => ok(`GET /v1/time-series?${query}`);
  const totals = async (query: string) => (await series(`${DAY}&${query}`)).totals;
  return {
    ...shop,
    sale,
    promotion,
    tier,
    segment,
    redeem,
    series,
    totals,
    count: () => followAll(db, shop.project.id),
  };
}

test("time series: figures of the project, and of a campaign, tier, code, segment and channel", async () => {
  const { call, sale, promotion, tier, segment, redeem, totals, count } = await openShop();
  // Segments are noted of what is counted as it happens.
  await count();
  const one = await redeem("anna", "TEN", "CARD", tier.id);
  await redeem("bert", "TEN");
  await call("POST /v1/redemptions", {
    redeemables: [{ object: "voucher", id: "HERS" }],
    customer: { source_id: "bert" },
  });
  await count();
  const none = { rollbacks: 0, points_issued: 0, points_spent: 0, refusals: 0, gift_credits: 0 };
  const all = { ...none, redemptions: 4, discount: 2500, gift_credits: 300, revenue: 20_000, orders: 2, refusals: 1 };
  assert.deepEqual(await totals(`metrics=${ALL}`), all);
  assert.deepEqual(await totals(`metrics=${ALL}&channel=API`), all);
  const both = { ...none, redemptions: 2, discount: 2000, revenue: 20_000, orders: 2 };
  assert.deepEqual(await totals(`metrics=${ALL}&campaign=${sale.id}`), both);
  assert.deepEqual(await totals(`metrics=${ALL}&campaign=Sale`), both);
  assert.deepEqual(await totals(`metrics=${ALL}&code=ten`), both);
  const ofTier = { ...none, redemptions: 1, discount: 500, revenue: 10_000, orders: 1 };
  assert.deepEqual(await totals(`metrics=${ALL}&tier=${tier.id}`), ofTier);
  assert.deepEqual(await totals(`metrics=${ALL}&campaign=${promotion.id}`), ofTier);
  assert.deepEqual(await totals(`metrics=redemptions,orders&segment=${segment.id}`), { redemptions: 3, orders: 1 });
  assert.deepEqual(await totals("channel=TILL"), { redemptions: 0, discount: 0 });

  // A rollback takes back on its own day.
  const { status } = await call(`POST /v1/redemptions/${one.parent_redemption.id}/rollbacks`);
  assert.equal(status, 200);
  await count();
  assert.deepEqual(await totals(`metrics=${ALL}`), {
    ...all,
    ...{ rollbacks: 3, discount: 1000, gift_credits: 0, revenue: 10_000, orders: 1 },
  });
});

test("time series: points that were given and spent", async () => {
  const { ok, totals, count } = await openShop();
  const club = await ok("POST /v1/loyalties", {
    name: "Club",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 100 } },
  });
  const coin = { exchange_ratio: 0.01, points_ratio: 1 };
  const reward = await ok("POST /v1/rewards", { name: "Pay", parameters: { coin } });
  await ok(`POST /v1/rewards/${reward.id}/assignments`, { campaign: club.id });
  await ok(`POST /v1/campaigns/${club.id}/vouchers/POINTS`, {});
  await ok("POST /v1/publications", { voucher: "POINTS", customer: { source_id: "anna" } });
  await ok("POST /v1/loyalties/members/POINTS/balance", { points: 20 });
  const made = await ok("POST /v1/redemptions", {
    redeemables: [{ object: "voucher", id: "POINTS", reward: { id: reward.id, points: 30 } }],
    order: { amount: 5_000 },
    customer: { source_id: "anna" },
  });
  await count();
  const metrics = "metrics=points_issued,points_spent";
  const expected = { points_issued: 120, points_spent: 30 };
  for (const whose of ["", `&campaign=${club.id}`]) assert.deepEqual(await totals(`${metrics}${whose}`), expected);
  await ok(`POST /v1/redemptions/${made.redemptions[0].id}/rollbacks`);
  await count();
  assert.deepEqual(await totals(metrics), { ...expected, points_spent: 0 });
});

test("time series: every day has a row, in the zone of the project, with the period before and what is complete", async () => {
  const { ok, project, series, redeem, count } = await openShop("Pacific/Auckland");
  // The clock of the test stands at noon in London: it is the 2nd in Auckland.
  await redeem("anna", "TEN");
  await count();
  const days = await series("metrics=redemptions&from=2025-12-31T11:00:00Z&to=2026-01-03T11:00:00Z");
  const row = (day: string, redemptions: number, complete: boolean) => ({
    at: `2026-01-0${day}T00:00:00+13:00`,
    redemptions,
    complete,
  });
  assert.deepEqual(days, {
    object: "time_series",
    unit: "day",
    timezone: "Pacific/Auckland",
    from: "2026-01-01T00:00:00+13:00",
    to: "2026-01-04T00:00:00+13:00",
    rows: [row("1", 0, true), row("2", 1, false), row("3", 0, false)],
    totals: { redemptions: 1 },
    previous: { from: "2025-12-29T00:00:00+13:00", to: "2026-01-01T00:00:00+13:00", totals: { redemptions: 0 } },
    approximate: null,
  });
  const later = await series("metrics=redemptions&from=2026-01-02T11:00:00Z&to=2026-01-03T11:00:00Z");
  assert.equal(later.previous.totals.redemptions, 1);

  // In another zone it is another day: all is counted again.
  await ok(`PUT /management/v1/projects/${project.id}`, { timezone: "Asia/Kolkata" });
  await count();
  const hours = await series("unit=hour&metrics=redemptions,orders&from=2026-01-01T11:45:00Z&to=2026-01-01T12:45:00Z");
  assert.deepEqual(
    hours.rows.map(({ at, redemptions, orders }: any) => [at, redemptions, orders]),
    [
      ["2026-01-01T17:00:00+05:30", 1, 1],
      ["2026-01-01T18:00:00+05:30", 0, 0],
    ],
  );
  const again = await series(`${DAY}&metrics=redemptions`);
  assert.deepEqual([again.rows[0].at, again.totals], ["2026-01-01T00:00:00+05:30", { redemptions: 1 }]);
});

test("time series: different customers are counted once in a period, and one who is erased no more", async () => {
  const { ok, project, sale, tier, redeem, series, count } = await openShop();
  await redeem("anna", "TEN");
  await redeem("bert", "TEN");
  await ok(`POST /management/v1/projects/${project.id}/test-clock`, { now: "2026-01-02T10:00:00.000Z" });
  await redeem("anna", "TEN");
  await redeem("cleo", tier.id);
  await count();
  const customers = async (more = "") => {
    const { rows, totals } = await series(`from=2026-01-01&to=2026-01-03&metrics=unique_customers${more}`);
    return [...rows.map((row: any) => row.unique_customers), totals.unique_customers];
  };
  assert.deepEqual(await customers(), [2, 2, 3]);
  assert.deepEqual(await customers(`&campaign=${sale.id}`), [2, 1, 2]);
  await ok("DELETE /v1/customers/cleo");
  assert.deepEqual(await customers(), [2, 2, 3]);
  // Before the follower has come to it, and after.
  await redeem("anna", "TEN");
  await ok("POST /v1/customers/anna/permanent-deletion");
  assert.deepEqual(await customers(), [1, 1, 2]);
  await count();
  assert.deepEqual(await customers(), [1, 1, 2]);
  assert.deepEqual(await customers(`&campaign=${sale.id}`), [1, 0, 1]);
  const { totals } = await series("from=2026-01-01&to=2026-01-03&metrics=redemptions");
  assert.equal(totals.redemptions, 5);
});

test("time series: many customers are estimated from a sample, and the answer says so", async () => {
  const { project, series, count } = await openShop();
  await count();
  const people = 10_000;
  await db`
    insert into rollup_customers (project_id, campaign_id, day, customer_id, is_sampled)
    select ${project.id}, '', d::date, 'cust_' || n, get_byte(sha256(convert_to('cust_' || n, 'UTF8')), 0) < 4
    from generate_series(1, ${people}::int) n, generate_series('2025-12-20'::date, '2025-12-21'::date, interval '1 day') d`;
  await db`
    insert into rollup_days (project_id, subject, subject_id, day, redemptions, rollbacks, discount, gift_credits, points_issued,
      points_spent, revenue, orders, refusals, unique_customers)
    select ${project.id}, 'project', '', d::date, 0, 0, 0, 0, 0, 0, 0, 0, 0, 150000
    from generate_series('2025-12-20'::date, '2025-12-21'::date, interval '1 day') d`;
  const few = await series("from=2025-12-21&to=2025-12-22&metrics=unique_customers");
  assert.deepEqual([few.totals.unique_customers, few.approximate], [people, null]);
  const many = await series("from=2025-12-20&to=2025-12-22&metrics=unique_customers");
  assert.deepEqual(many.approximate.metrics, ["unique_customers"]);
  assert.ok(Math.abs(many.totals.unique_customers / people - 1) < 0.25, `${many.totals.unique_customers}`);
});

test("time series: what cannot be asked is refused", async () => {
  const { call, project } = await openShop();
  const refused = async (query: string, details: RegExp) =>
    assertRefused(await call(`GET /v1/time-series?${query}`), "invalid_query_params", details);
  await refused("metrics=visits", /There is no metric visits; there are redemptions, /);
  await refused("from=2026-01-02&to=2026-01-01", /from must be before to/);
  await refused("from=2020-01-02&to=2026-01-01", /at most 732 days/);
  await refused("unit=hour&from=2025-01-02&to=2026-01-01", /at most 744 hours/);
  await refused("from=0001-01-01&to=0001-01-03", /between the years/);
  await refused("campaign=a&channel=b", /Send one of campaign, channel/);
  await refused("code=TEN&unit=hour", /by day/);
  await refused("metrics=unique_customers&unit=hour", /by day/);
  await refused("metrics=unique_customers&channel=API", /not of a channel/);
  for (const query of ["unit=week", "from=yesterday"])
    assert.equal((await call(`GET /v1/time-series?${query}`)).status, 400, query);
  const other = await openShop();
  for (const whose of [
    `campaign=${other.sale.id}`,
    `tier=${other.tier.id}`,
    `segment=${other.segment.id}`,
    "code=NONE",
  ])
    assertRefused(await call(`GET /v1/time-series?${whose}`), "not_found");
  for (const path of ["GET /v1/time-series", "GET /v1/project-summary"]) {
    assertRefused(await call(path, undefined, { "x-app-token": "wrong" }), "unauthorized");
    const authorization = `Bearer ${await tokenOf(call, "vouchers")}`;
    const bare = { "x-app-id": "", "x-app-token": "", authorization };
    assertRefused(await call(path, undefined, bare), "missing_required_permission");
    assertRefused(
      await call(path, undefined, { "x-app-id": project.client.id, "x-app-token": project.client.secret }),
      "unauthorized",
    );
  }
  assertRefused(await call("GET /v1/project-summary?from=2026-01-02&to=2026-01-01"), "invalid_query_params", /before/);
});

test("project summary: totals, the period before, top campaigns and those that end soon", async () => {
  const { ok, sale, promotion, tier, redeem, count } = await openShop();
  await redeem("anna", "TEN", tier.id);
  await redeem("bert", "TEN");
  await count();
  const summary = await ok("GET /v1/project-summary?from=2026-01-01&to=2026-01-02");
  assert.equal(summary.object, "project_summary");
  const { redemptions, discount, unique_customers } = summary.totals;
  assert.deepEqual([redemptions, discount, unique_customers], [3, 2500, 2]);
  assert.equal(summary.previous.totals.redemptions, 0);
  const top = (campaign: any, figures: object) => ({
    id: campaign.id,
    name: campaign.name,
    campaign_type: campaign.campaign_type,
    gift_credits: 0,
    ...figures,
  });
  assert.deepEqual(summary.top_campaigns, [
    top(sale, { redemptions: 2, discount: 2000, revenue: 20_000 }),
    top(promotion, { redemptions: 1, discount: 500, revenue: 10_000 }),
  ]);
  assert.deepEqual(
    summary.ending_campaigns.map(({ id, expiration_date }: any) => [id, expiration_date]),
    [[sale.id, "2026-01-05T00:00:00.000Z"]],
  );
  await ok(`POST /v1/campaigns/${sale.id}/disable`);
  const after = await ok("GET /v1/project-summary?from=2025-12-01&to=2025-12-31");
  assert.deepEqual([after.ending_campaigns, after.top_campaigns], [[], []]);
  assert.equal(after.totals.redemptions, 0);
});

test("campaign summary: what was refused and rolled back comes from the figures", async () => {
  const { ok, call, sale, redeem, count } = await openShop();
  const made = await redeem("anna", "TEN");
  await ok(`POST /v1/redemptions/${made.redemptions[0].id}/rollbacks`);
  await ok("POST /v1/vouchers/TEN/disable");
  const again = await call("POST /v1/redemptions", { redeemables: [{ object: "voucher", id: "TEN" }] });
  assert.equal(again.status, 400);
  await count();
  const read = async (query: string) => {
    const summary = await ok(`GET /v1/campaigns/${sale.id}/summary?${query}`);
    return [summary.redemptions, summary.redemptions_failed, summary.rollbacks, summary.rollbacks_succeeded];
  };
  assert.deepEqual(await read(""), [1, 1, 1, 1]);
  assert.deepEqual(await read("start_date=2026-01-02&end_date=2026-01-03"), [0, 0, 0, 0]);
});

test("a year is read in one statement, by its key, whatever else there is", async () => {
  const seen: string[] = [];
  const { call, project, sale, count } = await openShop("UTC", (text) => void seen.push(text));
  await count();
  await db`
    insert into rollup_days (project_id, subject, subject_id, day, redemptions, rollbacks, discount, gift_credits, points_issued,
      points_spent, revenue, orders, refusals, unique_customers)
    select ${project.id}, 'campaign', 'camp_' || n, '2025-01-01'::date + d, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0
    from generate_series(1, 50) n, generate_series(0, 364) d`;
  await db`analyze rollup_days`;
  seen.length = 0;
  const reply = await call(`GET /v1/time-series?campaign=${sale.id}&from=2025-01-01&to=2026-01-01`);
  assert.deepEqual([reply.status, reply.body.rows.length], [200, 365]);
  const reading = seen.filter((text) => /rollup_/.test(text));
  assert.equal(reading.length, 2, "the figures, and how far they are counted");
  const plan = await db`
    explain select day, redemptions from rollup_days
    where project_id = ${project.id} and subject = 'campaign' and subject_id = 'camp_7' and day >= '2025-01-01' and day < '2026-01-01'
    order by day`;
  assert.match(JSON.stringify([...plan]), /rollup_days_pkey/);
});

test("rows from before the follower began are counted once, also by two at a time, and a wipe takes everything", async () => {
  const { project, redeem, totals, count } = await openShop();
  for (let n = 0; n < 5; n += 1) await redeem(`c-${n}`, "TEN");
  await Promise.all([follow(db), follow(open({ max: 2 })), redeem("c-9", "TEN")]);
  await count();
  assert.deepEqual(await totals("metrics=redemptions,unique_customers"), { redemptions: 6, unique_customers: 6 });
  // A restored database has no position: it is counted again.
  await db`update rollup_positions set transaction_id = null where project_id = ${project.id}`;
  await count();
  assert.deepEqual(await totals("metrics=redemptions,unique_customers"), { redemptions: 6, unique_customers: 6 });
  await wipeProject(db, project.id);
  for (const table of ["rollup_days", "rollup_hours", "rollup_customers", "rollup_positions"]) {
    const [left] = await db`select count(*) from ${db(table)} where project_id = ${project.id}`;
    assert.equal(left!.count, 0, table);
  }
  await count();
  assert.deepEqual(await totals("metrics=redemptions"), { redemptions: 0 });
});

test("audience: different customers of a campaign, who came back, and the segments that they are in", async () => {
  const { ok, sale, segment, redeem, count } = await openShop();
  await count();
  await redeem("anna", "TEN");
  await redeem("anna", "TEN");
  await redeem("bert", "TEN");
  await count();
  const { id } = await ok("GET /v1/customers/anna");
  const { id: bert } = await ok("GET /v1/customers/bert");
  // Nobody can wait a day for a customer to come back.
  await db`
    insert into rollup_customers
    select project_id, campaign_id, day - 1, customer_id, is_sampled from rollup_customers
    where campaign_id = ${sale.id} and customer_id = ${id}`;
  const read = (query: string) => ok(`GET /v1/campaigns/${sale.id}/audience?${query}`);
  const audience = await read("from=2025-12-31&to=2026-01-02");
  assert.deepEqual(
    { ...audience, top_customers: audience.top_customers.map((who: any) => [who.id, who.days, who.last_day]) },
    {
      ...{ object: "campaign_audience", campaign_id: sale.id, timezone: "UTC", customers: 2, returning: 1 },
      ...{ from: "2025-12-31T00:00:00+00:00", to: "2026-01-02T00:00:00+00:00", approximate: null },
      top_customers: [
        [id, 2, "2026-01-01"],
        [bert, 1, "2026-01-01"],
      ],
      segments: [{ id: segment.id, name: "Anna", customers: 1 }],
    },
  );
  assert.equal((await read("from=2026-01-01&to=2026-01-02")).returning, 0);
  assert.equal((await read("from=2025-11-01&to=2025-11-02")).customers, 0);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { EntryKind } from "../../src/core/ledger/account.ts";
import type { EntryRow } from "../../src/core/rows/ledger.ts";
import type { OutcomeRow, TransactionRow } from "../../src/core/rows/loyalty.ts";
import { insertOutcomes } from "../../src/resources/ledger/earnings/store.ts";
import { insertPoints } from "../../src/resources/ledger/ledger/store.ts";
import { insertTransactions } from "../../src/resources/loyalty-v2/transactions/store.ts";
import { NOW, newId, type Reply, testDatabase } from "../support/engine.ts";
import { assertErrorBody } from "../support/http.ts";
import { loyaltyProject } from "../support/loyalty-rules.ts";
import { okOf, testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const V2 = "/v2/loyalties";
const refused = (reply: Reply, code: number, key: string, details?: RegExp) => {
  assertErrorBody(reply);
  assert.deepEqual([reply.status, reply.body.key], [code, key], reply.text);
  if (details) assert.match(reply.body.details, details);
};

/** A program with a member, and ways to write its history. The project is in New York, five hours behind in winter. */
async function club() {
  const it = await loyaltyProject(db, { timezone: "America/New_York" });
  const wallet = await it.wallet();
  const rule = await it.rule({
    name: "Order",
    status: "ACTIVE",
    trigger: { event: "customer.order.paid" },
    earnings: [{ effects: [{ points: { value: 10, card_definition_id: wallet.id } }] }],
  });
  const program = await it.program(wallet.id, [rule.id]);
  const ok = okOf(it.call);
  const ann = await ok("POST /v1/customers", { source_id: "ann" });
  const member = await ok(`POST ${V2}/programs/${program.id}/members`, { customer_id: ann.id });
  const card = member.cards[0].card;
  const own = { program_id: program.id, member_id: member.id };
  const entry = (kind: EntryKind, amount: number, created_at: string, details: object = {}): EntryRow => ({
    ...{ id: newId("lctx"), account_id: card.id, pot: "available", kind, amount, balance: 0, total: 0, lots: [] },
    ...{ campaign_id: null, redemption_id: null, rollback_id: null, order_id: null, source_id: null, source: null },
    ...{ reason: null, details: { ...details }, created_at },
  });
  const transaction = (given: Partial<TransactionRow>): TransactionRow => ({
    ...{ project_id: it.project.id, id: newId("lrtx"), kind: "reward", ...own, card_id: card.id },
    ...{ card_definition_id: wallet.id, type: "PURCHASE", subject_id: "x", status: "APPROVED", details: {} },
    ...{ created_at: NOW, updated_at: null },
    ...given,
  });
  const outcome = (given: Partial<OutcomeRow>): OutcomeRow => ({
    ...{ id: newId("leout"), ...own, earning_rule_id: rule.id, earning_item_id: rule.earnings[0].id },
    ...{ card_definition_id: wallet.id, outcome: "success", points: 0, pending_points: 0 },
    ...{ local_date: "2026-01-01", cause: newId("ev"), created_at: NOW },
    ...given,
  });
  const write = ({
    entries = [],
    transactions = [],
    outcomes = [],
  }: {
    entries?: EntryRow[];
    transactions?: TransactionRow[];
    outcomes?: OutcomeRow[];
  }) =>
    db.begin(async (tx) => {
      await insertPoints(tx, it.project.id, entries);
      await insertTransactions(tx, transactions);
      await insertOutcomes(tx, it.project.id, outcomes);
    });
  const path = `${V2}/programs/${program.id}`;
  const data = async (report: string, query = "") => {
    const body = await ok(`GET ${path}/${report}${query && `?${query}`}`);
    assert.equal(body.object, "report");
    return body.data;
  };
  return { ...it, ok, wallet, rule, program, member, card, entry, transaction, outcome, write, path, data };
}
const range = (start_date: string, end_date: string, resolution = "day") =>
  `start_date=${start_date}&end_date=${end_date}&resolution=${resolution}`;

const NOTHING = {
  ...{ points_total: 0, points_earned: 0, points_added: 0, points_purchased: 0, points_purchased_reversed: 0 },
  ...{ points_subtracted: 0, points_expired: 0, points_spent: 0, points_refunded: 0, points_returned: 0 },
  ...{ points_locked: 0, points_unlocked: 0 },
  ...{ pending_points_total: 0, pending_points_activated: 0, pending_points_canceled: 0 },
  object: "card_daily_report",
};

test("a card's report has a row for each day, with what each movement counts", async () => {
  const { entry, write, data, member, card } = await club();
  const rejection = { reason: "PAYMENT_EXCEEDS_ORDER_TOTAL_AMOUNT", details: null };
  await write({
    entries: [
      // The evening of the first in New York.
      entry("accrual", 40, "2026-01-02T04:59:59.999Z"),
      entry("addition", 700, "2026-01-02T05:00:00.000Z"),
      entry("purchase", 5, "2026-01-02T06:00:00.000Z"),
      entry("purchase_reversal", -2, "2026-01-02T06:00:00.000Z"),
      entry("removal", -30, "2026-01-02T06:00:00.000Z"),
      entry("expiration", -200, "2026-01-02T06:00:00.000Z"),
      entry("manual_expiration", -100, "2026-01-02T06:00:00.000Z"),
      entry("reward_spend", -150, "2026-01-02T06:00:00.000Z", { points: { total: 150 } }),
      entry("order_spend", -100, "2026-01-02T06:00:00.000Z", { points: { total: 100 } }),
      entry("order_spend", 0, "2026-01-02T06:00:00.000Z", { points: { total: 9 }, rejection }),
      entry("accrual", 0, "2026-01-02T06:00:00.000Z", { points: { total: 77 }, rejection }),
      entry("revocation", -3, "2026-01-02T06:00:00.000Z"),
      entry("return", 4, "2026-01-02T06:00:00.000Z"),
      entry("pending_addition", 60, "2026-01-02T06:00:00.000Z"),
      entry("activation_out", -50, "2026-01-03T06:00:00.000Z"),
      entry("activation_in", 50, "2026-01-03T06:00:00.000Z"),
      entry("cancellation", -10, "2026-01-03T06:00:00.000Z"),
      // Before and after the report.
      entry("accrual", 1000, "2026-01-01T04:59:59.999Z"),
      entry("accrual", 1000, "2026-01-05T05:00:00.000Z"),
    ],
  });
  const report = `members/${member.id}/cards/${card.id}/reports/daily`;
  assert.deepEqual(await data(report, range("2026-01-01", "2026-01-04")), [
    { date: "2026-01-01", ...NOTHING, points_total: 40, points_earned: 40 },
    {
      date: "2026-01-02",
      ...NOTHING,
      points_total: 705,
      points_added: 700,
      points_purchased: 5,
      points_purchased_reversed: 2,
      points_subtracted: 30,
      points_expired: 300,
      points_spent: 250,
      points_refunded: 3,
      points_returned: 4,
      points_locked: 259,
      points_unlocked: 259,
      pending_points_total: 60,
    },
    {
      date: "2026-01-03",
      ...NOTHING,
      points_total: 50,
      points_earned: 50,
      pending_points_activated: 50,
      pending_points_canceled: 10,
    },
    { date: "2026-01-04", ...NOTHING },
  ]);
});

test("weeks begin on Monday, also before the report does, and hold only what lies within it", async () => {
  const { entry, write, data, member, card } = await club();
  const noon = (day: string, points: number) => entry("accrual", points, `${day}T17:00:00.000Z`);
  await write({
    entries: [
      ...[noon("2026-01-01", 1), noon("2026-01-02", 2), noon("2026-01-04", 4), noon("2026-01-05", 8)],
      ...[noon("2026-01-31", 16), noon("2026-02-01", 32), noon("2026-03-31", 64), noon("2026-04-01", 128)],
    ],
  });
  const report = `members/${member.id}/cards/${card.id}/reports/daily`;
  const earned = async (...asked: Parameters<typeof range>) =>
    (await data(report, range(...asked))).map((row: { date: string; points_earned: number }) => [
      row.date,
      row.points_earned,
    ]);
  assert.deepEqual(await earned("2026-01-02", "2026-01-05", "week"), [
    ["2025-12-29", 6],
    ["2026-01-05", 8],
  ]);
  assert.deepEqual(await earned("2026-01-02", "2026-03-01", "month"), [
    ["2026-01-01", 30],
    ["2026-02-01", 32],
    ["2026-03-01", 0],
  ]);
  assert.deepEqual(await earned("2026-01-05", "2026-04-01", "quarter"), [
    ["2026-01-01", 120],
    ["2026-04-01", 128],
  ]);
});

test("a report is of at most 90 days, 12 weeks, 12 months or 4 quarters, and of more than one day", async () => {
  const { call, path, member, card } = await club();
  const report = `GET ${path}/members/${member.id}/cards/${card.id}/reports/daily`;
  // The vectors rep-01, 03, 04, 06 and 07, and what stands between them.
  for (const [start, end, resolution, status] of [
    ["2026-01-01", "2026-04-01", "day", 200],
    ["2026-01-01", "2026-04-02", "day", 400],
    ["2026-01-05", "2026-03-30", "week", 200],
    ["2026-01-05", "2026-03-31", "week", 400],
    ["2026-01-01", "2027-01-01", "month", 200],
    ["2026-01-01", "2027-01-02", "month", 400],
    ["2026-01-01", "2027-01-01", "quarter", 200],
    ["2026-01-01", "2027-01-02", "quarter", 400],
    ["2026-01-02", "2026-01-01", "day", 400],
    ["2026-01-01", "2026-01-01", "day", 400],
    ["9998-12-30", "9998-12-31", "week", 200],
    ["1969-12-31", "1970-01-01", "day", 400],
    ["9999-12-30", "9999-12-31", "day", 400],
  ] as const) {
    const reply = await call(`${report}?${range(start, end, resolution)}`);
    assert.equal(reply.status, status, `${start} ${end} ${resolution} ${reply.text}`);
    if (status === 400) refused(reply, 400, "invalid_query_params", /_date/);
  }
  for (const query of [
    "",
    "start_date=2026-01-01&end_date=2026-01-02",
    "start_date=2026-01-01&resolution=day",
    range("2026-01-01", "2026-02-30"),
    range("2026-01-01T00:00:00Z", "2026-01-02"),
    range("yesterday", "2026-01-02"),
    range("2026-01-01", "2026-01-02", "year"),
    `${range("2026-01-01", "2026-01-02")}&colour=red`,
  ])
    refused(await call(`${report}?${query}`), 400, "invalid_query_params");
});

test("a member's report of a rule counts each event once, and days without any", async () => {
  const { outcome, write, data, member, rule } = await club();
  const twice = newId("ev");
  await write({
    outcomes: [
      outcome({ cause: twice, points: 10 }),
      outcome({ cause: twice, card_definition_id: "lcdef_other" }),
      outcome({ local_date: "2026-01-01" }),
      outcome({ outcome: "cooldown", card_definition_id: null }),
      outcome({ member_id: "lmbr_other" }),
      outcome({ earning_rule_id: "lern_other" }),
      outcome({ local_date: "2026-01-03" }),
      outcome({ local_date: "2026-01-04" }),
    ],
  });
  const report = `members/${member.id}/earning-rules/${rule.id}/reports/daily`;
  const object = "earning_rule_daily_report";
  assert.deepEqual(await data(report, range("2026-01-01", "2026-01-03")), [
    { date: "2026-01-01", count: 2, object },
    { date: "2026-01-02", count: 0, object },
    { date: "2026-01-03", count: 1, object },
  ]);
  assert.deepEqual(
    await data("reports/earning-rules/summary", "filters[earning_rule_id][conditions][$is]=lern_none"),
    [],
  );
});

test("spending is reported by wallet: rewards bought and orders paid, also those given back later", async () => {
  const { transaction, write, data, wallet } = await club();
  const reward = (total: number, given: Partial<TransactionRow> = {}) =>
    transaction({ details: { points: { total } }, ...given });
  const order = (amount: number, points_spent: number, given: Partial<TransactionRow> = {}) =>
    transaction({ kind: "order", type: "PAY_WITH_POINTS", details: { payment: { amount, points_spent } }, ...given });
  await write({
    transactions: [
      reward(100),
      reward(50, { status: "REFUNDED", updated_at: "2026-01-09T12:00:00.000Z" }),
      reward(999, { status: "REJECTED" }),
      reward(999, { type: "REFUND" }),
      reward(999, { program_id: "lprg_other" }),
      order(2000, 25),
      order(9999, 999, { status: "REJECTED" }),
      order(300, 3, { created_at: "2026-01-02T12:00:00.000Z" }),
      reward(7, { card_definition_id: "lcdef_ff", created_at: "2026-01-02T12:00:00.000Z" }),
      transaction({ kind: "tier", type: "JOINED", details: { tier_structure_id: "lts_1", tier_to: "lt_1" } }),
    ],
  });
  const first = {
    ...{ success: 3, success_on_reward: 2, success_on_order: 1 },
    ...{ points: 175, points_on_rewards: 150, points_on_order: 25, amount_on_order: 2000 },
  };
  const paid = {
    ...{ success: 1, success_on_reward: 0, success_on_order: 1 },
    ...{ points: 3, points_on_rewards: 0, points_on_order: 3, amount_on_order: 300 },
  };
  const bought = {
    ...{ success: 1, success_on_reward: 1, success_on_order: 0 },
    ...{ points: 7, points_on_rewards: 7, points_on_order: 0, amount_on_order: 0 },
  };
  const daily = { object: "spending_daily_report" };
  const byWallet = (rows: { card_definition_id: string }[]) =>
    rows.toSorted((a, b) => (a.card_definition_id < b.card_definition_id ? -1 : 1));
  const own = { card_definition_id: wallet.id };
  const other = { card_definition_id: "lcdef_ff" };
  assert.deepEqual(await data("reports/spending/daily", range("2026-01-01", "2026-01-31")), [
    { date: "2026-01-01", ...own, ...first, ...daily },
    ...byWallet([
      { date: "2026-01-02", ...own, ...paid, ...daily } as never,
      { date: "2026-01-02", ...other, ...bought, ...daily } as never,
    ]),
  ]);
  const all = {
    ...{ success: 4, success_on_reward: 2, success_on_order: 2 },
    ...{ points: 178, points_on_rewards: 150, points_on_order: 28, amount_on_order: 2300 },
  };
  const summary = { object: "spending_summary_report" };
  assert.deepEqual(
    await data("reports/spending/summary"),
    byWallet([
      { id: wallet.id, ...own, ...all, ...summary } as never,
      { id: "lcdef_ff", ...other, ...bought, ...summary } as never,
    ]),
  );
  const filter = "filters[card_definition_id][conditions][$is_not]";
  assert.equal((await data("reports/spending/summary", `${filter}=${wallet.id}`))[0].id, "lcdef_ff");
  assert.equal(
    (await data("reports/spending/daily", `${range("2026-01-01", "2026-01-31", "month")}&${filter}=x`)).length,
    2,
  );
});

test("moves between tiers are reported on the day on which they came into force", async () => {
  const { transaction, write, data } = await club();
  const move = (type: string, tier_from: string | null, tier_to: string | null, given: Partial<TransactionRow> = {}) =>
    transaction({
      ...{ kind: "tier", type, subject_id: tier_to },
      details: { tier_structure_id: "lts_1", tier_from, tier_to },
      ...given,
    });
  await write({
    transactions: [
      move("JOINED", null, "lt_1"),
      move("UPGRADED", "lt_1", "lt_2"),
      move("PROLONGED", null, "lt_2"),
      move("DOWNGRADED", "lt_2", "lt_1"),
      move("LEFT", "lt_1", null),
      move("UPGRADED", "lt_1", "lt_2", { updated_at: "2026-01-03T12:00:00.000Z" }),
      move("UPGRADED", "lt_1", "lt_2", { status: "PENDING" }),
      move("UPGRADED", "lt_1", "lt_2", { status: "REJECTED", updated_at: "2026-01-03T12:00:00.000Z" }),
      move("UPGRADED", "lt_1", "lt_2", { program_id: "lprg_other" }),
    ],
  });
  const none = { joins: 0, upgrades: 0, downgrades: 0, lefts: 0, prolongs: 0 };
  const of = (tier_id: string) => ({ tier_structure_id: "lts_1", tier_id });
  const object = "program_tiers_daily_report";
  assert.deepEqual(await data("reports/tiers/daily", range("2026-01-01", "2026-01-31")), [
    { date: "2026-01-01", ...of("lt_1"), ...none, joins: 1, downgrades: 1, lefts: 1, object },
    { date: "2026-01-01", ...of("lt_2"), ...none, upgrades: 1, prolongs: 1, object },
    { date: "2026-01-03", ...of("lt_2"), ...none, upgrades: 1, object },
  ]);
  const [second, first] = [
    { id: "lt_2", ...of("lt_2"), ...none, upgrades: 2, prolongs: 1, object: "program_tiers_summary_report" },
    { id: "lt_1", ...of("lt_1"), ...none, joins: 1, downgrades: 1, lefts: 1, object: "program_tiers_summary_report" },
  ];
  assert.deepEqual(await data("reports/tiers/summary"), [second, first]);
  assert.deepEqual(await data("reports/tiers/summary", "order=id"), [first, second]);
  assert.deepEqual(await data("reports/tiers/summary", "order[]=-id&limit=1"), [second]);
  assert.deepEqual(await data("reports/tiers/summary", "filters[tier_id][conditions][$in][]=lt_1"), [first]);
  assert.deepEqual(await data("reports/tiers/summary", "filters[tier_structure_id][conditions][$is]=lts_2"), []);
  const either =
    "filters[junction]=OR&filters[tier_structure_id][conditions][$is]=lts_2&filters[tier_id][conditions][$is]=lt_2";
  assert.deepEqual(await data("reports/tiers/summary", either), [second]);
});

test("a tiers summary takes a limit of 1 to 100 and one order", async () => {
  const { call, path } = await club();
  for (const query of ["limit=0", "limit=101", "limit=x", "order=name", "order[]=id&order[]=-id", "cursor=x"])
    refused(await call(`GET ${path}/reports/tiers/summary?${query}`), 400, "invalid_query_params");
});

test("points earned are reported by rule, item and wallet", async () => {
  const { outcome, write, data, rule, wallet } = await club();
  const item = rule.earnings[0].id;
  await write({
    outcomes: [
      outcome({ points: 10 }),
      outcome({ points: 5, pending_points: 20 }),
      outcome({ points: 7, local_date: "2026-02-01" }),
      outcome({ points: 1, card_definition_id: "lcdef_" }),
      outcome({ card_definition_id: null }),
      outcome({ outcome: "frequency", card_definition_id: null, earning_item_id: null }),
      outcome({ points: 999, program_id: "lprg_other" }),
    ],
  });
  const own = { earning_rule_id: rule.id, earning_item_id: item, card_definition_id: wallet.id };
  const other = { ...own, card_definition_id: "lcdef_" };
  const object = "program_points_earnings_daily_report";
  assert.deepEqual(await data("reports/points-earnings/daily", range("2026-01-01", "2026-03-01", "month")), [
    { date: "2026-01-01", ...other, success_count: 1, points: 1, pending_points: 0, object },
    { date: "2026-01-01", ...own, success_count: 2, points: 15, pending_points: 20, object },
    { date: "2026-02-01", ...own, success_count: 1, points: 7, pending_points: 0, object },
  ]);
  const filter = `filters[card_definition_id][conditions][$is]=${wallet.id}&filters[earning_rule_id][conditions][$in]=${rule.id}`;
  assert.deepEqual(await data("reports/points-earnings/summary", filter), [
    {
      id: `${rule.id}:${item}:${wallet.id}`,
      ...own,
      ...{ success_count: 3, points: 22, pending_points: 20 },
      object: "program_points_earnings_summary_report",
    },
  ]);
  assert.equal((await data("reports/points-earnings/summary")).length, 2);
});

test("what rules came to is reported, once for each member and event, with the reasons of failures", async () => {
  const { outcome, write, data, rule } = await club();
  const cause = newId("ev");
  const failed = (reason: OutcomeRow["outcome"], given: Partial<OutcomeRow> = {}) =>
    outcome({ outcome: reason, earning_item_id: null, card_definition_id: null, ...given });
  await write({
    outcomes: [
      outcome({ cause }),
      outcome({ cause, card_definition_id: "lcdef_other" }),
      outcome({ cause, member_id: "lmbr_other" }),
      failed("cooldown"),
      failed("cooldown", { local_date: "2026-01-02" }),
      failed("frequency"),
      failed("no_matching_earning"),
    ],
  });
  const object = "program_earning_rules_daily_report";
  const of = { earning_rule_id: rule.id };
  assert.deepEqual(await data("reports/earning-rules/daily", range("2026-01-01", "2026-01-05")), [
    {
      date: "2026-01-01",
      ...of,
      ...{ success_count: 2, failures_count: 3 },
      failures_breakdown: { cooldown: 1, frequency: 1, no_matching_earning: 1 },
      object,
    },
    {
      date: "2026-01-02",
      ...of,
      ...{ success_count: 0, failures_count: 1 },
      failures_breakdown: { cooldown: 1, frequency: 0 },
      object,
    },
  ]);
  assert.deepEqual(await data("reports/earning-rules/summary"), [
    {
      id: rule.id,
      ...of,
      ...{ success_count: 2, failures_count: 4 },
      failures_breakdown: { cooldown: 2, frequency: 1, no_matching_earning: 1 },
      object: "program_earning_rules_summary_report",
    },
  ]);
});

test("what operations do is in the reports: points earned, given by hand and spent", async () => {
  const it = await club();
  const { ok, path, member, card, data, wallet, rule } = it;
  const shoe = await it.product("Shoe");
  const reward = await it.reward({
    ...{ name: "Shoe", type: "MATERIAL", status: "ACTIVE", material: { product: { id: shoe.id } } },
    costs: [{ spending: [{ points: 30, card_definition_id: wallet.id }] }],
  });
  const stock = { type: "UNLIMITED" };
  await ok(`POST ${path}/rewards/batch`, { assign: [{ id: reward.id, stock }] });
  const customer = { id: member.customer_id };
  for (const amount of [100, 200]) await ok("POST /v1/orders", { customer, status: "PAID", amount });
  await ok(`POST ${path}/members/${member.id}/cards/${card.id}/points`, { points: 50 });
  const bought = await it.call(`POST ${path}/members/${member.id}/rewards/purchases`, { reward_id: reward.id });
  assert.equal(bought.status, 202, bought.text);
  const asked = range("2026-01-01", "2026-01-02");
  const [first] = await data(`members/${member.id}/cards/${card.id}/reports/daily`, asked);
  const moved = { points_total: 70, points_earned: 20, points_added: 50 };
  const spent = { points_spent: 30, points_locked: 30, points_unlocked: 30 };
  assert.deepEqual(first, { date: "2026-01-01", ...NOTHING, ...moved, ...spent });
  const [counted] = await data(`members/${member.id}/earning-rules/${rule.id}/reports/daily`, asked);
  assert.equal(counted.count, 2);
  const [earned] = await data("reports/points-earnings/summary");
  assert.deepEqual([earned.card_definition_id, earned.success_count, earned.points], [wallet.id, 2, 20]);
  const [spending] = await data("reports/spending/summary");
  assert.deepEqual([spending.card_definition_id, spending.success_on_reward, spending.points], [wallet.id, 1, 30]);
  const [came] = await data("reports/earning-rules/summary");
  assert.deepEqual([came.success_count, came.failures_count], [2, 0]);
});

const REPORTS = ["spending", "tiers", "points-earnings", "earning-rules"];
const ALL = REPORTS.flatMap((name) => [
  `reports/${name}/daily?${range("2026-01-01", "2026-01-02")}`,
  `reports/${name}/summary`,
]);

test("of a program in which nothing happened there is nothing to report", async () => {
  const { ok, path } = await club();
  for (const report of ALL) {
    const { data } = await ok(`GET ${path}/${report}`);
    assert.deepEqual(data, [], report);
  }
});

test("what a report is of has to be there, and to be of the same project and program", async () => {
  const { call, path, member, card, rule } = await club();
  const asked = range("2026-01-01", "2026-01-02");
  const reports = [
    `members/${member.id}/cards/${card.id}/reports/daily?${asked}`,
    `members/${member.id}/earning-rules/${rule.id}/reports/daily?${asked}`,
  ];
  const stranger = await testShop(db);
  for (const report of [...reports, ...ALL]) {
    assert.equal((await call(`GET ${path}/${report}`)).status, 200, report);
    refused(await stranger.call(`GET ${path}/${report}`), 404, "not_found", /program/);
    refused(await call(`GET ${V2}/programs/lprg_1/${report}`), 404, "not_found", /program/);
  }
  const missing = (report: string, of: RegExp) =>
    call(`GET ${path}/${report}?${asked}`).then((reply) => refused(reply, 404, "not_found", of));
  await missing(`members/lmbr_1/cards/${card.id}/reports/daily`, /member/);
  await missing(`members/${member.id}/cards/lcrd_1/reports/daily`, /card/);
  await missing(`members/lmbr_1/earning-rules/${rule.id}/reports/daily`, /member/);
  await missing(`members/${member.id}/earning-rules/lern_1/reports/daily`, /earning_rule/);
});

test("filters name what the report has, and take the operators of ids", async () => {
  const { call, path } = await club();
  for (const [name, query] of [
    ["spending", "filters[earning_rule_id][conditions][$is]=x"],
    ["spending", "filters[card_definition_id][conditions][$contains]=x"],
    ["spending", "filters[card_definition_id]=x"],
    ["points-earnings", "filters[tier_id][conditions][$is]=x"],
    ["earning-rules", "filters[card_definition_id][conditions][$is]=x"],
    ["tiers", "filters[tier_id][conditions][$is][]=x&filters[tier_id][conditions][$is][]=y"],
  ] as const)
    refused(await call(`GET ${path}/reports/${name}/summary?${query}`), 400, "invalid_query_params", /filters/);
});

test("a report of a program reads its own rows by an index", async () => {
  const { project, program } = await club();
  const planOf = async (text: string) => {
    const rows = await db.begin(async (tx) => {
      await tx`set local enable_seqscan = off`;
      return tx.unsafe<{ "QUERY PLAN": string }[]>(`explain ${text}`);
    });
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  };
  const own = `project_id = '${project.id}' and program_id = '${program.id}'`;
  const tiers = await planOf(`select from loyalty_transactions where ${own} and kind = 'tier' and status = 'APPROVED'
    and coalesce(updated_at, created_at) >= '2026-01-01' and coalesce(updated_at, created_at) < '2026-01-02'`);
  assert.match(tiers, /loyalty_tier_moves_by_day/);
  assert.match(tiers, /Index Cond: .*COALESCE/);
});

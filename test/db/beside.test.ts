import assert from "node:assert/strict";
import { test } from "node:test";
import type { Catalog } from "../../src/catalog/catalog.ts";
import { newSteps, STEPS_MAX } from "../../src/core/steps.ts";
import { type ReadAhead, readAhead } from "../../src/flows/qualify/ahead.ts";
import { answerInRounds } from "../../src/flows/qualify/rounds.ts";
import type { QualifyCommand } from "../../src/flows/qualify/state.ts";
import type { Project } from "../../src/request.ts";
import { loadCounters } from "../../src/resources/checkout/counters/store.ts";
import { loadHeldBySessions, locksOf } from "../../src/resources/checkout/sessions/store.ts";
import { loadLots } from "../../src/resources/ledger/ledger/store.ts";
import { loadHolders } from "../../src/resources/promotions/redeemable-holders/store.ts";
import { loadVoucherAssignments } from "../../src/resources/promotions/validation-rule-assignments/store.ts";
import type { BesideAsked } from "../../src/resources/promotions/vouchers/beside-store.ts";
import { findVouchers, findWithBeside } from "../../src/resources/promotions/vouchers/store.ts";
import { type Cart, cartsFrom } from "../../src/steps/checkout/carts.ts";
import { testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const discount = { type: "PERCENT", percent_off: 10 };
const DAYS = ["1970-01-01"];

/** Codes that have something of every kind beside them, and one that has nothing. */
async function world() {
  const { ok, project: made } = await testShop(db);
  const project = { id: made.id, case_sensitive_codes: false };
  const condition = { name: "campaign.redemptions.count", conditions: { $less_than: [50] } };
  const rules: string[] = [];
  for (const name of ["a", "b"])
    rules.push((await ok("POST /v1/validation-rules", { name, rules: { 1: condition, logic: "1" } })).id);
  const campaignOf = async (code: string, campaign_type: string, voucher: object) => {
    const made = await ok("POST /v1/campaigns", { name: code, campaign_type, voucher });
    await ok(`POST /v1/campaigns/${made.id}/vouchers/${code}`, {});
    return made.id as string;
  };
  const limited = await campaignOf("LIMITED", "DISCOUNT_COUPONS", {
    ...{ type: "DISCOUNT_VOUCHER", discount, redemption: { quantity: 9 } },
  });
  const free = await campaignOf("FREE", "DISCOUNT_COUPONS", { type: "DISCOUNT_VOUCHER", discount });
  await campaignOf("SHARED", "REFERRAL_PROGRAM", { type: "DISCOUNT_VOUCHER", discount, is_referral_code: true });
  await ok("POST /v1/vouchers/PLAIN", { type: "DISCOUNT_VOUCHER", discount });
  await ok("POST /v1/vouchers/RULED", { type: "DISCOUNT_VOUCHER", discount });
  // Assigned in another order than they were made in.
  for (const rule of rules.toReversed())
    await ok(`POST /v1/validation-rules/${rule}/assignments`, { voucher: "RULED" });
  await ok("POST /v1/vouchers/OWN", { type: "DISCOUNT_VOUCHER", discount, redemption: { quantity: 9 } });
  await ok("POST /v1/vouchers/GIFT", { type: "GIFT_VOUCHER", gift: { amount: 500 } });
  const club = await ok("POST /v1/loyalties", {
    name: "Club",
    voucher: {
      type: "LOYALTY_CARD",
      loyalty_card: { points: 70, expiration_rules: { period_type: "MONTH", period_value: 1 } },
    },
  });
  const { code: card } = await ok(`POST /v1/loyalties/${club.id}/members`, { customer: { source_id: "anna" } });
  for (const points of [7, 8]) await ok(`POST /v1/loyalties/${club.id}/members/${card}/balance`, { points });
  // One of its lots is spent.
  await db`update ledger_lots set remaining = 0 where project_id = ${project.id} and amount = 8`;
  for (const [code, who] of [
    ...["ann@x.io", "bob@x.io"].map((email) => ["PLAIN", email] as const),
    ["SHARED", "ann@x.io"] as const,
  ])
    await ok("POST /v1/publications", { voucher: code, customer: { source_id: who, email: who } });
  for (const key of ["over", "live"])
    await ok("POST /v1/validations", {
      redeemables: ["LIMITED", "FREE", "OWN", "GIFT"].map((id) => ({
        ...{ object: "voucher", id, ...(id === "GIFT" && { gift: { credits: 20 } }) },
      })),
      order: { amount: 10_000 },
      session: { type: "LOCK", key },
    });
  await db`
    update session_locks set expires_at = '2020-01-01T00:00:00.000001Z'
    where project_id = ${project.id} and session_key = 'over'`;
  await ok("POST /v1/redemptions", { redeemables: [{ object: "voucher", id: "FREE" }], order: { amount: 500 } });
  const codes = ["PLAIN", "RULED", "OWN", "GIFT", "LIMITED", "FREE", "SHARED", card];
  const asked: BesideAsked = {
    overBy: "2026-01-01T00:00:00.000Z",
    ...{ limited: [limited], lots: true, referrers: true, days: DAYS },
  };
  const find = async (more: Partial<BesideAsked> = {}) => {
    const found = await findWithBeside(db, project, codes, { ...asked, ...more });
    return { found, of: (code: string) => found.find(({ row }) => row.code === code)!.beside };
  };
  return { project, codes, card, free, asked, find };
}
const made = await world();

test("what is read beside codes is what the statements of its own read", async () => {
  const { project, codes, asked, free } = made;
  const { found } = await made.find();
  const rows = await findVouchers(db, project, codes);
  assert.equal(rows.length, codes.length);
  assert.deepEqual(
    found.map(({ row }) => row),
    [...rows],
  );
  const ids = rows.map(({ id }) => id);
  const assignments = await loadVoucherAssignments(db, project.id, ids);
  assert.equal(assignments.length, 2);
  const holders = await loadHolders(db, project.id, ids);
  assert.equal(holders.length, 4);
  const lots = await loadLots(db, project.id, ids);
  assert.ok(lots.length > 1 && lots.some(({ expires_at }) => expires_at !== null));
  const { held } = locksOf(await loadHeldBySessions(db, project.id, { codes: ids, sessions: [], now: asked.overBy! }), {
    ...{ codes: ids, sessions: [] },
  });
  const counters = await loadCounters(db, project.id, { subjectIds: [free], starts: DAYS });
  assert.equal(counters.length, 1);
  for (const { row, beside } of found) {
    const { id } = row;
    const own = assignments.filter(({ related_object_id }) => related_object_id === id);
    assert.deepEqual(
      beside.assigned,
      own.map((one) => ({ id: one.id, rule_id: one.rule_id, created_at: one.created_at })),
    );
    const of = holders.filter(({ voucher_id }) => voucher_id === id);
    assert.deepEqual(beside.holders.toSorted(), of.map(({ customer_id }) => customer_id).sort());
    const ofCard = lots.filter(({ account_id }) => account_id === id);
    assert.deepEqual(beside.lots, row.type === "LOYALTY_CARD" ? ofCard.map((lot) => ({ ...lot })) : []);
    const counted = counters.filter(({ subject_id }) => subject_id === row.campaign_id);
    assert.deepEqual(
      beside.counted,
      counted.map((one) => ({ ...one })),
    );
    const isLimited = row.type !== "DISCOUNT_VOUCHER" || ["OWN", "LIMITED"].includes(row.code);
    assert.deepEqual(beside.held, isLimited ? held.get(id) : null, row.code);
  }
});

test("of what sessions hold the sum is read, and the locks that are over", async () => {
  const { of } = await made.find();
  const { sum, locks } = of("GIFT").held!;
  assert.deepEqual(sum, { quantity: 2, credits: 40, points: 0 });
  assert.deepEqual(
    [...locks.values()].map(({ session_key, credits, expires_at }) => [session_key, credits, expires_at]),
    [["over", 20, "2020-01-01T00:00:00.000001Z"]],
  );
});

test("what is not asked is not read, and told as such", async () => {
  const { of } = await made.find({ overBy: null, lots: false, referrers: false, days: [] });
  assert.deepEqual(
    [of("GIFT").held, of(made.card).lots, of("SHARED").referrer, of("FREE").counted],
    [...[null, null, null, []]],
  );
  const asked = (await made.find()).of("SHARED").referrer;
  assert.equal(asked?.email, "ann@x.io");
});

test("where the campaigns with a limit are too many to be named, codes of all campaigns are asked", async () => {
  const { of } = await made.find({ limited: null });
  assert.equal(of("FREE").held?.sum.quantity, 2, "its campaign has no limit");
  assert.deepEqual([of("PLAIN").held, of("RULED").held], [null, null], "they have no campaign");
});

const NONE = new Map<string, never>();
/** A project that has configured nothing. */
const CATALOG = new Proxy({ stacking_rules: null, carried: {} } as object, {
  get: (known, name) => (name in known ? known[name as keyof typeof known] : NONE),
}) as unknown as Catalog;

test("a wallet that was not found by a name is read by the id of its customer", async () => {
  const project = { ...made.project, timezone: "UTC", secret: "s" } as unknown as Project;
  const command: QualifyCommand = {
    ...{
      project,
      catalog: CATALOG,
      now: "2026-03-04T10:00:00.000Z",
      newId: (prefix) => `${prefix}_1`,
      newSecret: () => "",
    },
    ...{ api_key_id: "key_1", request_id: "req_1", claim: null, forCaller: (shown) => shown },
    ...{ sent: { customer: { source_id: "bob@x.io" }, order: { amount: 2_000 } }, scenario: "CUSTOMER_WALLET" },
    ...{
      session: null,
      steps: newSteps(STEPS_MAX),
      filter: null,
      paging: { limit: 5, after: null, sorting: "DEFAULT" },
    },
    show: ({ page }) => page.matches.map(({ offer }) => (offer as { id: string }).id),
  };
  const ahead = await readAhead(db, project, [command]);
  assert.equal(ahead.wallets.size, 1);
  const [cart] = cartsFrom(project, [command], ahead.carts, new Set());
  const answer = async (read: ReadAhead) => {
    const answers = await answerInRounds(db, project, [{ command, cart: cart as Cart }], read);
    return JSON.parse(answers.get(command)!.body);
  };
  assert.deepEqual(await answer(ahead), ["PLAIN"]);
  assert.deepEqual(await answer({ ...ahead, wallets: new Map() }), ["PLAIN"]);
});

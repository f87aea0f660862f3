import assert from "node:assert/strict";
import { test } from "node:test";
import type { Catalog } from "../../catalog/catalog.ts";
import { openAccount, takeOut } from "../../core/ledger/account.ts";
import { counterName, countersOfRedemption } from "../../core/redeem/counters.ts";
import { EMPTY_PLAN, type Plan } from "../../core/redeem/plan.ts";
import { redemptionRow } from "../../core/redeem/redemption-row.ts";
import { NO_EFFECT, type RedemptionRow } from "../../core/rows/redemption.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Project } from "../../request.ts";
import { openCustomers } from "../../steps/customers/customers.ts";
import { planRollBack, planRound } from "./plan.ts";
import { mergeRollBackPlans, type RollBackPlan, type RollBackRequest, type RollBackState } from "./state.ts";

const NOW = "2026-03-04T10:00:00.000Z";
const STARTS = { day: "2026-03-04", week: "2026-03-02", month: "2026-03-01" };
const PROJECT = { id: "proj", timezone: "UTC", secret: "s" } as unknown as Project;
const NONE = new Map<string, never>();
const CATALOG = { stacking_rules: null, metadata_schemas: NONE, campaigns: NONE, categories: NONE, rules_of: NONE };

/** A gift card that was redeemed for 30 and for 20 of its 100. */
const opened = openAccount("v_1", { amount: 100, lot: { id: "lot_1", expires_at: null, created_at: NOW } });
const spent = takeOut(opened.account, { amount: 50, kind: "redemption" });
const redemption = (id: string, amount: number): RedemptionRow => ({
  ...redemptionRow({ project_id: "proj", api_key_id: "key_1", customer_id: null, tracking_id: null, now: NOW }, id),
  related_object_type: "voucher",
  related_object_id: "v_1",
  campaign_id: "camp_1",
  amount,
  effect: {
    ...NO_EFFECT,
    kind: "credits",
    api_key_id: "key_1",
    starts: STARTS,
    gift_amount: amount,
    lots: [["lot_1", -amount]],
    units: [["camp_1", "", "product_campaign_quantity_limit x", 2]],
  },
});

async function stateOf(round: readonly RollBackRequest[]): Promise<RollBackState> {
  const rows = [redemption("r_1", 30), redemption("r_2", 20)];
  const counted = { redemptions: 2, order_amount: 0, discount_amount: 0, gift_amount: 50 };
  const voucher = {
    id: "v_1",
    campaign_id: "camp_1",
    settings: {},
    type: "GIFT_VOUCHER",
    redeemed_quantity: 2,
    uses: { keys: { key_1: 2 } },
    account: spent.account.sums,
  } as unknown as VoucherRow;
  return {
    round,
    customers: await openCustomers(undefined as never, "proj", []),
    redemptions: new Map(rows.map((row) => [row.id, row])),
    orders: new Map(),
    counters: new Map(countersOfRedemption(rows[0]!).map((key) => [counterName(key), { ...key, ...counted }])),
    vouchers: new Map([["v_1", voucher]]),
    lots: new Map(spent.changed.map((lot) => [lot.id, { ...lot, account_id: "v_1" }])),
    points: new Map(),
    rewardIds: new Set(),
  };
}

function command(redemption_id: string): RollBackRequest {
  let count = 0;
  return {
    project: PROJECT,
    catalog: CATALOG as unknown as Catalog,
    now: NOW,
    request_id: "req_1",
    newId: (prefix) => `${prefix}_${redemption_id}${++count}`,
    newSecret: () => "",
    api_key_id: "key_2",
    claim: null,
    forCaller: (shown) => shown,
    redemption_id,
    takes_stacks: true,
    sent: {},
    reason: "late",
  };
}

const { redemptions: _, ...NOTHING_WRITTEN } = EMPTY_PLAN;
/** All that a plan writes but for the rows of rollbacks. */
const written = (plan: Plan) =>
  Object.fromEntries(Object.keys(NOTHING_WRITTEN).map((field) => [field, plan[field as keyof Plan]]));
const keyOf = ({ answer: { status, body } }: RollBackPlan) => (status === 200 ? "rolled back" : JSON.parse(body).key);

test("planning changes nothing, and what is planned again is the same", async () => {
  const request = command("r_1");
  const { customers: __, round: ___, ...state } = await stateOf([request]);
  const before = structuredClone(state);
  const whole = { ...(await stateOf([request])), ...state };
  const plan = planRollBack(whole, request);
  assert.equal(keyOf(plan), "rolled back");
  assert.deepEqual(state, before);
  assert.deepEqual(planRollBack(whole, command("r_1")).answer, plan.answer);
});

test("both are rolled back, each on what the one before it left; a third time only the failure is recorded", async () => {
  const round = ["r_1", "r_2", "r_1", "r_9"].map(command);
  const state = await stateOf(round);
  const plans = [...planRound(state, round)];
  assert.deepEqual(plans.map(keyOf), ["rolled back", "rolled back", "already_rolled_back", "not_found"]);
  const [, , twice, unknown] = plans as [RollBackPlan, RollBackPlan, RollBackPlan, RollBackPlan];
  for (const plan of [twice, unknown]) assert.deepEqual(written(plan), NOTHING_WRITTEN);
  assert.deepEqual(
    twice.redemptions.map(({ result, redemption_id, amount }) => [result, redemption_id, amount]),
    [["FAILURE", "r_1", null]],
  );
  assert.deepEqual([unknown.redemptions, unknown.events], [[], []]);
  const merged = mergeRollBackPlans(plans);
  assert.deepEqual(merged.rolledBack, ["r_1", "r_2"]);
  assert.deepEqual(
    merged.lots.map(({ id, remaining }) => [id, remaining]),
    [["lot_1", 100]],
  );
  const { account, redeemed_quantity } = state.vouchers.get("v_1")!;
  assert.deepEqual([account, redeemed_quantity], [opened.account.sums, 0]);
  assert.deepEqual(
    merged.uses.map(({ by, available }) => [by, available]),
    [[-2, 50]],
    "compared is the balance that the first of them found",
  );
  for (const row of state.counters.values()) assert.deepEqual([row.redemptions, row.gift_amount], [0, 0]);
  assert.deepEqual(
    merged.units.map(({ units }) => units),
    [-4],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Catalog } from "../../catalog/catalog.ts";
import { EMPTY_PLAN, type Plan } from "../../core/redeem/plan.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { heldOfCode, NOTHING_HELD } from "../../core/validate/session-locks.ts";
import { NO_SETTINGS, type VoucherSettings } from "../../core/vouchers/settings.ts";
import type { Project } from "../../request.ts";
import { budgetsFrom } from "../../steps/checkout/budgets.ts";
import { findingVouchers } from "../../steps/checkout/candidates.ts";
import type { RedeemableSent, RedeemRequest } from "../../steps/checkout/requests.ts";
import { NO_STANDINGS } from "../../steps/checkout/rule-facts.ts";
import { useOf } from "../../steps/checkout/use.ts";
import { openCustomers } from "../../steps/customers/customers.ts";
import { loadGoods } from "../../steps/goods/goods.ts";
import { planRedemption, planRound } from "./plan.ts";
import { mergeRedeemPlans, type RedeemPlan } from "./redeem-plan.ts";
import type { RedeemState } from "./state.ts";

const NOW = "2026-03-04T10:00:00.000Z";
const PROJECT = {
  id: "proj",
  timezone: "UTC",
  secret: "s",
  case_sensitive_codes: true,
  features: [],
} as unknown as Project;
const CONFIGURED = { stacking_rules: null, carried: {} };
const NONE = new Map<string, never>();
/** A project that has configured nothing. */
const CATALOG = new Proxy(CONFIGURED, {
  get: (known, name) => (name in known ? known[name as keyof typeof known] : NONE),
}) as unknown as Catalog;

const settings = (more: Partial<VoucherSettings>): VoucherSettings => ({ ...NO_SETTINGS, ...more });
const voucher = (code: string, type: VoucherRow["type"], own: Partial<VoucherSettings>, active = true): VoucherRow => ({
  project_id: "proj",
  id: `v_${code}`,
  code,
  code_folded: code,
  campaign_id: null,
  template_version: null,
  type,
  settings: settings(own),
  category_id: null,
  active,
  additional_info: null,
  redeemed_quantity: 0,
  uses: null,
  account: null,
  tier: null,
  due_at: null,
  published_count: 0,
  holder_id: null,
  referrer_id: null,
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: null,
  deleted_at: null,
});
const DISCOUNT = {
  discount: { type: "AMOUNT", amount_off: 300, effect: "APPLY_TO_ORDER" },
} as Partial<VoucherSettings>;

/** A code that can be redeemed twice, one that is switched off, and a gift card. No statement is sent for any of it. */
async function stateOf(round: readonly RedeemRequest[]): Promise<RedeemState> {
  const rows = [
    voucher("TWICE", "DISCOUNT_VOUCHER", { ...DISCOUNT, quantity: 2 }),
    voucher("OFF", "DISCOUNT_VOUCHER", DISCOUNT, false),
    voucher("GIFT", "GIFT_VOUCHER", { gift: { amount: 1_000, effect: "APPLY_TO_ORDER" } }),
  ];
  const known = rows.map((row) => ({ row, assignments: [], holder_ids: null }));
  const nothing = await loadGoods(undefined as never, "proj", { products: [], skus: [] });
  return {
    round,
    project: PROJECT,
    starts: { day: "2026-03-04", week: "2026-03-02", month: "2026-03-01" },
    customers: await openCustomers(undefined as never, "proj", []),
    orders: new Map(),
    orderIds: new Map(),
    voucherOf: findingVouchers(known),
    known: new Map(known.map((one) => [one.row.id, one])),
    vouchers: new Map(rows.map((row) => [row.id, row])),
    accounts: new Map(),
    points: new Map(),
    rewards: new Map(),
    handouts: null,
    sessions: {
      held: new Map([["v_TWICE", heldOfCode(NOTHING_HELD, [lock("mine"), lock("another")])]]),
      codesOf: new Map([["mine", ["v_TWICE"]]]),
      own: [],
    },
    use: useOf([], []),
    budgets: budgetsFrom([]),
    goods: nothing,
    units: nothing,
    unitTypes: new Set(),
    ...NO_STANDINGS,
    promises: new Map(),
    friends: null,
    areCodesCounted: true,
  };
}
const lock = (session_key: string) => ({
  redeemable_id: "v_TWICE",
  session_key,
  quantity: 0,
  credits: 0,
  points: 0,
  expires_at: "2026-03-05T00:00:00.000Z",
});

function command(codes: readonly string[], more: Partial<RedeemRequest["sent"]> = {}): RedeemRequest {
  let count = 0;
  const redeemables = codes.map(
    (id): RedeemableSent => ({ object: "voucher", id, ...(id === "GIFT" && { gift: { credits: 400 } }) }),
  );
  return {
    project: PROJECT,
    catalog: CATALOG,
    now: NOW,
    newId: (prefix) => `${prefix}_${codes.join("")}${++count}`,
    newSecret: () => "",
    api_key_id: "key_1",
    request_id: "req_1",
    claim: null,
    forCaller: (shown) => shown,
    sent: { redeemables, order: { amount: 2_000 }, customer: { source_id: "anna" }, ...more },
    session: { type: "LOCK", key: "mine", ttl: 1, ttl_unit: "DAYS" },
    validation_id: null,
    expand: new Set(),
  };
}

/** What a command after these finds. */
const seen = ({ orders, vouchers, accounts, points, rewards, sessions, customers, use }: RedeemState) =>
  structuredClone({
    ...{ orders, vouchers, accounts, points, rewards, held: sessions.held },
    anna: customers.bySource("anna"),
    totals: use.totalsOf("v_TWICE"),
  });
/** All that a plan writes but for the rows of redemptions. */
const written = (plan: Plan) => {
  const { redemptions: _, ...others } = Object.fromEntries(
    Object.keys(EMPTY_PLAN).map((field) => [field, plan[field as keyof Plan]]),
  );
  return others;
};
const { redemptions: _, ...NOTHING_WRITTEN } = EMPTY_PLAN;
const keyOf = ({ answer: { status, body } }: RedeemPlan) => (status === 200 ? "redeemed" : JSON.parse(body).key);

const codes = fc.uniqueArray(fc.constantFrom("TWICE", "OFF", "GIFT", "NOBODY"), { minLength: 1, maxLength: 4 });

test("law: planning changes nothing, and what is planned again is the same", async () => {
  await fc.assert(
    fc.asyncProperty(codes, async (some) => {
      const request = command(some);
      const state = await stateOf([request]);
      const before = seen(state);
      const plan = planRedemption(state, request);
      assert.deepEqual(seen(state), before);
      const again = command(some);
      assert.deepEqual(planRedemption({ ...state, round: [again] }, again).answer, plan.answer);
    }),
  );
});

test("law: a refused command writes nothing but the record of its failure", async () => {
  await fc.assert(
    fc.asyncProperty(codes, fc.boolean(), async (some, isTwice) => {
      // One twice is refused before anything is decided: of that not even a failure is recorded.
      const request = command(isTwice ? [...some, some[0]!] : some);
      const plan = planRedemption(await stateOf([request]), request);
      if (keyOf(plan) === "redeemed") return;
      assert.deepEqual(written(plan), NOTHING_WRITTEN);
      assert.deepEqual(plan.customers, [], "nobody is made by a failure");
      assert.deepEqual(
        [plan.additions, plan.released, plan.triggers, plan.touched, plan.referred],
        [[], [], [], [], []],
      );
      assert.equal(plan.redemptions.length, isTwice ? 0 : 1);
      assert.equal(plan.events.length, isTwice ? 0 : 1);
      for (const row of plan.redemptions) assert.deepEqual([row.result, row.customer_id], ["FAILURE", null]);
    }),
  );
});

test("each command of a round is planned on what those before it left", async () => {
  const round = [["TWICE"], ["TWICE", "GIFT"], ["TWICE"], ["GIFT"], ["GIFT"]].map((some) => command(some));
  const state = await stateOf(round);
  const plans = [...planRound(state, round)];
  assert.deepEqual(plans.map(keyOf), [
    ...["redeemed", "redeemed", "quantity_exceeded"],
    ...["redeemed", "gift_amount_exceeded"],
  ]);
  const merged = mergeRedeemPlans(plans);
  assert.deepEqual(
    merged.uses.map(({ id, by, available, account }) => [id, by, available, account?.available ?? null]),
    [
      ["v_TWICE", 2, null, null],
      ["v_GIFT", 2, null, 200],
    ],
  );
  assert.equal(merged.redemptions.length, 7, "one, three of a stack, a failure, one, a failure");
  assert.equal(merged.orders.length, 3);
  assert.deepEqual([...merged.touched.values()], [round[3]], "the last that succeeded");
  assert.deepEqual(
    state.sessions.held.get("v_TWICE"),
    heldOfCode(NOTHING_HELD, [lock("another")]),
    "the session of the requests is over",
  );
  assert.equal(
    plans.flatMap(({ customers }) => customers).filter(({ created }) => created).length,
    1,
    "the second finds who the first made",
  );
});

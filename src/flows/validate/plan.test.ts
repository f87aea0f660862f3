import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Catalog } from "../../catalog/catalog.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { newSteps } from "../../core/steps.ts";
import { heldOfCode, NOTHING_HELD } from "../../core/validate/session-locks.ts";
import { NO_SETTINGS, type VoucherSettings } from "../../core/vouchers/settings.ts";
import type { Project } from "../../request.ts";
import { budgetsFrom } from "../../steps/checkout/budgets.ts";
import { findingVouchers } from "../../steps/checkout/candidates.ts";
import { loadCarts } from "../../steps/checkout/carts.ts";
import { useOf } from "../../steps/checkout/use.ts";
import { loadGoods } from "../../steps/goods/goods.ts";
import { planBatch, planValidation, type ValidationPlan } from "./plan.ts";
import type { ValidateCommand, ValidateState } from "./state.ts";

const NOW = "2026-03-04T10:00:00.000Z";
const PROJECT = { id: "proj", timezone: "UTC", secret: "s", case_sensitive_codes: true } as unknown as Project;
const CAMPAIGN = { id: "camp_1", name: "Spring", active: true, voucher_version: 1, templates: new Map() };
const CONFIGURED = { stacking_rules: null, carried: {}, campaigns: new Map([["camp_1", CAMPAIGN]]) };
const NONE = new Map<string, never>();
/** A project with one campaign. */
const CATALOG = new Proxy(CONFIGURED, {
  get: (known, name) => (name in known ? known[name as keyof typeof known] : NONE),
}) as unknown as Catalog;

const voucher = (code: string, own: Partial<VoucherSettings>, active = true): VoucherRow =>
  ({
    ...{ project_id: "proj", id: `v_${code}`, code, code_folded: code, campaign_id: "camp_1", template_version: null },
    ...{ type: "DISCOUNT_VOUCHER", settings: { ...NO_SETTINGS, ...own }, category_id: null, active, uses: null },
    ...{ additional_info: null, redeemed_quantity: 0, account: null, tier: null, holder_id: null, deleted_at: null },
    ...{ created_at: "2026-01-01T00:00:00.000Z", updated_at: null, published_count: 0, referrer_id: null },
  }) as VoucherRow;
const DISCOUNT = { discount: { type: "AMOUNT", amount_off: 300, effect: "APPLY_TO_ORDER" } } as const;

/** A code of one unit, one without a limit, and one that is switched off. No statement is sent for any of it. */
async function stateOf(commands: readonly ValidateCommand[]): Promise<ValidateState> {
  const rows = [
    voucher("ONCE", { ...DISCOUNT, quantity: 1 } as Partial<VoucherSettings>),
    voucher("MANY", DISCOUNT as Partial<VoucherSettings>),
    voucher("OFF", DISCOUNT as Partial<VoucherSettings>, false),
  ];
  const none = undefined as never;
  const carts = await loadCarts(none, PROJECT, commands, new Set());
  return {
    carts: new Map(commands.map((command, n) => [command, carts[n]!])),
    voucherOf: findingVouchers(rows.map((row) => ({ row, assignments: [], holder_ids: null }))),
    points: new Map(),
    stock: new Map(),
    sessions: {
      held: new Map(["ONCE", "MANY"].map((code) => [`v_${code}`, heldOfCode(NOTHING_HELD, [])])),
      codesOf: new Map(),
      own: [],
    },
    use: useOf([], []),
    budgets: budgetsFrom([]),
    units: await loadGoods(none, "proj", { products: [], skus: [] }),
    unitTypes: new Set(),
  };
}

function command(codes: readonly string[], { session = "", max = 1_000_000 } = {}): ValidateCommand {
  let count = 0;
  return {
    project: PROJECT,
    catalog: CATALOG,
    now: NOW,
    newId: (prefix) => `${prefix}_${++count}`,
    newSecret: () => "",
    api_key_id: "key_1",
    request_id: "req_1",
    claim: null,
    forCaller: (shown) => shown,
    id: `valid_${codes.join("")}${session}`,
    sent: { redeemables: codes.map((id) => ({ object: "voucher", id })), order: { amount: 2_000 } },
    session: session ? { type: "LOCK", key: session, ttl: 1, ttl_unit: "HOURS" } : null,
    steps: newSteps(max),
    show: ({ decisions }) => ({ valid: decisions.every(({ valid }) => valid) }),
  };
}
const validOf = ({ answer: { status, body } }: ValidationPlan) =>
  status === 200 ? JSON.parse(body).valid : JSON.parse(body).key;

const codes = fc.uniqueArray(fc.constantFrom("ONCE", "MANY", "OFF", "NOBODY"), { minLength: 1, maxLength: 4 });

test("law: planning changes nothing, and what is planned again is the same", async () => {
  await fc.assert(
    fc.asyncProperty(codes, fc.constantFrom("", "mine"), async (some, session) => {
      const request = command(some, { session });
      const state = await stateOf([request]);
      const plan = planValidation(state, request);
      assert.ok([...state.sessions.held.values()].every(({ sum }) => sum === NOTHING_HELD));
      assert.deepEqual(planValidation(state, request), plan);
      assert.equal(plan.row?.valid, validOf(plan));
      assert.equal(plan.locks?.length, session && plan.row?.valid ? some.length : undefined, "what applies is held");
    }),
  );
});

test("a command that is refused keeps and holds nothing", async () => {
  const request = command(["MANY", "MANY"], { session: "mine" });
  const { row, locks, tallies, answer } = planValidation(await stateOf([request]), request);
  assert.deepEqual([answer.status, row, locks, tallies], [400, null, null, []]);
});

test("the tallies of a campaign are what its codes came to", async () => {
  const [good, bad] = [command(["ONCE", "MANY"]), command(["MANY", "OFF"])];
  const plans = [...planBatch(await stateOf([good, bad]), [good, bad])];
  assert.deepEqual(plans.map(validOf), [true, false]);
  assert.deepEqual(
    plans.map(({ tallies }) => tallies.map(({ succeeded, failed, day }) => [succeeded, failed, day])),
    [[[2, 0, "2026-03-04"]], [[0, 1, "2026-03-04"]]],
    "one that would apply failed with the others, and is counted for neither",
  );
});

test("each command is planned on what the sessions before it hold; a session that asks again holds anew", async () => {
  const asked = [
    command(["ONCE"], { session: "a" }),
    command(["ONCE"], { session: "b" }),
    command(["MANY"], { session: "a" }),
    command(["ONCE"], { session: "b" }),
  ];
  const state = await stateOf(asked);
  assert.deepEqual([...planBatch(state, asked)].map(validOf), [true, false, true, true]);
  assert.deepEqual(
    [...state.sessions.held].map(([id, { sum, locks }]) => [id, sum.quantity, [...locks.keys()]]),
    [
      ["v_ONCE", 1, ["b"]],
      ["v_MANY", 1, ["a"]],
    ],
  );
});

test("what costs too much is refused alone", async () => {
  const asked = [command(["MANY"], { max: 1 }), command(["MANY"])];
  const [dear, cheap] = planBatch(await stateOf(asked), asked);
  assert.deepEqual([dear!.row, validOf(cheap!)], [null, true]);
  assert.equal(dear!.answer.status, 400);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Catalog } from "../../catalog/catalog.ts";
import { CONSIDERED_MAX, type Paging } from "../../core/qualify/page.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { newSteps, STEPS_MAX } from "../../core/steps.ts";
import { NO_SETTINGS } from "../../core/vouchers/settings.ts";
import type { Project } from "../../request.ts";
import { budgetsFrom } from "../../steps/checkout/budgets.ts";
import { type Cart, loadCarts } from "../../steps/checkout/carts.ts";
import { useOf } from "../../steps/checkout/use.ts";
import { planAnswer, qualifyRequestFault } from "./plan.ts";
import type { OfferFacts, QualifyCommand, QualifyRequest, QualifyState } from "./state.ts";

const PROJECT = { id: "proj", timezone: "UTC", secret: "s", case_sensitive_codes: true } as unknown as Project;
const CONFIGURED = { stacking_rules: null, carried: {} };
const NONE = new Map<string, never>();
/** A project that has configured nothing. */
const CATALOG = new Proxy(CONFIGURED, {
  get: (known, name) => (name in known ? known[name as keyof typeof known] : NONE),
}) as unknown as Catalog;

const settings = { ...NO_SETTINGS, discount: { type: "AMOUNT", amount_off: 300, effect: "APPLY_TO_ORDER" } };
/** A code of the n-th day of the year. */
const voucher = (n: number, active = true): VoucherRow =>
  ({
    ...{ project_id: "proj", id: `v_${n}`, code: `C${n}`, code_folded: `C${n}`, campaign_id: null, settings, active },
    ...{ type: "DISCOUNT_VOUCHER", category_id: null, uses: null, additional_info: null, redeemed_quantity: 0 },
    ...{ template_version: null, account: null, tier: null, holder_id: null, deleted_at: null, updated_at: null },
    ...{ created_at: `2026-01-0${n}T00:00:00.000Z`, published_count: 0, referrer_id: null },
  }) as unknown as VoucherRow;

async function requestOf({ max = 1_000_000, paging = {} as Partial<Paging> } = {}): Promise<QualifyRequest> {
  const command: QualifyCommand = {
    project: PROJECT,
    catalog: CATALOG,
    now: "2026-03-04T10:00:00.000Z",
    newId: (prefix) => `${prefix}_1`,
    newSecret: () => "",
    api_key_id: "key_1",
    request_id: "req_1",
    claim: null,
    forCaller: (shown) => shown,
    sent: { order: { amount: 2_000 } },
    scenario: "ALL",
    session: null,
    steps: newSteps(max),
    filter: null,
    paging: { limit: 2, after: null, sorting: "DEFAULT", ...paging },
    show: ({ page }) => ({ ids: page.matches.map(({ offer }) => (offer as { id: string }).id), more: page.hasMore }),
  };
  const [cart] = await loadCarts(undefined as never, PROJECT, [command], new Set());
  return { command, cart: cart as Cart };
}

/** Codes that stand alone, of a portion of so many. No statement is sent for any of it. */
function stateOf({ command }: QualifyRequest, rows: readonly VoucherRow[], size: number): QualifyState {
  const facts = (all: readonly VoucherRow[]): OfferFacts => ({
    knownOf: new Map(all.map((row) => [row.id, { row, assignments: [], holder_ids: null }])),
    held: new Map(),
    use: useOf([], []),
    budgets: budgetsFrom([]),
  });
  return {
    unitsFor: () => ({ units: new Map(), types: new Set() }),
    listed: { rows: new Map([[command, []]]), all: [], facts: facts([]) },
    standalone: { rows: new Map([[command, rows]]), all: rows, facts: facts(rows), size },
  };
}
const idsOf = (answer: ReturnType<typeof planAnswer>) => (answer ? JSON.parse(answer.body).ids : null);

test("the page has the newest codes that apply, and the same answer comes again", async () => {
  const request = await requestOf();
  const state = stateOf(request, [voucher(4, false), voucher(3), voucher(2), voucher(1)], 100);
  const answer = planAnswer(state, request, { isLast: false });
  assert.deepEqual(JSON.parse(answer!.body), { ids: ["C3", "C2"], more: true });
  assert.deepEqual(planAnswer(state, request, { isLast: false }), answer);
});

test("a page that is not full waits for more codes while there may be some, and the last round answers", async () => {
  const request = await requestOf();
  const rows = [voucher(3), voucher(2, false)];
  const full = stateOf(request, rows, rows.length);
  assert.equal(planAnswer(full, request, { isLast: false }), null, "the portion was full");
  assert.deepEqual(idsOf(planAnswer(full, request, { isLast: true })), ["C3"]);
  const whole = stateOf(request, rows, rows.length + 1);
  assert.deepEqual(idsOf(planAnswer(whole, request, { isLast: false })), ["C3"], "there are no others");
});

test("what costs too much is refused", async () => {
  const request = await requestOf({ max: 1 });
  const answer = planAnswer(stateOf(request, [voucher(1)], 100), request, { isLast: true });
  assert.equal(answer!.status, 400);
});

test("ten thousand plain codes, as many as a sorted page considers, are within the budget of a small cart", async () => {
  const request = await requestOf({ paging: { sorting: "BEST_DEAL" } });
  const rows = Array.from({ length: CONSIDERED_MAX }, (_, n) => ({ ...voucher(1), id: `v_${n}`, code: `C${n}` }));
  const answer = planAnswer(stateOf(request, rows, rows.length), request, { isLast: true })!;
  assert.equal(answer.status, 200);
  // The promotions of the project need some of it, too.
  assert.ok(request.cart.steps.used <= 0.9 * STEPS_MAX, `${request.cart.steps.used}`);
});

test("a request without metadata has no fault", async () => {
  const { command } = await requestOf();
  assert.equal(qualifyRequestFault(command), null);
});

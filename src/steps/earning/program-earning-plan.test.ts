import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Catalog } from "../../catalog/catalog.ts";
import { setupsOf } from "../../catalog/program-setup.ts";
import { type CardEntry, noChange } from "../../core/loyalty/card/card.ts";
import { PLAIN_WALLET } from "../../core/loyalty/card/wallet.ts";
import { applyEarningPlan, NOTHING_EARNED, planInOrder } from "../../core/loyalty/earning/plan.ts";
import { parseUseLimits } from "../../core/loyalty/earning/use-limits.ts";
import { sampleCard, sampleWorld } from "../../core/loyalty/program/sample.ts";
import type { Order } from "../../core/order/order.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { MemberRow } from "../../core/rows/loyalty.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Origin } from "../../request.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import { type EarningTrigger, occurrenceOf } from "../points/earning-triggers.ts";
import type { ProgramCard } from "../points/program-cards.ts";
import { codesFrom } from "../publishing/publishing.ts";
import { wishFor } from "../publishing/wishes.ts";
import type { Cause } from "./earn-causes.ts";
import { benefitHandoutsFrom } from "./earn-handouts.ts";
import { type ProgramEarningPlan, type ProgramEarningState, planProgramEarning } from "./program-earning-plan.ts";

const NOW = "2026-03-04T10:00:00.000Z";
const PROJECT = { id: "proj", timezone: "UTC" };
const ALWAYS = { start_date: null, end_date: null, validity_hours: { type: "ANY_TIME" } };
const PROGRAM = { ...ALWAYS, id: "lprg_1", name: "Club", status: "ACTIVE" };
const REVOKES = { methods: [{ type: "REVOKE_FROM_BALANCE", mode: "REVOKE_TO_ZERO" }] };
const WALLET = {
  ...PLAIN_WALLET,
  id: "lcdef_1",
  status: "ACTIVE",
  refunds: { ...PLAIN_WALLET.refunds, earned_points: REVOKES },
};
const BENEFIT = { id: "lben_1", status: "ACTIVE", config: { material: { type: "PRODUCT" } } };
const CAMPAIGN = {
  ...{ project_id: "proj", id: "camp_1", name: "Coupons", campaign_type: "DISCOUNT_COUPONS", type: "AUTO_UPDATE" },
  ...{ voucher_type: "DISCOUNT_VOUCHER", active: true, join_once: false, activity_duration_after_publishing: null },
  ...{ voucher_version: 1, templates: new Map() },
} as unknown as Campaign;
const COUPON = {
  id: "lben_2",
  status: "ACTIVE",
  config: { digital: { type: "DISCOUNT_COUPONS", discount_coupons: { campaign_id: "camp_1" } } },
};
const points = (value: number) => ({
  type: "POINTS",
  points: { value, card_definition_id: "lcdef_1", points_expiration: null },
});
const PER_EURO = {
  type: "POINTS_PROPORTIONAL",
  points_proportional: {
    calculation_type: "PRE_DISCOUNT_ORDER_AMOUNT",
    card_definition_id: "lcdef_1",
    order: { amount: { every: 100, value: 1 } },
    points_expiration: null,
  },
};
const ONCE_A_DAY = parseUseLimits(
  {
    frequency: {
      type: "LIMITED",
      limits: [{ period: { current_period: { unit: "DAY" } }, triggers: { max: 1 } }],
    },
  },
  "",
);
const rule = (id: string, event: string, effects: object[], { schema_id = "ms_gift", isLimited = false } = {}) => ({
  ...ALWAYS,
  id,
  name: id,
  status: "ACTIVE",
  trigger: { event, ...(event === "customer.custom_event" && { custom_event: { schema_id } }) },
  earnings: [{ id: `${id}_item`, name: null, tier_rules: { type: "NO_REQUIREMENTS" }, effects }],
  trigger_limits: isLimited ? ONCE_A_DAY : parseUseLimits(null, ""),
});
const RULES = [
  rule("lern_1", "customer.order.paid", [points(5), PER_EURO]),
  rule("lern_2", "customer.custom_event", [{ type: "INCENTIVE", incentive: { id: "lben_1" } }]),
  ...["lern_5", "lern_6"].map((id) =>
    rule(id, "customer.custom_event", [{ type: "INCENTIVE", incentive: { id: "lben_2" } }], { schema_id: "ms_coupon" }),
  ),
  ...["lern_3", "lern_4"].map((id) =>
    rule(id, "customer.custom_event", [points(1)], { schema_id: "ms_daily", isLimited: true }),
  ),
];

const NONE = new Map<string, never>();
const CONFIGURED = {
  programs: new Map([["lprg_1", PROGRAM]]),
  card_definitions: new Map([["lcdef_1", WALLET]]),
  earning_rules: new Map(RULES.map((one) => [one.id, one])),
  benefits: new Map<string, object>([
    ["lben_1", BENEFIT],
    ["lben_2", COUPON],
  ]),
  campaigns: new Map([["camp_1", CAMPAIGN]]),
  assignments_of: new Map([
    [
      "lprg_1",
      [
        { kind: "card_definition", component_id: "lcdef_1" },
        ...RULES.map(({ id }) => ({ kind: "earning_rule", component_id: id })),
      ],
    ],
  ]),
};
/** A project with one loyalty program. */
const CATALOG = new Proxy(CONFIGURED, {
  get: (known, name) => (name in known ? known[name as keyof typeof known] : NONE),
}) as unknown as Catalog;

const member: MemberRow = {
  project_id: "proj",
  id: "lmbr_1",
  program_id: "lprg_1",
  customer_id: "cust_1",
  status: "ACTIVE",
  metadata: {},
  uses: {},
  created_at: NOW,
  updated_at: null,
};
const EMPTY_CARD = sampleCard(sampleWorld({ now: NOW }));
const cardWith = (state: typeof EMPTY_CARD): ProgramCard => ({
  row: { ...state, code: "CARD", due_at: null, updated_at: null },
  change: noChange(state),
  world: null,
  changed_at: null,
});

/** A member with a card, and one of a benefit that is left. No statement is sent for any of it. */
const stateOf = (card = cardWith(EMPTY_CARD)): ProgramEarningState => ({
  project: PROJECT,
  zone: "UTC",
  catalog: CATALOG,
  setups: setupsOf(CATALOG, ["lprg_1"]),
  members: new Map([["lmbr_1", member]]),
  membersOf: new Map([["cust_1", ["lmbr_1"]]]),
  cards: new Map([[card.row.id, card]]),
  cardsOf: new Map([["lmbr_1", [card.row.id]]]),
  stock: new Map([["lben_1", 1]]),
  lotsOfOrder: new Map(),
  paidFor: new Map(),
  handouts: null,
});
/** The state as it is loaded after all that was planned was saved. */
function savedState(before: ProgramEarningState): ProgramEarningState {
  const [card] = before.cards.values();
  const lots = card!.change.lots.map((lot) => ({ ...lot, account_id: card!.row.id }));
  const stored = new Map([...before.lotsOfOrder.values()].flat().map((lot) => [lot.id, lot]));
  for (const lot of lots) stored.set(lot.id, lot);
  const { members, stock } = before;
  const lotsOfOrder = Map.groupBy(stored.values(), ({ order_id }) => order_id ?? "");
  return { ...stateOf(cardWith(card!.change.card)), members, stock, lotsOfOrder };
}

type OrderKind = "customer.order.paid" | "customer.order.canceled";
function causeOf(trigger: EarningTrigger, order: Order | null): Cause {
  return {
    of: trigger.of,
    id: trigger.id,
    trigger,
    occurrence: occurrenceOf(trigger),
    customer: { id: "cust_1", metadata: {}, birthdate: null } as unknown as CustomerRow,
    segments: new Set(),
    segmentsAt: () => new Set(),
    order,
    custom_event: {},
    card_id: null,
  };
}
function origin(name: string): Origin {
  let made = 0;
  const newId = (prefix: string) => `${prefix}_${name}_${String(++made).padStart(4, "0")}`;
  return { request_id: name, now: NOW, newId, newSecret: () => "" } as Origin;
}
const ordered = (kind: OrderKind, { order = "ord_1", amount = 1_000 } = {}): Cause =>
  causeOf(
    {
      of: origin(`${kind}${order}`),
      id: `ev_${kind}${order}`,
      kind,
      order: { id: order, customer_id: "cust_1" } as OrderRow,
    },
    { id: order, source_id: null, amount, discount_amount: 0, items: [], metadata: {} } as unknown as Order,
  );
const visited = (schema_id: string, name = schema_id): Cause =>
  causeOf(
    {
      of: origin(name),
      id: `ev_${name}`,
      kind: "customer.custom_event",
      customer_id: "cust_1",
      schema_id,
      metadata: {},
      card_id: null,
    },
    null,
  );

const available = ({ cards }: { cards: ReadonlyMap<string, ProgramCard> }): number =>
  cards.get(EMPTY_CARD.id)!.change.card.account.sums.available;
const entriesOf = (cards: ReadonlyMap<string, ProgramCard>): CardEntry[] =>
  [...cards.values()].flatMap(({ change }) => change.entries);
const shownOf = ({ cards, members, stock }: ProgramEarningState) =>
  JSON.stringify([
    [...cards].map(([id, { change, changed_at }]) => [id, change, changed_at]),
    [...members],
    [...stock],
  ]);

test("nothing follows from an event that starts no rule, and from one that names the card of somebody else", () => {
  assert.deepEqual(planProgramEarning(stateOf(), visited("ms_other")), NOTHING_EARNED);
  const foreign = { ...ordered("customer.order.paid"), card_id: "lcrd_9" };
  assert.deepEqual(planProgramEarning(stateOf(), foreign), NOTHING_EARNED);
});

test("nothing follows from the cancelling of an order that moved no points", () => {
  assert.deepEqual(planProgramEarning(stateOf(), ordered("customer.order.canceled")), NOTHING_EARNED);
});

test("planning changes nothing: neither cards and members, nor what is left of benefits", () => {
  const state = stateOf();
  const before = shownOf(state);
  const paid = planProgramEarning(state, ordered("customer.order.paid"));
  assert.equal(available(paid), 15);
  const given = planProgramEarning(state, visited("ms_gift"));
  assert.deepEqual([...given.benefits], [["lben_1", 1]]);
  assert.equal(shownOf(state), before);
});

test("no more is given of a benefit than there is: the next event of the batch is told so", () => {
  const state = stateOf();
  const plan = planInOrder(state, [visited("ms_gift", "a"), visited("ms_gift", "b")], planProgramEarning);
  assert.deepEqual([...plan.benefits], [["lben_1", 1]]);
  assert.deepEqual(
    plan.transactions.map(({ status }) => status),
    ["APPROVED", "REJECTED"],
  );
  assert.deepEqual(
    plan.outcomes.map(({ outcome }) => outcome),
    ["success", "no_effect"],
  );
  assert.equal(state.stock.get("lben_1"), 0);
});

/** Codes that nobody has, and what two rules ask of them by each of the causes. */
function handoutsWith(ids: readonly string[], causes: readonly Cause[]) {
  const code = {
    ...{ project_id: "proj", campaign_id: "camp_1", template_version: null, settings: null, type: "DISCOUNT_VOUCHER" },
    ...{ active: true, redeemed_quantity: 0, account: null, published_count: 0, holder_id: null, referrer_id: null },
  };
  const locked = ids.map((id) => ({ ...code, id, code: id, code_folded: id }) as VoucherRow);
  const pools = { of: new Map([["camp_1", [...ids]]]), ids, hasMore: new Set<string>(), making: new Set<string>() };
  const project = { ...PROJECT, case_sensitive_codes: true };
  const codes = codesFrom(undefined as never, project, { locked, pools, drafts: new Map() });
  const wishOf = ({ of }: Cause) => wishFor(of, { campaign: CAMPAIGN });
  const waiting = new Map(causes.map((one) => [`${one.id} lben_2`, [wishOf(one), wishOf(one)]]));
  return benefitHandoutsFrom({ codes, waiting, joined: new Set() });
}

test("a benefit that is a code: planning takes none, one event draws different codes, and the next finds them taken", () => {
  const causes = [visited("ms_coupon", "a"), visited("ms_coupon", "b")];
  const handouts = handoutsWith(["A", "B", "C"], causes);
  const state = { ...stateOf(), handouts };
  const givenBy = ({ gifts }: ProgramEarningPlan) => gifts.map(({ voucher }) => [voucher.id, voucher.holder_id]);
  const both = [
    ["A", "cust_1"],
    ["B", "cust_1"],
  ];
  assert.deepEqual(givenBy(planProgramEarning(state, causes[0]!)), both);
  assert.deepEqual(givenBy(planProgramEarning(state, causes[0]!)), both, "what was not accepted is still there");
  assert.equal(handouts.codes.byId("A")?.published_count, 0);
  const plan = planInOrder(state, causes, planProgramEarning);
  assert.deepEqual(givenBy(plan), [...both, ["C", "cust_1"]]);
  assert.deepEqual(
    plan.transactions.map(({ status }) => status),
    ["APPROVED", "APPROVED", "APPROVED", "REJECTED"],
  );
  assert.equal(handouts.codes.byId("A")?.published_count, 1);
});

test("a code for all is given by each rule, and counts each time", () => {
  const causes = [visited("ms_coupon", "a")];
  const handouts = handoutsWith(["A"], causes);
  const forAll = { ...CAMPAIGN, type: "STANDALONE" } as Campaign;
  const catalog = new Proxy(CATALOG, {
    get: (known, name) => (name === "campaigns" ? new Map([["camp_1", forAll]]) : known[name as keyof Catalog]),
  });
  const { gifts } = planInOrder({ ...stateOf(), catalog, handouts }, causes, planProgramEarning);
  assert.deepEqual(
    gifts.map(({ voucher }) => [voucher.id, voucher.published_count]),
    [
      ["A", 1],
      ["A", 2],
    ],
  );
  assert.equal(handouts.codes.byId("A")?.published_count, 2);
});

test("each rule gives as often as it may: the next event of the batch knows what all rules gave before", () => {
  const plan = planInOrder(stateOf(), [visited("ms_daily", "a"), visited("ms_daily", "b")], planProgramEarning);
  assert.deepEqual(
    plan.outcomes.map(({ outcome }) => outcome),
    ["success", "success", "frequency", "frequency"],
  );
  assert.equal(available(plan), 2);
});

const amounts = fc.array(fc.integer({ min: 0, max: 9_900 }), { minLength: 1, maxLength: 6 });
test("the parts sum to the whole: outcomes, entries and the balance tell the same points", () => {
  fc.assert(
    fc.property(amounts, (all) => {
      const state = stateOf();
      const causes = all.map((amount, n) => ordered("customer.order.paid", { amount, order: `ord_${n}` }));
      const { cards, outcomes } = planInOrder(state, causes, planProgramEarning);
      const decided = outcomes.reduce((sum, one) => sum + one.points, 0);
      const moved = entriesOf(cards).reduce((sum, { amount }) => sum + amount, 0);
      assert.deepEqual([decided, moved], [available(state), available(state)]);
    }),
    { numRuns: 40 },
  );
});

test("a batch does what its events do one after the other, each on what the one before has saved", () => {
  fc.assert(
    fc.property(amounts, fc.array(fc.boolean(), { maxLength: 6 }), (all, returns) => {
      const causesOf = () =>
        all.flatMap((amount, n) => {
          const given = { amount, order: `ord_${n}` };
          const back = returns[n] ? [ordered("customer.order.canceled", given)] : [];
          return [ordered("customer.order.paid", given), visited("ms_gift", `gift${n}`), ...back];
        });
      const together = stateOf();
      const plan = planInOrder(together, causesOf(), planProgramEarning);
      let apart = stateOf();
      const entries: CardEntry[] = [];
      const outcomes: string[] = [];
      for (const cause of causesOf()) {
        const alone = planProgramEarning(apart, cause);
        entries.push(...entriesOf(alone.cards));
        outcomes.push(...alone.outcomes.map((row) => JSON.stringify(row)));
        applyEarningPlan(apart, alone);
        apart = savedState(apart);
      }
      assert.deepEqual(entriesOf(plan.cards), entries);
      assert.deepEqual(
        plan.outcomes.map((row) => JSON.stringify(row)),
        outcomes,
      );
      assert.equal(available(together), available(apart));
      assert.deepEqual([...together.members], [...apart.members]);
    }),
    { numRuns: 25 },
  );
});

test("an order that is cancelled leaves what was there before it", () => {
  fc.assert(
    fc.property(amounts, fc.integer({ min: 0, max: 9_900 }), (all, amount) => {
      const state = stateOf();
      const before = all.map((one, n) => ordered("customer.order.paid", { amount: one, order: `ord_${n}` }));
      planInOrder(state, before, planProgramEarning);
      const held = available(state);
      const order = { amount, order: "ord_last" };
      const both = [ordered("customer.order.paid", order), ordered("customer.order.canceled", order)];
      planInOrder(state, both, planProgramEarning);
      assert.equal(available(state), held);
    }),
    { numRuns: 40 },
  );
});

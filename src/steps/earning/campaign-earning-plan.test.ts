import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Catalog } from "../../catalog/catalog.ts";
import { cardPrograms } from "../../catalog/earn-programs.ts";
import type { CardEntry } from "../../core/loyalty/card/card.ts";
import { applyEarningPlan, NOTHING_EARNED, planInOrder } from "../../core/loyalty/earning/plan.ts";
import { noTier } from "../../core/loyalty/tiers/state.ts";
import type { Order } from "../../core/order/order.ts";
import type { CampaignEarningRuleRow } from "../../core/rows/campaign.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { NO_SETTINGS } from "../../core/vouchers/settings.ts";
import type { Origin } from "../../request.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import { type EarningTrigger, occurrenceOf } from "../points/earning-triggers.ts";
import { openPointCards, type PointCard } from "../points/point-cards.ts";
import { codesFrom } from "../publishing/publishing.ts";
import { wishFor } from "../publishing/wishes.ts";
import { type CampaignEarningState, planCampaignEarning } from "./campaign-earning-plan.ts";
import type { Cause } from "./earn-causes.ts";
import { firstCardOf, holderKey, joiningCardsFrom } from "./earn-joining.ts";

const NOW = "2026-03-04T10:00:00.000Z";
const PROJECT = { id: "proj", timezone: "UTC", case_sensitive_codes: true };
const CAMPAIGN = {
  id: "camp_1",
  name: "Club",
  active: true,
  campaign_type: "LOYALTY_PROGRAM",
  auto_join: false,
  voucher_version: 1,
  loyalty_tiers_expiration: null,
  templates: new Map([[1, { ...NO_SETTINGS, loyalty_card: { points: 0 } }]]),
} as unknown as Campaign;

const rule = (id: string, more: Partial<CampaignEarningRuleRow>): CampaignEarningRuleRow => ({
  project_id: "proj",
  id,
  campaign_id: "camp_1",
  active: true,
  event: "order.paid",
  loyalty: { type: "FIXED", points: 5 },
  segment_id: null,
  custom_event_schema_id: null,
  loyalty_tier_id: null,
  validation_rule_id: null,
  banner: null,
  pending_points: null,
  expiration_rules: null,
  start_date: null,
  expiration_date: null,
  validity_timeframe: null,
  validity_day_of_week: null,
  validity_hours: null,
  metadata: {},
  created_at: NOW,
  updated_at: null,
  ...more,
});
const PER_EURO = {
  type: "PROPORTIONAL",
  calculation_type: "ORDER_AMOUNT",
  order: { amount: { every: 100, points: 1 } },
} as const;
const RULES = [
  rule("ern_1", {}),
  rule("ern_2", { loyalty: PER_EURO }),
  // Who joins the top tier gets ten more, once.
  rule("ern_3", {
    event: "customer.loyalty.tier.joined",
    loyalty_tier_id: "ltr_top",
    loyalty: { type: "FIXED", points: 10 },
  }),
];
const TOP = { id: "ltr_top", campaign_id: "camp_1", name: "Top", points_from: 100, points_to: null, earning_rules: {} };

const NONE = new Map<string, never>();
const CONFIGURED = {
  campaigns: new Map([["camp_1", CAMPAIGN]]),
  tiers_of_campaign: new Map([["camp_1", [TOP]]]),
  campaign_tiers: new Map([["ltr_top", TOP]]),
};
/** A project with one loyalty campaign. */
const catalogWith = (rules: readonly CampaignEarningRuleRow[]): Catalog =>
  new Proxy(
    { ...CONFIGURED, earning_rules_of_campaign: new Map([["camp_1", rules]]) },
    { get: (known, name) => (name in known ? known[name as keyof typeof known] : NONE) },
  ) as unknown as Catalog;
const CATALOG = catalogWith(RULES);

const card = (id: string, holder_id: string): VoucherRow => ({
  project_id: "proj",
  id,
  code: id,
  code_folded: id,
  campaign_id: "camp_1",
  template_version: 1,
  type: "LOYALTY_CARD",
  settings: null,
  category_id: null,
  active: true,
  additional_info: null,
  redeemed_quantity: 0,
  uses: null,
  account: null,
  tier: null,
  due_at: null,
  published_count: 1,
  holder_id,
  referrer_id: null,
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: null,
  deleted_at: null,
});
const ROWS = [card("v_1", "cust_1"), card("v_2", "cust_2")];

/** Two cards, without a statement. */
async function stateOf(rows = ROWS, catalog = CATALOG): Promise<CampaignEarningState> {
  return {
    project: PROJECT,
    catalog,
    programs: cardPrograms(catalog),
    cards: await openPointCards(undefined as never, PROJECT, catalog, rows),
    firstOf: new Map(rows.map(firstCardOf).toReversed()),
    lotsOf: new Map(),
    expired: new Map(),
    returned: new Set(),
    done: new Set(),
    handouts: null,
  };
}
/** The state as it is loaded after all that was planned was saved. */
async function savedState(before: CampaignEarningState): Promise<CampaignEarningState> {
  const saved = [...before.cards.values()];
  const rows = saved.map(({ row, world, change: { card: own } }) =>
    world ? { ...row, account: own.account.sums, tier: own.tier } : row,
  );
  const lots = saved.flatMap(({ row, change }) => change.card.lots.map((lot) => ({ ...lot, account_id: row.id })));
  const db = (() => Promise.resolve(lots)) as never;
  const all = saved.flatMap(({ row, change }) => change.lots.map((lot) => ({ ...lot, account_id: row.id })));
  return {
    ...before,
    cards: await openPointCards(db, PROJECT, CATALOG, rows),
    lotsOf: Map.groupBy(all, ({ order_id }) => order_id ?? ""),
    returned: new Set(
      saved.flatMap(({ change }) =>
        change.entries.flatMap(({ details }) => (details.returned_lots as string[] | undefined) ?? []),
      ),
    ),
    done: new Set(before.done),
  };
}

let last = 0;
const origin = (name: string): Origin => {
  let made = 0;
  const newId = (prefix: string) => `${prefix}_${name}_${String(++made).padStart(4, "0")}`;
  return { request_id: name, now: NOW, newId, newSecret: () => "" } as Origin;
};
type Happening = { customer?: string; order?: string; amount?: number; name?: string };
function cause(kind: "customer.order.paid" | "customer.order.canceled", given: Happening = {}): Cause {
  const { customer = "cust_1", order = "ord_1", amount = 1_000, name = String(++last) } = given;
  const of = origin(name);
  const trigger: EarningTrigger = {
    of,
    id: `ev_${name}`,
    kind,
    order: { id: order, customer_id: customer } as OrderRow,
  };
  return {
    of,
    id: trigger.id,
    trigger,
    occurrence: occurrenceOf(trigger),
    customer: { id: customer, metadata: {}, birthdate: null } as unknown as CustomerRow,
    segments: new Set(),
    segmentsAt: () => new Set(),
    order: { id: order, source_id: null, amount, discount_amount: 0, items: [], metadata: {} } as unknown as Order,
    custom_event: {},
    card_id: null,
  };
}
const entered = (): Cause => {
  const { of, id, ...known } = cause("customer.order.paid");
  const trigger: EarningTrigger = {
    of,
    id,
    kind: "customer.segment.entered",
    customer_id: "cust_1",
    segment_id: "seg_1",
  };
  return { ...known, of, id, trigger, occurrence: occurrenceOf(trigger), order: null };
};

const available = ({ cards }: { cards: ReadonlyMap<string, PointCard> }, id: string): number =>
  cards.get(id)!.change.card.account.sums.available;
const entriesOf = (cards: ReadonlyMap<string, PointCard>): CardEntry[] =>
  [...cards.values()].flatMap(({ change }) => change.entries);
const shownOf = ({ cards, done }: CampaignEarningState) =>
  JSON.stringify([[...cards].map(([id, { change, changed_at }]) => [id, change, changed_at]), [...done]]);

test("nothing follows from an event that starts no rule, and from one of who has no card", async () => {
  const state = await stateOf();
  for (const unmatched of [entered(), cause("customer.order.paid", { customer: "cust_9" })])
    assert.deepEqual(planCampaignEarning(state, unmatched), NOTHING_EARNED);
});

test("nothing follows from an order that has earned already", async () => {
  const state = await stateOf();
  applyEarningPlan(state, planCampaignEarning(state, cause("customer.order.paid")));
  assert.deepEqual(planCampaignEarning(state, cause("customer.order.paid")), NOTHING_EARNED);
});

test("planning changes nothing: neither the cards, nor what orders have done", async () => {
  const state = await stateOf();
  const before = shownOf(state);
  const plan = planCampaignEarning(state, cause("customer.order.paid"));
  assert.equal(available(plan, "v_1"), 15);
  assert.equal(shownOf(state), before);
});

test("each entry and each move between tiers has the request that it follows from", async () => {
  const state = await stateOf();
  const paid = cause("customer.order.paid", { amount: 20_000 });
  const { cards, origins, events } = planCampaignEarning(state, paid);
  const { entries, tiers } = cards.get("v_1")!.change;
  const ids = [
    ...entries.map(({ id }) => id),
    ...tiers.flatMap((one) => (one.kind === "made" ? one.transaction.id : [])),
  ];
  assert.deepEqual(new Set(origins.keys()), new Set(ids));
  assert.ok(origins.values().every(({ of }) => of === paid.of));
  assert.equal(available({ cards }, "v_1"), 215, "5, 200 for the order, and 10 for the tier that it led to");
  assert.deepEqual(
    events.flatMap(({ happened }) => happened.map(({ payload }) => payload!.points)),
    [5, 200, 10],
  );
});

test("a card that cannot take so many points stays as it is, and the order has earned all the same", async () => {
  const sums = { available: 0, pending: 0, received: Number.MAX_SAFE_INTEGER, subtracted: 0, expired: 0, spent: 0 };
  const full = { ...ROWS[0]!, account: sums, tier: noTier("camp_1") };
  const nothing = (() => Promise.resolve([])) as never;
  const state = { ...(await stateOf()), cards: await openPointCards(nothing, PROJECT, CATALOG, [full]) };
  const { cards, orders, events } = planCampaignEarning(state, cause("customer.order.paid"));
  assert.deepEqual([cards.size, events.length], [0, 0]);
  assert.deepEqual(
    orders.map(({ id, isDone }) => [id, isDone]),
    [["ord_1", true]],
  );
});

test("a rule gives once for each kind of move to a tier, also when an order moves two cards of one customer", async () => {
  const left = rule("ern_4", { event: "customer.loyalty.tier.left", loyalty_tier_id: "ltr_top" });
  const state = await stateOf([card("v_1", "cust_1"), card("v_2", "cust_1")], catalogWith([...RULES, left]));
  const order = { order: "ord_1", amount: 10_000 };
  for (const id of ["v_1", "v_2"]) {
    const firstOf = new Map([[holderKey("cust_1", "camp_1"), id]]);
    const earning = { ...state, firstOf, done: new Set<string>() };
    planInOrder(earning, [cause("customer.order.paid", order)], planCampaignEarning);
  }
  const { cards, events } = planCampaignEarning(state, cause("customer.order.canceled", order));
  const moves = [...cards.values()].flatMap(({ change }) => change.tiers.slice(1));
  assert.equal(moves.length, 2, "both cards leave the tier");
  assert.deepEqual(
    events.flatMap(({ happened }) => happened.map(({ payload }) => payload!.points)),
    [5],
  );
});

test("who joins by an event earns on the card that they get; planning takes no card, applying the plan takes it", async () => {
  const free = { ...card("v_9", "cust_9"), holder_id: null, published_count: 0, template_version: null };
  const paid = (customer: string, order: string) => cause("customer.order.paid", { customer, order });
  const [first, second] = [paid("cust_8", "ord_8"), paid("cust_9", "ord_9")];
  const pools = { of: new Map([["camp_1", ["v_9"]]]), ids: [], hasMore: new Set<string>(), making: new Set<string>() };
  const codes = codesFrom(undefined as never, PROJECT, { locked: [free], pools, drafts: new Map() });
  const joinsBy = (of: Cause) => {
    const wish = wishFor(of.of, { campaign: CAMPAIGN });
    return [of, [{ cause: of, program: cardPrograms(CATALOG)[0]!, wish }]] as const;
  };
  const plain = await stateOf();
  const unheld = await openPointCards(undefined as never, PROJECT, CATALOG, [free]);
  const joining = { codes, joining: new Map([joinsBy(first), joinsBy(second)]), unheld, redeeming: null };
  const firstOf = new Map(plain.firstOf);
  const state = { ...plain, firstOf, handouts: joiningCardsFrom(joining, firstOf) };
  const before = shownOf(state);
  for (const plan of [planCampaignEarning(state, first), planCampaignEarning(state, first)]) {
    assert.deepEqual(
      plan.gifts.map(({ voucher, row }) => [voucher.id, voucher.holder_id, row.customer_id]),
      [["v_9", "cust_8", "cust_8"]],
    );
    assert.equal(available(plan, "v_9"), 15);
    assert.equal(shownOf(state), before, "the cards are as they were");
    assert.equal(codes.byId("v_9")?.published_count, 0);
  }
  const plan = planInOrder(state, [first, second, paid("cust_8", "ord_7")], planCampaignEarning);
  assert.equal(plan.gifts.length, 1, "there is one card to be given");
  assert.equal(codes.byId("v_9")?.holder_id, "cust_8");
  assert.equal(available(state, "v_9"), 30, "and its holder earns on it from then on");
});

const orders = fc.array(
  fc.record({ customer: fc.constantFrom("cust_1", "cust_2"), amount: fc.integer({ min: 0, max: 9_900 }) }),
  { minLength: 1, maxLength: 6 },
);
test("the parts sum to the whole: what is told of each rule is what the cards got", async () => {
  await fc.assert(
    fc.asyncProperty(orders, async (happened) => {
      const state = await stateOf();
      const causes = happened.map((one, n) => cause("customer.order.paid", { ...one, order: `ord_${n}` }));
      const { cards, events } = planInOrder(state, causes, planCampaignEarning);
      const told = events.flatMap(({ happened: all }) => all.map(({ payload }) => payload!.points as number));
      const moved = entriesOf(cards).reduce((sum, { amount }) => sum + amount, 0);
      const held = [...cards.keys()].reduce((sum, id) => sum + available({ cards }, id), 0);
      assert.deepEqual([moved, held], [held, told.reduce((sum, points) => sum + points, 0)]);
    }),
    { numRuns: 40 },
  );
});

test("a batch does what its events do one after the other, each on what the one before has saved", async () => {
  await fc.assert(
    fc.asyncProperty(orders, fc.array(fc.boolean(), { maxLength: 6 }), async (happened, returns) => {
      const causesOf = () =>
        happened.flatMap((one, n) => {
          const given = { ...one, order: `ord_${n}` };
          return [
            cause("customer.order.paid", { ...given, name: `paid${n}` }),
            ...(returns[n] ? [cause("customer.order.canceled", { ...given, name: `back${n}` })] : []),
          ];
        });
      const together = await stateOf();
      const plan = planInOrder(together, causesOf(), planCampaignEarning);
      let apart = await stateOf();
      const entries: CardEntry[] = [];
      for (const one of causesOf()) {
        const alone = planCampaignEarning(apart, one);
        entries.push(...entriesOf(alone.cards));
        applyEarningPlan(apart, alone);
        apart = await savedState(apart);
      }
      const inOrder = (all: readonly CardEntry[]) => all.map((entry) => JSON.stringify(entry)).sort();
      assert.deepEqual(inOrder(entriesOf(plan.cards)), inOrder(entries));
      for (const { id } of ROWS) assert.equal(available(together, id), available(apart, id));
      assert.deepEqual(together.done, apart.done);
    }),
    { numRuns: 25 },
  );
});

test("an order that is cancelled leaves what was there before it, and may earn again", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 9_000 }), fc.integer({ min: 0, max: 9_000 }), async (first, second) => {
      const state = await stateOf();
      planInOrder(state, [cause("customer.order.paid", { order: "ord_1", amount: first })], planCampaignEarning);
      const before = available(state, "v_1");
      const pay = () => cause("customer.order.paid", { order: "ord_2", amount: second });
      const cancel = () => cause("customer.order.canceled", { order: "ord_2", amount: second });
      planInOrder(state, [pay()], planCampaignEarning);
      const earned = available(state, "v_1");
      planInOrder(state, [cancel()], planCampaignEarning);
      // What the move to the tier brought is no part of the order.
      const ofTier = earned - before - (5 + Math.floor(second / 100));
      assert.equal(available(state, "v_1"), before + ofTier);
      assert.deepEqual(planCampaignEarning(state, cancel()), NOTHING_EARNED, "once");
      planInOrder(state, [pay()], planCampaignEarning);
      const again = available(state, "v_1");
      assert.ok(again >= earned, "it was paid anew");
      planInOrder(state, [cancel()], planCampaignEarning);
      assert.equal(
        available(state, "v_1"),
        again - (5 + Math.floor(second / 100)),
        "what it earned first is gone already",
      );
    }),
    { numRuns: 40 },
  );
});

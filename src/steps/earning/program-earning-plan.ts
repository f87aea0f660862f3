import type { Catalog } from "../../catalog/catalog.ts";
import type { ProgramSetup } from "../../catalog/program-setup.ts";
import { shownEventId } from "../../core/ids.ts";
import { advanceCard, changeCard } from "../../core/loyalty/card/card-at-work.ts";
import { cancelOrder } from "../../core/loyalty/card/spend.ts";
import { type Earned, earn, heed } from "../../core/loyalty/earning/earn.ts";
import {
  type Bases,
  decideRules,
  type EarningDecision,
  orderTotal,
  pointsOf,
} from "../../core/loyalty/earning/earning.ts";
import type { Earning, EarningEffect, EarningRule } from "../../core/loyalty/earning/earning-rule.ts";
import type { Rejection } from "../../core/loyalty/earning/limits.ts";
import { type EarningPlan, NOTHING_EARNED } from "../../core/loyalty/earning/plan.ts";
import { ruleGroupHolds } from "../../core/loyalty/earning/rule-group.ts";
import type { Benefit } from "../../core/loyalty/program/benefit.ts";
import { type MemberUses, used } from "../../core/loyalty/program/uses.ts";
import type { LotRow } from "../../core/rows/ledger.ts";
import type { MemberRow, OutcomeRow, TransactionRow } from "../../core/rows/loyalty.ts";
import { spend } from "../../core/steps.ts";
import { localDate } from "../../core/time/calendar.ts";
import type { NewEvent } from "../../events/events.ts";
import type { Origin, Project } from "../../request.ts";
import { type CardDrafts, changedDrafts, draftCards } from "../points/card-drafts.ts";
import { worldIn } from "../points/card-worlds.ts";
import type { CardInWorld, ProgramCard } from "../points/program-cards.ts";
import type { DrawnGift } from "../publishing/handing-over.ts";
import { type Cause, earningFacts, isCancelled } from "./earn-causes.ts";
import { type BenefitHandouts, draftHandouts, type HandoutDraft, rulesStartedIn } from "./earn-handouts.ts";

/** What earning of members of programs is planned from: rows that are locked, as each cause finds them after those before it. */
export type ProgramEarningState = {
  project: Pick<Project, "id" | "timezone">;
  zone: string;
  catalog: Catalog;
  setups: ReadonlyMap<string, ProgramSetup>;
  members: Map<string, MemberRow>;
  /** The ids of the members of a customer, in their order. */
  membersOf: ReadonlyMap<string, readonly string[]>;
  cards: Map<string, ProgramCard>;
  /** The ids of the cards of a member, in their order. */
  cardsOf: ReadonlyMap<string, readonly string[]>;
  /** What is left of benefits that are limited. */
  stock: Map<string, number>;
  /** What cancelled orders had earned and cost, as it is stored. */
  lotsOfOrder: ReadonlyMap<string, readonly LotRow[]>;
  paidFor: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** The codes that benefits bring; null: there are none. */
  handouts: BenefitHandouts | null;
};
export type ProgramEarningPlan = EarningPlan<ProgramCard, Origin, NewEvent, DrawnGift<Origin>>;

/** The plan of one cause as it is made: copies of cards, and the rows that are new or changed. */
type Draft = {
  state: ProgramEarningState;
  cards: CardDrafts<ProgramCard>;
  members: Map<string, MemberRow>;
  outcomes: OutcomeRow[];
  transactions: TransactionRow[];
  benefits: Map<string, number>;
  handouts: HandoutDraft;
};

/** A member whom a cause is about, at that moment. */
type Scene = { draft: Draft; cause: Cause; member: MemberRow; setup: ProgramSetup; cards: readonly CardInWorld[] };

/** What follows from one cause, for each membership of the customer. */
export function planProgramEarning(state: ProgramEarningState, cause: Cause): ProgramEarningPlan {
  const draft: Draft = {
    state,
    cards: draftCards(state.cards),
    members: new Map(),
    outcomes: [],
    transactions: [],
    benefits: new Map(),
    handouts: draftHandouts(state.handouts, { project: state.project, catalog: state.catalog, cause }),
  };
  if (isCancelled(cause)) cancel(draft, cause);
  else earnForMembers(draft, cause);
  const { members, outcomes, transactions, benefits, handouts } = draft;
  const cards = changedDrafts(state.cards, draft.cards);
  return { ...NOTHING_EARNED, cards, members, outcomes, transactions, benefits, gifts: handouts.gifts };
}

function earnForMembers(draft: Draft, cause: Cause): void {
  const { members, membersOf, setups } = draft.state;
  for (const memberId of membersOf.get(cause.customer?.id ?? "") ?? []) {
    const member = members.get(memberId);
    const setup = setups.get(member?.program_id ?? "");
    if (!member || !setup || member.status !== "ACTIVE" || setup.program.status !== "ACTIVE") continue;
    const cards = cardsInWorlds(draft, cause, { setup, memberId });
    if (cause.card_id !== null && !cards.some(({ card }) => card.row.id === cause.card_id)) continue;
    for (const { card, world } of cards) advanceCard(card, world);
    earnForMember({ draft, cause, member, setup, cards });
  }
}

function cardsInWorlds(
  { state, cards }: Draft,
  cause: Cause,
  { setup, memberId }: { setup: ProgramSetup; memberId: string },
): CardInWorld[] {
  const { now, newId } = cause.of;
  const isInSegment = (id: string, at: string) => (at === now ? cause.segments : cause.segmentsAt(at)).has(id);
  const living = { now, newId, zone: state.zone, isInSegment };
  return (state.cardsOf.get(memberId) ?? []).flatMap((id) => {
    const world = worldIn(setup, cards.see(id)!.row.card_definition_id, living);
    return world ? [{ card: cards.of(id)!, world }] : [];
  });
}

/** Rules are decided on the tiers before the event, and so one does not follow from another. */
function earnForMember(scene: Scene): void {
  const { draft, cause, member, setup, cards } = scene;
  const { catalog, project, zone } = draft.state;
  const when = { now: cause.of.now, zone };
  const tiers = new Map(cards.map(({ card: { change } }) => [change.card.tier?.tier_structure_id, change.card.tier]));
  const watching = setup.tiers?.structure.id;
  const facts = earningFacts(cause, project, member.metadata);
  const decisions = decideRules(
    {
      program: setup.program,
      member: { status: member.status as "ACTIVE", uses: member.uses as MemberUses },
      rules: rulesStartedIn(catalog, setup.program.id, cause),
      tierIn: (id) => (id === watching ? (tiers.get(id)?.tier_id ?? null) : null),
      holds: ({ rules }) => ruleGroupHolds(rules, facts),
    },
    cause.occurrence,
    when,
  );
  const { schema_id } = cause.occurrence;
  if (schema_id !== undefined)
    for (const { card, world } of cards)
      changeCard(card, world, (state) => ({ change: heed(state, world, schema_id) }));
  for (const decision of decisions) giveDecided(scene, decision, when);
}

/** What was given of an earning: points into a wallet, or something else. */
type EarnedItem = { card_definition_id: string | null; points: number; pending_points: number };

function giveDecided(
  scene: Scene,
  { rule, outcome, earning }: EarningDecision,
  when: { now: string; zone: string },
): void {
  const { draft, cause, member } = scene;
  const note = (row: Pick<OutcomeRow, "outcome"> & Partial<EarnedItem>) =>
    draft.outcomes.push({
      id: cause.of.newId("leout"),
      program_id: member.program_id,
      member_id: member.id,
      earning_rule_id: rule.id,
      earning_item_id: earning?.id ?? null,
      card_definition_id: null,
      points: 0,
      pending_points: 0,
      local_date: localDate(when.now, when.zone).toString(),
      cause: cause.id,
      created_at: when.now,
      ...row,
    });
  if (earning === null) return void note({ outcome });
  const given = earning.effects.flatMap((effect) => give(scene, { rule, earning, effect }) ?? []);
  // Contract is silent: a rule of which nothing could be given did not succeed, and is counted as a failure.
  if (given.length === 0) return void note({ outcome: "no_effect" });
  const { uses } = draft.members.get(member.id) ?? member;
  draft.members.set(member.id, { ...member, uses: used((uses ?? {}) as MemberUses, rule.id, when) });
  for (const [card_definition_id, all] of Map.groupBy(given, (item) => item.card_definition_id)) {
    const points = all.reduce((sum, item) => sum + item.points, 0);
    const pending_points = all.reduce((sum, item) => sum + item.pending_points, 0);
    note({ outcome: "success", card_definition_id, points, pending_points });
  }
}

type Item = { rule: EarningRule; earning: Earning; effect: EarningEffect };

const basesOf = ({ of, order, customer, custom_event }: Cause): Bases => ({
  steps: of.steps,
  order,
  customer: customer?.metadata ?? {},
  custom_event,
});

/** For each effect that is given: a card changes, and what happened is kept. */
const GIVEN_STEPS = 300;

/** Gives one effect; null: nothing of it could be given. */
function give(scene: Scene, item: Item): EarnedItem | null {
  spend(scene.cause.of.steps, GIVEN_STEPS);
  if (item.effect.type === "INCENTIVE") return giveBenefit(scene, item, item.effect.incentive.id);
  const { card_definition_id, points, effect } = pointsOf(item.effect, basesOf(scene.cause))!;
  const earned = givePoints(scene, item, { card_definition_id, points, effect });
  return earned && earned.points + earned.pending_points > 0 ? { card_definition_id, ...sumsOf(earned) } : null;
}

const sumsOf = ({ points, pending_points }: Earned) => ({ points, pending_points });
type Points = NonNullable<ReturnType<typeof pointsOf>>;

/** Null: the member has no card of the wallet. */
function givePoints(
  { cause, member, setup, cards }: Scene,
  { rule, earning }: Pick<Item, "rule" | "earning">,
  { card_definition_id, points, effect }: Points,
): Earned | null {
  const wallet = cards.find(({ card }) => card.row.card_definition_id === card_definition_id);
  if (!wallet) return null;
  const metadata = {
    event_id: shownEventId(cause.id),
    member_id: member.id,
    program_id: member.program_id,
    earning_item_id: earning.id,
    earning_rule_id: rule.id,
  };
  return changeCard(wallet.card, wallet.world, (state, world) =>
    earn(state, world, {
      points,
      effect,
      orderTotal: cause.order && orderTotal(cause.order),
      order_id: cause.order?.id ?? null,
      reason: `${setup.program.name} / ${rule.name}`,
      details: { metadata },
    }),
  );
}

/** Every benefit that is given is a transaction, and one that could not be, too. */
function giveBenefit(scene: Scene, item: Item, id: string): EarnedItem | null {
  const { state, benefits } = scene.draft;
  const benefit = state.catalog.benefits.get(id);
  if (benefit?.status !== "ACTIVE") return null;
  const taken = benefits.get(id) ?? 0;
  if ((state.stock.get(id) ?? Number.POSITIVE_INFINITY) - taken < 1) {
    noteBenefit(scene, item, benefit, { rejection: { reason: "OUT_OF_STOCK", details: null } });
    return null;
  }
  const done = fulfil(scene, item, benefit);
  if (done === null) return null;
  noteBenefit(scene, item, benefit, done);
  if ("rejection" in done) return null;
  if (state.stock.has(id)) benefits.set(id, taken + 1);
  return done.given;
}

type Fulfilled = { given: EarnedItem; result: Record<string, unknown> | null };
const NO_POINTS: EarnedItem = { card_definition_id: null, points: 0, pending_points: 0 };

/** Null: there is nothing to give. */
function fulfil(scene: Scene, item: Item, benefit: Benefit): Fulfilled | { rejection: Rejection } | null {
  const { config } = benefit;
  if ("material" in config) return { given: NO_POINTS, result: { material: config.material } };
  if ("digital" in config) {
    const published = scene.draft.handouts.hand(benefit);
    return "rejection" in published ? published : { given: NO_POINTS, result: published.result };
  }
  const effect = asEffect(config);
  const wanted = pointsOf(effect, basesOf(scene.cause))!;
  const earned = givePoints(scene, item, wanted);
  if (earned === null) return null;
  if (earned.rejection) return { rejection: earned.rejection };
  if (earned.points + earned.pending_points === 0) return null;
  const { card_definition_id } = wanted;
  const transaction = earned.change.entries.find(({ kind }) => kind === "accrual" || kind === "pending_addition")!;
  const result = {
    card: { id: earned.change.card.id },
    card_transaction: { id: transaction.id },
    points: { total: earned.points + earned.pending_points },
  };
  return { given: { card_definition_id, ...sumsOf(earned) }, result };
}

const asEffect = (
  config: Extract<Benefit["config"], { points: unknown } | { points_proportional: unknown }>,
): EarningEffect =>
  "points" in config
    ? { type: "POINTS", points: { ...config.points, points_expiration: null } }
    : {
        type: "POINTS_PROPORTIONAL",
        points_proportional: { ...config.points_proportional, points_expiration: null },
      };

function noteBenefit(
  { draft, cause, member, setup }: Scene,
  { rule, earning }: Item,
  benefit: Benefit,
  done: Fulfilled | { rejection: Rejection },
): void {
  const rejection = "rejection" in done ? done.rejection : null;
  draft.transactions.push({
    project_id: draft.state.project.id,
    id: cause.of.newId("lbtx"),
    kind: "benefit",
    program_id: member.program_id,
    member_id: member.id,
    card_id: null,
    card_definition_id: null,
    type: "FULFILLMENT",
    subject_id: benefit.id,
    status: rejection ? "REJECTED" : "APPROVED",
    details: {
      reason: `${setup.program.name} / ${rule.name}`,
      rejection,
      metadata: { event_id: shownEventId(cause.id), earning_item_id: earning.id },
      result: "result" in done ? done.result : null,
      earning_rule_id: rule.id,
    },
    created_at: cause.of.now,
    updated_at: null,
  });
}

/** Takes back what an order earned, and gives back what was paid for it, on every card that it moved. */
function cancel(draft: Draft, cause: Cause): void {
  const order_id = cause.order!.id!;
  const { lotsOfOrder, paidFor, setups, members, cardsOf } = draft.state;
  const stored = Map.groupBy(lotsOfOrder.get(order_id) ?? [], ({ account_id }) => account_id);
  const paid = paidFor.get(order_id);
  for (const memberId of cardsOf.keys()) {
    const setup = setups.get(members.get(memberId)?.program_id ?? "");
    if (!setup) continue;
    for (const { card, world } of cardsInWorlds(draft, cause, { setup, memberId })) {
      const earned = () => card.change.lots.filter((lot) => lot.order_id === order_id);
      const points = paid?.get(card.row.id) ?? 0;
      const before = stored.get(card.row.id) ?? [];
      if (before.length + earned().length + points === 0) continue;
      advanceCard(card, world);
      const lots = new Map([...before, ...earned()].map((lot) => [lot.id, lot]));
      const order = { order_id, lots: [...lots.values()], paid: points };
      changeCard(card, world, (state) => ({ change: cancelOrder(state, world, order) }));
    }
  }
}

import type { Catalog } from "../../catalog/catalog.ts";
import type { CardProgram } from "../../catalog/earn-programs.ts";
import {
  expirationOfRule,
  type TierMove,
  takeBackEarned,
  tierMovesOf,
  worldOfRule,
} from "../../core/loyalty/campaign/earning.ts";
import { noChange } from "../../core/loyalty/card/card.ts";
import { advanceCard, cardDueAt, changeCard, type SpentPoints } from "../../core/loyalty/card/card-at-work.ts";
import { earn, isRoom } from "../../core/loyalty/earning/earn.ts";
import { doneKey, type EarningPlan, NOTHING_EARNED, type TransactionOrigin } from "../../core/loyalty/earning/plan.ts";
import {
  campaignCauseOf,
  RETURNED,
  startsCampaignRule,
  TIER_EVENTS,
  triggerOf,
} from "../../core/loyalty/earning/triggers.ts";
import type { CampaignEarningRuleRow } from "../../core/rows/campaign.ts";
import type { LotRow } from "../../core/rows/ledger.ts";
import { spend } from "../../core/steps.ts";
import { isBefore } from "../../core/time/calendar.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { EventsOf, NewEvent } from "../../events/events.ts";
import type { Origin } from "../../request.ts";
import { type CardDrafts, changedDrafts, draftCards } from "../points/card-drafts.ts";
import { type EarningProject, isReturned, occurrenceOf } from "../points/earning-triggers.ts";
import { isActiveCard, type PointCard, pointCardWith, pointWorld } from "../points/point-cards.ts";
import type { DrawnGift } from "../publishing/handing-over.ts";
import { type CauseStep, detailsOf, eventOf } from "./campaign-earning-details.ts";
import type { Cause } from "./earn-causes.ts";
import { firstCardOf, giftsOf, holderKey, type JoiningCards } from "./earn-joining.ts";
import { pointsGiven, rulesGiving } from "./earn-rules.ts";

/** What earning on codes of loyalty campaigns is planned from: rows that are locked, as each cause finds them after those before it. */
export type CampaignEarningState = {
  project: EarningProject;
  catalog: Catalog;
  programs: readonly CardProgram[];
  cards: Map<string, PointCard>;
  /** The card of a customer in a campaign: the first, should there be several. */
  firstOf: ReadonlyMap<string, string>;
  /** What orders have earned, as it is stored. */
  lotsOf: ReadonlyMap<string, readonly LotRow[]>;
  /** How much of it had expired. */
  expired: ReadonlyMap<string, number>;
  /** What was taken back when its order was returned before. */
  returned: ReadonlySet<string>;
  /** What orders have done last: earned, or given back. Either makes the other possible again. */
  done: Set<string>;
  /** Cards for those who join; null: nobody does. */
  handouts: JoiningCards | null;
};
export type CampaignEarningPlan = EarningPlan<PointCard, Origin, NewEvent, DrawnGift<Origin>>;

/** The plan of one cause as it is made: copies of cards, and what is noted on the way. */
type Draft = Pick<CampaignEarningState, "project" | "catalog" | "programs"> & {
  state: CampaignEarningState;
  cards: CardDrafts<PointCard>;
  spent: SpentPoints[];
  origins: Map<string, TransactionOrigin<Origin>>;
  events: EventsOf<Origin>[];
};

function draftOf(state: CampaignEarningState): Draft {
  const { project, catalog, programs } = state;
  const spent: SpentPoints[] = [];
  const cards = draftCards(state.cards, (card) => ({
    ...card,
    code: { ...card.code!, spent: card.code!.spent && spent },
  }));
  return { project, catalog, programs, state, cards, spent, origins: new Map(), events: [] };
}

/** What follows from one cause: who joins by it has a card, and earns on it. */
export function planCampaignEarning(state: CampaignEarningState, cause: Cause): CampaignEarningPlan {
  const gifts = state.handouts ? giftsOf(state.handouts, state.project, cause) : [];
  if (gifts.length === 0) return planOnCards(state, cause);
  const joined = new Map(gifts.map((gift) => [gift.voucher.id, cardGiven(state, gift)]));
  const cards = new Map([...state.cards, ...joined]);
  const firstOf = new Map([...state.firstOf, ...gifts.map(({ voucher }) => firstCardOf(voucher))]);
  const plan = planOnCards({ ...state, cards, firstOf }, cause);
  return { ...plan, gifts, cards: new Map([...joined, ...plan.cards]) };
}

/** The card of who joins, as it is once it is published. */
function cardGiven({ catalog, handouts }: CampaignEarningState, { voucher, published, drawn, of }: DrawnGift<Origin>) {
  const { unheld, redeeming } = handouts!;
  const opened = published.card ?? unheld.get(voucher.id)!;
  const card = pointCardWith(opened.change.card.lots, { row: voucher, campaign: drawn.campaign, catalog, redeeming });
  // A code that is made has its moment when it is saved.
  card.change.card.created_at ||= of.now;
  return card;
}

/**
 * What follows on cards, and from the moves between tiers that it brings. A rule gives once for each kind of move to a
 * tier, so it ends, whatever rules there are.
 */
function planOnCards(state: CampaignEarningState, cause: Cause): CampaignEarningPlan {
  const kind = campaignCauseOf(cause.trigger.kind);
  const orderId = cause.order?.id ?? "";
  if (kind && state.done.has(doneKey(kind, orderId))) return NOTHING_EARNED;
  const draft = draftOf(state);
  catchUp(draft, cause);
  const steps: CauseStep[] = [{ cause, trigger: cause.trigger, id: cause.id }];
  const returned = isReturned(cause.trigger) ? takeBack(draft, cause) : null;
  const hasEarned = earnFromSteps(draft, [...steps, ...(returned ?? [])]);
  const isDone = returned !== null || hasEarned;
  const { spent, origins, events } = draft;
  return {
    ...NOTHING_EARNED,
    cards: changedDrafts(state.cards, draft.cards),
    // Also when nothing was there to be taken back: what is paid after a return is paid anew.
    orders: kind && (isDone || kind === RETURNED) ? [{ id: orderId, cause: kind, isDone, at: cause.of.now }] : [],
    spent,
    origins,
    events,
  };
}

/** Earns in every program from what happened, and from the moves between tiers that follow. False: there was no card for any of it. */
function earnFromSteps(draft: Draft, steps: CauseStep[]): boolean {
  const given = new Set<string>();
  let hasEarned = false;
  for (let n = 0; n < steps.length; n += 1)
    for (const program of draft.programs) {
      const moves = earnIn(draft, steps[n]!, { program, given });
      hasEarned ||= moves !== null;
      steps.push(...(moves ?? []));
    }
  return hasEarned;
}

const waitsForTiers = (programs: readonly CardProgram[]): boolean =>
  programs.some(({ rules }) => rules.some(({ loyalty_tier_id }) => loyalty_tier_id !== null));

/**
 * What time has brought to the cards of the customer before the cause, one moment after the other: what a move between
 * tiers earns is dated at the move, also when no sweep came by.
 */
function catchUp(draft: Draft, cause: Cause): void {
  const { customer, of } = cause;
  if (!customer || !waitsForTiers(draft.programs)) return;
  const ids = [...draft.state.cards.values()]
    .filter(({ row }) => row.holder_id === customer.id)
    .map(({ row }) => row.id);
  const worldAt = ({ campaign }: PointCard, now: string) =>
    pointWorld(draft.catalog, campaign, { ...timeOf(draft, cause), now });
  const firstDue = () =>
    ids
      .map((id) => draft.cards.see(id)!)
      .map((card) => ({ card, at: cardDueAt(card, worldAt(card, of.now)) ?? of.now }))
      .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))[0];
  for (let next = firstDue(); next && isBefore(next.at, of.now); next = firstDue()) {
    const { at } = next;
    const card = draft.cards.of(next.card.row.id)!;
    const then: Cause = { ...cause, of: { ...of, now: at }, segments: cause.segmentsAt(at), card_id: null };
    earnFromSteps(
      draft,
      watch(draft, then, card, () => advanceCard(card, worldAt(card, at))),
    );
  }
}

const timeOf = ({ project }: Draft, { of }: Cause) => ({ now: of.now, newId: of.newId, zone: zoneOf(project) });

/** The id of the card that earns in a program: the one that the event names, or the customer's, while it is active. */
function earningCard({ state, cards }: Draft, { customer, card_id, of }: Cause, { campaign }: CardProgram) {
  const id = card_id ?? state.firstOf.get(holderKey(customer!.id, campaign.id)) ?? "";
  const card = cards.see(id);
  if (card?.row.campaign_id !== campaign.id || card.row.holder_id !== customer!.id) return null;
  return isActiveCard(card, of.now) ? cards.of(id)! : null;
}

/** The tiers that a customer is in, of all cards that are looked at. */
const tiersOf = ({ programs, state, cards }: Draft, { customer }: Cause): ReadonlySet<string> =>
  new Set(
    programs.flatMap(({ campaign }) => {
      const card = cards.see(state.firstOf.get(holderKey(customer!.id, campaign.id)) ?? "");
      return card?.change.card.tier?.tier_id ?? [];
    }),
  );

/** Gives what the rules of one program give. What follows are the moves between tiers; null: there is no card. */
function earnIn(
  draft: Draft,
  step: CauseStep,
  { program, given }: { program: CardProgram; given: Set<string> },
): CauseStep[] | null {
  const { cause, trigger } = step;
  const { catalog, project } = draft;
  const occurrence = occurrenceOf(trigger);
  if (!cause.customer || !program.rules.some((rule) => startsCampaignRule(rule, occurrence))) return null;
  const card = earningCard(draft, cause, program);
  if (!card) return null;
  const world = pointWorld(catalog, program.campaign, timeOf(draft, cause));
  const follows = watch(draft, cause, card, () => advanceCard(card, world));
  // Rules are decided on the tier before they give: one does not change what another one gives.
  const tier = catalog.campaign_tiers.get(card.change.card.tier?.tier_id ?? "") ?? null;
  const asking = { catalog, project, cause, tiers: tiersOf(draft, cause) };
  for (const rule of rulesGiving(asking, program, occurrence)) {
    const once = "tier_id" in occurrence ? `${rule.id} ${occurrence.event} ${occurrence.tier_id}` : null;
    if (once !== null && given.has(once)) continue;
    if (once !== null) given.add(once);
    const mapping = tier?.earning_rules[rule.id];
    const points = pointsGiven(asking, rule, mapping);
    const details = detailsOf(catalog, step, { rule, tier, mapped: mapping ? tier : null });
    follows.push(...watch(draft, cause, card, () => give(draft, step, { card, world, rule, points, details })));
  }
  return follows;
}

/** For each rule that gives: a card changes, and what happened is kept. */
const GIVEN_STEPS = 300;

type Reward = {
  card: PointCard;
  world: Parameters<typeof changeCard>[1];
  rule: CampaignEarningRuleRow;
  points: number;
  details: Record<string, unknown>;
};

/** Puts the points of a rule on a card, at once or to wait. A card that cannot take so many gets none. */
function give(draft: Draft, { cause, trigger, id }: CauseStep, { card, world, rule, points, details }: Reward): void {
  if (points === 0) return;
  spend(cause.of.steps, GIVEN_STEPS);
  const order = trigger === cause.trigger ? cause.order : null;
  const before = card.change.entries.length;
  changeCard(card, world, (state, own) =>
    isRoom(state, points)
      ? earn(state, worldOfRule(own, rule.pending_points), {
          points,
          reason: null,
          orderTotal: null,
          order_id: order?.id ?? null,
          details,
          effect: expirationOfRule(rule.expiration_rules),
          waits: rule.pending_points && { ...details, event: eventOf(cause, details) },
        })
      : { change: noChange(state) },
  );
  const entry = card.change.entries.slice(before).find(({ kind }) => kind === "accrual");
  if (!entry) return;
  const { id: voucher_id, campaign_id, holder_id: customer_id } = card.row;
  const payload = {
    points,
    balance: entry.balance,
    transaction_id: entry.id,
    earning_rule_id: rule.id,
    event_id: id,
    order_id: order?.id ?? null,
    loyalty_tier: details.loyalty_tier ?? null,
  };
  const happened = [
    { kind: "customer.rewarded.loyalty_points" as const, customer_id, voucher_id, campaign_id, payload },
  ];
  draft.events.push({ of: cause.of, happened });
}

/** Does something with a card, and returns the moves between tiers that it brought. */
function watch(draft: Draft, cause: Cause, card: PointCard, run: () => void): CauseStep[] {
  const { card: before, entries, tiers } = card.change;
  run();
  const { of } = cause;
  for (const { id } of card.change.entries.slice(entries.length)) draft.origins.set(id, { of });
  const moves = tierMovesOf(before.tier, card.change.tiers.slice(tiers.length));
  return moves.flatMap((move) => stepOf(draft, cause, card, move));
}

function stepOf(
  draft: Draft,
  cause: Cause,
  { row }: PointCard,
  { transaction_id, type, tier_id }: TierMove,
): CauseStep[] {
  const { of } = cause;
  if (row.holder_id === null) return [];
  const kind = TIER_EVENTS[type];
  const about = { campaign_id: row.campaign_id!, tier_id };
  const isWaitedFor = draft.programs.some(({ rules }) =>
    rules.some((rule) => startsCampaignRule(rule, { event: kind, ...about })),
  );
  const event = isWaitedFor ? of.newId("ev") : undefined;
  draft.origins.set(transaction_id, { of, ...(event && { event }) });
  if (!event || row.holder_id !== cause.customer?.id) return [];
  return [{ cause, id: event, trigger: { of, id: event, kind, customer_id: row.holder_id, ...about } }];
}

/** Takes back what an order earned, on every card that it earned on. Null: it earned nothing. */
function takeBack(draft: Draft, cause: Cause): CauseStep[] | null {
  const order_id = cause.order!.id!;
  const { v1 } = triggerOf(cause.trigger.kind);
  const reason = v1?.wakes === "returns" ? v1.reason : "";
  const stored = Map.groupBy(draft.state.lotsOf.get(order_id) ?? [], ({ account_id }) => account_id);
  let steps: CauseStep[] | null = null;
  for (const id of draft.state.cards.keys()) {
    const isNew = isNotReturned(draft.state, draft.cards.see(id)!);
    const earned = () => draft.cards.see(id)!.change.lots.filter((lot) => lot.order_id === order_id && isNew(lot));
    const before = (stored.get(id) ?? []).filter(isNew);
    if (before.length + earned().length === 0) continue;
    const card = draft.cards.of(id)!;
    const world = pointWorld(draft.catalog, card.campaign, timeOf(draft, cause));
    const moves = watch(draft, cause, card, () => {
      advanceCard(card, world);
      const lots = [...new Map([...before, ...earned()].map((lot) => [lot.id, lot])).values()];
      changeCard(card, world, (state, own) => ({
        change: takeBackEarned(state, own, { order_id, lots, expiredOf: expiredIn(draft.state, card), reason }),
      }));
    });
    steps = [...(steps ?? []), ...moves];
  }
  return steps;
}

/** Whether a lot was not taken back yet, with an order that earned again since. */
function isNotReturned({ returned }: CampaignEarningState, { change }: PointCard): (lot: { id: string }) => boolean {
  const now = change.entries.flatMap(({ details }) => (details.returned_lots as string[] | undefined) ?? []);
  return ({ id }) => !returned.has(id) && !now.includes(id);
}

/** How much of a lot has expired, before and by the passing of time until now. */
const expiredIn =
  ({ expired }: CampaignEarningState, { change }: PointCard) =>
  (lotId: string): number =>
    change.entries
      .filter(({ kind }) => kind === "expiration" || kind === "manual_expiration")
      .flatMap(({ lots }) => lots.filter(([id]) => id === lotId))
      .reduce((sum, [, by]) => sum - by, expired.get(lotId) ?? 0);

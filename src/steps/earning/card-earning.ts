import type { Catalog } from "../../catalog/catalog.ts";
import { type CardProgram, cardPrograms, hasCards } from "../../catalog/earn-programs.ts";
import {
  expirationOfRule,
  type TierMove,
  takeBackEarned,
  tierMovesOf,
  worldOfRule,
} from "../../core/loyalty/campaign/earning.ts";
import { noChange } from "../../core/loyalty/card/card.ts";
import { advanceCard, cardDueAt, changeCard } from "../../core/loyalty/card/card-at-work.ts";
import { earn, isRoom } from "../../core/loyalty/earning/earn.ts";
import {
  campaignCauseOf,
  RETURNED,
  startsCampaignRule,
  TIER_EVENTS,
  triggerOf,
  undoneBy,
} from "../../core/loyalty/earning/triggers.ts";
import type { LotRow } from "../../core/rows/ledger.ts";
import { spend } from "../../core/steps.ts";
import { isBefore } from "../../core/time/calendar.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Tx } from "../../db/db.ts";
import type { EventsOf, NewEvent } from "../../events/events.ts";
import type { Origin } from "../../request.ts";
import { cardCausesOf } from "../../resources/ledger/earnings/store.ts";
import { expiredOf, lotsOfOrders, returnedLots } from "../../resources/ledger/ledger/store.ts";
import type { CampaignEarningRuleRow } from "../../resources/loyalty-v1/earning-rules/store.ts";
import { findHeldCards, type HeldCard } from "../../resources/promotions/vouchers/held-store.ts";
import { hasAutoRewards } from "../points/auto-rewards.ts";
import { type EarningProject, isReturned, occurrenceOf } from "../points/earning-triggers.ts";
import {
  type AutoRedeeming,
  isActiveCard,
  openPointCards,
  type PointCard,
  pointWorld,
  savePointCards,
} from "../points/point-cards.ts";
import { autoRedeeming, saveAutoRedeemed } from "./auto-redeem.ts";
import { doneKey, saveCauses } from "./card-causes.ts";
import { detailsOf, eventOf, type Step } from "./card-earning-details.ts";
import type { Cause } from "./earn-causes.ts";
import { joiningOf, keyOf, openCards } from "./earn-joining.ts";
import { pointsGiven, rulesGiving } from "./earn-rules.ts";

/** What causes work on: cards that are locked, and what becomes of them. */
type Work = {
  project: EarningProject;
  catalog: Catalog;
  programs: readonly CardProgram[];
  cards: ReadonlyMap<string, PointCard>;
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
  /** When they did so now. */
  causes: Map<string, string>;
  /** Which request an entry or a move between tiers follows from, and the event that is told of the move. */
  origins: Map<string, { of: Origin; event?: string }>;
  rewarded: EventsOf<Origin>[];
};

/**
 * Settles on loyalty cards what causes bring, in their order: find the cards of the customers, give one to who joins,
 * lock all of them, decide in memory, and save it, in a number of statements that does not depend on how many causes
 * there are. What is told of it is to be recorded.
 */
export async function settleCards(
  tx: Tx,
  project: EarningProject,
  catalog: Catalog,
  causes: readonly Cause[],
): Promise<EventsOf<Origin>[]> {
  const programs = cardPrograms(catalog);
  if (programs.length === 0 && !hasCards(catalog)) return [];
  const asked = causes.filter((one) => isReturned(one.trigger) || startsIn(programs, one));
  if (asked.length === 0) return [];
  return autoRedeeming(tx, hasAutoRewards(catalog), (db, auto) =>
    settle(db, { project, catalog, programs, auto }, asked),
  );
}

type Settling = Pick<Work, "project" | "catalog" | "programs"> & { auto: AutoRedeeming | null };

async function settle(
  tx: Tx,
  { project, catalog, programs, auto }: Settling,
  asked: readonly Cause[],
): Promise<EventsOf<Origin>[]> {
  const orderIds = [
    ...new Set(asked.flatMap(({ trigger, order }) => (campaignCauseOf(trigger.kind) ? (order?.id ?? []) : []))),
  ];
  const known = orderIds.length > 0 ? await cardCausesOf(tx, project.id, orderIds) : [];
  const done = new Set(known.map(({ kind, id }) => doneKey(kind, id)));
  const returned = asked.flatMap(({ trigger, order }) => (isReturned(trigger) ? (order?.id ?? []) : []));
  const lots = returned.length > 0 ? await lotsOfOrders(tx, project.id, [...new Set(returned)]) : [];
  const expired = lots.some(({ expires_at }) => expires_at !== null) ? await expiredOf(tx, project.id, lots) : [];
  const held = await findHeld(tx, project.id, { programs, asked });
  const joining = joiningOf({ project, catalog, programs, done, held }, asked);
  const ids = [...new Set([...held.map(({ id }) => id), ...lots.map(({ account_id }) => account_id).filter(isCode)])];
  if (ids.length + joining.length === 0) {
    for (const id of returned) for (const earned of undoneBy(RETURNED)) done.delete(doneKey(earned, id));
    await saveCauses(tx, { project, done, causes: new Map() }, known);
    return [];
  }
  const { rows, told } = await openCards(tx, project, { ids, joining });
  const work: Work = {
    project,
    catalog,
    programs,
    cards: await openPointCards(tx, project, catalog, rows, auto),
    firstOf: firstOf(rows),
    lotsOf: Map.groupBy(lots, ({ order_id }) => order_id!),
    expired: new Map(expired.map(({ lot_id, points }) => [lot_id, points])),
    returned: new Set(lots.length > 0 ? await returnedLots(tx, project.id, lots) : []),
    done,
    causes: new Map(),
    origins: new Map(),
    rewarded: [],
  };
  for (const cause of asked) settleCause(work, cause);
  const inOrder = [...work.cards.values()].sort((a, b) => (a.row.id < b.row.id ? -1 : 1));
  const tellings = await savePointCards(tx, project, inOrder, { source: "Automation" });
  await saveCauses(tx, work, known);
  const redeemed = await saveAutoRedeemed(
    tx,
    { project, catalog, auto, cards: work.cards },
    ({ id }) => work.origins.get(id)!.of,
  );
  return [...told, ...tellings.map((one) => originOf(work, one)), ...work.rewarded, ...redeemed];
}

/** Cards of programs of another kind have an account too. */
const isCode = (accountId: string): boolean => accountId.startsWith("v_");

const startsIn = (programs: readonly CardProgram[], { occurrence, customer }: Cause): boolean =>
  customer !== null && programs.some(({ rules }) => rules.some((rule) => startsCampaignRule(rule, occurrence)));

/** A move between tiers may be followed by points of another program: all cards of a customer are looked for. */
function findHeld(
  tx: Tx,
  projectId: string,
  { programs, asked }: { programs: readonly CardProgram[]; asked: readonly Cause[] },
): Promise<HeldCard[]> | HeldCard[] {
  const customerIds = [
    ...new Set(asked.flatMap(({ trigger, customer }) => (isReturned(trigger) ? [] : (customer?.id ?? [])))),
  ];
  if (customerIds.length === 0) return [];
  const campaignIds = programs.map(({ campaign }) => campaign.id);
  return findHeldCards(tx, projectId, { customerIds, campaignIds });
}

function firstOf(rows: readonly PointCard["row"][]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { id, holder_id, campaign_id } of rows) {
    const key = keyOf(holder_id ?? "", campaign_id ?? "");
    if (!found.has(key)) found.set(key, id);
  }
  return found;
}

/**
 * What follows from one cause, and from the moves between tiers that it brings. A rule gives once for each kind of move
 * to a tier, so it ends, whatever rules there are.
 */
function settleCause(work: Work, cause: Cause): void {
  const kind = campaignCauseOf(cause.trigger.kind);
  const orderId = cause.order?.id ?? "";
  if (kind && work.done.has(doneKey(kind, orderId))) return;
  catchUp(work, cause);
  const steps: Step[] = [{ cause, trigger: cause.trigger, id: cause.id }];
  const given = new Set<string>();
  let isDone = false;
  if (isReturned(cause.trigger)) {
    const moves = takeBack(work, cause);
    isDone = moves !== null;
    steps.push(...(moves ?? []));
  }
  for (let n = 0; n < steps.length; n += 1)
    for (const program of work.programs) {
      const moves = earnIn(work, steps[n]!, { program, given });
      isDone ||= moves !== null;
      steps.push(...(moves ?? []));
    }
  if (!kind) return;
  // Also when nothing was there to be taken back: what is paid after a return is paid anew.
  if (isDone || kind === RETURNED) for (const other of undoneBy(kind)) work.done.delete(doneKey(other, orderId));
  if (!isDone) return;
  work.done.add(doneKey(kind, orderId));
  work.causes.set(orderId, cause.of.now);
}

const waitsForTiers = (programs: readonly CardProgram[]): boolean =>
  programs.some(({ rules }) => rules.some(({ loyalty_tier_id }) => loyalty_tier_id !== null));

/**
 * What time has brought to the cards of the customer before the cause, one moment after the other: what a move between
 * tiers earns is dated at the move, also when no sweep came by.
 */
function catchUp(work: Work, cause: Cause): void {
  const { customer, of } = cause;
  if (!customer || !waitsForTiers(work.programs)) return;
  const cards = [...work.cards.values()].filter(({ row }) => row.holder_id === customer.id);
  const worldOf = (one: PointCard, now: string) =>
    pointWorld(work.catalog, one.campaign, { ...livingOf(work, cause), now });
  const firstDue = () =>
    cards
      .map((one) => ({ one, at: cardDueAt(one, worldOf(one, of.now)) ?? of.now }))
      .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))[0];
  for (let next = firstDue(); next && isBefore(next.at, of.now); next = firstDue()) {
    const { one, at } = next;
    const then: Cause = { ...cause, of: { ...of, now: at }, segments: cause.segmentsAt(at), card_id: null };
    const steps = watching(work, then, one, () => advanceCard(one, worldOf(one, at)));
    const given = new Set<string>();
    for (let n = 0; n < steps.length; n += 1)
      for (const program of work.programs) steps.push(...(earnIn(work, steps[n]!, { program, given }) ?? []));
  }
}

const livingOf = (work: Work, { of }: Cause) => ({ now: of.now, newId: of.newId, zone: zoneOf(work.project) });

/** The card that earns in a program: the one that the event names, or the customer's, while it is active. */
function cardOf(work: Work, { customer, card_id, of }: Cause, { campaign }: CardProgram): PointCard | null {
  const id = card_id ?? work.firstOf.get(keyOf(customer!.id, campaign.id));
  const one = work.cards.get(id ?? "");
  if (one?.row.campaign_id !== campaign.id || one.row.holder_id !== customer!.id) return null;
  return isActiveCard(one, of.now) ? one : null;
}

/** The tiers that a customer is in, of all cards that are looked at. */
const tiersOf = (work: Work, { customer }: Cause): ReadonlySet<string> =>
  new Set(
    work.programs.flatMap(({ campaign }) => {
      const one = work.cards.get(work.firstOf.get(keyOf(customer!.id, campaign.id)) ?? "");
      return one?.change.card.tier?.tier_id ?? [];
    }),
  );

/** Gives what the rules of one program give. What follows are the moves between tiers; null: there is no card. */
function earnIn(
  work: Work,
  step: Step,
  { program, given }: { program: CardProgram; given: Set<string> },
): Step[] | null {
  const { cause, trigger } = step;
  const occurrence = occurrenceOf(trigger);
  if (!cause.customer || !program.rules.some((rule) => startsCampaignRule(rule, occurrence))) return null;
  const one = cardOf(work, cause, program);
  if (!one) return null;
  const { catalog, project } = work;
  const world = pointWorld(catalog, program.campaign, livingOf(work, cause));
  const follows = [...watching(work, cause, one, () => advanceCard(one, world))];
  // Rules are decided on the tier before they give: one does not change what another one gives.
  const tier = catalog.campaign_tiers.get(one.change.card.tier?.tier_id ?? "") ?? null;
  const asking = { catalog, project, cause, tiers: tiersOf(work, cause) };
  for (const rule of rulesGiving(asking, program, occurrence)) {
    const once = "tier_id" in occurrence ? `${rule.id} ${occurrence.event} ${occurrence.tier_id}` : null;
    if (once !== null && given.has(once)) continue;
    if (once !== null) given.add(once);
    const mapping = tier?.earning_rules[rule.id];
    const points = pointsGiven(asking, rule, mapping);
    const details = detailsOf(catalog, step, { rule, tier, mapped: mapping ? tier : null });
    follows.push(...watching(work, cause, one, () => give(work, step, { one, world, rule, points, details })));
  }
  return follows;
}

/** For each rule that gives: a card changes, and what happened is kept. */
const GIVEN_STEPS = 300;

type Giving = {
  one: PointCard;
  world: NonNullable<PointCard["world"]>;
  rule: CampaignEarningRuleRow;
  points: number;
  details: Record<string, unknown>;
};

/** Puts the points of a rule on a card, at once or to wait. A card that cannot take so many gets none. */
function give(work: Work, { cause, trigger, id }: Step, { one, world, rule, points, details }: Giving): void {
  if (points === 0) return;
  spend(cause.of.steps, GIVEN_STEPS);
  const order = trigger === cause.trigger ? cause.order : null;
  const before = one.change.entries.length;
  changeCard(one, world, (card, own) =>
    isRoom(card, points)
      ? earn(card, worldOfRule(own, rule.pending_points), {
          points,
          reason: null,
          orderTotal: null,
          order_id: order?.id ?? null,
          details,
          effect: expirationOfRule(rule.expiration_rules),
          waits: rule.pending_points && { ...details, event: eventOf(cause, details) },
        })
      : { change: noChange(card) },
  );
  const entry = one.change.entries.slice(before).find(({ kind }) => kind === "accrual");
  if (!entry) return;
  const { id: voucher_id, campaign_id, holder_id: customer_id } = one.row;
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
  work.rewarded.push({ of: cause.of, happened });
}

/** Does something with a card, and returns the moves between tiers that it brought. */
function watching(work: Work, cause: Cause, one: PointCard, run: () => void): Step[] {
  const { card, entries, tiers } = one.change;
  run();
  const { of } = cause;
  for (const { id } of one.change.entries.slice(entries.length)) work.origins.set(id, { of });
  return tierMovesOf(card.tier, one.change.tiers.slice(tiers.length)).flatMap((move) => stepOf(work, cause, one, move));
}

function stepOf(work: Work, cause: Cause, { row }: PointCard, { transaction_id, type, tier_id }: TierMove): Step[] {
  const { of } = cause;
  const kind = TIER_EVENTS[type];
  const about = { kind, campaign_id: row.campaign_id!, tier_id };
  if (row.holder_id === null) return [];
  const isWaitedFor = work.programs.some(({ rules }) =>
    rules.some((rule) => startsCampaignRule(rule, { event: kind, ...about })),
  );
  const event = isWaitedFor ? of.newId("ev") : undefined;
  work.origins.set(transaction_id, { of, ...(event && { event }) });
  if (!event || row.holder_id !== cause.customer?.id) return [];
  return [{ cause, id: event, trigger: { of, id: event, customer_id: row.holder_id, ...about } }];
}

/** Takes back what an order earned, on every card that it earned on. Null: it earned nothing. */
function takeBack(work: Work, cause: Cause): Step[] | null {
  const order_id = cause.order!.id!;
  const stored = Map.groupBy(work.lotsOf.get(order_id) ?? [], ({ account_id }) => account_id);
  const { v1 } = triggerOf(cause.trigger.kind);
  const reason = v1?.wakes === "returns" ? v1.reason : "";
  let steps: Step[] | null = null;
  for (const one of work.cards.values()) {
    const world = pointWorld(work.catalog, one.campaign, livingOf(work, cause));
    const isNew = isNotReturned(work, one);
    const earned = () => one.change.lots.filter((lot) => lot.order_id === order_id && isNew(lot));
    const before = (stored.get(one.row.id) ?? []).filter(isNew);
    if (before.length + earned().length === 0) continue;
    const moves = watching(work, cause, one, () => {
      advanceCard(one, world);
      const lots = [...new Map([...before, ...earned()].map((lot) => [lot.id, lot])).values()];
      changeCard(one, world, (card, own) => ({
        change: takeBackEarned(card, own, { order_id, lots, expiredOf: expiredIn(work, one), reason }),
      }));
    });
    steps = [...(steps ?? []), ...moves];
  }
  return steps;
}

/** Whether a lot was not taken back yet, with an order that earned again since. */
function isNotReturned({ returned }: Work, { change }: PointCard): (lot: { id: string }) => boolean {
  const now = change.entries.flatMap(({ details }) => (details.returned_lots as string[] | undefined) ?? []);
  return ({ id }) => !returned.has(id) && !now.includes(id);
}

/** How much of a lot has expired, before and by the passing of time until now. */
const expiredIn =
  ({ expired }: Work, { change }: PointCard) =>
  (lotId: string): number =>
    change.entries
      .filter(({ kind }) => kind === "expiration" || kind === "manual_expiration")
      .flatMap(({ lots }) => lots.filter(([id]) => id === lotId))
      .reduce((sum, [, by]) => sum - by, expired.get(lotId) ?? 0);

/** Whose request something follows from: of the entry or the move that it tells of. */
function originOf({ origins }: Work, one: NewEvent): EventsOf<Origin> {
  const { of, event } = origins.get((one.payload as { transaction_id: string }).transaction_id)!;
  const isNamed = event !== undefined && one.kind !== "customer.loyalty.tier.expiration.changed";
  return { of, happened: [{ ...one, ...(isNamed && { id: event }) }] };
}

import { loadCatalog } from "../../catalog/catalog.ts";
import { loadSetups } from "../../catalog/program-setup.ts";
import type { FilterFact } from "../../core/filters/fields.ts";
import { neededFacts } from "../../core/filters/predicate.ts";
import { advanceCard, cardDueAt, reviewCard } from "../../core/loyalty/card/card-at-work.ts";
import { earliest, isBefore } from "../../core/time/calendar.ts";
import { record, recordAll, withIds } from "../../events/events.ts";
import { loadFilterSegments } from "../../resources/customers/segments/store.ts";
import { hasTierRules } from "../../resources/loyalty-v1/earning-rules/store.ts";
import { hasAutoAssignments } from "../../resources/loyalty-v1/reward-assignments/store.ts";
import {
  countDueCards,
  firstCardDueAt,
  hasDueCards,
  lockDueCards,
  saveDue,
} from "../../resources/loyalty-v2/cards/due-store.ts";
import {
  dropReviews,
  firstReviewAt,
  moveReview,
  nextCardIds,
  type Review,
  takeReviews,
} from "../../resources/loyalty-v2/cards/reviews-store.ts";
import { loadMembersById } from "../../resources/loyalty-v2/members/store.ts";
import type { ActionStep, AsyncActionRow } from "../../resources/platform/async-actions/store.ts";
import { getProject } from "../../resources/platform/projects/store.ts";
import {
  countDueCodes,
  firstCodeDueAt,
  hasDueCodes,
  lockDueCodes,
  nextCodeIds,
  saveCodesDue,
} from "../../resources/promotions/vouchers/points-store.ts";
import { lockVouchers } from "../../resources/promotions/vouchers/store.ts";
import { filterOf } from "../../steps/customers/segment-membership.ts";
import { earnFrom } from "../../steps/earning/earn-work.ts";
import { nextDay, type Sweeping, sweepCodes } from "../../steps/earning/point-sweep.ts";
import { dueAtOf, passOverSegments, sweepSegments } from "../../steps/earning/segment-sweep.ts";
import { loadWorlds } from "../../steps/points/card-worlds.ts";
import { tiersMoved } from "../../steps/points/earning-triggers.ts";
import { openProgramCards, type ProgramCards, saveProgramCards } from "../../steps/points/program-cards.ts";

/** Cards of a batch: it is over before anybody waits for one of them. */
const BATCH = 200;
/** What is recorded without a request of anybody. */
const NAME = "advance-cards";
const SECRET_BYTES = 32;

/** How far one step came. `held`: somebody else is at what comes first. */
export type Passed = {
  state: "more" | "held" | "done";
  /** The moment that it worked at. */
  at: string;
  /** Cards that were advanced. */
  count: number;
};

/**
 * Does some of what time has brought to a project until now, in the order of time. What a moment brings is one
 * transaction for each batch, with when its cards are due next: run again, by whomever, it goes on with what is left.
 *
 * At one moment cards come first, then segments, whose filters may look at points, then tiers that have to be looked at
 * again. Nothing goes on to a later moment while something is left of an earlier one. So one step over a year leaves the
 * rows that a step for every day would have left.
 */
export async function passTime(given: Sweeping, limit = BATCH): Promise<Passed> {
  const at = await nextMoment(given);
  if (at === null) return { state: "done", at: given.now, count: 0 };
  const c = { ...given, now: at };
  const count = (await advanceDueCodes(c, limit)) || (await advanceDueCards(c, limit));
  if (count > 0) return { state: "more", at, count };
  // What another worker holds is not found, and not done yet.
  if ((await hasDueCodes(c.db, c.project.id, at)) || (await hasDueCards(c.db, c.project.id, at)))
    return { state: "held", at, count };
  const isDone = (await recordSegments(c)) || (await reviewTiers(c)) > 0;
  return { state: isDone ? "more" : "held", at, count };
}

/** Filters over these facts give another answer when points move. */
const MOVED_BY_POINTS: readonly FilterFact[] = ["loyalty", "summary"];

/**
 * The next moment to work at; null: nothing is due by now. A card alone goes through its own moments one after the
 * other, each at its time, so cards are brought to now at once. They go no further than the next moment of a segment or of
 * a look at tiers, and moment by moment where what happens to one card may change what happens to another: rules wait
 * for moves between tiers, rewards are redeemed without being asked for, or segments look at points.
 */
async function nextMoment({ db, project, now }: Sweeping): Promise<string | null> {
  const segments = await loadFilterSegments(db, project.id);
  const stop = earliest([await firstReviewAt(db, project.id), ...segments.map((segment) => dueAtOf(segment, project))]);
  const first = earliest([stop, await firstCodeDueAt(db, project.id), await firstCardDueAt(db, project.id)]);
  if (first === null || isBefore(now, first)) return null;
  const isLinked =
    segments.some((segment) => MOVED_BY_POINTS.some((fact) => neededFacts(filterOf(segment)).has(fact))) ||
    (await hasTierRules(db, project.id)) ||
    (await hasAutoAssignments(db, project.id));
  return isLinked ? first : earliest([stop, now]);
}

/** Advances some of the cards that are due, and returns how many. */
async function advanceDueCards(c: Sweeping, limit: number): Promise<number> {
  const ids = await lockDueCards(c.db, c.project.id, { now: c.now, limit });
  if (ids.length > 0) await sweep(c, await openProgramCards(c.db, c.project.id, { ids }), { isReview: false });
  return ids.length;
}

/** The same for the codes of loyalty campaigns. */
async function advanceDueCodes(c: Sweeping, limit: number): Promise<number> {
  const rows = await lockDueCodes(c.db, c.project.id, { now: c.now, limit });
  await sweepAndTell(c, rows, { isReview: false });
  return rows.length;
}

/** Works out the members of segments that are due, and records what happened. False: none is due. */
async function recordSegments(c: Sweeping): Promise<boolean> {
  const swept = await sweepSegments(c);
  if (swept === null) return false;
  await record({ ...swept.of, db: c.db, project: c.project }, swept.moved);
  await recordAll(c.db, c.project.id, swept.following);
  return true;
}

/** Records what happened to codes. Where a rule waits for moves between tiers, it earns. */
async function sweepAndTell(
  c: Sweeping,
  rows: Parameters<typeof sweepCodes>[1],
  how: { isReview: boolean },
): Promise<void> {
  const of = { ...c, request_id: NAME, newSecret: () => Buffer.from(c.random(SECRET_BYTES)).toString("hex") };
  const { happened, redeemed } = await sweepCodes(c, rows, { ...how, of });
  const told = withIds(
    c,
    happened.toSorted((a, b) => Date.parse(a.at!) - Date.parse(b.at!)),
  );
  await record(of, told);
  await recordAll(c.db, c.project.id, redeemed);
  const moves = tiersMoved(told, of);
  if (moves.length === 0 || !(await hasTierRules(c.db, c.project.id))) return;
  const project = await getProject(c.db, c.project.id);
  const catalog = await loadCatalog(c.db, project.id);
  await recordAll(c.db, project.id, await earnFrom(c.db, project, catalog, moves));
}

/** Skips the earliest due moment, so that a card that fails does not hold up all others. */
export async function passOverFirst(given: Sweeping): Promise<void> {
  const at = await nextMoment(given);
  if (at === null) return;
  const c = { ...given, now: at };
  const { id: projectId } = c.project;
  const due_at = nextDay(given.now);
  const codes = await lockDueCodes(c.db, projectId, { now: at, limit: 1 });
  await saveCodesDue(
    c.db,
    projectId,
    codes.map(({ id }) => ({ id, due_at })),
  );
  if (codes.length > 0) return;
  const ids = await lockDueCards(c.db, projectId, { now: at, limit: 1 });
  await saveDue(
    c.db,
    projectId,
    ids.map((id) => ({ id, due_at })),
  );
  if (ids.length > 0 || (await passOverSegments(c))) return;
  const reviews = await takeReviews(c.db, projectId, { now: at, limit: 1 });
  await dropReviews(
    c.db,
    projectId,
    reviews.map(({ id }) => id),
  );
}

/** Looks at some of the tiers that have to be looked at, and returns how many questions were taken. */
async function reviewTiers(c: Sweeping): Promise<number> {
  const reviews = await takeReviews(c.db, c.project.id, { now: c.now, limit: BATCH });
  const whole = reviews.find(({ member_id }) => member_id === null);
  const memberIds = reviews.flatMap(({ member_id }) => member_id ?? []);
  if (reviews.length === 0) return 0;
  const ofCodes = whole?.program_id.startsWith("camp_") ? whole : null;
  const ids = ofCodes ? await reviewCodes(c, ofCodes) : await cardsToReview(c, whole);
  await sweep(c, await openProgramCards(c.db, c.project.id, { ids: ofCodes ? [] : ids, memberIds }), {
    isReview: true,
  });
  const isMore = whole !== undefined && ids.length === BATCH;
  if (isMore) await moveReview(c.db, c.project.id, { id: whole.id, after_card_id: ids.at(-1)! });
  const done = reviews.filter((review) => review.member_id !== null || (review === whole && !isMore));
  await dropReviews(
    c.db,
    c.project.id,
    done.map(({ id }) => id),
  );
  return reviews.length;
}

const cardsToReview = async (c: Sweeping, whole: Review | undefined): Promise<string[]> =>
  whole ? nextCardIds(c.db, c.project.id, { ...whole, limit: BATCH }) : [];

/** Looks at the tiers of the next codes of a loyalty campaign. */
async function reviewCodes(c: Sweeping, { program_id, after_card_id }: Review): Promise<string[]> {
  const which = { campaignId: program_id, after: after_card_id, limit: BATCH };
  const ids = await nextCodeIds(c.db, c.project.id, which);
  const rows = ids.length > 0 ? await lockVouchers(c.db, c.project.id, ids) : [];
  await sweepAndTell(c, rows, { isReview: true });
  return ids;
}

/** Brings locked cards to the present, in a number of statements that does not depend on how many there are. */
async function sweep(c: Sweeping, locked: ProgramCards, { isReview }: { isReview: boolean }): Promise<void> {
  const cards = [...locked.values()];
  const setups = await loadSetups(c.db, c.project.id, [...new Set(cards.map(({ row }) => row.program_id))]);
  const members = await loadMembersById(c.db, c.project.id, [...new Set(cards.map(({ row }) => row.member_id))]);
  const worldOf = await loadWorlds(c, setups, { members });
  // Cards that nothing happened to: settings have changed since it was written down when they are due. They must not be
  // found for ever.
  const unchanged: { id: string; due_at: string | null }[] = [];
  for (const card of cards) {
    const world = worldOf(card.row);
    if (world && isReview) reviewCard(card, world);
    else if (world) advanceCard(card, world);
    if (world && card.world === null) unchanged.push({ id: card.row.id, due_at: cardDueAt(card, world) });
    else if (!world && !isReview) unchanged.push({ id: card.row.id, due_at: nextDay(c.now) });
  }
  await saveProgramCards(c.db, c.project.id, locked);
  await saveDue(c.db, c.project.id, unchanged);
}

export type AdvanceProgress = { from?: string; to: string; total?: number; done?: number };
type Stepping = Omit<Sweeping, "project">;

/** A part of what time brings to a project whose clock was moved. */
export async function advanceStep(c: Stepping, action: AsyncActionRow): Promise<ActionStep> {
  const project = await getProject(c.db, action.project_id);
  const given = action.work as AdvanceProgress;
  const { total = await countDue(c, project.id), done = 0 } = given;
  const { state, at, count } = await passTime({ ...c, project });
  const work: AdvanceProgress = { ...given, total, done: done + count };
  if (state === "done") return { work, progress: 100, end: { operation_status: "SUCCESS", ...said(work) } };
  const share = isBefore(at, c.now) ? shareOf(at, work) : total && work.done! / total;
  return { work, progress: Math.max(action.progress, Math.min(99, Math.floor(share * 100))) };
}

/** How far a moment is from the time before the move to the time after it: 0 to 1. */
function shareOf(at: string, { from, to }: AdvanceProgress): number {
  const [first, last] = [Date.parse(from ?? at), Date.parse(to)];
  return last > first ? Math.max(0, Date.parse(at) - first) / (last - first) : 0;
}

const countDue = async ({ db, now }: Stepping, projectId: string): Promise<number> =>
  (await countDueCards(db, projectId, now)) + (await countDueCodes(db, projectId, now));

/** The clock stays where it was moved to; the sweep of every minute goes on with what is left. */
export function stopAdvance(action: AsyncActionRow, reason: string): ActionStep {
  const { message, done_count } = said(action.work as AdvanceProgress);
  const end = { operation_status: "FAILED", message: `${message} ${reason}`, done_count } as const;
  return { work: action.work, progress: action.progress, end };
}

const said = ({ to, done = 0 }: AdvanceProgress) => ({ message: `Advanced ${done} cards to ${to}.`, done_count: done });

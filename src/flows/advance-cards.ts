import { advanceCard, type CardWork, changeCard, loadCardWork, saveCardWork } from "../catalog/card-work.ts";
import { loadWorlds } from "../catalog/card-worlds.ts";
import { loadCatalog } from "../catalog/catalog.ts";
import { tiersMoved } from "../catalog/earn-causes.ts";
import { earnFrom } from "../catalog/earn-work.ts";
import { withIds } from "../catalog/happened.ts";
import { nextDay, type Sweeping, sweepCodes } from "../catalog/point-sweep.ts";
import { loadSetups } from "../catalog/program-setup.ts";
import { dueAt } from "../core/loyalty/advance.ts";
import { lookAgain } from "../core/loyalty/review.ts";
import { record, recordAll } from "../events/events.ts";
import type { ActionStep, AsyncActionRow } from "../resources/async-actions/store.ts";
import { hasTierRules } from "../resources/campaign-earning-rules/store.ts";
import { countDueCards, hasDueCards, lockDueCards, saveDue } from "../resources/loyalty-cards/due-store.ts";
import {
  dropReviews,
  moveReview,
  nextCardIds,
  type Review,
  takeReviews,
} from "../resources/loyalty-cards/reviews-store.ts";
import { loadMembersById } from "../resources/loyalty-members/store.ts";
import { getProject } from "../resources/projects/store.ts";
import {
  countDueCodes,
  hasDueCodes,
  lockDueCodes,
  nextCodeIds,
  saveCodesDue,
} from "../resources/vouchers/points-store.ts";
import { lockVouchers, type VoucherRow } from "../resources/vouchers/store.ts";

/** Cards of a batch: it is over before anybody waits for one of them. */
const BATCH = 200;
/** What is recorded without a request of anybody. */
const NAME = "advance-cards";
const SECRET_BYTES = 32;

/**
 * Advances some of the cards that are due, and returns how many. What they become, with the moment at which they are due
 * next, is one transaction: run again, by whomever, it goes on with those that are left.
 */
export async function advanceDueCards(c: Sweeping, limit = BATCH): Promise<number> {
  const ids = await lockDueCards(c.db, c.project.id, { now: c.now, limit });
  if (ids.length > 0) await sweep(c, await loadCardWork(c.db, c.project.id, { ids }), { isReview: false });
  return ids.length;
}

/** The same for the codes of loyalty campaigns. */
export async function advanceDueCodes(c: Sweeping, limit = BATCH): Promise<number> {
  const rows = await lockDueCodes(c.db, c.project.id, { now: c.now, limit });
  await sweepAndTell(c, rows, { isReview: false });
  return rows.length;
}

/** Records what happened to codes. Where a rule waits for moves between tiers, it earns. */
async function sweepAndTell(c: Sweeping, rows: readonly VoucherRow[], how: { isReview: boolean }): Promise<void> {
  const of = { ...c, request_id: NAME, newSecret: () => Buffer.from(c.random(SECRET_BYTES)).toString("hex") };
  const { happened, redeemed } = await sweepCodes(c, rows, { ...how, of });
  const told = withIds(c, happened);
  await record(of, told);
  await recordAll(c.db, c.project.id, redeemed);
  const moves = tiersMoved(told, of);
  if (moves.length === 0 || !(await hasTierRules(c.db, c.project.id))) return;
  const project = await getProject(c.db, c.project.id);
  const catalog = await loadCatalog(c.db, project.id);
  await recordAll(c.db, project.id, await earnFrom(c.db, project, catalog, moves));
}

/** Passes over what is due first, so that what cannot be advanced does not keep all others. */
export async function passOverDueCard(c: Sweeping): Promise<void> {
  const codes = await lockDueCodes(c.db, c.project.id, { now: c.now, limit: 1 });
  await saveCodesDue(
    c.db,
    c.project.id,
    codes.map(({ id }) => ({ id, due_at: nextDay(c.now) })),
  );
  const ids = await lockDueCards(c.db, c.project.id, { now: c.now, limit: 1 });
  await saveDue(
    c.db,
    c.project.id,
    ids.map((id) => ({ id, due_at: nextDay(c.now) })),
  );
}

/** Looks at some of the tiers that have to be looked at, and returns how many questions were taken. */
export async function reviewTiers(c: Sweeping): Promise<number> {
  const reviews = await takeReviews(c.db, c.project.id, BATCH);
  const whole = reviews.find(({ member_id }) => member_id === null);
  const memberIds = reviews.flatMap(({ member_id }) => member_id ?? []);
  if (reviews.length === 0) return 0;
  const ofCodes = whole?.program_id.startsWith("camp_") ? whole : null;
  const ids = ofCodes ? await reviewCodes(c, ofCodes) : await cardsToReview(c, whole);
  await sweep(c, await loadCardWork(c.db, c.project.id, { ids: ofCodes ? [] : ids, memberIds }), { isReview: true });
  const isMore = whole !== undefined && ids.length === BATCH;
  if (isMore) await moveReview(c.db, c.project.id, { id: whole.id, after_card_id: ids.at(-1)! });
  const done = reviews.filter((one) => one.member_id !== null || (one === whole && !isMore));
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
async function sweep(c: Sweeping, work: CardWork, { isReview }: { isReview: boolean }): Promise<void> {
  const cards = [...work.values()];
  const setups = await loadSetups(c.db, c.project.id, [...new Set(cards.map(({ row }) => row.program_id))]);
  const members = await loadMembersById(c.db, c.project.id, [...new Set(cards.map(({ row }) => row.member_id))]);
  const worldOf = await loadWorlds(c, setups, { members });
  // Cards that nothing happened to: settings have changed since it was written down when they are due. They must not be
  // found for ever.
  const unchanged: { id: string; due_at: string | null }[] = [];
  for (const one of cards) {
    const world = worldOf(one.row);
    if (world && isReview) changeCard(one, world, (card) => ({ change: lookAgain(card, world) }));
    else if (world) advanceCard(one, world);
    if (world && one.world === null) unchanged.push({ id: one.row.id, due_at: dueAt(one.change.card, world) });
    else if (!world && !isReview) unchanged.push({ id: one.row.id, due_at: nextDay(c.now) });
  }
  await saveCardWork(c.db, c.project.id, work);
  await saveDue(c.db, c.project.id, unchanged);
}

export type AdvanceWork = { to: string; total?: number; done?: number };
type Stepping = Omit<Sweeping, "project">;

/**
 * The next cards of a project whose clock was moved. A card goes through its own moments one after the other, each at
 * its time and each followed by what it brings, so one sweep to the new time leaves the rows that a sweep of every
 * midnight (and of every hour, where a tracking period is some hours long) would have left.
 */
export async function advanceStep(c: Stepping, action: AsyncActionRow): Promise<ActionStep> {
  const project = await getProject(c.db, action.project_id);
  const given = action.work as AdvanceWork;
  const reviewed = await reviewTiers({ ...c, project });
  const { to, total = await countDue(c, project.id), done = 0 } = given;
  const count = (await advanceDueCodes({ ...c, project })) + (await advanceDueCards({ ...c, project }));
  const work: AdvanceWork = { to, total, done: done + count };
  // What another worker holds is not found, and not done yet.
  if (reviewed > 0 || count > 0 || (await hasDue(c, project.id)))
    return { work, progress: total === 0 ? 0 : Math.min(99, Math.floor((work.done! / total) * 100)) };
  return { work, progress: 100, end: { operation_status: "SUCCESS", ...said(work) } };
}

const countDue = async ({ db, now }: Stepping, projectId: string): Promise<number> =>
  (await countDueCards(db, projectId, now)) + (await countDueCodes(db, projectId, now));
const hasDue = async ({ db, now }: Stepping, projectId: string): Promise<boolean> =>
  (await hasDueCards(db, projectId, now)) || (await hasDueCodes(db, projectId, now));

/** The clock stays where it was moved to; the sweep of every minute goes on with what is left. */
export function stopAdvance(action: AsyncActionRow, reason: string): ActionStep {
  const { message, done_count } = said(action.work as AdvanceWork);
  const end = { operation_status: "FAILED", message: `${message} ${reason}`, done_count } as const;
  return { work: action.work, progress: action.progress, end };
}

const said = ({ to, done = 0 }: AdvanceWork) => ({ message: `Advanced ${done} cards to ${to}.`, done_count: done });

import { advanceCard, type CardWork, changeCard, loadCardWork, saveCardWork } from "../catalog/card-work.ts";
import { loadWorlds } from "../catalog/card-worlds.ts";
import { loadSetups } from "../catalog/program-setup.ts";
import { dueAt } from "../core/loyalty/advance.ts";
import { lookAgain } from "../core/loyalty/review.ts";
import type { NewId, Project } from "../ctx.ts";
import type { Tx } from "../db/db.ts";
import type { ActionStep, AsyncActionRow } from "../resources/async-actions/store.ts";
import { countDueCards, hasDueCards, lockDueCards, saveDue } from "../resources/loyalty-cards/due-store.ts";
import { dropReviews, moveReview, nextCardIds, takeReviews } from "../resources/loyalty-cards/reviews-store.ts";
import { loadMembersById } from "../resources/loyalty-members/store.ts";
import { getProject } from "../resources/projects/store.ts";

type Sweeping = { db: Tx; project: Pick<Project, "id" | "timezone">; now: string; newId: NewId };

/** Cards of a batch: it is over before anybody waits for one of them. */
const BATCH = 200;
/** What cannot be advanced, since its program is about to be deleted, is tried again on another day. */
const LATER_MS = 86_400_000;
const later = (now: string) => new Date(Date.parse(now) + LATER_MS).toISOString();

/**
 * Advances some of the cards that are due, and returns how many. What they become, with the moment at which they are due
 * next, is one transaction: run again, by whomever, it goes on with those that are left.
 */
export async function advanceDueCards(c: Sweeping, limit = BATCH): Promise<number> {
  const ids = await lockDueCards(c.db, c.project.id, { now: c.now, limit });
  if (ids.length > 0) await sweep(c, await loadCardWork(c.db, c.project.id, { ids }), { isReview: false });
  return ids.length;
}

/** Passes over the card that is due first, so that one that cannot be advanced does not keep all others. */
export async function passOverDueCard(c: Sweeping): Promise<void> {
  const ids = await lockDueCards(c.db, c.project.id, { now: c.now, limit: 1 });
  await saveDue(
    c.db,
    c.project.id,
    ids.map((id) => ({ id, due_at: later(c.now) })),
  );
}

/** Looks at some of the tiers that have to be looked at, and returns how many questions were taken. */
export async function reviewTiers(c: Sweeping): Promise<number> {
  const reviews = await takeReviews(c.db, c.project.id, BATCH);
  const whole = reviews.find(({ member_id }) => member_id === null);
  const memberIds = reviews.flatMap(({ member_id }) => member_id ?? []);
  const ids = whole ? await nextCardIds(c.db, c.project.id, { ...whole, limit: BATCH }) : [];
  if (reviews.length === 0) return 0;
  await sweep(c, await loadCardWork(c.db, c.project.id, { ids, memberIds }), { isReview: true });
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
    else if (!world && !isReview) unchanged.push({ id: one.row.id, due_at: later(c.now) });
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
  const { to, total = await countDueCards(c.db, project.id, c.now), done = 0 } = given;
  const count = await advanceDueCards({ ...c, project });
  const work: AdvanceWork = { to, total, done: done + count };
  // What another worker holds is not found, and not done yet.
  if (reviewed > 0 || count > 0 || (await hasDueCards(c.db, project.id, c.now)))
    return { work, progress: total === 0 ? 0 : Math.min(99, Math.floor((work.done! / total) * 100)) };
  return { work, progress: 100, end: { operation_status: "SUCCESS", ...said(work) } };
}

/** The clock stays where it was moved to; the sweep of every minute goes on with what is left. */
export function stopAdvance(action: AsyncActionRow, reason: string): ActionStep {
  const { message, done_count } = said(action.work as AdvanceWork);
  const end = { operation_status: "FAILED", message: `${message} ${reason}`, done_count } as const;
  return { work: action.work, progress: action.progress, end };
}

const said = ({ to, done = 0 }: AdvanceWork) => ({ message: `Advanced ${done} cards to ${to}.`, done_count: done });

import type { Catalog } from "../../catalog/catalog.ts";
import { ApiError, notFound } from "../../core/errors.ts";
import type { Lot } from "../../core/ledger/account.ts";
import { lotIdOf } from "../../core/ledger/pending-points.ts";
import { cancelLots } from "../../core/loyalty/card/advance.ts";
import { afterwards } from "../../core/loyalty/card/afterwards.ts";
import type { CardState, Change } from "../../core/loyalty/card/card.ts";
import { changeCard } from "../../core/loyalty/card/card-at-work.ts";
import { activate, type World } from "../../core/loyalty/card/moves.ts";
import { adjustWaiting } from "../../core/loyalty/card/points.ts";
import { isRoom } from "../../core/loyalty/earning/earn.ts";
import type { WriteCtx } from "../../ctx.ts";
import { endOfLot, lotsById } from "../../resources/ledger/ledger/store.ts";
import type { MemberBalance, PendingBalance } from "../../resources/loyalty-v1/members/schema.ts";
import { autoRedeeming, saveAutoRedeemed } from "../../steps/earning/auto-redeem.ts";
import { recordPoints } from "../../steps/earning/earn-work.ts";
import { pointBalance, requireRoom } from "../../steps/earning/point-balance.ts";
import { hasAutoRewards } from "../../steps/points/auto-rewards.ts";
import { type AutoRedeeming, savePointCards } from "../../steps/points/point-cards.ts";
import { openMembers } from "../../steps/points/point-members.ts";

type Which = { memberId: string; pendingPointsId: string };
type Settle = (card: CardState, world: World, lot: Lot) => Change;

/** Does something with points that wait. 404 when there are no such ones, 400 when they wait no more. */
async function settlePendingPoints(c: WriteCtx, which: Which, verb: "activated" | "canceled" | "updated", how: Settle) {
  const catalog = await c.catalog();
  const { told, redeemed, ...settled } = await autoRedeeming(c.db, hasAutoRewards(catalog), (db, auto) =>
    settleIn({ ...c, db }, { catalog, auto, which, verb }, how),
  );
  await recordPoints(c, catalog, { told, redeemed });
  return settled;
}

type Settling = { catalog: Catalog; auto: AutoRedeeming | null; which: Which; verb: string };

async function settleIn(c: WriteCtx, { catalog, auto, which, verb }: Settling, how: Settle) {
  const work = await openMembers(c, catalog, [which.memberId], auto);
  const one = work.named({ memberId: which.memberId });
  const lotId = lotIdOf(which.pendingPointsId);
  const state = await settledState(c, { accountId: one.row.id, lotId, pendingId: which.pendingPointsId });
  const { change } = changeCard(one, work.worldOf(one), (card, world) => {
    const lot = card.lots.find(({ id, pot }) => id === lotId && pot === "pending");
    if (lot) return { change: how(card, world, lot) };
    const details = `Only pending points in 'PENDING' status can be ${verb}. Current status: '${state}'.`;
    throw new ApiError("invalid_pending_points_state", { details });
  });
  const told = await savePointCards(c.db, c.project, [one], { source: "API" });
  const redeemed = await saveAutoRedeemed(c.db, { ...c, catalog, auto, cards: work.cards }, () => c);
  return { row: one.row, change, told, redeemed };
}

/** How the wait of points has ended; those that were due meanwhile were activated. */
async function settledState(
  c: WriteCtx,
  { accountId, lotId, pendingId }: { accountId: string; lotId: string; pendingId: string },
): Promise<"ACTIVATED" | "CANCELED"> {
  const [lot] = await lotsById(c.db, c.project.id, [lotId]);
  const isPending = lot?.account_id === accountId && lot.pot === "pending" && pendingId.startsWith("lopp_");
  if (!isPending) throw notFound("pending_points", pendingId);
  const kind = await endOfLot(c.db, c.project.id, { accountId, lotId });
  return kind === "cancellation" && lot.remaining === 0 ? "CANCELED" : "ACTIVATED";
}

export async function activatePendingPoints(c: WriteCtx, which: Which): Promise<MemberBalance> {
  const { row, change } = await settlePendingPoints(c, which, "activated", (card, world, lot) =>
    afterwards(activate(card, world, { lots: [lot], reason: "Manual points activation", isTimed: false }), world),
  );
  const { amount: points, total, balance } = change.entries.find(({ kind }) => kind === "activation_in")!;
  return pointBalance(row.id, { points, total, balance });
}

export async function cancelPendingPoints(c: WriteCtx, which: Which): Promise<null> {
  await settlePendingPoints(c, which, "canceled", (card, world, lot) =>
    cancelLots(card, world, { lots: [lot], reason: "Manual points cancellation" }),
  );
  return null;
}

export async function adjustPendingPoints(c: WriteCtx, which: Which, points: number): Promise<PendingBalance> {
  const { row, change } = await settlePendingPoints(c, which, "updated", (card, world, lot) => {
    if (points === 0 || lot.remaining + points <= 0)
      throw new ApiError("invalid_amount", { details: "Amount has to be a valid positive number" });
    requireRoom(points < 0 || isRoom(card, points));
    return adjustWaiting(card, world, { lotId: lot.id, points, reason: null });
  });
  return {
    points,
    total: change.lots[0]!.remaining,
    object: "balance",
    related_object: { type: "voucher", id: row.id },
    operation_type: "MANUAL",
  };
}

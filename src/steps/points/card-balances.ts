import type { Catalog } from "../../catalog/catalog.ts";
import { afterwards } from "../../core/loyalty/card/afterwards.ts";
import { changeCard } from "../../core/loyalty/card/card-at-work.ts";
import { debit } from "../../core/loyalty/card/moves.ts";
import { rewardPoints } from "../../core/redeem/reward-points.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Tx } from "../../db/db.ts";
import type { NewEvent } from "../../events/events.ts";
import type { NewId, Project } from "../../request.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import { hasRoom, moveCredits, openGiftCards, saveGiftCards } from "../promotions/gift-cards.ts";
import { openPointCards, type PointCard, pointWorld, savePointCards } from "./point-cards.ts";

/** Credits or points of a card, whose row is locked. As many are taken away as there are. */
type Movement = {
  of: { now: string; newId: NewId };
  row: VoucherRow;
  campaign: Campaign;
  kind: "addition" | "removal";
  amount: number;
};
/** Without a balance when nothing was added, as to a card that takes no more. Returns the events; the caller records them. */
export type BalanceMoved = { balance: Readonly<Record<string, unknown>> | null; happened: NewEvent[] };

type Moving = {
  project: Pick<Project, "id" | "timezone">;
  catalog: Catalog;
  movements: readonly Movement[];
  told: { operation_type: "MANUAL" | "AUTOMATIC"; reason: string };
};

/** Moves what cards hold, one after the other, in a fixed number of statements. */
export async function moveBalances(tx: Tx, moving: Moving): Promise<BalanceMoved[]> {
  const moved = moving.movements.map((): BalanceMoved => ({ balance: null, happened: [] }));
  await moveOnGiftCards(tx, moving, moved);
  await moveOnPointCards(tx, moving, moved);
  return moved;
}

/** The movements on one kind of card, each with its place. */
const onCards = ({ movements }: Moving, type: VoucherRow["type"]) =>
  movements.map((one, n) => ({ ...one, n })).filter(({ row }) => row.type === type);

async function moveOnGiftCards(tx: Tx, moving: Moving, moved: BalanceMoved[]): Promise<void> {
  const movements = onCards(moving, "GIFT_VOUCHER");
  if (movements.length === 0) return;
  const cards = await openGiftCards(tx, moving.project, movements);
  for (const { n, of, row, kind, amount } of movements) {
    const card = cards.get(row.id)!;
    const by = kind === "addition" ? amount : -Math.min(amount, card.account.sums.available);
    if (kind === "addition" ? hasRoom(card, by) : by < 0) moved[n] = moveCredits(card, of, by, moving.told);
  }
  await saveGiftCards(tx, moving.project, cards.values());
}

/** One engine moves points, with what time has brought and the tiers they lead to. */
async function moveOnPointCards(tx: Tx, moving: Moving, moved: BalanceMoved[]): Promise<void> {
  const { project, catalog, told } = moving;
  const movements = onCards(moving, "LOYALTY_CARD");
  if (movements.length === 0) return;
  const rows = new Map(movements.map(({ row }) => [row.id, row]));
  const cards = await openPointCards(tx, project, catalog, [...rows.values()]);
  // Which of them a transaction came with.
  const cameWith = new Map<string, number>();
  for (const { n, of, row, campaign, kind, amount } of movements) {
    const card = cards.get(row.id)!;
    if (kind === "addition" && !hasRoom(card.change.card, amount)) continue;
    const world = pointWorld(catalog, campaign, { now: of.now, zone: zoneOf(project), newId: of.newId });
    changeCard(card, world, (state, at) => {
      const { reason } = told;
      if (kind === "addition") return { change: rewardPoints(state, at, { points: amount, reason }) };
      const points = Math.min(amount, Math.max(0, state.account.sums.available));
      return { change: afterwards(debit(state, at, { kind, points, reason }), at) };
    });
    for (const id of lotIds(card)) if (!cameWith.has(id)) cameWith.set(id, n);
  }
  for (const one of await savePointCards(tx, project, cards.values(), { source: null })) {
    const { transaction_id, balance } = one.payload as {
      transaction_id: string;
      balance?: Readonly<Record<string, unknown>>;
    };
    const own = moved[cameWith.get(transaction_id)!]!;
    if (balance && one.kind === "voucher.loyalty_card.points_added") own.balance = balance;
    own.happened.push(one);
  }
}

const lotIds = ({ change }: PointCard): string[] => [
  ...change.entries.map(({ id }) => id),
  ...change.tiers.map((one) => (one.kind === "made" ? one.transaction.id : one.id)),
];

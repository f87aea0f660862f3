import { receive } from "../../ledger/account.ts";
import { afterwards } from "../card/afterwards.ts";
import { accountOf, andThen, type CardState, type Change, noChange } from "../card/card.ts";
import { bucketFor } from "../card/expiration.ts";
import {
  activate,
  applied,
  credit,
  refusedMove,
  slide,
  type TransactionDetails,
  track,
  type World,
} from "../card/moves.ts";
import { activatedBy, type Waiting, waitingOf } from "../card/pending.ts";
import type { PointsExpiration } from "../card/wallet.ts";
import { allowedEarning, countInPeriod, type Rejection } from "./limits.ts";

export type CardEarning = TransactionDetails & {
  points: number;
  /** Settings of the effect for when its points expire. */
  effect?: PointsExpiration | null;
  /** What is told of the points while they wait, where they are an entry of their own. */
  waits?: Readonly<Record<string, unknown>> | null;
  /** What the order cost after discounts; null: no order caused it. */
  orderTotal: number | null;
};
/** What came of it: available at once, or waiting, or refused. */
export type Earned = { change: Change; points: number; pending_points: number; rejection: Rejection | null };

const NONE = { points: 0, pending_points: 0, rejection: null };

/** Earns points on a card: limits first, then at once or waiting, then the tier. The card was advanced to now. */
export function earn(
  card: CardState,
  world: World,
  { points: computed, orderTotal, waits = null, ...told }: CardEarning,
): Earned {
  const { wallet, now, zone } = world;
  const { account } = card;
  const waiting = waitingOf(wallet.pending_points, world);
  const kind = waiting ? "pending_addition" : "accrual";
  const { points, rejection } = allowedEarning({
    limits: wallet.earning_limits,
    points: computed,
    balance: account.sums.available,
    pending: account.sums.pending,
    isDelayed: waiting !== null,
    earned: account.earned,
    orderTotal,
    now,
    zone,
  });
  const refusal = rejection ?? (isRoom(card, points) ? null : NO_ROOM);
  if (refusal) {
    const change = refusedMove(card, world, { ...told, kind, points: countable(computed), rejection: refusal });
    return { ...NONE, change, rejection: refusal };
  }
  if (points <= 0) return { ...NONE, change: noChange(card) };
  const earned = countInPeriod(account.earned, points, { limits: wallet.earning_limits, now, zone });
  const before = slide({ ...card, account: { ...account, earned } }, world, { kind: "earning" });
  if (waiting) {
    const change = andThen(before, (after) => wait(after, world, { ...told, points, waiting, waits }));
    return { change: afterwards(change, world), points: 0, pending_points: points, rejection: null };
  }
  const change = andThen(before, (after) =>
    andThen(credit(after, world, { ...told, kind: "accrual", points }), (credited) =>
      track(credited, world, { points, isTimed: false }),
    ),
  );
  return { change: afterwards(change, world), points, pending_points: 0, rejection: null };
}

const NO_ROOM: Rejection = { reason: "CARD_POINTS_LIMIT_EXCEEDED", details: { limit: Number.MAX_SAFE_INTEGER } };
const countable = (points: number): number => Math.min(points, Number.MAX_SAFE_INTEGER);

/** Whether a card can take so many points, over its whole life. */
export function isRoom({ account: { sums } }: CardState, points: number): boolean {
  const inAll = sums.received + sums.pending + (sums.returned ?? 0) + points;
  return inAll <= Number.MAX_SAFE_INTEGER && (sums.pending_total ?? 0) + points <= Number.MAX_SAFE_INTEGER;
}

/** Points that wait. They remember the settings of their effect for the day on which they become available. */
function wait(
  card: CardState,
  world: World,
  { points, waiting, waits = null, effect = null, ...told }: Omit<CardEarning, "orderTotal"> & { waiting: Waiting },
): Change {
  const { newId, now } = world;
  const { bucket_date: date, bucket_type: type } = waiting;
  const bucket_id = bucketFor(card.lots, { pot: "pending", date, type }) ?? newId("lcppb");
  const tags = { bucket_id, order_id: told.order_id ?? null, expiration: effect, details: waits };
  const lot = { id: newId("lopb"), created_at: now, ...waiting, ...tags };
  const moved = receive(accountOf(card), { kind: "pending_addition", amount: points, lot });
  const details = {
    points: { total: points, date, type },
    ...told.details,
    ...(waits && { waited: moved.changed[0] }),
  };
  return applied(card, world, moved, { ...told, details });
}

/** A custom event of the customer: it makes available what waits for it, and is an activity. */
export function heed(card: CardState, world: World, schema_id: string): Change {
  const waits = activatedBy(world.wallet.pending_points, card.lots, schema_id);
  const buckets = [...Map.groupBy(waits, ({ bucket_date }) => bucket_date ?? "")].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const slidden = slide(card, world, { kind: "custom", schema_id });
  return buckets.reduce(
    (change, [, lots]) =>
      andThen(change, (after) =>
        afterwards(activate(after, world, { lots, reason: "Points activated by event", isTimed: false }), world),
      ),
    slidden,
  );
}

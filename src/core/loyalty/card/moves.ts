import {
  empty,
  type InKind,
  type Lot,
  type Moved,
  type OutKind,
  receive,
  receiveLots,
  refuseSpend,
  type SpendKind,
  takeOut,
} from "../../ledger/account.ts";
import { isBefore } from "../../time/calendar.ts";
import type { Rejection } from "../earning/limits.ts";
import type { TierOrigin } from "../tiers/state.ts";
import { currentTier, evaluateTier, slideTier, type TierWatch, watchedWindow } from "../tiers/tiers.ts";
import {
  accountOf,
  andThen,
  type CardEntry,
  type CardState,
  type Change,
  type EntryCause,
  type NewCardId,
  noChange,
} from "./card.ts";
import { bucketFor, type CardActivity, type Expiry, pointsExpiry, slid } from "./expiration.ts";
import type { PointsExpiration, Wallet } from "./wallet.ts";

/** The reward that is redeemed whenever a card can pay for it. */
export type AutoReward = {
  /** What it costs who is in a tier, or in none; null: there it cannot be had. */
  priceIn(tierId: string | null): number | null;
  /** What its transactions tell. */
  details: Readonly<Record<string, unknown>>;
};

/** What a card lives in: the time, and the settings that hold for it. */
export type World = {
  now: string;
  zone: string;
  newId: NewCardId;
  wallet: Pick<
    Wallet,
    "points_expiration" | "pending_points" | "earning_limits" | "spending_limits" | "refunds" | "balance_settings"
  >;
  /** Null: no active structure of an active program watches the card. */
  tiers:
    | (Pick<TierWatch, "structure" | "tiers"> & {
        /** Whether the holder is in a segment at a moment. */
        isInSegment(segmentId: string, now: string): boolean;
      })
    | null;
  /** At one midnight tiers are looked at before points expire; left out: after it. */
  areTiersFirst?: true;
  /** What is redeemed whenever there are points for it. */
  auto?: AutoReward;
};

export const watchOf = (
  { created_at }: Pick<CardState, "created_at">,
  { tiers, zone, newId, now }: World,
): TierWatch | null =>
  tiers && { ...tiers, isInSegment: (id) => tiers.isInSegment(id, now), card_created_at: created_at, zone, newId };

/** What a transaction says besides its points. */
export type TransactionDetails = {
  reason: string | null;
  order_id?: string | null;
  details?: Readonly<Record<string, unknown>>;
  cause?: EntryCause;
};
const NOTHING_TOLD = { rejection: null, metadata: {} };

/** The card after a movement, with the transaction that tells of it. */
export function applied(
  card: CardState,
  { newId, now }: World,
  { account, entry, changed }: Moved,
  { reason, order_id = null, details, cause }: TransactionDetails,
): Change {
  const told: CardEntry = {
    ...entry,
    id: newId("lctx"),
    order_id,
    reason,
    details: { ...NOTHING_TOLD, ...details },
    created_at: now,
    ...(cause && { cause }),
  };
  const after = { ...card, account: { ...card.account, sums: account.sums }, lots: account.lots };
  return { card: after, entries: [told], lots: changed, tiers: [] };
}

/** The tier that the card is in now may say when points expire. */
function tierExpiration(card: CardState, world: World): PointsExpiration | null {
  const watch = watchOf(card, world);
  return (watch && card.tier && currentTier(watch, card.tier)?.points_expiration) ?? null;
}

type Credited = TransactionDetails & {
  kind: InKind;
  points: number;
  effect?: PointsExpiration | null;
  /** Where neither settings nor a tier decide. */
  expiry?: Expiry;
};

/** Credits points, which expire as the effect, the tier or the card say. */
export function credit(
  card: CardState,
  world: World,
  { kind, points, effect = null, expiry, ...told }: Credited,
): Change {
  const lot = freshLot(card, world, { effect, expiry, order_id: told.order_id ?? null });
  const { bucket_date: expiration_date, bucket_type: expiration_type } = lot;
  const moved = receive(accountOf(card), { kind, amount: points, lot });
  const shown =
    kind === "purchase" || kind === "return"
      ? { total: points, expiration_date, expiration_type }
      : { total: points, expiration_date };
  return applied(card, world, moved, { ...told, details: { points: shown, ...told.details } });
}

export function freshLot(
  card: CardState,
  world: World,
  {
    effect,
    order_id,
    expiry: given,
  }: { effect: PointsExpiration | null; order_id: string | null; expiry?: Expiry | undefined },
) {
  const { now, newId, wallet } = world;
  const settings = { effect, tier: tierExpiration(card, world), wallet: wallet.points_expiration };
  const expiry = given ?? pointsExpiry(settings, world);
  const { bucket_date: date, bucket_type: type } = expiry;
  const bucket_id = date && (bucketFor(card.lots, { pot: "available", date, type }) ?? newId("lcpeb"));
  return { id: newId("lopb"), created_at: now, order_id, bucket_id, ...expiry };
}

export type Taken = TransactionDetails & { kind: OutKind; points: number };

/** Takes points, those that expire first. The caller has decided that they may be taken. */
export function debit(card: CardState, world: World, { kind, points, ...told }: Taken): Change {
  const total = kind === "removal" ? -points : points;
  const moved = takeOut(accountOf(card), { kind, amount: points });
  return applied(card, world, moved, { ...told, details: { points: { total }, ...told.details } });
}

/** Takes all that is left of some lots of one pot. */
export function emptied(
  card: CardState,
  world: World,
  { kind, lots, ...told }: TransactionDetails & { kind: OutKind; lots: readonly Lot[] },
) {
  return applied(card, world, empty(accountOf(card), { kind, lots }), told);
}

/** What waited becomes available: out of one pot and into the other. Points expire counted from now on. */
export function activate(
  card: CardState,
  world: World,
  { lots, isTimed, ...given }: { lots: readonly Lot[]; reason: string; isTimed: boolean; cause?: EntryCause },
): Change {
  const [first] = lots;
  if (!first) return noChange(card);
  const total = lots.reduce((sum, { remaining }) => sum + remaining, 0);
  const points = { total, date: first.bucket_date, type: first.bucket_type };
  const told = { ...given, details: { points, ...(first.details && { waited: first }) } };
  const out = emptied(card, world, { ...told, kind: "activation_out", lots });
  return andThen(out, (without) => {
    const fresh = lotsActivated(without, world, lots);
    const moved = receiveLots(accountOf(without), { kind: "activation_in", lots: fresh });
    return andThen(applied(without, world, moved, told), (after) => track(after, world, { points: total, isTimed }));
  });
}

function lotsActivated(card: CardState, world: World, lots: readonly Lot[]) {
  const buckets = new Map<string, string>();
  return lots.map(({ remaining, expiration, order_id }) => {
    const lot = freshLot(card, world, { effect: expiration as PointsExpiration | null, order_id });
    // Lots of one activation know one another's buckets.
    const key = `${lot.bucket_date} ${lot.bucket_type}`;
    const bucket_id = lot.bucket_id && (buckets.get(key) ?? lot.bucket_id);
    if (bucket_id) buckets.set(key, bucket_id);
    return { ...lot, bucket_id, amount: remaining };
  });
}

/** A spending that was refused when it settled. */
export function refusedSpending(
  card: CardState,
  world: World,
  { kind, points, rejection, ...told }: TransactionDetails & { kind: SpendKind; points: number; rejection: Rejection },
): Change {
  const details = { points: { total: points }, ...told.details, rejection };
  return applied(card, world, refuseSpend(accountOf(card), { kind, amount: points }), { ...told, details });
}

/** A transaction that was refused, and moved nothing. */
export function refusedMove(
  card: CardState,
  world: World,
  {
    kind,
    points,
    rejection,
    ...told
  }: TransactionDetails & { kind: InKind | OutKind; points: number; rejection: Rejection },
): Change {
  const { sums } = card.account;
  const pot = kind === "pending_addition" ? "pending" : "available";
  const entry = { account_id: card.id, pot, kind, amount: 0, balance: sums[pot], lots: [] } as const;
  const moved = { account: accountOf(card), entry: { ...entry, total: sums.received - sums.subtracted }, changed: [] };
  const details = { points: { total: points }, ...told.details, rejection };
  return applied(card, world, moved, { ...told, details });
}

const justBefore = (at: string): string =>
  Temporal.Instant.from(at).subtract({ milliseconds: 1 }).toString({ fractionalSecondDigits: 3 });

/**
 * Counts points as earned in their tracking period. What time alone makes available at the moment in which a period ends
 * belongs to that period (`isTimed`): activation comes before the next one starts.
 */
export function track(
  card: CardState,
  world: World,
  { points, isTimed }: { points: number; isTimed: boolean },
): Change {
  const watch = watchOf(card, world);
  if (!card.tier || watch?.structure.type !== "POINT_EARNED") return noChange(card);
  const known = card.tier.tracking;
  const moment = isTimed ? justBefore(world.now) : world.now;
  const tracking =
    known && known.points > 0 && isBefore(moment, known.end_at)
      ? known
      : { ...watchedWindow(watch, moment), points: 0 };
  const after = { ...tracking, points: Math.max(0, tracking.points + points) };
  return noChange({ ...card, tier: { ...card.tier, tracking: after } });
}

/** What counts for the tier: what the card holds, or what was earned in the tracking period. */
export function metricOf({ account, tier }: CardState, { tiers }: World): number {
  return tiers?.structure.type === "POINT_EARNED" ? (tier?.tracking?.points ?? 0) : account.sums.available;
}

/** Looks at the tier again. */
export function reviewed(card: CardState, world: World, origin: TierOrigin): Change {
  const watch = watchOf(card, world);
  if (!watch || !card.tier) return noChange(card);
  const { state, effects } = evaluateTier(card.tier, watch, { at: world.now, metric: metricOf(card, world), origin });
  return { ...noChange({ ...card, tier: state }), tiers: effects };
}

/** An activity begins expirations again that slide. */
export function slide(card: CardState, world: World, activity: CardActivity): Change {
  const { now, zone, newId, wallet } = world;
  const moved = slid(card.lots, { activity, wallet: wallet.points_expiration, now, zone, newId });
  const watch = watchOf(card, world);
  const tier = card.tier && watch ? slideTier(card.tier, watch, { activity, now }) : card.tier;
  if (moved.length === 0) return noChange({ ...card, tier });
  const lots = new Map([...card.lots, ...moved].map((lot) => [lot.id, lot]));
  return { ...noChange({ ...card, tier, lots: [...lots.values()] }), lots: moved };
}

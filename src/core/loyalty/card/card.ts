import { type Account, type AccountSums, EMPTY, type Entry, type Lot } from "../../ledger/account.ts";
import type { PeriodCount } from "../earning/limits.ts";
import type { TierEffect, TierState } from "../tiers/state.ts";

/** What the column `account` of a card holds: its sums, and what was earned and spent in the periods that limits look at. */
export type CardAccount = { sums: AccountSums; earned: PeriodCount | null; spent: PeriodCount | null };

/** A card with its points. Whoever changes it has locked its row. */
export type CardState = {
  id: string;
  program_id: string;
  member_id: string;
  card_definition_id: string;
  created_at: string;
  account: CardAccount;
  /** Those that something is left of. */
  lots: readonly Lot[];
  /** Null: no tier structure watches it. */
  tier: TierState | null;
  /** How many rewards there are that may be redeemed without being asked for; left out: none are, for now. */
  rewards_left?: number;
};

/** Makes ids; the core is given it as it is given the time. */
export type NewCardId = (prefix: "lctx" | "lopb" | "lcpeb" | "lcppb" | "lttx" | "r") => string;

export type EntryCause = {
  redemption_id?: string | null;
  rollback_id?: string | null;
  source_id?: string | null;
  source?: string | null;
};

/** An entry of the ledger as a transaction of a card. A rejected one moved nothing and says why in its details. */
export type CardEntry = Entry & {
  id: string;
  /** What caused it, where an operation on codes did. */
  cause?: EntryCause;
  order_id: string | null;
  reason: string | null;
  details: Readonly<Record<string, unknown>>;
  created_at: string;
};

/** What happens to a card: how it is afterwards, and what has to be saved. */
export type Change = {
  card: CardState;
  entries: readonly CardEntry[];
  /** Lots that were made or changed, as they are afterwards, each once. */
  lots: readonly Lot[];
  tiers: readonly TierEffect[];
};

export const newAccount = (allowsNegative: boolean): CardAccount => ({
  sums: allowsNegative ? { ...EMPTY, allows_negative: true } : EMPTY,
  earned: null,
  spent: null,
});

export const noChange = (card: CardState): Change => ({ card, entries: [], lots: [], tiers: [] });

/** One change after the other, as one. */
export function andThen(before: Change, next: (card: CardState) => Change): Change {
  const after = next(before.card);
  const lots = new Map([...before.lots, ...after.lots].map((lot) => [lot.id, lot]));
  return {
    card: after.card,
    entries: [...before.entries, ...after.entries],
    lots: [...lots.values()],
    tiers: [...before.tiers, ...after.tiers],
  };
}

/** The account as the ledger moves it. */
export const accountOf = ({ id, account, lots }: CardState): Account => ({ id, sums: account.sums, lots });

/** The counters of a card over its whole life, as clients see them. */
export type Lifetime = {
  points: Record<
    | "total"
    | "earned"
    | "added"
    | "purchased"
    | "purchased_reversed"
    | "subtracted"
    | "expired"
    | "spent"
    | "refunded"
    | "returned"
    | "locked"
    | "unlocked",
    number
  >;
  pending_points: { total: number; activated: number; canceled: number };
};

export const lifetimeOf = (sums: AccountSums): Lifetime => ({
  points: {
    total: sums.received,
    earned: sums.earned ?? 0,
    added: sums.added ?? 0,
    purchased: sums.purchased ?? 0,
    purchased_reversed: sums.purchased_reversed ?? 0,
    subtracted: sums.subtracted,
    expired: sums.expired,
    spent: sums.spent,
    refunded: sums.refunded ?? 0,
    returned: sums.returned ?? 0,
    locked: sums.locked ?? 0,
    unlocked: sums.unlocked ?? 0,
  },
  pending_points: {
    total: sums.pending_total ?? 0,
    activated: sums.pending_activated ?? 0,
    canceled: sums.pending_canceled ?? 0,
  },
});

/** What a card with these counters holds: 740 in all, less 30, 300 and 250, is 160. */
export function balanceOf({ points: p, pending_points: pending }: Lifetime): {
  points: number;
  pending_points: number;
} {
  const out = p.subtracted + p.expired + p.spent + p.refunded + p.locked + p.purchased_reversed;
  return {
    points: p.total - out + p.returned + p.unlocked,
    pending_points: Math.max(0, pending.total - pending.activated - pending.canceled),
  };
}

/** Lots that are shown as one. */
export type Bucket = { id: string; date: string | null; type: string | null; points: number; created_at: string };

/** The buckets of a pot, first to come first, those without a day last. */
export function bucketsOf(lots: readonly Lot[], pot: Lot["pot"]): Bucket[] {
  const buckets = new Map<string, Bucket>();
  for (const lot of lots) {
    if (lot.pot !== pot || lot.bucket_id === null || lot.remaining === 0) continue;
    const { bucket_id: id, bucket_date: date, bucket_type: type, created_at } = lot;
    const known = buckets.get(id) ?? { id, date, type, points: 0, created_at };
    const isOlder = Temporal.Instant.compare(created_at, known.created_at) < 0;
    buckets.set(id, {
      ...known,
      points: known.points + lot.remaining,
      created_at: isOlder ? created_at : known.created_at,
    });
  }
  const far = "9999-99-99";
  const key = ({ date, id }: Bucket) => `${date ?? far} ${id}`;
  return [...buckets.values()].toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** The nearest day on which points of the pot expire or become available, and how many. */
export function nextOf(
  lots: readonly Lot[],
  pot: Lot["pot"],
): { points: number; date: string; type: string | null } | null {
  const dated = bucketsOf(lots, pot).filter(({ date }) => date !== null);
  const [first] = dated;
  if (!first) return null;
  const points = dated.filter(({ date }) => date === first.date).reduce((sum, bucket) => sum + bucket.points, 0);
  return { points, date: first.date!, type: first.type };
}

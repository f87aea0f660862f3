import assert from "node:assert/strict";

export type Pot = "available" | "pending";
/** What is left of one earning. */
export type Lot = {
  id: string;
  pot: Pot;
  amount: number;
  remaining: number;
  /** Null: never. What waits until then is cancelled. */
  expires_at: string | null;
  /** When pending points become available; null also where they wait for an event. */
  activates_at: string | null;
  created_at: string;
} & LotTags;

/** What clients are told of points. Gift credits have none of it. */
export type LotTags = {
  /** Lots of one pot with the same day and type are shown as one bucket. */
  bucket_id: string | null;
  /** The last day of the calendar on which it can be spent, or the day on which what waits becomes available. */
  bucket_date: string | null;
  bucket_type: string | null;
  /** The order that earned it. */
  order_id: string | null;
  /** Settings of the effect or tier that decide when it expires; null: those of the card. */
  expiration: Readonly<Record<string, unknown>> | null;
  /** What clients see of pending points. Points with details get an entry of their own when they become available. */
  details: Readonly<Record<string, unknown>> | null;
};
export const NO_TAGS: LotTags = {
  bucket_id: null,
  bucket_date: null,
  bucket_type: null,
  order_id: null,
  expiration: null,
  details: null,
};
/** What points count on top of credits; what is missing is zero. */
type Further =
  | "earned"
  | "added"
  | "purchased"
  | "purchased_reversed"
  | "refunded"
  | "returned"
  | "locked"
  | "unlocked"
  | "pending_total"
  | "pending_activated"
  | "pending_canceled";
type Counter = "received" | "subtracted" | "expired" | "spent" | Further;

/**
 * What a card holds and held, over its whole life. What is available is what was received, less what was subtracted,
 * expired, spent, refunded, locked and reversed, and what was returned and unlocked.
 */
export type AccountSums = {
  available: number;
  pending: number;
  received: number;
  subtracted: number;
  expired: number;
  spent: number;
  allows_negative?: true;
  /**
   * The last day on which it was tried to redeem a reward without being asked, and how often it was done. `isOpen`: points
   * have come since, where no reward could be given.
   */
  auto_redeemed?: { day: string; occasions: number; isOpen?: true };
} & { [F in Further]?: number };

/** The account of a card, with all lots that something is left of. */
export type Account = { id: string; sums: AccountSums; lots: readonly Lot[] };

type Move = { pot: Pot; sign: 1 | -1; counts: { [C in Counter]?: 1 | -1 } };
/** For each kind of entry: the sum that it moves, in or out, and the counters that it changes. */
const MOVES = {
  opening: { pot: "available", sign: 1, counts: { received: 1 } },
  redemption: { pot: "available", sign: -1, counts: { spent: 1 } },
  refund: { pot: "available", sign: 1, counts: { spent: -1 } },
  addition: { pot: "available", sign: 1, counts: { received: 1, added: 1 } },
  removal: { pot: "available", sign: -1, counts: { subtracted: 1 } },
  accrual: { pot: "available", sign: 1, counts: { received: 1, earned: 1 } },
  expiration: { pot: "available", sign: -1, counts: { expired: 1 } },
  manual_expiration: { pot: "available", sign: -1, counts: { expired: 1 } },
  transfer_in: { pot: "available", sign: 1, counts: { received: 1 } },
  transfer_out: { pot: "available", sign: -1, counts: { subtracted: 1 } },
  pending_addition: { pot: "pending", sign: 1, counts: { pending_total: 1 } },
  activation_out: { pot: "pending", sign: -1, counts: { pending_activated: 1 } },
  activation_in: { pot: "available", sign: 1, counts: { received: 1, earned: 1 } },
  cancellation: { pot: "pending", sign: -1, counts: { pending_canceled: 1 } },
  taken_back: { pot: "available", sign: -1, counts: { subtracted: 1 } },
  reward_spend: { pot: "available", sign: -1, counts: { locked: 1, unlocked: 1, spent: 1 } },
  order_spend: { pot: "available", sign: -1, counts: { locked: 1, unlocked: 1, spent: 1 } },
  purchase: { pot: "available", sign: 1, counts: { received: 1, purchased: 1 } },
  purchase_reversal: { pot: "available", sign: -1, counts: { purchased_reversed: 1 } },
  return: { pot: "available", sign: 1, counts: { returned: 1 } },
  revocation: { pot: "available", sign: -1, counts: { refunded: 1 } },
} as const satisfies Record<string, Move>;

/** Every way in which something is moved. The transaction types of the interface are views of these. */
export type EntryKind = keyof typeof MOVES;
type Into = { [K in EntryKind]: (typeof MOVES)[K]["sign"] extends 1 ? K : never }[EntryKind];
/** What puts something in. */
export type InKind = Exclude<Into, "refund">;
/** What takes something out. */
export type OutKind = Exclude<EntryKind, Into>;
export type SpendKind = "reward_spend" | "order_spend";

/** Which lots, and how much of each: positive into it, negative out of it. */
export type Touched = readonly (readonly [lot: string, amount: number])[];
export type Entry = {
  account_id: string;
  pot: Pot;
  kind: EntryKind;
  amount: number;
  /** What the pot held after it, and what the card had received by then, less what was subtracted. */
  balance: number;
  total: number;
  lots: Touched;
};
/** What a movement leaves: the account after it, the entry that tells of it, and the lots that it changed, to be saved. */
export type Moved = { account: Account; entry: Entry; changed: readonly Lot[] };

type NewLot = Pick<Lot, "id" | "expires_at" | "created_at"> & Partial<LotTags & Pick<Lot, "activates_at">>;

/** The sums after so much was moved. */
export function sumsAfter(sums: AccountSums, kind: EntryKind, amount: number): AccountSums {
  const { pot, sign, counts }: Move = MOVES[kind];
  const counted = Object.entries(counts).map(([counter, by]) => {
    const known = sums[counter as Counter] ?? 0;
    return [counter, known + by * amount];
  });
  return { ...sums, [pot]: sums[pot] + sign * amount, ...Object.fromEntries(counted) };
}

/** The account after lots were changed, and the entry. Only lots that something is left of belong to an account. */
function moved(
  account: Account,
  { kind, amount, changed, touched }: { kind: EntryKind; amount: number; changed: readonly Lot[]; touched: Touched },
): Moved {
  const { pot, sign } = MOVES[kind];
  const sums = sumsAfter(account.sums, kind, amount);
  const lots = new Map([...account.lots, ...changed].map((lot) => [lot.id, lot]));
  const after: Account = { ...account, sums, lots: [...lots.values()].filter(({ remaining }) => remaining > 0) };
  const entry: Entry = {
    account_id: account.id,
    pot,
    kind,
    // Nothing is 0, not -0.
    amount: sign === 1 ? amount : 0 - amount,
    balance: sums[pot],
    total: sums.received - sums.subtracted,
    lots: touched,
  };
  return { account: after, entry, changed };
}

export const EMPTY: AccountSums = { available: 0, pending: 0, received: 0, subtracted: 0, expired: 0, spent: 0 };

/** An account as it is opened, with what its card was worth from the beginning. */
export const openAccount = (id: string, { amount, lot }: { amount: number; lot: NewLot }): Moved =>
  receive({ id, sums: EMPTY, lots: [] }, { amount, lot, kind: "opening" });

/** Puts something in, as a lot of its own. Nothing is no lot. What was owed is paid first. */
export const receive = (
  account: Account,
  { amount, lot, kind }: { amount: number; lot: NewLot; kind: InKind },
): Moved => receiveLots(account, { kind, lots: [{ ...lot, amount }] });

/** Puts several lots in with one movement. */
export function receiveLots(
  account: Account,
  { kind, lots }: { kind: InKind; lots: readonly (NewLot & { amount: number })[] },
): Moved {
  const { pot } = MOVES[kind];
  let owed = Math.max(0, -account.sums[pot]);
  let amount = 0;
  const changed: Lot[] = [];
  for (const lot of lots) {
    assert(lot.amount >= 0, "only what is not negative is received");
    const paid = Math.min(owed, lot.amount);
    owed -= paid;
    amount += lot.amount;
    if (lot.amount > 0) changed.push({ activates_at: null, ...NO_TAGS, ...lot, pot, remaining: lot.amount - paid });
  }
  assert(account.sums.received + amount <= Number.MAX_SAFE_INTEGER, "a card takes no more than can be counted");
  const touched = changed.filter(({ remaining }) => remaining > 0).map(({ id, remaining }) => [id, remaining] as const);
  return moved(account, { kind, amount, changed, touched });
}

/** First to expire first; of those that never do, the oldest. */
const spendingOrder = (a: Lot, b: Lot): number => {
  if (a.expires_at !== b.expires_at) {
    if (a.expires_at === null) return 1;
    if (b.expires_at === null) return -1;
    return Temporal.Instant.compare(a.expires_at, b.expires_at);
  }
  return Temporal.Instant.compare(a.created_at, b.created_at) || (a.id < b.id ? -1 : 1);
};

/** Takes something out. The caller has decided that it may: below zero goes only an account that allows it. */
export function takeOut(account: Account, { amount, kind }: { amount: number; kind: OutKind }): Moved {
  const { sums } = account;
  const { pot } = MOVES[kind];
  const mayOwe = pot === "available" && sums.allows_negative;
  assert(amount >= 0 && (mayOwe || amount <= sums[pot]), "no more is taken than there is");
  let left = amount;
  const touched: [string, number][] = [];
  for (const lot of account.lots.filter((one) => one.pot === pot).toSorted(spendingOrder)) {
    const taken = Math.min(left, lot.remaining);
    if (taken === 0) continue;
    left -= taken;
    touched.push([lot.id, -taken]);
  }
  return takeFrom(account, { kind, amount, touched });
}

/** Takes all that is left of these lots, and of no others. */
export function empty(account: Account, { lots, kind }: { lots: readonly Lot[]; kind: OutKind }): Moved {
  const amount = lots.reduce((sum, { remaining }) => sum + remaining, 0);
  return takeFrom(account, { kind, amount, touched: lots.map(({ id, remaining }) => [id, -remaining]) });
}

function takeFrom(
  account: Account,
  { kind, amount, touched }: { kind: OutKind; amount: number; touched: Touched },
): Moved {
  const lots = new Map(account.lots.map((lot) => [lot.id, lot]));
  const changed = touched.map(([id, by]) => {
    const lot = lots.get(id);
    assert(lot && lot.pot === MOVES[kind].pot, "what is taken is taken from a lot of the pot");
    return { ...lot, remaining: lot.remaining + by };
  });
  return moved(account, { kind, amount, changed, touched });
}

/** Puts more into a lot that is there. */
export function raise(account: Account, { lot, amount, kind }: { lot: Lot; amount: number; kind: InKind }): Moved {
  assert(amount >= 0 && lot.pot === MOVES[kind].pot, "what is not negative goes into a lot of the pot");
  const raised = { ...lot, amount: lot.amount + amount, remaining: lot.remaining + amount };
  return moved(account, { kind, amount, changed: [raised], touched: [[lot.id, amount]] });
}

/** Takes something out of one lot. */
export const lower = (account: Account, { lot, amount, kind }: { lot: Lot; amount: number; kind: OutKind }): Moved =>
  takeFrom(account, { kind, amount, touched: [[lot.id, -amount]] });

/** A spending that was refused when it settled: the points were locked and unlocked, and nothing moved. */
export function refuseSpend(account: Account, { amount, kind }: { amount: number; kind: SpendKind }): Moved {
  const { sums } = account;
  const [locked, unlocked] = [(sums.locked ?? 0) + amount, (sums.unlocked ?? 0) + amount];
  const after = { ...account, sums: { ...sums, locked, unlocked } };
  return moved(after, { kind, amount: 0, changed: [], touched: [] });
}

/**
 * Gives back what a redemption took, up to `amount`, into the lots that it came from: those that would have been spent
 * last get theirs first. Lots that are no longer among those of the account are given as `gone`.
 */
export function refund(
  account: Account,
  { amount, from, gone }: { amount: number; from: Touched; gone: readonly Lot[] },
): Moved {
  const lots = new Map([...gone, ...account.lots].map((lot) => [lot.id, lot]));
  let left = amount - Math.min(amount, Math.max(0, -account.sums.available));
  const touched: [string, number][] = [];
  const changed: Lot[] = [];
  for (const [id, taken] of from.toReversed()) {
    const back = Math.min(left, -taken);
    const lot = lots.get(id);
    if (back === 0 || !lot) continue;
    left -= back;
    touched.push([id, back]);
    changed.push({ ...lot, remaining: lot.remaining + back });
  }
  return moved(account, { kind: "refund", amount, changed, touched });
}

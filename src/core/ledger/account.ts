import assert from "node:assert/strict";

export type Pot = "available" | "pending";
/** What is left of one earning. */
export type Lot = {
  id: string;
  pot: Pot;
  amount: number;
  remaining: number;
  /** Null: never. */
  expires_at: string | null;
  activates_at: string | null;
  created_at: string;
};
/**
 * What a card holds and held, over its whole life: what is available is what was received and not subtracted, expired or
 * spent.
 */
export type Sums = {
  available: number;
  pending: number;
  received: number;
  subtracted: number;
  expired: number;
  spent: number;
  allows_negative?: true;
};
/** The account of a card, with all lots that something is left of. */
export type Account = { id: string; sums: Sums; lots: readonly Lot[] };

/** Every way in which something is moved. The transaction types of the interface are views of these. */
export const ENTRY_KINDS = [
  "opening",
  "redemption",
  "refund",
  "addition",
  "removal",
  "accrual",
  "expiration",
  "transfer_in",
  "transfer_out",
  "activation_out",
  "activation_in",
  "taken_back",
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];
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
/** What a movement leaves: the account after it, and the entry that tells of it. */
export type Moved = { account: Account; entry: Entry };

type NewLot = Pick<Lot, "id" | "expires_at" | "created_at"> & Partial<Pick<Lot, "activates_at">>;

const entryOf = (account: Account, moved: Pick<Entry, "pot" | "kind" | "amount" | "lots">): Entry => ({
  account_id: account.id,
  ...moved,
  balance: account.sums[moved.pot],
  total: account.sums.received - account.sums.subtracted,
});

const EMPTY: Sums = { available: 0, pending: 0, received: 0, subtracted: 0, expired: 0, spent: 0 };

/** An account as it is opened, with what its card was worth from the beginning. */
export const openAccount = (id: string, { amount, lot }: { amount: number; lot: NewLot }): Moved =>
  receive({ id, sums: EMPTY, lots: [] }, { amount, lot, kind: "opening" });

/** Puts something in, as a lot of its own. Nothing is no lot. What was owed is paid first. */
export function receive(
  account: Account,
  { amount, lot, kind }: { amount: number; lot: NewLot; kind: "opening" | "addition" | "accrual" | "transfer_in" },
): Moved {
  assert(amount >= 0, "only what is not negative is received");
  const { sums } = account;
  const owed = Math.min(amount, Math.max(0, -sums.available));
  const remaining = amount - owed;
  const made: Lot = { activates_at: null, ...lot, pot: "available", amount, remaining };
  const after: Account = {
    ...account,
    sums: { ...sums, available: sums.available + amount, received: sums.received + amount },
    lots: remaining > 0 ? [...account.lots, made] : account.lots,
  };
  const touched: Touched = remaining > 0 ? [[lot.id, remaining]] : [];
  return { account: after, entry: entryOf(after, { pot: "available", kind, amount, lots: touched }) };
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

const SUMS = {
  redemption: "spent",
  removal: "subtracted",
  transfer_out: "subtracted",
  taken_back: "subtracted",
} as const;

/** Takes something out. The caller has decided that it may: below zero goes only an account that allows it. */
export function spend(account: Account, { amount, kind }: { amount: number; kind: keyof typeof SUMS }): Moved {
  const { sums } = account;
  assert(amount >= 0 && (sums.allows_negative || amount <= sums.available), "no more is taken than there is");
  let left = amount;
  const touched: [string, number][] = [];
  const lots = new Map(account.lots.map((lot) => [lot.id, lot]));
  for (const lot of account.lots.filter(({ pot }) => pot === "available").toSorted(spendingOrder)) {
    const taken = Math.min(left, lot.remaining);
    if (taken === 0) continue;
    left -= taken;
    touched.push([lot.id, -taken]);
    lots.set(lot.id, { ...lot, remaining: lot.remaining - taken });
  }
  const after: Account = {
    ...account,
    sums: { ...sums, available: sums.available - amount, [SUMS[kind]]: sums[SUMS[kind]] + amount },
    lots: [...lots.values()].filter(({ remaining }) => remaining > 0),
  };
  return { account: after, entry: entryOf(after, { pot: "available", kind, amount: -amount, lots: touched }) };
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
  let left = amount;
  const touched: [string, number][] = [];
  for (const [id, taken] of from.toReversed()) {
    const back = Math.min(left, -taken);
    const lot = lots.get(id);
    if (back === 0 || !lot) continue;
    left -= back;
    touched.push([id, back]);
    lots.set(id, { ...lot, remaining: lot.remaining + back });
  }
  const after: Account = {
    ...account,
    sums: { ...account.sums, available: account.sums.available + amount, spent: account.sums.spent - amount },
    lots: [...lots.values()].filter(({ remaining }) => remaining > 0),
  };
  return { account: after, entry: entryOf(after, { pot: "available", kind: "refund", amount, lots: touched }) };
}

import { type Account, type Moved, openAccount, receive, takeOut } from "../../core/ledger/account.ts";
import { balanceType } from "../../core/ledger/transaction-view.ts";
import type { EntryRow, LotRow } from "../../core/rows/ledger.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { settingsOf } from "../../core/vouchers/settings.ts";
import { sumsOf } from "../../core/vouchers/worth.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { Tx } from "../../db/db.ts";
import type { NewId, Project } from "../../request.ts";
import type { Balance } from "../../resources/ledger/ledger/schema.ts";
import { insertCredits, loadLots, saveLots } from "../../resources/ledger/ledger/store.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import { saveUses } from "../../resources/promotions/vouchers/state-store.ts";

/** A gift card whose row is locked, with its account, and what was moved on it since it was read. */
export type OpenCard = {
  row: VoucherRow;
  /** One that was never moved holds what the card was worth from the beginning, and is opened with it. */
  account: Account;
  isOpen: boolean;
  entries: EntryRow[];
  lots: Map<string, LotRow>;
};

type Of = Pick<Project, "id">;

/** Gift cards by their ids, in one statement. */
export async function openGiftCards(
  tx: Tx,
  project: Of,
  cards: readonly { row: VoucherRow; campaign: Campaign | null }[],
): Promise<Map<string, OpenCard>> {
  const open = new Set(cards.filter(({ row }) => row.account !== null).map(({ row }) => row.id));
  const stored = open.size > 0 ? await loadLots(tx, project.id, [...open]) : [];
  const lotsOf = Map.groupBy(stored, ({ account_id }) => account_id);
  return new Map(
    cards.map(({ row, campaign }) => {
      const account = { id: row.id, sums: sumsOf(row, settingsOf(row, campaign))!, lots: lotsOf.get(row.id) ?? [] };
      return [row.id, { row, account, isOpen: open.has(row.id), entries: [], lots: new Map() }];
    }),
  );
}

/** Whether a card can take so much more, over its whole life. */
export const hasRoom = ({ account: { sums } }: { account: Pick<Account, "sums"> }, amount: number): boolean =>
  sums.received + amount <= Number.MAX_SAFE_INTEGER;

type OperationType = "MANUAL" | "AUTOMATIC";
type OperationDetails<T extends OperationType> = {
  operation_type: T;
  source_id?: string | null;
  reason?: string | null;
};
type Maker = { now: string; newId: NewId };

/** Puts something on a card, or takes some away. That it may be done was decided. Returns the events; the caller records them. */
export function moveCredits<T extends OperationType>(
  card: OpenCard,
  of: Maker,
  amount: number,
  told: OperationDetails<T>,
) {
  const { row } = card;
  const lot = (created_at: string) => ({ id: of.newId("lopb"), expires_at: null, created_at });
  if (!card.isOpen) {
    const { received } = card.account.sums;
    note(card, of, openAccount(row.id, { amount: received, lot: lot(row.created_at) }), null);
    card.isOpen = true;
  }
  const { account } = card;
  const moved =
    amount >= 0
      ? receive(account, { amount, lot: lot(of.now), kind: "addition" })
      : takeOut(account, { amount: -amount, kind: "removal" });
  const { id } = note(card, of, moved, told);
  const balance = {
    amount,
    total: moved.entry.total,
    balance: moved.entry.balance,
    type: balanceType(row.type),
    operation_type: told.operation_type,
    related_object: { type: "voucher" as const, id: row.id },
    object: "balance" as const,
  };
  return { balance, happened: balanceEvents(row, balance, id) };
}

/** What was spent of a card before it came here. That it held so much was decided. */
export function spendBefore(card: OpenCard, of: Maker, amount: number): void {
  const { row, account } = card;
  const lot = { id: of.newId("lopb"), expires_at: null, created_at: row.created_at };
  note(card, of, openAccount(row.id, { amount: account.sums.received, lot }), null);
  card.isOpen = true;
  note(card, of, takeOut(card.account, { amount, kind: "redemption" }), {
    operation_type: "AUTOMATIC",
    reason: "Imported",
  });
}

function note(card: OpenCard, of: Maker, moved: Moved, told: OperationDetails<OperationType> | null): EntryRow {
  const { row } = card;
  card.account = moved.account;
  for (const one of moved.changed) card.lots.set(one.id, { ...one, account_id: row.id });
  const entry: EntryRow = {
    ...moved.entry,
    id: of.newId("vtx"),
    campaign_id: row.campaign_id,
    redemption_id: null,
    rollback_id: null,
    order_id: null,
    source_id: told?.source_id ?? null,
    source: told?.operation_type === "MANUAL" ? "API" : null,
    reason: told?.reason ?? null,
    details: {},
    created_at: of.now,
  };
  card.entries.push(entry);
  return entry;
}

/** Saves what was moved, each kind in one statement. */
export async function saveGiftCards(tx: Tx, project: Of, cards: Iterable<OpenCard>): Promise<void> {
  const moved = [...cards].filter(({ entries }) => entries.length > 0);
  const uses = moved.map(({ row, account, entries }) => ({
    id: row.id,
    by: 0,
    quantity: null,
    uses: row.uses,
    account: account.sums,
    available: row.account?.available ?? null,
    // Contract is silent: a card whose balance is changed still follows its campaign in all else.
    template_version: null,
    updated_at: entries.at(-1)!.created_at,
  }));
  await saveUses(tx, project.id, uses);
  await saveLots(
    tx,
    project.id,
    moved.flatMap(({ lots }) => [...lots.values()]),
  );
  await insertCredits(
    tx,
    project.id,
    moved.flatMap(({ entries }) => entries),
  );
}

type Moving = Pick<WriteCtx, "db" | "project" | "newId" | "now">;

/** One card alone. */
export const openGiftCard = async (c: Moving, row: VoucherRow, campaign: Campaign | null): Promise<OpenCard> =>
  (await openGiftCards(c.db, c.project, [{ row, campaign }])).get(row.id)!;

/** Moves something on one card by hand, and saves it. */
export async function moveBalance(
  c: Moving,
  card: OpenCard,
  amount: number,
  { source_id = null, reason = null }: { source_id?: string | null; reason?: string | null },
) {
  const moved = moveCredits(card, c, amount, { operation_type: "MANUAL", source_id, reason });
  await saveGiftCards(c.db, c.project, [card]);
  return moved;
}

/** What is told of a balance that was changed. */
function balanceEvents(
  row: VoucherRow,
  balance: Omit<Balance, "operation_type"> & { operation_type: OperationType },
  transaction_id: string,
) {
  const { id: voucher_id, campaign_id, holder_id: customer_id } = row;
  const about = { voucher_id, campaign_id, payload: { balance, transaction_id } };
  const added = "voucher.gift.balance_added" as const;
  return [
    { kind: "voucher.gift.transaction.created" as const, ...about },
    ...(balance.amount > 0 ? [{ kind: added, ...about }] : []),
    ...(balance.amount > 0 && customer_id !== null
      ? [{ kind: `customer.${added}` as const, customer_id, ...about }]
      : []),
  ];
}

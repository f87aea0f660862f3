import assert from "node:assert/strict";
import { type Account, type Entry, openAccount, receive, spend } from "../core/ledger/account.ts";
import { settingsOf } from "../core/vouchers/settings.ts";
import { sumsOf } from "../core/vouchers/worth.ts";
import type { WriteCtx } from "../ctx.ts";
import type { Campaign } from "../resources/campaigns/store.ts";
import type { Balance } from "../resources/ledger/schema.ts";
import { type EntryRow, insertEntries, loadLots, saveLots } from "../resources/ledger/store.ts";
import { saveUses, type VoucherRow } from "../resources/vouchers/store.ts";
import { balanceType } from "./transaction-view.ts";

/** A card whose row is locked, and its account with it. */
export type OpenCard = { row: VoucherRow; account: Account; opening: Entry | null };

type Moving = Pick<WriteCtx, "db" | "project" | "newId" | "now">;

/** The account as it is; one that was never moved is opened with what the card was worth from the beginning. */
export async function openCard(c: Moving, row: VoucherRow, campaign: Campaign | null): Promise<OpenCard> {
  if (row.account) {
    const lots = await loadLots(c.db, c.project.id, [row.id]);
    return { row, account: { id: row.id, sums: row.account, lots }, opening: null };
  }
  const amount = sumsOf(row, settingsOf(row, campaign))!.received;
  const lot = { id: c.newId("lopb"), expires_at: null, created_at: row.created_at };
  const { account, entry } = openAccount(row.id, { amount, lot });
  return { row, account, opening: entry };
}

/** Whether a card can take so much more, over its whole life. */
export const hasRoom = ({ account: { sums } }: OpenCard, amount: number): boolean =>
  sums.received + amount <= Number.MAX_SAFE_INTEGER;

type Told = { source_id?: string | null; reason?: string | null };

/** Puts something on a card, or takes some away. That it may be done was decided. What is told of it is to be recorded. */
export async function moveBalance(c: Moving, card: OpenCard, amount: number, told: Told) {
  const { row, account: before, opening } = card;
  const { account, entry } = moved(c, before, amount);
  const count = await saveUses(c.db, c.project.id, [
    {
      id: row.id,
      by: 0,
      quantity: null,
      uses: row.uses,
      account: account.sums,
      available: row.account?.available ?? null,
      // Contract is silent: a card whose balance is changed still follows its campaign in all else.
      template_version: null,
    },
  ]);
  assert.equal(count, 1, "the balance is what was decided on");
  const left = new Map(account.lots.map((lot) => [lot.id, lot]));
  const gone = before.lots.filter(({ id }) => !left.has(id)).map((lot) => ({ ...lot, remaining: 0 }));
  await saveLots(
    c.db,
    c.project.id,
    [...account.lots, ...gone].map((lot) => ({ ...lot, account_id: row.id })),
  );
  const entries = [...(opening ? [entryRow(c, row, opening)] : []), entryRow(c, row, entry, told)];
  await insertEntries(c.db, c.project.id, entries);
  const balance: Balance = {
    amount,
    total: entry.total,
    balance: entry.balance,
    type: balanceType(row.type),
    operation_type: "MANUAL",
    related_object: { type: "voucher", id: row.id },
    object: "balance",
  };
  return { balance, happened: balanceEvents(row, balance, entries.at(-1)!.id) };
}

const moved = (c: Moving, account: Account, amount: number) =>
  amount > 0
    ? receive(account, {
        amount,
        lot: { id: c.newId("lopb"), expires_at: null, created_at: c.now },
        kind: "addition",
      })
    : spend(account, { amount: -amount, kind: "removal" });

const entryRow = (c: Moving, row: VoucherRow, entry: Entry, told?: Told): EntryRow => ({
  ...entry,
  id: c.newId("vtx"),
  campaign_id: row.campaign_id,
  redemption_id: null,
  rollback_id: null,
  order_id: null,
  source_id: told?.source_id ?? null,
  source: told ? "API" : null,
  reason: told?.reason ?? null,
  details: {},
  created_at: c.now,
});

/** What is told of a balance that was changed. */
export function balanceEvents(
  row: VoucherRow,
  balance: Omit<Balance, "operation_type"> & { operation_type: "MANUAL" | "AUTOMATIC" },
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

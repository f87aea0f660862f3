import assert from "node:assert/strict";
import { balanceType } from "../catalog/transaction-view.ts";
import { lockWithCampaign } from "../catalog/vouchers.ts";
import { ApiError } from "../core/errors.ts";
import { type Account, type Entry, openAccount, receive, spend } from "../core/ledger/account.ts";
import { settingsOf } from "../core/vouchers/settings.ts";
import { sumsOf } from "../core/vouchers/worth.ts";
import type { WriteCtx } from "../ctx.ts";
import { type Happened, record } from "../events/events.ts";
import type { Campaign } from "../resources/campaigns/store.ts";
import type { Balance, BalanceBody } from "../resources/ledger/schema.ts";
import { type EntryRow, insertEntries, loadLots, saveLots } from "../resources/ledger/store.ts";
import { saveUses, type VoucherRow } from "../resources/vouchers/store.ts";

/** Puts credits or points on a card, or takes some away. The row of the card is locked, and its account with it. */
export async function adjustBalance(c: WriteCtx, reference: string, sent: BalanceBody): Promise<Balance> {
  const { row, campaign } = await lockWithCampaign(c, reference);
  const { amount } = sent;
  requireCard(row, amount);
  const { account: before, opening } = await accountOf(c, row, campaign);
  requireRoom(row, before, amount);
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
  const entries = [...(opening ? [entryRow(c, row, opening)] : []), entryRow(c, row, entry, sent)];
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
  await record(c, happened(row, balance, entries.at(-1)!.id));
  return balance;
}

function requireCard({ id, code, type, holder_id }: VoucherRow, amount: number): void {
  if (type === "DISCOUNT_VOUCHER")
    throw new ApiError("invalid_voucher", { details: "A discount has no balance", resource_id: id });
  if (amount === 0) throw new ApiError("invalid_add_balance_params", { details: "Property .amount must not be 0" });
  if (type === "LOYALTY_CARD" && holder_id === null)
    throw new ApiError("invalid_customer", { details: `Customer must be a holder of a loyalty card: ${code}` });
}

// Contract is silent: what sessions hold back can be taken away too. Who removes it by hand means it.
function requireRoom({ type, code }: VoucherRow, { sums }: Account, amount: number): void {
  if (sums.received + amount > Number.MAX_SAFE_INTEGER)
    throw new ApiError("invalid_payload", {
      details: `Property .amount is too large: a card takes ${Number.MAX_SAFE_INTEGER} in all`,
    });
  if (amount >= 0 || -amount <= sums.available) return;
  const key = type === "GIFT_VOUCHER" ? "gift_amount_exceeded" : "loyalty_card_points_exceeded";
  throw new ApiError(key, { details: code });
}

/** The account as it is; one that was never moved is opened with what the card was worth from the beginning. */
async function accountOf(
  c: WriteCtx,
  row: VoucherRow,
  campaign: Campaign | null,
): Promise<{ account: Account; opening: Entry | null }> {
  if (row.account) {
    const lots = await loadLots(c.db, c.project.id, [row.id]);
    return { account: { id: row.id, sums: row.account, lots }, opening: null };
  }
  const amount = sumsOf(row, settingsOf(row, campaign))!.received;
  const lot = { id: c.newId("lopb"), expires_at: null, created_at: row.created_at };
  const { account, entry } = openAccount(row.id, { amount, lot });
  return { account, opening: entry };
}

const moved = (c: WriteCtx, account: Account, amount: number) =>
  amount > 0
    ? receive(account, {
        amount,
        lot: { id: c.newId("lopb"), expires_at: null, created_at: c.now },
        kind: "addition",
      })
    : spend(account, { amount: -amount, kind: "removal" });

const entryRow = (c: WriteCtx, row: VoucherRow, entry: Entry, sent?: BalanceBody): EntryRow => ({
  ...entry,
  id: c.newId("vtx"),
  campaign_id: row.campaign_id,
  redemption_id: null,
  rollback_id: null,
  order_id: null,
  source_id: sent?.source_id ?? null,
  source: sent ? "API" : null,
  reason: sent?.reason ?? null,
  details: {},
  created_at: c.now,
});

function happened(row: VoucherRow, balance: Balance, transaction_id: string): Happened[] {
  const { id: voucher_id, campaign_id, holder_id: customer_id, type } = row;
  const about = { voucher_id, campaign_id, payload: { balance, transaction_id } };
  const [added, created] =
    type === "GIFT_VOUCHER"
      ? (["voucher.gift.balance_added", "voucher.gift.transaction.created"] as const)
      : (["voucher.loyalty_card.points_added", "voucher.loyalty_card.transaction.created"] as const);
  return [
    { kind: created, ...about },
    ...(balance.amount > 0 ? [{ kind: added, ...about }] : []),
    ...(balance.amount > 0 && customer_id !== null
      ? [{ kind: `customer.${added}` as const, customer_id, ...about }]
      : []),
  ];
}

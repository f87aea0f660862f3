import { type Account, type AccountSums, openAccount, takeOut } from "../ledger/account.ts";
import type { EntryRow } from "../rows/ledger.ts";
import type { VoucherRow } from "../rows/voucher.ts";
import { settingsOf, type VoucherSettings } from "../vouchers/settings.ts";
import { addUse, type Starts } from "../vouchers/uses.ts";
import { sumsOf } from "../vouchers/worth.ts";
import type { Plan } from "./plan.ts";

/** What the codes of a campaign have from it. */
export type CodeTemplates = { voucher_version: number; templates: ReadonlyMap<number, VoucherSettings> };

type CodeUse = {
  by: 1 | -1;
  starts: Starts;
  keyId: string;
  /** The limit that must hold afterwards; null: none. */
  quantity: number | null;
  /** What the card holds afterwards; null: it is no card. */
  account: AccountSums | null;
  template_version: number | null;
  now: string;
};

/** A code is redeemed once more, or once less. */
export function planUse(
  row: VoucherRow,
  { by, starts, keyId, quantity, account, template_version, now }: CodeUse,
): Pick<Plan, "vouchers" | "uses"> {
  const uses = addUse(row.uses, { starts, keyId, by });
  const redeemed_quantity = row.redeemed_quantity + by;
  const after = { uses, account, template_version, updated_at: now };
  return {
    vouchers: [{ ...row, redeemed_quantity, ...after }],
    uses: [{ id: row.id, by, quantity, ...after, available: row.account?.available ?? null }],
  };
}

/** A code that follows its campaign keeps, from its first redemption on, the settings that it was redeemed with. */
export const templateKept = (row: VoucherRow, campaign: CodeTemplates | null): number | null =>
  row.template_version ?? (row.settings ? null : (campaign?.voucher_version ?? null));

type Credits = {
  /** Undefined: the gift card has no account yet. Its first movement opens one. */
  account: Account | undefined;
  campaign: CodeTemplates | null;
  spent: number;
  redemption_id: string;
  order_id: string | null;
  now: string;
  newId(prefix: "vtx" | "lopb"): string;
};

/** Spends credits of a gift card. `from`: the lots that they came from. */
export function planCredits(
  row: VoucherRow,
  { account: known, campaign, spent, redemption_id, order_id, now, newId }: Credits,
): Pick<Plan, "entries" | "lots" | "accounts"> & { from: [lot: string, amount: number][] } {
  const entryOf = (moved: ReturnType<typeof takeOut>["entry"], of: string | null): EntryRow => ({
    ...moved,
    id: newId("vtx"),
    campaign_id: row.campaign_id,
    redemption_id: of,
    rollback_id: null,
    order_id,
    source_id: null,
    source: null,
    reason: null,
    details: {},
    created_at: now,
  });
  const entries: EntryRow[] = [];
  let account = known;
  if (!account) {
    const amount = sumsOf(row, settingsOf(row, campaign))!.received;
    const opened = openAccount(row.id, {
      amount,
      lot: { id: newId("lopb"), expires_at: null, created_at: row.created_at },
    });
    account = opened.account;
    entries.push(entryOf(opened.entry, null));
  }
  const moved = takeOut(account, { amount: spent, kind: "redemption" });
  entries.push(entryOf(moved.entry, redemption_id));
  const left = new Map(moved.account.lots.map((lot) => [lot.id, lot]));
  return {
    entries,
    lots: account.lots.map((lot) => ({ ...(left.get(lot.id) ?? { ...lot, remaining: 0 }), account_id: row.id })),
    accounts: [moved.account],
    from: moved.entry.lots.map(([lot, amount]) => [lot, amount]),
  };
}

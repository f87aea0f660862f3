import type { AccountSums } from "../ledger/account.ts";
import type { TierState } from "../loyalty/tiers/state.ts";
import type { VoucherSettings, VoucherType } from "../vouchers/settings.ts";
import type { CodeUses } from "../vouchers/uses.ts";

/** A code. In the bin it has `deleted_at`; when its campaign is there, it is too, though its row does not say so. */
export type VoucherRow = {
  project_id: string;
  id: string;
  code: string;
  code_folded: string;
  campaign_id: string | null;
  template_version: number | null;
  type: VoucherType;
  settings: VoucherSettings | null;
  category_id: string | null;
  active: boolean;
  additional_info: string | null;
  redeemed_quantity: number;
  uses: CodeUses | null;
  account: AccountSums | null;
  /** Of a loyalty card: in which tier of its campaign it is. Null: no tiers watch it. */
  tier: TierState | null;
  /** When time alone changes it next; null: never. */
  due_at: string | null;
  published_count: number;
  holder_id: string | null;
  referrer_id: string | null;
  created_at: string;
  updated_at: string | null;
  deleted_at: string | null;
};

/** What a batch of redemptions leaves of a code. */
export type VoucherUse = Pick<VoucherRow, "id" | "uses" | "account" | "template_version"> & {
  /** How many redemptions more; less, in a rollback. */
  by: number;
  /** The limit that must hold afterwards; null: none. */
  quantity: number | null;
  /** What was available before; null: the account was not open, or it is no card. */
  available: number | null;
  updated_at: string;
};

import type { VoucherType } from "../vouchers/settings.ts";

/** Who was given which codes, or was refused. */
export type PublicationRow = {
  project_id: string;
  id: string;
  /** Null: a customer whom only a success would have made, or who was erased. */
  customer_id: string | null;
  tracking_id: string | null;
  campaign_id: string | null;
  campaign_name: string | null;
  voucher_ids: readonly string[];
  /** Of one code. */
  voucher_code: string | null;
  voucher_type: VoucherType | null;
  is_referral_code: boolean;
  channel: string;
  source_id: string | null;
  result: "SUCCESS" | "FAILURE";
  failure_code: string | null;
  failure_message: string | null;
  metadata: Record<string, unknown>;
  created_at: string;
};

/** What somebody has to do with a code. */
export type HolderRole = "OWNER" | "REFERRER" | "REFEREE";
export type HolderRow = {
  project_id: string;
  id: string;
  voucher_id: string;
  campaign_id: string | null;
  customer_id: string;
  holder_role: HolderRole;
  metadata: Record<string, unknown>;
  created_at: string;
};

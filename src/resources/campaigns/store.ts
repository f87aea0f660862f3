import type { CodeConfig } from "../../core/codes/generate.ts";
import { notFound } from "../../core/errors.ts";
import type { VoucherSettings, VoucherType } from "../../core/vouchers/settings.ts";
import type { Db, Tx } from "../../db/db.ts";

export type CampaignType = "DISCOUNT_COUPONS" | "GIFT_VOUCHERS" | "LOYALTY_PROGRAM" | "PROMOTION" | "REFERRAL_PROGRAM";

/** What is in the bin is in the table, with `deleted_at`. Only the functions that say so see it. */
export type CampaignRow = {
  project_id: string;
  id: string;
  name: string;
  description: string | null;
  campaign_type: CampaignType;
  type: "AUTO_UPDATE" | "STATIC" | "STANDALONE";
  voucher_type: VoucherType | null;
  code_config: CodeConfig | null;
  voucher_version: number;
  active: boolean;
  protected: boolean;
  auto_join: boolean;
  join_once: boolean;
  use_voucher_metadata_schema: boolean;
  category_id: string | null;
  activity_duration_after_publishing: string | null;
  referral_program: Record<string, unknown> | null;
  loyalty_tiers_expiration: Record<string, unknown> | null;
  created_at: string;
  updated_at: string | null;
  deleted_at: string | null;
};

/** A campaign with every version of the template that its codes may follow. */
export type Campaign = CampaignRow & { templates: ReadonlyMap<number, VoucherSettings> };

/** Those that are not in the bin: all, or those with these ids. What the catalog snapshot reads. */
export async function loadCampaigns(db: Db, projectId: string, ids: readonly string[] | null): Promise<Campaign[]> {
  const among = ids === null ? db`true` : db`id = any(${ids})`;
  const rows = await db<CampaignRow[]>`
    select * from campaigns where project_id = ${projectId} and deleted_at is null and ${among}`;
  const templates = await db<{ campaign_id: string; version: number; settings: VoucherSettings }[]>`
    select campaign_id, version, settings from voucher_templates
    where project_id = ${projectId} and campaign_id = any(${rows.map(({ id }) => id)})`;
  const by = Map.groupBy(templates, ({ campaign_id }) => campaign_id);
  return rows.map((row) => ({
    ...row,
    templates: new Map((by.get(row.id) ?? []).map(({ version, settings }) => [version, Object.freeze(settings)])),
  }));
}

/** By its id or its name; nobody else changes or deletes it until the transaction ends. */
export async function lockCampaign(tx: Tx, projectId: string, reference: string): Promise<CampaignRow> {
  const [row] = await tx<CampaignRow[]>`
    select * from campaigns where project_id = ${projectId} and deleted_at is null
      and (id = ${reference} or name = ${reference})
    order by id = ${reference} desc limit 1 for no key update`;
  if (!row) throw notFound("campaign", reference);
  return row;
}

/** Adds to the number of codes; a negative one takes away. */
export const addToVouchersCount = (tx: Tx, projectId: string, campaignId: string, by: number) => tx`
  update campaign_codes set vouchers_count = vouchers_count + ${by}
  where project_id = ${projectId} and campaign_id = ${campaignId}`;

import { isDeepStrictEqual } from "node:util";
import type { BulkOutcome } from "../../core/bulk/entry.ts";
import { ApiError, type ErrorBody, errorBody, notFound } from "../../core/errors.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import { settingsOf, type VoucherSettings } from "../../core/vouchers/settings.ts";
import { mergeSettings } from "../../core/vouchers/worth.ts";
import { type Campaign, loadCampaigns } from "../../resources/promotions/campaigns/store.ts";
import { lockManyVouchers, saveSettings, voucherNamed } from "../../resources/promotions/vouchers/store.ts";
import type { BulkCtx } from "../../steps/bulk/turn.ts";
import type { BulkKind } from "../../steps/bulk/updates.ts";
import { metadataOf } from "../../steps/promotions/vouchers.ts";

type VoucherEntry = { code: string; metadata?: Record<string, unknown> | null };

// Contract is silent: nothing is told of each code, as when codes are generated. See ADR 0042.
/** The metadata of codes in bulk. A code that is not there is not made. */
export const VOUCHERS: BulkKind<VoucherEntry> = {
  noun: "voucher",
  key: "code",
  isPersonal: false,
  save: async (c, values) => {
    const locked = await lockManyVouchers(c.db, c.project, [...new Set(values.map(({ code }) => code))]);
    const ids = [...new Set(locked.flatMap(({ campaign_id }) => campaign_id ?? []))];
    const campaigns = new Map((await loadCampaigns(c.db, c.project.id, ids)).map((one) => [one.id, one]));
    const find = voucherNamed(c.project, locked);
    const changed = new Map<string, VoucherSettings>();
    const outcomes = values.map(({ code, metadata }): BulkOutcome => {
      const row = find(code);
      const campaign = row?.campaign_id == null ? null : campaigns.get(row.campaign_id);
      // In a campaign that is in the bin there is no code.
      if (!row || campaign === undefined) return { found: false, refused: notFound("voucher", code).body };
      const before = changed.get(row.id) ?? settingsOf(row, campaign);
      const after = settingsAfter(c, { before, campaign, metadata: metadata ?? {} });
      if ("refused" in after) return { found: true, ...after };
      if (!isDeepStrictEqual(after.settings, before)) changed.set(row.id, after.settings);
      return { found: true };
    });
    await saveSettings(c.db, c.project.id, { settings: changed, now: c.now });
    return outcomes;
  },
};

type MetadataChange = { before: VoucherSettings; campaign: Campaign | null; metadata: Record<string, unknown> };

function settingsAfter(
  { catalog }: BulkCtx,
  { before, campaign, metadata }: MetadataChange,
): { settings: VoucherSettings } | { refused: ErrorBody } {
  const fault = metadataFault(catalog.metadata_schemas, metadataOf(campaign), { metadata, on: "update" });
  if (fault !== null) return { refused: errorBody("metadata_validation_failed", { details: fault }) };
  try {
    return { settings: mergeSettings(before, { metadata }) };
  } catch (error) {
    if (error instanceof ApiError) return { refused: error.body };
    throw error;
  }
}

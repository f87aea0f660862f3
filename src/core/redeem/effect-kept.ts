import type { RedemptionEffect, RedemptionRow } from "../rows/redemption.ts";

/** What a redemption shows of its code, and has in its columns as well. They come first, in this order. */
const NAMES = ["id", "code", "campaign", "campaign_id"] as const;
type Named = Pick<RedemptionRow, "related_object_type" | "related_object_id" | "voucher_code" | "campaign_name"> &
  Pick<RedemptionRow, "campaign_id" | "channel" | "effect">;

const namesIn = (row: Named): Record<(typeof NAMES)[number], string | null> => ({
  id: row.related_object_id,
  code: row.voucher_code,
  campaign: row.campaign_name,
  campaign_id: row.campaign_id,
});

type Lists = Pick<RedemptionEffect, "lines" | "lots" | "units">;
const EMPTY: Lists = { lines: [], lots: [], units: [] };

/** The effect as it is stored: without what the columns of its row tell, and without lists that are empty. */
export type EffectKept = Omit<RedemptionEffect, "api_key_id" | keyof Lists> &
  Partial<Pick<RedemptionEffect, "api_key_id" | keyof Lists>>;

export function effectKept(row: Named): EffectKept | null {
  if (row.effect === null) return null;
  const { shown, api_key_id, lines, lots, units, ...rest } = row.effect;
  return {
    ...rest,
    shown: shownKept(row, shown),
    ...(api_key_id !== row.channel.channel_id && { api_key_id }),
    ...(lines.length > 0 && { lines }),
    ...(lots.length > 0 && { lots }),
    ...(units.length > 0 && { units }),
  };
}

function shownKept(row: Named, shown: RedemptionEffect["shown"]): RedemptionEffect["shown"] {
  if (row.related_object_type !== "voucher" || shown === null) return shown;
  const names = namesIn(row);
  const areSame = NAMES.every((name, n) => Object.keys(shown)[n] === name && shown[name] === names[name]);
  if (!areSame) return shown;
  const { id: _id, code: _code, campaign: _campaign, campaign_id: _campaignId, ...rest } = shown;
  return rest;
}

/** The code or the tier as it is shown with a redemption, whether its row was stored or is about to be. */
export function shownOf(row: Omit<Named, "channel">): RedemptionEffect["shown"] {
  const shown = row.effect?.shown ?? null;
  const isWhole = shown === null || row.related_object_type !== "voucher" || "id" in shown;
  return isWhole ? shown : { ...namesIn(row as Named), ...shown };
}

/** The whole effect of a row that was stored. */
export function wholeEffect(row: Omit<Named, "effect"> & { effect: EffectKept | null }): RedemptionEffect | null {
  if (row.effect === null) return null;
  const effect = { api_key_id: row.channel.channel_id, ...EMPTY, ...row.effect };
  return { ...effect, shown: shownOf({ ...row, effect }) };
}

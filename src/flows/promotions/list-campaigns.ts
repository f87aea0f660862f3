import { LIVE_STATUSES, type LiveStatus } from "../../core/campaigns/status.ts";
import { zoneOf } from "../../core/time/zone.ts";
import { NO_SETTINGS } from "../../core/vouchers/settings.ts";
import type { Ctx } from "../../ctx.ts";
import type { CampaignQuery, CampaignView } from "../../resources/promotions/campaigns/schema.ts";
import { getCampaign, listCampaigns } from "../../resources/promotions/campaigns/store.ts";
import { loadCampaignUse, loadStatuses } from "../../steps/promotions/campaign-status.ts";
import { showCampaign, showCampaigns } from "../../steps/promotions/campaigns.ts";

const atOf = ({ now, project }: Pick<Ctx, "now" | "project">) => ({ now, zone: zoneOf(project) });

/** A page of campaigns, each with its status and, when they are asked for, with its counters. */
export async function listCampaignsWithStatus(c: Ctx, query: CampaignQuery) {
  const { db, project } = c;
  const [catalog, at] = [await c.catalog(), atOf(c)];
  const among = isByStatus(query) ? await idsByStatus(c, query) : null;
  const { rows, total } = await listCampaigns(db, project.id, { ...query, now: c.now, among });
  const shown = await showCampaigns(db, project.id, rows);
  const { statuses, figures } = await loadStatuses(db, project.id, { catalog, campaigns: rows, at });
  const counters =
    query.expand === "counters" ? await loadCampaignUse(db, project.id, { catalog, figures, at }) : undefined;
  const withStatus = (campaign: CampaignView): CampaignView => {
    const own = counters?.get(campaign.id);
    return { ...campaign, status: statuses.get(campaign.id)!, ...(own && { counters: own }) };
  };
  return { rows: shown.map(withStatus), total };
}

const isByStatus = ({ status, order }: CampaignQuery): boolean =>
  status !== undefined || /^-?status$/.test(order ?? "");

/**
 * The ids of all campaigns of a status, those that are sorted by it in their order. The database does not know it: the one function that
 * says it is pure, and all campaigns are in memory.
 */
async function idsByStatus(c: Ctx, { status }: CampaignQuery): Promise<string[]> {
  const catalog = await c.catalog();
  const campaigns = [...catalog.campaigns.values()].map((one) => ({
    ...one,
    settings: one.templates.get(one.voucher_version) ?? NO_SETTINGS,
  }));
  const { statuses } = await loadStatuses(c.db, c.project.id, { catalog, campaigns, at: atOf(c) });
  const place = (id: string): number => LIVE_STATUSES.indexOf(statuses.get(id) as LiveStatus);
  return [...statuses.keys()]
    .filter((id) => status === undefined || statuses.get(id) === status)
    .sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
}

/** One campaign, with its status and, when they are asked for, with its counters. */
export async function readCampaignWithStatus(c: Ctx, reference: string, isCounted = false): Promise<CampaignView> {
  const { db, project } = c;
  const row = await getCampaign(db, project.id, reference);
  const campaign = await showCampaign(db, project.id, row);
  const catalog = await c.catalog();
  const at = atOf(c);
  const { statuses, figures } = await loadStatuses(db, project.id, { catalog, campaigns: [row], at });
  const counters = isCounted ? await loadCampaignUse(db, project.id, { catalog, figures, at }) : undefined;
  return { ...campaign, status: statuses.get(row.id)!, ...(counters && { counters: counters.get(row.id)! }) };
}

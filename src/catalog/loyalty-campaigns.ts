import { Type } from "typebox";
import { notFound } from "../core/errors.ts";
import type { Tx } from "../db/db.ts";
import { CampaignQuery, CampaignUpdate, campaignCreate } from "../resources/campaigns/schema.ts";
import { type Campaign, type CampaignRow, lockCampaign } from "../resources/campaigns/store.ts";
import type { Catalog } from "./catalog.ts";

const LOYALTY_PROGRAM = "LOYALTY_PROGRAM";

/** The campaign with that id or name when it is a loyalty program; one of another type is not found here. */
export function loyaltyNamed({ campaigns }: Pick<Catalog, "campaigns">, reference: string): Campaign {
  const found = campaigns.get(reference) ?? campaigns.values().find(({ name }) => name === reference);
  if (found?.campaign_type !== LOYALTY_PROGRAM) throw notFound("campaign", reference);
  return found;
}

/** The same from the database; nobody else changes it, its rules or its tiers until the transaction ends. */
export async function lockLoyaltyCampaign(tx: Tx, projectId: string, reference: string): Promise<CampaignRow> {
  const row = await lockCampaign(tx, projectId, reference);
  if (row.campaign_type !== LOYALTY_PROGRAM) throw notFound("campaign", reference);
  return row;
}

const campaign_type = Type.Optional(Type.Literal(LOYALTY_PROGRAM));
/** What is sent of a loyalty program: that of a campaign, which has no promotion. */
export const LoyaltyCampaignCreate = Type.Object({ ...campaignCreate, campaign_type }, { additionalProperties: true });
export const LoyaltyCampaignUpdate = CampaignUpdate;
const { limit, page, order, expand } = CampaignQuery.properties;
export const LoyaltyCampaignQuery = Type.Object({ limit, page, order, expand });

type Page = { limit?: number; page?: number; order?: string };
type Dated = { id: string; created_at: string; updated_at: string | null };

/** A page of rows that the catalog holds, in the order that lists of the database have. */
export function pageIn<R extends Dated>(
  rows: readonly R[],
  { limit = PAGE_LIMIT, page = 1, order = "-created_at" }: Page,
): { rows: R[]; total: number } {
  const field = order.replace(/^-/, "") as "created_at" | "updated_at";
  const sorted = [...rows].sort((a, b) => compare(a[field], b[field]) || (a.id < b.id ? -1 : 1));
  if (order.startsWith("-")) sorted.reverse();
  return { rows: sorted.slice((page - 1) * limit, page * limit), total: rows.length };
}
const PAGE_LIMIT = 10;

/** Never updated comes last, as in the database. */
function compare(a: string | null, b: string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return Temporal.Instant.compare(a, b);
}

import type { Catalog } from "../../catalog/catalog.ts";
import { ApiError } from "../../core/errors.ts";
import { lotIdOf, pendingIdOf, pendingView } from "../../core/ledger/pending-points.ts";
import { localDate } from "../../core/time/calendar.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Ctx } from "../../ctx.ts";
import { listPointsByDay, listWaiting, lotsById, type PointsOfDay } from "../../resources/ledger/ledger/store.ts";
import type { CampaignMember, MemberTier } from "../../resources/loyalty-v1/members/member-schema.ts";
import type {
  CampaignMemberQuery,
  CampaignPointsBucket,
  PendingList,
  PendingQuery,
} from "../../resources/loyalty-v1/members/schema.ts";
import { view as tierView } from "../../resources/loyalty-v1/tiers/store.ts";
import { listVouchers } from "../../resources/promotions/vouchers/list-store.ts";
import { loyaltyNamed } from "../../steps/points/loyalty-campaigns.ts";
import { loadPointsNow, type PointCard } from "../../steps/points/point-cards.ts";
import { getCampaignMember, memberView, type Which } from "../../steps/points/point-members.ts";

type CardInCatalog = { catalog: Catalog; card: PointCard };

/** A card with the points that it has now. */
async function findCard(c: Ctx, which: Which): Promise<CardInCatalog> {
  const catalog = await c.catalog();
  const row = await getCampaignMember(c, catalog, which);
  const cards = await loadPointsNow(c, catalog, [row]);
  return { catalog, card: cards.get(row.id)! };
}

export async function readCampaignMember(c: Ctx, which: Which): Promise<CampaignMember> {
  const { catalog, card } = await findCard(c, which);
  return memberView(catalog, card, c.project) as CampaignMember;
}

/** A page of the cards of a campaign: two statements more than the list itself. */
export async function membersOf(
  c: Ctx,
  campaignId: string,
  query: CampaignMemberQuery,
): Promise<{ rows: CampaignMember[]; total: number }> {
  const catalog = await c.catalog();
  const { id } = loyaltyNamed(catalog, campaignId);
  const { rows, total } = await listVouchers(c.db, c.project, { ...query, campaign_id: id, now: c.now });
  const cards = await loadPointsNow(c, catalog, rows);
  return { rows: rows.map((row) => memberView(catalog, cards.get(row.id)!, c.project) as CampaignMember), total };
}

/** What can be spent until which day. */
export async function bucketsOfMember(
  c: Ctx,
  which: Which,
  { limit = 10, page = 1 }: { limit?: number | undefined; page?: number | undefined },
): Promise<{ rows: CampaignPointsBucket[]; total: number }> {
  const { card } = await findCard(c, which);
  const { row, change } = card;
  const saved = await listPointsByDay(c.db, c.project.id, { accountId: row.id, now: c.now });
  const all = withFresh(saved, change);
  const shown = all.slice((page - 1) * limit, page * limit).map(
    ({ id, date, points, created_at }): CampaignPointsBucket => ({
      id,
      voucher_id: row.id,
      campaign_id: row.campaign_id!,
      bucket: { total_points: points },
      status: "ACTIVE",
      ...(date !== null && { expires_at: date }),
      created_at,
      updated_at: null,
      object: "loyalty_points_bucket",
    }),
  );
  return { rows: shown, total: all.length };
}

/** What became available by time alone, and is not saved yet, is counted. */
function withFresh(saved: readonly PointsOfDay[], { lots, card }: PointCard["change"]): readonly PointsOfDay[] {
  const left = new Set(card.lots.map(({ id }) => id));
  const days = new Map(saved.map((bucket) => [bucket.date, bucket]));
  for (const { id, pot, bucket_date: date, remaining, created_at } of lots) {
    if (pot !== "available" || !left.has(id)) continue;
    const known = days.get(date) ?? { id, date, points: 0, created_at };
    days.set(date, { ...known, points: known.points + remaining });
  }
  const key = ({ date }: PointsOfDay) => date ?? "9999-99-99";
  return [...days.values()].toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** The points that wait on a card. */
export async function pendingOfMember(c: Ctx, which: Which, query: PendingQuery): Promise<PendingList> {
  const { id } = await getCampaignMember(c, await c.catalog(), which);
  return pendingPage(c, { voucherId: id }, query);
}

/** The points that wait on all cards of a campaign. */
export async function pendingOfCampaign(c: Ctx, campaignId: string, query: PendingQuery): Promise<PendingList> {
  const { id } = loyaltyNamed(await c.catalog(), campaignId);
  return pendingPage(c, { campaignId: id }, query);
}

async function pendingPage(
  c: Ctx,
  of: Parameters<typeof listWaiting>[2],
  { starting_after_id, ...query }: PendingQuery,
): Promise<PendingList> {
  const after = starting_after_id === undefined ? {} : { after: lotIdOf(starting_after_id) };
  if (after.after && (await lotsById(c.db, c.project.id, [after.after])).length === 0)
    throw new ApiError("invalid_query_params", {
      details: `Property .starting_after_id names no entry: ${starting_after_id}`,
    });
  const { rows, has_more } = await listWaiting(c.db, c.project.id, of, { ...query, ...after, now: c.now });
  const data = rows.map((row) =>
    pendingView({ id: row.account_id, campaign_id: row.campaign_id, holder_id: row.holder_id }, row),
  );
  const next = has_more ? { more_starting_after: pendingIdOf(rows.at(-1)!.id) } : {};
  return { object: "list", data_ref: "data", data, has_more, ...next };
}

/** The tier that a member is in, with the days on which it started and ends. */
export async function tiersOfMember(c: Ctx, memberId: string): Promise<{ rows: MemberTier[]; total: number }> {
  const { catalog, card } = await findCard(c, { memberId });
  const { row, change } = card;
  const state = change.card.tier;
  const tier = catalog.campaign_tiers.get(state?.tier_id ?? "");
  if (!state || !tier || row.holder_id === null) return { rows: [], total: 0 };
  const zone = zoneOf(c.project);
  const { start_at, expires_at } = state;
  const lastMoment = expires_at && new Date(Date.parse(expires_at) - 1).toISOString();
  const expiration = {
    customer_id: row.holder_id,
    campaign_id: row.campaign_id!,
    tier_id: tier.id,
    start_date: localDate(start_at!, zone).toString(),
    ...(lastMoment && { expiration_date: localDate(lastMoment, zone).toString() }),
    created_at: start_at!,
    updated_at: null,
  };
  return { rows: [{ ...tierView(tier), expiration }], total: 1 };
}

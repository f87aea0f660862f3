import { type Static, Type } from "typebox";
import type { Catalog } from "../../catalog/catalog.ts";
import { requireMetadata } from "../../catalog/metadata.ts";
import { ApiError, apiErrorFrom, invalid, notFound } from "../../core/errors.ts";
import { isSamePerson } from "../../core/referrals/person.ts";
import type { SavedCustomer } from "../../core/rows/customer.ts";
import type { HolderRow } from "../../core/rows/publication.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Ctx, WriteCtx } from "../../ctx.ts";
import { StartOver } from "../../db/batches/commit.ts";
import type { Db } from "../../db/db.ts";
import { record, recordAll, withIds } from "../../events/events.ts";
import { findCustomers, lockCustomers } from "../../resources/customers/customers/store.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import { HolderQuery, RedeemableHolder } from "../../resources/promotions/redeemable-holders/schema.ts";
import {
  deleteHolder,
  insertHolders,
  listHolders,
  lockHolder,
  view,
} from "../../resources/promotions/redeemable-holders/store.ts";
import type { HoldersCreate } from "../../resources/promotions/referrals/schema.ts";
import { findVouchers, lockVouchers } from "../../resources/promotions/vouchers/store.ts";
import { customerEvents, saveCustomers } from "../../steps/customers/customers.ts";
import { refreshMemberships } from "../../steps/customers/segment-membership.ts";
import { earnFrom } from "../../steps/earning/earn-work.ts";
import { segmentsEntered } from "../../steps/points/earning-triggers.ts";
import { holderEvent } from "../../steps/publishing/publication-rows.ts";
import { isReferral, notPublished } from "../../steps/referrals/referrals.ts";

export const ReferralHolderQuery = HolderQuery;
export const HoldersMade = Type.Object({ holders: Type.Array(RedeemableHolder) }, { title: "ReferralHolders" });
export const ReferralHolderList = Type.Object(
  {
    object: Type.Literal("list"),
    data_ref: Type.Literal("data"),
    data: Type.Array(RedeemableHolder),
    total: Type.Integer({ minimum: 0 }),
    has_more: Type.Boolean(),
    more_starting_after: Type.Optional(Type.String({ description: "The `starting_after_id` of the next page." })),
  },
  { title: "ReferralHolderList" },
);

type Asking = Omit<Ctx, "db"> & { db: Db };
/** A referral code, of that campaign when one is named. */
type Named = { memberId: string; campaignId?: string };
type Code = { row: VoucherRow; campaign: Campaign };

/** Any other code, and one of another campaign, is not there. */
async function codeOf(c: Asking, { campaigns }: Catalog, { memberId, campaignId }: Named): Promise<Code> {
  const meant =
    campaignId === undefined
      ? null
      : (campaigns.get(campaignId) ?? campaigns.values().find(({ name }) => name === campaignId));
  if (meant === undefined) throw notFound("campaign", campaignId!);
  const [row] = await findVouchers(c.db, c.project, [memberId]);
  const campaign = campaigns.get(row?.campaign_id ?? "");
  if (!row || !isReferral(campaign) || (meant && meant.id !== campaign.id)) throw notFound("voucher", memberId);
  return { row, campaign };
}

/** Gives a referral code to friends: all of them, or none when one is refused. */
export async function addHolders(
  c: WriteCtx,
  named: Named,
  { holders: given, metadata }: HoldersCreate,
): Promise<{ holders: RedeemableHolder[] }> {
  const catalog = await c.catalog();
  const { row, campaign } = await codeOf(c, catalog, named);
  requireMetadata(catalog, "publication", { metadata: metadata ?? {}, on: "create" });
  const nameless = given.findIndex(({ id, source_id }) => !id && !source_id);
  if (nameless !== -1) throw invalid(`Property .holders[${nameless}] must have source_id or id`);
  const { holder_id } = row;
  if (holder_id === null) throw apiErrorFrom(notPublished());
  // All at once, in the order of their ids.
  await lockCustomers(c.db, c.project.id, {
    ids: [holder_id, ...given.flatMap(({ id }) => id || [])],
    sourceIds: given.flatMap(({ source_id }) => source_id ?? []),
  });
  const saved = await saveCustomers(c, catalog, given);
  await requireFriends(c, { row, saved });
  const rows = saved.map(
    (one): Omit<HolderRow, "project_id"> => ({
      id: c.newId("rh"),
      voucher_id: row.id,
      campaign_id: campaign.id,
      customer_id: one.row.id,
      holder_role: "REFEREE",
      metadata: metadata ?? {},
      created_at: c.now,
    }),
  );
  const added = new Set((await insertHolders(c.db, c.project.id, rows)).map(({ id }) => id));
  const known = rows.find(({ id }) => !added.has(id));
  if (known)
    throw new ApiError("duplicate_found", {
      details: `Customer ${known.customer_id} holds the referral code ${row.code} already`,
      resource_id: known.customer_id,
      resource_type: "customer",
    });
  await recordAdded(c, catalog, { saved, rows });
  const about = { campaign_type: campaign.campaign_type, voucher_type: row.type };
  return { holders: rows.map((one) => view({ ...one, ...about, project_id: c.project.id })) };
}

/** Each once, and none of them the one who shares the code. The code is locked. */
async function requireFriends(
  c: WriteCtx,
  { row, saved }: { row: VoucherRow; saved: readonly SavedCustomer[] },
): Promise<void> {
  const twice = saved.find(({ row: { id } }, n) => saved.findIndex((one) => one.row.id === id) !== n);
  if (twice)
    throw new ApiError("duplicate_found", {
      details: `Customer ${twice.row.id} is in .holders twice`,
      resource_id: twice.row.id,
      resource_type: "customer",
    });
  const ids = [row.holder_id!];
  const [referrer] = await findCustomers(c.db, c.project.id, { ids, sourceIds: [], trackingIds: [] });
  const [locked] = await lockVouchers(c.db, c.project.id, [row.id]);
  if (!referrer || locked?.holder_id !== row.holder_id) throw new StartOver("the code was taken away meanwhile");
  if (saved.some((one) => isSamePerson(referrer, one.row)))
    throw new ApiError("referral_self_redemption", { details: row.code });
}

async function recordAdded(
  c: WriteCtx,
  catalog: Catalog,
  { saved, rows }: { saved: readonly SavedCustomer[]; rows: readonly Omit<HolderRow, "project_id">[] },
): Promise<void> {
  const touched = saved.filter(({ created, changed }) => created || changed.length > 0).map((one) => one.row.id);
  const moved = touched.length > 0 ? await refreshMemberships(c, catalog, touched) : [];
  const happened = withIds(c, [...customerEvents(saved), ...rows.map(holderEvent), ...moved]);
  await record(c, happened);
  await recordAll(c.db, c.project.id, await earnFrom(c.db, c.project, catalog, segmentsEntered(happened, c)));
}

/** The referrer and the friends. */
export async function listReferralHolders(
  c: Asking,
  named: Named,
  query: HolderQuery,
): Promise<Static<typeof ReferralHolderList>> {
  const { row } = await codeOf(c, await c.catalog(), named);
  const whose = { voucherId: row.id };
  const { rows, total, has_more } = await listHolders(c.db, c.project.id, whose, { ...query, now: c.now });
  const next = has_more ? { more_starting_after: rows.at(-1)!.id } : {};
  return { object: "list", data_ref: "data", data: rows.map(view), total, has_more, ...next };
}

/** Takes a referral code from a friend. */
export async function removeHolder(c: WriteCtx, named: Named, id: string): Promise<null> {
  const { row } = await codeOf(c, await c.catalog(), named);
  const held = await lockHolder(c.db, c.project.id, { voucherId: row.id, id });
  if (held.holder_role !== "REFEREE")
    throw new ApiError("forbidden", { details: "You can not remove Referrer assignment" });
  await deleteHolder(c.db, c.project.id, id);
  await record(c, [{ ...holderEvent(held), kind: "customer.holder.assignment.deleted" }]);
  return null;
}

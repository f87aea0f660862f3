import { isExpired, isShared, joinsOnce } from "../../core/publish/publish.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { HolderRow, PublicationRow } from "../../core/rows/publication.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { settingsOf } from "../../core/vouchers/settings.ts";
import { StartOver } from "../../db/batches/commit.ts";
import type { Tx } from "../../db/db.ts";
import type { EventsOf } from "../../events/events.ts";
import type { NewId, Project } from "../../request.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import { firstPublications, insertPublications } from "../../resources/promotions/publications/store.ts";
import { insertHolders } from "../../resources/promotions/redeemable-holders/store.ts";
import { findHeldBy } from "../../resources/promotions/vouchers/published-store.ts";
import { holderEvent, holderRow, publicationEvents } from "./publication-rows.ts";
import { publicationRow } from "./publication-view.ts";
import type { CodesAtWork, DrawnCodes, HandedCode } from "./publishing.ts";

/** A customer who is to get something of a campaign. */
export type Getting = { customerId: string; campaign: Campaign };
export const gettingKey = ({ customerId, campaign }: Getting): string => `${customerId} ${campaign.id}`;

const HELD_MAX = 100;

// Contract is silent: of several cards the oldest that is not expired is filled up.
/** The cards that customers have of campaigns, in one statement: of each the one that is filled up. They are not locked. */
export async function loadCardsToFill(
  tx: Tx,
  projectId: string,
  wanted: readonly Getting[],
): Promise<(one: Getting & { now: string }) => VoucherRow | null> {
  // What one customer gets cannot be put on a code for all.
  const pairs = wanted
    .filter(({ campaign }) => !isShared(campaign))
    .map(({ customerId, campaign }) => ({ customerId, campaignId: campaign.id }));
  const rows = pairs.length > 0 ? await findHeldBy(tx, projectId, pairs, HELD_MAX) : [];
  const by = Map.groupBy(rows, ({ holder_id, campaign_id }) => `${holder_id} ${campaign_id}`);
  return (one) => by.get(gettingKey(one))?.find((row) => !isExpired(settingsOf(row, one.campaign), one.now)) ?? null;
}

/** A card that was found, now that it is locked. */
export function requireHeld(codes: CodesAtWork, { id, holder_id }: VoucherRow): VoucherRow {
  const row = codes.byId(id);
  if (!row?.active || row.holder_id !== holder_id) throw new StartOver("a card was taken away meanwhile");
  return row;
}

// Contract is silent: a campaign that gives each customer one code gives no second one, whatever it is given for.
/** Customers who may have one code of a campaign, and have it. */
export async function loadJoined(tx: Tx, projectId: string, wanted: readonly Getting[]): Promise<Set<string>> {
  const once = wanted.filter(({ campaign }) => joinsOnce(campaign, null));
  if (once.length === 0) return new Set();
  const rows = await firstPublications(tx, projectId, {
    customerIds: [...new Set(once.map(({ customerId }) => customerId))],
    campaignIds: [...new Set(once.map(({ campaign }) => campaign.id))],
  });
  return new Set(rows.map((row) => `${row.customer_id} ${row.campaign_id}`));
}

type Giver = { now: string; newId: NewId };
/** A code that somebody is given. */
export type Handed<O extends Giver = Giver> = {
  of: O;
  row: PublicationRow;
  voucher: VoucherRow;
  published: HandedCode;
  holder: Omit<HolderRow, "project_id">;
};

/** A code that is drawn from a campaign and given to somebody, as a part of a plan. */
export type DrawnGift<O extends Giver = Giver> = Handed<O> & { drawn: DrawnCodes };

type To<O> = {
  of: O;
  project: Pick<Project, "id">;
  campaign: Campaign;
  customer: Pick<CustomerRow, "id" | "tracking_id">;
};

/** Gives a code to a customer: what comes next sees it. */
export function handOver<O extends Giver>(codes: CodesAtWork, taken: VoucherRow, to: To<O>): Handed<O> {
  const handed = planHandOver(codes, taken, to);
  codes.acceptPublished(handed.published);
  return handed;
}

/** What giving a code to a customer would write. Nothing has changed yet. */
export function planHandOver<O extends Giver>(
  codes: CodesAtWork,
  taken: VoucherRow,
  { of, project, campaign, customer }: To<O>,
): Handed<O> {
  const published = codes.give(taken, { campaign, customerId: customer.id, now: of.now, newId: of.newId });
  const voucher = published.row;
  const row: PublicationRow = {
    ...publicationRow({ now: of.now, newId: of.newId, project, sent: {} }, { campaign, voucher, customer }),
    voucher_ids: [voucher.id],
  };
  const holder = holderRow(of, voucher, { campaign, customerId: customer.id, metadata: {} });
  return { of, row, voucher, published, holder };
}

/** What comes next finds the code taken. */
export function acceptGift(codes: CodesAtWork, { drawn, published }: DrawnGift): void {
  codes.acceptDrawn(drawn);
  codes.acceptPublished(published);
}

/** Writes the codes that were given, each kind in one statement. Returns the events; the caller records them. */
export async function saveHanded<O extends Giver>(
  tx: Tx,
  projectId: string,
  { codes, handed }: { codes: CodesAtWork; handed: readonly Handed<O>[] },
): Promise<EventsOf<O>[]> {
  if (handed.length === 0) return [];
  await codes.save();
  await insertPublications(
    tx,
    projectId,
    handed.map(({ row }) => row),
  );
  const held = await insertHolders(
    tx,
    projectId,
    handed.map(({ holder }) => holder),
  );
  const isNew = new Set(held.map(({ id }) => id));
  return handed.map(({ of, row, voucher, holder }) => ({
    of,
    happened: [...publicationEvents(row, [voucher]), ...(isNew.has(holder.id) ? [holderEvent(holder)] : [])],
  }));
}

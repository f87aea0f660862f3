import type { CustomerRow } from "../../core/rows/customer.ts";
import type { HolderRow } from "../../core/rows/publication.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { StartOver } from "../../db/batches/commit.ts";
import { isTaken, type Tx } from "../../db/db.ts";
import { type Writes, writeLater } from "../../db/together.ts";
import type { Origin } from "../../request.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import { insertFirstHolders, insertHolders } from "../../resources/promotions/redeemable-holders/store.ts";
import {
  type ConversionKey,
  type ConversionRow,
  insertConversions,
  insertFirstConversions,
} from "../../resources/promotions/referrals/store.ts";
/** A friend did what a referral program waits for. Whether it is the first time is not known yet. */
export type Referred<O extends Origin = Origin> = {
  of: O;
  campaign: Campaign;
  voucher: Pick<VoucherRow, "id" | "code">;
  referrer_id: string;
  referee_id: string;
  by: { type: ConversionRow["related_object_type"]; id: string };
};

const conversionKey = ({ campaign_id, referee_id }: ConversionKey): string => `${campaign_id} ${referee_id}`;
export const referralKey = ({ campaign, referee_id }: Referred): string => `${campaign.id} ${referee_id}`;

/** What was read of friends behind their locks: then nothing waits for what is written of them. */
export type ReferralsAhead = {
  /** Customers that are locked, as they are by now. */
  personOf(id: string): CustomerRow | undefined;
  /** What the friends have counted for. */
  conversions: readonly ConversionKey[];
  /** Who holds the codes. */
  holders: readonly Pick<HolderRow, "voucher_id" | "customer_id" | "holder_role">[];
  writes: Writes;
};

/** Counts those who did not count before, and says who they are. */
export async function countFriends<R extends Referred>(
  tx: Tx,
  projectId: string,
  candidates: readonly R[],
  ahead: ReferralsAhead | null,
): Promise<readonly R[]> {
  if (!ahead) {
    const inserted = await insertConversions(tx, projectId, candidates.map(conversionRow));
    const isNew = new Set(inserted.map(conversionKey));
    return candidates.filter((friend) => isNew.has(referralKey(friend)));
  }
  const counted = new Set(ahead.conversions.map(conversionKey));
  const fresh = candidates.filter((friend) => !counted.has(referralKey(friend)));
  writeLater(ahead.writes, insertFirstConversions(tx, projectId, fresh.map(conversionRow)).catch(startOver));
  return fresh;
}

/** Friends are locked by whoever counts them, so this is nobody's who does as all do. */
const startOver = (error: unknown): never => {
  throw isTaken(error) ? new StartOver("a friend came meanwhile") : error;
};

const conversionRow = ({ of, campaign, voucher, referrer_id, referee_id, by }: Referred): ConversionRow => ({
  campaign_id: campaign.id,
  referee_id,
  referrer_id,
  voucher_id: voucher.id,
  related_object_type: by.type,
  related_object_id: by.id,
  created_at: of.now,
});

type NewHolder = Omit<HolderRow, "project_id">;

/** Friends hold the code through which they came. */
export async function holdCodes(
  tx: Tx,
  projectId: string,
  fresh: readonly Referred[],
  ahead: ReferralsAhead | null,
): Promise<Map<Referred, NewHolder[]>> {
  const rows = fresh.map(
    ({ of, voucher, campaign, referee_id }): NewHolder => ({
      id: of.newId("rh"),
      voucher_id: voucher.id,
      campaign_id: campaign.id,
      customer_id: referee_id,
      holder_role: "REFEREE",
      metadata: {},
      created_at: of.now,
    }),
  );
  const added = new Set(await insertFriends(tx, projectId, rows, ahead));
  return new Map(fresh.map((friend, n) => [friend, added.has(rows[n]!.id) ? [rows[n]!] : []]));
}

/** Inserts those who do not hold their code yet, and gives the ids of what is inserted. No friend holds a code twice in `rows`. */
async function insertFriends(
  tx: Tx,
  projectId: string,
  rows: readonly NewHolder[],
  ahead: ReferralsAhead | null,
): Promise<string[]> {
  if (!ahead) return (await insertHolders(tx, projectId, rows)).map(({ id }) => id);
  const keyOf = ({ voucher_id, customer_id, holder_role }: ReferralsAhead["holders"][number]) =>
    `${voucher_id} ${customer_id} ${holder_role}`;
  const held = new Set(ahead.holders.map(keyOf));
  const added = rows.filter((row) => !held.has(keyOf(row)));
  writeLater(ahead.writes, insertFirstHolders(tx, projectId, added).catch(startOver));
  return added.map(({ id }) => id);
}

import type { Catalog } from "../../catalog/catalog.ts";
import { isShared } from "../../core/publish/publish.ts";
import type { RedemptionRow, RewardKept } from "../../core/rows/redemption.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Tx } from "../../db/db.ts";
import type { EventsOf } from "../../events/events.ts";
import type { Origin, Project } from "../../request.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import { lockVouchers } from "../../resources/promotions/vouchers/store.ts";
import { moveBalances } from "../points/card-balances.ts";
import { binCodes } from "../promotions/bin-codes.ts";
import { campaignsOf } from "../promotions/voucher-view.ts";

/** The request that gives the points of a reward back. */
type Returning = Origin & { project: Project; catalog: Catalog };
type RewardVoucher = NonNullable<RewardKept["voucher"]>;
const REASON = "Redemption rolled back";

/** The codes that rewards of redemptions brought. */
export const givenBy = (rows: readonly RedemptionRow[]): RewardVoucher[] =>
  rows.flatMap(({ effect }) => effect?.reward?.voucher ?? []);

// Contract is silent: what a reward brought goes back with its points, as far as it is still there: of credits and points
// what is left. A code that was used stays.
/**
 * Takes back what rewards brought, one after the other, in a fixed number of statements. The codes are locked, and their
 * campaigns before them. Returns the events; the caller records them.
 */
export async function takeBackRewards<O extends Returning>(
  tx: Tx,
  asked: readonly { of: O; given: RewardVoucher }[],
): Promise<EventsOf<O>[]> {
  if (asked.length === 0) return [];
  const { project, catalog } = asked[0]!.of;
  // As they are after what went back so far.
  const rows = await lockVouchers(tx, project.id, [...new Set(asked.map(({ given }) => given.id))]);
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const campaigns = await campaignsOf(tx, project.id, catalog, rows);
  const back = asked.flatMap(({ of, given }) => {
    const row = rowOf.get(given.id);
    const campaign = campaigns.get(row?.campaign_id ?? "");
    return row && campaign ? [{ of, row, campaign, kind: "removal" as const, amount: amountOf(given) }] : [];
  });
  const unused = back.filter(isUnused);
  const binned = await binCodes({ db: tx, project }, unused);
  const told = { operation_type: "MANUAL" as const, reason: REASON };
  const moved = await moveBalances(tx, { project, catalog, movements: back, told });
  const deleted = new Map(unused.map((one, n) => [one, binned[n]!]));
  return back.map((one, n) => {
    const gone = deleted.get(one);
    return { of: one.of, happened: gone ? [gone] : moved[n]!.happened };
  });
}

const isUnused = ({ row, campaign }: { row: VoucherRow; campaign: Campaign }): boolean =>
  row.type === "DISCOUNT_VOUCHER" && row.redeemed_quantity === 0 && !isShared(campaign);

type Amounts = { gift?: { amount?: number }; loyalty_card?: { points?: number } };
const amountOf = (given: RewardVoucher): number => {
  const { gift, loyalty_card } = given as Amounts;
  return gift?.amount ?? loyalty_card?.points ?? 0;
};

import { afterwards, debit } from "../core/loyalty/moves.ts";
import { isShared } from "../core/publish/publish.ts";
import { zoneOf } from "../core/time/zone.ts";
import type { Tx } from "../db/db.ts";
import type { RedemptionRow, RewardKept } from "../resources/redemptions/schema.ts";
import { lockVouchers, type VoucherRow } from "../resources/vouchers/store.ts";
import { binCode } from "./bin-voucher.ts";
import { changePointCard, openPointCards, pointWorld, savePointCards } from "./point-cards.ts";
import type { PointTelling } from "./point-events.ts";
import type { RollBackRequest } from "./roll-back-work.ts";
import { moveBalance, openCard } from "./voucher-balance.ts";
import { campaignsOf } from "./voucher-view.ts";

type Given = NonNullable<RewardKept["voucher"]>;
type Telling =
  | Awaited<ReturnType<typeof binCode>>[number]
  | Awaited<ReturnType<typeof moveBalance>>["happened"][number]
  | PointTelling;
const REASON = "Redemption rolled back";

/** The codes that rewards of redemptions brought. */
export const givenBy = (rows: readonly RedemptionRow[]): Given[] =>
  rows.flatMap(({ effect }) => effect?.reward?.voucher ?? []);

// Contract is silent: what a reward brought goes back with its points, as far as it is still there: of credits and points
// what is left. A code that was used stays.
/** Takes back what a reward brought. The code is locked, and its campaign before it. */
export async function takeBackReward(tx: Tx, of: RollBackRequest, given: Given): Promise<Telling[]> {
  const { project, catalog, now, newId } = of;
  const [row] = await lockVouchers(tx, project.id, [given.id]);
  const campaign = row && (await campaignsOf(tx, project.id, catalog, [row])).get(row.campaign_id ?? "");
  if (!campaign) return [];
  const c = { db: tx, project, now, newId };
  if (row.type === "DISCOUNT_VOUCHER")
    return row.redeemed_quantity === 0 && !isShared(campaign) ? binCode(c, { row, campaign }) : [];
  if (row.type === "LOYALTY_CARD")
    return takeBackPoints(tx, of, { row, points: amountOf(given.loyalty_card, "points") });
  const card = await openCard(c, row, campaign);
  const amount = Math.min(amountOf(given.gift, "amount"), card.account.sums.available);
  if (amount <= 0) return [];
  return (await moveBalance(c, card, -amount, { reason: REASON })).happened;
}

const amountOf = (value: unknown, field: string): number => (value as Record<string, number> | undefined)?.[field] ?? 0;

/** As many of the points as there are. */
async function takeBackPoints(
  tx: Tx,
  { project, catalog, now, newId }: RollBackRequest,
  { row, points }: { row: VoucherRow; points: number },
): Promise<PointTelling[]> {
  const cards = await openPointCards(tx, project, catalog, [row]);
  const one = cards.get(row.id)!;
  const world = pointWorld(catalog, one.campaign, { now, newId, zone: zoneOf(project) });
  changePointCard(one, world, (card, at) => {
    const taken = Math.min(points, Math.max(0, card.account.sums.available));
    return { change: afterwards(debit(card, at, { kind: "removal", points: taken, reason: REASON }), at) };
  });
  return savePointCards(tx, project, cards.values(), { source: null });
}

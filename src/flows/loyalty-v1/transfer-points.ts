import { invalid } from "../../core/errors.ts";
import type { CardEntry } from "../../core/loyalty/card/card.ts";
import { changeCard } from "../../core/loyalty/card/card-at-work.ts";
import { addPoints, takePoints } from "../../core/loyalty/card/points.ts";
import { isRoom } from "../../core/loyalty/earning/earn.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { CampaignMember } from "../../resources/loyalty-v1/members/member-schema.ts";
import type { TransferBody } from "../../resources/loyalty-v1/members/schema.ts";
import { autoRedeeming, saveAutoRedeemed } from "../../steps/earning/auto-redeem.ts";
import { recordPoints } from "../../steps/earning/earn-work.ts";
import { requirePoints, requireRoom } from "../../steps/earning/point-balance.ts";
import { hasAutoRewards } from "../../steps/points/auto-rewards.ts";
import { type PointCard, savePointCards } from "../../steps/points/point-cards.ts";
import {
  type MembersAtWork,
  memberView,
  openMembers,
  requireHolder,
  type Which,
} from "../../steps/points/point-members.ts";

type Transfer = TransferBody[number];

/** Moves points from other cards to one: all of them, or nothing. They expire as the card says that gets them. */
export async function transferPoints(c: WriteCtx, which: Which, transfers: TransferBody): Promise<CampaignMember> {
  const catalog = await c.catalog();
  const { target, told, redeemed } = await autoRedeeming(c.db, hasAutoRewards(catalog), async (db, auto) => {
    const work = await openMembers({ ...c, db }, catalog, [which.memberId, ...transfers.map(({ code }) => code)], auto);
    const target = work.named(which);
    requireHolder(target.row);
    for (const one of transfers) transfer(work, { target, source: work.named({ memberId: one.code }) }, one);
    const told = await savePointCards(db, c.project, work.cards.values(), { source: "API" });
    return { target, told, redeemed: await saveAutoRedeemed(db, { ...c, catalog, auto, cards: work.cards }, () => c) };
  });
  await recordPoints(c, catalog, { told, redeemed });
  return memberView(catalog, target, c.project) as CampaignMember;
}

function transfer(
  work: MembersAtWork,
  { target, source }: { target: PointCard; source: PointCard },
  { points, reason = null, source_id = null }: Transfer,
): void {
  if (source === target) throw invalid(`Points cannot be moved to the same card: ${source.row.code}`);
  requireHolder(source.row);
  const told = { points, reason, cause: { source_id } };
  const out = changeCard(source, work.worldOf(source), (card, world) => {
    requirePoints(source, points, card.account.sums.available);
    const details = { destination_voucher: shownIn(target) };
    return { change: takePoints(card, world, { ...told, kind: "transfer_out", details }) };
  }).change.entries[0]!;
  const into = changeCard(target, work.worldOf(target), (card, world) => {
    requireRoom(isRoom(card, points));
    const details = { source_voucher: shownIn(source), related_transaction_id: out.id };
    return { change: addPoints(card, world, { ...told, kind: "transfer_in", details }) };
  }).change.entries[0]!;
  const related = (entry: CardEntry) =>
    entry.id === out.id ? { ...entry, details: { ...entry.details, related_transaction_id: into.id } } : entry;
  source.change = { ...source.change, entries: source.change.entries.map(related) };
}

/** The other card, as a transaction shows it. */
function shownIn({ row, campaign, change: { card } }: PointCard) {
  const { received, available } = card.account.sums;
  return {
    id: row.id,
    code: row.code,
    type: row.type,
    campaign: campaign.name,
    campaign_id: row.campaign_id,
    loyalty_card: { points: received, balance: available },
    is_referral_code: false,
    created_at: row.created_at,
    object: "voucher",
  };
}

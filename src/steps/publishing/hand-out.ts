import type { Catalog } from "../../catalog/catalog.ts";
import { notFound } from "../../core/errors.ts";
import type { Rejection } from "../../core/loyalty/earning/limits.ts";
import type { Digital } from "../../core/loyalty/program/material.ts";
import { isExpired, isShared } from "../../core/publish/publish.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { settingsOf } from "../../core/vouchers/settings.ts";
import { sumsOf } from "../../core/vouchers/worth.ts";
import type { WriteCtx } from "../../ctx.ts";
import { lockCustomers } from "../../resources/customers/customers/store.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import { findHeldBy } from "../../resources/promotions/vouchers/published-store.ts";
import { moveBalance, openGiftCard } from "../promotions/gift-cards.ts";
import { campaignsOf } from "../promotions/voucher-view.ts";
import { type Getting, handOver, loadJoined, requireHeld, saveHanded } from "./handing-over.ts";
import { type CodesAtWork, openCodes } from "./publishing.ts";
import { type Wish, wishFor } from "./wishes.ts";

const HELD_MAX = 100;
const NONE = "NO_VOUCHER_SUITABLE_FOR_PUBLICATION";

/** A code that a customer is about to get, or a gift card that they have and that is filled up. */
export type Handout = {
  digital: Digital;
  customer: CustomerRow;
  campaign: Campaign;
  codes: CodesAtWork;
  row: VoucherRow;
  isHeld: boolean;
};

const rejectionOf = (reason: string): { rejection: Rejection } => ({ rejection: { reason, details: null } });

/**
 * Locks a customer and a code that can be given to them: a gift card of the campaign that they have, or one that nobody
 * has. Nothing is given yet. Members and cards are locked after it.
 */
export async function openHandout(
  c: WriteCtx,
  catalog: Catalog,
  { digital, customerId }: { digital: Digital; customerId: string },
): Promise<Handout | { rejection: Rejection }> {
  const [customer] = await lockCustomers(c.db, c.project.id, { ids: [customerId] });
  if (!customer) throw notFound("customer", customerId);
  const campaign = catalog.campaigns.get((digital.discount_coupons ?? digital.gift_vouchers)!.campaign_id);
  if (!campaign) return rejectionOf("CAMPAIGN_NOT_FOUND");
  // Credits of one customer cannot be put on a code for all.
  if (digital.gift_vouchers && isShared(campaign)) return rejectionOf(NONE);
  const held = digital.gift_vouchers ? await heldCard(c, catalog, { campaign, customerId }) : null;
  const wish = wishFor(c, held ? { voucher: held.row.id } : { campaign });
  const codes = await openCodes(c.db, c.project, [wish]);
  const found = held ? requireHeld(codes, held.row) : await takeOne(c, { campaign, customerId, codes, wish });
  if (found === null) return rejectionOf(NONE);
  const known = held?.campaign ?? campaign;
  const credits = digital.gift_vouchers?.balance ?? 0;
  const received = sumsOf(found, settingsOf(found, known))?.received ?? 0;
  if (received + credits > Number.MAX_SAFE_INTEGER) return rejectionOf("GIFT_AMOUNT_EXCEEDED");
  return { digital, customer, campaign: known, codes, row: found, isHeld: held !== null };
}

// Contract is silent: of several cards the oldest that is not expired is filled up.
async function heldCard(
  c: WriteCtx,
  catalog: Catalog,
  { campaign, customerId }: { campaign: Campaign; customerId: string },
): Promise<{ row: VoucherRow; campaign: Campaign } | null> {
  const rows = await findHeldBy(c.db, c.project.id, [{ customerId, campaignId: campaign.id }], HELD_MAX);
  const campaigns = await campaignsOf(c.db, c.project.id, catalog, rows);
  const known = campaigns.get(campaign.id) ?? campaign;
  const row = rows.find((one) => !isExpired(settingsOf(one, known), c.now));
  return row ? { row, campaign: known } : null;
}

async function takeOne(
  c: WriteCtx,
  { codes, wish, ...getting }: Getting & { codes: CodesAtWork; wish: Wish },
): Promise<VoucherRow | null> {
  const joined = await loadJoined(c.db, c.project.id, [getting]);
  return joined.size > 0 ? null : (codes.take(wish, getting.campaign)?.[0] ?? null);
}

/** What was given, as clients see it. */
export type HandoutView = {
  type: Digital["type"];
  discount_coupons?: { id: string; code: string; result?: string }[];
  gift_vouchers?: { id: string; code: string; amount: number; balance: number; result?: string }[];
  loyalty_card_points?: { points: number; card_definition_id: string; card_id: string };
};

/** Gives the code to the customer, and puts the credits on a gift card. Returns the events; the caller records them. */
export async function handOut(c: WriteCtx, handout: Handout) {
  const { digital, campaign, isHeld } = handout;
  const { row, happened } = isHeld ? { row: handout.row, happened: [] } : await publishOne(c, handout);
  const { id, code } = row;
  if (!digital.gift_vouchers) return { given: couponGiven(id, code), happened };
  const card = await openGiftCard(c, row, campaign);
  const { balance: credits } = digital.gift_vouchers;
  // Contract is silent: `amount` is all that came with the purchase, so a refund takes back what was given.
  const amount = credits + (isHeld ? 0 : card.account.sums.available);
  const balance = card.account.sums.available + credits;
  const moved = credits > 0 ? await moveBalance(c, card, credits, { reason: "Reward purchase" }) : { happened: [] };
  const given: HandoutView = { type: "GIFT_VOUCHERS", gift_vouchers: [{ id, code, amount, balance }] };
  return { given, happened: [...happened, ...moved.happened] };
}

const couponGiven = (id: string, code: string): HandoutView => ({
  type: "DISCOUNT_COUPONS",
  discount_coupons: [{ id, code }],
});

async function publishOne(c: WriteCtx, { codes, row: taken, campaign, customer }: Handout) {
  const handed = handOver(codes, taken, { of: c, project: c.project, campaign, customer });
  const [told] = await saveHanded(c.db, c.project.id, { codes, handed: [handed] });
  return { row: handed.voucher, happened: told!.happened };
}

import type { Catalog } from "../../catalog/catalog.ts";
import { foldCode, trimCode } from "../../core/codes/code.ts";
import { notFound, notHolder } from "../../core/errors.ts";
import { nextOf } from "../../core/loyalty/card/card.ts";
import { advanceCard } from "../../core/loyalty/card/card-at-work.ts";
import type { World } from "../../core/loyalty/card/moves.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { Db, Tx } from "../../db/db.ts";
import type { NewId, Project } from "../../request.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import type { Voucher } from "../../resources/promotions/vouchers/schema.ts";
import { findVouchers, lockVouchers, vouchersById } from "../../resources/promotions/vouchers/store.ts";
import { campaignsOf, voucherView } from "../promotions/voucher-view.ts";
import type { AutoSource } from "./auto-rewards.ts";
import { type AutoRedeeming, openPointCards, type PointCard, pointWorld } from "./point-cards.ts";

/** A member of a loyalty campaign, by the code or the id of the card, and by the campaign where the path has it. */
export type Which = { memberId: string; campaignId?: string };

const isCampaignNamed = ({ id, name }: Campaign, campaignId: string | undefined): boolean =>
  campaignId === undefined || campaignId === id || campaignId === name;

/** 404 for what is no loyalty card, or not one of that campaign. */
export async function getCampaignMember(
  c: { db: Db; project: Pick<Project, "id" | "case_sensitive_codes"> },
  catalog: Pick<Catalog, "campaigns">,
  { memberId, campaignId }: Which,
): Promise<VoucherRow> {
  const [row] = await findVouchers(c.db, c.project, [memberId]);
  if (row?.type !== "LOYALTY_CARD") throw notFound("voucher", memberId);
  const campaign = (await campaignsOf(c.db, c.project.id, catalog, [row])).get(row.campaign_id ?? "");
  if (!campaign || !isCampaignNamed(campaign, campaignId)) throw notFound("voucher", memberId);
  return row;
}

/** Cards that are locked, with what they live in. */
export type MembersAtWork = {
  cards: Map<string, PointCard>;
  /** By its code or id; 404 without it. */
  named(which: Which): PointCard;
  worldOf(card: PointCard): World;
};

/** Locks the cards of members in the order of their ids, whatever the order in which they are named. */
export async function openMembers(
  c: WriteCtx,
  catalog: Pick<Catalog, "campaigns"> & AutoSource,
  references: readonly string[],
  auto: AutoRedeeming | null,
): Promise<MembersAtWork> {
  const found = await findVouchers(c.db, c.project, references);
  const ids = found.filter(({ type }) => type === "LOYALTY_CARD").map(({ id }) => id);
  const rows = ids.length > 0 ? await lockVouchers(c.db, c.project.id, ids) : [];
  const cards = await openPointCards(c.db, c.project, catalog, rows, { redeeming: auto });
  const fold = (code: string) => foldCode(trimCode(code), c.project.case_sensitive_codes);
  const byCode = new Map(rows.map(({ code_folded, id }) => [code_folded, id]));
  const zone = zoneOf(c.project);
  return {
    cards,
    named: ({ memberId, campaignId }) => {
      const card = cards.get(memberId) ?? cards.get(byCode.get(fold(memberId)) ?? "");
      if (!card || !isCampaignNamed(card.campaign, campaignId)) throw notFound("voucher", memberId);
      return card;
    },
    worldOf: ({ campaign }) => pointWorld(catalog, campaign, { now: c.now, zone, newId: c.newId }),
  };
}

/** Points are moved by hand only on cards that somebody has. */
export function requireHolder({ code, holder_id }: VoucherRow): void {
  if (holder_id === null) throw notHolder(code);
}

type Asker = { project: Project; now: string; newId: NewId };

/** The cards of those who joined, with the points that they have by now: two statements for all. */
export async function membersNow(
  tx: Tx,
  catalog: Catalog | undefined,
  joined: readonly (readonly [of: Asker, voucherId: string])[],
): Promise<Voucher[]> {
  if (!catalog || joined.length === 0) return [];
  const [[{ project }]] = joined as [[Asker, string]];
  const ids = joined.map(([, id]) => id);
  const cards = await openPointCards(tx, project, catalog, await vouchersById(tx, project.id, ids));
  return joined.map(([{ now, newId }, id]) => {
    const card = { ...cards.get(id)! };
    advanceCard(card, pointWorld(catalog, card.campaign, { now, newId, zone: zoneOf(project) }));
    return memberView(catalog, card, project);
  });
}

/** A card as clients see it, with the points that it has now. */
export function memberView(
  catalog: Pick<Catalog, "campaigns" | "categories">,
  { row, campaign, change: { card } }: PointCard,
  project: Pick<Project, "id" | "secret">,
): Voucher {
  const shown = { ...catalog, campaigns: new Map([[campaign.id, campaign]]) };
  return voucherView(shown, { ...row, account: card.account.sums }, project, nextOf(card.lots, "available"));
}

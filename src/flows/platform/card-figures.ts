import type { Catalog } from "../../catalog/catalog.ts";
import { notFound } from "../../core/errors.ts";
import { comingMonths, type Months } from "../../core/time/months.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Ctx } from "../../ctx.ts";
import type { GiftCardBalance, LoyaltyOverview, ProgramOverview } from "../../resources/ledger/card-figures/schema.ts";
import {
  figuresOfCampaign,
  figuresOfProgram,
  type LotSums,
  type MemberCounts,
  type PointSums,
  sumGiftCards,
} from "../../resources/ledger/card-figures/store.ts";
import { getCampaign } from "../../resources/promotions/campaigns/store.ts";

const MONTHS = 3;
/** From so many cards or members on, counting takes long: the answer holds for a minute. */
const LARGE = 50_000;
const HELD_MS = 60_000;

type Counted = GiftCardBalance | LoyaltyOverview | ProgramOverview;
const sizeOf = (counted: Counted): number =>
  counted.object === "gift_card_balance" ? counted.cards : counted.members.total;
/** What was counted in this process. A project that is configured anew has another catalog, and is counted again. */
const held = new WeakMap<Catalog, Map<string, Counted>>();

async function heldWhenLarge<T extends Counted>(c: Ctx, key: string, count: () => Promise<T>): Promise<T> {
  const catalog = await c.catalog();
  const known = held.get(catalog)?.get(key) as T | undefined;
  const age = known ? Date.parse(c.now) - Date.parse(known.counted_at) : HELD_MS;
  if (known && age >= 0 && age < HELD_MS) return known;
  const counted = await count();
  if (sizeOf(counted) >= LARGE) held.set(catalog, (held.get(catalog) ?? new Map()).set(key, counted));
  return counted;
}

/** What is left on the gift cards of a project, or of one campaign. */
export async function readGiftCardBalance(c: Ctx, reference: string | undefined): Promise<GiftCardBalance> {
  const campaign_id = reference === undefined ? null : await campaignOf(c, reference, "GIFT_VOUCHERS");
  return heldWhenLarge(c, `gift ${campaign_id}`, async () => {
    const sums = await sumGiftCards(c.db, c.project.id, campaign_id);
    return { object: "gift_card_balance", campaign_id, ...sums, counted_at: c.now };
  });
}

/** The members of a loyalty campaign, and what became of its points. */
export async function readLoyaltyOverview(c: Ctx, reference: string): Promise<LoyaltyOverview> {
  const campaign_id = await campaignOf(c, reference, "LOYALTY_PROGRAM");
  return heldWhenLarge(c, `campaign ${campaign_id}`, async () => {
    const months = monthsOf(c);
    const { members, cards, lots } = await figuresOfCampaign(c.db, c.project.id, campaign_id, months);
    return {
      object: "loyalty_overview",
      campaign_id,
      members: shownMembers(members),
      ...pointsOf(cards[0] ?? NONE, lots, months),
      counted_at: c.now,
    };
  });
}

/** The members of a program that is there, and what became of their points. */
export async function readProgramOverview(c: Ctx, programId: string): Promise<ProgramOverview> {
  if (!(await c.catalog()).programs.has(programId)) throw notFound("program", programId);
  return heldWhenLarge(c, `program ${programId}`, async () => {
    const months = monthsOf(c);
    const { members, cards, lots } = await figuresOfProgram(c.db, c.project.id, programId, months);
    const lotsOf = Map.groupBy(lots, ({ wallet }) => wallet);
    return {
      object: "program_overview",
      program_id: programId,
      members: shownMembers(members),
      wallets: cards.map((sums) => ({
        card_definition_id: sums.wallet,
        ...pointsOf(sums, lotsOf.get(sums.wallet) ?? [], months),
      })),
      counted_at: c.now,
    };
  });
}

const NONE: PointSums = { wallet: "", cards: 0, issued: 0, removed: 0, spent: 0, expired: 0 };
const monthsOf = (c: Ctx): Months => comingMonths(c.now, zoneOf(c.project), MONTHS);
const shownMembers = ({ active, inactive }: MemberCounts) => ({ total: active + inactive, active, inactive });

/** A campaign of another type is not found here. */
async function campaignOf(c: Ctx, reference: string, type: string): Promise<string> {
  const { id, campaign_type } = await getCampaign(c.db, c.project.id, reference);
  if (campaign_type !== type) throw notFound("campaign", reference);
  return id;
}

function pointsOf({ wallet: _, ...sums }: PointSums, lots: readonly LotSums[], { names }: Months) {
  const total = (of: (lot: LotSums) => number) => lots.reduce((sum, lot) => sum + of(lot), 0);
  return {
    ...sums,
    outstanding: total(({ outstanding }) => outstanding),
    pending: total(({ pending }) => pending),
    expiring: names.map((month, place) => ({
      month,
      points: total(({ n, outstanding }) => (n === place + 1 ? outstanding : 0)),
    })),
  };
}

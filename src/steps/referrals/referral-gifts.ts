import type { Catalog } from "../../catalog/catalog.ts";
import { isShared, joinsOnce } from "../../core/publish/publish.ts";
import type { CatalogReward } from "../../core/rows/campaign.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Tx } from "../../db/db.ts";
import type { NewEvent } from "../../events/events.ts";
import type { Origin } from "../../request.ts";
import { lockRewards, takeRewardStock } from "../../resources/loyalty-v1/rewards/store.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import { type BalanceMoved, moveBalances } from "../points/card-balances.ts";
import type { EarningProject } from "../points/earning-triggers.ts";
import {
  type Getting,
  gettingKey,
  type Handed,
  handOver,
  loadCardsToFill,
  loadJoined,
  requireHeld,
  saveHanded,
} from "../publishing/handing-over.ts";
import { type CodesAtWork, openCodes } from "../publishing/publishing.ts";
import { type Wish, wishFor } from "../publishing/wishes.ts";

/** What somebody gets: a code of a campaign, a balance on their card of it, or something that is no code at all. */
export type Gift = {
  of: Origin;
  to: CustomerRow;
  campaign: Campaign | null;
  /** Credits or points; null: a code. */
  amount: number | null;
  /** The reward that it is, of which there may be so many only. */
  reward: CatalogReward | null;
};
/** What a gift became. `balance` is null where the card takes no more. */
export type GiftResult = {
  voucher_id: string | null;
  voucher: VoucherRow | null;
  balance: BalanceMoved["balance"];
  happened: NewEvent[];
};

type WithCode = Gift & { campaign: Campaign };
const hasCode = (gift: Gift): gift is WithCode => gift.campaign !== null;
const gettingOf = ({ to, campaign, of }: WithCode) => ({ customerId: to.id, campaign, now: of.now });
const giftKey = (gift: WithCode): string => gettingKey(gettingOf(gift));

/**
 * Gives gifts one after the other, in a fixed number of statements. A balance goes on the card that the customer has, or
 * on one that is published to them first. Null for what could not be given: no code is left, or no stock.
 */
export async function giveAll(
  tx: Tx,
  project: EarningProject,
  catalog: Catalog,
  gifts: readonly Gift[],
  reason: string,
): Promise<(GiftResult | null)[]> {
  if (gifts.length === 0) return [];
  const getting = gifts.filter(hasCode).map((gift) => ({ ...gettingOf(gift), isBalance: gift.amount !== null }));
  const held = await loadCards(tx, project.id, getting);
  const wishes = wishesOf(gifts, held);
  const codes = wishes.size > 0 ? await openCodes(tx, project, [...wishes.values()]) : null;
  const work: GiftsInHand = {
    project,
    wishes,
    codes,
    cards: new Map([...held].map(([key, row]) => [key, requireHeld(codes!, row)])),
    joined: await loadJoined(tx, project.id, getting),
    stock: await loadStock(tx, project.id, gifts),
    taken: new Map(),
    handed: new Map(),
  };
  const found = gifts.map((gift) => take(work, gift));
  const given = await saveGiven(tx, project.id, { work, gifts, found });
  await addBalances(tx, { project, catalog, gifts, given, codes, reason });
  const counts = [...work.taken].map(([id, by]) => ({ id, by }));
  await takeRewardStock(tx, project.id, counts);
  return given;
}

type GiftsInHand = {
  project: EarningProject;
  wishes: ReadonlyMap<Gift, Wish>;
  codes: CodesAtWork | null;
  /** The card that a balance of a customer goes on, of those they have or get. */
  cards: Map<string, VoucherRow>;
  joined: Set<string>;
  /** What is left of rewards that are limited. */
  stock: Map<string, number>;
  taken: Map<string, number>;
  handed: Map<Gift, Handed>;
};

/** The cards that balances go on, of those that customers have. */
async function loadCards(
  tx: Tx,
  projectId: string,
  getting: readonly (Getting & { now: string; isBalance: boolean })[],
): Promise<Map<string, VoucherRow>> {
  const wanted = getting.filter(({ isBalance }) => isBalance);
  const heldBy = await loadCardsToFill(tx, projectId, wanted);
  return new Map(
    wanted.flatMap((one) => {
      const row = heldBy(one);
      return row ? [[gettingKey(one), row] as const] : [];
    }),
  );
}

/** What is wanted of campaigns. Several balances of a customer need one card. */
function wishesOf(gifts: readonly Gift[], held: ReadonlyMap<string, VoucherRow>): Map<Gift, Wish> {
  const coming = new Set<string>();
  return new Map(
    gifts.filter(hasCode).flatMap((gift) => {
      const { of, campaign, amount } = gift;
      const key = giftKey(gift);
      if (amount !== null) {
        // What one customer gets cannot be put on a code for all.
        if (coming.has(key) || isShared(campaign)) return [];
        coming.add(key);
      }
      const card = amount === null ? undefined : held.get(key);
      return [[gift, wishFor(of, card ? { voucher: card.id } : { campaign })] as const];
    }),
  );
}

async function loadStock(tx: Tx, projectId: string, gifts: readonly Gift[]): Promise<Map<string, number>> {
  const ids = [...new Set(gifts.flatMap(({ reward }) => reward?.id ?? []))];
  if (ids.length === 0) return new Map();
  return new Map(
    (await lockRewards(tx, projectId, ids)).map(({ id, stock }) => [id, stock ?? Number.POSITIVE_INFINITY]),
  );
}

/** The code that a gift is, or is put on; null: it is none. Undefined: it cannot be given. */
function take(work: GiftsInHand, gift: Gift): VoucherRow | null | undefined {
  const { reward } = gift;
  const left = reward ? (work.stock.get(reward.id) ?? 0) : 1;
  if (left < 1) return undefined;
  const code = hasCode(gift) ? takeCode(work, gift) : null;
  if (reward && code !== undefined) {
    work.stock.set(reward.id, left - 1);
    work.taken.set(reward.id, (work.taken.get(reward.id) ?? 0) + 1);
  }
  return code;
}

function takeCode(work: GiftsInHand, gift: WithCode): VoucherRow | undefined {
  const { of, to, campaign, amount } = gift;
  const key = giftKey(gift);
  const card = amount === null ? undefined : work.cards.get(key);
  if (card) return card;
  const wish = work.wishes.get(gift);
  const free = wish && !work.joined.has(key) ? work.codes!.take(wish, campaign)?.[0] : undefined;
  if (!free) return undefined;
  const handed = handOver(work.codes!, free, { of, project: work.project, campaign, customer: to });
  if (joinsOnce(campaign, null)) work.joined.add(key);
  if (amount !== null) work.cards.set(key, handed.voucher);
  work.handed.set(gift, handed);
  return handed.voucher;
}

type GiftsToSave = { work: GiftsInHand; gifts: readonly Gift[]; found: readonly (VoucherRow | null | undefined)[] };

async function saveGiven(
  tx: Tx,
  projectId: string,
  { work, gifts, found }: GiftsToSave,
): Promise<(GiftResult | null)[]> {
  const { codes, handed } = work;
  const told = codes ? await saveHanded(tx, projectId, { codes, handed: [...handed.values()] }) : [];
  const toldOf = new Map([...handed.keys()].map((gift, n) => [gift, told[n]!.happened]));
  return gifts.map((gift, n) => {
    const code = found[n];
    if (code === undefined) return null;
    return { voucher_id: code?.id ?? null, voucher: code, balance: null, happened: [...(toldOf.get(gift) ?? [])] };
  });
}

type Giving = {
  project: EarningProject;
  catalog: Catalog;
  gifts: readonly Gift[];
  given: readonly (GiftResult | null)[];
  codes: CodesAtWork | null;
  reason: string;
};

/** Puts balances on the cards that were found or given. */
async function addBalances(tx: Tx, { project, catalog, gifts, given, codes, reason }: Giving): Promise<void> {
  const balances = gifts.flatMap(({ of, campaign, amount }, n) => {
    const row = amount === null ? undefined : codes?.byId(given[n]?.voucher_id ?? "");
    return row ? [{ n, of, campaign: campaign!, kind: "addition" as const, amount: amount!, row }] : [];
  });
  const told = { operation_type: "AUTOMATIC" as const, reason };
  const moved = await moveBalances(tx, { project, catalog, movements: balances, told });
  for (const [place, { n }] of balances.entries()) {
    const { balance, happened } = moved[place]!;
    given[n]!.balance = balance;
    given[n]!.happened.push(...happened);
  }
}

import assert from "node:assert/strict";
import { type Account, type Entry, openAccount, receive } from "../core/ledger/account.ts";
import { isExpired, isShared, joinsOnce } from "../core/publish/publish.ts";
import { rewardPoints } from "../core/redeem/reward-points.ts";
import { zoneOf } from "../core/time/zone.ts";
import { settingsOf } from "../core/vouchers/settings.ts";
import { sumsOf } from "../core/vouchers/worth.ts";
import { StartOver } from "../db/commit.ts";
import type { Tx } from "../db/db.ts";
import type { Campaign } from "../resources/campaigns/store.ts";
import type { CustomerRow } from "../resources/customers/schema.ts";
import { type EntryRow, insertEntries, type LotRow, loadLots, saveLots } from "../resources/ledger/store.ts";
import { firstPublications, insertPublications, type PublicationRow } from "../resources/publications/store.ts";
import { type HolderRow, insertHolders } from "../resources/redeemable-holders/store.ts";
import { type CatalogReward, lockRewards, takeRewardStock } from "../resources/rewards/store.ts";
import { findHeldBy } from "../resources/vouchers/published-store.ts";
import { saveUses, type VoucherRow } from "../resources/vouchers/store.ts";
import type { Catalog } from "./catalog.ts";
import type { EarningProject, Origin } from "./earn-causes.ts";
import { changePointCard, openPointCards, type PointCard, pointWorld, savePointCards } from "./point-cards.ts";
import type { PointTelling } from "./point-events.ts";
import { holderEvent, holderRow, publicationEvents } from "./publication-rows.ts";
import { publicationRow } from "./publication-view.ts";
import { type CodesAtWork, openCodes, type Wish } from "./publishing.ts";
import { balanceEvents } from "./voucher-balance.ts";

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
export type GiftEvent =
  | ReturnType<typeof publicationEvents>[number]
  | ReturnType<typeof holderEvent>
  | ReturnType<typeof balanceEvents>[number]
  | PointTelling;
/** Without a balance where one was to be put on a card that takes no more. */
export type Given = {
  voucher_id: string | null;
  voucher: VoucherRow | null;
  balance: Readonly<Record<string, unknown>> | null;
  happened: GiftEvent[];
};

const HELD_MAX = 100;
type WithCode = Gift & { campaign: Campaign };
const hasCode = (gift: Gift): gift is WithCode => gift.campaign !== null;
const keyOf = ({ to, campaign }: WithCode): string => `${to.id} ${campaign.id}`;

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
): Promise<(Given | null)[]> {
  if (gifts.length === 0) return [];
  const held = await loadHeld(tx, project.id, gifts);
  const wishes = wishesOf(gifts, held);
  const codes = wishes.size > 0 ? await openCodes(tx, project, [...wishes.values()]) : null;
  for (const { id, holder_id } of held.values()) {
    const row = codes!.byId(id);
    if (!row?.active || row.holder_id !== holder_id) throw new StartOver("a card was taken away meanwhile");
  }
  const work: Work = {
    project,
    wishes,
    codes,
    cards: new Map([...held].map(([key, row]) => [key, codes!.byId(row.id)!])),
    joined: await loadJoined(tx, project.id, gifts),
    stock: await loadStock(tx, project.id, gifts),
    taken: new Map(),
    published: [],
  };
  const found = gifts.map((gift) => take(work, gift));
  await codes?.save();
  const given = await savePublished(tx, project.id, { work, gifts, found });
  await addCredits(tx, project.id, { gifts, given, codes, reason });
  await addPoints(tx, project, catalog, { gifts, given, codes, reason });
  const counts = [...work.taken].map(([id, by]) => ({ id, by }));
  assert.equal(await takeRewardStock(tx, project.id, counts), counts.length, "what is left was locked");
  return given;
}

type Work = {
  project: EarningProject;
  wishes: ReadonlyMap<Gift, Wish>;
  codes: CodesAtWork | null;
  /** The card that a balance of a customer goes on, of those they have or get. */
  cards: Map<string, VoucherRow>;
  joined: Set<string>;
  /** What is left of rewards that are limited. */
  stock: Map<string, number>;
  taken: Map<string, number>;
  published: { gift: Gift; row: PublicationRow; voucher: VoucherRow; holder: Omit<HolderRow, "project_id"> }[];
};

// Contract is silent: of several cards the oldest that is not expired gets it.
async function loadHeld(tx: Tx, projectId: string, gifts: readonly Gift[]): Promise<Map<string, VoucherRow>> {
  const wanted = gifts.filter(hasCode).filter(({ amount, campaign }) => amount !== null && !isShared(campaign));
  if (wanted.length === 0) return new Map();
  const rows = await findHeldBy(
    tx,
    projectId,
    wanted.map(({ to, campaign }) => ({ customerId: to.id, campaignId: campaign.id })),
    HELD_MAX,
  );
  const by = Map.groupBy(rows, ({ holder_id, campaign_id }) => `${holder_id} ${campaign_id}`);
  return new Map(
    wanted.flatMap((gift) => {
      const row = by.get(keyOf(gift))?.find((one) => !isExpired(settingsOf(one, gift.campaign), gift.of.now));
      return row ? [[keyOf(gift), row] as const] : [];
    }),
  );
}

/** What is wanted of campaigns. Several balances of a customer need one card. */
function wishesOf(gifts: readonly Gift[], held: ReadonlyMap<string, VoucherRow>): Map<Gift, Wish> {
  const coming = new Set<string>();
  return new Map(
    gifts.filter(hasCode).flatMap((gift) => {
      const { of, campaign, amount } = gift;
      const { now, newId, newSecret } = of;
      const key = keyOf(gift);
      if (amount !== null) {
        // What one customer gets cannot be put on a code for all.
        if (coming.has(key) || isShared(campaign)) return [];
        coming.add(key);
      }
      const card = amount === null ? undefined : held.get(key);
      const about = card ? { voucher: card.id, campaign: null } : { voucher: null, campaign };
      return [[gift, { ...about, count: 1, now, newId, newSecret }] as const];
    }),
  );
}

/** Those who get one code of a campaign at most, and have it. */
async function loadJoined(tx: Tx, projectId: string, gifts: readonly Gift[]): Promise<Set<string>> {
  const once = gifts.filter(hasCode).filter(({ campaign }) => joinsOnce(campaign, null));
  if (once.length === 0) return new Set();
  const rows = await firstPublications(tx, projectId, {
    customerIds: [...new Set(once.map(({ to }) => to.id))],
    campaignIds: [...new Set(once.map(({ campaign }) => campaign.id))],
  });
  return new Set(rows.map((row) => `${row.customer_id} ${row.campaign_id}`));
}

async function loadStock(tx: Tx, projectId: string, gifts: readonly Gift[]): Promise<Map<string, number>> {
  const ids = [...new Set(gifts.flatMap(({ reward }) => reward?.id ?? []))];
  if (ids.length === 0) return new Map();
  return new Map(
    (await lockRewards(tx, projectId, ids)).map(({ id, stock }) => [id, stock ?? Number.POSITIVE_INFINITY]),
  );
}

/** The code that a gift is, or is put on; null: it is none. Undefined: it cannot be given. */
function take(work: Work, gift: Gift): VoucherRow | null | undefined {
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

// Contract is silent: a campaign that gives each customer one code gives no second one.
function takeCode(work: Work, gift: WithCode): VoucherRow | undefined {
  const { of, to, campaign, amount } = gift;
  const key = keyOf(gift);
  const card = amount === null ? undefined : work.cards.get(key);
  if (card) return card;
  const wish = work.wishes.get(gift);
  const free = wish && !work.joined.has(key) ? work.codes!.take(wish, campaign)?.[0] : undefined;
  if (!free) return undefined;
  const voucher = work.codes!.publish(free, { campaign, customerId: to.id, now: of.now });
  if (joinsOnce(campaign, null)) work.joined.add(key);
  if (amount !== null) work.cards.set(key, voucher);
  const row: PublicationRow = {
    ...publicationRow({ ...of, project: work.project, sent: {} }, { campaign, voucher, customer: to }),
    voucher_ids: [voucher.id],
  };
  const holder = holderRow(of, voucher, { campaign, customerId: to.id, metadata: {} });
  work.published.push({ gift, row, voucher, holder });
  return voucher;
}

type Found = { work: Work; gifts: readonly Gift[]; found: readonly (VoucherRow | null | undefined)[] };

async function savePublished(tx: Tx, projectId: string, { work, gifts, found }: Found): Promise<(Given | null)[]> {
  const { published } = work;
  await insertPublications(
    tx,
    projectId,
    published.map(({ row }) => row),
  );
  const held = await insertHolders(
    tx,
    projectId,
    published.map(({ holder }) => holder),
  );
  const isNew = new Set(held.map(({ id }) => id));
  return gifts.map((gift, n) => {
    const code = found[n];
    if (code === undefined) return null;
    const own = published.filter((one) => one.gift === gift);
    const happened = own.flatMap(({ row, voucher, holder }): GiftEvent[] => [
      ...publicationEvents(row, [voucher]),
      ...(isNew.has(holder.id) ? [holderEvent(holder)] : []),
    ]);
    return { voucher_id: code?.id ?? null, voucher: code, balance: null, happened };
  });
}

type Giving = { gifts: readonly Gift[]; given: (Given | null)[]; codes: CodesAtWork | null; reason: string };

/** The balances of one kind of card, each with its place. */
const balancesOf = ({ gifts, given, codes }: Giving, type: VoucherRow["type"]) =>
  gifts.flatMap((gift, n) => {
    const row = gift.amount === null ? undefined : codes?.byId(given[n]?.voucher_id ?? "");
    return row?.type === type ? [{ n, of: gift.of, campaign: gift.campaign!, amount: gift.amount!, row }] : [];
  });

const hasRoom = (received: number, amount: number): boolean => received + amount <= Number.MAX_SAFE_INTEGER;

/** Credits on gift cards. */
async function addCredits(tx: Tx, projectId: string, giving: Giving): Promise<void> {
  const balances = balancesOf(giving, "GIFT_VOUCHER");
  if (balances.length === 0) return;
  const rows = new Map(balances.map(({ row }) => [row.id, row]));
  const open = [...rows.values()].filter(({ account }) => account !== null).map(({ id }) => id);
  const stored = open.length > 0 ? await loadLots(tx, projectId, open) : [];
  const lotsOf = Map.groupBy(stored, ({ account_id }) => account_id);
  const accounts = new Map<string, Account>();
  const entries: EntryRow[] = [];
  const lots = new Map<string, LotRow>();
  for (const { n, of, campaign, amount, row } of balances) {
    const note = ({ entry, account, changed }: ReturnType<typeof receive>): EntryRow => {
      accounts.set(row.id, account);
      for (const lot of changed) lots.set(lot.id, { ...lot, account_id: row.id });
      const made = entryRow(of, row, entry, giving.reason);
      entries.push(made);
      return made;
    };
    if (!accounts.has(row.id) && row.account)
      accounts.set(row.id, { id: row.id, sums: row.account, lots: lotsOf.get(row.id) ?? [] });
    const received = accounts.get(row.id)?.sums.received ?? sumsOf(row, settingsOf(row, campaign))!.received;
    if (!hasRoom(received, amount)) continue;
    const lot = (created_at: string) => ({ id: of.newId("lopb"), expires_at: null, created_at });
    if (!accounts.has(row.id)) note(openAccount(row.id, { amount: received, lot: lot(row.created_at) }));
    const entry = note(receive(accounts.get(row.id)!, { amount, lot: lot(of.now), kind: "addition" }));
    const balance = balanceOf(row, entry);
    giving.given[n]!.balance = balance;
    giving.given[n]!.happened.push(...balanceEvents(row, balance, entry.id));
  }
  const uses = [...accounts].map(([id, { sums }]) => {
    const { uses: own, account } = rows.get(id)!;
    // Contract is silent: a card whose balance is changed still follows its campaign in all else.
    return {
      id,
      by: 0,
      quantity: null,
      uses: own,
      account: sums,
      available: account?.available ?? null,
      template_version: null,
    };
  });
  assert.equal(await saveUses(tx, projectId, uses), uses.length, "the balances are what was decided on");
  await saveLots(tx, projectId, [...lots.values()]);
  await insertEntries(tx, projectId, entries);
}

const entryRow = (of: Origin, row: VoucherRow, entry: Entry, reason: string): EntryRow => ({
  ...entry,
  id: of.newId("vtx"),
  campaign_id: row.campaign_id,
  redemption_id: null,
  rollback_id: null,
  order_id: null,
  source_id: null,
  source: null,
  reason: entry.kind === "opening" ? null : reason,
  details: {},
  created_at: of.now,
});

const balanceOf = ({ id }: VoucherRow, { amount, total, balance }: Entry) => ({
  amount,
  total,
  balance,
  type: "gift_voucher" as const,
  operation_type: "AUTOMATIC" as const,
  related_object: { type: "voucher" as const, id },
  object: "balance" as const,
});

/** Points on loyalty cards: one engine does it, with what time has brought and the tiers they lead to. */
async function addPoints(tx: Tx, project: EarningProject, catalog: Catalog, giving: Giving): Promise<void> {
  const balances = balancesOf(giving, "LOYALTY_CARD");
  if (balances.length === 0) return;
  const rows = [...new Map(balances.map(({ row }) => [row.id, row])).values()];
  const cards = await openPointCards(tx, project, catalog, rows);
  // Which gift a movement or a tier came with.
  const giftOf = new Map<string, number>();
  for (const { n, of, campaign, amount, row } of balances) {
    const card = cards.get(row.id)!;
    if (!hasRoom(card.change.card.account.sums.received, amount)) continue;
    const world = pointWorld(catalog, campaign, { now: of.now, zone: zoneOf(project), newId: of.newId });
    changePointCard(card, world, (state, at) => ({
      change: rewardPoints(state, at, { points: amount, reason: giving.reason }),
    }));
    for (const id of idsIn(card)) if (!giftOf.has(id)) giftOf.set(id, n);
  }
  for (const one of await savePointCards(tx, project, cards.values(), { source: null })) {
    const { transaction_id, balance } = one.payload as { transaction_id: string; balance?: Given["balance"] };
    const given = giving.given[giftOf.get(transaction_id) ?? -1];
    if (balance && one.kind === "voucher.loyalty_card.points_added" && given) given.balance = balance;
    given?.happened.push(one);
  }
}

const idsIn = ({ change }: PointCard): string[] => [
  ...change.entries.map(({ id }) => id),
  ...change.tiers.flatMap((one) => (one.kind === "made" ? one.transaction.id : [])),
];

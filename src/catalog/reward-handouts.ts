import { trimCode } from "../core/codes/code.ts";
import { type ErrorBody, errorBody } from "../core/errors.ts";
import { isExpired, isShared, joinsOnce } from "../core/publish/publish.ts";
import { rewardPoints } from "../core/redeem/reward-points.ts";
import { zoneOf } from "../core/time/zone.ts";
import { settingsOf } from "../core/vouchers/settings.ts";
import { sumsOf } from "../core/vouchers/worth.ts";
import { StartOver } from "../db/commit.ts";
import type { Tx } from "../db/db.ts";
import type { Campaign } from "../resources/campaigns/store.ts";
import type { CustomerRow } from "../resources/customers/schema.ts";
import { firstPublications, insertPublications } from "../resources/publications/store.ts";
import { insertHolders } from "../resources/redeemable-holders/store.ts";
import { findHeld } from "../resources/vouchers/published-store.ts";
import { lockVouchers, type VoucherRow } from "../resources/vouchers/store.ts";
import type { Catalog } from "./catalog.ts";
import { findingVouchers } from "./deciding.ts";
import { changePointCard, openPointCards, pointWorld, savePointCards } from "./point-cards.ts";
import type { PointTelling } from "./point-events.ts";
import { holderEvent, holderRow, publicationEvents } from "./publication-rows.ts";
import { publicationRow } from "./publication-view.ts";
import { openCodes, type Wish } from "./publishing.ts";
import type { RedeemRequest } from "./redeem-work.ts";
import { moveBalance, openCard } from "./voucher-balance.ts";

/** A redeemable whose reward is a code of another campaign, or a balance on a card of it. */
type Wanted = { command: RedeemRequest; cardId: string; holderId: string; campaign: Campaign; balance: number };
/** What it becomes: a card that the customer has, or a code that is taken. */
type Entry = Wanted & { held: VoucherRow | null; wish: Wish };
/** What is told of what was given. */
type Telling =
  | ReturnType<typeof publicationEvents>[number]
  | ReturnType<typeof holderEvent>
  | PointTelling
  | Awaited<ReturnType<typeof moveBalance>>["happened"][number];
export type Given = { voucher: VoucherRow; campaign: Campaign; balance: number };

/** What rewards bring from other campaigns. The campaigns and the codes are locked. */
export type RewardHandouts = {
  /** Cards that the customers have already, and that may be filled up. */
  heldIds: readonly string[];
  /** The first of these cards whose reward cannot be given, and why; null: all can, and their codes are taken. */
  reserve(cardIds: readonly string[], command: RedeemRequest): { cardId: string; error: ErrorBody } | null;
  /** Gives what was reserved. */
  give(cardId: string, command: RedeemRequest, customer: Pick<CustomerRow, "id" | "tracking_id">): Given;
  /** Writes what was given, after the redemptions. What is told of it is to be recorded. */
  save(): Promise<{ of: RedeemRequest; happened: Telling[] }[]>;
};

/** The rewards of a round that come from campaigns. */
export function handoutsIn(round: readonly RedeemRequest[], found: readonly VoucherRow[]): Wanted[] {
  const cardOf = findingVouchers(found.map((row) => ({ row, assignments: [], holder_ids: null })));
  return round.flatMap((command) =>
    command.sent.redeemables.flatMap(({ object, id, reward }) => {
      const { campaign: given } = parametersOf(command.catalog, reward?.id);
      const campaign = given && command.catalog.campaigns.get(given.id);
      const card = campaign && object === "voucher" ? cardOf(trimCode(id), command.project)?.row : undefined;
      if (!campaign || !card?.holder_id) return [];
      return [{ command, cardId: card.id, holderId: card.holder_id, campaign, balance: given.balance ?? 0 }];
    }),
  );
}

type CampaignGiven = { id: string; balance?: number };
const parametersOf = ({ campaign_rewards }: Catalog, id: string | null | undefined): { campaign?: CampaignGiven } =>
  (id && (campaign_rewards.get(id)?.parameters as { campaign?: CampaignGiven } | undefined)) || {};

/** Whether a request names a reward that comes from a campaign. */
export const wantsHandout = ({ sent, catalog }: RedeemRequest): boolean =>
  sent.redeemables.some(({ reward }) => parametersOf(catalog, reward?.id).campaign !== undefined);

const HELD_MAX = 100;
const keyOf = ({ holderId, campaign }: Pick<Wanted, "holderId" | "campaign">) => `${holderId} ${campaign.id}`;
const none = (campaign: Campaign): ErrorBody =>
  errorBody("no_voucher_suitable_for_publication", {
    details: `The campaign ${campaign.name} has no code to be given`,
  });

/** Locks all that rewards may bring, and the codes of the round with it: so they are locked in one order. */
export async function openRewardHandouts(
  tx: Tx,
  {
    project,
    wanted,
    voucherIds,
  }: { project: RedeemRequest["project"]; wanted: readonly Wanted[]; voucherIds: readonly string[] },
): Promise<RewardHandouts> {
  const entries: Entry[] = [];
  const wishes = new Map<string, Wish>();
  for (const one of wanted) {
    const { now, newId, newSecret } = one.command;
    const held = await heldCard(tx, project.id, one);
    const key = `${one.command.request_id} ${held?.id ?? one.campaign.id}`;
    const known = wishes.get(key);
    const about = held ? { voucher: held.id, campaign: null } : { voucher: null, campaign: one.campaign };
    if (known) known.count += 1;
    const wish = known ?? { ...about, count: 1, now, newId, newSecret };
    wishes.set(key, wish);
    entries.push({ ...one, held, wish });
  }
  const { now, newId, newSecret } = wanted[0]!.command;
  const others = voucherIds.map((voucher) => ({ voucher, campaign: null, count: 1, now, newId, newSecret }));
  const codes = await openCodes(tx, project, [...wishes.values(), ...others]);
  for (const { held } of entries) {
    const row = held && codes.byId(held.id);
    if (held && (!row?.active || row.holder_id !== held.holder_id))
      throw new StartOver("a card was taken away meanwhile");
  }
  const joined = await loadJoined(tx, project.id, entries);
  const reserved = new Map<string, VoucherRow>();
  const given: (Given & { of: RedeemRequest; customer: Pick<CustomerRow, "id" | "tracking_id"> | null })[] = [];
  const entryOf = (cardId: string, command: RedeemRequest) =>
    entries.find((one) => one.cardId === cardId && one.command.request_id === command.request_id);

  return {
    heldIds: entries.flatMap(({ held }) => held?.id ?? []),
    reserve: (cardIds, command) => {
      const asked = cardIds.map((cardId) => ({ cardId, entry: entryOf(cardId, command) }));
      const fresh = Map.groupBy(
        asked.flatMap(({ entry }) => (entry && !entry.held ? [entry] : [])),
        ({ wish }) => wish,
      );
      for (const { cardId, entry } of asked) {
        if (!entry) return { cardId, error: errorBody("no_voucher_suitable_for_publication") };
        const error = faultOf(entry, {
          joined,
          hasCodes: codes.has(entry.wish, entry.campaign, fresh.get(entry.wish)?.length ?? 0),
        });
        if (error) return { cardId, error };
      }
      for (const [wish, of] of fresh) {
        // One card for a balance, however many rewards fill it up; a code for each of the others.
        const count = of[0]!.balance > 0 ? 1 : of.length;
        const rows = codes.take(wish, of[0]!.campaign, count)!;
        for (const [n, { cardId }] of of.entries()) reserved.set(cardId, rows[Math.min(n, count - 1)]!);
      }
      return null;
    },
    give: (cardId, command, customer) => {
      const { held, campaign, balance } = entryOf(cardId, command)!;
      const taken = held ?? reserved.get(cardId)!;
      const isNew = !held && !given.some(({ voucher }) => voucher.id === taken.id);
      const voucher = isNew ? codes.publish(taken, { campaign, customerId: customer.id, now: command.now }) : taken;
      const one = { voucher, campaign, balance };
      given.push({ ...one, of: command, customer: isNew ? customer : null });
      return one;
    },
    save: async () => {
      const published = given.flatMap(({ of, voucher, campaign, customer }) =>
        customer ? [{ of, voucher, campaign, customer }] : [],
      );
      await codes.save();
      const told: { of: RedeemRequest; happened: Telling[] }[] = [];
      for (const { of, voucher, campaign, customer } of published) {
        const made = publicationRow({ ...of, sent: {} }, { campaign, voucher, customer: customer as CustomerRow });
        const publication = { ...made, voucher_ids: [voucher.id] };
        await insertPublications(tx, project.id, [publication]);
        const held = await insertHolders(tx, project.id, [
          holderRow(of, voucher, { campaign, customerId: customer.id, metadata: {} }),
        ]);
        told.push({ of, happened: [...publicationEvents(publication, [voucher]), ...held.map(holderEvent)] });
      }
      for (const one of given) if (one.balance > 0) told.push({ of: one.of, happened: await addBalance(tx, one) });
      given.length = 0;
      return told;
    },
  };
}

// Contract is silent: of several cards the oldest that is not expired is filled up.
async function heldCard(tx: Tx, projectId: string, { command, campaign, holderId, balance }: Wanted) {
  if (balance === 0 || isShared(campaign)) return null;
  const rows = await findHeld(tx, projectId, { customerId: holderId, campaignId: campaign.id, limit: HELD_MAX });
  return rows.find((row) => !isExpired(settingsOf(row, campaign), command.now)) ?? null;
}

/** Those who get one code of a campaign at most, and have it. */
async function loadJoined(tx: Tx, projectId: string, entries: readonly Entry[]): Promise<ReadonlySet<string>> {
  const once = entries.filter(({ campaign, held }) => !held && joinsOnce(campaign, null));
  if (once.length === 0) return new Set();
  const rows = await firstPublications(tx, projectId, {
    customerIds: [...new Set(once.map(({ holderId }) => holderId))],
    campaignIds: [...new Set(once.map(({ campaign }) => campaign.id))],
  });
  return new Set(rows.map((row) => `${row.customer_id} ${row.campaign_id}`));
}

// Contract is silent: a campaign that gives each customer one code gives no second one as a reward.
function faultOf(
  entry: Entry,
  { joined, hasCodes }: { joined: ReadonlySet<string>; hasCodes: boolean },
): ErrorBody | null {
  const { held, campaign, balance } = entry;
  // What one customer gets cannot be put on a code for all.
  if (balance > 0 && isShared(campaign)) return none(campaign);
  if (!held) return joined.has(keyOf(entry)) || !hasCodes ? none(campaign) : null;
  const received = sumsOf(held, settingsOf(held, campaign))?.received ?? 0;
  return received + balance > Number.MAX_SAFE_INTEGER
    ? errorBody("invalid_payload", { details: `The card ${held.code} takes ${Number.MAX_SAFE_INTEGER} in all` })
    : null;
}

/** Puts the balance on the card, which is as the redemptions before have left it. */
async function addBalance(
  tx: Tx,
  { of, voucher, campaign, balance }: Given & { of: RedeemRequest },
): Promise<Telling[]> {
  const { project, catalog, now, newId } = of;
  const [row] = await lockVouchers(tx, project.id, [voucher.id]);
  if (row!.type === "GIFT_VOUCHER") {
    const c = { db: tx, project, now, newId };
    const card = await openCard(c, row!, campaign);
    return (await moveBalance(c, card, balance, { reason: REASON })).happened;
  }
  const cards = await openPointCards(tx, project, catalog, [row!]);
  const world = pointWorld(catalog, campaign, { now, newId, zone: zoneOf(project) });
  changePointCard(cards.get(row!.id)!, world, (card, at) => ({
    change: rewardPoints(card, at, { points: balance, reason: REASON }),
  }));
  return savePointCards(tx, project, cards.values(), { source: null });
}
const REASON = "Reward";

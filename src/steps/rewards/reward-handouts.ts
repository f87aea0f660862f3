import assert from "node:assert/strict";
import type { Catalog } from "../../catalog/catalog.ts";
import { trimCode } from "../../core/codes/code.ts";
import { type ErrorBody, errorBody } from "../../core/errors.ts";
import { isShared } from "../../core/publish/publish.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { RewardKept } from "../../core/rows/redemption.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { settingsOf } from "../../core/vouchers/settings.ts";
import { sumsOf } from "../../core/vouchers/worth.ts";
import type { Tx } from "../../db/db.ts";
import type { EventsOf, NewEvent } from "../../events/events.ts";
import type { NewId, Project } from "../../request.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import { lockVouchers } from "../../resources/promotions/vouchers/store.ts";
import { findingVouchers } from "../checkout/candidates.ts";
import type { RedeemRequest } from "../checkout/requests.ts";
import { moveBalances } from "../points/card-balances.ts";
import {
  gettingKey,
  type Handed,
  loadCardsToFill,
  loadJoined,
  planHandOver,
  requireHeld,
  saveHanded,
} from "../publishing/handing-over.ts";
import { type CodesAtWork, type DrawnCodes, openCodes } from "../publishing/publishing.ts";
import { type Wish, wishFor } from "../publishing/wishes.ts";

/** A redeemable whose reward is a code of another campaign, or a balance on a card of it. */
type WantedReward = { command: RedeemRequest; cardId: string; customerId: string; campaign: Campaign; balance: number };
/** What it becomes: a card that the customer has, or a code that is taken. */
type RewardEntry = WantedReward & { held: VoucherRow | null; wish: Wish };
/** A code that a reward brought, or a card that it filled up. */
export type RewardGift = { voucher: VoucherRow; campaign: Campaign; balance: number };

/** What the rewards of one command bring. It is a part of the command's plan. */
export type RewardGifts = {
  /** Codes that are taken out of campaigns. */
  drawn: readonly DrawnCodes[];
  /** Codes that customers are given, by id. */
  handed: ReadonlyMap<string, Handed<RedeemRequest>>;
  given: readonly (RewardGift & { of: RedeemRequest })[];
};

/** The rewards of one command while it is planned. What they are drawn from stays as it is. */
export type RewardDraft = {
  /** The first of these cards whose reward cannot be given, and why; null: all can, and their codes are drawn. */
  reserve(cardIds: readonly string[]): { cardId: string; error: ErrorBody } | null;
  /** Gives what was reserved. */
  give(cardId: string, customer: Pick<CustomerRow, "id" | "tracking_id">): RewardGift;
  gifts(): RewardGifts;
};

/** What rewards bring from other campaigns. The campaigns and the codes are locked. */
export type RewardHandouts = {
  /** Cards that the customers have already, and that may be filled up. */
  heldIds: readonly string[];
  draft(command: RedeemRequest): RewardDraft;
  /** What comes next finds the codes taken. */
  accept(gifts: RewardGifts): void;
  /** Writes what was accepted, after the redemptions. Returns the events; the caller records them. */
  save(): Promise<EventsOf<RedeemRequest>[]>;
};

/** The rewards of a round that come from campaigns. */
export function handoutsIn(round: readonly RedeemRequest[], found: readonly VoucherRow[]): WantedReward[] {
  const cardOf = findingVouchers(found.map((row) => ({ row, assignments: [], holder_ids: null })));
  return round.flatMap((command) =>
    command.sent.redeemables.flatMap(({ object, id, reward }) => {
      const { campaign: given } = givenBy(command.catalog, reward?.id);
      const campaign = given && command.catalog.campaigns.get(given.id);
      const card = campaign && object === "voucher" ? cardOf(trimCode(id), command.project)?.row : undefined;
      if (!campaign || !card?.holder_id) return [];
      return [{ command, cardId: card.id, customerId: card.holder_id, campaign, balance: given.balance ?? 0 }];
    }),
  );
}

type RewardCampaign = { id: string; balance?: number };
const givenBy = ({ campaign_rewards }: Catalog, id: string | null | undefined): { campaign?: RewardCampaign } =>
  (id && (campaign_rewards.get(id)?.parameters as { campaign?: RewardCampaign } | undefined)) || {};

/** Whether a request names a reward that comes from a campaign. */
export const wantsHandout = ({ sent, catalog }: RedeemRequest): boolean =>
  sent.redeemables.some(({ reward }) => givenBy(catalog, reward?.id).campaign !== undefined);

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
  }: { project: RedeemRequest["project"]; wanted: readonly WantedReward[]; voucherIds: readonly string[] },
): Promise<RewardHandouts> {
  const entries: RewardEntry[] = [];
  const wishes = new Map<string, Wish>();
  const heldBy = await loadCardsToFill(
    tx,
    project.id,
    wanted.filter(({ balance }) => balance > 0),
  );
  for (const reward of wanted) {
    const held = reward.balance > 0 ? heldBy({ ...reward, now: reward.command.now }) : null;
    const key = `${reward.command.request_id} ${held?.id ?? reward.campaign.id}`;
    const same = wishes.get(key);
    if (same) same.count += 1;
    const wish = same ?? wishFor(reward.command, held ? { voucher: held.id } : { campaign: reward.campaign });
    wishes.set(key, wish);
    entries.push({ ...reward, held, wish });
  }
  const others = voucherIds.map((voucher) => wishFor(wanted[0]!.command, { voucher }));
  const codes = await openCodes(tx, project, [...wishes.values(), ...others]);
  for (const { held } of entries) if (held) requireHeld(codes, held);
  const fresh = entries.filter(({ held }) => !held);
  return rewardHandoutsFrom(tx, project, { entries, codes, joined: await loadJoined(tx, project.id, fresh) });
}

/** What is locked: codes, and who has one of a campaign that gives each customer one. */
type LockedRewards = { entries: readonly RewardEntry[]; codes: CodesAtWork; joined: ReadonlySet<string> };

export function rewardHandoutsFrom(tx: Tx, project: Pick<Project, "id">, locked: LockedRewards): RewardHandouts {
  const { entries, codes } = locked;
  const accepted: RewardGifts[] = [];
  return {
    heldIds: entries.flatMap(({ held }) => held?.id ?? []),
    draft: (command) => draftRewards(project, locked, command),
    accept: (gifts) => {
      for (const drawn of gifts.drawn) codes.acceptDrawn(drawn);
      for (const { published } of gifts.handed.values()) codes.acceptPublished(published);
      accepted.push(gifts);
    },
    save: async () => {
      const handed = accepted.flatMap((gifts) => [...gifts.handed.values()]);
      const given = accepted.flatMap((gifts) => gifts.given);
      accepted.length = 0;
      const told = await saveHanded(tx, project.id, { codes, handed });
      return [...told, ...(await fill(tx, given))];
    },
  };
}

function draftRewards(
  project: Pick<Project, "id">,
  { entries, codes, joined }: LockedRewards,
  command: RedeemRequest,
): RewardDraft {
  const own = entries.filter((entry) => entry.command.request_id === command.request_id);
  const entryOf = (cardId: string) => own.find((entry) => entry.cardId === cardId);
  const reserved = new Map<string, VoucherRow>();
  const drawn: DrawnCodes[] = [];
  const handed = new Map<string, Handed<RedeemRequest>>();
  const given: (RewardGift & { of: RedeemRequest })[] = [];
  return {
    reserve: (cardIds) => {
      const asked = cardIds.map((cardId) => ({ cardId, entry: entryOf(cardId) }));
      const fresh = Map.groupBy(
        asked.flatMap(({ entry }) => (entry && !entry.held ? [entry] : [])),
        ({ wish }) => wish,
      );
      for (const { cardId, entry } of asked) {
        if (!entry) return { cardId, error: errorBody("no_voucher_suitable_for_publication") };
        const hasCodes = codes.has(entry.wish, entry.campaign, fresh.get(entry.wish)?.length ?? 0);
        const error = faultOf(entry, { joined, hasCodes });
        if (error) return { cardId, error };
      }
      for (const [wish, group] of fresh) {
        // One card for a balance, however many rewards fill it up; a code for each of the others.
        const count = group[0]!.balance > 0 ? 1 : group.length;
        const codesDrawn = codes.draw(wish, group[0]!.campaign, count)!;
        drawn.push(codesDrawn);
        for (const [n, { cardId }] of group.entries()) reserved.set(cardId, codesDrawn.rows[Math.min(n, count - 1)]!);
      }
      return null;
    },
    give: (cardId, customer) => {
      const { held, campaign, balance } = entryOf(cardId)!;
      const taken = held ?? reserved.get(cardId)!;
      if (!held && !handed.has(taken.id))
        handed.set(taken.id, planHandOver(codes, taken, { of: command, project, campaign, customer }));
      const gift = { voucher: handed.get(taken.id)?.voucher ?? taken, campaign, balance };
      given.push({ ...gift, of: command });
      return gift;
    },
    gifts: () => ({ drawn, handed, given }),
  };
}

/** Puts balances on the cards, which are as the redemptions before have left them. */
async function fill(tx: Tx, given: readonly (RewardGift & { of: RedeemRequest })[]) {
  const filled = given.filter(({ balance }) => balance > 0);
  if (filled.length === 0) return [];
  const { project, catalog } = filled[0]!.of;
  const rows = await lockVouchers(tx, project.id, [...new Set(filled.map(({ voucher }) => voucher.id))]);
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const movements = filled.map(({ of, voucher, campaign, balance }) => {
    return { of, row: rowOf.get(voucher.id)!, campaign, kind: "addition" as const, amount: balance };
  });
  const told = { operation_type: "MANUAL" as const, reason: REASON };
  const moved = await moveBalances(tx, { project, catalog, movements, told });
  return filled.map(({ of }, n) => {
    assert(moved[n]!.balance, "that there is room was decided");
    return { of, happened: moved[n]!.happened };
  });
}

/** Why a reward cannot be given; null: it can. */
function faultOf(
  entry: RewardEntry,
  { joined, hasCodes }: { joined: ReadonlySet<string>; hasCodes: boolean },
): ErrorBody | null {
  const { held, campaign, balance } = entry;
  // What one customer gets cannot be put on a code for all.
  if (balance > 0 && isShared(campaign)) return none(campaign);
  if (!held) return joined.has(gettingKey(entry)) || !hasCodes ? none(campaign) : null;
  const received = sumsOf(held, settingsOf(held, campaign))?.received ?? 0;
  return received + balance > Number.MAX_SAFE_INTEGER
    ? errorBody("invalid_payload", { details: `The card ${held.code} takes ${Number.MAX_SAFE_INTEGER} in all` })
    : null;
}

const REASON = "Reward";

/** The code that a reward brought, as redemptions keep it. */
export const voucherShown = ({ voucher: { id, code, type }, campaign, balance }: RewardGift) => ({
  id,
  code,
  type,
  campaign: campaign.name,
  campaign_id: campaign.id,
  ...(type === "GIFT_VOUCHER" && { gift: { amount: balance } }),
  ...(type === "LOYALTY_CARD" && { loyalty_card: { points: balance } }),
  object: "voucher" as const,
});

// Contract is silent: what is sent to the customer is done later, by hand; everything else is done with the redemption.
/** What is told of a reward. */
export function rewardEvents(
  { command }: { command: { newId: NewId } },
  reward: RewardKept,
  about: Pick<NewEvent, "customer_id" | "voucher_id" | "campaign_id"> & { redemption_id: string; points: number },
): NewEvent[] {
  const { redemption_id, points, ...who } = about;
  const isPending = reward.type === "MATERIAL";
  const tell = (kind: NewEvent["kind"], status: string): NewEvent => ({
    kind,
    ...who,
    payload: { reward_redemption: { id, status }, ...told },
  });
  const id = command.newId("rewr");
  const told = {
    reward: { id: reward.id, name: reward.name, type: reward.type },
    reward_assignment: { id: reward.assignment_id },
    redemption_id,
    points,
    ...(reward.voucher && { voucher: { id: reward.voucher.id, code: reward.voucher.code } }),
  };
  return [
    { kind: "customer.rewarded", ...who, payload: told },
    tell("customer.reward_redemptions.created", "CREATED"),
    isPending
      ? tell("customer.reward_redemptions.pending", "PENDING")
      : tell("customer.reward_redemptions.completed", "COMPLETED"),
  ];
}

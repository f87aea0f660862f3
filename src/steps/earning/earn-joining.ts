import type { Catalog } from "../../catalog/catalog.ts";
import type { CardProgram } from "../../catalog/earn-programs.ts";
import { doneKey } from "../../core/loyalty/earning/plan.ts";
import { campaignCauseOf, undoneBy } from "../../core/loyalty/earning/triggers.ts";
import type { LotRow } from "../../core/rows/ledger.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Tx } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import type { Origin } from "../../request.ts";
import { loadLots } from "../../resources/ledger/ledger/store.ts";
import type { HeldCard } from "../../resources/promotions/vouchers/held-store.ts";
import { lockVouchers } from "../../resources/promotions/vouchers/store.ts";
import { type EarningProject, isReturned } from "../points/earning-triggers.ts";
import type { AutoRedeeming, PointCard } from "../points/point-cards.ts";
import { acceptGift, type DrawnGift, planHandOver } from "../publishing/handing-over.ts";
import { type CodesAtWork, openCodes } from "../publishing/publishing.ts";
import { type Wish, wishFor } from "../publishing/wishes.ts";
import type { Cause } from "./earn-causes.ts";
import { joinsBy } from "./earn-rules.ts";

/** What tells apart the cards of one customer by their campaigns. */
export const holderKey = (customerId: string, campaignId: string): string => `${customerId} ${campaignId}`;

/** Whose first card of a campaign it is, and which. */
export const firstCardOf = ({ id, holder_id, campaign_id }: VoucherRow) =>
  [holderKey(holder_id ?? "", campaign_id ?? ""), id] as const;

/** Somebody who becomes a member of a program because of something that happened. */
export type ProgramJoining = { cause: Cause; program: CardProgram };

type JoiningFacts = {
  project: EarningProject;
  catalog: Catalog;
  programs: readonly CardProgram[];
  done: ReadonlySet<string>;
  held: readonly HeldCard[];
};

// Contract is silent: a move between tiers makes nobody a member of another program.
/** Who becomes a member by which cause: the first by which they would earn. */
export function joiningOf(
  { project, catalog, programs, done, held }: JoiningFacts,
  causes: readonly Cause[],
): ProgramJoining[] {
  const open = programs.filter(({ campaign }) => campaign.auto_join);
  if (open.length === 0) return [];
  const members = new Set(held.map(({ holder_id, campaign_id }) => holderKey(holder_id, campaign_id)));
  const paid = new Set(done);
  return causes.flatMap((cause) => {
    const { trigger, occurrence, customer, order, card_id } = cause;
    const own = campaignCauseOf(trigger.kind);
    if (isReturned(trigger)) for (const earned of undoneBy(own!)) paid.delete(doneKey(earned, order?.id ?? ""));
    if (!customer || card_id !== null || "tier_id" in occurrence) return [];
    if (own && paid.has(doneKey(own, order?.id ?? ""))) return [];
    return open.flatMap((program): ProgramJoining[] => {
      const key = holderKey(customer.id, program.campaign.id);
      if (members.has(key) || !joinsBy({ catalog, project, cause }, program, occurrence)) return [];
      members.add(key);
      return [{ cause, program }];
    });
  });
}

/** The cards that are given to those who join. They are locked, and stay as they are until a plan is accepted. */
export type JoiningCards = {
  codes: CodesAtWork;
  /** Who joins by a cause, if there is a card for them. */
  joining: ReadonlyMap<Cause, readonly (ProgramJoining & { wish: Wish })[]>;
  /** Cards that nobody has, with their points. */
  unheld: ReadonlyMap<string, PointCard>;
  redeeming: AutoRedeeming | null;
  accept(gift: DrawnGift<Origin>): void;
};

/** The same with what accepting a plan changes: the codes, and which card is the first of a customer in a campaign. */
export const joiningCardsFrom = (locked: Omit<JoiningCards, "accept">, firstOf: Map<string, string>): JoiningCards => ({
  ...locked,
  accept: (gift) => {
    acceptGift(locked.codes, gift);
    firstOf.set(...firstCardOf(gift.voucher));
  },
});

type OpenedCards = {
  rows: readonly VoucherRow[];
  lots?: readonly LotRow[];
  handouts: Pick<JoiningCards, "codes" | "joining"> | null;
};

/** Locks cards, and those that may be given to who joins. Without the latter their lots come with them. */
export async function openCards(
  tx: Tx,
  project: EarningProject,
  { ids, joining }: { ids: readonly string[]; joining: readonly ProgramJoining[] },
): Promise<OpenedCards> {
  if (joining.length === 0) {
    const [rows, lots] = await together([lockVouchers(tx, project.id, ids), loadLots(tx, project.id, ids)]);
    return { rows, lots, handouts: null };
  }
  const wishes = joining.map((one) => ({ ...one, wish: wishFor(one.cause.of, { campaign: one.program.campaign }) }));
  const named = ids.map((voucher) => wishFor(joining[0]!.cause.of, { voucher }));
  // Together, so that all codes are locked in the order of their ids.
  const codes = await openCodes(tx, project, [...named, ...wishes.map(({ wish }) => wish)]);
  return { rows: codes.locked, handouts: { codes, joining: Map.groupBy(wishes, ({ cause }) => cause) } };
}

/** The cards that a cause gives to who joins by it. Where there is none to give, nobody joins. */
export const giftsOf = (
  { codes, joining }: Pick<JoiningCards, "codes" | "joining">,
  project: Pick<EarningProject, "id">,
  cause: Cause,
): DrawnGift<Origin>[] =>
  (joining.get(cause) ?? []).flatMap(({ program: { campaign }, wish }) => {
    const drawn = codes.draw(wish, campaign);
    if (!drawn) return [];
    const to = { of: cause.of, project, campaign, customer: cause.customer! };
    return [{ ...planHandOver(codes, drawn.rows[0]!, to), drawn }];
  });

import type { Catalog } from "../../catalog/catalog.ts";
import type { CardProgram } from "../../catalog/earn-programs.ts";
import { doneKey } from "../../core/loyalty/earning/plan.ts";
import { type CampaignCause, campaignCauseOf } from "../../core/loyalty/earning/triggers.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Tx } from "../../db/db.ts";
import { cardCausesOf } from "../../resources/ledger/earnings/store.ts";
import { expiredOf, lotsOfOrders, returnedLots } from "../../resources/ledger/ledger/store.ts";
import { findHeldCards, type HeldCard } from "../../resources/promotions/vouchers/held-store.ts";
import { type EarningProject, isReturned } from "../points/earning-triggers.ts";
import { type AutoRedeeming, openPointCards } from "../points/point-cards.ts";
import type { CampaignEarningState } from "./campaign-earning-plan.ts";
import type { Cause } from "./earn-causes.ts";
import { firstCardOf, joiningCardsFrom, joiningOf, openCards } from "./earn-joining.ts";
import type { EarningAhead } from "./earning-ahead.ts";

export type CampaignEarningRequest = {
  project: EarningProject;
  catalog: Catalog;
  programs: readonly CardProgram[];
  /** Rewards that are redeemed by themselves; null: there are none. */
  auto: AutoRedeeming | null;
  causes: readonly Cause[];
  /** The cards of their customers, where they are locked already: then no card is given away. */
  ahead: EarningAhead["onCampaigns"];
};
export type LoadedCampaignEarning = {
  state: CampaignEarningState;
  /** What orders had done before, as it is stored. */
  known: readonly { kind: CampaignCause; id: string }[];
};

/** Finds the cards that causes may change, and those that may be given to who joins, and locks all of them. */
export async function loadCampaignEarning(
  tx: Tx,
  { project, catalog, programs, auto, causes, ahead }: CampaignEarningRequest,
): Promise<LoadedCampaignEarning> {
  const orderIds = [
    ...new Set(causes.flatMap(({ trigger, order }) => (campaignCauseOf(trigger.kind) ? (order?.id ?? []) : []))),
  ];
  const known = orderIds.length > 0 ? await cardCausesOf(tx, project.id, orderIds) : [];
  const done = new Set(known.map(({ kind, id }) => doneKey(kind, id)));
  const returned = causes.flatMap(({ trigger, order }) => (isReturned(trigger) ? (order?.id ?? []) : []));
  const lots = returned.length > 0 ? await lotsOfOrders(tx, project.id, [...new Set(returned)]) : [];
  const expired = lots.some(({ expires_at }) => expires_at !== null) ? await expiredOf(tx, project.id, lots) : [];
  const held = ahead ? ahead.rows.map(heldCard) : await findHeld(tx, project.id, { programs, causes });
  const joining = joiningOf({ project, catalog, programs, done, held }, causes);
  const ids = [...new Set([...held.map(({ id }) => id), ...lots.map(({ account_id }) => account_id).filter(isCode)])];
  const isNobody = ids.length + joining.length === 0;
  const opened = ahead ? { ...ahead, handouts: null } : null;
  const {
    rows,
    lots: heldLots,
    handouts,
  } = opened ?? (isNobody ? NOBODY : await openCards(tx, project, { ids, joining }));
  const cards = await openPointCards(tx, project, catalog, rows, { redeeming: auto, lots: heldLots });
  const isFound = new Set(ids);
  const found = rows.filter(({ id }) => isFound.has(id));
  // Of several cards the first: it is set last.
  const firstOf = new Map(found.map(firstCardOf).toReversed());
  const state: CampaignEarningState = {
    project,
    catalog,
    programs,
    cards: new Map(found.flatMap(({ id }) => (cards.has(id) ? [[id, cards.get(id)!]] : []))),
    firstOf,
    lotsOf: Map.groupBy(lots, ({ order_id }) => order_id!),
    expired: new Map(expired.map(({ lot_id, points }) => [lot_id, points])),
    returned: new Set(!isNobody && lots.length > 0 ? await returnedLots(tx, project.id, lots) : []),
    done,
    handouts: handouts && joiningCardsFrom({ ...handouts, unheld: cards, redeeming: auto }, firstOf),
  };
  return { state, known };
}
const NOBODY: Awaited<ReturnType<typeof openCards>> = { rows: [], handouts: null };

const heldCard = ({ id, campaign_id, holder_id }: VoucherRow): HeldCard => ({
  id,
  campaign_id: campaign_id!,
  holder_id: holder_id!,
});

/** Cards of programs have an account too. */
const isCode = (accountId: string): boolean => accountId.startsWith("v_");

/** A move between tiers may be followed by points of another program: all cards of a customer are looked for. */
function findHeld(
  tx: Tx,
  projectId: string,
  { programs, causes }: Pick<CampaignEarningRequest, "programs" | "causes">,
): Promise<HeldCard[]> | HeldCard[] {
  const customerIds = [
    ...new Set(causes.flatMap(({ trigger, customer }) => (isReturned(trigger) ? [] : (customer?.id ?? [])))),
  ];
  if (customerIds.length === 0) return [];
  const campaignIds = programs.map(({ campaign }) => campaign.id);
  return findHeldCards(tx, projectId, { customerIds, campaignIds });
}

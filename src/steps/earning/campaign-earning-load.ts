import type { Catalog } from "../../catalog/catalog.ts";
import type { CardProgram } from "../../catalog/earn-programs.ts";
import { doneKey } from "../../core/loyalty/earning/plan.ts";
import { type CampaignCause, campaignCauseOf } from "../../core/loyalty/earning/triggers.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import type { Tx } from "../../db/db.ts";
import type { EventsOf } from "../../events/events.ts";
import type { Origin } from "../../request.ts";
import { cardCausesOf } from "../../resources/ledger/earnings/store.ts";
import { expiredOf, lotsOfOrders, returnedLots } from "../../resources/ledger/ledger/store.ts";
import { findHeldCards, type HeldCard } from "../../resources/promotions/vouchers/held-store.ts";
import { type EarningProject, isReturned } from "../points/earning-triggers.ts";
import { type AutoRedeeming, openPointCards } from "../points/point-cards.ts";
import { type CampaignEarningState, holderKey } from "./campaign-earning-plan.ts";
import type { Cause } from "./earn-causes.ts";
import { joiningOf, openCards } from "./earn-joining.ts";

export type CampaignEarningRequest = {
  project: EarningProject;
  catalog: Catalog;
  programs: readonly CardProgram[];
  /** Rewards that are redeemed by themselves; null: there are none. */
  auto: AutoRedeeming | null;
  causes: readonly Cause[];
};
export type LoadedCampaignEarning = {
  state: CampaignEarningState;
  /** What orders had done before, as it is stored. */
  known: readonly { kind: CampaignCause; id: string }[];
  /** What is told of those who were given a card. */
  joined: EventsOf<Origin>[];
};

/** Finds the cards that causes may change, gives one to who joins, and locks all of them. */
export async function loadCampaignEarning(
  tx: Tx,
  { project, catalog, programs, auto, causes }: CampaignEarningRequest,
): Promise<LoadedCampaignEarning> {
  const orderIds = [
    ...new Set(causes.flatMap(({ trigger, order }) => (campaignCauseOf(trigger.kind) ? (order?.id ?? []) : []))),
  ];
  const known = orderIds.length > 0 ? await cardCausesOf(tx, project.id, orderIds) : [];
  const done = new Set(known.map(({ kind, id }) => doneKey(kind, id)));
  const returned = causes.flatMap(({ trigger, order }) => (isReturned(trigger) ? (order?.id ?? []) : []));
  const lots = returned.length > 0 ? await lotsOfOrders(tx, project.id, [...new Set(returned)]) : [];
  const expired = lots.some(({ expires_at }) => expires_at !== null) ? await expiredOf(tx, project.id, lots) : [];
  const held = await findHeld(tx, project.id, { programs, causes });
  const joining = joiningOf({ project, catalog, programs, done, held }, causes);
  const ids = [...new Set([...held.map(({ id }) => id), ...lots.map(({ account_id }) => account_id).filter(isCode)])];
  const isNobody = ids.length + joining.length === 0;
  const { rows, told: joined } = isNobody ? NOBODY : await openCards(tx, project, { ids, joining });
  const state: CampaignEarningState = {
    project,
    catalog,
    programs,
    cards: await openPointCards(tx, project, catalog, rows, auto),
    firstOf: firstCards(rows),
    lotsOf: Map.groupBy(lots, ({ order_id }) => order_id!),
    expired: new Map(expired.map(({ lot_id, points }) => [lot_id, points])),
    returned: new Set(!isNobody && lots.length > 0 ? await returnedLots(tx, project.id, lots) : []),
    done,
  };
  return { state, known, joined };
}
const NOBODY: Awaited<ReturnType<typeof openCards>> = { rows: [], told: [] };

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

function firstCards(rows: readonly VoucherRow[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { id, holder_id, campaign_id } of rows) {
    const key = holderKey(holder_id ?? "", campaign_id ?? "");
    if (!found.has(key)) found.set(key, id);
  }
  return found;
}

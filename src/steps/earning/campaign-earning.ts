import type { Catalog } from "../../catalog/catalog.ts";
import { type CardProgram, cardPrograms, hasCards } from "../../catalog/earn-programs.ts";
import { doneKey, type OrderDone, planInOrder } from "../../core/loyalty/earning/plan.ts";
import { startsCampaignRule } from "../../core/loyalty/earning/triggers.ts";
import type { Tx } from "../../db/db.ts";
import { together, type Writes, withWrites, writeLater } from "../../db/together.ts";
import type { EventsOf, NewEvent } from "../../events/events.ts";
import type { Origin } from "../../request.ts";
import { dropCauses, takeCauses } from "../../resources/ledger/earnings/store.ts";
import { hasAutoRewards } from "../points/auto-rewards.ts";
import { type EarningProject, isReturned } from "../points/earning-triggers.ts";
import { type AutoRedeeming, sendPointCards } from "../points/point-cards.ts";
import { saveHanded } from "../publishing/handing-over.ts";
import { autoRedeeming, saveAutoRedeemed } from "./auto-redeem.ts";
import {
  type CampaignEarningRequest,
  type LoadedCampaignEarning,
  loadCampaignEarning,
} from "./campaign-earning-load.ts";
import { type CampaignEarningPlan, planCampaignEarning } from "./campaign-earning-plan.ts";
import type { Cause } from "./earn-causes.ts";
import type { EarningAhead } from "./earning-ahead.ts";

/**
 * Settles on codes of loyalty campaigns what causes bring, in their order: load, plan and save, in a number of statements
 * that does not depend on how many causes there are. Returns the events; the caller records them, and waits for `writes`.
 */
export async function settleOnCampaigns(
  tx: Tx,
  project: EarningProject,
  catalog: Catalog,
  happened: readonly Cause[],
  { writes, ahead }: { writes: Writes; ahead: EarningAhead["onCampaigns"] },
): Promise<EventsOf<Origin>[]> {
  const programs = cardPrograms(catalog);
  if (programs.length === 0 && !hasCards(catalog)) return [];
  const causes = happened.filter((cause) => isReturned(cause.trigger) || startsIn(programs, cause));
  if (causes.length === 0) return [];
  return autoRedeeming(tx, hasAutoRewards(catalog), async (db, auto) => {
    const request = { project, catalog, programs, auto, causes, ahead };
    const loaded = await loadCampaignEarning(db, request);
    const plan = planInOrder(loaded.state, causes, planCampaignEarning);
    const save = (own: Writes) => saveCampaignEarning(db, request, { ...loaded, plan }, own);
    // What may be undone and decided again is waited for here.
    return auto ? withWrites(save) : save(writes);
  });
}

const startsIn = (programs: readonly CardProgram[], { occurrence, customer }: Cause): boolean =>
  customer !== null && programs.some(({ rules }) => rules.some((rule) => startsCampaignRule(rule, occurrence)));

async function saveCampaignEarning(
  tx: Tx,
  { project, catalog, auto }: CampaignEarningRequest,
  { state, known, plan }: LoadedCampaignEarning & { plan: CampaignEarningPlan },
  writes: Writes,
): Promise<EventsOf<Origin>[]> {
  const { handouts } = state;
  const joined = handouts ? await saveHanded(tx, project.id, { codes: handouts.codes, handed: plan.gifts }) : [];
  const inOrder = [...plan.cards.values()].sort((a, b) => (a.row.id < b.row.id ? -1 : 1));
  const tellings = await sendPointCards(tx, project, inOrder, { source: "Automation", writes });
  writeLater(writes, saveOrders(tx, project.id, { done: state.done, known, orders: plan.orders }));
  const spending: AutoRedeeming | null = auto && { ...auto, spent: [...plan.spent] };
  const { cards } = state;
  const redeemed = await saveAutoRedeemed(
    tx,
    { project, catalog, auto: spending, cards },
    ({ id }) => plan.origins.get(id)!.of,
  );
  return [...joined, ...tellings.map((event) => withOrigin(plan, event)), ...plan.events, ...redeemed];
}

type OrdersSaved = Pick<LoadedCampaignEarning, "known"> & { done: ReadonlySet<string>; orders: readonly OrderDone[] };

/** Notes what orders have done last, and when: of those in `known` what is not so any more is dropped. Both are sent as it is called. */
async function saveOrders(tx: Tx, projectId: string, { done, known, orders }: OrdersSaved): Promise<void> {
  const gone = known.filter(({ kind, id }) => !done.has(doneKey(kind, id)));
  const last = new Map(orders.filter(({ isDone }) => isDone).map((order) => [doneKey(order.cause, order.id), order]));
  const made = [...last]
    .filter(([key]) => done.has(key))
    .map(([, { id, cause: kind, at: created_at }]) => ({ kind, id, created_at }));
  await together([
    gone.length > 0 && dropCauses(tx, projectId, gone).execute(),
    made.length > 0 && takeCauses(tx, projectId, made).execute(),
  ]);
}

/** Whose request something follows from: of the entry or the move that it tells of. */
function withOrigin({ origins }: CampaignEarningPlan, event: NewEvent): EventsOf<Origin> {
  const { of, event: id } = origins.get((event.payload as { transaction_id: string }).transaction_id)!;
  const isNamed = id !== undefined && event.kind !== "customer.loyalty.tier.expiration.changed";
  return { of, happened: [{ ...event, ...(isNamed && { id }) }] };
}

import { type Answer, refusedAnswer, success } from "../../core/answer.ts";
import type { Tx } from "../../db/db.ts";
import { recordAll } from "../../events/events.ts";
import { insertPublications } from "../../resources/promotions/publications/store.ts";
import { insertHolders } from "../../resources/promotions/redeemable-holders/store.ts";
import { standingEvents } from "../../steps/customers/segment-membership.ts";
import { type Cause, openCauses } from "../../steps/earning/earn-causes.ts";
import { segmentsEntered } from "../../steps/points/earning-triggers.ts";
import { holderEvent } from "../../steps/publishing/publication-rows.ts";
import { publicationMade } from "../../steps/publishing/publication-view.ts";
import type { PublishPlan, PublishState } from "./state.ts";

/** Everything that the commands of a round do, each kind of row in one statement; and what points may follow from. */
export async function saveRound(
  tx: Tx,
  projectId: string,
  { catalog, customers, codes }: PublishState,
  plans: readonly PublishPlan[],
): Promise<Cause[]> {
  const confirmed = await customers.save();
  await codes.save();
  const holders = holdersIn(plans);
  const held = await insertHolders(
    tx,
    projectId,
    holders.map(({ holder }) => holder),
  );
  await insertPublications(
    tx,
    projectId,
    plans.flatMap(({ row }) => row ?? []),
  );
  const isNew = new Set(held.map(({ id }) => id));
  const assigned = holders.filter(({ holder }) => isNew.has(holder.id));
  await recordAll(tx, projectId, [
    ...plans.map(({ of, happened }) => ({ of, happened })),
    ...assigned.map(({ of, holder }) => ({ of, happened: [holderEvent(holder)] })),
  ]);
  const touched = touchedBy(plans);
  const [first] = touched.values();
  if (!first) return [];
  const { project } = first;
  const later = await standingEvents({ db: tx, project }, catalog, { confirmed, touched });
  await recordAll(tx, projectId, later);
  const entered = later.flatMap(({ of, happened }) => segmentsEntered(happened, of));
  return openCauses(tx, project, catalog, entered);
}

/** The new holders of codes. A customer who has a code already stays its holder. */
function holdersIn(plans: readonly PublishPlan[]) {
  const all = plans.flatMap(({ of, holders }) => holders.map((holder) => ({ of, holder })));
  const byPair = Map.groupBy(all, ({ holder: { voucher_id, customer_id } }) => `${voucher_id} ${customer_id}`);
  return [...byPair.values()].map(([first]) => first!);
}

/** Customers who were made or changed, with the last command that did. */
const touchedBy = (plans: readonly PublishPlan[]) =>
  new Map(
    plans.flatMap(({ of, customer }) =>
      customer && (customer.created || customer.changed.length > 0) ? [[customer.row.id, of] as const] : [],
    ),
  );

/** The answer to a command that was saved: codes that were made have the moment of their creation by then. */
export function publicationAnswer({ of, outcome }: PublishPlan, { campaigns, catalog }: PublishState): Answer {
  const { project, request_id, forCaller } = of;
  if ("refused" in outcome) return refusedAnswer(outcome.refused, request_id);
  const shown = { campaigns, categories: catalog.categories };
  return success(forCaller(publicationMade(outcome.row, outcome, { shown, project })));
}

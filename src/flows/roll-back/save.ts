import type { Tx } from "../../db/db.ts";
import { together, writeLater } from "../../db/together.ts";
import { recordInto, startRecording, withIds } from "../../events/events.ts";
import { addToCounters } from "../../resources/checkout/counters/store.ts";
import { takeBackUnits } from "../../resources/checkout/counters/units-store.ts";
import { markRolledBack } from "../../resources/checkout/redemptions/rollback-store.ts";
import { insertRedemptions, tally } from "../../resources/checkout/redemptions/store.ts";
import { insertCredits, saveLots } from "../../resources/ledger/ledger/store.ts";
import { saveOrders } from "../../resources/orders/orders/store.ts";
import { saveUses } from "../../resources/promotions/vouchers/state-store.ts";
import { refreshMemberships } from "../../steps/customers/segment-membership.ts";
import { type Cause, openCauses } from "../../steps/earning/earn-causes.ts";
import { inOrder, segmentsEntered } from "../../steps/points/earning-triggers.ts";
import { savePointsWork, usesAfter } from "../../steps/points/point-changes.ts";
import { givenBy, takeBackRewards } from "../../steps/rewards/take-back-reward.ts";
import { mergeRollBackPlans, type RollBackPlan, type RollBackRequest, type RollBackState } from "./state.ts";

/** What came with redemptions that were rolled back goes back too, for the first command that named them or their stack. */
function takenBack({ round, redemptions }: RollBackState, rolledBack: readonly string[]) {
  const first = new Map(round.map(({ redemption_id }, n) => [redemption_id, n] as const).toReversed());
  const placeOf = (id: string | null): number => first.get(id ?? "") ?? round.length;
  return rolledBack.flatMap((id) => {
    const part = redemptions.get(id)!;
    const of = round[Math.min(placeOf(id), placeOf(part.parent_id))];
    return of ? givenBy([part]).map((given) => ({ of, given })) : [];
  });
}

/**
 * Everything that the commands of a round do, each kind of row in one statement; and what points may follow from. What is
 * put into `written` is not waited for: the end of the batch does.
 */
export async function saveRound(
  { tx, projectId, written }: { tx: Tx; projectId: string; written: Promise<unknown>[] },
  state: RollBackState,
  plans: readonly RollBackPlan[],
): Promise<Cause[]> {
  const plan = mergeRollBackPlans(plans);
  const [{ catalog, project, now, newId, request_id, caller }] = state.round as readonly [RollBackRequest];
  await state.customers.save();
  const rewards = new Map(plan.rewards.map(({ id, by }) => [id, by]));
  const points = await savePointsWork(tx, { project, points: state.points, caused: plan.caused, rewards }, written);
  const { counters, rolledBack } = plan;
  const uses = usesAfter(plan.uses, state.points);
  const writes = [
    saveOrders(tx, projectId, plan.orders),
    addToCounters(tx, projectId, counters),
    takeBackUnits(
      tx,
      projectId,
      plan.units.map((row) => ({ ...row, units: -row.units })),
    ),
    saveUses(tx, projectId, uses),
    saveLots(tx, projectId, plan.lots),
    insertCredits(tx, projectId, plan.entries),
    markRolledBack(tx, projectId, rolledBack),
    insertRedemptions(tx, projectId, plan.redemptions),
    tally(tx, projectId, plan.redemptions),
  ];
  // Behind all that is written: what webhooks are told of points shows the redemption that moved them.
  const events = startRecording(tx, projectId, [...points.told, ...plan.events]);
  writeLater(written, together([...writes, events.done]));
  await events.sent;
  await recordInto(written, tx, projectId, await takeBackRewards(tx, takenBack(state, rolledBack)));
  const c = { db: tx, project, catalog, now, newId, request_id, ...(caller && { caller }) };
  const moved = withIds(c, await refreshMemberships(c, catalog, [...plan.touched]));
  await recordInto(written, tx, projectId, [{ of: c, happened: moved }]);
  const entered = segmentsEntered(moved, state.round[0]!);
  return openCauses(tx, project, catalog, inOrder(state.round, [...plan.triggers, ...points.moved, ...entered]));
}

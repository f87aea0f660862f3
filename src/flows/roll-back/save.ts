import assert from "node:assert/strict";
import type { Tx } from "../../db/db.ts";
import { record, recordAll, withIds } from "../../events/events.ts";
import { addToCounters } from "../../resources/checkout/counters/store.ts";
import { takeBackUnits } from "../../resources/checkout/counters/units-store.ts";
import { markRolledBack } from "../../resources/checkout/redemptions/rollback-store.ts";
import { insertRedemptions, tally } from "../../resources/checkout/redemptions/store.ts";
import { insertEntries, saveLots } from "../../resources/ledger/ledger/store.ts";
import { saveOrders } from "../../resources/orders/orders/store.ts";
import { saveUses } from "../../resources/promotions/vouchers/state-store.ts";
import { refreshMemberships } from "../../steps/customers/segment-membership.ts";
import { type Cause, openCauses } from "../../steps/earning/earn-causes.ts";
import { inOrder, segmentsEntered } from "../../steps/points/earning-triggers.ts";
import { savePointsWork, usesAfter } from "../../steps/points/point-changes.ts";
import { givenBy, takeBackRewards } from "../../steps/rewards/take-back-reward.ts";
import { mergeRollBackPlans, type RollBackPlan, type RollBackRequest, type RollBackState } from "./state.ts";

/** What came with redemptions that were rolled back goes back too. */
const takenBack = ({ round, redemptions }: RollBackState, rolledBack: readonly string[]) =>
  rolledBack.flatMap((id) => {
    const part = redemptions.get(id)!;
    const of = round.find(({ redemption_id }) => redemption_id === id || redemption_id === part.parent_id);
    return of ? givenBy([part]).map((given) => ({ of, given })) : [];
  });

/** Everything that the commands of a round do, each kind of row in one statement; and what points may follow from. */
export async function saveRound(
  tx: Tx,
  projectId: string,
  state: RollBackState,
  plans: readonly RollBackPlan[],
): Promise<Cause[]> {
  const plan = mergeRollBackPlans(plans);
  const [{ catalog, project, now, newId, request_id }] = state.round as readonly [RollBackRequest];
  await state.customers.save();
  const rewards = new Map(plan.rewards.map(({ id, by }) => [id, by]));
  const points = await savePointsWork(tx, { project, points: state.points, caused: plan.caused, rewards });
  await recordAll(tx, projectId, points.told);
  await saveOrders(tx, projectId, plan.orders);
  const { counters, rolledBack } = plan;
  assert.equal(await addToCounters(tx, projectId, counters), counters.length, "every counter was locked");
  await takeBackUnits(
    tx,
    projectId,
    plan.units.map((row) => ({ ...row, units: -row.units })),
  );
  const uses = usesAfter(plan.uses, state.points);
  assert.equal(await saveUses(tx, projectId, uses), uses.length, "every balance is what was decided on");
  await saveLots(tx, projectId, plan.lots);
  await insertEntries(tx, projectId, plan.entries);
  assert.equal(await markRolledBack(tx, projectId, rolledBack), rolledBack.length, "nothing is rolled back twice");
  await insertRedemptions(tx, projectId, plan.redemptions);
  await tally(tx, projectId, plan.redemptions);
  await recordAll(tx, projectId, plan.events);
  await recordAll(tx, projectId, await takeBackRewards(tx, takenBack(state, rolledBack)));
  const c = { db: tx, project, now, newId, request_id };
  const moved = withIds(c, await refreshMemberships(c, catalog, [...plan.touched]));
  await record(c, moved);
  const entered = segmentsEntered(moved, state.round[0]!);
  return openCauses(tx, project, catalog, inOrder(state.round, [...plan.triggers, ...points.moved, ...entered]));
}

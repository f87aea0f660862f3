import assert from "node:assert/strict";
import { hasCards } from "../../catalog/earn-programs.ts";
import { type Answer, refusal } from "../../core/answer.ts";
import type { Flow } from "../../db/batch.ts";
import type { Tx } from "../../db/db.ts";
import { record, recordAll, withIds } from "../../events/events.ts";
import { answerAll, type Claim, claimKeys } from "../../idempotency/claim.ts";
import { addToCounters } from "../../resources/checkout/counters/store.ts";
import { takeBackUnits } from "../../resources/checkout/counters/units-store.ts";
import { markRolledBack } from "../../resources/checkout/redemptions/rollback-store.ts";
import { insertRedemptions, tally } from "../../resources/checkout/redemptions/store.ts";
import { insertEntries, saveLots } from "../../resources/ledger/ledger/store.ts";
import { saveOrders } from "../../resources/orders/orders/store.ts";
import { saveUses } from "../../resources/promotions/vouchers/store.ts";
import { keepsMembers, refreshMemberships } from "../../steps/customers/segment-membership.ts";
import { type Cause, openCauses, segmentsWatched } from "../../steps/earning/earn-causes.ts";
import { settleCauses } from "../../steps/earning/earn-work.ts";
import { inOrder, segmentsEntered } from "../../steps/points/earning-triggers.ts";
import { savePointsWork, usesAfter } from "../../steps/points/point-changes.ts";
import { givenBy, takeBackRewards } from "../../steps/rewards/take-back-reward.ts";
import { rollBackOne } from "./attempt.ts";
import { openWork, type RollBackRequest, type Work } from "./load.ts";
/** A request to roll back, and the key under which it is repeated. */
export type RollBackCommand = RollBackRequest & { claim: Claim | null };

/**
 * Rolls back a batch in one transaction, as `redeem` redeems one: what was redeemed is locked in the same order, each
 * rollback is decided in memory after those before it, and all of it is saved in a fixed number of statements.
 */
export const rollBack: Flow<RollBackCommand, Answer> = {
  name: "roll-back",
  failed: ({ request_id }, key) => refusal(key, { request_id }),
  run: async (tx, projectId, commands) => {
    const { fresh, stored } = await claimKeys(tx, projectId, commands);
    const answers = new Map<RollBackCommand, Answer>();
    const rounds = roundsOf(fresh);
    const causes: Cause[] = [];
    // What a later round locked on its own would be out of order: two batches would wait for each other.
    if (rounds.length > 1) await openWork(tx, projectId, fresh);
    for (const round of rounds) {
      const work = await openWork(tx, projectId, round);
      for (const command of round) answers.set(command, rollBackOne(command, work));
      causes.push(...(await saveWork(tx, projectId, work)));
      // Points that come back and points that are taken back may be on one card.
      if (hasCards(round[0]!.catalog))
        await recordAll(tx, projectId, await settleCauses(tx, fresh[0]!.project, round[0]!.catalog, causes.splice(0)));
    }
    if (causes.length > 0)
      await recordAll(tx, projectId, await settleCauses(tx, fresh[0]!.project, fresh[0]!.catalog, causes));
    return answerAll(tx, projectId, { commands, answers, stored });
  },
};

/** Who enters or leaves a segment is worked out from rows: then each is saved before the next is decided. */
function roundsOf(commands: readonly RollBackCommand[]): (readonly RollBackCommand[])[] {
  if (commands.some(({ catalog }) => keepsMembers(catalog) || segmentsWatched(catalog).size > 0 || hasCards(catalog)))
    return commands.map((command) => [command]);
  return commands.length > 0 ? [commands] : [];
}

/** What came with redemptions that were rolled back goes back too. */
const takenBack = ({ round, redemptions, rolledBack }: Work) =>
  [...rolledBack].flatMap((id) => {
    const part = redemptions.get(id)!;
    const of = round.find(({ redemption_id }) => redemption_id === id || redemption_id === part.parent_id);
    return of ? givenBy([part]).map((given) => ({ of, given })) : [];
  });

/** Everything that the round decided, each kind in one statement; and what points may follow from. */
async function saveWork(tx: Tx, projectId: string, work: Work): Promise<Cause[]> {
  const [{ catalog, project, now, newId, request_id }] = work.round as readonly [RollBackCommand];
  await work.customers.save();
  const back = new Map([...work.rewardsBack].map(([id, by]) => [id, -by]));
  const points = await savePointsWork(tx, { ...work, project, rewards: back });
  await recordAll(tx, projectId, points.told);
  await saveOrders(
    tx,
    projectId,
    [...work.ordersSaved].map((id) => work.orders.get(id)!),
  );
  const taken = [...work.taken.values()];
  assert.equal(await addToCounters(tx, projectId, taken), taken.length, "every counter was locked");
  await takeBackUnits(tx, projectId, [...work.units.values()]);
  const uses = usesAfter(work.uses.values(), work.points);
  assert.equal(await saveUses(tx, projectId, uses), uses.length, "every balance is what was decided on");
  await saveLots(
    tx,
    projectId,
    [...work.lotsSaved].map((id) => work.lots.get(id)!),
  );
  await insertEntries(tx, projectId, work.entries);
  const rolledBack = [...work.rolledBack];
  assert.equal(await markRolledBack(tx, projectId, rolledBack), rolledBack.length, "nothing is rolled back twice");
  await insertRedemptions(tx, projectId, work.rollbacks);
  await tally(tx, projectId, work.rollbacks);
  await recordAll(tx, projectId, work.events);
  await recordAll(tx, projectId, await takeBackRewards(tx, takenBack(work)));
  const c = { db: tx, project, now, newId, request_id };
  const moved = withIds(c, await refreshMemberships(c, catalog, [...work.touched]));
  await record(c, moved);
  const entered = segmentsEntered(moved, work.round[0]!);
  return openCauses(tx, project, catalog, inOrder(work.round, [...work.moves, ...points.moved, ...entered]));
}

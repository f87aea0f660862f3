import { addedTo, counterName } from "../../core/redeem/counters.ts";
import { StartOver } from "../../db/batches/commit.ts";
import { givingWay } from "../../db/batches/giving-way.ts";
import { isTaken } from "../../db/db.ts";
import { together, writeLater } from "../../db/together.ts";
import { recordInto, startRecording } from "../../events/events.ts";
import { addToCounters } from "../../resources/checkout/counters/store.ts";
import { addUnits } from "../../resources/checkout/counters/units-store.ts";
import { insertRedemptions, tally } from "../../resources/checkout/redemptions/store.ts";
import { replaceLocks } from "../../resources/checkout/sessions/store.ts";
import { insertCredits, saveLots } from "../../resources/ledger/ledger/store.ts";
import { saveOrders } from "../../resources/orders/orders/store.ts";
import { saveUses } from "../../resources/promotions/vouchers/state-store.ts";
import { receiptIn } from "../../steps/checkout/receipts.ts";
import type { RedeemRequest } from "../../steps/checkout/requests.ts";
import { standingEvents } from "../../steps/customers/segment-membership.ts";
import { type Cause, openCauses } from "../../steps/earning/earn-causes.ts";
import { overrideCatalogue } from "../../steps/goods/overrides.ts";
import { inOrder, segmentsEntered } from "../../steps/points/earning-triggers.ts";
import { savePointsWork, usesAfter } from "../../steps/points/point-changes.ts";
import { convertReferrals, paidReferrals, referralsIn } from "../../steps/referrals/referrals.ts";
import { type Batch, settleEarned } from "./batch.ts";
import { mergeRedeemPlans, type RedeemPlan, type RoundPlan } from "./redeem-plan.ts";
import type { RedeemState } from "./state.ts";

/** Whether somebody may have come through a referral code. */
const mayConvert = ({ referred, triggers }: RoundPlan, { catalog }: RedeemRequest): boolean =>
  referred.length > 0 || (triggers.length > 0 && referralsIn(catalog).paid.length > 0);

function* receiptsOf({ projectId, fragments }: Batch, plans: readonly RedeemPlan[]): Generator<[id: string, object]> {
  for (const { receipt } of plans) if (receipt) yield [receipt.redemption.id, receiptIn(fragments, projectId, receipt)];
}

/** What was decided on goes into the rows of the redemptions. */
async function withReceipts(batch: Batch, plans: readonly RedeemPlan[], plan: RoundPlan): Promise<RoundPlan> {
  const receipts = new Map(await givingWay(receiptsOf(batch, plans)));
  const redemptions = plan.redemptions.map((row) => ({ ...row, receipt: receipts.get(row.id) ?? null }));
  return { ...plan, redemptions };
}

/** Everything that the commands of a round do, each kind of row in one statement. */
export async function saveRound(batch: Batch, state: RedeemState, plans: readonly RedeemPlan[]): Promise<void> {
  const plan = await withReceipts(batch, plans, mergeRedeemPlans(plans));
  const [first] = state.round as readonly [RedeemRequest];
  for (const row of plan.countedLast) {
    const name = counterName(row);
    batch.countedLast.set(name, { ...row, ...addedTo(batch.countedLast.get(name), row) });
  }
  // One after the other, points of the redemptions before come first.
  if (mayConvert(plan, first)) await settleEarned(batch, first);
  batch.causes.push(...(await savePlan(batch, state, plan)));
}

/**
 * Writes a plan, and says what points may follow from. What is written is not waited for: the connection runs one
 * statement after the other, and the end of the batch waits for all of them.
 */
async function savePlan({ tx, projectId, written }: Batch, state: RedeemState, plan: RoundPlan): Promise<Cause[]> {
  const { project, round } = state;
  const [{ catalog }] = round as readonly [RedeemRequest];
  const confirmed = await state.customers.save();
  const rewards = new Map(plan.rewards.map(({ id, by }) => [id, by]));
  const points = await savePointsWork(tx, { project, points: state.points, caused: plan.caused, rewards }, written);
  const uses = usesAfter(plan.uses, state.points);
  const writes = [
    saveOrders(tx, projectId, plan.orders).catch((error) => {
      throw isTaken(error) ? new StartOver("another order with this source id was made meanwhile") : error;
    }),
    addToCounters(tx, projectId, plan.counters),
    addUnits(tx, projectId, plan.units),
    saveUses(tx, projectId, uses),
    saveLots(tx, projectId, plan.lots),
    insertCredits(tx, projectId, plan.entries),
    insertRedemptions(tx, projectId, plan.redemptions),
    tally(tx, projectId, plan.redemptions),
    plan.released.size > 0 &&
      replaceLocks(tx, projectId, { keys: [...plan.released], gone: state.sessions.own, locks: [] }),
  ];
  // Behind all that is written: what webhooks are told of points shows the redemption that moved them.
  const events = startRecording(tx, projectId, [...points.told, ...plan.events]);
  writeLater(written, together([...writes, events.done]));
  await events.sent;
  // A SKU waits for the product that is made with it.
  await overrideCatalogue(tx, projectId, plan.overrides);
  if (state.handouts) await recordInto(written, tx, projectId, await state.handouts.save());
  const paid = await paidReferrals<RedeemRequest>(tx, projectId, catalog, plan.triggers);
  const referred = [...plan.referred, ...paid].sort((a, b) => round.indexOf(a.of) - round.indexOf(b.of));
  const ahead = state.friends && { ...state.friends, personOf: state.customers.byId, writes: written };
  const converted = await convertReferrals(tx, project, catalog, referred, ahead);
  await recordInto(written, tx, projectId, converted.following);
  const more = [...converted.referrers].filter(([id]) => !plan.touched.has(id));
  const touched = new Map([...plan.touched, ...more]);
  const standing = await standingEvents({ db: tx, project }, catalog, { confirmed, touched });
  await recordInto(written, tx, projectId, standing);
  const entered = standing.flatMap(({ of, happened }) => segmentsEntered(happened, of));
  const triggers = [...plan.triggers, ...points.moved, ...converted.told, ...entered];
  return openCauses(tx, project, catalog, inOrder(round, triggers));
}

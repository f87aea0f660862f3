import assert from "node:assert/strict";
import { earnsOnCards, hasCards } from "../../catalog/earn-programs.ts";
import { namedInRules } from "../../catalog/named-in-rules.ts";
import { type Answer, refusal } from "../../core/answer.ts";
import { trimCode } from "../../core/codes/code.ts";
import { referencesIn } from "../../core/order/resolve.ts";
import type { CounterRow } from "../../core/rows/counter.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { zoneOf } from "../../core/time/zone.ts";
import { startsOf } from "../../core/vouchers/uses.ts";
import type { Flow, LaneFailure } from "../../db/batch.ts";
import { StartOver } from "../../db/commit.ts";
import type { Tx } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import { recordAll, withIds } from "../../events/events.ts";
import { answerAll, type Claim, claimKeys, heldKeys } from "../../idempotency/claim.ts";
import { addToCounters, countLast } from "../../resources/checkout/counters/store.ts";
import { addUnits } from "../../resources/checkout/counters/units-store.ts";
import { insertRedemptions, tally } from "../../resources/checkout/redemptions/store.ts";
import { replaceLocks } from "../../resources/checkout/sessions/store.ts";
import { confirmedEvents, findCustomers } from "../../resources/customers/customers/store.ts";
import { insertEntries, saveLots } from "../../resources/ledger/ledger/store.ts";
import { findOrders, saveOrders } from "../../resources/orders/orders/store.ts";
import { findVouchers, saveUses } from "../../resources/promotions/vouchers/store.ts";
import { codesIn, findingVouchers, type RedeemRequest, type Request } from "../../steps/checkout/deciding.ts";
import { heldCommands, type Needs } from "../../steps/checkout/held-commands.ts";
import { noReceipts, saveReceipts } from "../../steps/checkout/receipts.ts";
import { keepsMembers, refreshMemberships } from "../../steps/customers/segment-membership.ts";
import { type Cause, openCauses, segmentsWatched } from "../../steps/earning/earn-causes.ts";
import { settleCauses } from "../../steps/earning/earn-work.ts";
import { overriddenIn, overrideCatalogue } from "../../steps/goods/overrides.ts";
import { inOrder, segmentsEntered } from "../../steps/points/earning-triggers.ts";
import { savePointsWork, usesAfter } from "../../steps/points/point-changes.ts";
import { convertReferrals, paidReferrals, referralsIn } from "../../steps/referrals/referrals.ts";
import { wantsHandout } from "../../steps/rewards/reward-handouts.ts";
import { redeemOne } from "./attempt.ts";
import { lockRows, namesOf, openWork, ordersNamed, ordersOf, referrerNames, startsIn, type Work } from "./load.ts";
import { withHolders } from "./points.ts";
import { referralRounds } from "./referrals.ts";
/** A request to redeem, and the key under which it is repeated. */
export type RedeemCommand = RedeemRequest & { claim: Claim | null };

/**
 * Redeems a batch in one transaction: resolve, lock in order (keys, sessions, customers, orders, counters that decide, codes), read
 * what the decisions need, decide one after the other in memory, and save all of it in a fixed number of statements.
 */
export const redeem: Flow<RedeemCommand, Answer> = {
  name: "redeem",
  failed: ({ request_id }, key, details) => refusal(key, { request_id, ...(details && { details }) }),
  held: async (tx, projectId, commands) =>
    new Map<RedeemCommand, LaneFailure>([
      ...(await heldCommands(tx, commands, needsOf)),
      ...(await heldKeys(tx, projectId, commands)),
    ]),
  run: async (tx, projectId, commands) => {
    // The codes are looked up behind the locks of the keys, without waiting for an answer in between.
    const [{ fresh: asked, stored }, found] = await together([
      claimKeys(tx, projectId, commands),
      findVouchers(tx, commands[0]!.project, codesIn(commands)),
    ]);
    const fresh = await withHolders(tx, asked);
    const askedAs = new Map(fresh.map((command, n) => [command, asked[n]!]));
    const answers = new Map<RedeemCommand, Answer>();
    const rounds = await roundsOf(tx, projectId, fresh, found);
    // What a later round locked on its own would be out of order: two batches would wait for each other.
    const known = fresh.length === commands.length ? found : null;
    if (rounds.length > 1) await lockRows(tx, projectId, fresh, { periods: rounds.map(startsIn), known });
    const [receipts, countedLast] = [noReceipts(), new Map<string, CounterRow>()];
    const causes: Cause[] = [];
    const written: Promise<unknown>[] = [];
    try {
      for (const round of rounds) {
        // Loyalty cards are read with what the redemptions before have brought.
        if (causes.length > 0 && (hasCards(round[0]!.catalog) || looksAtTiers(round[0]!)))
          await recordAll(
            tx,
            projectId,
            await settleCauses(tx, round[0]!.project, round[0]!.catalog, causes.splice(0)),
          );
        // Of several rounds one may make a code that the next one names.
        const inRound = rounds.length === 1 ? known : null;
        const work = await openWork(tx, projectId, round, { receipts, countedLast, found: inRound });
        for (const command of round) answers.set(askedAs.get(command)!, redeemOne(command, work));
        // One after the other, points of the redemptions before come first.
        if (mayConvert(work))
          await recordAll(tx, projectId, await settleCauses(tx, work.project, round[0]!.catalog, causes.splice(0)));
        causes.push(...(await saveWork(tx, projectId, work, written)));
      }
      if (causes.length > 0)
        await recordAll(tx, projectId, await settleCauses(tx, fresh[0]!.project, fresh[0]!.catalog, causes));
      const [, all] = await together([
        together(written),
        answerAll(tx, projectId, { commands, answers, stored }),
        saveReceipts(tx, projectId, receipts),
        countLast(tx, projectId, [...countedLast.values()]).then((count) => {
          if (count < countedLast.size) throw new StartOver("more was counted meanwhile than can be counted");
        }),
      ]);
      return all;
    } catch (error) {
      // What was written before, and failed, is the reason.
      await together(written);
      throw error;
    }
  },
};

const needsOf = (command: RedeemCommand): Needs => ({
  sessions: command.session ? [command.session.key] : [],
  customers: [...namesOf(command), ...referrerNames(command)],
  orders: ordersNamed([command]),
  codes: codesIn([command]),
});

const looksAtTiers = ({ catalog }: Pick<Request, "catalog">): boolean => namedInRules(catalog).tiers.size > 0;

/**
 * Who is in a segment or a loyalty tier is worked out from rows: then a customer comes once in a round, and the next
 * reads them again.
 */
const looksAtPeople = ({ catalog }: Request): boolean =>
  namedInRules(catalog).segments.size > 0 ||
  looksAtTiers({ catalog }) ||
  keepsMembers(catalog) ||
  segmentsWatched(catalog).size > 0 ||
  referralsIn(catalog).segments.size > 0;

/**
 * Whether a request names a loyalty card. Also one that is refused looks at its points, and what time has brought is saved
 * with the request that looks first.
 */
function lookingAtPoints(found: readonly VoucherRow[]): (request: RedeemRequest) => boolean {
  const cards = found.filter(({ type }) => type === "LOYALTY_CARD");
  if (cards.length === 0) return () => false;
  const cardOf = findingVouchers(cards.map((row) => ({ row, assignments: [], holder_ids: null })));
  return ({ sent, project }) =>
    sent.redeemables.some(({ object, id }) => object === "voucher" && cardOf(trimCode(id), project));
}

/** Whether somebody may have come through a referral code. */
const mayConvert = ({ referred, moves, round }: Work): boolean =>
  referred.length > 0 || (moves.length > 0 && referralsIn(round[0]!.catalog).paid.length > 0);

/**
 * Commands that can be decided in memory together, in their order. One, unless segments, tiers or midnight come
 * between, or an order brings the catalogue up to date and the next one names what it did, or a friend
 * brings what the next one uses, or an order the points that the next one looks at.
 */
async function roundsOf(
  tx: Tx,
  projectId: string,
  commands: readonly RedeemCommand[],
  found: readonly VoucherRow[],
): Promise<RedeemCommand[][]> {
  const looksAtPoints = lookingAtPoints(found);
  const referrals = await referralRounds(tx, projectId, commands);
  const looks = commands.some(looksAtPeople);
  const people = (await peopleIn(tx, projectId, commands)).map((names, n) =>
    looks ? [...names, ...referrals.referrersOf(commands[n]!)] : names,
  );
  const rounds: RedeemCommand[][] = [];
  let [seen, day, told] = [new Set<string>(), "", new Set<string>()];
  let [isFull, mayEarn] = [false, false];
  for (const [n, command] of commands.entries()) {
    const today = startsOf(command.now, zoneOf(command.project)).day;
    const names = people[n]!;
    const items = command.sent.order?.items ?? [];
    const isTold = told.size > 0 && Object.values(referencesIn(items)).some((all) => all.some((one) => told.has(one)));
    if (
      rounds.length === 0 ||
      today !== day ||
      isFull ||
      names.some((name) => seen.has(name)) ||
      isTold ||
      (mayEarn && looksAtPoints(command)) ||
      referrals.mustWait(command)
    ) {
      rounds.push([]);
      referrals.nextRound();
      [seen, told, mayEarn] = [new Set(), new Set(), false];
    }
    for (const name of names) seen.add(name);
    referrals.add(command);
    for (const one of overriddenIn(items)) told.add(one);
    mayEarn ||= earnsOnCards(command.catalog, { hasOrder: command.sent.order != null });
    // Points that an order brought are taken back with it, also when nothing brings any more.
    mayEarn ||= command.sent.order?.status === "CANCELED" && hasCards(command.catalog);
    day = today;
    // What a reward brings from another campaign is there for the next one.
    isFull = wantsHandout(command);
    rounds.at(-1)!.push(command);
  }
  return rounds;
}

/** Whose segments and tiers a command looks at or may change: its customer's, its referrer's, and of who had its order. */
async function peopleIn(tx: Tx, projectId: string, commands: readonly RedeemCommand[]): Promise<string[][]> {
  if (!commands.some(looksAtPeople)) return commands.map(() => []);
  const named = commands.flatMap((command) => [...namesOf(command), ...referrerNames(command)]);
  const rows = await findCustomers(tx, projectId, { ids: named, sourceIds: named, trackingIds: named });
  const idOf = new Map(rows.flatMap((row) => [row.id, row.source_id, row.tracking_id].map((name) => [name, row.id])));
  const orders = await ordersOf(tx, projectId, commands, findOrders);
  const ownersOf = new Map(orders.map(({ id, customer_id }) => [id, customer_id === null ? [] : [customer_id]]));
  const orderOf = new Map(orders.map(({ id, source_id }) => [source_id, id]));
  return commands.map((command) => {
    // One without a name is new, and may have the order that a later command is about.
    const [name = command.sent.customer ? command.request_id : null] = namesOf(command);
    const customer = name === null ? null : (idOf.get(name) ?? name);
    const { id, source_id } = command.sent.order ?? {};
    const order = id || orderOf.get(source_id ?? "") || source_id;
    const owners = (order && ownersOf.get(order)) || [];
    const people = customer === null ? owners : [...owners, customer];
    // Whether it succeeds is not known yet: each of them may be the one who has it then.
    if (order) ownersOf.set(order, people);
    return [...people, ...referrerNames(command).map((one) => idOf.get(one) ?? one)];
  });
}

/**
 * Everything that the round decided, each kind in one statement; and what points may follow from. What is written is not
 * waited for: the connection runs one statement after the other, and the end of the batch waits for all of them.
 */
async function saveWork(tx: Tx, projectId: string, work: Work, written: Promise<unknown>[]): Promise<Cause[]> {
  const confirmed = await work.customers.save();
  const points = await savePointsWork(tx, { ...work, rewards: work.rewardsTaken });
  await recordAll(tx, projectId, points.told);
  const [counters, uses] = [[...work.counters.values()], usesAfter(work.uses.values(), work.points)];
  const orders = [...work.ordersSaved].map((id) => work.orders.get(id)!);
  const writing = together([
    saveOrders(tx, projectId, orders).catch((error) => {
      throw isTaken(error) ? new StartOver("another order with this source id was made meanwhile") : error;
    }),
    addToCounters(tx, projectId, counters).then((count) =>
      assert.equal(count, counters.length, "every counter was locked"),
    ),
    addUnits(tx, projectId, [...work.unitsUsed.values()]),
    saveUses(tx, projectId, uses).then((count) => assert.equal(count, uses.length, "every limit and balance holds")),
    saveLots(tx, projectId, [...work.lots.values()]),
    insertEntries(tx, projectId, work.entries),
    insertRedemptions(tx, projectId, work.redemptions),
    tally(tx, projectId, work.redemptions),
    overrideCatalogue(tx, projectId, work.overrides),
    work.released.size > 0 && replaceLocks(tx, projectId, { keys: [...work.released], locks: [] }),
    recordAll(tx, projectId, work.events),
  ]);
  // Its failure is told at the end; until then it is nobody's to catch.
  writing.catch(() => {});
  written.push(writing);
  const [{ catalog, project }] = work.round as readonly [RedeemCommand];
  if (work.handouts) await recordAll(tx, projectId, await work.handouts.save());
  const paid = await paidReferrals<RedeemRequest>(tx, projectId, catalog, work.moves);
  const referred = [...work.referred, ...paid].sort((a, b) => work.round.indexOf(a.of) - work.round.indexOf(b.of));
  const converted = await convertReferrals(tx, project, catalog, referred);
  await recordAll(tx, projectId, converted.following);
  for (const [id, of] of converted.referrers) if (!work.touched.has(id)) work.touched.set(id, of);
  const now = (id: string) => work.touched.get(id)!.now;
  const moved = await refreshMemberships({ db: tx, project, now }, catalog, [...work.touched.keys()]);
  // Each is told by the request that brought the customer.
  const later = [...confirmedEvents(confirmed), ...moved].map((one) => {
    const of = work.touched.get(one.customer_id)!;
    return { of, happened: withIds(of, [one]) };
  });
  await recordAll(tx, projectId, later);
  const entered = later.flatMap(({ of, happened }) => segmentsEntered(happened, of));
  return openCauses(
    tx,
    project,
    catalog,
    inOrder(work.round, [...work.moves, ...points.moved, ...converted.told, ...entered]),
  );
}

const isTaken = (error: unknown): boolean => (error as { code?: string }).code === "23505";

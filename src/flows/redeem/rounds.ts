import { earnsOnCards, hasCards } from "../../catalog/earn-programs.ts";
import { loadsIn } from "../../catalog/named-in-rules.ts";
import { trimCode } from "../../core/codes/code.ts";
import { referencesIn } from "../../core/order/resolve.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { zoneOf } from "../../core/time/zone.ts";
import { startsOf } from "../../core/vouchers/uses.ts";
import type { Tx } from "../../db/db.ts";
import { findCustomers } from "../../resources/customers/customers/store.ts";
import { findOrders } from "../../resources/orders/orders/store.ts";
import { findingVouchers } from "../../steps/checkout/candidates.ts";
import type { Needs } from "../../steps/checkout/held-commands.ts";
import { codesIn, type RedeemRequest, type Request } from "../../steps/checkout/requests.ts";
import { keepsMembers } from "../../steps/customers/segment-membership.ts";
import { segmentsWatched } from "../../steps/earning/earn-causes.ts";
import { overriddenIn } from "../../steps/goods/overrides.ts";
import { referralsIn } from "../../steps/referrals/referrals.ts";
import { wantsHandout } from "../../steps/rewards/reward-handouts.ts";
import { namesOf, ordersNamed, ordersOf, referrerNames } from "./lock.ts";
import { referralRounds } from "./referrals.ts";
/** The names of what a command locks. */
export const needsOf = (command: RedeemRequest): Needs => ({
  sessions: command.session ? [command.session.key] : [],
  customers: [...namesOf(command), ...referrerNames(command)],
  orders: ordersNamed([command]),
  codes: codesIn([command]),
});

const looksAtTiers = ({ catalog }: Pick<Request, "catalog">): boolean => loadsIn(catalog).tiers.size > 0;

/**
 * Who is in a segment or a loyalty tier is worked out from rows: then a customer comes once in a round, and the next
 * reads them again.
 */
const looksAtPeople = ({ catalog }: Request): boolean =>
  loadsIn(catalog).segments.size > 0 ||
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

/** Loyalty cards, and tiers that rules name, are read with what the redemptions before have brought. */
export const readsEarned = ([first]: readonly RedeemRequest[]): boolean =>
  hasCards(first!.catalog) || looksAtTiers(first!);

/**
 * Cuts the commands into rounds, in their order: those of a round are decided together in memory. There is one round, unless
 * segments, tiers or midnight come between two commands, or one may use what an earlier one brings: goods that an order describes,
 * what an order or a referral puts on cards, codes of a reward.
 */
export async function roundsOf(
  tx: Tx,
  projectId: string,
  commands: readonly RedeemRequest[],
  found: readonly VoucherRow[],
): Promise<RedeemRequest[][]> {
  if (commands.length === 1) return [[...commands]];
  const looksAtPoints = lookingAtPoints(found);
  const referrals = await referralRounds(tx, projectId, commands);
  const looks = commands.some(looksAtPeople);
  const people = (await peopleIn(tx, projectId, commands)).map((names, n) =>
    looks ? [...names, ...referrals.referrersOf(commands[n]!)] : names,
  );
  const rounds: RedeemRequest[][] = [];
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
async function peopleIn(tx: Tx, projectId: string, commands: readonly RedeemRequest[]): Promise<string[][]> {
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
    return [...people, ...referrerNames(command).map((name) => idOf.get(name) ?? name)];
  });
}

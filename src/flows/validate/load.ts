import type { VoucherRow } from "../../core/rows/voucher.ts";
import { zoneOf } from "../../core/time/zone.ts";
import { sessionEnd } from "../../core/validate/session.ts";
import { StartOver } from "../../db/batches/commit.ts";
import type { Db, Tx } from "../../db/db.ts";
import { together } from "../../db/together.ts";
import { loadLocks, lockSessions, locksOf } from "../../resources/checkout/sessions/store.ts";
import { findVouchers, lockNamedVouchers, unnamedBy } from "../../resources/promotions/vouchers/store.ts";
import { askedBy, loadBudgets } from "../../steps/checkout/budgets.ts";
import { findingVouchers } from "../../steps/checkout/candidates.ts";
import { cartsFrom, readCarts } from "../../steps/checkout/carts.ts";
import { loadKnownVouchers, locksAsked } from "../../steps/checkout/redeemables.ts";
import { codesIn, tiersAsked } from "../../steps/checkout/requests.ts";
import { asksAboutCustomers, countersAsked, limitedIn, subjectsOf } from "../../steps/checkout/rule-facts.ts";
import { unitTypesFor } from "../../steps/checkout/units.ts";
import { loadCounted, loadUse } from "../../steps/checkout/use.ts";
import { idsOf, loadGoods } from "../../steps/goods/goods.ts";
import { openPointCards } from "../../steps/points/point-cards.ts";
import { loadStock, type ReadBefore, readAhead } from "./ahead.ts";
import type { ValidateCommand, ValidateState } from "./state.ts";

/** The codes that commands name. */
export const findCodes = (db: Db, commands: readonly ValidateCommand[]): Promise<readonly VoucherRow[]> =>
  findVouchers(db, commands[0]!.project, codesIn(commands));

/**
 * Locks the sessions of the commands, then their codes: so no two sessions hold the same last unit. What is decided from
 * goes with the same message, behind the locks.
 */
export async function lockCodes(tx: Tx, projectId: string, commands: readonly ValidateCommand[]) {
  const { project } = commands[0]!;
  const codes = codesIn(commands);
  const [, vouchers, ahead] = await together([
    lockSessions(tx, projectId, sessionsIn(commands)),
    codes.length > 0 ? lockNamedVouchers(tx, project, codes) : [],
    readAhead(tx, commands),
  ]);
  const unnamed = unnamedBy(project, vouchers, codes);
  if (unnamed.length > 0 && (await findVouchers(tx, project, unnamed)).length > 0)
    throw new StartOver("a code got its name meanwhile");
  return { vouchers, ahead };
}

/** Until when somebody may ask for a session: a day longer than it lasts. */
function sessionsIn(commands: readonly ValidateCommand[]): Map<string, string> {
  const until = new Map<string, string>();
  for (const { session, now } of commands) {
    const { key } = session!;
    const end = Temporal.Instant.from(sessionEnd(now, session!) ?? now).add({ hours: 24 });
    const before = until.get(key);
    if (before === undefined || Temporal.Instant.compare(end, before) > 0)
      until.set(key, end.toString({ smallestUnit: "microsecond" }));
  }
  return until;
}

/** Everything that the decisions of a batch look at: a number of statements that does not depend on its size. */
export async function loadState(
  db: Db,
  commands: readonly ValidateCommand[],
  vouchers: readonly VoucherRow[],
  read: ReadBefore = {},
): Promise<ValidateState> {
  const { project } = commands[0]!;
  const tiers = tiersAsked(commands);
  const unitTypes = unitTypesFor(commands, vouchers, tiers);
  const asked = locksAsked(commands, vouchers);
  const subjects = subjectsOf(vouchers, tiers);
  const counting = {
    subjects,
    apiKeyIds: [...new Set(commands.map(({ api_key_id }) => api_key_id))],
    moments: commands.map(({ now }) => ({ now, zone: zoneOf(project) })),
    asked: countersAsked(commands),
  };
  const ofTiers = read.units && unitTypesFor(commands, [], tiers);
  const [points, stocked, rows, units, known, sessions, counters] = await Promise.all([
    openPointCards(db, project, commands[0]!.catalog, vouchers, { lots: read.lots ?? undefined }),
    read.stocked ?? loadStock(db, commands),
    read.carts ?? readCarts(db, project, commands),
    // Codes may add what the tiers do not.
    ofTiers?.size === unitTypes.size
      ? read.units!
      : loadGoods(db, project.id, { products: [...unitTypes], skus: [...unitTypes] }),
    read.known ?? loadKnownVouchers(db, project.id, vouchers, read),
    read.sessions ?? (read.held ? locksOf(read.held, asked) : loadLocks(db, project.id, asked)),
    read.counted ?? loadCounted(db, project.id, counting),
  ]);
  const carts = cartsFrom(project, commands, rows, unitTypes);
  const isAsked = asksAboutCustomers(commands, known, tiers);
  const whole = carts.flatMap((cart) => ("refused" in cart ? [] : [{ cart }]));
  const customers = isAsked ? whole.flatMap(({ cart }) => cart.customer?.id ?? []) : [];
  const about = {
    refs: subjects.map(({ ref }) => ref),
    campaignIds: subjects.flatMap(({ campaign_id }) => campaign_id ?? []),
  };
  const [use, budgets] = await Promise.all([
    loadUse(db, project.id, { ...counting, customers: customers.map((id) => ({ id, ...about })), counters }),
    loadBudgets(db, project.id, {
      redeemables: limitedIn(commands, known, tiers),
      ...askedBy(whole, () => idsOf(units)),
    }),
  ]);
  return {
    carts: new Map(commands.map((command, n) => [command, carts[n]!])),
    voucherOf: findingVouchers(known),
    points,
    stock: new Map(stocked.map(({ id, stock }) => [id, stock])),
    sessions,
    use,
    budgets,
    units,
    unitTypes,
  };
}

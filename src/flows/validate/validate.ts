import { type Answer, refusal, refused, writtenSuccess } from "../../core/answer.ts";
import type { ErrorBody } from "../../core/errors.ts";
import { tooExpensive } from "../../core/steps.ts";
import { periodStart } from "../../core/time/period.ts";
import { zoneOf } from "../../core/time/zone.ts";
import { type Decision, decide } from "../../core/validate/decide.ts";
import { promiseOf } from "../../core/validate/promise.ts";
import type { Redeemable } from "../../core/validate/redeemable.ts";
import { sessionEnd } from "../../core/validate/session.ts";
import type { Situation } from "../../core/validate/situation.ts";
import type { ReadFlow } from "../../db/batch.ts";
import type { Db, Tx } from "../../db/db.ts";
import { hotFlow, type Keyed } from "../../idempotency/hot-flow.ts";
import { loadLocks, lockSessions, replaceLocks, type SessionLock } from "../../resources/checkout/sessions/store.ts";
import {
  insertValidations,
  type ValidationRow,
  type ValidationTally,
} from "../../resources/checkout/validations/store.ts";
import { rememberUnconfirmed, type Unconfirmed } from "../../resources/customers/customers/unconfirmed-store.ts";
import { rewards } from "../../resources/loyalty-v1/rewards/store.ts";
import { findVouchers, lockVouchers } from "../../resources/promotions/vouchers/store.ts";
import { askedBy, type Budgets, loadBudgets } from "../../steps/checkout/budgets.ts";
import { type Cart, loadCarts } from "../../steps/checkout/carts.ts";
import {
  asksAboutCustomers,
  candidatesOf,
  codesIn,
  findingVouchers,
  limitedIn,
  type Request,
  requestFault,
  rewardsIn,
  settingsBetween,
  settingsFor,
  situationOf,
  subjectsOf,
  tiersIn,
  unitsFor,
  unitTypesFor,
} from "../../steps/checkout/deciding.ts";
import { heldCommands } from "../../steps/checkout/held-commands.ts";
import { type KnownVoucher, loadKnownVouchers } from "../../steps/checkout/redeemables.ts";
import { loadUse, type Use } from "../../steps/checkout/use.ts";
import type { Show, Validated } from "../../steps/checkout/validation-view.ts";
import { type Goods, idsOf, loadGoods } from "../../steps/goods/goods.ts";
import { openPointCards, type PointCard } from "../../steps/points/point-cards.ts";
import { seePoints } from "../../steps/points/point-changes.ts";

/** A request to validate, with all that it makes: a batch gives the same as one after the other. */
export type ValidateCommand = Request & {
  request_id: string;
  /** The id of the validation. */
  id: string;
  /** Each redeemable for itself, instead of all together. */
  alone?: Pick<Situation, "asked">;
  show: Show;
} & Keyed;
const failed = ({ request_id }: ValidateCommand, key: Parameters<typeof refusal>[0]): Answer =>
  refusal(key, { request_id });

/** Validation without a session: nothing is locked, and only the promise is stored. */
export const validate: ReadFlow<ValidateCommand, Answer> = {
  name: "validate",
  failed,
  read: async (db, _, commands) => {
    const { project } = commands[0]!;
    const vouchers = await findVouchers(db, project, codesIn(commands));
    const facts = await loadFacts(db, commands, vouchers);
    const decided = commands.map((command) => decideOne(command, facts));
    await saveValidations(db, project.id, decided);
    return decided.map(({ answer }) => answer);
  },
};

/** Validation with a session: the codes are locked, so that no two sessions hold the same last unit. */
export const validateAndLock = hotFlow<ValidateCommand>({
  name: "validate-and-lock",
  failed,
  held: (tx, commands) =>
    heldCommands(tx, commands, (command) => ({
      sessions: [command.session!.key],
      customers: [],
      orders: [],
      codes: codesIn([command]),
    })),
  run: async (tx, projectId, { commands }, answer) => {
    const answers = new Map<ValidateCommand, Answer>();
    if (commands.length > 0) {
      const { project } = commands[0]!;
      await lockSessions(tx, projectId, sessionsIn(commands));
      const found = await findVouchers(tx, project, codesIn(commands));
      const vouchers = await lockVouchers(
        tx,
        projectId,
        found.map(({ id }) => id),
      );
      const facts = await loadFacts(tx, commands, vouchers);
      const decided = commands.map((command) => {
        const one = decideOne(command, facts);
        if (one.locks) holdLocks(facts.locks, command.session!.key, one.locks);
        return one;
      });
      await saveLocks(tx, projectId, { commands, decided });
      await saveValidations(tx, projectId, decided);
      for (const [n, command] of commands.entries()) answers.set(command, decided[n]!.answer);
    }
    return answer(answers);
  },
});

/** Until when somebody may ask for a session: a day longer than it lasts. */
function sessionsIn(commands: readonly ValidateCommand[]): Map<string, string> {
  const until = new Map<string, string>();
  for (const { session, now } of commands) {
    const { key } = session!;
    const end = Temporal.Instant.from(sessionEnd(now, session!) ?? now).add({ hours: 24 });
    const known = until.get(key);
    if (known === undefined || Temporal.Instant.compare(end, known) > 0)
      until.set(key, end.toString({ smallestUnit: "microsecond" }));
  }
  return until;
}

type Facts = {
  carts: ReadonlyMap<ValidateCommand, Cart | { refused: ErrorBody }>;
  voucherOf: ReturnType<typeof findingVouchers>;
  /** Loyalty cards. What time has brought them is seen, and not saved. */
  points: ReadonlyMap<string, PointCard>;
  /** What is left of the rewards that are named; null: they are unlimited. */
  stock: ReadonlyMap<string, number | null>;
  /** By code; those that a command of the batch makes are added. */
  locks: Map<string, readonly SessionLock[]>;
  use: Use;
  budgets: Budgets;
  units: Goods;
  unitTypes: ReadonlySet<string>;
};

/** Everything that the decisions of a batch look at: a number of statements that does not depend on its size. */
async function loadFacts(
  db: Db,
  commands: readonly ValidateCommand[],
  vouchers: readonly KnownVoucher["row"][],
): Promise<Facts> {
  const { project } = commands[0]!;
  const voucherIds = vouchers.map(({ id }) => id);
  const tiers = tiersIn(commands);
  const unitTypes = unitTypesFor(commands, vouchers, tiers);
  const rewardIds = rewardsIn(commands);
  const [points, stocked, carts, units, known, locks] = await Promise.all([
    openPointCards(db, project, commands[0]!.catalog, vouchers),
    rewardIds.length > 0 ? rewards.load(db, project.id, rewardIds) : [],
    loadCarts(db, project, commands, unitTypes),
    loadGoods(db, project.id, { products: [...unitTypes], skus: [...unitTypes] }),
    loadKnownVouchers(db, project.id, vouchers),
    voucherIds.length > 0 ? loadLocks(db, project.id, voucherIds) : [],
  ]);
  const subjects = subjectsOf(vouchers, tiers);
  const asks = asksAboutCustomers(commands, known, tiers);
  const whole = carts.flatMap((cart) => ("refused" in cart ? [] : [{ cart }]));
  const customers = asks ? whole.flatMap(({ cart }) => cart.customer?.id ?? []) : [];
  const about = { refs: subjects.map(({ ref }) => ref), campaignIds: subjects.flatMap((one) => one.campaign_id ?? []) };
  const [use, budgets] = await Promise.all([
    loadUse(db, project.id, {
      subjects,
      apiKeyIds: [...new Set(commands.map(({ api_key_id }) => api_key_id))],
      moments: commands.map(({ now }) => ({ now, zone: zoneOf(project) })),
      customers: customers.map((id) => ({ id, ...about })),
    }),
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
    locks: new Map(Map.groupBy(locks, ({ redeemable_id }) => redeemable_id)),
    use,
    budgets,
    units,
    unitTypes,
  };
}

type Decided = {
  answer: Answer;
  row: ValidationRow | null;
  locks: readonly SessionLock[] | null;
  tallies: readonly ValidationTally[];
};

const refuseOne = ({ request_id }: ValidateCommand, error: ErrorBody): Decided => ({
  answer: refused(error, request_id),
  row: null,
  locks: null,
  tallies: [],
});

/** What costs too much is refused alone: the others of the batch are decided as without it. */
function decideOne(command: ValidateCommand, facts: Facts): Decided {
  try {
    return decideWithin(command, facts);
  } catch (error) {
    return refuseOne(command, tooExpensive(error));
  }
}

function decideWithin(command: ValidateCommand, facts: Facts): Decided {
  const { catalog, request_id, session, newId } = command;
  const refuse = (error: ErrorBody): Decided => refuseOne(command, error);
  const cart = facts.carts.get(command)!;
  if ("refused" in cart) return refuse(cart.refused);
  const settings = settingsFor(catalog);
  // All promotions are looked at, however many may be combined.
  const limit = command.alone ? { redeemables_limit: Number.POSITIVE_INFINITY } : {};
  const fault = requestFault(command, { ...settings, ...limit });
  if (fault) return refuse(fault);
  const candidates = candidatesOf(command, {
    voucherOf: (reference) => {
      const found = facts.voucherOf(reference, command.project);
      const card = found && facts.points.get(found.row.id);
      return card ? { ...found, card: seePoints(card, command) } : found;
    },
    stockOf: (id) => facts.stock.get(id) ?? null,
    locksOf: (id) => facts.locks.get(id) ?? [],
    use: facts.use,
    budgets: facts.budgets,
    customerId: cart.customer?.id ?? null,
    email: cart.email,
  });
  if ("refused" in candidates) return refuse(candidates.refused);
  const units = unitsFor(facts.unitTypes, facts.units, catalog, cart);
  const situation = { ...situationOf(command, cart, units), ...command.alone };
  const decisions = (command.alone ? candidates.map((one) => [one]) : [candidates]).map((some) =>
    decide(some, cart.order, { settings: settingsBetween(command), situation }),
  );
  const validated: Validated = { id: command.id, cart, settings, situation, decisions, session, request_id, newId };
  const shown = command.show(validated);
  if ("refused" in shown) return refuse(shown.refused as ErrorBody);
  const locks = session && locksOf(command, decisions[0]!);
  const answer = writtenSuccess(shown);
  // Contract is silent: whoever asks which of all promotions apply validates none of them.
  if (command.alone) return { answer, row: rowOf(command, validated, null), locks, tallies: [] };
  const campaigns = campaignsIn(decisions[0]!);
  return { answer, row: rowOf(command, validated, campaigns), locks, tallies: talliesOf(command, campaigns) };
}

type Outcomes = { succeeded: number; failed: number };

/**
 * What became of the redeemables of each campaign. Those that were skipped were not looked at, and one that would apply
 * neither succeeded nor failed when another makes the whole validation fail.
 */
function campaignsIn({ valid, decided }: Decision): Map<string, Outcomes> {
  const campaigns = new Map<string, Outcomes>();
  for (const { candidate, outcome } of decided) {
    const id = "campaign_id" in candidate ? candidate.campaign_id : null;
    const isGood = outcome.status === "APPLICABLE";
    if (id === null || outcome.status === "SKIPPED" || (isGood && !valid)) continue;
    const { succeeded, failed } = campaigns.get(id) ?? { succeeded: 0, failed: 0 };
    campaigns.set(id, { succeeded: succeeded + (isGood ? 1 : 0), failed: failed + (isGood ? 0 : 1) });
  }
  return campaigns;
}

function talliesOf({ id, project, now }: ValidateCommand, campaigns: ReadonlyMap<string, Outcomes>): ValidationTally[] {
  const day = periodStart("day", now, zoneOf(project));
  return [...campaigns].map(([campaign_id, outcomes]) => ({ validation_id: id, campaign_id, day, ...outcomes }));
}

/** What a session holds from now on: of each code that applies one redemption, and the credits or points of it. */
function locksOf({ session, now }: ValidateCommand, { valid, decided }: Decision): SessionLock[] | null {
  if (!valid) return null;
  return decided.flatMap(({ candidate, outcome }) => {
    if (outcome.status !== "APPLICABLE" || candidate.object !== "voucher") return [];
    return [
      {
        redeemable_id: (candidate as Redeemable).ref,
        session_key: session!.key,
        quantity: 1,
        credits: outcome.result.gift?.credits ?? 0,
        points: outcome.result.loyalty_card?.points ?? 0,
        expires_at: sessionEnd(now, session!)!,
      },
    ];
  });
}

/** The next command of the batch sees what this one holds. */
function holdLocks(locks: Facts["locks"], key: string, held: readonly SessionLock[]): void {
  for (const [id, of] of locks)
    locks.set(
      id,
      of.filter(({ session_key }) => session_key !== key),
    );
  for (const lock of held) locks.set(lock.redeemable_id, [...(locks.get(lock.redeemable_id) ?? []), lock]);
}

type Batch = { commands: readonly ValidateCommand[]; decided: readonly Decided[] };

/** Of one session that comes several times, the last that was valid holds what is held. */
async function saveLocks(tx: Tx, projectId: string, { commands, decided }: Batch): Promise<void> {
  const bySession = new Map<string, readonly SessionLock[]>();
  for (const [n, { session }] of commands.entries()) {
    const { locks } = decided[n]!;
    if (locks) bySession.set(session!.key, locks);
  }
  if (bySession.size === 0) return;
  await replaceLocks(tx, projectId, { keys: [...bySession.keys()], locks: [...bySession.values()].flat() });
}

async function saveValidations(db: Db, projectId: string, decided: readonly Decided[]): Promise<void> {
  const rows = decided.flatMap(({ row }) => row ?? []);
  const tallies = decided.flatMap((one) => one.tallies);
  await rememberUnconfirmed(db, projectId, rows.flatMap(unconfirmedIn));
  await insertValidations(db, projectId, { rows, tallies });
}

/** Somebody who is no customer yet is called after the validation that saw them first. */
const unconfirmedIn = ({ id, tracking_id, created_at }: ValidationRow): Unconfirmed[] =>
  tracking_id === null ? [] : [{ id: id.replace(/^valid_/, "ucust_"), tracking_id, created_at }];

/** What is kept of a validation: what a redemption that names it has to give, and what its customer is told of. */
function rowOf(
  { id, now, request_id }: ValidateCommand,
  { cart, decisions }: Validated,
  campaigns: ReadonlyMap<string, Outcomes> | null,
): ValidationRow {
  return {
    id,
    customer_id: cart.customer?.id ?? null,
    // Contract is silent: who is only described in the request, and not tracked, is not remembered.
    tracking_id: cart.customer === null ? cart.tracking_id : null,
    valid: decisions.some(({ valid }) => valid),
    promise: promiseOf(decisions),
    group_id: campaigns === null ? null : request_id,
    campaign_id: campaigns?.size === 1 ? [...campaigns.keys()][0]! : null,
    created_at: now,
  };
}

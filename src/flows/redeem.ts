import assert from "node:assert/strict";
import { type Budgets, countersOf, loadBudgets } from "../catalog/budgets.ts";
import { type Cart, cartFrom, customerSent, personFrom } from "../catalog/carts.ts";
import {
  asksAboutCustomers,
  candidatesOf,
  codesIn,
  findingVouchers,
  limitedIn,
  type Request,
  requestFault,
  settingsFor,
  situationOf,
  subjectsOf,
  tiersIn,
  unitsFor,
  unitTypesFor,
  zoneOf,
} from "../catalog/deciding.ts";
import { catalogueOf, type Goods, idsOf, loadGoods } from "../catalog/goods.ts";
import { namedInRules } from "../catalog/named-in-rules.ts";
import { type Overrides, overriddenIn, overrideCatalogue, overridesIn } from "../catalog/overrides.ts";
import { keepReceipt, noReceipts, type Receipts, saveReceipts } from "../catalog/receipts.ts";
import { campaignOf, type KnownVoucher, loadKnownVouchers } from "../catalog/redeemables.ts";
import { redeemableShown, redemptionView } from "../catalog/redemption-view.ts";
import { loadSegmentsOf, refreshMemberships, type SegmentsOf } from "../catalog/segment-membership.ts";
import { type Asker, counterKeys, type Subject, sinceOf, type Use, useOf } from "../catalog/use.ts";
import { type Answer, refusal, refused, success } from "../core/answer.ts";
import { countedAs } from "../core/discounts/items.ts";
import { type ErrorBody, errorBody } from "../core/errors.ts";
import { type Account, openAccount, spend } from "../core/ledger/account.ts";
import { metadataFault } from "../core/metadata/check.ts";
import type { Order } from "../core/order/order.ts";
import { referencesIn } from "../core/order/resolve.ts";
import { orderView } from "../core/order/view.ts";
import { stepBetween } from "../core/redeem/step.ts";
import { type Decided, type Decision, decide } from "../core/validate/decide.ts";
import type { Applied } from "../core/validate/judge.ts";
import { isSamePromise, type PromisedPrice, promiseOf } from "../core/validate/promise.ts";
import type { Redeemable } from "../core/validate/redeemable.ts";
import { decidedView } from "../core/validate/view.ts";
import { settingsOf } from "../core/vouchers/settings.ts";
import { addUse, type Starts, startsOf } from "../core/vouchers/uses.ts";
import { sumsOf } from "../core/vouchers/worth.ts";
import type { NewId, Project } from "../ctx.ts";
import type { Flow } from "../db/batch.ts";
import { StartOver } from "../db/commit.ts";
import type { Tx } from "../db/db.ts";
import { type Happened, recordAll } from "../events/events.ts";
import { answerAll, type Claim, claimKeys } from "../idempotency/claim.ts";
import { addToCounters, type CounterKey, type CounterRow, lockCounters } from "../resources/counters/store.ts";
import { addUnits, type UnitsRow } from "../resources/counters/units-store.ts";
import type { CustomerRow } from "../resources/customers/schema.ts";
import {
  type CustomersAtWork,
  confirmedEvents,
  customerEvents,
  findCustomers,
  openCustomers,
  type Saved,
} from "../resources/customers/store.ts";
import { type EntryRow, insertEntries, type LotRow, loadLots, saveLots } from "../resources/ledger/store.ts";
import { amountsOf, lockOrders, type OrderRow, view as orderRowView, saveOrders } from "../resources/orders/store.ts";
import { loadCustomerCounts } from "../resources/redemptions/counts-store.ts";
import type { RedemptionEffect, RedemptionRow } from "../resources/redemptions/schema.ts";
import { insertRedemptions, tally } from "../resources/redemptions/store.ts";
import { loadLocks, lockSessions, replaceLocks, type SessionLock } from "../resources/sessions/store.ts";
import { loadPromises, type Promised } from "../resources/validations/store.ts";
import { findVouchers, lockVouchers, saveUses, type VoucherRow, type VoucherUse } from "../resources/vouchers/store.ts";

/** A request to redeem, with all that it makes: a batch gives the same as one after the other. */
export type RedeemCommand = Request & {
  project: Project;
  request_id: string;
  /** A validation whose price was promised. */
  validation_id: string | null;
  expand: ReadonlySet<string>;
  /** An older operation answers with the one redemption. */
  isSingle?: true;
  claim: Claim | null;
};

/**
 * Redeems a batch in one transaction: resolve, lock in order (keys, sessions, customers, orders, counters, codes), read
 * what the decisions need, decide one after the other in memory, and save all of it in a fixed number of statements.
 */
export const redeem: Flow<RedeemCommand, Answer> = {
  name: "redeem",
  failed: ({ request_id }, key) => refusal(key, { request_id }),
  run: async (tx, projectId, commands) => {
    const { fresh, stored } = await claimKeys(tx, projectId, commands);
    const answers = new Map<RedeemCommand, Answer>();
    const rounds = await roundsOf(tx, projectId, fresh);
    // What a later round locked on its own would be out of order: two batches would wait for each other.
    if (rounds.length > 1) await lockRows(tx, projectId, fresh, rounds.map(startsIn));
    const receipts = noReceipts();
    for (const round of rounds) {
      const work = await openWork(tx, projectId, round, receipts);
      for (const command of round) answers.set(command, redeemOne(command, work));
      await saveWork(tx, projectId, work);
    }
    await saveReceipts(tx, projectId, receipts);
    return answerAll(tx, projectId, { commands, answers, stored });
  },
};

/** Who is in a segment is worked out from rows: then a customer comes once in a round, and the next reads them again. */
const looksAtSegments = ({ catalog }: Request): boolean =>
  namedInRules(catalog).segments.size > 0 || [...catalog.segments.values()].some(({ type }) => type === "auto-update");

/**
 * Commands that can be decided in memory together, in their order. One, unless segments or midnight come between, or an
 * order brings the catalogue up to date and the next one names what it did.
 */
async function roundsOf(tx: Tx, projectId: string, commands: readonly RedeemCommand[]): Promise<RedeemCommand[][]> {
  const names = await customersIn(tx, projectId, commands);
  const rounds: RedeemCommand[][] = [];
  let [seen, day, told] = [new Set<string>(), "", new Set<string>()];
  for (const [n, command] of commands.entries()) {
    const today = startsOf(command.now, zoneOf(command.project)).day;
    const name = names[n];
    const items = command.sent.order?.items ?? [];
    const isTold = told.size > 0 && Object.values(referencesIn(items)).some((all) => all.some((one) => told.has(one)));
    if (rounds.length === 0 || today !== day || (name != null && seen.has(name)) || isTold) {
      rounds.push([]);
      [seen, told] = [new Set(), new Set()];
    }
    if (name != null) seen.add(name);
    for (const one of overriddenIn(items)) told.add(one);
    day = today;
    rounds.at(-1)!.push(command);
  }
  return rounds;
}

async function customersIn(tx: Tx, projectId: string, commands: readonly RedeemCommand[]): Promise<(string | null)[]> {
  if (!commands.some(looksAtSegments)) return commands.map(() => null);
  const named = commands.flatMap(namesOf);
  const rows = await findCustomers(tx, projectId, { ids: named, sourceIds: named, trackingIds: named });
  const idOf = new Map(rows.flatMap((row) => [row.id, row.source_id, row.tracking_id].map((name) => [name, row.id])));
  return commands.map((command) => {
    const [name] = namesOf(command);
    return name === undefined ? null : (idOf.get(name) ?? name);
  });
}

const namesOf = ({ sent }: Request): string[] => {
  const customer = customerSent(sent);
  return [customer?.id, customer?.source_id, sent.tracking_id].filter(
    (name) => name != null && name !== "",
  ) as string[];
};

/** What one round works on: rows that are locked, and what becomes of them. */
type Work = {
  project: Project;
  starts: Starts;
  customers: CustomersAtWork;
  orders: Map<string, OrderRow>;
  voucherOf: ReturnType<typeof findingVouchers>;
  known: Map<string, KnownVoucher>;
  accounts: Map<string, Account>;
  locks: Map<string, readonly SessionLock[]>;
  use: Use;
  budgets: Budgets;
  goods: Goods;
  units: Goods;
  unitTypes: ReadonlySet<string>;
  segmentsOf: SegmentsOf | null;
  promises: ReadonlyMap<string, Promised>;
  round: readonly RedeemCommand[];
  // What is to be saved.
  redemptions: RedemptionRow[];
  entries: EntryRow[];
  lots: Map<string, LotRow>;
  counters: Map<string, CounterRow>;
  unitsUsed: Map<string, UnitsRow>;
  uses: Map<string, VoucherUse>;
  ordersSaved: Set<string>;
  overrides: { overrides: Overrides; made: RedeemCommand }[];
  receipts: Receipts;
  released: Set<string>;
  events: { of: RedeemCommand; happened: Happened[] }[];
  /** Customers, with the last request that was theirs. */
  touched: Map<string, RedeemCommand>;
};

/** The periods of a round: midnight never comes inside of one. */
const startsIn = ([first]: readonly RedeemCommand[]): Starts => startsOf(first!.now, zoneOf(first!.project));

/** Locks everything that the round may change, in the one order that all flows keep. What is locked is read anew. */
async function lockRows(
  tx: Tx,
  projectId: string,
  round: readonly RedeemCommand[],
  periods: readonly Starts[] = [startsIn(round)],
) {
  const { project } = round[0]!;
  const found = await findVouchers(tx, project, codesIn(round));
  const tiers = tiersIn(round);
  const sessions = new Map(round.flatMap(({ session, now }) => (session ? [[session.key, until(now)] as const] : [])));
  if (sessions.size > 0) await lockSessions(tx, projectId, sessions);
  const given = round.flatMap(({ sent }) => customerSent(sent) ?? []);
  const texts = round.flatMap(({ sent }) => [
    ...(typeof sent.customer === "string" ? [sent.customer] : []),
    ...(sent.tracking_id ? [sent.tracking_id] : []),
  ]);
  const named = [...given, ...texts.map((source_id) => ({ source_id }))];
  const customers = await openCustomers(tx, projectId, named, texts);
  const ids = round.flatMap(({ sent }) => sent.order?.id || []);
  const sourceIds = round.flatMap(({ sent }) => (sent.order?.id ? [] : sent.order?.source_id || []));
  const orders = ids.length + sourceIds.length > 0 ? await lockOrders(tx, projectId, { ids, sourceIds }) : [];
  const apiKeyIds = [...new Set(round.map(({ api_key_id }) => api_key_id))];
  const subjects = subjectsOf(found, tiers);
  const counters = await lockCounters(
    tx,
    projectId,
    subjects.flatMap((subject) =>
      periods.flatMap((starts) => apiKeyIds.flatMap((api_key_id) => counterKeys(subject, { api_key_id, starts }))),
    ),
  );
  const voucherIds = found.map(({ id }) => id);
  const vouchers = voucherIds.length > 0 ? await lockVouchers(tx, projectId, voucherIds) : [];
  return { starts: periods[0]!, tiers, subjects, customers, orders, counters, vouchers };
}

async function openWork(tx: Tx, projectId: string, round: readonly RedeemCommand[], receipts: Receipts): Promise<Work> {
  const { project } = round[0]!;
  const { starts, tiers, subjects, customers, orders, counters, vouchers } = await lockRows(tx, projectId, round);
  const voucherIds = vouchers.map(({ id }) => id);
  const unitTypes = unitTypesFor(round, vouchers, tiers);
  const references = round.map(({ sent }) => referencesIn(sent.order?.items ?? []));
  const open = vouchers.filter(({ account }) => account !== null).map(({ id }) => id);
  const promised = round.flatMap(({ validation_id }) => validation_id ?? []);
  const [known, goods, units, lots, locks, promises] = await Promise.all([
    loadKnownVouchers(tx, projectId, vouchers),
    loadGoods(tx, projectId, {
      products: references.flatMap(({ products }) => products),
      skus: references.flatMap(({ skus }) => skus),
    }),
    loadGoods(tx, projectId, { products: [...unitTypes], skus: [...unitTypes] }),
    open.length > 0 ? loadLots(tx, projectId, open) : [],
    voucherIds.length > 0 ? loadLocks(tx, projectId, voucherIds) : [],
    promised.length > 0 ? loadPromises(tx, projectId, promised) : [],
  ]);
  const [counts, budgets] = await Promise.all([
    asksAboutCustomers(round, known, tiers) ? countsFor(tx, projectId, { round, customers, subjects, starts }) : [],
    loadBudgets(tx, projectId, {
      redeemables: limitedIn(round, known, tiers),
      customerIds: peopleIn(round, customers),
      products: () => [
        ...references.flatMap(({ products, skus }) => [...products, ...skus]),
        ...orders.flatMap(({ items }) => items.map(countedAs)),
        ...idsOf(goods),
        ...idsOf(units),
      ],
    }),
  ]);
  const lotsOf = Map.groupBy(lots, ({ account_id }) => account_id);
  return {
    project,
    starts,
    customers,
    orders: new Map(orders.map((row) => [row.id, row])),
    voucherOf: findingVouchers(known),
    known: new Map(known.map((one) => [one.row.id, one])),
    accounts: new Map(
      vouchers.flatMap(({ id, account }) => (account ? [[id, { id, sums: account, lots: lotsOf.get(id) ?? [] }]] : [])),
    ),
    locks: new Map(Map.groupBy(locks, ({ redeemable_id }) => redeemable_id)),
    use: useOf(counters, counts),
    budgets,
    goods,
    units,
    unitTypes,
    segmentsOf: await segmentsFor(tx, projectId, { round, customers }),
    promises: new Map(promises.map((one) => [one.id, one])),
    round,
    redemptions: [],
    entries: [],
    lots: new Map(),
    counters: new Map(),
    unitsUsed: new Map(),
    uses: new Map(),
    ordersSaved: new Set(),
    overrides: [],
    receipts,
    released: new Set(),
    events: [],
    touched: new Map(),
  };
}

type Counting = {
  round: readonly RedeemCommand[];
  customers: CustomersAtWork;
  subjects: readonly Subject[];
  starts: Starts;
};

/** The customers of a round that are there already. */
function peopleIn(round: readonly RedeemCommand[], customers: CustomersAtWork): string[] {
  const people = round.flatMap(namesOf).flatMap((name) => {
    const row = customers.byId(name) ?? customers.bySource(name) ?? customers.byTracking(name);
    return row ? [row.id] : [];
  });
  return [...new Set(people)];
}

/** How often the customers of the round redeemed what it is about. Their rows are locked: nobody adds to it. */
function countsFor(tx: Tx, projectId: string, { round, customers, subjects, starts }: Counting) {
  const people = peopleIn(round, customers);
  if (people.length === 0) return [];
  return loadCustomerCounts(tx, projectId, {
    customerIds: people,
    refs: subjects.map(({ ref }) => ref),
    campaignIds: subjects.flatMap(({ campaign_id }) => campaign_id ?? []),
    since: sinceOf(starts, zoneOf(round[0]!.project)),
  });
}

const until = (now: string): string => Temporal.Instant.from(now).add({ hours: 24 }).toString();

/** Segments of the customers as the requests describe them; each customer comes once in a round. */
async function segmentsFor(
  tx: Tx,
  projectId: string,
  { round, customers }: { round: readonly RedeemCommand[]; customers: CustomersAtWork },
): Promise<SegmentsOf | null> {
  const [{ catalog }] = round as readonly [RedeemCommand];
  const segmentIds = namedInRules(catalog).segments;
  if (segmentIds.size === 0) return null;
  const people = round.map((command) => {
    const person = personFrom(command.sent, customers, command.project.secret);
    return "refused" in person ? null : person.customer;
  });
  return loadSegmentsOf(tx, catalog, people, { projectId, segmentIds });
}

function redeemOne(command: RedeemCommand, work: Work): Answer {
  const { catalog, request_id } = command;
  const refuse = (error: ErrorBody) => refused(error, request_id);
  const person = personFrom(command.sent, work.customers, command.project.secret);
  if ("refused" in person) return refuse(person.refused);
  const customer = customerOf(command, work, person.customer as CustomerRow | null);
  if (customer && "refused" in customer) return refuse(customer.refused);
  const n = work.round.indexOf(command);
  const cart = cartFrom(command, {
    project: command.project,
    person: { customer: customer?.row ?? null, tracking_id: customer?.row.tracking_id ?? person.tracking_id },
    stored: storedOrder(command, work),
    goods: work.goods,
    unitTypes: work.unitTypes,
    segmentsOf: (moment) => work.segmentsOf?.(n, moment) ?? NO_SEGMENTS,
  });
  if ("refused" in cart) return refuse(cart.refused);
  const settings = settingsFor(catalog);
  const overrides = overridesIn(command.sent.order?.items ?? [], { catalog, catalogue: catalogueOf(work.goods) });
  const fault = requestFault(command, settings) ?? orderMetadataFault(command, overrides);
  if (fault) return refuse(fault);
  const candidates = candidatesOf(command, {
    voucherOf: (reference) => {
      const found = work.voucherOf(reference, command.project);
      return found && work.known.get(found.row.id);
    },
    locksOf: (id) => work.locks.get(id) ?? [],
    use: work.use,
    budgets: work.budgets,
    customerId: customer?.row.id ?? null,
  });
  if ("refused" in candidates) return refuse(candidates.refused);
  const units = unitsFor(work.unitTypes, work.units, catalog, cart);
  const situation = situationOf(command, cart, units);
  const decision = decide(candidates, cart.order, { settings, situation });
  const broken = brokenPromise(command, work, decision);
  if (broken && broken.code === 404) return refuse(broken);
  const attempt: Attempt = { command, work, cart, decision, customer, overrides };
  const answer = decision.valid && !broken ? succeed(attempt) : fail(attempt, broken);
  const promised = (command.validation_id !== null && work.promises.get(command.validation_id)) || null;
  keepReceipt(work.receipts, command.project.id, {
    request: command,
    // The last row is that of the stack, of the one redeemable, or of the failure.
    redemption: work.redemptions.at(-1)!,
    tracking_id: cart.tracking_id,
    inputs: { candidates, order: cart.order, settings, situation, promised },
    decision,
  });
  return answer;
}
const NO_SEGMENTS: ReadonlySet<string> = new Set();

type Attempt = {
  command: RedeemCommand;
  work: Work;
  cart: Cart;
  decision: Decision;
  customer: Saved | null;
  overrides: Overrides;
};

/** The customer after what was sent; null for a guest. */
function customerOf(
  command: RedeemCommand,
  work: Work,
  found: CustomerRow | null,
): Saved | { refused: ErrorBody } | null {
  const sent = customerSent(command.sent);
  if (sent === null) return found && { row: found, created: false, changed: [] };
  const named = typeof command.sent.customer === "string" ? { id: found!.id } : sent;
  const { catalog, project, newId, now } = command;
  return work.customers.propose(named, {
    secret: project.secret,
    now,
    newId,
    metadataFault: (metadata, on) => metadataFault(catalog.metadata_schemas, "customer", { metadata, on }),
  });
}

function storedOrder({ sent: { order } }: RedeemCommand, { orders }: Work): OrderRow | null | { refused: ErrorBody } {
  if (order?.id) return orders.get(order.id) ?? { refused: errorBody("not_found", notFoundOrder(order.id)) };
  if (!order?.source_id) return null;
  return [...orders.values()].find(({ source_id }) => source_id === order.source_id) ?? null;
}
const notFoundOrder = (id: string) => ({
  details: `Cannot find order with id ${id}`,
  resource_id: id,
  resource_type: "order",
});

function orderMetadataFault({ catalog, sent: { order } }: RedeemCommand, { fault }: Overrides): ErrorBody | null {
  const check = (object: string, metadata: object | null | undefined) =>
    metadata ? metadataFault(catalog.metadata_schemas, object, { metadata: metadata as never, on: "update" }) : null;
  const details =
    check("order", order?.metadata) ??
    (order?.items ?? []).map(({ metadata }) => check("order_item", metadata)).find((one) => one !== null) ??
    fault;
  return details === null ? null : errorBody("metadata_validation_failed", { details });
}

/** A price that was promised and would be another now refuses the redemption, instead of charging something else. */
function brokenPromise({ validation_id }: RedeemCommand, { promises }: Work, decision: Decision): ErrorBody | null {
  if (validation_id === null) return null;
  const promised = promises.get(validation_id);
  if (!promised)
    return errorBody("not_found", {
      details: `Cannot find validation with id ${validation_id}`,
      resource_id: validation_id,
      resource_type: "validation",
    });
  const now = promiseOf([decision]);
  if (promised.valid && isSamePromise(promised.promise, now)) return null;
  const amount = ({ total_amount }: PromisedPrice) => (total_amount === undefined ? "no amount" : String(total_amount));
  return errorBody("promised_price_changed", {
    details: `The validation promised a total of ${amount(promised.promise)}, it would now be ${amount(now)}`,
  });
}

const common = ({ command, cart, customer }: Attempt, id: string): RedemptionRow => ({
  project_id: command.project.id,
  id,
  object: "redemption",
  result: "SUCCESS",
  status: "SUCCEEDED",
  parent_id: null,
  redemption_id: null,
  related_object_type: null,
  related_object_id: null,
  campaign_id: null,
  campaign_name: null,
  voucher_code: null,
  customer_id: customer?.row.id ?? null,
  tracking_id: cart.tracking_id,
  order_id: null,
  amount: null,
  failure_code: null,
  failure_message: null,
  reason: null,
  metadata: { ...command.sent.metadata },
  channel: { channel_id: command.api_key_id, channel_type: "API" },
  order_shown: null,
  effect: null,
  created_at: command.now,
});

const namesOfRedeemable = (candidate: Redeemable, catalog: RedeemCommand["catalog"]) => ({
  related_object_type: candidate.object,
  related_object_id: candidate.ref,
  campaign_id: candidate.campaign_id,
  campaign_name: candidate.campaign_id === null ? null : (catalog.campaigns.get(candidate.campaign_id)?.name ?? null),
  voucher_code: candidate.object === "voucher" ? candidate.id : null,
});

/** Nothing changes but that it is known: one row for what failed, listed with the successes. */
function fail(attempt: Attempt, broken: ErrorBody | null): Answer {
  const { command, work, decision, customer } = attempt;
  const failedOne = decision.decided.find(({ outcome }) => outcome.status === "INAPPLICABLE");
  const isPartial = settingsFor(command.catalog).redeemables_application_mode === "PARTIAL";
  const error =
    broken ??
    (isPartial || failedOne?.outcome.status !== "INAPPLICABLE"
      ? errorBody("no_applicable_redeemables")
      : failedOne.outcome.failure.error);
  const id = command.newId("rf");
  const concerns =
    !broken && !isPartial && failedOne && !("unknown" in failedOne.candidate) ? failedOne.candidate : null;
  // A customer who would only be made by this redemption is not made by its failure.
  const known = customer && !customer.created ? customer.row.id : null;
  const row: RedemptionRow = {
    ...common(attempt, id),
    ...(concerns && namesOfRedeemable(concerns, command.catalog)),
    customer_id: known,
    result: "FAILURE",
    status: "FAILED",
    failure_code: error.key,
    failure_message: error.message,
    effect: concerns && {
      ...NO_EFFECT,
      api_key_id: command.api_key_id,
      shown: redeemableShown(concerns, command.catalog),
    },
  };
  work.redemptions.push(row);
  work.events.push({
    of: command,
    happened: [
      {
        kind: "customer.redemption.failed",
        customer_id: known,
        voucher_id: row.related_object_type === "voucher" ? row.related_object_id : null,
        campaign_id: row.campaign_id,
        payload: { redemption_id: id, failure_code: error.key },
      },
    ],
  });
  return refused({ ...error, resource_id: id, resource_type: "redemption" }, command.request_id);
}

const NO_EFFECT: RedemptionEffect = {
  shown: null,
  kind: null,
  api_key_id: "",
  starts: { day: "", week: "", month: "" },
  order_amount: 0,
  discount_amount: 0,
  gift_amount: 0,
  order_discount: 0,
  lines: [],
  lots: [],
  units: [],
};

type AppliedOne = Decided & { outcome: { status: "APPLICABLE"; result: Applied } };

function succeed(attempt: Attempt): Answer {
  const { command, work, decision, customer, overrides } = attempt;
  if (customer) work.customers.accept(customer);
  const applied = decision.decided.filter((one): one is AppliedOne => one.outcome.status === "APPLICABLE");
  const order = orderAfter(attempt);
  const parentId = applied.length > 1 ? command.newId("r") : null;
  const children = applied.map((one) => redeemStep(attempt, one, { order, parentId }));
  const parent: RedemptionRow | null =
    parentId === null
      ? null
      : { ...common(attempt, parentId), related_object_type: "redemption", related_object_id: parentId };
  const rows = parent ? [...children, parent] : children;
  const final = order && noteRedemptions(order, command, { children, parent });
  if (final) {
    if (overrides.products.length + overrides.skus.length > 0) work.overrides.push({ overrides, made: command });
    work.orders.set(final.id, final);
    work.ordersSaved.add(final.id);
  }
  for (const row of rows) {
    row.order_id = final?.id ?? null;
    row.order_shown = final && {
      ...(row.order_shown ?? orderRowView(final)),
      id: final.id,
      status: final.status,
      redemptions: final.redemptions,
    };
  }
  work.redemptions.push(...rows);
  if (command.session) {
    work.released.add(command.session.key);
    for (const [id, locks] of work.locks)
      work.locks.set(
        id,
        locks.filter(({ session_key }) => session_key !== command.session!.key),
      );
  }
  if (customer) work.touched.set(customer.row.id, command);
  work.events.push({
    of: command,
    happened: happenedOf(attempt, { rows, order: final, wasThere: order?.created_at !== command.now }),
  });
  const shown = children.map((row) => redemptionView(row, customer?.row ?? null));
  if (command.isSingle) return success(shown[0]);
  const view = { people: attempt.cart.people, showsOrder: false, requestId: command.request_id };
  const of = (status: string) =>
    decision.decided.filter(({ outcome }) => outcome.status === status).map((one) => decidedView(one, view));
  return success({
    redemptions: shown,
    ...(parent && { parent_redemption: redemptionView(parent, customer?.row ?? null) }),
    order: final && orderRowView(final),
    inapplicable_redeemables: of("INAPPLICABLE"),
    skipped_redeemables: of("SKIPPED"),
  });
}

/** The order as it is stored after the redemption; null when none was sent. */
function orderAfter({ command, work, cart, decision, customer }: Attempt): OrderRow | null {
  const { order: sent } = command.sent;
  if (!decision.order || !sent) return null;
  const stored = storedOrder(command, work);
  const before = stored && !("refused" in stored) ? stored : null;
  const items = decision.order.items.map((item) => ({
    ...item,
    id: item.id ?? command.newId("ordli"),
    collections: [],
  }));
  return {
    project_id: command.project.id,
    id: before?.id ?? command.newId("ord"),
    source_id: before?.source_id ?? sent.source_id ?? null,
    status: sent.status ?? "PAID",
    customer_id: customer?.row.id ?? before?.customer_id ?? null,
    referrer_id: before?.referrer_id ?? null,
    ...amountsOf({ ...decision.order, items }),
    metadata: { ...cart.order!.metadata },
    redemptions: before?.redemptions ?? {},
    created_at: before?.created_at ?? command.now,
    updated_at: before ? command.now : null,
  };
}

type Rows = { children: readonly RedemptionRow[]; parent: RedemptionRow | null };

function noteRedemptions(order: OrderRow, { now }: RedeemCommand, { children, parent }: Rows): OrderRow {
  const entries = parent
    ? {
        [parent.id]: {
          date: now,
          related_object_type: "redemption",
          related_object_id: parent.id,
          stacked: children.map(({ id }) => id),
        },
      }
    : Object.fromEntries(
        children.map(({ id, related_object_type, related_object_id, campaign_id }) => [
          id,
          {
            date: now,
            related_object_type,
            related_object_id,
            ...(campaign_id !== null && { related_object_parent_id: campaign_id }),
          },
        ]),
      );
  return { ...order, redemptions: { ...order.redemptions, ...entries } };
}

/** One redeemable that applies: its unit is taken, its credits are spent, its counters go up. */
function redeemStep(
  attempt: Attempt,
  { candidate, outcome, before }: AppliedOne,
  { order, parentId }: { order: OrderRow | null; parentId: string | null },
): RedemptionRow {
  const { command, work, cart, customer } = attempt;
  const redeemable = candidate as Redeemable;
  const { result } = outcome;
  const id = command.newId("r");
  const step = stepBetween(before.order, result.order);
  const spent = result.gift?.credits ?? result.loyalty_card?.points ?? null;
  const asker: Asker = { api_key_id: command.api_key_id, customer_id: customer?.row.id ?? null, starts: work.starts };
  const known = work.known.get(redeemable.ref) ?? null;
  const subject: Subject = { ref: redeemable.ref, campaign_id: redeemable.campaign_id, row: known?.row ?? null };
  const values = {
    redemptions: 1,
    order_amount: step.order_amount,
    discount_amount: step.discount_amount,
    gift_amount: result.gift?.credits ?? 0,
  };
  const lots = known && spent !== null && spent > 0 ? spendFrom(attempt, known.row, { id, spent, order }) : [];
  if (known) takeUnit(attempt, known, redeemable);
  work.use.add(subject, asker, values);
  for (const key of counterKeys(subject, asker)) addCounter(work.counters, key, values);
  const units = countersOf(redeemable, asker.customer_id, result.units ?? NO_UNITS);
  work.budgets.add(units);
  for (const row of units) addUnitsUsed(work.unitsUsed, row);
  const shownOrder = result.order && orderView(linesOf(result.order, order), cart.people);
  return {
    ...common(attempt, id),
    ...namesOfRedeemable(redeemable, command.catalog),
    parent_id: parentId,
    amount: spent,
    order_shown: shownOrder,
    effect: {
      shown: redeemableShown(redeemable, command.catalog),
      kind: result.gift ? "credits" : result.loyalty_card ? "points" : "discount",
      api_key_id: command.api_key_id,
      starts: work.starts,
      order_amount: values.order_amount,
      discount_amount: values.discount_amount,
      gift_amount: values.gift_amount,
      order_discount: step.order_discount,
      lines: step.lines,
      lots,
      units: units.map((row) => [row.subject_id, row.customer_id, row.name, row.units]),
    },
  };
}
const NO_UNITS: NonNullable<Applied["units"]> = new Map();

/** The lines of a step have the ids that the stored order gave them. */
const linesOf = (shown: Order, order: OrderRow | null): Order => ({
  ...shown,
  items: shown.items.map((item, n) => ({ ...item, id: order?.items[n]?.id ?? item.id })),
});

function addCounter(counters: Work["counters"], key: CounterKey, values: Omit<CounterRow, keyof CounterKey>): void {
  const name = JSON.stringify(key);
  const before = counters.get(name) ?? { ...key, redemptions: 0, order_amount: 0, discount_amount: 0, gift_amount: 0 };
  counters.set(name, {
    ...key,
    redemptions: before.redemptions + values.redemptions,
    order_amount: before.order_amount + values.order_amount,
    discount_amount: before.discount_amount + values.discount_amount,
    gift_amount: before.gift_amount + values.gift_amount,
  });
}

function addUnitsUsed(used: Work["unitsUsed"], row: UnitsRow): void {
  const name = JSON.stringify([row.subject_id, row.customer_id, row.name]);
  used.set(name, { ...row, units: row.units + (used.get(name)?.units ?? 0) });
}

/** The row of the code as the next command sees it. */
function takeUnit({ command, work }: Attempt, known: KnownVoucher, redeemable: Redeemable): void {
  const { row } = known;
  const campaign = campaignOf(command.catalog, row) ?? null;
  const before = work.uses.get(row.id);
  const uses = addUse(row.uses, { starts: work.starts, keyId: command.api_key_id, by: 1 });
  const template_version = row.template_version ?? (row.settings ? null : (campaign?.voucher_version ?? null));
  const account = work.accounts.get(row.id)?.sums ?? null;
  const next: VoucherRow = { ...row, redeemed_quantity: row.redeemed_quantity + 1, uses, template_version, account };
  work.known.set(row.id, { ...known, row: next });
  work.uses.set(row.id, {
    id: row.id,
    by: (before?.by ?? 0) + 1,
    quantity: redeemable.quantity,
    uses,
    account,
    available: before ? before.available : (row.account?.available ?? null),
    template_version,
  });
}

/** Spends credits or points; the account of a card is opened when it is first moved. Returns the lots they came from. */
function spendFrom(
  { command, work }: Attempt,
  row: VoucherRow,
  { id, spent, order }: { id: string; spent: number; order: OrderRow | null },
): [string, number][] {
  const entry = (moved: ReturnType<typeof spend>["entry"], redemption_id: string | null): EntryRow => ({
    ...moved,
    id: command.newId("vtx"),
    campaign_id: row.campaign_id,
    redemption_id,
    rollback_id: null,
    order_id: order?.id ?? null,
    source_id: null,
    source: null,
    reason: null,
    details: {},
    created_at: command.now,
  });
  let account = work.accounts.get(row.id);
  if (!account) {
    const campaign = campaignOf(command.catalog, row) ?? null;
    const amount = sumsOf(row, settingsOf(row, campaign))!.received;
    const lot = { id: command.newId("lopb"), expires_at: null, created_at: row.created_at };
    const opened = openAccount(row.id, { amount, lot });
    account = opened.account;
    work.entries.push(entry(opened.entry, null));
  }
  const moved = spend(account, { amount: spent, kind: "redemption" });
  const left = new Map(moved.account.lots.map((lot) => [lot.id, lot]));
  for (const lot of account.lots)
    work.lots.set(lot.id, { ...(left.get(lot.id) ?? { ...lot, remaining: 0 }), account_id: row.id });
  work.accounts.set(row.id, moved.account);
  work.entries.push(entry(moved.entry, id));
  return moved.entry.lots.map(([lot, amount]) => [lot, amount]);
}

const ORDER_EVENTS = {
  PAID: "customer.order.paid",
  FULFILLED: "customer.order.fulfilled",
  CANCELED: "customer.order.canceled",
  CREATED: null,
} as const;

function happenedOf(
  { customer }: Attempt,
  { rows, order, wasThere }: { rows: readonly RedemptionRow[]; order: OrderRow | null; wasThere: boolean },
): Happened[] {
  const customer_id = customer?.row.id ?? null;
  const entered = order && ORDER_EVENTS[order.status];
  const payload = order && { order_id: order.id, status: order.status };
  return [
    ...(customer ? customerEvents([customer]) : []),
    ...rows.map(
      (row): Happened => ({
        kind: "customer.redemption.succeeded",
        customer_id,
        voucher_id: row.related_object_type === "voucher" ? row.related_object_id : null,
        campaign_id: row.campaign_id,
        payload: { redemption_id: row.id, ...(row.amount !== null && { amount: row.amount }) },
      }),
    ),
    ...(order
      ? [
          {
            kind: wasThere ? ("customer.order.updated" as const) : ("customer.order.created" as const),
            customer_id,
            payload: payload!,
          },
        ]
      : []),
    ...(entered ? [{ kind: entered, customer_id, payload: payload! }] : []),
  ];
}

/** Everything that the round decided, each kind in one statement. */
async function saveWork(tx: Tx, projectId: string, work: Work): Promise<void> {
  const confirmed = await work.customers.save();
  await saveOrders(
    tx,
    projectId,
    [...work.ordersSaved].map((id) => work.orders.get(id)!),
  ).catch((error) => {
    if (isTaken(error)) throw new StartOver("another order with this source id was made meanwhile");
    throw error;
  });
  const counters = [...work.counters.values()];
  assert.equal(await addToCounters(tx, projectId, counters), counters.length, "every counter was locked");
  await addUnits(tx, projectId, [...work.unitsUsed.values()]);
  const uses = [...work.uses.values()];
  assert.equal(await saveUses(tx, projectId, uses), uses.length, "every limit and balance holds");
  await saveLots(tx, projectId, [...work.lots.values()]);
  await insertEntries(tx, projectId, work.entries);
  await insertRedemptions(tx, projectId, work.redemptions);
  await tally(tx, projectId, work.redemptions);
  await overrideCatalogue(tx, projectId, work.overrides);
  if (work.released.size > 0) await replaceLocks(tx, projectId, { keys: [...work.released], locks: [] });
  await recordAll(tx, projectId, work.events);
  const [{ catalog, project, now }] = work.round as readonly [RedeemCommand];
  const moved = await refreshMemberships({ db: tx, project, now }, catalog, [...work.touched.keys()]);
  // Each is told by the request that brought the customer.
  const later = [...confirmedEvents(confirmed), ...moved];
  await recordAll(
    tx,
    projectId,
    later.map((one) => ({ of: work.touched.get(one.customer_id)!, happened: [one] })),
  );
}

const isTaken = (error: unknown): boolean => (error as { code?: string }).code === "23505";

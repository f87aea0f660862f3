import assert from "node:assert/strict";
import { type CartSent, customerSent, personFrom } from "../catalog/carts.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { settingsFor, zoneOf } from "../catalog/deciding.ts";
import { redemptionView } from "../catalog/redemption-view.ts";
import { refreshMemberships } from "../catalog/segment-membership.ts";
import { counterKeys } from "../catalog/use.ts";
import { type Answer, refusal, refused, success } from "../core/answer.ts";
import { type ErrorBody, errorBody, notFound } from "../core/errors.ts";
import { metadataFault } from "../core/metadata/check.ts";
import { type TakenStep, takeBack } from "../core/redeem/step.ts";
import { giveBack, type UndoAsked, undoFault } from "../core/redeem/undo.ts";
import { addUse } from "../core/vouchers/uses.ts";
import type { NewId, Project } from "../ctx.ts";
import type { Flow } from "../db/batch.ts";
import { StartOver } from "../db/commit.ts";
import type { Tx } from "../db/db.ts";
import { type Happened, record, recordAll } from "../events/events.ts";
import { answerAll, type Claim, claimKeys } from "../idempotency/claim.ts";
import { addToCounters, type CounterKey, type CounterRow, lockCounters } from "../resources/counters/store.ts";
import { takeBackUnits, type UnitsRow } from "../resources/counters/units-store.ts";
import type { CustomerRow } from "../resources/customers/schema.ts";
import { type CustomersAtWork, customerEvents, openCustomers, type Saved } from "../resources/customers/store.ts";
import { type EntryRow, insertEntries, type LotRow, loadLots, lotsById, saveLots } from "../resources/ledger/store.ts";
import {
  amountsOf,
  cartOf,
  lockOrders,
  type OrderRow,
  view as orderRowView,
  saveOrders,
} from "../resources/orders/store.ts";
import {
  findUndoable,
  lockRedeemedVouchers,
  lockStatuses,
  markRolledBack,
} from "../resources/redemptions/rollback-store.ts";
import type { RedemptionEffect, RedemptionRow } from "../resources/redemptions/schema.ts";
import { insertRedemptions, tally } from "../resources/redemptions/store.ts";
import { saveUses, type VoucherRow, type VoucherUse } from "../resources/vouchers/store.ts";

/** A request to roll back a redemption, or a stack of them. */
export type RollBackCommand = {
  project: Project;
  catalog: Catalog;
  now: string;
  request_id: string;
  newId: NewId;
  api_key_id: string;
  redemption_id: string;
  /** The operation for stacks answers with a list. */
  takes_stacks: boolean;
  sent: CartSent & { metadata?: Readonly<Record<string, unknown>> | null | undefined };
  reason: string | null;
  claim: Claim | null;
};

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
    // What a later round locked on its own would be out of order: two batches would wait for each other.
    if (rounds.length > 1) await openWork(tx, projectId, fresh);
    for (const round of rounds) {
      const work = await openWork(tx, projectId, round);
      for (const command of round) answers.set(command, rollBackOne(command, work));
      await saveWork(tx, projectId, work);
    }
    return answerAll(tx, projectId, { commands, answers, stored });
  },
};

/** Who enters or leaves a segment is worked out from rows: then each is saved before the next is decided. */
function roundsOf(commands: readonly RollBackCommand[]): (readonly RollBackCommand[])[] {
  const refreshes = ({ catalog }: RollBackCommand) =>
    [...catalog.segments.values()].some(({ type }) => type === "auto-update");
  if (commands.some(refreshes)) return commands.map((command) => [command]);
  return commands.length > 0 ? [commands] : [];
}

/** What one round works on: rows that are locked, and what becomes of them. */
type Work = {
  round: readonly RollBackCommand[];
  customers: CustomersAtWork;
  redemptions: Map<string, RedemptionRow>;
  orders: Map<string, OrderRow>;
  counters: Map<string, CounterRow>;
  vouchers: Map<string, VoucherRow>;
  lots: Map<string, LotRow>;
  // What is to be saved.
  rollbacks: RedemptionRow[];
  rolledBack: Set<string>;
  entries: EntryRow[];
  lotsSaved: Set<string>;
  taken: Map<string, CounterRow>;
  units: Map<string, UnitsRow>;
  uses: Map<string, VoucherUse>;
  ordersSaved: Set<string>;
  events: { of: RollBackCommand; happened: Happened[] }[];
  touched: Set<string>;
};

const unique = <T>(values: Iterable<T>): T[] => [...new Set(values)];
const isStack = ({ related_object_type }: RedemptionRow): boolean => related_object_type === "redemption";
const nameOf = ({ subject_kind, subject_id, period_kind, period_start }: CounterKey): string =>
  `${subject_kind} ${subject_id} ${period_kind} ${period_start}`;

/** The counters that a redemption added to, in the periods in which it was made. */
function countersOf({ related_object_type, related_object_id, campaign_id, effect }: RedemptionRow): CounterKey[] {
  if (!effect) return [];
  const keys = counterKeys({ ref: related_object_id!, campaign_id, row: null }, effect);
  return related_object_type === "promotion_tier" ? keys : keys.filter((key) => key.subject_kind === "campaign");
}

const vouchersOf = (rows: readonly RedemptionRow[]): string[] =>
  unique(rows.flatMap((row) => (row.related_object_type === "voucher" ? [row.related_object_id!] : [])));

/** Whom a body names. Somebody without an id and a source id is nobody that it could be about. */
function namedIn({ sent }: RollBackCommand): CartSent["customer"] {
  const customer = customerSent(sent);
  return customer?.id || customer?.source_id ? sent.customer : null;
}

/** Locks everything that the round may change, in the one order that all flows keep, and the redemptions last. */
async function openWork(tx: Tx, projectId: string, round: readonly RollBackCommand[]): Promise<Work> {
  const found = await findUndoable(tx, projectId, unique(round.map(({ redemption_id }) => redemption_id)));
  const undoable = found.filter(({ status }) => status === "SUCCEEDED");
  const owners = unique(found.flatMap((row) => [row.customer_id ?? [], row.order_customer_id ?? []].flat()));
  const customers = await lockPeople(tx, projectId, { round, owners });
  const orderIds = unique(found.flatMap(({ order_id }) => order_id ?? []));
  const orders = orderIds.length > 0 ? await lockOrders(tx, projectId, { ids: orderIds, sourceIds: [] }) : [];
  if (orders.some(({ customer_id }) => customer_id !== null && !owners.includes(customer_id)))
    throw new StartOver("the order was given to another customer meanwhile");
  const counters = await lockCounters(tx, projectId, undoable.flatMap(countersOf));
  const voucherIds = vouchersOf(undoable);
  const vouchers = voucherIds.length > 0 ? await lockRedeemedVouchers(tx, projectId, voucherIds) : [];
  const statuses = undoable.length > 0 ? await lockStatuses(tx, projectId, unique(undoable.map(({ id }) => id))) : [];
  const statusOf = new Map(statuses.map(({ id, status }) => [id, status]));
  const lotIds = unique(undoable.flatMap(({ effect }) => effect?.lots.map(([lot]) => lot) ?? []));
  const [gone, left] =
    lotIds.length > 0
      ? await Promise.all([lotsById(tx, projectId, lotIds), loadLots(tx, projectId, voucherIds)])
      : [[], []];
  return {
    round,
    customers,
    redemptions: new Map(
      found.map(({ order_customer_id: _, ...row }) => [row.id, { ...row, status: statusOf.get(row.id) ?? row.status }]),
    ),
    orders: new Map(orders.map((row) => [row.id, row])),
    counters: new Map(counters.map((row) => [nameOf(row), row])),
    vouchers: new Map(vouchers.map((row) => [row.id, row])),
    lots: new Map([...gone, ...left].map((lot) => [lot.id, lot])),
    rollbacks: [],
    rolledBack: new Set(),
    entries: [],
    lotsSaved: new Set(),
    taken: new Map(),
    units: new Map(),
    uses: new Map(),
    ordersSaved: new Set(),
    events: [],
    touched: new Set(),
  };
}

function lockPeople(
  tx: Tx,
  projectId: string,
  { round, owners }: { round: readonly RollBackCommand[]; owners: readonly string[] },
): Promise<CustomersAtWork> {
  const named = round.flatMap((command) => customerSent({ customer: namedIn(command) }) ?? []);
  const texts = round.flatMap((command) => {
    const customer = namedIn(command);
    return [typeof customer === "string" ? customer : [], command.sent.tracking_id || []].flat();
  });
  const all = [...named, ...texts.map((source_id) => ({ source_id })), ...owners.map((id) => ({ id }))];
  return openCustomers(tx, projectId, all, texts);
}

function rollBackOne(command: RollBackCommand, work: Work): Answer {
  const { redemption_id, request_id, catalog, sent } = command;
  const refuse = (error: ErrorBody) => refused(error, request_id);
  const redemption = work.redemptions.get(redemption_id);
  if (!redemption) return refuse(notFound("redemption", redemption_id).body);
  const customer = askedCustomer(command, work);
  if (customer && "refused" in customer) return refuse(customer.refused);
  const order = work.orders.get(redemption.order_id ?? "") ?? null;
  const fault = undoFault(
    { ...redemption, is_stack: isStack(redemption), order },
    { takes_stacks: command.takes_stacks, customer, order: sent.order ?? null },
  );
  if (fault) return refuse(fault);
  const details =
    metadataFault(catalog.metadata_schemas, "redemption", { metadata: sent.metadata ?? {}, on: "update" }) ??
    metadataFault(catalog.metadata_schemas, "order", { metadata: sent.order?.metadata ?? {}, on: "update" });
  if (details !== null) return refuse(errorBody("metadata_validation_failed", { details }));
  const saved = customer?.by === "customer" ? proposed(command, work, customer.id) : null;
  if (saved && "refused" in saved) return refuse(saved.refused);
  const attempt: Attempt = { command, work, redemption, order, saved, tracking_id: customer?.tracking_id ?? null };
  return redemption.status === "ROLLED_BACK" ? fail(attempt) : succeed(attempt);
}

type Attempt = {
  command: RollBackCommand;
  work: Work;
  redemption: RedemptionRow;
  order: OrderRow | null;
  saved: Saved | null;
  tracking_id: string | null;
};

// Contract is silent: a tracking id that nobody has says nothing of the redemption, and is not looked at.
/** The customer that the body says it is about; one that is not there is refused. */
function askedCustomer(command: RollBackCommand, work: Work): UndoAsked["customer"] | { refused: ErrorBody } {
  const customer = namedIn(command);
  const person = personFrom({ ...command.sent, customer }, work.customers, command.project.secret);
  if ("refused" in person) return person;
  const id = person.customer?.id;
  if (id !== undefined) return { id, tracking_id: person.tracking_id, by: customer ? "customer" : "tracking_id" };
  return customer ? { refused: notFound("customer", customerSent({ customer })!.source_id!).body } : null;
}

/** The customer after what was sent. */
function proposed({ sent, project, catalog, newId, now }: RollBackCommand, { customers }: Work, id: string) {
  const given = typeof sent.customer === "string" ? {} : sent.customer;
  return customers.propose(
    { ...given, id },
    {
      secret: project.secret,
      now,
      newId,
      metadataFault: (metadata, on) => metadataFault(catalog.metadata_schemas, "customer", { metadata, on }),
    },
  );
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

/** The row of a rollback: what was rolled back, under its own name. */
function rowOf({ command, tracking_id }: Attempt, of: RedemptionRow, id: string): RedemptionRow {
  const { shown, kind } = of.effect ?? NO_EFFECT;
  return {
    ...of,
    id,
    object: "redemption_rollback",
    parent_id: null,
    redemption_id: of.id,
    tracking_id: tracking_id ?? of.tracking_id,
    amount: of.amount && -of.amount,
    reason: command.reason,
    metadata: { ...command.sent.metadata },
    channel: { channel_id: command.api_key_id, channel_type: "API" },
    order_shown: null,
    effect: { ...NO_EFFECT, api_key_id: command.api_key_id, shown, kind },
    created_at: command.now,
  };
}

const happenedTo = (
  { related_object_type: type, related_object_id, campaign_id, customer_id }: RedemptionRow,
  kind: "customer.redemption.rollback.succeeded" | "customer.redemption.rollback.failed",
  payload: Record<string, unknown>,
): Happened => ({
  kind,
  customer_id,
  voucher_id: type === "voucher" ? related_object_id : null,
  campaign_id,
  payload,
});

/** Nothing changes but that it is known: who rolls back twice learns of it. */
function fail(attempt: Attempt): Answer {
  const { command, work, redemption } = attempt;
  const id = command.newId("rrf");
  const error = errorBody("already_rolled_back", {
    details: "Redemption has been already rolled back.",
    resource_id: id,
    resource_type: "redemption_rollback",
  });
  work.rollbacks.push({
    ...rowOf(attempt, redemption, id),
    result: "FAILURE",
    status: "FAILED",
    amount: null,
    failure_code: error.key,
    failure_message: error.message,
  });
  const payload = { rollback_id: id, redemption_id: redemption.id, failure_code: error.key };
  work.events.push({
    of: command,
    happened: [happenedTo(redemption, "customer.redemption.rollback.failed", payload)],
  });
  return refused(error, command.request_id);
}

function succeed(attempt: Attempt): Answer {
  const { command, work, redemption, order, saved } = attempt;
  if (saved) work.customers.accept(saved);
  const { redeemables_rollback_order_mode: mode } = settingsFor(command.catalog);
  const parts = isStack(redemption)
    ? [...work.redemptions.values()].filter(({ parent_id }) => parent_id === redemption.id)
    : [redemption];
  const parent = isStack(redemption) ? rowOf(attempt, redemption, command.newId("rr")) : null;
  const children = parts.map((part) => undo(attempt, part, parent?.id ?? null));
  const rows = parent ? [...children, parent] : children;
  const final = order && mode === "WITH_ORDER" ? orderAfter(attempt, order, { parts, children, parent }) : order;
  if (final && final !== order) {
    work.orders.set(final.id, final);
    work.ordersSaved.add(final.id);
  }
  for (const row of rows) {
    row.status = "SUCCEEDED";
    row.order_shown = final && { ...orderRowView(final) };
    row.effect = { ...row.effect!, rollback_order_mode: mode };
  }
  for (const one of unique([...parts, redemption])) {
    work.redemptions.set(one.id, { ...one, status: "ROLLED_BACK" });
    work.rolledBack.add(one.id);
  }
  work.rollbacks.push(...rows);
  for (const id of [redemption.customer_id, final?.customer_id]) if (id) work.touched.add(id);
  work.events.push({ of: command, happened: happenedOf(attempt, { rows, final }) });
  const customer: CustomerRow | null = work.customers.byId(redemption.customer_id ?? "") ?? null;
  const shown = children.map((row) => redemptionView(row, customer));
  if (!command.takes_stacks) return success(shown[0]);
  return success({
    rollbacks: shown,
    ...(parent && { parent_rollback: redemptionView(parent, customer) }),
    order: final && orderRowView(final),
  });
}

/** One redemption undone: its unit comes back, its credits go back, its counters go down. */
function undo(attempt: Attempt, part: RedemptionRow, parentId: string | null): RedemptionRow {
  const { command, work } = attempt;
  const row = { ...rowOf(attempt, part, command.newId("rr")), parent_id: parentId };
  const { order_amount, discount_amount, gift_amount, units } = part.effect!;
  for (const key of countersOf(part)) {
    const counter = work.counters.get(nameOf(key))!;
    // What was counted went with a campaign that was deleted.
    if (counter.redemptions === 0) continue;
    const taken = {
      redemptions: -1,
      order_amount: -order_amount,
      discount_amount: -discount_amount,
      gift_amount: -gift_amount,
    };
    work.counters.set(nameOf(key), plus(counter, taken));
    work.taken.set(nameOf(key), plus(work.taken.get(nameOf(key)) ?? { ...key, ...NOTHING }, taken));
  }
  for (const [subject_id, customer_id, name, count] of units) {
    const place = JSON.stringify([subject_id, customer_id, name]);
    const before = work.units.get(place)?.units ?? 0;
    work.units.set(place, { subject_id, customer_id, name, units: before + count });
  }
  const voucher = part.related_object_type === "voucher" ? work.vouchers.get(part.related_object_id!) : undefined;
  if (voucher) row.effect = { ...row.effect!, lots: giveUnitBack(attempt, voucher, { part, row }) };
  return row;
}

const NOTHING = { redemptions: 0, order_amount: 0, discount_amount: 0, gift_amount: 0 };
const plus = (row: CounterRow, values: typeof NOTHING): CounterRow => ({
  ...row,
  redemptions: row.redemptions + values.redemptions,
  order_amount: row.order_amount + values.order_amount,
  discount_amount: row.discount_amount + values.discount_amount,
  gift_amount: row.gift_amount + values.gift_amount,
});

/** The row of the code as the next command sees it. Returns the lots that something went back to. */
function giveUnitBack(
  attempt: Attempt,
  voucher: VoucherRow,
  { part, row }: { part: RedemptionRow; row: RedemptionRow },
): RedemptionEffect["lots"] {
  const { work } = attempt;
  const { starts, api_key_id, lots: from } = part.effect!;
  const moved = voucher.account && part.amount ? moveBack(attempt, voucher, { part, row, from }) : null;
  const uses = addUse(voucher.uses, { starts, keyId: api_key_id, by: -1 });
  const account = moved?.account.sums ?? voucher.account;
  const before = work.uses.get(voucher.id);
  work.vouchers.set(voucher.id, { ...voucher, redeemed_quantity: voucher.redeemed_quantity - 1, uses, account });
  work.uses.set(voucher.id, {
    id: voucher.id,
    by: (before?.by ?? 0) - 1,
    quantity: null,
    uses,
    account,
    available: before ? before.available : (voucher.account?.available ?? null),
    template_version: voucher.template_version,
  });
  return moved?.entry.lots.map(([lot, amount]) => [lot, amount]) ?? [];
}

function moveBack(
  { command, work }: Attempt,
  voucher: VoucherRow,
  { part, row, from }: { part: RedemptionRow; row: RedemptionRow; from: RedemptionEffect["lots"] },
) {
  const { now, project, newId } = command;
  const lots = new Map([...work.lots].filter(([, { account_id }]) => account_id === voucher.id));
  const account = {
    id: voucher.id,
    sums: voucher.account!,
    lots: [...lots.values()].filter((lot) => lot.remaining > 0),
  };
  const fresh = { id: newId("lopb"), expires_at: endOfDay(now, zoneOf(project)), created_at: now };
  const moved = giveBack(account, { amount: part.amount!, from, lots, now, fresh });
  for (const lot of moved.lots) {
    work.lots.set(lot.id, { ...lot, account_id: voucher.id });
    work.lotsSaved.add(lot.id);
  }
  work.entries.push({
    ...moved.entry,
    id: newId("vtx"),
    campaign_id: voucher.campaign_id,
    redemption_id: part.id,
    rollback_id: row.id,
    order_id: part.order_id,
    source_id: null,
    source: null,
    reason: command.reason,
    details: {},
    created_at: now,
  });
  return moved;
}

const endOfDay = (now: string, zone: string): string =>
  Temporal.Instant.from(now).toZonedDateTimeISO(zone).startOfDay().add({ days: 1 }).toInstant().toString();

/** What a redemption did to its order. The lines are those that it showed: others may be in their places by now. */
function stepOf({ effect, order_shown }: RedemptionRow): TakenStep {
  const shown = (order_shown?.items ?? []) as { id?: string }[];
  const { order_discount, lines } = effect!;
  return { order_discount, lines: lines.map((line) => ({ ...line, id: shown[line.index]?.id })) };
}

type Rows = { parts: readonly RedemptionRow[]; children: readonly RedemptionRow[]; parent: RedemptionRow | null };

// Contract is silent: amounts and lines that a rollback sends. The order is what it was without the redemption, so they
// are not looked at; its status and its metadata are.
function orderAfter({ command, redemption }: Attempt, order: OrderRow, { parts, children, parent }: Rows): OrderRow {
  const { order: sent } = command.sent;
  return {
    ...order,
    ...amountsOf(takeBack(cartOf(order), parts.toReversed().map(stepOf))),
    status: sent?.status ?? "CANCELED",
    metadata: { ...order.metadata, ...sent?.metadata },
    redemptions: {
      ...order.redemptions,
      [redemption.id]: {
        ...(order.redemptions[redemption.id] as object | undefined),
        rollback_id: (parent ?? children[0]!).id,
        rollback_date: command.now,
        ...(parent && { rollback_stacked: children.map(({ id }) => id) }),
      },
    },
    updated_at: command.now,
  };
}

const ORDER_EVENTS = {
  PAID: "customer.order.paid",
  FULFILLED: "customer.order.fulfilled",
  CANCELED: "customer.order.canceled",
  CREATED: "customer.order.updated",
} as const;

function happenedOf(
  { order, saved }: Attempt,
  { rows, final }: { rows: readonly RedemptionRow[]; final: OrderRow | null },
): Happened[] {
  const orderEvent = final && (final.status === order!.status ? "customer.order.updated" : ORDER_EVENTS[final.status]);
  return [
    ...(saved ? customerEvents([saved]) : []),
    ...rows.map((row) =>
      happenedTo(row, "customer.redemption.rollback.succeeded", {
        rollback_id: row.id,
        redemption_id: row.redemption_id,
        ...(row.amount !== null && { amount: row.amount }),
      }),
    ),
    ...(final && final !== order
      ? [
          {
            kind: orderEvent!,
            customer_id: final.customer_id,
            payload: { order_id: final.id, status: final.status },
          },
        ]
      : []),
  ];
}

/** Everything that the round decided, each kind in one statement. */
async function saveWork(tx: Tx, projectId: string, work: Work): Promise<void> {
  const [{ catalog, project, now, newId, request_id }] = work.round as readonly [RollBackCommand];
  await work.customers.save();
  await saveOrders(
    tx,
    projectId,
    [...work.ordersSaved].map((id) => work.orders.get(id)!),
  );
  const taken = [...work.taken.values()];
  assert.equal(await addToCounters(tx, projectId, taken), taken.length, "every counter was locked");
  await takeBackUnits(tx, projectId, [...work.units.values()]);
  const uses = [...work.uses.values()];
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
  const moved = await refreshMemberships({ db: tx, project, now }, catalog, [...work.touched]);
  await record({ db: tx, project, now, newId, request_id }, moved);
}

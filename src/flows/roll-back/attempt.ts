import { type Answer, refused, success } from "../../core/answer.ts";
import { type ErrorBody, errorBody, notFound } from "../../core/errors.ts";
import type { Touched } from "../../core/ledger/account.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import { metadataSizeFault } from "../../core/metadata/size.ts";
import { refundPoints } from "../../core/redeem/reward-points.ts";
import { type TakenStep, takeBack } from "../../core/redeem/step.ts";
import { giveBack, type UndoAsked, undoFault } from "../../core/redeem/undo.ts";
import type { CounterRow } from "../../core/rows/counter.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import { NO_EFFECT, type RedemptionEffect, type RedemptionRow } from "../../core/rows/redemption.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { zoneOf } from "../../core/time/zone.ts";
import { addUse } from "../../core/vouchers/uses.ts";
import { type NewEvent, withIds } from "../../events/events.ts";
import { customerEvents, type Saved } from "../../resources/customers/customers/store.ts";
import { amountsOf, cartOf, view as orderRowView } from "../../resources/orders/orders/store.ts";
import { customerSent, personFrom } from "../../steps/checkout/carts.ts";
import { settingsFor } from "../../steps/checkout/deciding.ts";
import { type RedeemableRecords, redeemableRecord, redemptionView } from "../../steps/checkout/redemption-view.ts";
import { nameOf } from "../../steps/checkout/use.ts";
import { orderMoves, returnedBy } from "../../steps/points/earning-triggers.ts";
import { changePointCard, type PointCard, pointWorld } from "../../steps/points/point-cards.ts";
import { noteCauses, pointsShown } from "../../steps/points/point-changes.ts";
import { countersOf, isStack, namedIn, type RollBackRequest, unique, type Work } from "./load.ts";
export function rollBackOne(command: RollBackRequest, work: Work): Answer {
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
  const tooLarge =
    order && sent.order?.metadata ? metadataSizeFault({ ...order.metadata, ...sent.order.metadata }) : null;
  if (tooLarge !== null) return refuse(errorBody("invalid_payload", { details: tooLarge }));
  const saved = customer?.by === "customer" ? proposed(command, work, customer.id) : null;
  if (saved && "refused" in saved) return refuse(saved.refused);
  const attempt: Attempt = { command, work, redemption, order, saved, tracking_id: customer?.tracking_id ?? null };
  return redemption.status === "ROLLED_BACK" ? fail(attempt) : succeed(attempt);
}

type Attempt = {
  command: RollBackRequest;
  work: Work;
  redemption: RedemptionRow;
  order: OrderRow | null;
  saved: Saved | null;
  tracking_id: string | null;
};

// Contract is silent: a tracking id that nobody has says nothing of the redemption, and is not looked at.
/** The customer that the body says it is about; one that is not there is refused. */
function askedCustomer(command: RollBackRequest, work: Work): UndoAsked["customer"] | { refused: ErrorBody } {
  const customer = namedIn(command);
  const person = personFrom({ ...command.sent, customer }, work.customers, command.project.secret);
  if ("refused" in person) return person;
  const id = person.customer?.id;
  if (id !== undefined) return { id, tracking_id: person.tracking_id, by: customer ? "customer" : "tracking_id" };
  return customer ? { refused: notFound("customer", customerSent({ customer })!.source_id!).body } : null;
}

/** The customer after what was sent. */
function proposed({ sent, project, catalog, newId, now }: RollBackRequest, { customers }: Work, id: string) {
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

/** The row of a rollback: what was rolled back, under its own name. */
function rowOf({ command, tracking_id }: Attempt, of: RedemptionRow, id: string): RedemptionRow {
  const { shown, kind, reward } = of.effect ?? NO_EFFECT;
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
    channel: { channel_id: command.api_key_id, channel_type: command.channel ?? "API" },
    order_shown: null,
    effect: { ...NO_EFFECT, api_key_id: command.api_key_id, shown, kind, ...(reward && { reward }) },
    created_at: command.now,
  };
}

const happenedTo = (
  { related_object_type: type, related_object_id, campaign_id, customer_id }: RedemptionRow,
  kind: "customer.redemption.rollback.succeeded" | "customer.redemption.rollback.failed",
  payload: Record<string, unknown>,
): NewEvent => ({
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
  const happened = withIds(command, happenedOf(attempt, { rows, final }));
  work.events.push({ of: command, happened });
  const moved = { of: command, customer: work.customers.byId(final?.customer_id ?? "") };
  work.moves.push(...orderMoves(happened, final, moved), ...returnedBy(happened, final, moved));
  const customer: CustomerRow | null = work.customers.byId(redemption.customer_id ?? "") ?? null;
  const records: RedeemableRecords = { ...command, voucherOf: (id) => work.vouchers.get(id) };
  const shown = children.map((row) => ({ ...redemptionView(row, customer), ...redeemableRecord(row, records) }));
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
  if (voucher) {
    const lots = giveUnitBack(attempt, voucher, { part, row });
    const card = work.points.get(voucher.id);
    const shown = card ? { ...row.effect!.shown, loyalty_card: pointsShown(card) } : row.effect!.shown;
    const after = work.vouchers.get(voucher.id)!;
    row.effect = {
      ...row.effect!,
      ...{ shown, lots, use: { redeemed_quantity: after.redeemed_quantity, account: after.account } },
    };
  }
  const back = part.effect?.reward && work.rewardsBack.get(part.effect.reward.id);
  if (back !== undefined) work.rewardsBack.set(part.effect!.reward!.id, back + 1);
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
  const card = work.points.get(voucher.id);
  const points = card && part.amount ? pointsBack(attempt, card, { part, row, from }) : null;
  const moved = !card && voucher.account && part.amount ? moveBack(attempt, voucher, { part, row, from }) : null;
  const uses = addUse(voucher.uses, { starts, keyId: api_key_id, by: -1 });
  const account = card ? card.change.card.account.sums : (moved?.account.sums ?? voucher.account);
  const before = work.uses.get(voucher.id);
  const updated_at = attempt.command.now;
  const redeemed_quantity = voucher.redeemed_quantity - 1;
  work.vouchers.set(voucher.id, { ...voucher, redeemed_quantity, uses, account, updated_at });
  work.uses.set(voucher.id, {
    id: voucher.id,
    by: (before?.by ?? 0) - 1,
    quantity: null,
    uses,
    account,
    available: before ? before.available : (voucher.account?.available ?? null),
    template_version: voucher.template_version,
    updated_at,
  });
  return (points ?? moved?.entry.lots ?? []).map(([lot, amount]) => [lot, amount]);
}

type Back = { part: RedemptionRow; row: RedemptionRow; from: RedemptionEffect["lots"] };

/** Points that were spent come back. Returns the lots that they went to. */
function pointsBack({ command, work }: Attempt, card: PointCard, { part, row, from }: Back): Touched {
  const { now, project, newId, catalog, reason } = command;
  const world = pointWorld(catalog, card.campaign, { now, zone: zoneOf(project), newId });
  const reward = part.effect?.reward;
  const { change } = changePointCard(card, world, (state, at) => ({
    change: refundPoints(state, at, {
      points: part.amount!,
      from,
      lots: work.lots,
      order_id: part.order_id,
      reason,
      details: reward ? { reward: { id: reward.id, name: reward.name } } : {},
      cause: { redemption_id: part.id, rollback_id: row.id },
    }),
  }));
  noteCauses(work.caused, card, command);
  return change.entries[0]!.lots;
}

function moveBack({ command, work }: Attempt, voucher: VoucherRow, { part, row, from }: Back) {
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
  const { order_discount, zero_discounts, lines } = effect!;
  return { order_discount, zero_discounts, lines: lines.map((line) => ({ ...line, id: shown[line.index]?.id })) };
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
): NewEvent[] {
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

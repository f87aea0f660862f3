import { type Answer, refusedAnswer, success } from "../../core/answer.ts";
import { errorBody } from "../../core/errors.ts";
import type { Touched } from "../../core/ledger/account.ts";
import { transactionView } from "../../core/ledger/transaction-view.ts";
import { changeCard } from "../../core/loyalty/card/card-at-work.ts";
import { storedOrderView } from "../../core/order/stored.ts";
import { EMPTY_PLAN, mergePlans, type Plan } from "../../core/redeem/plan.ts";
import { refundPoints } from "../../core/redeem/reward-points.ts";
import { isStack, orderUndone, rollbackRow, type Undoing, undoParts } from "../../core/redeem/undo-plan.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { LotRow } from "../../core/rows/ledger.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { RedemptionRow } from "../../core/rows/redemption.ts";
import { zoneOf } from "../../core/time/zone.ts";
import { type EventKind, type NewEvent, ORDER_STATUS_EVENTS, withIds } from "../../events/events.ts";
import type { Shown } from "../../events/parts.ts";
import { type RedeemableRecords, redeemableRecord, redemptionView } from "../../steps/checkout/redemption-view.ts";
import { settingsFor } from "../../steps/checkout/requests.ts";
import { customerEvents } from "../../steps/customers/customers.ts";
import { type CardDrafts, draftCards } from "../../steps/points/card-drafts.ts";
import { orderMoves, returnedBy } from "../../steps/points/earning-triggers.ts";
import type { PointCard } from "../../steps/points/point-cards.ts";
import { pointsShown, worldOf } from "../../steps/points/point-changes.ts";
import { attemptOf, type RollBackAttempt } from "./attempt.ts";
import { applyRollBackPlan, type RollBackPlan, type RollBackRequest, type RollBackState } from "./state.ts";

/** Nothing but an answer. */
const NOTHING = {
  ...EMPTY_PLAN,
  customer: null,
  points: new Map(),
  events: [],
  triggers: [],
  touched: [],
} as const satisfies Partial<RollBackPlan>;

/** What a command does. The state stays as it is. */
export function planRollBack(state: RollBackState, command: RollBackRequest): RollBackPlan {
  const attempt = attemptOf(state, command);
  if ("refused" in attempt)
    return { ...NOTHING, of: command, answer: refusedAnswer(attempt.refused, command.request_id) };
  const plan = attempt.redemption.status === "ROLLED_BACK" ? planFailure(attempt) : planSuccess(attempt);
  return { ...NOTHING, of: command, ...plan };
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

/** Records the failure and changes nothing else: a second rollback is answered with its reason. */
function planFailure({ command, redemption, kept }: RollBackAttempt) {
  const id = command.newId("rrf");
  const error = errorBody("already_rolled_back", {
    details: "Redemption has been already rolled back.",
    resource_id: id,
    resource_type: "redemption_rollback",
  });
  const row: RedemptionRow = {
    ...rollbackRow(kept, redemption, id),
    result: "FAILURE",
    status: "FAILED",
    amount: null,
    failure_code: error.key,
    failure_message: error.message,
  };
  const payload = { rollback_id: id, redemption_id: redemption.id, failure_code: error.key };
  const happened = [happenedTo(redemption, "customer.redemption.rollback.failed", payload)];
  return {
    redemptions: [row],
    events: [{ of: command, happened }],
    answer: refusedAnswer(error, command.request_id),
  };
}

function planSuccess(attempt: RollBackAttempt) {
  const { command, state, redemption, order, saved, kept } = attempt;
  const { redeemables_rollback_order_mode: mode } = settingsFor(command.catalog);
  const parts = isStack(redemption)
    ? [...state.redemptions.values()].filter(({ parent_id }) => parent_id === redemption.id)
    : [redemption];
  const undoneParent = isStack(redemption) ? rollbackRow(kept, redemption, command.newId("rr")) : null;
  const cards = draftCards(state.points);
  const undone = undoParts(undoingOf(attempt, cards), parts, undoneParent?.id ?? null);
  const names = { redemption, parts, children: undone.map(({ row }) => row), parent: undoneParent };
  const final =
    order && mode === "WITH_ORDER"
      ? orderUndone(order, { ...names, sent: command.sent.order, now: command.now })
      : order;
  const withOrder = (row: RedemptionRow): RedemptionRow => ({
    ...row,
    status: "SUCCEEDED",
    // An order that is left as it is does not name the rollback: nobody would find it to copy the order into it.
    order_shown: final === order ? order && storedOrderView(order) : null,
    effect: { ...row.effect!, rollback_order_mode: mode },
  });
  const children = names.children.map(withOrder);
  const parent = undoneParent && withOrder(undoneParent);
  const redemptions = parent ? [...children, parent] : children;
  const plan = mergePlans([
    ...undone.map((one) => one.plan),
    {
      redemptions,
      rolledBack: [...parts, redemption].map(({ id }) => id),
      orders: final && final !== order ? [final] : [],
    },
  ]);
  const happened = withIds(command, happenedOf(attempt, { rows: redemptions, final, entries: plan.entries }));
  const customerOf = (id: string | null | undefined) =>
    saved && saved.row.id === id ? saved.row : state.customers.byId(id ?? "");
  const moved = { of: command, customer: customerOf(final?.customer_id) };
  const customer = customerOf(redemption.customer_id) ?? null;
  return {
    ...plan,
    customer: saved,
    points: cards.touched,
    events: [{ of: command, happened }],
    triggers: [...orderMoves(happened, final, moved), ...returnedBy(happened, final, moved)],
    touched: [redemption.customer_id, final?.customer_id].filter((id) => id != null),
    answer: rollbackAnswer(attempt, { plan, children, parent, final, customer }),
  };
}

type Succeeded = {
  plan: Plan;
  children: readonly RedemptionRow[];
  parent: RedemptionRow | null;
  final: OrderRow | null;
  customer: CustomerRow | null;
};

function rollbackAnswer(
  { command, state }: RollBackAttempt,
  { plan, children, parent, final, customer }: Succeeded,
): Answer {
  const after = new Map(plan.vouchers.map((row) => [row.id, row]));
  const records: RedeemableRecords = { ...command, voucherOf: (id) => after.get(id) ?? state.vouchers.get(id) };
  const shownWith = { customer, order: final };
  const shown = children.map((row) => ({ ...redemptionView(row, shownWith), ...redeemableRecord(row, records) }));
  if (!command.takes_stacks) return success(shown[0]);
  return success({
    rollbacks: shown,
    ...(parent && { parent_rollback: redemptionView(parent, shownWith) }),
    order: final && storedOrderView(final),
  });
}

/** What the rollback of the parts is made from. */
function undoingOf({ command, state, kept }: RollBackAttempt, cards: CardDrafts<PointCard>): Undoing {
  const { counters, vouchers, lots, rewardIds } = state;
  return {
    request: kept,
    newId: command.newId,
    dayEnd: () => endOfDay(command.now, zoneOf(command.project)),
    counters,
    vouchers,
    lots,
    rewards: rewardIds,
    pointsBack: (part, rollbackId) => {
      const card = cards.of(part.related_object_id!);
      if (!card) return null;
      const back = part.amount ? pointsBack(command, card, { part, rollbackId, lots }) : null;
      return { lots: back, sums: card.change.card.account.sums, shown: pointsShown(card) };
    },
  };
}

/** Points that were spent come back. Returns the lots that they went to. */
function pointsBack(
  command: RollBackRequest,
  card: PointCard,
  { part, rollbackId, lots }: { part: RedemptionRow; rollbackId: string; lots: ReadonlyMap<string, LotRow> },
): Touched {
  const reward = part.effect?.reward;
  const { change } = changeCard(card, worldOf(card, command), (state, at) => ({
    change: refundPoints(state, at, {
      points: part.amount!,
      from: part.effect!.lots,
      lots,
      order_id: part.order_id,
      reason: command.reason,
      details: reward ? { reward: { id: reward.id, name: reward.name } } : {},
      cause: { redemption_id: part.id, rollback_id: rollbackId },
    }),
  }));
  return change.entries[0]!.lots;
}

const endOfDay = (now: string, zone: string): string =>
  Temporal.Instant.from(now).toZonedDateTimeISO(zone).startOfDay().add({ days: 1 }).toInstant().toString();

/** What a rollback did: the entries of accounts, and the order afterwards. */
type Undone = Pick<Plan, "entries"> & { final: OrderRow | null };

function happenedOf(
  attempt: RollBackAttempt,
  { rows, final, entries }: Undone & { rows: readonly RedemptionRow[] },
): NewEvent[] {
  const { order, saved } = attempt;
  const entered = final && final.status !== order!.status ? ORDER_STATUS_EVENTS[final.status] : null;
  const orderEvent: EventKind | null = final && (entered ?? "customer.order.updated");
  return [
    ...(saved ? customerEvents([saved]) : []),
    ...rows.map((row) => ({
      ...happenedTo(row, "customer.redemption.rollback.succeeded", {
        rollback_id: row.id,
        redemption_id: row.redemption_id,
        ...(row.amount !== null && { amount: row.amount }),
      }),
      shown: () => refundParts(attempt, row, { entries, final }),
    })),
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

/** What webhooks are shown of credits that came back with a rollback. All else is read for them. */
function refundParts(
  { state }: RollBackAttempt,
  { id, related_object_id }: RedemptionRow,
  { entries, final }: Undone,
): Shown {
  const entry = entries.find(({ rollback_id }) => rollback_id === id);
  if (!entry || state.vouchers.get(related_object_id ?? "")?.type !== "GIFT_VOUCHER") return {};
  const transaction = transactionView(entry, "GIFT_VOUCHER", final?.source_id ?? null);
  return { transaction, balance: transaction.details.balance };
}

/** Each command is planned on what those before it left. */
export function* planRound(state: RollBackState, round: readonly RollBackRequest[]): Generator<RollBackPlan> {
  for (const command of round) {
    const plan = planRollBack(state, command);
    applyRollBackPlan(state, plan);
    yield plan;
  }
}

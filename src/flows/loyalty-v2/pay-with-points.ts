import { formulaOf } from "../../catalog/formulas.ts";
import { ApiError, invalid, notFound } from "../../core/errors.ts";
import { formulaNumber } from "../../core/formula/evaluate.ts";
import {
  type Payment,
  type PaymentLimit,
  paymentOf,
  payOrder,
  settlementFault,
} from "../../core/loyalty/card/spend.ts";
import type { Rejection } from "../../core/loyalty/earning/limits.ts";
import { payable } from "../../core/order/order.ts";
import { cartOf } from "../../core/order/stored.ts";
import type { TransactionRow } from "../../core/rows/loyalty.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { WriteCtx } from "../../ctx.ts";
import { findCustomers } from "../../resources/customers/customers/store.ts";
import { getCard } from "../../resources/loyalty-v2/cards/store.ts";
import { getMember } from "../../resources/loyalty-v2/members/store.ts";
import type { PaymentBody, PaymentMade, PaymentSimulated } from "../../resources/loyalty-v2/transactions/schema.ts";
import { insertTransactions, paidWithPoints, transactionViews } from "../../resources/loyalty-v2/transactions/store.ts";
import { lockOrder } from "../../resources/orders/orders/store.ts";
import { type CardInWorld, saveProgramCards } from "../../steps/points/program-cards.ts";
import {
  alter,
  type MemberAtWork,
  openMember,
  requireActiveMember,
  stateOf,
} from "../../steps/points/program-members.ts";

type Which = { programId: string; memberId: string };
const DRY_RUN = "Dry run mode. No transaction was created. This is only a simulation.";
const REASON = "Points spent on order payment";

// Contract is silent: an order of another customer can be paid, too.
/**
 * Pays an order with the points of a card: lock in order (order, member, cards), decide in memory, and save all of it in
 * the transaction of the request. A payment of more than is left to pay is kept as rejected.
 */
export async function payWithPoints(
  c: WriteCtx,
  which: Which,
  body: PaymentBody,
): Promise<PaymentMade | PaymentSimulated> {
  const limit = limitIn(body);
  const order = await requireOrder(c, which, body);
  const catalog = await c.catalog();
  const at = await openMember(c, catalog, which);
  const card = at.card(body.card_id);
  if (!card) throw notFound("card", body.card_id);
  requireActiveMember(c, at);
  if (order.status === "CANCELED") throw new ApiError("order_canceled", { resource_id: order.id });
  const formula = catalog.card_definitions.get(card.card.row.card_definition_id)?.pay_with_points.exchange_ratio
    ?.formula;
  if (formula === undefined)
    throw new ApiError("pay_with_points_not_enabled", {
      details: "Card definition does not have pay with points enabled",
    });
  const exchange_ratio = await ratioOf(c, { formula, order, at });
  const payment = paymentOf(stateOf(card), card.world, { ratio: exchange_ratio, limit });
  if ("fault" in payment) throw new ApiError(payment.fault, { details: DETAILS[payment.fault] });
  const paying: Paying = { at, card, order, payment, exchange_ratio };
  return body.mode === "DRY_RUN" ? simulatedPayment(paying) : settlePayment(c, paying);
}

const DETAILS = {
  zero_card_balance: "Operation requires a positive card balance",
  insufficient_card_balance: "Operation exceeds the available card balance",
  invalid_exchange_ratio: "The formula gives no number above zero for this order",
};

function limitIn({ payment_limit: sent, order }: PaymentBody): PaymentLimit {
  if (order.id == null && order.source_id == null)
    throw invalid("Property .order must have required property 'id' or 'source_id'");
  if (!sent || sent.type === "CARD_BALANCE") {
    requireOnly(sent, null);
    return { type: "CARD_BALANCE" };
  }
  const name = sent.type === "POINTS_LIMIT" ? "points_limit" : "amount_limit";
  if (!sent[name]) throw invalid(`Property .payment_limit must have required property '${name}'`);
  requireOnly(sent, name);
  return sent.type === "POINTS_LIMIT"
    ? { type: sent.type, points_limit: sent.points_limit! }
    : { type: sent.type, amount_limit: sent.amount_limit! };
}

function requireOnly(sent: PaymentBody["payment_limit"], name: "points_limit" | "amount_limit" | null): void {
  const other = (["points_limit", "amount_limit"] as const).find((one) => one !== name && sent?.[one]);
  if (other)
    throw invalid(
      `Property .payment_limit must NOT have additional property '${other}' when its type is ${sent!.type}`,
    );
}

/** The order, locked before the member; parents first: 404 for what is missing. */
async function requireOrder(c: WriteCtx, which: Which, { card_id, order: named }: PaymentBody): Promise<OrderRow> {
  const { programs } = await c.catalog();
  if (!programs.has(which.programId)) throw notFound("program", which.programId);
  await getMember(c.db, c.project.id, which);
  await getCard(c.db, c.project.id, { ...which, cardId: card_id });
  const order = await lockOrder(c.db, c.project.id, named.id ? { id: named.id } : { sourceId: named.source_id! });
  const isNamed = order && (named.source_id == null || named.source_id === order.source_id);
  if (!isNamed) throw notFound("order", named.id ?? named.source_id!);
  return order;
}

type FormulaQuestion = { formula: string; order: OrderRow; at: MemberAtWork };

/** How many points one minor unit of money costs. What cannot be evaluated is no number. */
async function ratioOf(c: WriteCtx, { formula, order, at }: FormulaQuestion): Promise<number> {
  const ast = formulaOf(formula);
  const ids = [at.member.customer_id ?? ""];
  const [customer] = await findCustomers(c.db, c.project.id, { ids, sourceIds: [], trackingIds: [] });
  const ratio =
    ast &&
    formulaNumber(ast, {
      steps: c.steps,
      now: c.now,
      zone: zoneOf(c.project),
      order: cartOf(order),
      item: null,
      customer: customer ? { metadata: customer.metadata, birthdate: customer.birthdate } : null,
      redeemable: null,
      redemption_metadata: null,
      publication_metadata: null,
      bundle_quantity: null,
    });
  return ratio?.toNumber() ?? Number.NaN;
}

type Paying = { at: MemberAtWork; card: CardInWorld; order: OrderRow; payment: Payment; exchange_ratio: number };

const paymentDetails = ({ payment: { amount, points_spent, metadata }, exchange_ratio }: Paying) => ({
  reason: REASON,
  rejection: null as Rejection | null,
  metadata,
  payment: { amount, points_spent, exchange_ratio },
});

const about = ({ at, card, order }: Paying) => ({
  program_id: at.program.id,
  member_id: at.member.id,
  card_id: card.card.row.id,
  card_definition_id: card.card.row.card_definition_id,
  order_id: order.id,
});

const simulatedPayment = (paying: Paying): PaymentSimulated => ({
  transaction: {
    ...about(paying),
    card_transaction_id: null,
    status: "SIMULATED",
    type: "PAY_WITH_POINTS",
    details: paymentDetails(paying),
    updated_at: null,
    object: "order_transaction",
  },
  status: "DRY_RUN",
  message: DRY_RUN,
});

async function settlePayment(c: WriteCtx, paying: Paying): Promise<PaymentMade> {
  const { at, card, order, payment } = paying;
  const paid = await paidWithPoints(c.db, c.project.id, order.id);
  const rejection = settlementFault(payment.amount, { total: payable(cartOf(order)), paid });
  const id = c.newId("lotx");
  const told = {
    reason: REASON,
    order_id: order.id,
    details: { metadata: payment.metadata, order: { id: order.id }, order_transaction: { id } },
  };
  const { entries } = alter(card, (state, world) =>
    payOrder(state, world, { ...told, points: payment.points_spent, rejection }),
  );
  await saveProgramCards(c.db, c.project.id, at.cards);
  const details = { ...paymentDetails(paying), card_transaction_id: entries[0]!.id };
  const { order_id: subject_id, ...of } = about(paying);
  const row: TransactionRow = {
    project_id: c.project.id,
    id,
    kind: "order",
    ...of,
    type: "PAY_WITH_POINTS",
    subject_id,
    status: rejection ? "REJECTED" : "APPROVED",
    details: rejection
      ? { ...details, rejection }
      : { ...details, payment: { id: c.newId("ordpay"), ...details.payment } },
    created_at: c.now,
    updated_at: c.now,
  };
  await insertTransactions(c.db, [row]);
  const made = { ...row, status: "PENDING" as const, details, updated_at: null };
  return {
    transaction: transactionViews.order(made),
    status: "TRANSACTION_CREATED",
    message: "Pay with points transaction created",
  };
}

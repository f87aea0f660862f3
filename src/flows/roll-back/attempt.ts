import { type ErrorBody, errorBody, notFound } from "../../core/errors.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import { metadataSizeFault } from "../../core/metadata/size.ts";
import { type UndoAsked, undoFault } from "../../core/redeem/undo.ts";
import { isStack, type RollbackKept } from "../../core/redeem/undo-plan.ts";
import type { SavedCustomer } from "../../core/rows/customer.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { RedemptionRow } from "../../core/rows/redemption.ts";
import { customerSent, personFrom } from "../../steps/checkout/carts.ts";
import { customerChange } from "../../steps/customers/customers.ts";
import { customerNamedIn, type RollBackRequest, type RollBackState } from "./state.ts";

/** A request that may roll back its redemption. */
export type RollBackAttempt = {
  command: RollBackRequest;
  state: RollBackState;
  redemption: RedemptionRow;
  order: OrderRow | null;
  saved: SavedCustomer | null;
  kept: RollbackKept;
};

/** The redemption that a request may roll back, or why it may not: that leaves no record. */
export function attemptOf(state: RollBackState, command: RollBackRequest): RollBackAttempt | { refused: ErrorBody } {
  const { redemption_id, catalog, sent } = command;
  const redemption = state.redemptions.get(redemption_id);
  if (!redemption) return { refused: notFound("redemption", redemption_id).body };
  const customer = askedCustomer(command, state);
  if (customer && "refused" in customer) return customer;
  const order = state.orders.get(redemption.order_id ?? "") ?? null;
  const fault = undoFault(
    { ...redemption, is_stack: isStack(redemption), order },
    { takes_stacks: command.takes_stacks, customer, order: sent.order ?? null },
  );
  if (fault) return { refused: fault };
  const details =
    metadataFault(catalog.metadata_schemas, "redemption", { metadata: sent.metadata ?? {}, on: "update" }) ??
    metadataFault(catalog.metadata_schemas, "order", { metadata: sent.order?.metadata ?? {}, on: "update" });
  if (details !== null) return { refused: errorBody("metadata_validation_failed", { details }) };
  const tooLarge =
    order && sent.order?.metadata ? metadataSizeFault({ ...order.metadata, ...sent.order.metadata }) : null;
  if (tooLarge !== null) return { refused: errorBody("invalid_payload", { details: tooLarge }) };
  const saved = customer?.by === "customer" ? proposed(command, state, customer.id) : null;
  if (saved && "refused" in saved) return saved;
  const { api_key_id, channel, reason, now } = command;
  const tracking_id = customer?.tracking_id ?? null;
  const kept = { api_key_id, channel, metadata: sent.metadata, tracking_id, reason, now };
  return { command, state, redemption, order, saved, kept };
}

// Contract is silent: a tracking id that nobody has says nothing of the redemption, and is not looked at.
/** The customer that the body says it is about; one that is not there is refused. */
function askedCustomer(command: RollBackRequest, state: RollBackState): UndoAsked["customer"] | { refused: ErrorBody } {
  const customer = customerNamedIn(command);
  const person = personFrom({ ...command.sent, customer }, state.customers, command.project.secret);
  if ("refused" in person) return person;
  const id = person.customer?.id;
  if (id !== undefined) return { id, tracking_id: person.tracking_id, by: customer ? "customer" : "tracking_id" };
  return customer ? { refused: notFound("customer", customerSent({ customer })!.source_id!).body } : null;
}

/** The customer after what was sent. */
function proposed(command: RollBackRequest, { customers }: RollBackState, id: string) {
  const { customer } = command.sent;
  const given = typeof customer === "string" ? {} : customer;
  return customers.propose({ ...given, id }, customerChange(command));
}

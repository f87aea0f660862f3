import { trimCode } from "../../core/codes/code.ts";
import { type ErrorBody, errorBody, notFound } from "../../core/errors.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import { metadataSizeFault } from "../../core/metadata/size.ts";
import { orderSteps } from "../../core/order/order-steps.ts";
import type { CustomerRow, SavedCustomer } from "../../core/rows/customer.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { Promised } from "../../core/rows/validation.ts";
import type { StackingSettings } from "../../core/stacking/settings.ts";
import { spend, tooExpensive } from "../../core/steps.ts";
import { type Decision, decide } from "../../core/validate/decide.ts";
import type { Candidate } from "../../core/validate/redeemable.ts";
import { candidatesOf, situationOf } from "../../steps/checkout/candidates.ts";
import { type Cart, type CartSent, cartFrom, customerSent, personFrom, referring } from "../../steps/checkout/carts.ts";
import { campaignOf, type KnownVoucher } from "../../steps/checkout/redeemables.ts";
import { type RedeemRequest, requestFault, settingsBetween } from "../../steps/checkout/requests.ts";
import { unitsFor } from "../../steps/checkout/units.ts";
import { customerChange } from "../../steps/customers/customers.ts";
import { catalogueOf } from "../../steps/goods/goods.ts";
import { type Overrides, overridesIn } from "../../steps/goods/overrides.ts";
import type { CardDrafts } from "../../steps/points/card-drafts.ts";
import type { PointCard } from "../../steps/points/point-cards.ts";
import { seePoints } from "../../steps/points/point-changes.ts";
import type { RewardDraft } from "../../steps/rewards/reward-handouts.ts";
import type { RedeemState } from "./state.ts";
/** A request as it was decided about, before it is known what it does. */
export type RedeemAttempt = {
  command: RedeemRequest;
  state: RedeemState;
  cards: CardDrafts<PointCard>;
  cart: Cart;
  /** The order as it was stored before the request; null: it is new, or there is none. */
  before: OrderRow | null;
  customer: SavedCustomer | null;
  /** The referrer whom the order names; null: nobody. */
  referrer: SavedCustomer | null;
  overrides: Overrides;
  /** What rewards bring from other campaigns; null: none does. */
  gifts: RewardDraft | null;
  candidates: readonly Candidate[];
  settings: StackingSettings;
  situation: ReturnType<typeof situationOf>;
  decision: Decision;
  /** What the validation that the request names promised; null: it names none. */
  promised: Promised | null;
};

/** Decides about a request, or says why there is nothing to decide about: that leaves no record. */
export function decideRequest(
  state: RedeemState,
  command: RedeemRequest,
  cards: CardDrafts<PointCard>,
): RedeemAttempt | { refused: ErrorBody } {
  const { catalog } = command;
  const noMember = command.member && memberFault(command, state);
  if (noMember) return { refused: noMember };
  const person = personFrom(command.sent, state.customers, command.project.secret);
  if ("refused" in person) return person;
  const customer = customerOf(command, state, command.sent, person.customer as CustomerRow | null);
  if (customer && "refused" in customer) return customer;
  const referrer = referrerOf(command, state, customer?.row ?? null);
  if (referrer && "refused" in referrer) return referrer;
  const n = state.round.indexOf(command);
  const stored = storedOrder(command, state);
  const cart = cartFrom(command, {
    project: command.project,
    person: { customer: customer?.row ?? null, tracking_id: customer?.row.tracking_id ?? person.tracking_id },
    referrer: { customer: referrer?.row ?? null, tracking_id: null },
    stored,
    goods: state.goods,
    unitTypes: state.unitTypes,
    segmentsOf: (moment) => state.segmentsOf(n, moment),
    tiersOf: (now) => state.tiersOf(n, now),
  });
  if ("refused" in cart) return cart;
  const settings = settingsBetween(command);
  const overrides = overridesIn(command.sent.order?.items ?? [], { catalog, catalogue: catalogueOf(state.goods) });
  // What is redeemed is kept: metadata that is left out must have nothing that is required.
  const fault =
    requestFault(command, settings, command.sent.metadata ?? {}) ??
    orderMetadataFault(command, { isNew: stored === null, overrides }) ??
    sizeFault(command, cart.order);
  if (fault) return { refused: fault };
  const candidates = candidatesOf(command, {
    voucherOf: (reference) => {
      const found = state.voucherOf(reference, command.project);
      return found && knownAt(state, cards, found.row.id, command);
    },
    stockOf: (id) => state.rewards.get(id)?.stock ?? null,
    heldOf: (id) => state.sessions.held.get(id),
    use: state.use,
    budgets: state.budgets,
    customerId: customer?.row.id ?? null,
    email: customer?.row.email ?? null,
  });
  if ("refused" in candidates) return candidates;
  const made = decideCart(command, state, { cart, candidates, settings });
  if ("refused" in made) return made;
  const promised = command.validation_id === null ? null : state.promises.get(command.validation_id);
  if (promised === undefined) return { refused: notFound("validation", command.validation_id!).body };
  const before = stored && !("refused" in stored) ? stored : null;
  return {
    command,
    state,
    cards,
    cart,
    before,
    customer,
    referrer,
    overrides,
    gifts: state.handouts?.draft(command) ?? null,
    candidates,
    settings,
    promised,
    ...made,
  };
}

type Deciding = { cart: Cart; candidates: readonly Candidate[]; settings: StackingSettings };

/** What costs too much is refused before anything is changed: the others of the batch go on as without it. */
function decideCart(
  command: RedeemRequest,
  state: RedeemState,
  { cart, candidates, settings }: Deciding,
): { situation: ReturnType<typeof situationOf>; decision: Decision } | { refused: ErrorBody } {
  try {
    const units = unitsFor(state.unitTypes, state.units, command.catalog, cart);
    const situation = situationOf(command, cart, units);
    const decision = decide(candidates, cart.order, { settings, situation });
    spend(cart.steps, keptSteps(decision));
    return { situation, decision };
  } catch (error) {
    return { refused: tooExpensive(error) };
  }
}

/** For each line of an order that is stored with a redemption, and shown. */
const LINE_STEPS = 40;

/** What it costs to store and to show the order after each redeemable that applies. */
const keptSteps = ({ decided }: Decision): number =>
  decided.reduce((all, { outcome }) => {
    const order = outcome.status === "APPLICABLE" ? outcome.result.order : null;
    return all + (order ? orderSteps(order, LINE_STEPS) : 0);
  }, 0);

/** A member is a loyalty card. Any other code, and one of another campaign, is not there. */
function memberFault({ member, sent, catalog, project }: RedeemRequest, state: RedeemState): ErrorBody | null {
  const { id } = sent.redeemables[0]!;
  const row = state.voucherOf(trimCode(id), project)?.row;
  const campaign = row && campaignOf(catalog, row);
  const isThere = row?.type === "LOYALTY_CARD" && campaign;
  const isMeant = member!.campaign === null || [campaign?.id, campaign?.name].includes(member!.campaign);
  return isThere && isMeant ? null : notFound("voucher", id).body;
}

/** The customer after what was sent; null for a guest. */
function customerOf(
  command: RedeemRequest,
  state: RedeemState,
  who: CartSent,
  found: CustomerRow | null,
): SavedCustomer | { refused: ErrorBody } | null {
  const sent = customerSent(who);
  if (sent === null) return found && { row: found, created: false, changed: [] };
  const named = typeof who.customer === "string" ? { id: found!.id } : sent;
  return state.customers.propose(named, customerChange(command));
}

/** The referrer of the order after what was sent. Of the customer themselves what was sent as the customer counts. */
function referrerOf(
  command: RedeemRequest,
  state: RedeemState,
  customer: CustomerRow | null,
): ReturnType<typeof customerOf> {
  const sent = referring(command.sent);
  if (!sent.customer) return null;
  const person = personFrom(sent, state.customers, command.project.secret);
  if ("refused" in person) return person;
  const { id, source_id } = person.customer!;
  const isSelf = customer !== null && (id ? id === customer.id : source_id != null && source_id === customer.source_id);
  if (isSelf) return { row: customer, created: false, changed: [] };
  return customerOf(command, state, sent, person.customer as CustomerRow);
}

/** As where orders are saved: a new order must be complete, and so must the lines that are stored. */
function orderMetadataFault(
  { catalog, sent: { order } }: RedeemRequest,
  { isNew, overrides: { fault } }: { isNew: boolean; overrides: Overrides },
): ErrorBody | null {
  if (!order) return null;
  const check = (object: string, metadata: object | null | undefined, on: "create" | "update") =>
    metadataFault(catalog.metadata_schemas, object, { metadata: (metadata ?? {}) as never, on });
  // An order that is named by its source id is taken as it is stored: the lines that are sent do not replace its own.
  const ofLines = isNew || order.id ? "create" : "update";
  const details =
    check("order", order.metadata, isNew ? "create" : "update") ??
    (order.items ?? []).map(({ metadata }) => check("order_item", metadata, ofLines)).find((one) => one !== null) ??
    fault;
  return details === null ? null : errorBody("metadata_validation_failed", { details });
}

/** The metadata of a stored order grows with what each request adds. */
function sizeFault({ sent }: RedeemRequest, order: { metadata: Record<string, unknown> } | null): ErrorBody | null {
  const details = sent.order?.metadata && order ? metadataSizeFault(order.metadata) : null;
  return details === null ? null : errorBody("invalid_payload", { details });
}

function storedOrder(
  { sent: { order } }: RedeemRequest,
  { orders, orderIds }: RedeemState,
): OrderRow | null | { refused: ErrorBody } {
  if (order?.id) return orders.get(order.id) ?? { refused: errorBody("not_found", notFoundOrder(order.id)) };
  if (!order?.source_id) return null;
  const named = orders.get(orderIds.get(order.source_id) ?? "");
  // It may have got another source id since.
  return named?.source_id === order.source_id ? named : null;
}
const notFoundOrder = (id: string) => ({
  details: `Cannot find order with id ${id}`,
  resource_id: id,
  resource_type: "order",
});

/** A code as a request of the round finds it: of a loyalty card with what time has brought. */
function knownAt(
  { known, vouchers }: RedeemState,
  cards: CardDrafts<PointCard>,
  id: string,
  command: RedeemRequest,
): KnownVoucher {
  const found = { ...known.get(id)!, row: vouchers.get(id)! };
  const card = cards.of(id);
  return card ? { ...found, card: seePoints(card, command) } : found;
}

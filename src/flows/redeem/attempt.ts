import assert from "node:assert/strict";
import { type Answer, refused } from "../../core/answer.ts";
import { trimCode } from "../../core/codes/code.ts";
import { type ErrorBody, errorBody, notFound } from "../../core/errors.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import { metadataSizeFault } from "../../core/metadata/size.ts";
import { orderSteps } from "../../core/order/order-steps.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import { NO_EFFECT, type RedemptionEffect, type RedemptionRow } from "../../core/rows/redemption.ts";
import type { StackingSettings } from "../../core/stacking/settings.ts";
import { SKIPS } from "../../core/stacking/walk.ts";
import { spend, tooExpensive } from "../../core/steps.ts";
import { type Decided, type Decision, decide } from "../../core/validate/decide.ts";
import { differenceIn, promiseOf } from "../../core/validate/promise.ts";
import type { Candidate } from "../../core/validate/redeemable.ts";
import type { Promised } from "../../resources/checkout/validations/store.ts";
import type { Saved } from "../../resources/customers/customers/store.ts";
import { type Cart, type CartSent, cartFrom, customerSent, personFrom, referring } from "../../steps/checkout/carts.ts";
import {
  candidatesOf,
  type RedeemRequest,
  requestFault,
  settingsBetween,
  settingsFor,
  situationOf,
  unitsFor,
} from "../../steps/checkout/deciding.ts";
import { keepReceipt } from "../../steps/checkout/receipts.ts";
import { campaignOf } from "../../steps/checkout/redeemables.ts";
import { redeemableShown } from "../../steps/checkout/redemption-view.ts";
import { catalogueOf } from "../../steps/goods/goods.ts";
import { type Overrides, overridesIn } from "../../steps/goods/overrides.ts";
import type { Work } from "./load.ts";
import { knownAt, spendingRefusal } from "./points.ts";
import { type Attempt, common, namesOfRedeemable, storedOrder } from "./rows.ts";
import { type AppliedStep, stepsOf, stepWithoutRoom, succeed } from "./succeed.ts";
export function redeemOne(command: RedeemRequest, work: Work): Answer {
  const { catalog, request_id } = command;
  const refuse = (error: ErrorBody) => refused(error, request_id);
  const noMember = command.member && memberFault(command, work);
  if (noMember) return refuse(noMember);
  const person = personFrom(command.sent, work.customers, command.project.secret);
  if ("refused" in person) return refuse(person.refused);
  const customer = customerOf(command, work, command.sent, person.customer as CustomerRow | null);
  if (customer && "refused" in customer) return refuse(customer.refused);
  const referrer = referrerOf(command, work, customer?.row ?? null);
  if (referrer && "refused" in referrer) return refuse(referrer.refused);
  const n = work.round.indexOf(command);
  const stored = storedOrder(command, work);
  const cart = cartFrom(command, {
    project: command.project,
    person: { customer: customer?.row ?? null, tracking_id: customer?.row.tracking_id ?? person.tracking_id },
    referrer: { customer: referrer?.row ?? null, tracking_id: null },
    stored,
    goods: work.goods,
    unitTypes: work.unitTypes,
    segmentsOf: (moment) => work.segmentsOf?.(n, moment) ?? NOTHING,
    tiersOf: (now) => work.tiersOf?.(n, now) ?? NOTHING,
  });
  if ("refused" in cart) return refuse(cart.refused);
  const settings = settingsBetween(command);
  const overrides = overridesIn(command.sent.order?.items ?? [], { catalog, catalogue: catalogueOf(work.goods) });
  // What is redeemed is kept: metadata that is left out must have nothing that is required.
  const fault =
    requestFault(command, settings, command.sent.metadata ?? {}) ??
    orderMetadataFault(command, { isNew: stored === null, overrides }) ??
    sizeFault(command, cart.order);
  if (fault) return refuse(fault);
  const candidates = candidatesOf(command, {
    voucherOf: (reference) => {
      const found = work.voucherOf(reference, command.project);
      return found && knownAt(work, work.known.get(found.row.id), command);
    },
    stockOf: (id) => work.rewards.get(id)?.stock ?? null,
    locksOf: (id) => work.locks.get(id) ?? [],
    use: work.use,
    budgets: work.budgets,
    customerId: customer?.row.id ?? null,
    email: customer?.row.email ?? null,
  });
  if ("refused" in candidates) return refuse(candidates.refused);
  const made = decideCart(command, work, { cart, candidates, settings });
  if ("refused" in made) return refuse(made.refused);
  const { situation, decision } = made;
  const promised = command.validation_id === null ? null : work.promises.get(command.validation_id);
  if (promised === undefined) return refuse(notFound("validation", command.validation_id!).body);
  const attempt: Attempt = { command, work, cart, decision, customer, referrer, overrides };
  const steps = stepsOf(attempt);
  const refusal =
    (promised && lapsed(attempt, promised)) ??
    invalid(attempt) ??
    (promised && broken(attempt, promised)) ??
    noRoom(attempt, steps) ??
    spendingRefusal(attempt, steps);
  const answer = refusal ? fail(attempt, refusal) : succeed(attempt, steps);
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
const NOTHING: ReadonlySet<string> = new Set();

type Deciding = { cart: Cart; candidates: readonly Candidate[]; settings: StackingSettings };

/** What costs too much is refused before anything is changed: the others of the batch go on as without it. */
function decideCart(
  command: RedeemRequest,
  work: Work,
  { cart, candidates, settings }: Deciding,
): { situation: ReturnType<typeof situationOf>; decision: Decision } | { refused: ErrorBody } {
  try {
    const units = unitsFor(work.unitTypes, work.units, command.catalog, cart);
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
function memberFault({ member, sent, catalog, project }: RedeemRequest, work: Work): ErrorBody | null {
  const { id } = sent.redeemables[0]!;
  const row = work.voucherOf(trimCode(id), project)?.row;
  const campaign = row && campaignOf(catalog, row);
  const isThere = row?.type === "LOYALTY_CARD" && campaign;
  const isMeant = member!.campaign === null || [campaign?.id, campaign?.name].includes(member!.campaign);
  return isThere && isMeant ? null : notFound("voucher", id).body;
}

/** The customer after what was sent; null for a guest. */
function customerOf(
  command: RedeemRequest,
  work: Work,
  who: CartSent,
  found: CustomerRow | null,
): Saved | { refused: ErrorBody } | null {
  const sent = customerSent(who);
  if (sent === null) return found && { row: found, created: false, changed: [] };
  const named = typeof who.customer === "string" ? { id: found!.id } : sent;
  const { catalog, project, newId, now } = command;
  return work.customers.propose(named, {
    secret: project.secret,
    now,
    newId,
    metadataFault: (metadata, on) => metadataFault(catalog.metadata_schemas, "customer", { metadata, on }),
  });
}

/** The referrer of the order after what was sent. Of the customer themselves what was sent as the customer counts. */
function referrerOf(command: RedeemRequest, work: Work, customer: CustomerRow | null): ReturnType<typeof customerOf> {
  const sent = referring(command.sent);
  if (!sent.customer) return null;
  const person = personFrom(sent, work.customers, command.project.secret);
  if ("refused" in person) return person;
  const { id, source_id } = person.customer!;
  const isSelf = customer !== null && (id ? id === customer.id : source_id != null && source_id === customer.source_id);
  if (isSelf) return { row: customer, created: false, changed: [] };
  return customerOf(command, work, sent, person.customer as CustomerRow);
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

/** Why nothing is redeemed, and the code or tier that it is about, if it is about one. */
type Refusal = {
  error: ErrorBody;
  concerns: Decided["candidate"] | null;
  /** Those of the request that are recorded by themselves, with their own reasons. */
  each?: readonly Decided[];
};

/** The reason of the first that is refused now though it was promised, however the others of the request are taken. */
function lapsed({ decision }: Attempt, { valid, promise }: Promised): Refusal | null {
  if (!valid) return null;
  const wasPromised = ({ candidate: { object, id } }: Decided) =>
    promise.redeemables.some((one) => one.object === object && one.id === id && one.status === "APPLICABLE");
  for (const one of decision.decided)
    if (one.outcome.status === "INAPPLICABLE" && wasPromised(one))
      return { error: one.outcome.failure.error, concerns: one.candidate };
  return null;
}

function invalid({ command, decision }: Attempt): Refusal | null {
  const { valid, decided } = decision;
  if (valid) return null;
  const isPartial = settingsFor(command.catalog).redeemables_application_mode === "PARTIAL";
  const failedOne = decided.find(({ outcome }) => outcome.status === "INAPPLICABLE");
  if (!isPartial && failedOne?.outcome.status === "INAPPLICABLE")
    return { error: failedOne.outcome.failure.error, concerns: failedOne.candidate };
  const { details, message } = reasonOf(failedOne ?? decided[0]!);
  const error = errorBody("no_applicable_redeemables", { details: details ?? message });
  return { error, concerns: null, ...(isPartial && { each: decided }) };
}

type Reason = { key: string; message: string; details?: string };

/** Why one that does not apply does not. */
function reasonOf({ outcome }: Decided): Reason {
  assert(outcome.status !== "APPLICABLE");
  if (outcome.status === "INAPPLICABLE") return outcome.failure.error;
  return { key: outcome.reason, message: SKIPS[outcome.reason] };
}

/** A price that was promised and would be another now refuses the redemption, instead of charging something else. */
function broken({ decision }: Attempt, { id, valid, promise }: Promised): Refusal | null {
  const difference = valid
    ? differenceIn(promise, promiseOf([decision]))
    : { says: `Validation ${id} was not valid: it promised no price`, index: null };
  if (!difference) return null;
  const { decided } = decision;
  const about = decided[difference.index ?? (decided.length === 1 ? 0 : -1)];
  return {
    error: errorBody("promised_price_changed", { details: difference.says }),
    concerns: about?.candidate ?? null,
  };
}

function noRoom({ work }: Attempt, steps: readonly AppliedStep[]): Refusal | null {
  const full = stepWithoutRoom(work, steps);
  if (!full) return null;
  const { label, id } = full.redeemable;
  const details = `The order is too large: with it the redemptions of ${label} ${id} or of its campaign would sum up to more than ${Number.MAX_SAFE_INTEGER}`;
  return { error: errorBody("invalid_payload", { details }), concerns: full.redeemable };
}

/** What is not there is known by the words it was asked for with. */
const askedFor = ({ object, id }: { object: string; id: string }): RedemptionEffect["asked"] =>
  object === "voucher" || object === "promotion_tier" ? { object, id } : undefined;

/** Nothing changes but that it is known: one row for what failed, listed with the successes. */
function fail(attempt: Attempt, { error, concerns, each = [] }: Refusal): Answer {
  const { command, work } = attempt;
  const id = command.newId("rf");
  const rows = [
    ...each.map((one) => ({
      ...failedRow(attempt, command.newId("rf"), { concerns: one.candidate, reason: reasonOf(one) }),
      parent_id: id,
    })),
    failedRow(attempt, id, { concerns, reason: error }),
  ];
  work.redemptions.push(...rows);
  work.events.push({
    of: command,
    happened: rows.map((row) => ({
      kind: "customer.redemption.failed",
      customer_id: row.customer_id,
      voucher_id: row.related_object_type === "voucher" ? row.related_object_id : null,
      campaign_id: row.campaign_id,
      payload: { redemption_id: row.id, failure_code: row.failure_code },
    })),
  });
  return refused({ ...error, resource_id: id, resource_type: "redemption" }, command.request_id);
}

function failedRow(
  attempt: Attempt,
  id: string,
  { concerns: about, reason }: { concerns: Refusal["concerns"]; reason: Reason },
): RedemptionRow {
  const { command, customer } = attempt;
  const concerns = about && !("unknown" in about) ? about : null;
  return {
    ...common(attempt, id),
    // A code that is not there is found again by the words it was asked for with.
    related_object_id: (about && askedFor(about)?.id) ?? null,
    ...(concerns && namesOfRedeemable(concerns, command.catalog)),
    // A customer who would only be made by this redemption is not made by its failure.
    customer_id: customer && !customer.created ? customer.row.id : null,
    result: "FAILURE",
    status: "FAILED",
    failure_code: reason.key,
    failure_message: reason.message,
    effect: about && {
      ...NO_EFFECT,
      api_key_id: command.api_key_id,
      ...(concerns ? { shown: redeemableShown(concerns, command.catalog) } : { asked: askedFor(about) }),
    },
  };
}

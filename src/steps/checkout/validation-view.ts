import type { Catalog } from "../../catalog/catalog.ts";
import { remembered, written } from "../../core/answer.ts";
import type { ErrorBody } from "../../core/errors.ts";
import { namingLines, type Order, totalsOf } from "../../core/order/order.ts";
import { orderSteps } from "../../core/order/order-steps.ts";
import { orderWriter } from "../../core/order/text.ts";
import { orderView } from "../../core/order/view.ts";
import { SKIPPED_RESULT_DETAILS } from "../../core/projects/settings.ts";
import type { StackingSettings } from "../../core/stacking/settings.ts";
import { spend } from "../../core/steps.ts";
import type { Decided, Decision } from "../../core/validate/decide.ts";
import type { Redeemable } from "../../core/validate/redeemable.ts";
import type { Session } from "../../core/validate/session.ts";
import type { Situation } from "../../core/validate/situation.ts";
import { traceDecision } from "../../core/validate/trace.ts";
import { decidedView, decisionView } from "../../core/validate/view.ts";
import { settingsOf } from "../../core/vouchers/settings.ts";
import type { NewId, Project } from "../../request.ts";
import { categoryShown } from "../promotions/settings.ts";
import type { Cart } from "./carts.ts";
import { aboutRedeemable, type Expand } from "./redeemable-view.ts";

type Fields = Record<string, unknown>;
/** What was decided about a request, to be shown. */
export type Validated = {
  id: string;
  cart: Cart;
  settings: StackingSettings;
  situation: Omit<Situation, "calculation">;
  /** One, or one for each redeemable that was decided about alone. */
  decisions: readonly Decision[];
  session: Session | null;
  request_id: string;
  /** Lines that a discount adds get an id for the answer. */
  newId: NewId;
};
/** An answer, or the refusal of the whole request where an older operation has it so. */
export type Show = (validated: Validated) => Fields | { refused: ErrorBody };

/** For each line of an order, written at once or shown as fields first. */
const WRITTEN_STEPS = 3;
const SHOWN_STEPS = 30;

const sessionShown = ({ session, decisions }: Validated) => (session && decisions[0]!.valid ? { session } : {});
const linesNamed = ({ newId }: Validated) => namingLines(() => newId("ordli"));
const tracking = ({ cart: { tracking_id } }: Validated) => (tracking_id === null ? {} : { tracking_id });

/** Shows the orders of an answer as text, once and for all. */
function orderText(validated: Validated) {
  const { cart } = validated;
  const [text, withIds] = [orderWriter(cart.people, cart.goods.written), linesNamed(validated)];
  return (order: Order) => {
    spend(cart.steps, orderSteps(order, WRITTEN_STEPS));
    return written(text(withIds(order)));
  };
}

/** Shows them as fields, for those who do not see all of them. */
function orderFields(validated: Validated) {
  const { cart } = validated;
  const withIds = linesNamed(validated);
  return (order: Order) => {
    spend(cart.steps, orderSteps(order, SHOWN_STEPS));
    return orderView(withIds(order), cart.people);
  };
}

/** `POST /v1/validations`. */
export const showValidation =
  (
    catalog: Catalog,
    expand: Expand,
    { features }: Pick<Project, "features">,
    orders: "text" | "fields" = "text",
  ): Show =>
  (validated) => {
    const { id, cart, settings, situation, decisions, request_id } = validated;
    const [decision] = decisions;
    const about = aboutRedeemable(catalog, expand);
    const showOrder = (orders === "text" ? orderText : orderFields)(validated);
    const traces = expand.has("trace") ? traceDecision(decision!, { settings, situation }) : [];
    const traceOf = new Map(traces.map((trace, n) => [decision!.decided[n]!.candidate, trace]));
    const view = decisionView(decision!, {
      mode: settings.redeemables_application_mode,
      showOrder: expand.has("order") ? showOrder : null,
      showWhole: showOrder,
      requestId: request_id,
      hasSkippedDetails: features.includes(SKIPPED_RESULT_DETAILS),
      steps: cart.steps,
      about: (candidate) => {
        const trace = traceOf.get(candidate);
        return trace ? { ...about(candidate), trace } : about(candidate);
      },
    });
    return { id, ...view, ...tracking(validated), ...sessionShown(validated), stacking_rules: remembered(settings) };
  };

const singleView = (validated: Validated, decided = validated.decisions[0]!.decided[0]!) => {
  const { cart, request_id } = validated;
  return decidedView(decided, { showOrder: orderFields(validated), requestId: request_id, steps: cart.steps });
};

/** What is missing in the request itself is a 400 of the older operation. */
const REFUSED: ReadonlySet<string> = new Set(["missing_reward", "missing_order_items_amount"]);

/** `POST /v1/vouchers/{code}/validate`. */
export const showVoucher =
  (catalog: Catalog, code: string): Show =>
  (validated) => {
    const decided = validated.decisions[0]!.decided[0]!;
    const { candidate, outcome } = decided;
    if (outcome.status === "INAPPLICABLE" && REFUSED.has(outcome.failure.error.key))
      return { refused: outcome.failure.error };
    const { customer_id } = validated.cart.people;
    const head = {
      ...{ code, valid: outcome.status === "APPLICABLE" },
      ...(customer_id !== null && { customer_id }),
      ...tracking(validated),
    };
    if (outcome.status !== "APPLICABLE")
      return { ...head, ...refusedView(decided, validated), ...metadataOf(candidate) };
    const { order, applicable_to, inapplicable_to } = singleView(validated);
    const { discount, gift, loyalty_card } = outcome.result;
    if ("unknown" in candidate) return head;
    const campaign = candidate.campaign_id === null ? undefined : catalog.campaigns.get(candidate.campaign_id);
    const { start_date, expiration_date } = candidate.validity;
    return {
      ...head,
      ...(order !== undefined && { order }),
      applicable_to,
      inapplicable_to,
      ...(discount && { discount }),
      ...(gift && candidate.benefit.kind === "gift" && { gift: { ...gift, effect: candidate.benefit.effect } }),
      ...(loyalty_card && {
        loyalty: { points_cost: loyalty_card.points },
        ...rewardOf(catalog, candidate, loyalty_card),
      }),
      ...(campaign && { campaign: campaign.name, campaign_id: campaign.id }),
      ...(start_date !== null && { start_date }),
      ...(expiration_date !== null && { expiration_date }),
      ...metadataOf(candidate),
      ...sessionShown(validated),
    };
  };

/** The reward that the points of a card would be spent on. */
function rewardOf(
  { reward_assignments_of_campaign }: Catalog,
  { benefit, campaign_id }: Redeemable,
  { points }: { points: number },
): Fields {
  const id = benefit.kind === "points" ? benefit.reward?.id : undefined;
  const assigned = reward_assignments_of_campaign.get(campaign_id ?? "")?.find(({ reward_id }) => reward_id === id);
  return assigned ? { reward: { id, assignment_id: assigned.id, points } } : {};
}

const metadataOf = (candidate: Decided["candidate"]) =>
  "unknown" in candidate ? {} : { metadata: candidate.metadata };

/** Why a redeemable does not apply, as the older operations say it. */
function refusedView(decided: Decided, { request_id }: Validated): Fields {
  const { outcome } = decided;
  if (outcome.status !== "INAPPLICABLE") return {};
  const { error } = outcome.failure;
  return { reason: error.error?.message ?? error.message, error: { ...error, request_id } };
}

function tierShown(catalog: Catalog, decided: Decided, validated: Validated): Fields {
  const { candidate, outcome } = decided;
  if ("unknown" in candidate) return { valid: false, id: candidate.id, object: candidate.object };
  const tier = catalog.promotion_tiers.get(candidate.ref)!;
  const campaign = catalog.campaigns.get(tier.campaign_id)!;
  const { start_date, expiration_date } = settingsOf({ settings: null, template_version: null }, campaign);
  const { id, name, banner, hierarchy, metadata } = tier;
  const about = {
    id,
    name,
    ...(banner !== null && { banner }),
    hierarchy,
    metadata,
    ...(candidate.validity.start_date !== null && { start_date: candidate.validity.start_date }),
    ...(candidate.validity.expiration_date !== null && { expiration_date: candidate.validity.expiration_date }),
    campaign: { id: campaign.id, start_date, expiration_date, active: campaign.active, object: "campaign" },
    ...categoryShown(catalog, tier.category_id),
    object: "promotion_tier",
  };
  if (outcome.status !== "APPLICABLE")
    return { valid: false, ...refusedView(decided, validated), discount: tier.action.discount, ...about };
  const { order, applicable_to, inapplicable_to } = singleView(validated, decided);
  const totals = outcome.result.order && totalsOf(outcome.result.order);
  return {
    valid: true,
    ...(order !== undefined && { order }),
    applicable_to,
    inapplicable_to,
    discount: outcome.result.discount,
    ...(totals && {
      discount_amount: totals.total_discount_amount,
      applied_discount_amount: totals.total_applied_discount_amount,
    }),
    ...about,
  };
}

/** `POST /v1/promotions/tiers/{tierId}/validation`. */
export const showPromotionTier =
  (catalog: Catalog): Show =>
  (validated) => ({
    ...tierShown(catalog, validated.decisions[0]!.decided[0]!, validated),
    ...tracking(validated),
    ...sessionShown(validated),
  });

/** `POST /v1/promotions/validation`: those that apply. */
export const showPromotions =
  (catalog: Catalog): Show =>
  (validated) => {
    const decided = validated.decisions.flatMap((decision) => decision.decided);
    const applying = decided.filter(({ outcome }) => outcome.status === "APPLICABLE");
    return {
      valid: applying.length > 0,
      ...tracking(validated),
      promotions: applying.map((each) => tierShown(catalog, each, validated)),
    };
  };

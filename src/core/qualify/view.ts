import { namingLines, type Order } from "../order/order.ts";
import { orderSteps } from "../order/order-steps.ts";
import { orderView } from "../order/view.ts";
import { evaluateRules } from "../rules/evaluate.ts";
import { spend } from "../steps.ts";
import { redeemableFacts } from "../validate/facts.ts";
import type { Redeemable } from "../validate/redeemable.ts";
import type { Applied } from "../validate/situation.ts";
import { appliedView, type People } from "../validate/view.ts";
import { cursorMoment } from "./cursor.ts";
import type { Offer, SingleOffer } from "./offer.ts";
import type { MatchPage } from "./page.ts";
import type { Match, Question, SingleMatch, StackMatch } from "./qualify.ts";

/** For each line of an order that is shown. */
const LINE_STEPS = 30;

type Fields = Record<string, unknown>;
export type ExpandWord = "redeemable" | "category" | "validation_rules";
export type MatchViewOptions = {
  question: Question;
  people: People;
  expand: ReadonlySet<ExpandWord>;
  /** For the lines that a discount adds. */
  newLineId(): string;
};
/** Each entry is alone on the cart, so each has lines of its own. */
type Showing = MatchViewOptions & { withIds(order: Order): Order };

/** A page as it is answered. `total` counts its own entries. */
export function pageView({ matches, hasMore, resume }: MatchPage, options: MatchViewOptions): Fields {
  const last = matches.at(-1);
  // A page that is not full though not everything was looked at goes on from where the looking ended.
  const next = resume ?? (hasMore && last ? cursorMoment(last.offer.created_at) : null);
  return {
    object: "list",
    data_ref: "data",
    data: matches.map((match) => matchView(match, options)),
    total: matches.length,
    has_more: next !== null,
    ...(next !== null && { more_starting_after: next }),
  };
}

/** One entry. */
function matchView(match: Match, options: MatchViewOptions): Fields {
  const showing: Showing = { ...options, withIds: namingLines(options.newLineId) };
  return "decision" in match ? stackView(match, showing) : singleView(match, showing);
}

function singleView({ offer, redeemable, applied }: SingleMatch, options: Showing): Fields {
  return { ...headOf(offer), ...effectView(redeemable, applied, options), ...expanded(offer, redeemable, options) };
}

/** A stack has no effect of its own: each of its tiers does, one on top of the other. */
function stackView({ offer, decision }: StackMatch, options: Showing): Fields {
  const tiers = decision.decided.flatMap(({ outcome }, n) => {
    const tier = offer.tiers[n];
    return tier && outcome.status === "APPLICABLE"
      ? [singleView({ offer: tier, redeemable: tier.redeemable, applied: outcome.result }, options)]
      : [];
  });
  return {
    ...headOf(offer),
    result: {},
    ...(decision.order && { order: shownOrder(decision.order, options) }),
    ...expanded(offer, null, options),
    redeemables: tiers,
  };
}

const headOf = ({ id, object, created_at, banner }: Offer): Fields => ({
  id,
  object,
  // As the cursor of a page is printed, which names an entry by it.
  created_at: cursorMoment(created_at),
  ...(banner !== null && { banner }),
});

function effectView({ benefit }: Redeemable, applied: Applied, options: Showing): Fields {
  const { steps } = options.question.situation;
  const view = appliedView(applied, null, steps);
  const { gift, loyalty_card } = applied;
  const held =
    gift && benefit.kind === "gift" && options.question.showsLocks
      ? { locked_credits: benefit.held ?? benefit.locked }
      : {};
  const card =
    loyalty_card && benefit.kind === "points"
      ? { balance: Math.max(0, benefit.balance - benefit.locked), ...benefit.exchange }
      : {};
  return {
    ...view,
    result: {
      ...(view.result as Fields),
      ...(gift && { gift: { ...gift, ...held } }),
      ...(loyalty_card && { loyalty_card: { ...loyalty_card, ...card } }),
    },
    ...(applied.order && { order: shownOrder(applied.order, options) }),
  };
}

/** An order without metadata shows none here: an empty order is nothing but whose it is. */
function shownOrder(order: Order, { people, withIds, question: { situation } }: Showing): Fields {
  spend(situation.steps, orderSteps(order, LINE_STEPS));
  const { metadata, ...rest } = orderView(withIds(order), people);
  return Object.keys(order.metadata).length > 0 ? { ...rest, metadata } : rest;
}

function expanded(offer: Offer, redeemable: Redeemable | null, options: MatchViewOptions): Fields {
  const { expand } = options;
  return {
    ...(expand.has("redeemable") && aboutView(offer, redeemable)),
    ...(expand.has("category") && { categories: categoriesView(offer, options.question) }),
    ...(expand.has("validation_rules") && redeemable && assignmentsView(offer as SingleOffer, redeemable, options)),
  };
}

function aboutView(offer: Offer, redeemable: Redeemable | null): Fields {
  const { object, name, campaign_id, campaign_name } = offer;
  return {
    metadata: redeemable?.metadata ?? {},
    ...(name !== null && { name }),
    ...(object !== "campaign" && campaign_name !== null && { campaign_name }),
    ...(object !== "campaign" && campaign_id !== null && { campaign_id }),
  };
}

function categoriesView({ category, category_id }: Offer, { settings }: Question): Fields[] {
  if (category === null || category_id === null) return [];
  const isIn = (list: readonly string[]) => list.includes(category_id);
  const kind = isIn(settings.exclusive_categories) ? "EXCLUSIVE" : isIn(settings.joint_categories) ? "JOINT" : null;
  return [{ ...category, ...(kind && { stacking_rules_type: kind }) }];
}

function assignmentsView(
  { assignments }: SingleOffer,
  redeemable: Redeemable,
  { question: { situation, scenario, order } }: MatchViewOptions,
): Fields {
  if (assignments.length === 0) return {};
  const { only } = scenario.asked;
  const facts = redeemableFacts(redeemable, { order, blocked: new Set(), applied: [] }, situation);
  const omitted = (ruleId: string): readonly string[] => {
    const rule = redeemable.rules.find(({ id }) => id === ruleId);
    const result = rule && evaluateRules(rule.definition, facts, { phase: "before", ...scenario.asked });
    return result?.holds ? result.omitted : [];
  };
  const data = assignments.map((assignment) => {
    const keys = only ? omitted(assignment.rule_id) : [];
    if (!only) return assignment;
    return keys.length === 0
      ? { ...assignment, validation_status: "VALID" }
      : { ...assignment, validation_status: "PARTIALLY_VALID", validation_omitted_rules: keys };
  });
  return { validation_rules_assignments: { object: "list", data_ref: "data", data, total: data.length } };
}

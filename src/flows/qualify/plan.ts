import { type Answer, refusedAnswer, success } from "../../core/answer.ts";
import { type ErrorBody, errorBody } from "../../core/errors.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import type { Order } from "../../core/order/order.ts";
import { type Question, questionOf } from "../../core/qualify/qualify.ts";
import { tooExpensive } from "../../core/steps.ts";
import { situationOf } from "../../steps/checkout/candidates.ts";
import { settingsFor } from "../../steps/checkout/requests.ts";
import { collectionsNamed } from "../../steps/checkout/rule-facts.ts";
import { membershipIn } from "../../steps/goods/goods.ts";
import { pageFor } from "./page.ts";
import type { AddedUnits, QualifyCommand, QualifyRequest, QualifyState } from "./state.ts";

/** What is wrong with a request whatever it asks about. */
export function qualifyRequestFault({ catalog, sent: { metadata } }: QualifyCommand): ErrorBody | null {
  const details = metadata ? metadataFault(catalog.metadata_schemas, "redemption", { metadata, on: "create" }) : null;
  return details === null ? null : errorBody("metadata_validation_failed", { details });
}

/**
 * The answer with the codes that are loaded; null: more of them are needed. What costs too much is refused alone. The
 * last round answers everybody.
 */
export function planAnswer(
  state: QualifyState,
  request: QualifyRequest,
  { isLast }: { isLast: boolean },
): Answer | null {
  const { command, cart } = request;
  try {
    const question = questionFor(request, state.unitsFor(request));
    const page = pageFor(request, question, state);
    if (page.resume !== null && !isLast) return null;
    const rows = new Map([...state.listed.all, ...state.standalone.all].map((row) => [row.id, row]));
    return success(command.show({ page, question, cart, rows }));
  } catch (error) {
    return refusedAnswer(tooExpensive(error), command.request_id);
  }
}

function questionFor(request: QualifyRequest, { units, types }: AddedUnits): Question {
  const { command, cart } = request;
  return questionOf(command.scenario, {
    order: cart.order && withCollections(cart.order, request, types),
    settings: settingsFor(command.catalog),
    filter: command.filter,
    showsLocks: command.session !== null,
    situation: situationOf(command, cart, units),
  });
}

/** A discount may give units of a collection that no rule names. */
function withCollections(
  order: Order,
  { command: { catalog }, cart }: QualifyRequest,
  types: ReadonlySet<string>,
): Order {
  if (![...types].some((id) => catalog.product_collections.has(id))) return order;
  const collections = membershipIn(collectionsNamed(catalog, types), cart.goods, cart.moment, cart.steps);
  return {
    ...order,
    items: order.items.map((item) => ({ ...item, collections: collections(item.product, item.sku) })),
  };
}

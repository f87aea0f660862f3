import type { Catalog } from "../../catalog/catalog.ts";
import { cardPrograms, hasCards, namedInPrograms, startsAny } from "../../catalog/earn-programs.ts";
import { namedInEarnings } from "../../catalog/named-in-rules.ts";
import { segmentIdsOf, setupsOf } from "../../catalog/program-setup.ts";
import { type Occurrence, PROGRAM_TRIGGERS, triggerOf } from "../../core/loyalty/earning/triggers.ts";
import { oncePer } from "../../core/once-per.ts";
import type { Metadata, Order } from "../../core/order/order.ts";
import { cartOf } from "../../core/order/stored.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import { type CustomerFacts, NO_COUNTERS, type RuleFacts } from "../../core/rules/facts.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Db } from "../../db/db.ts";
import type { Origin, Project } from "../../request.ts";
import { findCustomers } from "../../resources/customers/customers/store.ts";
import { evaluationAt, loadSegmentsOf } from "../customers/segment-membership.ts";
import { loadGoods, membershipIn } from "../goods/goods.ts";
import { type EarningTrigger, isReturned, occurrenceOf } from "../points/earning-triggers.ts";

/** An event that points may follow from, with what rules ask about it, as it was at that moment. */
export type Cause = {
  of: Origin;
  id: string;
  trigger: EarningTrigger;
  /** The event in the words of earning rules. */
  occurrence: Occurrence;
  /** Null only of an order that was cancelled and is nobody's. */
  customer: CustomerRow | null;
  segments: ReadonlySet<string>;
  /** Those that the customer was in at another moment, by what is known now. */
  segmentsAt(now: string): ReadonlySet<string>;
  order: Order | null;
  custom_event: Metadata;
  card_id: string | null;
};

const watchKey = ({ event, schema_id, segment_id }: Occurrence): string => `${event} ${schema_id ?? segment_id ?? ""}`;
const CUSTOM_EVENTS = PROGRAM_TRIGGERS.filter((kind) => triggerOf(kind).brings === "custom_event");

/** What the rules and cards of a project's programs wait for. */
const watchedIn = oncePer((catalog: Catalog): ReadonlySet<string> => {
  const active = [...catalog.programs.values()].filter(({ status }) => status === "ACTIVE").map(({ id }) => id);
  const setups = [...setupsOf(catalog, active).values()];
  const triggers = active
    .flatMap((id) => catalog.assignments_of.get(id) ?? [])
    .flatMap(({ component_id }) => catalog.earning_rules.get(component_id) ?? [])
    .filter(({ status }) => status === "ACTIVE")
    .map(({ trigger }) => trigger);
  const slides = setups.flatMap(({ definitions, tiers }) => [
    ...definitions.flatMap(({ points_expiration, pending_points }) => [
      ...(points_expiration.sliding_expiration?.custom_activity_types ?? []),
      ...(pending_points.event_based?.event_types ?? []),
    ]),
    ...(tiers?.structure.expiration?.sliding_expiration?.custom_activity_types ?? []),
    ...(tiers?.tiers ?? []).flatMap((tier) => tier.points_expiration?.sliding_expiration?.custom_activity_types ?? []),
  ]);
  const effects = [...catalog.earning_rules.values()]
    .flatMap(({ earnings }) => earnings.flatMap(({ effects }) => effects))
    .flatMap((effect) =>
      effect.type === "INCENTIVE" ? [] : effect.type === "POINTS" ? effect.points : effect.points_proportional,
    );
  const own = effects.flatMap(
    ({ points_expiration }) => points_expiration?.sliding_expiration?.custom_activity_types ?? [],
  );
  const waited: Occurrence[] = [
    ...triggers.map(({ event, custom_event, segment }) => ({
      event,
      ...(custom_event && { schema_id: custom_event.schema_id }),
      ...(segment && { segment_id: segment.id }),
    })),
    ...[...slides, ...own].flatMap((schema_id) => CUSTOM_EVENTS.map((event) => ({ event, schema_id }))),
  ];
  return new Set(waited.map(watchKey));
});

/** Whether members of programs have to do with it. */
export const isForMembers = ({ trigger }: Pick<Cause, "trigger">): boolean => triggerOf(trigger.kind).v2 !== null;
/** Whether members of programs take back what an order earned, and are given back what it cost. */
export const isCancelled = ({ trigger }: Pick<Cause, "trigger">): boolean =>
  triggerOf(trigger.kind).v2?.wakes === "returns";

const isForCards = (catalog: Catalog, trigger: EarningTrigger): boolean => {
  if (isReturned(trigger)) return hasCards(catalog);
  return (
    cardPrograms(catalog).length > 0 && customerIdOf(trigger) !== null && startsAny(catalog, occurrenceOf(trigger))
  );
};

function isWatched(catalog: Catalog, trigger: EarningTrigger): boolean {
  if (isForCards(catalog, trigger)) return true;
  const { v2 } = triggerOf(trigger.kind);
  if (v2 === null || catalog.programs.size === 0) return false;
  if (v2.wakes === "returns") return true;
  return customerIdOf(trigger) !== null && isWatchedInPrograms(catalog, occurrenceOf(trigger));
}

/** Whether a rule or a card of a program waits for it. */
export const isWatchedInPrograms = (catalog: Catalog, occurrence: Occurrence): boolean =>
  catalog.programs.size > 0 && watchedIn(catalog).has(watchKey(occurrence));

// A batch asks for every command.
/** The segments that an earning, a rule of loyalty cards or a tier asks for. */
export const segmentsWatched = oncePer((catalog: Catalog): ReadonlySet<string> => {
  const setups = setupsOf(catalog, catalog.programs.keys());
  const ofTiers = [...setups.values()].flatMap((one) => segmentIdsOf(one));
  return new Set([...namedInEarnings(catalog).segments, ...namedInPrograms(catalog).segments, ...ofTiers]);
});

const customerIdOf = (trigger: EarningTrigger): string | null =>
  "order" in trigger ? trigger.order.customer_id : trigger.customer_id;

/**
 * What points may follow from, with what is known of it now. What no program waits for is left out. Customers and goods
 * are each one statement, and segments those that they need.
 */
export async function openCauses(
  db: Db,
  project: Pick<Project, "id" | "timezone">,
  catalog: Catalog,
  happened: readonly EarningTrigger[],
): Promise<Cause[]> {
  const triggers = happened.filter((trigger) => isWatched(catalog, trigger));
  if (triggers.length === 0) return [];
  const people = await loadPeople(db, project.id, triggers);
  const segmentIds = segmentsWatched(catalog);
  const segmentsOf =
    segmentIds.size > 0 ? await loadSegmentsOf(db, catalog, people, { projectId: project.id, segmentIds }) : null;
  const cartFrom = await loadCartsOf(db, project, catalog, triggers);
  return triggers.map((trigger, n): Cause => {
    const { of, id } = trigger;
    const customer = people[n]!;
    const segmentsAt = (now: string) => (customer && segmentsOf ? segmentsOf(n, evaluationAt(project, now)) : NOBODY);
    return {
      of,
      id,
      trigger,
      occurrence: occurrenceOf(trigger),
      customer,
      segments: segmentsAt(of.now),
      segmentsAt,
      order: "order" in trigger ? cartFrom(trigger.order, of) : null,
      custom_event: "schema_id" in trigger ? trigger.metadata : {},
      card_id: "schema_id" in trigger ? trigger.card_id : null,
    };
  });
}

/** The customer of each. */
async function loadPeople(
  db: Db,
  projectId: string,
  triggers: readonly EarningTrigger[],
): Promise<(CustomerRow | null)[]> {
  const unknown = triggers.flatMap((trigger) => (trigger.customer ? [] : (customerIdOf(trigger) ?? [])));
  const ids = [...new Set(unknown)];
  const rows = ids.length > 0 ? await findCustomers(db, projectId, { ids, sourceIds: [], trackingIds: [] }) : [];
  const byId = new Map(rows.map((row) => [row.id, row]));
  return triggers.map((trigger) => trigger.customer ?? byId.get(customerIdOf(trigger) ?? "") ?? null);
}

/** Orders as rules ask about them: which collections hold a line is not stored with it. */
async function loadCartsOf(
  db: Db,
  project: Pick<Project, "id" | "timezone">,
  catalog: Catalog,
  triggers: readonly EarningTrigger[],
) {
  const collections = new Set([...namedInEarnings(catalog).collections, ...namedInPrograms(catalog).collections]);
  const orders = triggers.flatMap((trigger) =>
    "order" in trigger && triggerOf(trigger.kind).brings === "order" ? trigger.order : [],
  );
  if (collections.size === 0 || orders.length === 0) return cartOf;
  const items = orders.flatMap((order) => order.items);
  const goods = await loadGoods(db, project.id, {
    products: items.flatMap(({ product }) => product?.id ?? []),
    skus: items.flatMap(({ sku }) => sku?.id ?? []),
  });
  const rows = [...collections].flatMap((id) => catalog.product_collections.get(id) ?? []);
  return (order: OrderRow, { now, steps }: Pick<Origin, "now" | "steps">): Order => {
    const collectionsOf = membershipIn(rows, goods, evaluationAt(project, now), steps);
    const cart = cartOf(order);
    return {
      ...cart,
      items: cart.items.map((item) => ({ ...item, collections: collectionsOf(item.product, item.sku) })),
    };
  };
}

/** What is known of a cause, or of one that is only supposed. */
export type CauseSituation = Pick<Cause, "segments" | "order" | "custom_event"> & {
  of: Pick<Origin, "now" | "steps">;
  customer: Pick<CustomerFacts, "id" | "source_id" | "metadata" | "birthdate"> | null;
};

/** Everything that the rules of an earning may look at. */
export function earningFacts(
  cause: CauseSituation,
  { timezone }: Pick<Project, "timezone">,
  member: Metadata,
): RuleFacts {
  const { customer, segments, order, custom_event, of } = cause;
  return {
    steps: of.steps,
    now: of.now,
    zone: zoneOf({ timezone }),
    customer: customer && {
      id: customer.id,
      source_id: customer.source_id,
      metadata: customer.metadata,
      birthdate: customer.birthdate,
      segments,
      loyalty_tiers: NOBODY,
    },
    // What was paid has its discounts.
    order,
    discounted: order,
    redemption: { metadata: {}, api_key_id: null, user_login: null, gift_credits: 0, points_used: 0 },
    custom_event: { metadata: custom_event },
    member: { metadata: member },
    holder_ids: null,
    counts: NO_COUNTERS,
  };
}
const NOBODY: ReadonlySet<string> = new Set();

import type { Catalog } from "../../catalog/catalog.ts";
import { cardPrograms, hasCards, namedInPrograms, startsAny } from "../../catalog/earn-programs.ts";
import { namedInEarnings } from "../../catalog/named-in-rules.ts";
import { segmentIdsOf, setupsOf } from "../../catalog/program-setup.ts";
import type { CardOccurrence } from "../../core/loyalty/campaign/earning.ts";
import type { Occurrence } from "../../core/loyalty/earning/earning.ts";
import type { Metadata, Order } from "../../core/order/order.ts";
import { cartOf } from "../../core/order/stored.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { CustomerFacts, RuleFacts } from "../../core/rules/facts.ts";
import { resolveZone } from "../../core/time/zone.ts";
import type { Db } from "../../db/db.ts";
import type { Origin, Project } from "../../request.ts";
import { findCustomers } from "../../resources/customers/customers/store.ts";
import { NO_COUNTERS } from "../checkout/use.ts";
import { loadSegmentsOf, momentOf } from "../customers/segment-membership.ts";
import { loadGoods, membershipIn } from "../goods/goods.ts";
import type { EarningTrigger } from "../points/earning-triggers.ts";

/** The same with what rules ask about it, as it was at that moment. */
export type Cause = {
  of: Origin;
  id: string;
  told: EarningTrigger;
  /** What members of programs earn from. Null: an order was cancelled, or it is about loyalty cards alone. */
  occurrence: Occurrence | null;
  /** Null only of an order that was cancelled and is nobody's. */
  customer: CustomerRow | null;
  segments: ReadonlySet<string>;
  /** Those that the customer was in at another moment, by what is known now. */
  segmentsAt(now: string): ReadonlySet<string>;
  order: Order | null;
  custom_event: Metadata;
  card_id: string | null;
};

type Watched = { orders: boolean; schemas: ReadonlySet<string>; segments: ReadonlySet<string> };
const watched = new WeakMap<Catalog, Watched>();

/** What the programs of a project wait for. */
export function watchedIn(catalog: Catalog): Watched {
  const known = watched.get(catalog);
  if (known) return known;
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
    .flatMap(({ earnings }) => earnings.flatMap((one) => one.effects))
    .flatMap((one) => (one.type === "INCENTIVE" ? [] : one.type === "POINTS" ? one.points : one.points_proportional));
  const own = effects.flatMap((one) => one.points_expiration?.sliding_expiration?.custom_activity_types ?? []);
  const found = {
    orders: triggers.some(({ event }) => event === "customer.order.paid"),
    schemas: new Set([...triggers.flatMap(({ custom_event }) => custom_event?.schema_id ?? []), ...slides, ...own]),
    segments: new Set(triggers.flatMap(({ segment }) => segment?.id ?? [])),
  };
  watched.set(catalog, found);
  return found;
}

/** What happened, in the words of the rules of loyalty cards; null: no rule is started by it. */
export function cardOccurrenceOf(one: EarningTrigger): CardOccurrence | null {
  switch (one.kind) {
    case "customer.custom_event":
      return { event: "custom_event", schema_id: one.schema_id };
    case "customer.segment.entered":
      return { event: one.kind, segment_id: one.segment_id };
    case "customer.order.paid":
      return { event: "order.paid" };
    case "customer.order.canceled":
    case "customer.redemption.rollback.succeeded":
      return null;
    default:
      return { event: one.kind, tier_id: one.tier_id, campaign_id: one.campaign_id };
  }
}

/** Whether loyalty cards take back what an order earned. */
export const isReturned = ({ kind }: EarningTrigger): boolean =>
  kind === "customer.order.canceled" || kind === "customer.redemption.rollback.succeeded";

/** Whether members of programs have to do with it. */
export const isForMembers = ({ told, occurrence }: Cause): boolean =>
  occurrence !== null || told.kind === "customer.order.canceled";

const isForCards = (catalog: Catalog, one: EarningTrigger): boolean => {
  if (isReturned(one)) return hasCards(catalog);
  const occurrence = cardPrograms(catalog).length > 0 && customerIdOf(one) !== null ? cardOccurrenceOf(one) : null;
  return occurrence !== null && startsAny(catalog, occurrence);
};

function isWatched(catalog: Catalog, one: EarningTrigger): boolean {
  if (isForCards(catalog, one)) return true;
  if (catalog.programs.size === 0) return false;
  const { orders, schemas, segments } = watchedIn(catalog);
  switch (one.kind) {
    case "customer.custom_event":
      return schemas.has(one.schema_id);
    case "customer.segment.entered":
      return segments.has(one.segment_id);
    case "customer.order.paid":
      return orders && one.order.customer_id !== null;
    case "customer.order.canceled":
      return true;
    default:
      return false;
  }
}

// A batch asks for every command.
const segmentsOfCatalog = new WeakMap<Catalog, ReadonlySet<string>>();

/** The segments that an earning, a rule of loyalty cards or a tier asks for. */
export function segmentsWatched(catalog: Catalog): ReadonlySet<string> {
  const known = segmentsOfCatalog.get(catalog);
  if (known) return known;
  const setups = setupsOf(catalog, catalog.programs.keys());
  const ofTiers = [...setups.values()].flatMap((one) => segmentIdsOf(one));
  const found = new Set([...namedInEarnings(catalog).segments, ...namedInPrograms(catalog).segments, ...ofTiers]);
  segmentsOfCatalog.set(catalog, found);
  return found;
}

const customerIdOf = (one: EarningTrigger): string | null => ("order" in one ? one.order.customer_id : one.customer_id);

/**
 * What points may follow from, with what is known of it now. What no program waits for is left out. Customers and goods
 * are each one statement, and segments those that they need.
 */
export async function openCauses(
  db: Db,
  project: Pick<Project, "id" | "timezone">,
  catalog: Catalog,
  told: readonly EarningTrigger[],
): Promise<Cause[]> {
  const asked = told.filter((one) => isWatched(catalog, one));
  if (asked.length === 0) return [];
  const people = await loadPeople(db, project.id, asked);
  const segmentIds = segmentsWatched(catalog);
  const segmentsOf =
    segmentIds.size > 0 ? await loadSegmentsOf(db, catalog, people, { projectId: project.id, segmentIds }) : null;
  const cartFrom = await loadCartsOf(db, project, catalog, asked);
  return asked.map((one, n): Cause => {
    const customer = people[n]!;
    const segmentsAt = (now: string) => (customer && segmentsOf ? segmentsOf(n, momentOf(project, now)) : NOBODY);
    const segments = segmentsAt(one.of.now);
    return { of: one.of, id: one.id, told: one, customer, segments, segmentsAt, ...aboutOf(one, cartFrom) };
  });
}

/** The customer of each. */
async function loadPeople(
  db: Db,
  projectId: string,
  asked: readonly EarningTrigger[],
): Promise<(CustomerRow | null)[]> {
  const unknown = asked.flatMap((one) => (one.customer ? [] : (customerIdOf(one) ?? [])));
  const ids = [...new Set(unknown)];
  const rows = ids.length > 0 ? await findCustomers(db, projectId, { ids, sourceIds: [], trackingIds: [] }) : [];
  const byId = new Map(rows.map((row) => [row.id, row]));
  return asked.map((one) => one.customer ?? byId.get(customerIdOf(one) ?? "") ?? null);
}

type CartFrom = (order: OrderRow, of: Pick<Origin, "now" | "steps">) => Order;

/** What is special about each kind. */
function aboutOf(
  one: EarningTrigger,
  cartFrom: CartFrom,
): Pick<Cause, "occurrence" | "order" | "custom_event" | "card_id"> {
  const nothing = { order: null, custom_event: {}, card_id: null };
  switch (one.kind) {
    case "customer.custom_event": {
      const { kind: event, schema_id, metadata: custom_event, card_id } = one;
      return { occurrence: { event, schema_id }, order: null, custom_event, card_id };
    }
    case "customer.segment.entered":
      return { ...nothing, occurrence: { event: one.kind, segment_id: one.segment_id } };
    case "customer.order.paid":
      return { ...nothing, occurrence: { event: one.kind }, order: cartFrom(one.order, one.of) };
    case "customer.order.canceled":
    case "customer.redemption.rollback.succeeded":
      return { ...nothing, occurrence: null, order: cartFrom(one.order, one.of) };
    default:
      return { ...nothing, occurrence: null };
  }
}

/** Orders as rules ask about them: which collections hold a line is not stored with it. */
async function loadCartsOf(
  db: Db,
  project: Pick<Project, "id" | "timezone">,
  catalog: Catalog,
  asked: readonly EarningTrigger[],
) {
  const collections = new Set([...namedInEarnings(catalog).collections, ...namedInPrograms(catalog).collections]);
  const orders = asked.flatMap((one) => (one.kind === "customer.order.paid" ? one.order : []));
  if (collections.size === 0 || orders.length === 0) return cartOf;
  const items = orders.flatMap((order) => order.items);
  const goods = await loadGoods(db, project.id, {
    products: items.flatMap(({ product }) => product?.id ?? []),
    skus: items.flatMap(({ sku }) => sku?.id ?? []),
  });
  const rows = [...collections].flatMap((id) => catalog.product_collections.get(id) ?? []);
  return (order: OrderRow, { now, steps }: Pick<Origin, "now" | "steps">): Order => {
    const collectionsOf = membershipIn(rows, goods, momentOf(project, now), steps);
    const cart = cartOf(order);
    return {
      ...cart,
      items: cart.items.map((item) => ({ ...item, collections: collectionsOf(item.product, item.sku) })),
    };
  };
}

/** What is known of a cause, or of one that is only supposed. */
export type Situation = Pick<Cause, "segments" | "order" | "custom_event"> & {
  of: Pick<Origin, "now" | "steps">;
  customer: Pick<CustomerFacts, "id" | "source_id" | "metadata" | "birthdate"> | null;
};

/** Everything that the rules of an earning may look at. */
export function earningFacts(cause: Situation, { timezone }: Pick<Project, "timezone">, member: Metadata): RuleFacts {
  const { customer, segments, order, custom_event, of } = cause;
  return {
    steps: of.steps,
    now: of.now,
    zone: resolveZone(timezone) ?? "UTC",
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

import type { Catalog } from "../../catalog/catalog.ts";
import { type CustomerPatch, mergeCustomer, NO_CUSTOMER_VALUES } from "../../core/customers/customer.ts";
import { type ErrorBody, errorBody, notFound } from "../../core/errors.ts";
import type { FilterEvaluation } from "../../core/filters/operator.ts";
import { metadataFault } from "../../core/metadata/check.ts";
import { nextStep, type Order } from "../../core/order/order.ts";
import { type OrderRequest, orderFault, referencesIn, resolveOrder } from "../../core/order/resolve.ts";
import type { OrderStatus } from "../../core/order/schema.ts";
import { cartOf } from "../../core/order/stored.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { CustomerFacts } from "../../core/rules/facts.ts";
import { restarted, type Steps, tooExpensive } from "../../core/steps.ts";
import type { Db } from "../../db/db.ts";
import type { NewId, Project } from "../../request.ts";
import { bySourceId, findCustomers, trackingIdOf } from "../../resources/customers/customers/store.ts";
import { findOrders } from "../../resources/orders/orders/store.ts";
import { evaluationAt } from "../customers/segment-membership.ts";
import { catalogueOf, type Goods, loadGoods, membershipIn } from "../goods/goods.ts";
import { collectionsNamed, loadStandings } from "./rule-facts.ts";

type CustomerSent = CustomerPatch & {
  id?: string | null | undefined;
  source_id?: string | null | undefined;
  /** Two names of somebody who has to be there; they are neither made nor changed. */
  isThere?: true;
};
type ReferrerSent = {
  referrer?: CustomerSent | string | null | undefined;
  referrer_id?: string | null | undefined;
};
/** Who asks about which cart, as a body says it. */
export type CartSent = {
  customer?: CustomerSent | string | null | undefined;
  order?: (OrderRequest & { status?: OrderStatus | null | undefined } & ReferrerSent) | null | undefined;
  tracking_id?: string | null | undefined;
};
export type CartAsked = {
  catalog: Catalog;
  now: string;
  /** Lines that have no id yet get one. */
  newId: NewId;
  sent: CartSent;
  /** Counts what the request costs. */
  steps?: Steps | undefined;
  /** Asked by a client application: an order that is not its customer's, also one of nobody, is not there for it. */
  isClient?: boolean;
};
/** The cart of a request, as it is decided about. */
export type Cart = {
  customer: CustomerFacts | null;
  /** That of the customer. */
  email: string | null;
  tracking_id: string | null;
  order: Order | null;
  people: { customer_id: string | null; referrer_id: string | null };
  goods: Goods;
  moment: FilterEvaluation;
  /** Counts what the request costs, from here on: what is decided about the cart, and what follows from it, goes on with it. */
  steps: Steps;
};
export type CartProject = Pick<Project, "id" | "timezone" | "secret">;

/** A text is an id or a source id, whichever is there. */
export const customerSent = ({ customer }: CartSent): CustomerSent | null =>
  typeof customer === "string" ? { id: customer } : (customer ?? null);

/** Whom the order names as its referrer, as who asks is named. */
export const referring = ({ order }: CartSent): CartSent => ({
  customer: order?.referrer ?? (order?.referrer_id ? { id: order.referrer_id } : null),
});

/** What carts are made of, as it is stored. */
export type CartRows = {
  people: readonly Person[];
  referrers: readonly Person[];
  orders: readonly Stored[];
  goods: Goods;
  standings: ReadonlyMap<number, Standing>;
};

/**
 * The carts of many requests: five statements, and those that segments and loyalty tiers need, however many requests
 * there are. A request that names what is not there is refused as a value. Nothing is written: a customer who is only described here is not
 * made by a question about a cart.
 */
export async function loadCarts(
  db: Db,
  project: CartProject,
  asked: readonly CartAsked[],
  unitTypes: ReadonlySet<string>,
): Promise<(Cart | { refused: ErrorBody })[]> {
  return cartsFrom(project, asked, await readCarts(db, project, asked), unitTypes);
}

/** Reads what carts are made of, in the order of the requests. */
export async function readCarts(db: Db, project: CartProject, asked: readonly CartAsked[]): Promise<CartRows> {
  const references = asked.map(({ sent }) => referencesIn(sent.order?.items ?? []));
  const [persons, orders, goods] = await Promise.all([
    loadPeople(db, project, [...asked.map(({ sent }) => sent), ...asked.map(({ sent }) => referring(sent))]),
    loadOrders(db, project, asked),
    loadGoods(db, project.id, {
      products: references.flatMap(({ products }) => products),
      skus: references.flatMap(({ skus }) => skus),
    }),
  ]);
  const [people, referrers] = [persons.slice(0, asked.length), persons.slice(asked.length)];
  return { people, referrers, orders, goods, standings: await loadStandingsOf(db, project, { asked, people }) };
}

export const cartsFrom = (
  project: CartProject,
  asked: readonly CartAsked[],
  { people, referrers, orders, goods, standings }: CartRows,
  unitTypes: ReadonlySet<string>,
): (Cart | { refused: ErrorBody })[] =>
  asked.map((one, n) =>
    cartFrom(one, {
      project,
      person: people[n]!,
      referrer: referrers[n]!,
      stored: orders[n]!,
      goods,
      unitTypes,
      ...standings.get(n)!,
    }),
  );

/** What a cart is made of. */
export type CartParts = Standing & {
  project: Pick<Project, "timezone">;
  person: Person;
  /** Whom the order names; somebody who is not there yet is nobody. */
  referrer?: Person;
  stored: Stored;
  goods: Goods;
  unitTypes: ReadonlySet<string>;
};
/** What a customer belongs to, of what rules name. */
type Standing = {
  segmentsOf(moment: FilterEvaluation): ReadonlySet<string>;
  tiersOf(now: string): ReadonlySet<string>;
};

/** The cart of one request. */
export function cartFrom(asked: CartAsked, parts: CartParts): Cart | { refused: ErrorBody } {
  const { project, person, referrer, stored, goods, unitTypes } = parts;
  if ("refused" in person) return person;
  if (referrer && "refused" in referrer) return referrer;
  if (stored !== null && "refused" in stored) return stored;
  if (asked.isClient && stored && (stored.customer_id === null || stored.customer_id !== person.customer?.id))
    return { refused: notFound("order", (asked.sent.order?.id || asked.sent.order?.source_id)!).body };
  const moment = evaluationAt(project, asked.now);
  const steps = restarted(asked.steps);
  let resolved: Order | null;
  try {
    resolved = resolvedOrder(asked, { stored, goods, moment, unitTypes, steps });
  } catch (error) {
    return { refused: tooExpensive(error) };
  }
  const fault = resolved && orderFault(resolved);
  if (fault) return { refused: errorBody("invalid_payload", { details: fault }) };
  const details = metadataFaultIn(asked);
  if (details !== null) return { refused: errorBody("metadata_validation_failed", { details }) };
  const { customer, tracking_id } = person;
  const items = resolved?.items.map((item) => (item.id === null ? { ...item, id: asked.newId("ordli") } : item));
  const order = resolved && { ...resolved, items: items! };
  return {
    customer: customer && {
      ...customerFacts(customer),
      segments: parts.segmentsOf(moment),
      loyalty_tiers: parts.tiersOf(asked.now),
    },
    email: customer?.email ?? null,
    tracking_id,
    order,
    people: {
      customer_id: customer?.id ?? stored?.customer_id ?? null,
      referrer_id: referrer?.customer?.id ?? stored?.referrer_id ?? null,
    },
    goods,
    moment,
    steps,
  };
}

/** What is wrong with the metadata that is sent. Whoever stores it asks beside this for what is required. */
function metadataFaultIn({ catalog: { metadata_schemas }, sent: { customer, order } }: CartAsked): string | null {
  const check = (object: string, metadata: object | null | undefined) =>
    metadata ? metadataFault(metadata_schemas, object, { metadata: metadata as never, on: "update" }) : null;
  const isChecked = metadata_schemas.has("order_item") || metadata_schemas.has("product");
  return (
    check("customer", typeof customer === "object" ? customer?.metadata : null) ??
    check("order", order?.metadata) ??
    (isChecked ? (order?.items ?? []) : [])
      .map(
        ({ metadata, product, sku }) =>
          check("order_item", metadata) ?? check("product", product?.metadata) ?? check("product", sku?.metadata),
      )
      .find((one) => one !== null) ??
    null
  );
}

/** A customer as the request describes it: what is stored, and over it what is sent. */
type DescribedCustomer = Partial<CustomerRow> & Pick<CustomerRow, "metadata" | "birthdate">;
export type Person = { customer: DescribedCustomer | null; tracking_id: string | null } | { refused: ErrorBody };

async function loadPeople(db: Db, { id, secret }: CartProject, asked: readonly CartSent[]): Promise<Person[]> {
  const named = asked.map((sent) => ({ customer: customerSent(sent), tracking: sent.tracking_id || null, sent }));
  const texts = named.flatMap(({ sent }) => (typeof sent.customer === "string" ? [sent.customer] : []));
  const tracked = named.flatMap(({ tracking }) => tracking ?? []);
  const ids = named.flatMap(({ customer }) => customer?.id ?? []);
  const sourceIds = [...named.flatMap(({ customer }) => customer?.source_id ?? []), ...texts, ...tracked];
  const rows =
    ids.length + sourceIds.length === 0 ? [] : await findCustomers(db, id, { ids, sourceIds, trackingIds: tracked });
  const by = (field: "id" | "tracking_id") => new Map(rows.map((row) => [row[field], row]));
  const [byId, byTracking] = [by("id"), by("tracking_id")];

  const find: FindPeople = {
    byId: (one) => byId.get(one),
    bySource: bySourceId(rows),
    byTracking: (one) => byTracking.get(one),
  };
  return asked.map((sent) => personFrom(sent, find, secret));
}

/** Where customers are found: in the database, or among those that a transaction works on. */
export type FindPeople = Record<"byId" | "bySource" | "byTracking", (name: string) => CustomerRow | undefined>;

/** Who asks. A customer that is named by id alone and is not there, and two that are not the same, are refused. */
export function personFrom(sent: CartSent, find: FindPeople, secret: string): Person {
  const [customer, tracking] = [customerSent(sent), sent.tracking_id || null];
  const source_id = typeof sent.customer === "string" ? sent.customer : customer?.source_id;
  const found = (customer?.id && find.byId(customer.id)) || find.bySource(source_id ?? "");
  if (customer?.id && !found && (customer.isThere || !customer.source_id))
    return { refused: notFound("customer", customer.id).body };
  const tracks = tracking === null ? undefined : (find.byTracking(tracking) ?? find.bySource(tracking));
  if (customer === null) {
    // Contract is silent: a tracking id that nobody has yet. It is shown as it would be once somebody has it.
    const unknown = tracking?.startsWith("track_") ? tracking : tracking && trackingIdOf(secret, tracking);
    return { customer: tracks ?? null, tracking_id: tracks?.tracking_id ?? unknown };
  }
  const source = found?.source_id ?? customer.source_id ?? null;
  const own = found?.tracking_id ?? (source === null ? null : trackingIdOf(secret, source));
  if (tracking !== null && own !== null && tracking !== own && tracking !== source)
    return {
      refused: errorBody("ambiguous_tracking_id", { details: "tracking_id and customer name different customers" }),
    };
  const { values } = mergeCustomer(found ?? NO_CUSTOMER_VALUES, customer);
  return { customer: { ...found, source_id: source, ...values }, tracking_id: own };
}

const customerFacts = ({
  id,
  source_id,
  metadata,
  birthdate,
}: DescribedCustomer): Omit<CustomerFacts, "segments" | "loyalty_tiers"> => ({
  id: id ?? null,
  source_id: source_id ?? null,
  metadata,
  birthdate,
});

/** They are asked once for each catalog that is in the batch, which is one unless somebody configures meanwhile. */
async function loadStandingsOf(
  db: Db,
  project: CartProject,
  { asked, people }: { asked: readonly CartAsked[]; people: readonly Person[] },
): Promise<Map<number, Standing>> {
  const groups = Map.groupBy(asked.keys(), (n) => asked[n]!.catalog);
  const found = new Map<number, Standing>();
  for (const [catalog, members] of groups) {
    const { segmentsOf, tiersOf } = await loadStandings(db, project, catalog, () =>
      members.map((n) => ("refused" in people[n]! ? null : people[n]!.customer)),
    );
    for (const [place, n] of members.entries())
      found.set(n, { segmentsOf: (moment) => segmentsOf(place, moment), tiersOf: (now) => tiersOf(place, now) });
  }
  return found;
}

export type Stored = OrderRow | null | { refused: ErrorBody };

async function loadOrders(db: Db, { id }: CartProject, asked: readonly CartAsked[]): Promise<Stored[]> {
  const ids = asked.flatMap(({ sent }) => sent.order?.id || []);
  const sourceIds = asked.flatMap(({ sent }) => (sent.order?.id ? [] : sent.order?.source_id || []));
  const rows = ids.length + sourceIds.length === 0 ? [] : await findOrders(db, id, { ids, sourceIds });
  const byId = new Map(rows.map((row) => [row.id, row]));
  const bySource = new Map(rows.map((row) => [row.source_id, row]));
  return asked.map(({ sent: { order } }) => {
    if (order?.id) return byId.get(order.id) ?? { refused: notFound("order", order.id).body };
    return order?.source_id ? (bySource.get(order.source_id) ?? null) : null;
  });
}

type Resolving = {
  stored: OrderRow | null;
  goods: Goods;
  moment: FilterEvaluation;
  unitTypes: ReadonlySet<string>;
  steps: Steps;
};

/**
 * The cart that is decided about. A stored order goes on with what was taken off it before; named by its id, what is
 * sent counts before what is stored; named by its source id, it is taken as it is stored.
 */
function resolvedOrder(
  { catalog, sent: { order } }: CartAsked,
  { stored, goods, moment, unitTypes, steps }: Resolving,
): Order | null {
  if (!order) return null;
  const collections = membershipIn(collectionsNamed(catalog, unitTypes), goods, moment, steps);
  if (!stored) return resolveOrder(order, catalogueOf(goods, collections));
  const cart = cartOf(stored);
  const kept = cart.items.map((item) => ({ ...item, collections: collections(item.product, item.sku) }));
  if (!order.id) return nextStep({ ...cart, items: kept });
  const sent = resolveOrder(order, catalogueOf(goods, collections));
  const isSent = order.items != null || order.amount != null;
  const amount = sent.amount ?? stored.amount;
  return nextStep({
    ...(isSent ? { ...sent, amount, initial_amount: amount } : cart),
    id: stored.id,
    source_id: stored.source_id,
    metadata: { ...stored.metadata, ...order.metadata },
    discount_amount: Math.min(stored.discount_amount, amount ?? 0),
    ...(stored.zero_discounts !== null && { zero_discounts: stored.zero_discounts }),
    items: order.items == null ? kept : sent.items,
  });
}

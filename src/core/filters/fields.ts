import { isObject } from "../shapes.ts";
import type { ContentKind } from "./operator.ts";

/** What costs a query of its own to know. A filter says which of them it looks at. */
export type FilterFact = "summary" | "events" | "loyalty" | "skus" | "locations";

export type Reader = (subject: unknown) => unknown;

export type Field = {
  kind: ContentKind;
  fact: FilterFact | null;
  /** A number in 1/100 of the major unit. */
  isMoney?: true;
  /** How it is read, for the name that `*` stands for; by default the path leads into the subject. */
  reader?: (name: string) => Reader;
};

/**
 * The fields that a filter may name. A `*` stands for a name of one or more characters, dots and spaces included:
 * `events.*.count` takes `events.Left a review. Twice.count`.
 */
export type FieldTable = Readonly<Record<string, Field>>;

type Values = Readonly<Record<string, unknown>>;

/** What `CUSTOMER_FIELDS` reads. What was not loaded, or is not known, is left out or null. */
export type CustomerSubject = {
  id?: string | null;
  source_id?: string | null;
  name?: string | null;
  email?: string | null;
  phone?: string | null;
  birthdate?: string | null;
  description?: string | null;
  address?: Values | null;
  metadata?: Values;
  system_metadata?: Values;
  created_at?: string | null;
  updated_at?: string | null;
  summary?: Values | null;
  /** All that the customer ever did, by name. Given and without a name: it was done 0 times. */
  events?: Readonly<Record<string, { count: number; last_date: string | null }>> | null;
  /** `campaigns` by the name of the campaign. */
  loyalty?: Values | null;
};

/** What `PRODUCT_FIELDS` reads. The `name` of a SKU is what it calls `sku`. */
export type ProductSubject = {
  object: "product" | "sku";
  id?: string | null;
  product_id?: string | null;
  source_id?: string | null;
  name?: string | null;
  price?: number | null;
  attributes?: readonly string[] | Values;
  image_url?: string | null;
  skus?: readonly string[];
  metadata?: Values;
  created_at?: string | null;
  updated_at?: string | null;
};

const field = (kind: ContentKind, fact: FilterFact | null = null): Field => ({ kind, fact });
const TEXT = field("text");
const NUMBER = field("number");
const DATE = field("date");
const METADATA = field("metadata");
const SUMMARY = field("number", "summary");
const SUMMARY_MONEY: Field = { ...SUMMARY, isMoney: true };
const LOYALTY = field("number", "loyalty");

/** The fields of promotion tiers that a request can filter by. */
export const TIER_FIELDS: FieldTable = { promotion_id: TEXT, "metadata.*": METADATA };

export const CUSTOMER_FIELDS: FieldTable = {
  id: TEXT,
  source_id: TEXT,
  name: TEXT,
  email: TEXT,
  phone: TEXT,
  description: TEXT,
  birthdate: field("birthdate"),
  created_at: DATE,
  updated_at: DATE,
  "address.city": TEXT,
  "address.country": TEXT,
  "address.postal_code": TEXT,
  "address.state": TEXT,
  "address.line_1": TEXT,
  "address.line_2": TEXT,
  "metadata.*": METADATA,
  "system_metadata.*": METADATA,
  "events.*.count": { kind: "number", fact: "events", reader: countOfEvents },
  "events.*.last_date": field("date", "events"),
  "summary.orders.total_amount": SUMMARY_MONEY,
  "summary.orders.total_count": SUMMARY,
  "summary.orders.average_amount": SUMMARY_MONEY,
  "summary.orders.last_order_amount": SUMMARY_MONEY,
  "summary.orders.last_order_date": field("date", "summary"),
  "summary.redemptions.total_redeemed": SUMMARY,
  "summary.redemptions.total_failed": SUMMARY,
  "summary.redemptions.total_succeeded": SUMMARY,
  "summary.redemptions.total_rolled_back": SUMMARY,
  "summary.redemptions.total_rollback_failed": SUMMARY,
  "summary.redemptions.total_rollback_succeeded": SUMMARY,
  "summary.redemptions.gift.redeemed_amount": SUMMARY_MONEY,
  "summary.redemptions.gift.amount_to_go": SUMMARY_MONEY,
  "summary.redemptions.loyalty_card.redeemed_points": SUMMARY,
  "summary.redemptions.loyalty_card.points_to_go": SUMMARY,
  "loyalty.points": LOYALTY,
  "loyalty.referred_customers": LOYALTY,
  "loyalty.tiers": { kind: "list", fact: "loyalty", reader: () => customerTiers },
  "loyalty.campaigns.*.points": LOYALTY,
  "loyalty.campaigns.*.referred_customers": LOYALTY,
  "loyalty.campaigns.*.loyalty_tier": field("text", "loyalty"),
  "loyalty_points.campaigns.*.points": {
    ...LOYALTY,
    reader: (name) => along(["loyalty", "campaigns", name, "points"]),
  },
};

export const PRODUCT_FIELDS: FieldTable = {
  id: TEXT,
  product_id: TEXT,
  source_id: TEXT,
  name: TEXT,
  price: { ...NUMBER, isMoney: true },
  object: TEXT,
  attributes: { kind: "list", fact: null, reader: () => attributesOf },
  image_url: TEXT,
  skus: field("list", "skus"),
  created_at: DATE,
  updated_at: DATE,
  "metadata.*": METADATA,
};

const ALL_FIELDS: FieldTable = { ...PRODUCT_FIELDS, ...CUSTOMER_FIELDS };

/** A property of the object itself: what every object inherits does not count, so `metadata.constructor` is a plain key. */
export const own = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

function along(keys: readonly string[]): Reader {
  return (subject) => {
    let value = subject;
    for (const key of keys) value = own(value, key);
    return value;
  };
}

/** A key that is there as it is written comes first, so that one called `a.b` can be reached; else dots lead inwards. */
function readKeyOf(container: string, name: string): Reader {
  const keys = name.split(".");
  const inwards = keys.length > 1 ? along(keys) : () => undefined;
  return (subject) => {
    const values = own(subject, container);
    return isObject(values) && Object.hasOwn(values, name) ? values[name] : inwards(values);
  };
}

/** A customer whose events are known and who never did this one did it 0 times. */
function countOfEvents(name: string): Reader {
  return (subject) => {
    const events = own(subject, "events");
    return isObject(events) ? (own(own(events, name), "count") ?? 0) : undefined;
  };
}

/** The tiers held, over all campaigns. */
function customerTiers(subject: unknown): unknown {
  const campaigns = own(own(subject, "loyalty"), "campaigns");
  return isObject(campaigns) ? Object.values(campaigns).map((campaign) => own(campaign, "loyalty_tier")) : undefined;
}

/** A product lists the names of its attributes, a SKU gives them values: both are asked for the names. */
function attributesOf(subject: unknown): unknown {
  const attributes = own(subject, "attributes");
  return isObject(attributes) ? Object.keys(attributes) : attributes;
}

function defaultReader(pattern: string, name: string): Reader {
  const keys = pattern.split(".");
  const [container = "", ...rest] = keys;
  if (rest.length === 1 && rest[0] === "*") return readKeyOf(container, name);
  return along(keys.map((key) => (key === "*" ? name : key)));
}

/** The name that the `*` of the pattern stands for in the path, or null when the path is not of the pattern. */
function nameIn(path: string, pattern: string): string | null {
  const star = pattern.indexOf("*");
  if (star < 0) return null;
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  const fits = path.length > before.length + after.length && path.startsWith(before) && path.endsWith(after);
  return fits ? path.slice(before.length, path.length - after.length) : null;
}

/** The field that the path names, and its reader; null when the table has none. */
export function findField(path: string, fields: FieldTable): { field: Field; read: Reader } | null {
  const exact = Object.hasOwn(fields, path) && !path.includes("*") ? fields[path] : undefined;
  if (exact) return { field: exact, read: exact.reader?.("") ?? defaultReader(path, "") };
  for (const [pattern, field] of Object.entries(fields)) {
    const name = nameIn(path, pattern);
    if (name !== null) return { field, read: field.reader?.(name) ?? defaultReader(pattern, name) };
  }
  return null;
}

/** The value at a path of a customer, a product or a SKU; undefined where there is none. Compiled filters keep the reader. */
export const readField = (subject: unknown, path: string, fields: FieldTable = ALL_FIELDS): unknown =>
  findField(path, fields)?.read(subject);

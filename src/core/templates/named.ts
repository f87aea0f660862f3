import type { ApplicableEntry } from "../discounts/targets.ts";
import { STANDARD_OBJECTS } from "../metadata/definition.ts";
import type { RuleDefinition } from "../rules/definition.ts";
import { productEntries } from "../rules/products.ts";
import { findRule } from "../rules/registry.ts";
import { nodesOf, type RuleMap, type RuleNode } from "../rules/rule.ts";

/** Rules about something that one project has and no other can be given. */
const UNSUPPORTED = ["redemption.api_key", "redemption.user.login", "customer.loyalty.tier"];

export type MetadataKey = { related_object: string; property: string };
/** What rules name: by id or, for products and SKUs, by source id too. Each once. */
export type NamedInTemplate = {
  products: string[];
  skus: string[];
  product_collections: string[];
  segments: string[];
  metadata: MetadataKey[];
  /** The names of rules that a template cannot hold. */
  unsupported: string[];
};

const distinctByJson = <T>(values: readonly T[]): T[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];
const nodesIn = (map: RuleMap): RuleNode[] => nodesOf(map).flatMap(([, node]) => [node, ...nodesIn(node.rules)]);

/** What the rules of a campaign and the units of its discount name. */
export function namedInDefinitions(
  definitions: readonly RuleDefinition[],
  unitTypes: readonly string[],
): NamedInTemplate {
  const nodes = definitions.flatMap(({ rules, bundle_rules: { limit: _, ...bundle } }) => [
    ...nodesIn(rules),
    ...nodesIn(bundle as RuleMap),
  ]);
  const asked = nodes.map((node) => ({ node, rule: findRule(node.name) }));
  const entries: Pick<ApplicableEntry, "object" | "id">[] = [
    ...asked.flatMap(({ node, rule }) =>
      rule?.kind === "lines" && rule.takes === "products"
        ? conditionValues(node).flatMap((value) => productEntries(value, rule.object))
        : [],
    ),
    ...definitions.flatMap(({ applicable_to: { included, excluded } }) => [...included, ...excluded]),
    // Units are of a product or of a SKU, and only the id says which.
    ...unitTypes.flatMap((id) =>
      (["product", "sku", "products_collection"] as const).map((object) => ({ object, id })),
    ),
  ];
  const idsOf = (object: ApplicableEntry["object"]) =>
    distinctByJson(entries.filter((one) => one.object === object).map(({ id }) => id));
  return {
    products: idsOf("product"),
    skus: idsOf("sku"),
    product_collections: idsOf("products_collection"),
    segments: distinctByJson(
      asked.flatMap(({ node, rule }) =>
        rule?.name === "customer.segment" ? conditionValues(node).filter((value) => typeof value === "string") : [],
      ),
    ),
    metadata: distinctByJson(
      asked.flatMap(({ node: { property }, rule }) => {
        const related_object = ruleObject(rule?.name ?? "");
        return property && related_object ? [{ related_object, property }] : [];
      }),
    ),
    unsupported: distinctByJson(
      asked.flatMap(({ rule }) => (rule && UNSUPPORTED.includes(rule.name) ? [rule.name] : [])),
    ),
  };
}

const conditionValues = ({ conditions }: RuleNode): unknown[] => Object.values(conditions).flat();

/** Whose metadata a rule looks at. */
function ruleObject(name: string): string | null {
  const object = name.startsWith("order.items.metadata") ? "order_item" : name.replace(/\.metadata$/, "");
  return (STANDARD_OBJECTS as readonly string[]).includes(object) ? object : null;
}

type Filter = Readonly<Record<string, unknown>>;
/** What the filters of segments and collections name: ids by their prefixes, keys of metadata, custom events. */
export function namedInFilters(filters: readonly Filter[], related_object: "customer" | "product") {
  const texts = distinctByJson(filters.flatMap((filter) => nestedTexts(filter)));
  const fields = distinctByJson(filters.flatMap((filter) => Object.keys(filter)));
  const inside = (pattern: RegExp) => distinctByJson(fields.flatMap((field) => pattern.exec(field)?.[1] ?? []));
  return {
    products: texts.filter((text) => text.startsWith("prod_")),
    skus: texts.filter((text) => text.startsWith("sku_")),
    locations: texts.filter((text) => text.startsWith("loc_")),
    metadata: inside(/^metadata\.(.+)$/).map((property): MetadataKey => ({ related_object, property })),
    custom_events: inside(/^events\.(.+)\.(?:count|last_date)$/),
  };
}

const nestedTexts = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(nestedTexts)
      : [];

/** The same value with other ids: a text that is one of the old ids becomes the new one, however deep it stands. */
export function replaceIds<T>(value: T, ids: ReadonlyMap<string, string>): T {
  if (typeof value === "string") return (ids.get(value) ?? value) as T;
  if (Array.isArray(value)) return value.map((one) => replaceIds(one, ids)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaceIds(one, ids)])) as T;
}

import type { Metadata } from "../order/order.ts";
import type { ExampleFacts } from "./examples.ts";
import { readProperty } from "./property.ts";
import { defineRule, type FactsFor, type Family, type Need, single } from "./rule.ts";

type Source = {
  name: string;
  summary: string;
  family: Family;
  needs: readonly Need[];
  metadata(facts: FactsFor<never, never>): Metadata | undefined;
  example(metadata: Metadata): ExampleFacts;
};

/** Rules about one property of metadata differ in whose metadata it is, and in nothing else. */
const SOURCES: readonly Source[] = [
  {
    name: "customer.metadata",
    summary: "A metadata property of the customer.",
    family: "customer",
    needs: ["customer"],
    metadata: ({ customer }) => customer?.metadata,
    example: (metadata) => ({ customer: { metadata } }),
  },
  {
    name: "member.metadata",
    summary: "A metadata property of the member of a loyalty program.",
    family: "customer",
    needs: ["member"],
    metadata: ({ member }) => member?.metadata,
    example: (metadata) => ({ member: { metadata } }),
  },
  {
    name: "order.metadata",
    summary: "A metadata property of the order.",
    family: "order",
    needs: ["order"],
    metadata: ({ order }) => order?.metadata,
    example: (metadata) => ({ order: { metadata } }),
  },
  {
    name: "redemption.metadata",
    summary: "A metadata property of the validation or redemption request.",
    family: "redemption",
    needs: [],
    metadata: ({ redemption }) => redemption.metadata,
    example: (metadata) => ({ redemption: { metadata } }),
  },
  {
    name: "custom_event.metadata",
    summary: "A metadata property of the custom event.",
    family: "redemption",
    needs: ["custom_event"],
    metadata: ({ custom_event }) => custom_event?.metadata,
    example: (metadata) => ({ custom_event: { metadata } }),
  },
];

export const metadataRules = SOURCES.map(({ name, summary, family, needs, metadata, example }) =>
  defineRule({
    name,
    summary,
    family,
    takes: "metadata",
    property: true,
    needs,
    read: (facts, { property }) => single(readProperty(metadata(facts) ?? {}, property)),
    examples: [
      { property: "city", conditions: { $is: ["Oslo"] }, facts: example({ city: "Oslo" }), holds: true },
      { property: "city", conditions: { $is: ["oslo"] }, facts: example({ city: "Oslo" }), holds: false },
      { property: "city", conditions: { $is: ["Oslo"] }, facts: example({}), holds: false },
      { property: "city", conditions: { $is_not: ["Oslo"] }, facts: example({}), holds: true },
      { property: "age", conditions: { $more_than: [17], $less_than: [30] }, facts: example({ age: 18 }), holds: true },
      { property: "a.b", conditions: { $is: ["x"] }, facts: example({ a: { b: "x" } }), holds: true },
      { property: "likes", conditions: { $in: ["tea"] }, facts: example({ likes: ["tea", "milk"] }), holds: true },
    ],
  }),
);

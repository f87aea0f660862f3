import { type Static, type TSchema, Type } from "typebox";
import { invalid } from "../../errors.ts";
import { Cents, Choice, optional, strict } from "../../shapes.ts";
import { idOf, maybe, variantOf } from "../program/shape.ts";
import { type ProgramTrigger, programTriggersBringing, type TriggerFact, triggerOf } from "./triggers.ts";

const WHOLE_MAX = Number.MAX_SAFE_INTEGER;
const per = {
  every: Type.Integer({ minimum: 1, maximum: WHOLE_MAX }),
  value: Type.Number({ minimum: 0, maximum: WHOLE_MAX }),
};
const perCents = { ...per, every: Cents({ minimum: 1 }) };
const PerCents = strict(perCents);
const PerProperty = strict({ ...per, property: Type.String({ minLength: 1, maxLength: 1000 }) });

const TARGETS = { product: "prod", sku: "sku", products_collection: "pc" } as const;
const target = Object.fromEntries(
  Object.entries(TARGETS).map(([field, prefix]) => [field, strict({ id: idOf(prefix) })]),
) as Record<keyof typeof TARGETS, ReturnType<typeof strict<{ id: ReturnType<typeof idOf> }>>>;
const ItemTypes = Choice(["product", "sku", "products_collection"]);
const items = (applicable: TSchema) => {
  const applicable_to = Type.Array(applicable, { minItems: 1, maxItems: 100 });
  const ofAmount = strict({ ...perCents, applicable_to });
  return { amount: ofAmount, subtotal_amount: ofAmount, quantity: strict({ ...per, applicable_to }) };
};

/** The lines that count: of a product, of a SKU, or of what is in a collection. */
export type CountedLines = {
  type: keyof typeof TARGETS;
  product?: { id: string };
  sku?: { id: string };
  products_collection?: { id: string };
};
type Per = Static<typeof PerCents>;
type PerProperty = Static<typeof PerProperty>;
type PerItems = Per & { applicable_to: CountedLines[] };

/** What the points are counted from. Exactly one of the fields is there. */
export type Base = {
  order?: { amount?: Per; total_amount?: Per; metadata?: PerProperty };
  customer?: { metadata: PerProperty };
  custom_event?: { metadata: PerProperty };
  order_items?: { amount?: PerItems; subtotal_amount?: PerItems; quantity?: PerItems };
};

/** Each way to count: where its configuration stands, and the fact without which it has nothing to count. */
export const CALCULATIONS = {
  PRE_DISCOUNT_ORDER_AMOUNT: { at: ["order", "amount"], needs: "order" },
  POST_DISCOUNT_ORDER_AMOUNT: { at: ["order", "total_amount"], needs: "order" },
  ORDER_METADATA_VALUE: { at: ["order", "metadata"], needs: "order" },
  PRE_DISCOUNT_ORDER_ITEMS_AMOUNT: { at: ["order_items", "amount"], needs: "order" },
  POST_DISCOUNT_ORDER_ITEMS_AMOUNT: { at: ["order_items", "subtotal_amount"], needs: "order" },
  ORDER_ITEMS_QUANTITY: { at: ["order_items", "quantity"], needs: "order" },
  CUSTOMER_METADATA_VALUE: { at: ["customer", "metadata"], needs: null },
  CUSTOM_EVENT_METADATA_VALUE: { at: ["custom_event", "metadata"], needs: "custom_event" },
} as const satisfies Record<string, { at: readonly [string, string]; needs: TriggerFact | null }>;
export type CalculationType = keyof typeof CALCULATIONS;
const TYPES = Object.keys(CALCULATIONS) as CalculationType[];

/** Points in proportion to something: `value` for every `every` of it. */
export type Proportional = { calculation_type: CalculationType; card_definition_id: string } & Base;

const itemsSent = items(strict({ type: Type.Optional(ItemTypes), ...maybe(target) }));
const itemsStored = items(strict({ type: ItemTypes, ...optional(target) }));

export const proportionalFields = {
  calculation_type: Choice(TYPES),
  card_definition_id: idOf("lcdef"),
  ...optional({
    order: strict(optional({ amount: PerCents, total_amount: PerCents, metadata: PerProperty })),
    customer: strict({ metadata: PerProperty }),
    custom_event: strict({ metadata: PerProperty }),
    order_items: strict(optional(itemsStored)),
  }),
};
export const proportionalSent = {
  calculation_type: Type.Optional(Choice(TYPES)),
  card_definition_id: idOf("lcdef"),
  ...maybe({
    order: strict(maybe({ amount: PerCents, total_amount: PerCents, metadata: PerProperty })),
    customer: strict(maybe({ metadata: PerProperty })),
    custom_event: strict(maybe({ metadata: PerProperty })),
    order_items: strict(maybe(itemsSent)),
  }),
};
const ProportionalSent = strict(proportionalSent);
export type ProportionalSent = Static<typeof ProportionalSent>;

type Fields = Readonly<Record<string, unknown>>;

/** As it is stored. Without a trigger, as in a benefit, every way to count is taken. */
export function parseProportional(
  sent: ProportionalSent,
  { path, trigger }: { path: string; trigger: ProgramTrigger | null },
): Proportional {
  // The way to count stands two fields deep, so the two are put together for the question which one it is.
  const there = Object.fromEntries(
    TYPES.map((type) => CALCULATIONS[type].at).map(([branch, field]) => [
      `${branch}.${field}`,
      (sent[branch] as Fields | null | undefined)?.[field],
    ]),
  );
  const variants = Object.fromEntries(TYPES.map((type) => [type, CALCULATIONS[type].at.join(".")])) as Record<
    CalculationType,
    string
  >;
  const given = { ...there, calculation_type: sent.calculation_type };
  const type = variantOf(given, variants, { path, by: "calculation_type" });
  const { at, needs } = CALCULATIONS[type];
  const [branch, field] = at;
  for (const other of ["order", "customer", "custom_event", "order_items"] as const)
    if (other !== branch && sent[other] != null)
      throw invalid(`Property ${path} must NOT have additional property '${other}' when calculation_type is ${type}`);
  if (needs !== null && trigger !== null && needs !== triggerOf(trigger).brings) {
    const needed = programTriggersBringing(needs).join(" or ");
    throw invalid(`Property ${path}.calculation_type: ${type} needs the trigger ${needed}`);
  }
  const config = there[`${branch}.${field}`] as Fields;
  const stored =
    branch === "order_items"
      ? { ...config, applicable_to: parseTargets(config.applicable_to as Fields[], `${path}.${branch}.${field}`) }
      : config;
  return { calculation_type: type, card_definition_id: sent.card_definition_id, [branch]: { [field]: stored } };
}

const parseTargets = (sent: readonly Fields[], path: string): CountedLines[] =>
  sent.map((one, n) => {
    const variants = { product: "product", sku: "sku", products_collection: "products_collection" } as const;
    const type = variantOf(one, variants, { path: `${path}.applicable_to[${n}]` });
    return { type, [type]: one[type] };
  });

/** The numbers of a proportion, wherever they stand: what is counted decides the field. */
export function rateOf(proportional: Proportional): Per & { property?: string; applicable_to?: CountedLines[] } {
  const [branch, field] = CALCULATIONS[proportional.calculation_type].at;
  return (proportional[branch] as Record<string, Per>)[field]!;
}

/** The collections whose lines count. */
export const collectionsCounted = (proportional: Proportional): string[] =>
  (rateOf(proportional).applicable_to ?? []).flatMap(({ products_collection }) => products_collection?.id ?? []);

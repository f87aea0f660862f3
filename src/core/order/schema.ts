import { type Static, Type } from "typebox";
import { METADATA_BYTES_MAX } from "../metadata/size.ts";
import { Cents, Nullable } from "../shapes.ts";

export const ITEMS_MAX = 500;
const SAFE = Number.MAX_SAFE_INTEGER;
const nullable = <T>(type: string, limits: object = {}) => Type.Unsafe<T | null>({ type: [type, "null"], ...limits });
const Amount = Nullable(Cents());
const Count = nullable<number>("integer", { minimum: 0, maximum: SAFE });
const Reference = nullable<string>("string", { maxLength: 500 });
const Metadata = nullable<Record<string, unknown>>("object", {
  additionalProperties: true,
  "x-max-bytes": METADATA_BYTES_MAX,
});
const optional = <P extends Record<string, ReturnType<typeof Type.Unsafe>>>(props: P) =>
  Object.fromEntries(Object.entries(props).map(([key, schema]) => [key, Type.Optional(schema)])) as {
    [K in keyof P]: ReturnType<typeof Type.Optional<P[K]>>;
  };
const Override = nullable<boolean>("boolean", {
  description: "True: where the order is stored, the catalogue takes over what is sent here.",
});

/** A line as it is sent. Its quantity may be a number in text. */
export const OrderItemInBody = Type.Object(
  {
    ...optional({
      sku_id: Reference,
      product_id: Reference,
      source_id: Reference,
      quantity: Type.Unsafe<number | string | null>({
        type: ["integer", "string", "null"],
        minimum: 0,
        maximum: SAFE,
        pattern: "^[0-9]{1,15}$",
      }),
      price: Amount,
      amount: Amount,
      discount_amount: Amount,
      discount_quantity: Count,
      metadata: Metadata,
    }),
    related_object: Type.Optional(
      Type.Unsafe<"product" | "sku" | null>({ type: ["string", "null"], enum: ["product", "sku", null] }),
    ),
    initial_quantity: Type.Optional(nullable<number>("integer", { minimum: 1, maximum: SAFE })),
    product: Type.Optional(
      Type.Unsafe<{
        id?: string | null;
        source_id?: string | null;
        name?: string | null;
        price?: number | null;
        metadata?: Record<string, unknown> | null;
        override?: boolean | null;
      } | null>({
        type: ["object", "null"],
        additionalProperties: true,
        properties: {
          id: Reference,
          source_id: Reference,
          name: Reference,
          price: Amount,
          metadata: Metadata,
          override: Override,
        },
      }),
    ),
    sku: Type.Optional(
      Type.Unsafe<{
        id?: string | null;
        source_id?: string | null;
        sku?: string | null;
        price?: number | null;
        metadata?: Record<string, unknown> | null;
        override?: boolean | null;
      } | null>({
        type: ["object", "null"],
        additionalProperties: true,
        properties: {
          id: Reference,
          source_id: Reference,
          sku: Reference,
          price: Amount,
          metadata: Metadata,
          override: Override,
        },
      }),
    ),
  },
  { additionalProperties: true, title: "OrderItemInBody" },
);
export type OrderItemInBody = Static<typeof OrderItemInBody>;

export const ORDER_STATUSES = ["CREATED", "PAID", "CANCELED", "FULFILLED"] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** What is sent of an order wherever a body has one. */
export const orderFields = {
  id: Reference,
  source_id: nullable<string>("string", { minLength: 1, maxLength: 500 }),
  status: Type.Unsafe<OrderStatus | null>({ type: ["string", "null"], enum: [...ORDER_STATUSES, null] }),
  amount: Amount,
  discount_amount: Amount,
  items: Type.Unsafe<OrderItemInBody[] | null>({
    type: ["array", "null"],
    maxItems: ITEMS_MAX,
    items: OrderItemInBody,
  }),
  metadata: Metadata,
};

import { type Static, Type } from "typebox";
import { Cents, Choice, Metadata as FreeMetadata, Nullable, optional } from "../shapes.ts";

export const ITEMS_MAX = 500;
const SAFE = Number.MAX_SAFE_INTEGER;
const nullable = <T>(type: string, limits: object = {}) => Type.Unsafe<T | null>({ type: [type, "null"], ...limits });
const Amount = Nullable(Cents());
const CountInBody = nullable<number>("integer", { minimum: 0, maximum: SAFE });
const Reference = nullable<string>("string", { maxLength: 500 });
const Metadata = Nullable(FreeMetadata);
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
      discount_quantity: CountInBody,
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

const Count = Type.Integer();
const product = { id: Type.String(), source_id: Type.String(), price: Count, override: Type.Boolean() };
/** A line as it is shown. What is not known, and discounts that were not worked out, are left out. */
const OrderItemShown = Type.Object(
  {
    object: Type.Literal("order_item"),
    ...optional({
      id: Type.String(),
      product_id: Type.String(),
      sku_id: Type.String(),
      source_id: Type.String(),
      related_object: Choice(["product", "sku"]),
    }),
    quantity: Count,
    ...optional({
      initial_quantity: Count,
      discount_quantity: Count,
      applied_discount_quantity: Count,
      price: Count,
      amount: Count,
      initial_amount: Count,
      discount_amount: Count,
      applied_discount_amount: Count,
      applied_quantity: Count,
      applied_quantity_amount: Count,
      subtotal_amount: Count,
      product: Type.Object(optional({ ...product, name: Type.String(), metadata: FreeMetadata })),
      sku: Type.Object(optional({ ...product, sku: Type.String(), metadata: FreeMetadata })),
      metadata: FreeMetadata,
    }),
  },
  { title: "OrderItem" },
);
/** The amounts of an order as it is shown, with its lines. */
export const shownOrderAmounts = optional({
  amount: Count,
  initial_amount: Count,
  discount_amount: Count,
  items_discount_amount: Count,
  total_discount_amount: Count,
  total_amount: Count,
  applied_discount_amount: Count,
  items_applied_discount_amount: Count,
  total_applied_discount_amount: Count,
  items: Type.Array(OrderItemShown),
});
const text = Type.Unsafe<string | null>({ type: ["string", "null"] });
/** The cart of a request, calculated. Client applications are not shown the referrer. */
const calculated = {
  ...optional({ id: Type.String(), source_id: text }),
  ...shownOrderAmounts,
  ...optional({ metadata: FreeMetadata, customer_id: text, referrer_id: text }),
  object: Type.Literal("order"),
};
export const CalculatedOrder = Type.Object(calculated, { title: "CalculatedOrder" });

const Moment = Type.Unsafe<string>({ type: "string", format: "date-time" });
/** What an order says of the redemptions that it was part of, by their ids. */
export const OrderRedemptions = Type.Unsafe<Record<string, Record<string, unknown>>>({
  type: "object",
  title: "OrderRedemptions",
  description: "By the id of the redemption; of several at once by the one of the whole.",
  additionalProperties: Type.Object({
    date: Moment,
    ...optional({
      rollback_id: Type.String(),
      rollback_date: Moment,
      stacked: Type.Array(Type.String()),
      rollback_stacked: Type.Array(Type.String()),
      related_object_id: text,
      related_object_type: Type.Unsafe<string | null>({
        type: ["string", "null"],
        enum: ["voucher", "promotion_tier", "redemption", null],
      }),
      related_object_parent_id: text,
    }),
  }),
});
export const PersonShown = Type.Object({ id: Type.String(), object: Type.Literal("customer") });
/** The order of a redemption: the cart as the redemption left it, and what is stored of it. */
export const RedemptionOrder = Type.Object(
  {
    ...calculated,
    ...optional({
      status: Choice(ORDER_STATUSES),
      customer: PersonShown,
      referrer: PersonShown,
      redemptions: OrderRedemptions,
      created_at: Moment,
      updated_at: Nullable(Moment),
    }),
  },
  { title: "RedemptionOrder" },
);

import { type Static, Type } from "typebox";
import { ORDER_STATUSES, orderFields } from "../../core/order/schema.ts";
import {
  Choice,
  CustomerOrReference,
  DateTime,
  Filters,
  Id,
  listOf,
  Metadata,
  Nullable,
  open,
  optional,
  PageQuery,
} from "../../http/schemas.ts";

const Person = Type.Object({ id: Type.String(), object: Type.Literal("customer") });
const Free = Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true });
const Count = Type.Optional(Type.Integer());

/** Discounts that are zero, and amounts that are not known, are left out. */
export const Order = Type.Object(
  {
    id: Type.String(),
    source_id: Nullable(Type.String()),
    status: Choice(ORDER_STATUSES),
    amount: Count,
    initial_amount: Count,
    discount_amount: Count,
    items_discount_amount: Count,
    total_discount_amount: Count,
    total_amount: Count,
    applied_discount_amount: Count,
    items_applied_discount_amount: Count,
    total_applied_discount_amount: Count,
    items: Type.Optional(Type.Array(Free)),
    metadata: Metadata,
    customer_id: Nullable(Type.String()),
    referrer_id: Nullable(Type.String()),
    customer: Type.Optional(Person),
    referrer: Type.Optional(Person),
    redemptions: Free,
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("order"),
  },
  { title: "Order" },
);
export type Order = Static<typeof Order>;

const people = {
  customer: CustomerOrReference,
  customer_id: Nullable(Id),
  referrer: CustomerOrReference,
  referrer_id: Nullable(Id),
};
const { id, ...changeable } = orderFields;
export const OrderCreate = open(optional({ id, ...changeable, ...people }));
export const OrderUpdate = open(optional({ ...changeable, ...people }));
export type OrderWrite = Static<typeof OrderCreate>;
export const OrderList = listOf(Order, "orders");
export const OrderQuery = PageQuery(["created_at", "updated_at"], { filters: Type.Optional(Filters) });
export type OrderQuery = Static<typeof OrderQuery>;
export const ByOrder = Type.Object({ orderId: Type.String() });

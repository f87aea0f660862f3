import { type Static, Type } from "typebox";
import {
  ORDER_STATUSES,
  OrderRedemptions,
  orderFields,
  PersonShown,
  shownOrderAmounts,
} from "../../../core/order/schema.ts";
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
} from "../../../http/schemas.ts";

/** Discounts that are zero, and amounts that are not known, are left out. */
export const Order = Type.Object(
  {
    id: Type.String(),
    source_id: Nullable(Type.String()),
    status: Choice(ORDER_STATUSES),
    ...shownOrderAmounts,
    metadata: Metadata,
    customer_id: Nullable(Type.String()),
    referrer_id: Nullable(Type.String()),
    customer: Type.Optional(PersonShown),
    referrer: Type.Optional(PersonShown),
    redemptions: OrderRedemptions,
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
export const OrderQuery = PageQuery(["created_at", "updated_at"], {
  status: Type.Optional(Choice(ORDER_STATUSES)),
  customer: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: "The customer, by `id` or `source_id`." }),
  ),
  filters: Type.Optional(Filters),
});
export type OrderQuery = Static<typeof OrderQuery>;
export const ByOrder = Type.Object({ orderId: Type.String() });

import { changeOrder, saveOrder } from "../../../flows/save-order/save-order.ts";
import { list, read, write } from "../../../http/route.ts";
import { ByOrder, Order, OrderCreate, OrderList, OrderQuery, OrderUpdate } from "./schema.ts";
import { getOrder, listOrders, view } from "./store.ts";

export const orderRoutes = [
  read("GET /v1/orders", { id: "listOrders", summary: "List orders", query: OrderQuery, ok: OrderList }, async (c) =>
    list(await listOrders(c.db, c.project.id, { ...c.query, now: c.now }), view, "orders"),
  ),
  write(
    "POST /v1/orders",
    {
      id: "createOrder",
      summary: "Create or update an order",
      description:
        "With the `id` of an order, or a `source_id` that one has, that order is updated; otherwise one is created. Its customer and referrer are created or updated with it.",
      body: OrderCreate,
      ok: Order,
    },
    async (c) => view(await saveOrder(c, c.body)),
  ),
  read(
    "GET /v1/orders/{orderId}",
    { id: "getOrder", summary: "Read an order", params: ByOrder, ok: Order },
    async (c) => view(await getOrder(c.db, c.project.id, c.params.orderId)),
  ),
  write(
    "PUT /v1/orders/{orderId}",
    {
      id: "updateOrder",
      summary: "Update an order",
      description: "What is not sent stays as it is. Items that are sent replace all items, and the amounts follow.",
      params: ByOrder,
      body: OrderUpdate,
      ok: Order,
    },
    async (c) => view(await changeOrder(c, c.params.orderId, c.body)),
  ),
];

import type { OrderRow } from "../../core/rows/order.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { OrderWrite } from "../../resources/orders/orders/schema.ts";
import { getOrder } from "../../resources/orders/orders/store.ts";
import { loadBystanders, loadOrderGoods, lockNamedOrder } from "./load.ts";
import { savePeople } from "./people.ts";
import { planOrder } from "./plan.ts";
import { recordOrder, writeOrder } from "./save.ts";

/** Creates an order, or updates the one with this id or source id, with its customer and its referrer. */
export async function saveOrder(c: WriteCtx, body: OrderWrite): Promise<OrderRow> {
  const catalog = await c.catalog();
  const bystanders = await loadBystanders(c, catalog, body);
  const people = await savePeople(c, catalog, { body, ...bystanders });
  const before = await lockNamedOrder(c, catalog, { body, ...bystanders });
  const goods = await loadOrderGoods(c, body);
  const { project, now, newId } = c;
  const plan = planOrder({ catalog, project, now, newId, body, before, people, goods });
  const saved = await writeOrder(c, plan);
  await recordOrder(c, catalog, { before, saved, people });
  return saved;
}

/** Updates the order with this id or source id. */
export async function changeOrder(c: WriteCtx, reference: string, body: OrderWrite): Promise<OrderRow> {
  const { id } = await getOrder(c.db, c.project.id, reference);
  return saveOrder(c, { ...body, id });
}

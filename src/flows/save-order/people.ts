import type { Catalog } from "../../catalog/catalog.ts";
import type { SavedCustomer } from "../../core/rows/customer.ts";
import type { WriteCtx } from "../../ctx.ts";
import { type CustomerNamed, getCustomer, lockCustomers } from "../../resources/customers/customers/store.ts";
import type { OrderWrite } from "../../resources/orders/orders/schema.ts";
import { saveCustomers } from "../../steps/customers/customers.ts";
import type { Bystanders } from "./load.ts";

/** The customer and the referrer of an order, by id. What is not sent stays, null takes the person away. */
export type OrderPeople = { customer?: string | null; referrer?: string | null; saved: readonly SavedCustomer[] };

/** Saves the customer and the referrer that a body describes. Customers come before orders in the order of locks. */
export async function savePeople(
  c: WriteCtx,
  catalog: Catalog,
  { body, owner, referrers }: Bystanders & { body: OrderWrite },
): Promise<OrderPeople> {
  const others = owner === null ? referrers : [owner, ...referrers];
  const named = async (nested: OrderWrite["customer"], id: string | null | undefined) => {
    if (typeof nested === "string") return { id: (await getCustomer(c.db, c.project.id, nested)).id };
    return (nested as CustomerNamed | null) ?? (id ? { id } : nested === null || id === null ? null : undefined);
  };
  const wanted = {
    customer: await named(body.customer, body.customer_id),
    referrer: await named(body.referrer, body.referrer_id),
  };
  const people = [wanted.customer, wanted.referrer].filter((person) => person != null);
  if (others.length > 0) {
    const ids = [...others, ...people.flatMap(({ id }) => id ?? [])];
    await lockCustomers(c.db, c.project.id, { ids, sourceIds: people.flatMap(({ source_id }) => source_id ?? []) });
  }
  const saved = await saveCustomers(c, catalog, people);
  const rest = [...saved];
  const idOf = (person: CustomerNamed | null | undefined) => (person ? rest.shift()!.row.id : person);
  const ids = { customer: idOf(wanted.customer), referrer: idOf(wanted.referrer) };
  return {
    ...(ids.customer !== undefined && { customer: ids.customer }),
    ...(ids.referrer !== undefined && { referrer: ids.referrer }),
    saved,
  };
}

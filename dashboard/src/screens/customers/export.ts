import {
  type Customer,
  type CustomerActivity,
  getCustomerMemberships,
  listCustomerActivity,
  listCustomerRedeemables,
  listCustomerSegments,
  listOrders,
} from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { saveFile } from "../../kit/file/save-file.ts";

const AT_ONCE = 100;

async function allActivities(customerId: string): Promise<CustomerActivity[]> {
  const all: CustomerActivity[] = [];
  let after: string | undefined;
  do {
    const params = { customerId, limit: AT_ONCE, ...(after !== undefined && { starting_after_id: after }) };
    const { data, more_starting_after } = await send(listCustomerActivity, params);
    all.push(...data);
    after = more_starting_after;
  } while (after !== undefined);
  return all;
}

async function allOrders(customerId: string) {
  const filters = { customer_id: { conditions: { $is: [customerId] } } };
  const orders = [];
  for (let page = 1; ; page += 1) {
    const answer = await send(listOrders, { limit: AT_ONCE, page, filters } as object);
    orders.push(...answer.orders);
    if (answer.orders.length < AT_ONCE) return orders;
  }
}

/** Saves what the interface knows of somebody as one file. */
export async function exportCustomer(customer: Customer, can: (operation: string) => boolean): Promise<void> {
  const customerId = customer.id;
  const ifMay = async <T>(operation: string, read: () => Promise<T>) => (can(operation) ? read() : undefined);
  const [activities, orders, segments, wallet, memberships] = await Promise.all([
    ifMay("listCustomerActivity", () => allActivities(customerId)),
    ifMay("listOrders", () => allOrders(customerId)),
    ifMay("listCustomerSegments", async () => (await send(listCustomerSegments, { customerId })).data),
    ifMay(
      "listCustomerRedeemables",
      async () => (await send(listCustomerRedeemables, { customerId, limit: AT_ONCE })).data,
    ),
    ifMay("getCustomerMemberships", async () => (await send(getCustomerMemberships, { customerId })).memberships),
  ]);
  const content = { customer, segments, wallet, memberships, orders, activities };
  saveFile(`${customer.source_id ?? customer.id}.json`, JSON.stringify(content, null, 2), "application/json");
}

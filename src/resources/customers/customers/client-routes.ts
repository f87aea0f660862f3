import type { Static } from "typebox";
import { saveCustomer } from "../../../flows/customers/save-customer.ts";
import { write } from "../../../http/route.ts";
import { ClientCustomer, type Customer, CustomerUpsert } from "./schema.ts";

const ALWAYS: readonly string[] = ["id", "created_at", "updated_at", "object"];

/** The fields that were sent. A page may know a customer's source id and still not see what was stored before. */
function sentOf(fields: object, sent: object): Record<string, unknown> {
  const known = Object.entries(fields).filter(([name]) => name in sent);
  return Object.fromEntries(
    known.map(([name, value]) => {
      const inner = sent[name as never] as unknown;
      const isObject = typeof value === "object" && value !== null && typeof inner === "object" && inner !== null;
      return [name, isObject ? sentOf(value, inner) : value];
    }),
  );
}

function view(saved: Customer, sent: Static<typeof CustomerUpsert>): ClientCustomer {
  const always = Object.entries(saved).filter(([name]) => ALWAYS.includes(name));
  return { ...sentOf(saved, sent), ...Object.fromEntries(always) } as ClientCustomer;
}

export const clientCustomerRoutes = [
  write(
    "POST /client/v1/customers",
    {
      id: "createCustomerClientSide",
      summary: "Create or update a customer from a client application",
      description: "As `POST /v1/customers`. Of the customer the answer has only what was sent.",
      body: CustomerUpsert,
      ok: ClientCustomer,
      setting: "client_create_customer_enabled",
    },
    async (c) => view(await saveCustomer(c, c.body), c.body),
  ),
];

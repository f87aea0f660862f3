import { EVENTS } from "../../../events/kinds.ts";
import { CustomerRedeemables, RedeemablesQuery, redeemablesOf } from "../../../flows/customers/customer-redeemables.ts";
import { customersOf, segmentsOfCustomer } from "../../../flows/customers/list-customers.ts";
import { eraseCustomer, removeCustomer } from "../../../flows/customers/remove-customer.ts";
import { saveCustomer, updateCustomer } from "../../../flows/customers/save-customer.ts";
import { checkedEntries } from "../../../http/bulk/entries.ts";
import { read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { enqueueUpdates } from "../../../steps/bulk/updates.ts";
import { BULK_BYTES_MAX, Enqueued } from "../../platform/async-actions/schema.ts";
import { countActivity, listActivity, listWholeActivity, viewActivity } from "./activity-store.ts";
import {
  ByCustomer,
  Customer,
  CustomerActivitiesList,
  CustomerActivitiesQuery,
  CustomerActivityList,
  CustomerActivityQuery,
  CustomerBulk,
  CustomerInBulk,
  CustomerList,
  CustomerQuery,
  CustomerSegments,
  CustomersMetadata,
  CustomerUpdate,
  CustomerUpsert,
  PermanentDeletion,
} from "./schema.ts";
import { getCustomer } from "./store.ts";
import { showCustomers } from "./summary-store.ts";

const kindsOf = (category: "ACTION" | "EFFECT") =>
  Object.entries(EVENTS).flatMap(([kind, its]) => (its === category ? [kind] : []));

export const customerRoutes = [
  read(
    "GET /v1/customers",
    { id: "listCustomers", summary: "List customers", query: CustomerQuery, ok: CustomerList },
    async (c) => customersOf(c, c.query),
  ),
  write(
    "POST /v1/customers",
    {
      id: "createCustomer",
      summary: "Create or update a customer",
      description:
        "With the `id` of a customer, or a `source_id` that one has, that customer is updated; otherwise one is created. `id` comes first.",
      body: CustomerUpsert,
      ok: Customer,
    },
    async (c) => saveCustomer(c, c.body),
  ),
  write(
    "POST /v1/customers/bulk/async",
    {
      id: "updateCustomersInBulk",
      summary: "Update many customers",
      description:
        "By their `source_id`; who is not there is created. Done by an async action: its result has the address of a CSV with a line for each, whether it was `found` and `updated`.",
      body: CustomerBulk,
      bodyLimitBytes: BULK_BYTES_MAX,
      status: 202,
      ok: Enqueued,
    },
    async (c) =>
      enqueueUpdates(c, "CUSTOMERS.BULK_UPDATE", { entries: checkedEntries(CustomerInBulk, c.body, "source_id") }),
  ),
  write(
    "POST /v1/customers/metadata/async",
    {
      id: "updateCustomersMetadataInBulk",
      summary: "Give many customers the same metadata",
      description: "As `POST /v1/customers/bulk/async`. The metadata is merged with what each of them has.",
      body: CustomersMetadata,
      bodyLimitBytes: BULK_BYTES_MAX,
      status: 202,
      ok: Enqueued,
    },
    async ({ body: { source_ids, metadata }, ...c }) =>
      enqueueUpdates(c, "CUSTOMERS.METADATA_UPDATE", { entries: source_ids.map((value) => ({ value })), metadata }),
  ),
  read(
    "GET /v1/customers/{customerId}",
    { id: "getCustomer", summary: "Read a customer", params: ByCustomer, ok: Customer },
    async (c) => {
      const row = await getCustomer(c.db, c.project.id, c.params.customerId);
      return (await showCustomers(c.db, c.project.id, [row]))[0]!;
    },
  ),
  write(
    "PUT /v1/customers/{customerId}",
    {
      id: "updateCustomer",
      summary: "Update a customer",
      description:
        "What is not sent stays as it is; null takes a value away. Metadata is merged by key, the address field by field.",
      params: ByCustomer,
      body: CustomerUpdate,
      ok: Customer,
    },
    async (c) => updateCustomer(c, c.params.customerId, c.body),
  ),
  write(
    "DELETE /v1/customers/{customerId}",
    {
      id: "deleteCustomer",
      summary: "Delete a customer",
      description: "With its events, orders and memberships in segments.",
      params: ByCustomer,
      ok: Empty,
    },
    async (c) => removeCustomer(c, c.params.customerId),
  ),
  write(
    "POST /v1/customers/{customerId}/permanent-deletion",
    {
      id: "eraseCustomer",
      summary: "Erase a customer for good",
      description: "Reaches everything that holds anything of the customer, stored answers to repeated requests too.",
      params: ByCustomer,
      ok: PermanentDeletion,
    },
    async (c) => eraseCustomer(c, c.params.customerId),
  ),
  read(
    "GET /v1/customers/{customerId}/segments",
    {
      id: "listCustomerSegments",
      summary: "List the segments of a customer",
      params: ByCustomer,
      ok: CustomerSegments,
    },
    async (c) => segmentsOfCustomer(c, c.params.customerId),
  ),
  read(
    "GET /v1/customers/{customerId}/redeemables",
    {
      id: "listCustomerRedeemables",
      summary: "List what a customer holds",
      params: ByCustomer,
      query: RedeemablesQuery,
      ok: CustomerRedeemables,
    },
    async (c) => redeemablesOf(c, c.params.customerId, c.query),
  ),
  read(
    "GET /v1/customers/{customerId}/activity",
    {
      id: "listCustomerActivity",
      summary: "List what happened to a customer",
      params: ByCustomer,
      query: CustomerActivityQuery,
      ok: CustomerActivityList,
    },
    async (c) => {
      const { id } = await getCustomer(c.db, c.project.id, c.params.customerId);
      const { category, ...query } = c.query;
      const kinds = category === undefined ? {} : { kinds: kindsOf(category) };
      const { rows, has_more } = await listActivity(c.db, c.project.id, id, { ...query, ...kinds });
      const data = rows.map(viewActivity(id));
      const more = has_more ? { more_starting_after: data.at(-1)!.id } : {};
      return { object: "list" as const, data_ref: "data" as const, data, has_more, ...more };
    },
  ),
  read(
    "GET /v1/customers/{customerId}/activities",
    {
      id: "listCustomerActivities",
      summary: "List what happened to a customer, with a total",
      description: "The older form of `GET /v1/customers/{customerId}/activity`, with the same entries.",
      params: ByCustomer,
      query: CustomerActivitiesQuery,
      ok: CustomerActivitiesList,
    },
    async (c) => {
      const { id } = await getCustomer(c.db, c.project.id, c.params.customerId);
      const [rows, total] = await Promise.all([
        listWholeActivity(c.db, c.project.id, id, c.query),
        countActivity(c.db, c.project.id, id, c.query),
      ]);
      return { object: "list" as const, data_ref: "data" as const, data: rows.map(viewActivity(id)), total };
    },
  ),
];

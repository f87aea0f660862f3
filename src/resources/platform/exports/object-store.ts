import { byDate, date, type ExportObject, id, number, personal, text } from "../../../db/exported-rows.ts";
import { exportedPointsExpiration, exportedTransactions } from "./card-store.ts";
import { exportedOrders, exportedPublications } from "./checkout-store.ts";
import { exportedCustomers } from "./customer-store.ts";
import { exportedProducts, exportedSkus } from "./goods-store.ts";

/**
 * No request is logged yet, so there is nothing to export: the object is taken, and its file has no rows. Whoever adds the log
 * names its table in `from`.
 */
const exportedRequests: ExportObject = {
  from: (db) => db`
    (select null::text as id, null::timestamptz as created_at, null::int as status, null::text as request_id,
      null::text as channel, null::text as method, null::text as endpoint, null::text as url, null::text as user_email,
      null::text as app_id, null::text as client_app_id, null::int as request_duration, null::text as request_body,
      null::text as response_body where false) as x`,
  fields: {
    id: id("id"),
    created_at: date("created_at"),
    status: number("status"),
    request_id: id("request_id"),
    channel: text("channel"),
    method: id("method"),
    endpoint: text("endpoint"),
    url: personal("url"),
    user_email: personal("user_email"),
    app_id: text("app_id"),
    client_app_id: text("client_app_id"),
    request_duration: number("request_duration"),
    request_body: personal("request_body"),
    response_body: personal("response_body"),
  },
  defaults: ["id", "created_at", "status", "request_id", "method", "endpoint"],
  orders: { created_at: byDate("created_at") },
  defaultOrder: "-created_at",
  filters: { created_at: "date", status: "number", method: "enum", endpoint: "string", request_id: "string" },
};

/** What is exported as nobody else reads it. `steps/bulk/export-objects.ts` has the others. */
export const OTHER_OBJECTS = {
  customer: exportedCustomers,
  publication: exportedPublications,
  order: exportedOrders,
  points_expiration: exportedPointsExpiration,
  voucher_transactions: exportedTransactions,
  product: exportedProducts,
  sku: exportedSkus,
  api_log: exportedRequests,
} as const;

import type { Db, Fragment } from "../../../db/db.ts";
import { byDate, date, type ExportObject, id, number, personal, text } from "../../../db/exported-rows.ts";

/** `POST /v1/vouchers/{code}/importCSV` is `POST_v1_vouchers_code_import_csv`. */
const endpointOf = (db: Db): Fragment => db`
  r.method || lower(regexp_replace(translate(regexp_replace(r.route, '([a-z])([A-Z])', '\\1_\\2', 'g'), '/-{}', '__'),
    '_+', '_', 'g'))`;

/** The request log. What was said in it may tell who a customer is. */
export const exportedRequests: ExportObject = {
  from: (db, { id: projectId }) => db`
    (select r.id, r.created_at, r.status, r.channel, r.method, r.url, r.request_body, r.response_body,
        ${endpointOf(db)} as endpoint, r.duration_ms::int as request_duration,
        case r.key_kind when 'app' then r.key_id end as app_id,
        case r.key_kind when 'client' then r.key_id end as client_app_id
      from request_log r where r.project_id = ${projectId}) as x`,
  fields: {
    id: id("id"),
    created_at: date("created_at"),
    status: number("status"),
    // The request is the entry.
    request_id: id("id"),
    channel: text("channel"),
    method: id("method"),
    endpoint: text("endpoint"),
    url: personal("url"),
    // Users do not call: keys do.
    user_email: id((db) => db`null::text`),
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
  filterSql: () => ({ request_id: (db) => db`id` }),
};

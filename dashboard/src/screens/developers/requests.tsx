import { Link } from "react-router";
import type { RowOf } from "../../api/op.ts";
import { listRequestLog } from "../../api/operations.gen.ts";
import { type Column, count, moment, mono, text, word } from "../../kit/list/columns.tsx";
import { pick, search, tabs } from "../../kit/list/filters.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { firstRows, useList } from "../../kit/list/use-list.ts";
import { HttpStatus } from "../../kit/status/http-status.tsx";
import type { TextKey } from "../../text/text.ts";

type Logged = RowOf<typeof listRequestLog>;

const CLASSES: Record<string, TextKey> = {
  "2xx": "developers.class2",
  "4xx": "developers.class4",
  "5xx": "developers.class5",
};
const METHODS: Record<string, TextKey> = {
  GET: "developers.method.GET",
  POST: "developers.method.POST",
  PUT: "developers.method.PUT",
  DELETE: "developers.method.DELETE",
};
const CALLERS: Record<string, TextKey> = {
  server_key: "developers.caller.server_key",
  client_key: "developers.caller.client_key",
  management_key: "developers.caller.management_key",
  user: "developers.caller.user",
};
const callOf = ({ method, route }: Logged) => `${method} ${route}`;
const call: Column<Logged> = {
  id: "route",
  title: "developers.request",
  cell: (row) => (
    <Link to={`/requests/${row.id}`} data-opens="" className="mono">
      {callOf(row)}
    </Link>
  ),
  csv: callOf,
};
const answered: Column<Logged> = {
  id: "status",
  title: "developers.answered",
  cell: ({ status }) => <HttpStatus status={status} />,
  csv: ({ status }) => status,
};
const COLUMNS = [
  call,
  answered,
  moment<Logged>("developers.time", "created_at"),
  count<Logged>("developers.duration", "duration_ms"),
  text<Logged>("developers.errorKey", "error_key"),
  word<Logged>("developers.key", "key.type", CALLERS),
  text<Logged>("developers.codes", "codes"),
  text<Logged>("developers.customers", "customers", { isExtra: true }),
  text<Logged>("developers.operation", "operation", { isExtra: true }),
  mono<Logged>("developers.keyId", "key.id", { isExtra: true }),
  mono<Logged>("developers.requestId", "id", { isExtra: true }),
];

export default function Requests() {
  const list = useList(listRequestLog, {}, { paging: "starting_after_id" });
  return (
    <ListScreen
      list={list}
      title="developers.requests"
      filters={[
        tabs("status", "developers.answered", CLASSES),
        pick("method", "developers.methodName", METHODS),
        search("code", "developers.searchCode"),
        search("customer", "developers.searchCustomer"),
        search("request_id", "developers.searchRequest"),
      ]}
      columns={COLUMNS}
      empty={{ title: "developers.noRequests", help: "developers.noRequestsHelp" }}
    />
  );
}
Requests.first = firstRows(listRequestLog);

import { Link } from "react-router";
import type { RowOf } from "../../api/op.ts";
import { listAuditLog } from "../../api/operations.gen.ts";
import { type Column, moment, mono, text, word } from "../../kit/list/columns.tsx";
import { pick, search } from "../../kit/list/filters.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { useList } from "../../kit/list/use-list.ts";
import type { TextKey } from "../../text/text.ts";
import { SettingsFrame } from "./frame.tsx";

type Entry = RowOf<typeof listAuditLog>;

export const ACTIONS: Record<string, TextKey> = {
  CREATED: "settings.acted.CREATED",
  UPDATED: "settings.acted.UPDATED",
  DELETED: "settings.acted.DELETED",
};
export const ACTORS: Record<string, TextKey> = {
  user: "settings.actors.user",
  server_key: "settings.actors.server_key",
  client_key: "settings.actors.client_key",
  management_key: "settings.actors.management_key",
  cli: "settings.actors.cli",
  engine: "settings.actors.engine",
};
const what: Column<Entry> = {
  id: "kind",
  title: "settings.what",
  cell: (row) => (
    <Link to={`/settings/audit/${row.id}`} data-opens="">
      {row.kind.replaceAll("_", " ")}
    </Link>
  ),
  csv: ({ kind }) => kind,
};
const COLUMNS = [
  what,
  word<Entry>("settings.action", "action", ACTIONS),
  moment<Entry>("settings.time", "created_at"),
  word<Entry>("settings.actor", "actor.type", ACTORS),
  mono<Entry>("settings.objectId", "object_id"),
  text<Entry>("settings.operation", "operation"),
  mono<Entry>("settings.actorId", "actor.id", { isExtra: true }),
  mono<Entry>("settings.requestId", "request_id", { isExtra: true }),
];

export default function AuditLog() {
  const list = useList(listAuditLog, {}, { paging: "starting_after_id" });
  return (
    <SettingsFrame>
      <ListScreen
        list={list}
        title="settings.audit"
        filters={[
          pick("actor_type", "settings.actor", ACTORS),
          search("object_id", "settings.searchObject"),
          search("kind", "settings.searchKind"),
          search("operation", "settings.searchOperation"),
        ]}
        columns={COLUMNS}
        empty={{ title: "settings.noAudit" }}
      />
    </SettingsFrame>
  );
}

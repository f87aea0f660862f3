import type { RowOf } from "../../api/op.ts";
import { listPrograms } from "../../api/operations.gen.ts";
import { link, moment, mono, period, status } from "../../kit/list/columns.tsx";
import { tabs } from "../../kit/list/filters.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { firstRows, useList } from "../../kit/list/use-list.ts";

type Program = RowOf<typeof listPrograms>;

const COLUMNS = [
  link<Program>("loyalty.name", "name", ({ id }) => `/loyalty/${id}`, { sort: "name" }),
  status<Program>("loyalty.status", "status"),
  period<Program>("loyalty.runs", "start_date", "end_date"),
  moment<Program>("loyalty.created", "created_at", { sort: "created_at" }),
  mono<Program>("loyalty.id", "id", { isExtra: true }),
];

export default function Programs() {
  const list = useList(listPrograms, {}, { paging: "cursor" });
  return (
    <ListScreen
      list={list}
      title="loyalty.title"
      filters={[
        tabs("filters[status][conditions][$is]", "loyalty.status", {
          ACTIVE: "kit.status.active",
          DRAFT: "kit.status.draft",
          INACTIVE: "kit.status.disabled",
        }),
      ]}
      columns={COLUMNS}
      create={{ to: "/loyalty/new", text: "designer.newProgram", can: "createProgram" }}
      empty={{ title: "loyalty.empty", help: "loyalty.emptyHelp" }}
    />
  );
}
Programs.first = firstRows(listPrograms);

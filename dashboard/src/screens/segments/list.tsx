import type { RowOf } from "../../api/op.ts";
import { listSegments } from "../../api/operations.gen.ts";
import { link, moment, mono, word } from "../../kit/list/columns.tsx";
import { search } from "../../kit/list/filters.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { firstRows, useList } from "../../kit/list/use-list.ts";
import { TYPES } from "./types.ts";

type Segment = RowOf<typeof listSegments>;

const COLUMNS = [
  link<Segment>("segments.name", "name", ({ id }) => `/segments/${id}`),
  word<Segment>("segments.type", "type", TYPES),
  moment<Segment>("segments.created", "created_at", { sort: "created_at" }),
  mono<Segment>("segments.id", "id", { isExtra: true }),
];

export default function Segments() {
  const list = useList(listSegments);
  return (
    <ListScreen
      list={list}
      title="segments.title"
      create={{ to: "/segments/new", text: "segments.new", can: "createSegment" }}
      filters={[search("filters[name][conditions][$contains]", "segments.search")]}
      columns={COLUMNS}
      empty={{ title: "segments.empty", help: "segments.emptyHelp" }}
    />
  );
}
Segments.first = firstRows(listSegments);

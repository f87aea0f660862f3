import type { RowOf } from "../../api/op.ts";
import { listLocations } from "../../api/operations.gen.ts";
import { type Column, moment, mono, text } from "../../kit/list/columns.tsx";
import { search } from "../../kit/list/filters.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { firstRows, useList } from "../../kit/list/use-list.ts";

type Location = RowOf<typeof listLocations>;

/** A circle by its centre and its radius, an area by the number of its corners. */
const shape: Column<Location> = {
  id: "shape",
  title: "locations.shape",
  cell: ({ shape: one }, { t }) =>
    one.type === "circle"
      ? t("locations.circle", { radius: one.distance.radius, center: one.distance.center })
      : t("locations.area"),
  csv: ({ shape: one }) => JSON.stringify(one),
};
const COLUMNS = [
  text<Location>("locations.name", "name"),
  shape,
  moment<Location>("locations.created", "created_at", { sort: "created_at" }),
  mono<Location>("locations.id", "id", { isExtra: true }),
];

export default function Locations() {
  // The list has no pages.
  const list = useList(listLocations, {}, { limit: 100 });
  return (
    <ListScreen
      list={list}
      title="locations.title"
      filters={[search("filters[name][conditions][$contains]", "locations.search")]}
      columns={COLUMNS}
      empty={{ title: "locations.empty", help: "locations.emptyHelp" }}
    />
  );
}
Locations.first = firstRows(listLocations, { limit: 100 });

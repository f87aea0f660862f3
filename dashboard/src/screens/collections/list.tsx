import type { RowOf } from "../../api/op.ts";
import { listProductCollections } from "../../api/operations.gen.ts";
import { link, moment, mono, word } from "../../kit/list/columns.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { firstRows, useList } from "../../kit/list/use-list.ts";
import { TYPES } from "./types.ts";

type Collection = RowOf<typeof listProductCollections>;

const COLUMNS = [
  link<Collection>("collections.name", "name", ({ id }) => `/collections/${id}`, { sort: "name" }),
  word<Collection>("collections.type", "type", TYPES),
  moment<Collection>("collections.created", "created_at", { sort: "created_at" }),
  mono<Collection>("collections.id", "id", { isExtra: true }),
];

export default function Collections() {
  const list = useList(listProductCollections);
  return (
    <ListScreen
      list={list}
      title="collections.title"
      create={{ to: "/collections/new", text: "collections.new", can: "createProductCollection" }}
      columns={COLUMNS}
      empty={{ title: "collections.empty", help: "collections.emptyHelp" }}
    />
  );
}
Collections.first = firstRows(listProductCollections);

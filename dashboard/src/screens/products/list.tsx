import type { RowOf } from "../../api/op.ts";
import { listProducts } from "../../api/operations.gen.ts";
import { count, link, moment, money, mono, text } from "../../kit/list/columns.tsx";
import { search } from "../../kit/list/filters.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { firstRows, useList } from "../../kit/list/use-list.ts";

type Product = RowOf<typeof listProducts>;

const COLUMNS = [
  link<Product>(
    "products.name",
    ({ name, source_id, id }) => name ?? source_id ?? id,
    ({ id }) => `/products/${id}`,
  ),
  text<Product>("products.sourceId", "source_id"),
  money<Product>("products.price", "price"),
  count<Product>("products.skus", "skus.total"),
  moment<Product>("products.created", "created_at", { sort: "created_at" }),
  mono<Product>("products.id", "id", { isExtra: true }),
];

export default function Products() {
  const list = useList(listProducts);
  return (
    <ListScreen
      list={list}
      title="products.title"
      create={{ to: "/products/new", text: "products.new", can: "createProduct" }}
      filters={[search("filters[name][conditions][$contains]", "products.search")]}
      columns={COLUMNS}
      empty={{ title: "products.empty", help: "products.emptyHelp" }}
    />
  );
}
Products.first = firstRows(listProducts);

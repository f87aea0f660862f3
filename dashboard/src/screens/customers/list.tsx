import type { RowOf } from "../../api/op.ts";
import { listCustomers } from "../../api/operations.gen.ts";
import { SEGMENTS } from "../../api/sources.ts";
import { count, link, moment, money, mono, text } from "../../kit/list/columns.tsx";
import { search } from "../../kit/list/filters.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { day, record } from "../../kit/list/more-filters.tsx";
import { firstRows, useList } from "../../kit/list/use-list.ts";
import { nameOf } from "./names.ts";

type Customer = RowOf<typeof listCustomers>;

const COLUMNS = [
  link<Customer>("customers.name", nameOf, ({ id }) => `/customers/${id}`),
  text<Customer>("customers.email", "email"),
  text<Customer>("customers.sourceId", "source_id", { sort: "source_id" }),
  count<Customer>("customers.orders", "summary.orders.total_count"),
  money<Customer>("customers.spent", "summary.orders.total_amount"),
  count<Customer>("customers.redemptions", "summary.redemptions.total_succeeded"),
  count<Customer>("customers.points", "loyalty.points"),
  moment<Customer>("customers.lastOrder", "summary.orders.last_order_date"),
  moment<Customer>("customers.since", "created_at", { sort: "created_at" }),
  text<Customer>("customers.phone", "phone", { isExtra: true }),
  text<Customer>("customers.city", "address.city", { isExtra: true }),
  mono<Customer>("customers.id", "id", { isExtra: true }),
];

export default function Customers() {
  const list = useList(listCustomers);
  return (
    <ListScreen
      list={list}
      title="customers.title"
      create={{ to: "/customers/new", text: "customers.new", can: "createCustomer" }}
      filters={[
        search("q", "customers.search", 300),
        record("segment_id", "customers.segment", SEGMENTS),
        day("created_at[after]", "customers.after"),
        day("created_at[before]", "customers.before"),
      ]}
      columns={COLUMNS}
      empty={{ title: "customers.empty", help: "customers.emptyHelp" }}
    />
  );
}
Customers.first = firstRows(listCustomers);

import { Alert, Anchor } from "@mantine/core";
import { Link } from "react-router";
import type { RowOf } from "../../api/op.ts";
import { getCustomer, listCustomers } from "../../api/operations.gen.ts";
import { SEGMENTS } from "../../api/sources.ts";
import { useOp } from "../../api/use-op.ts";
import { count, link, moment, money, mono, text } from "../../kit/list/columns.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { day, record } from "../../kit/list/more-filters.tsx";
import { useList } from "../../kit/list/use-list.ts";
import { useText } from "../../text/text.ts";
import { nameOf } from "./names.ts";
import { who } from "./who-filter.tsx";

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

/** The list finds whole names; what was typed may also be the id that the shop gave somebody. */
function BySourceId({ id }: { id: string }) {
  const t = useText();
  const { data } = useOp(getCustomer, { customerId: id });
  if (data === undefined) return null;
  return (
    <Alert variant="light" color="blue" mb="md">
      {t("customers.bySourceId", { id })}{" "}
      <Anchor component={Link} to={`/customers/${data.id}`} inherit>
        {nameOf(data)}
      </Anchor>
    </Alert>
  );
}

export default function Customers() {
  const list = useList(listCustomers);
  const typed = list.query.get("name");
  return (
    <ListScreen
      list={list}
      title="customers.title"
      create={{ to: "/customers/new", text: "customers.new", can: "createCustomer" }}
      filters={[
        who,
        record("segment_id", "customers.segment", SEGMENTS),
        day("created_at[after]", "customers.after"),
        day("created_at[before]", "customers.before"),
      ]}
      columns={COLUMNS}
      above={typed && list.rows?.length === 0 && <BySourceId id={typed} />}
      empty={{ title: "customers.empty", help: "customers.emptyHelp" }}
    />
  );
}

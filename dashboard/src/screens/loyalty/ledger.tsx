import { Title } from "@mantine/core";
import type { RowOf } from "../../api/op.ts";
import { listCardTransactions } from "../../api/operations.gen.ts";
import { formatDay } from "../../kit/date/date.ts";
import { type Column, moment, mono, status, text, word } from "../../kit/list/columns.tsx";
import { pick } from "../../kit/list/filters.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { useList } from "../../kit/list/use-list.ts";
import { formatCount } from "../../kit/money/count.ts";
import { POINT_ENTRIES } from "../../registry/point-entries.ts";
import { useText } from "../../text/text.ts";
import { type CardParams, DAY_ZONE } from "./lots.tsx";

type Transaction = RowOf<typeof listCardTransactions>;

const TEXTS = Object.fromEntries(Object.entries(POINT_ENTRIES).map(([kind, { text: key }]) => [kind, key]));

const points: Column<Transaction> = {
  id: "points",
  title: "loyalty.points",
  isNumber: true,
  cell: ({ type, details }) =>
    details.points === undefined ? "–" : `${POINT_ENTRIES[type].sign}${formatCount(details.points.total)}`,
  csv: ({ type, details }) =>
    details.points === undefined ? null : details.points.total * (POINT_ENTRIES[type].sign === "−" ? -1 : 1),
};
const expires: Column<Transaction> = {
  id: "expires",
  title: "loyalty.expires",
  cell: ({ details }) => (details.points?.expiration_date ? formatDay(details.points.expiration_date, DAY_ZONE) : "–"),
  csv: ({ details }) => details.points?.expiration_date ?? null,
};
const COLUMNS = [
  word<Transaction>("loyalty.what", "type", TEXTS),
  points,
  moment<Transaction>("loyalty.time", "created_at", { sort: "created_at" }),
  text<Transaction>("loyalty.reason", "details.reason"),
  status<Transaction>("loyalty.status", "status"),
  expires,
  mono<Transaction>("loyalty.id", "id", { isExtra: true }),
];

/** Everything that moved the points of one card. */
export default function Ledger({ params }: { params: CardParams }) {
  const t = useText();
  const list = useList(listCardTransactions, params, { paging: "cursor" });
  return (
    <section>
      <Title order={2} mb="sm">
        {t("loyalty.ledger")}
      </Title>
      <ListScreen
        isPart
        list={list}
        title="loyalty.ledger"
        filters={[pick("filters[type][conditions][$is]", "loyalty.what", TEXTS)]}
        columns={COLUMNS}
        empty={{ title: "loyalty.noEntries" }}
      />
    </section>
  );
}

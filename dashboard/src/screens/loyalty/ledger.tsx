import { Title } from "@mantine/core";
import type { RowOf } from "../../api/op.ts";
import { listCardTransactions } from "../../api/operations.gen.ts";
import { formatDay } from "../../kit/date/date.ts";
import { type Column, formatCount, moment, mono, status, text, word } from "../../kit/list/columns.tsx";
import { pick } from "../../kit/list/filters.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { useList } from "../../kit/list/use-list.ts";
import { type TextKey, useText } from "../../text/text.ts";
import { type CardParams, DAY_ZONE } from "./lots.tsx";

type Transaction = RowOf<typeof listCardTransactions>;

/** What each kind of entry is called, and what it does to the balance. */
const KINDS: Record<Transaction["type"], { text: TextKey; sign: "+" | "−" | "" }> = {
  ADMIN_CREDIT: { text: "loyalty.entry.ADMIN_CREDIT", sign: "+" },
  ADMIN_DEBIT: { text: "loyalty.entry.ADMIN_DEBIT", sign: "−" },
  ADMIN_POINTS_EXPIRATION: { text: "loyalty.entry.ADMIN_POINTS_EXPIRATION", sign: "−" },
  POINTS_EARNED: { text: "loyalty.entry.POINTS_EARNED", sign: "+" },
  POINTS_SPENT_ON_REWARD: { text: "loyalty.entry.POINTS_SPENT_ON_REWARD", sign: "−" },
  POINTS_PURCHASED: { text: "loyalty.entry.POINTS_PURCHASED", sign: "+" },
  POINTS_PURCHASE_REVERSED: { text: "loyalty.entry.POINTS_PURCHASE_REVERSED", sign: "−" },
  POINTS_SPENT_ON_ORDER: { text: "loyalty.entry.POINTS_SPENT_ON_ORDER", sign: "−" },
  POINTS_REFUNDED: { text: "loyalty.entry.POINTS_REFUNDED", sign: "+" },
  POINTS_RETURNED: { text: "loyalty.entry.POINTS_RETURNED", sign: "−" },
  POINTS_EXPIRED: { text: "loyalty.entry.POINTS_EXPIRED", sign: "−" },
  PENDING_POINTS_ADDED: { text: "loyalty.entry.PENDING_POINTS_ADDED", sign: "" },
  PENDING_POINTS_ACTIVATED: { text: "loyalty.entry.PENDING_POINTS_ACTIVATED", sign: "+" },
  PENDING_POINTS_CANCELED: { text: "loyalty.entry.PENDING_POINTS_CANCELED", sign: "" },
};
const TEXTS = Object.fromEntries(Object.entries(KINDS).map(([kind, { text: key }]) => [kind, key]));

const points: Column<Transaction> = {
  id: "points",
  title: "loyalty.points",
  isNumber: true,
  cell: ({ type, details }) =>
    details.points === undefined ? "–" : `${KINDS[type].sign}${formatCount(details.points.total)}`,
  csv: ({ type, details }) =>
    details.points === undefined ? null : details.points.total * (KINDS[type].sign === "−" ? -1 : 1),
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
export function Ledger({ params }: { params: CardParams }) {
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

import { Button } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import type { RowOf } from "../../api/op.ts";
import { disableVoucher, enableVoucher, listVouchers } from "../../api/operations.gen.ts";
import { useCan } from "../../api/session.ts";
import { CAMPAIGNS } from "../../api/sources.ts";
import { type Column, count, link, moment, mono, period, text, word } from "../../kit/list/columns.tsx";
import { search } from "../../kit/list/filters.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { day, record, states } from "../../kit/list/more-filters.tsx";
import { firstRows, useList } from "../../kit/list/use-list.ts";
import { MenuButton } from "../../kit/menu/menu-button.tsx";
import { formatCount } from "../../kit/money/count.ts";
import { worthOf } from "../../registry/worth.ts";
import { useText } from "../../text/text.ts";
import { exportCodes } from "./export.ts";
import { STATES, TYPES } from "./types.ts";

type Voucher = RowOf<typeof listVouchers>;

const uses: Column<Voucher> = {
  id: "redemption.redeemed_quantity",
  title: "codes.used",
  isNumber: true,
  cell: ({ redemption: { redeemed_quantity, quantity } }, { t }) =>
    quantity === null
      ? formatCount(redeemed_quantity)
      : t("codes.usedOf", { used: formatCount(redeemed_quantity), all: formatCount(quantity) }),
  csv: ({ redemption: { redeemed_quantity } }) => redeemed_quantity,
};
const worth: Column<Voucher> = {
  id: "worth",
  title: "codes.worth",
  cell: (row, look) => worthOf(row, look) ?? "–",
  csv: (row, look) => worthOf(row, look),
};

const COLUMNS = [
  link<Voucher>("codes.code", "code", ({ code }) => `/codes/${encodeURIComponent(code)}`, { sort: "code" }),
  worth,
  text<Voucher>("codes.campaign", "campaign"),
  word<Voucher>("codes.type", "type", TYPES),
  word<Voucher>("codes.switch", "active", { true: "codes.on", false: "codes.off" }),
  period<Voucher>("codes.period", "start_date", "expiration_date"),
  uses,
  moment<Voucher>("codes.created", "created_at", { sort: "created_at" }),
  count<Voucher>("codes.columns.limit", "redemption.quantity", { isExtra: true }),
  count<Voucher>("codes.published", "publish.count", { isExtra: true }),
  mono<Voucher>("codes.holder", "holder_id", { isExtra: true }),
  mono<Voucher>("codes.id", "id", { isExtra: true }),
];
const params = ({ code }: Voucher) => ({ code });

/** What the list shows; without a word on their state only codes that work, as nobody gives others away. */
function toPrint(query: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(query);
  next.delete("page");
  if (!Object.values(STATES).some(({ name }) => next.has(name))) next.set(STATES.active.name, STATES.active.value);
  return next;
}

function More({ query }: { query: URLSearchParams }) {
  const t = useText();
  const can = useCan();
  const campaign = query.get("campaign_id");
  return (
    <MenuButton
      button={
        <Button variant="default" leftSection={<IconDots size={16} />}>
          {t("codes.more")}
        </Button>
      }
      entries={[
        ...(can("importVouchersCsv") ? [{ text: t("codes.import"), to: "/codes/import" }] : []),
        { text: t("codes.print"), to: `/codes/print?${toPrint(query)}` },
        ...(can("createExport") ? [{ text: t("codes.exportAll"), run: () => void exportCodes(campaign, t) }] : []),
      ]}
    />
  );
}

const NEWEST_FIRST = { order: "-created_at" } as const;

export default function Codes() {
  const list = useList(listVouchers, NEWEST_FIRST);
  const bulk = { params, operation: disableVoucher, undo: enableVoucher };
  return (
    <ListScreen
      list={list}
      title="codes.title"
      create={{ to: "/codes/new", text: "codes.new", can: "createVoucher" }}
      filters={[
        search("filters[code][conditions][$contains]", "codes.search"),
        record("campaign_id", "codes.campaign", CAMPAIGNS),
        states("codes.state", STATES),
        day("filters[expiration_date][conditions][$before]", "codes.endsBefore"),
      ]}
      columns={COLUMNS}
      bulk={[
        { ...bulk, text: "codes.disable", done: "codes.disabled" },
        { params, operation: enableVoucher, undo: disableVoucher, text: "codes.enable", done: "codes.enabled" },
        {
          text: "codes.printThese",
          operation: listVouchers,
          to: (rows) => `/codes/print?${new URLSearchParams(rows.map(({ id }) => ["ids", id]))}`,
        },
      ]}
      actions={<More query={list.query} />}
      empty={{ title: "codes.empty", help: "codes.emptyHelp" }}
    />
  );
}
Codes.first = firstRows(listVouchers, NEWEST_FIRST);

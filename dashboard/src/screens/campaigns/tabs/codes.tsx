import type { RowOf } from "../../../api/op.ts";
import { type Campaign, disableVoucher, enableVoucher, listVouchers } from "../../../api/operations.gen.ts";
import { count, link, moment, period, status, text } from "../../../kit/list/columns.tsx";
import { search } from "../../../kit/list/filters.tsx";
import { ListScreen } from "../../../kit/list/list-screen.tsx";
import { useList } from "../../../kit/list/use-list.ts";
import { StatusBadge } from "../../../kit/status/status-badge.tsx";
import { worthOf } from "../../../registry/worth.ts";

type Voucher = RowOf<typeof listVouchers>;

const COLUMNS = [
  link<Voucher>("campaigns.code", "code", ({ code }) => `/codes/${encodeURIComponent(code)}`, { sort: "code" }),
  text<Voucher>("campaigns.worth", "type", { cell: (row, look) => worthOf(row, look) ?? "–" }),
  status<Voucher>("campaigns.status", "active", {
    cell: ({ active }) => <StatusBadge status={active ? "ACTIVE" : "DISABLED"} />,
  }),
  count<Voucher>("campaigns.usedTimes", "redemption.redeemed_quantity"),
  count<Voucher>("campaigns.usesAllowed", "redemption.quantity"),
  period<Voucher>("campaigns.period", "start_date", "expiration_date"),
  moment<Voucher>("campaigns.created", "created_at", { sort: "created_at" }),
];
const params = ({ code }: Voucher) => ({ code });

export default function Codes({ record }: { record: Campaign }) {
  const list = useList(listVouchers, { campaign_id: record.id });
  return (
    <ListScreen
      isPart
      list={list}
      title="campaigns.codes"
      filters={[search("code", "campaigns.searchCode")]}
      columns={COLUMNS}
      bulk={[
        {
          text: "campaigns.enable",
          done: "campaigns.codesEnabled",
          operation: enableVoucher,
          undo: disableVoucher,
          params,
        },
        {
          text: "campaigns.disable",
          done: "campaigns.codesDisabled",
          operation: disableVoucher,
          undo: enableVoucher,
          params,
        },
      ]}
      empty={{ title: "campaigns.noCodes" }}
    />
  );
}

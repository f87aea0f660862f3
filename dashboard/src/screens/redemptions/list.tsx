import type { RowOf } from "../../api/op.ts";
import { listRedemptions } from "../../api/operations.gen.ts";
import { CAMPAIGNS, CUSTOMERS } from "../../api/sources.ts";
import { discount, link, moment, money, mono, text } from "../../kit/list/columns.tsx";
import { search, tabs } from "../../kit/list/filters.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { day, record } from "../../kit/list/more-filters.tsx";
import { firstRows, useList } from "../../kit/list/use-list.ts";
import { redeemedName } from "../../registry/redeemed-name.ts";
import { redemptionResult } from "../../registry/redemption-result.tsx";
import { Totals } from "./totals.tsx";

type Redemption = RowOf<typeof listRedemptions>;

/** Redemptions are asked for by the name of a campaign. */
const BY_NAME = { ...CAMPAIGNS, optionOf: ({ name }: { name: string }) => ({ value: name, label: name }) };

const COLUMNS = [
  link<Redemption>(
    "redemptions.what",
    (row, { t }) => redeemedName(row, t),
    ({ id }) => `/redemptions/${id}`,
  ),
  redemptionResult("redemptions.result"),
  moment<Redemption>("redemptions.date", "date", { sort: "created_at" }),
  text<Redemption>("redemptions.customer", "customer.source_id"),
  text<Redemption>("redemptions.order", "order.source_id"),
  money<Redemption>("redemptions.amount", "order.amount"),
  discount<Redemption>("redemptions.discount", "order.total_applied_discount_amount"),
  text<Redemption>("redemptions.channel", "channel.channel_type", { isExtra: true }),
  mono<Redemption>("redemptions.id", "id", { isExtra: true }),
];

export default function Redemptions() {
  const list = useList(listRedemptions);
  return (
    <ListScreen
      list={list}
      title="redemptions.title"
      filters={[
        tabs("result", "redemptions.result", { SUCCESS: "redemptions.succeeded", FAILURE: "redemptions.failed" }),
        search("filters[voucher_code][conditions][$is]", "redemptions.searchCode"),
        record("campaign", "redemptions.campaign", BY_NAME),
        record("customer", "redemptions.customer", CUSTOMERS),
        day("created_at[after]", "redemptions.after"),
        day("created_at[before]", "redemptions.before"),
      ]}
      above={<Totals list={list} />}
      columns={COLUMNS}
      empty={{ title: "redemptions.empty", help: "redemptions.emptyHelp" }}
    />
  );
}
Redemptions.first = firstRows(listRedemptions);

import type { Campaign, PromotionTier } from "../../../api/operations.gen.ts";
import { count, discount, period, status, text } from "../../../kit/list/columns.tsx";
import { SmallTable } from "../../../kit/list/small-table.tsx";
import { Panel } from "../../../kit/page/panel.tsx";
import { Empty } from "../../../kit/states/states.tsx";
import { worthOf } from "../../../registry/worth.ts";
import { useText } from "../../../text/text.ts";

const COLUMNS = [
  text<PromotionTier>("campaigns.name", "name"),
  text<PromotionTier>("campaigns.worth", "action", {
    cell: ({ action }, look) => worthOf({ discount: action.discount }, look) ?? "–",
  }),
  text<PromotionTier>("campaigns.banner", "banner"),
  status<PromotionTier>("campaigns.status", "status"),
  period<PromotionTier>("campaigns.period", "start_date", "expiration_date"),
  count<PromotionTier>("campaigns.redemptions", "summary.redemptions.total_redeemed"),
  discount<PromotionTier>("campaigns.discount", "summary.orders.total_discount_amount"),
];

export default function Tiers({ record }: { record: Campaign }) {
  const t = useText();
  const tiers = record.promotion?.tiers ?? [];
  if (tiers.length === 0) return <Empty title="campaigns.noTiers" />;
  return (
    <Panel p={0}>
      <SmallTable rows={tiers} columns={COLUMNS} idOf={({ id }) => id} label={t("campaigns.tiers")} />
    </Panel>
  );
}

import { Text, Title } from "@mantine/core";
import { Link } from "react-router";
import {
  type Campaign,
  getCustomer,
  listPublications,
  listVouchers,
  summarizeCampaign,
  type Voucher,
} from "../../api/operations.gen.ts";
import { useCan } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { type Column, count, formatCount, link } from "../../kit/list/columns.tsx";
import { SmallTable } from "../../kit/list/small-table.tsx";
import { Failure, LoadingRows } from "../../kit/states/states.tsx";
import { CampaignPanels } from "../../registry/campaign-panels.tsx";
import { useText } from "../../text/text.ts";
import classes from "./referrals.module.css";

const LOOKED_AT = 100;
const TOP = 10;

/** How many of each step came to the next one. Bars begin at zero, and each has its number. */
function Funnel({ campaign }: { campaign: Campaign }) {
  const t = useText();
  const params = { campaignId: campaign.id, start_date: campaign.created_at.slice(0, 10) };
  const { data, error, refetch } = useOp(summarizeCampaign, params);
  const published = { campaign: campaign.name, result: "SUCCESS" as const, limit: 1 };
  const { data: given } = useOp(listPublications, published);
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows rows={3} />;
  const steps = [
    ["referrals.codes", campaign.vouchers_count],
    ["referrals.shared", given?.total ?? 0],
    ["referrals.used", data.redemptions_succeeded],
    ["referrals.came", data.referred_customers ?? 0],
  ] as const;
  const most = Math.max(1, ...steps.map(([, value]) => value));
  return (
    <ol className={classes.funnel}>
      {steps.map(([text, value]) => (
        <li key={text}>
          <span>{t(text)}</span>
          <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden>
            <rect width={(value / most) * 100} height={10} rx={1} className={classes.bar} />
          </svg>
          <strong className="tabular">{formatCount(value)}</strong>
        </li>
      ))}
    </ol>
  );
}

function Referrer({ id }: { id: string }) {
  const { data } = useOp(getCustomer, { customerId: id });
  return (
    <Link to={`/customers/${id}`} data-opens="">
      {data?.name ?? data?.email ?? data?.source_id ?? id}
    </Link>
  );
}

const referrer: Column<Voucher> = {
  id: "holder_id",
  title: "referrals.referrer",
  cell: ({ holder_id }) => (holder_id ? <Referrer id={holder_id} /> : "–"),
  csv: ({ holder_id }) => holder_id,
};
const COLUMNS = [
  referrer,
  link<Voucher>("referrals.code", "code", ({ code }) => `/codes/${encodeURIComponent(code)}`),
  count<Voucher>("referrals.brought", "redemption.redeemed_quantity"),
];

/** Whose codes were used most often. */
function TopReferrers({ campaign }: { campaign: Campaign }) {
  const t = useText();
  const filters = { "filters[redemption.redeemed_quantity][conditions][$more_than]": 0 };
  const params = { campaign_id: campaign.id, limit: LOOKED_AT, ...filters };
  const { data, error, refetch } = useOp(listVouchers, params as object);
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows rows={3} />;
  const top = data.vouchers
    .toSorted((a, b) => b.redemption.redeemed_quantity - a.redemption.redeemed_quantity)
    .slice(0, TOP);
  if (top.length === 0) return <Text c="dimmed">{t("referrals.nobodyYet")}</Text>;
  return (
    <>
      <SmallTable label={t("referrals.top")} rows={top} columns={COLUMNS} idOf={({ id }) => id} />
      {data.total > LOOKED_AT && (
        <Text size="sm" c="dimmed">
          {t("referrals.among", { count: LOOKED_AT, total: formatCount(data.total) })}
        </Text>
      )}
    </>
  );
}

const TEXTS = {
  title: "referrals.title",
  help: "referrals.help",
  empty: "referrals.empty",
  emptyHelp: "referrals.emptyHelp",
} as const;

export default function Referrals() {
  const t = useText();
  const can = useCan();
  return (
    <CampaignPanels type="REFERRAL_PROGRAM" texts={TEXTS}>
      {(campaign) => (
        <>
          {can("summarizeCampaign") && can("listPublications") && <Funnel campaign={campaign} />}
          <Title order={3} mt="lg" mb="sm">
            {t("referrals.top")}
          </Title>
          {can("listVouchers") && <TopReferrers campaign={campaign} />}
        </>
      )}
    </CampaignPanels>
  );
}

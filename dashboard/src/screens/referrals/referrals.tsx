import { Text, Title } from "@mantine/core";
import { Link } from "react-router";
import type { RowOf } from "../../api/op.ts";
import {
  type Campaign,
  getCustomer,
  listPublications,
  listTopReferrers,
  summarizeCampaign,
} from "../../api/operations.gen.ts";
import { useCan } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { type Column, count, moment } from "../../kit/list/columns.tsx";
import { SmallTable } from "../../kit/list/small-table.tsx";
import { formatCount } from "../../kit/money/count.ts";
import { Loaded } from "../../kit/states/loaded.tsx";
import { Failure, LoadingRows } from "../../kit/states/states.tsx";
import { CampaignPanels } from "../../registry/campaign-panels.tsx";
import { useText } from "../../text/text.ts";
import classes from "./referrals.module.css";

type TopReferrer = RowOf<typeof listTopReferrers>;

/** How many of each step came to the next one. Bars begin at zero, and each has its number. */
function Funnel({ campaign }: { campaign: Campaign }) {
  const t = useText();
  const params = { campaignId: campaign.id };
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

const COLUMNS: readonly Column<TopReferrer>[] = [
  {
    id: "customer_id",
    title: "referrals.referrer",
    cell: ({ customer_id }) => <Referrer id={customer_id} />,
    csv: ({ customer_id }) => customer_id,
  },
  {
    id: "code",
    title: "referrals.code",
    cell: ({ code }) => (code ? <Link to={`/codes/${encodeURIComponent(code)}`}>{code}</Link> : "–"),
    csv: ({ code }) => code,
  },
  count<TopReferrer>("referrals.brought", "friends"),
  moment<TopReferrer>("referrals.last", "last_at"),
];

/** Who brought the most friends, over all codes. */
function TopReferrers({ campaign }: { campaign: Campaign }) {
  const t = useText();
  const top = useOp(listTopReferrers, { campaignId: campaign.id });
  return (
    <Loaded of={top} rows={3}>
      {({ data }) =>
        data.length === 0 ? (
          <Text c="dimmed">{t("referrals.nobodyYet")}</Text>
        ) : (
          <SmallTable
            label={t("referrals.top")}
            rows={data}
            columns={COLUMNS}
            idOf={({ customer_id }) => customer_id}
          />
        )
      }
    </Loaded>
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
          {can("listTopReferrers") && <TopReferrers campaign={campaign} />}
        </>
      )}
    </CampaignPanels>
  );
}

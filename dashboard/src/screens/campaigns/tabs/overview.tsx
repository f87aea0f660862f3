import { Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { type Campaign, getLoyaltyOverview, getTimeSeries } from "../../../api/operations.gen.ts";
import { useCan, useProject } from "../../../api/session.ts";
import { useOp } from "../../../api/use-op.ts";
import { Bars } from "../../../kit/chart/bars.tsx";
import { PeriodChoice } from "../../../kit/chart/period-choice.tsx";
import { usePeriod } from "../../../kit/chart/use-period.ts";
import { formatCount } from "../../../kit/money/count.ts";
import { formatMoney } from "../../../kit/money/money.ts";
import { Section } from "../../../kit/page/section.tsx";
import { Loaded } from "../../../kit/states/loaded.tsx";
import { Failure, LoadingRows, NoAccess } from "../../../kit/states/states.tsx";
import { AssignedRules } from "../../../registry/conditions/assigned-rules.tsx";
import { PointFigures } from "../../../registry/point-figures.tsx";
import { type Metric, SeriesCard, SeriesFigures } from "../../../registry/series.tsx";
import { localeOf, useText } from "../../../text/text.ts";
import { BurnDowns } from "./burn-down.tsx";
import { areMade } from "./next-steps.ts";
import { ReasonsCard } from "./reasons.tsx";
import { useCounted } from "./use-counted.ts";

const Next = lazy(() => import("./next.tsx"));
const GoodsCard = lazy(() => import("../goods/goods-card.tsx"));
const ReferralProgram = lazy(() => import("../referral/program.tsx"));

const METRICS: Record<Campaign["campaign_type"], readonly Metric[]> = {
  DISCOUNT_COUPONS: ["redemptions", "discount", "revenue", "unique_customers"],
  PROMOTION: ["redemptions", "discount", "revenue", "unique_customers"],
  GIFT_VOUCHERS: ["redemptions", "gift_credits", "revenue", "unique_customers"],
  LOYALTY_PROGRAM: ["points_issued", "points_spent", "redemptions", "unique_customers"],
  REFERRAL_PROGRAM: ["redemptions", "discount", "revenue", "unique_customers"],
};
const NEARLY_FULL = 0.9;

/** How much of its limits a campaign has used: its budget, and its codes. */
function Limits({ campaign }: { campaign: Campaign }) {
  const t = useText();
  const { currency } = useProject();
  const { data, error, refetch } = useCounted(campaign);
  const counters = data?.counters;
  const money = (minor: number) => formatMoney(minor, currency, { locale: localeOf() });
  const barOf = (id: string, name: string, used: number, of: number, shown: (value: number) => string) => {
    const share = of === 0 ? 0 : used / of;
    const values = { used: shown(used), of: shown(of) };
    return { id, name, share, shown: t("campaigns.usedOf", values), isNearlyFull: share >= NEARLY_FULL };
  };
  const bars = counters
    ? [
        ...(counters.budget === null
          ? []
          : [barOf("budget", t("campaigns.budget"), counters.budget_used, counters.budget, money)]),
        ...(counters.codes === 0 || campaign.type === "STANDALONE"
          ? []
          : [barOf("codes", t("campaigns.codesUsed"), counters.codes_used, counters.codes, formatCount)]),
      ]
    : [];
  return (
    <Section title={t("campaigns.limits")}>
      {counters === undefined ? (
        error ? (
          <Failure error={error} retry={() => void refetch()} />
        ) : (
          <LoadingRows rows={2} />
        )
      ) : bars.length === 0 ? (
        <Text c="dimmed">{t(data && areMade(data) ? "campaigns.codesComing" : "campaigns.noLimits")}</Text>
      ) : (
        <Bars of={bars} />
      )}
    </Section>
  );
}

/** Of a loyalty campaign: who has its cards, and what became of the points. */
function Points({ campaign }: { campaign: Campaign }) {
  const t = useText();
  const overview = useOp(getLoyaltyOverview, { campaignId: campaign.id });
  return (
    <Section title={t("points.title")}>
      <Loaded of={overview}>{({ members, ...points }) => <PointFigures members={members} of={points} />}</Loaded>
    </Section>
  );
}

export default function Overview({ record }: { record: Campaign }) {
  const t = useText();
  const can = useCan();
  const period = usePeriod();
  const metrics = METRICS[record.campaign_type];
  const { from, to } = period;
  const params = { metrics: metrics.join(","), unit: "day" as const, from, to, campaign: record.id };
  const series = useOp(getTimeSeries, params, { keepOld: true, enabled: can("getTimeSeries") });
  return (
    <Stack gap="lg">
      <Suspense>
        <Next campaign={record} />
      </Suspense>
      <Group justify="space-between">
        <Text c="dimmed" size="sm">
          {t("campaigns.compared", { count: period.days })}
        </Text>
        <PeriodChoice period={period} />
      </Group>
      {can("getTimeSeries") ? (
        <>
          <SeriesFigures
            of={series}
            metrics={metrics}
            to={{ redemptions: `/redemptions?campaign=${encodeURIComponent(record.name)}` }}
          />
          <SimpleGrid cols={{ base: 1, lg: 2 }}>
            <SeriesCard of={series} metric={metrics[0]!} />
            <SeriesCard of={series} metric={metrics[1]!} />
          </SimpleGrid>
        </>
      ) : (
        <NoAccess needs="getTimeSeries" />
      )}
      {record.campaign_type === "LOYALTY_PROGRAM" && can("getLoyaltyOverview") && <Points campaign={record} />}
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        {can("forecastCampaign") && <BurnDowns campaign={record} days={period.days} />}
        <Limits campaign={record} />
        {record.campaign_type === "REFERRAL_PROGRAM" && (
          <Suspense>
            <ReferralProgram campaign={record} />
          </Suspense>
        )}
        {can("getValidationRule") && record.voucher?.discount && (
          <Suspense>
            <GoodsCard campaign={record} />
          </Suspense>
        )}
        {can("getValidationRule") && (
          <Section title={t("conditions.title")}>
            <AssignedRules
              of={{ type: "campaign", id: record.id }}
              assigned={record.validation_rules_assignments.data}
              none={record.promotion ? "conditions.noneForAll" : "conditions.none"}
            />
          </Section>
        )}
        {can("getRefusalSummary") && <ReasonsCard campaign={record.id} from={from} to={to} />}
      </SimpleGrid>
    </Stack>
  );
}

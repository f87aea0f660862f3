import { Anchor, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { Link } from "react-router";
import { getProjectSummary, getTimeSeries, type ProjectSummary } from "../../api/operations.gen.ts";
import { getSession, useCan, useProject, useSession } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { ShowAsCall } from "../../kit/call/show-as-call.tsx";
import { Bars } from "../../kit/chart/bars.tsx";
import { PeriodChoice } from "../../kit/chart/period-choice.tsx";
import { usePeriod } from "../../kit/chart/use-period.ts";
import { formatDay } from "../../kit/date/date.ts";
import { formatCount } from "../../kit/money/count.ts";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { Section } from "../../kit/page/section.tsx";
import { type Metric, SeriesCard, SeriesFigures } from "../../registry/series.tsx";
import { SCREENS } from "../../routes/routes.ts";
import { useText } from "../../text/text.ts";
import { Alerts } from "./alerts.tsx";

const METRICS: readonly Metric[] = ["redemptions", "discount", "revenue", "orders", "unique_customers", "refusals"];
const LISTS: Partial<Record<Metric, { to: string; needs: string }>> = {
  redemptions: { to: "/redemptions", needs: "listRedemptions" },
  unique_customers: { to: "/customers", needs: "listCustomers" },
};

const CampaignLink = ({ id, name }: { id: string; name: string }) => (
  <Anchor component={Link} to={`/campaigns/${id}`} size="sm">
    {name}
  </Anchor>
);

function TopCampaigns({ of: campaigns }: { of: ProjectSummary["top_campaigns"] }) {
  const t = useText();
  const most = Math.max(1, ...campaigns.map(({ redemptions }) => redemptions));
  return (
    <Section title={t("home.top")}>
      {campaigns.length === 0 ? (
        <Text c="dimmed">{t("home.noTop")}</Text>
      ) : (
        <Bars
          of={campaigns.map(({ id, name, redemptions }) => ({
            ...{ id, name: <CampaignLink id={id} name={name} />, share: redemptions / most },
            shown: t("home.redeemed", { count: redemptions, shown: formatCount(redemptions) }),
          }))}
        />
      )}
    </Section>
  );
}

function EndingCampaigns({ of: campaigns }: { of: ProjectSummary["ending_campaigns"] }) {
  const t = useText();
  const { timezone } = useProject();
  return (
    <Section title={t("home.ending")}>
      {campaigns.length === 0 && <Text c="dimmed">{t("home.noEnding")}</Text>}
      {campaigns.map(({ id, name, expiration_date }) => (
        <Group key={id} justify="space-between" py={6}>
          <CampaignLink id={id} name={name} />
          <Text size="sm">{t("kit.date.until", { day: formatDay(expiration_date, timezone) })}</Text>
        </Group>
      ))}
    </Section>
  );
}

/** Figures, what sells, what ends and what needs somebody. */
function Dashboard() {
  const can = useCan();
  const period = usePeriod();
  const { from, to } = period;
  const summary = useOp(getProjectSummary, { from, to }, { keepOld: true });
  const metrics = "redemptions,discount,revenue";
  const maySeries = can("getTimeSeries");
  const series = useOp(getTimeSeries, { metrics, unit: "day", from, to }, { keepOld: true, enabled: maySeries });
  const links = Object.fromEntries(
    Object.entries(LISTS).flatMap(([metric, list]) => (can(list.needs) ? [[metric, list.to]] : [])),
  );
  return (
    <Stack gap="lg">
      <Alerts />
      <Group justify="flex-end">
        <PeriodChoice period={period} />
      </Group>
      <SeriesFigures of={summary} metrics={METRICS} to={links} />
      {maySeries && (
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          <SeriesCard of={series} metric="redemptions" />
          <SeriesCard of={series} metric="revenue" />
        </SimpleGrid>
      )}
      {summary.data && (
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          <TopCampaigns of={summary.data.top_campaigns} />
          <EndingCampaigns of={summary.data.ending_campaigns} />
        </SimpleGrid>
      )}
    </Stack>
  );
}

/** For who may not see figures: where to go. */
function Pages() {
  const t = useText();
  const can = useCan();
  const pages = SCREENS.filter(({ nav, needs, path }) => nav && path !== "/" && (needs === null || can(needs)));
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
      {pages.map(({ path, title }) => (
        <Panel key={path}>
          <Text component={Link} to={path} fw={600} c="inherit">
            {t(title)}
          </Text>
        </Panel>
      ))}
    </SimpleGrid>
  );
}

export default function Home() {
  const t = useText();
  const can = useCan();
  const { session } = useSession();
  const { from, to } = usePeriod();
  const name = session?.user.first_name || session?.user.login;
  return (
    <>
      <PageHead title={t("home.title")} below={t("home.welcome", { name })}>
        {can("getProjectSummary") ? (
          <ShowAsCall operation={getProjectSummary} params={{ from, to }} />
        ) : (
          <ShowAsCall operation={getSession} params={{}} />
        )}
      </PageHead>
      {can("getProjectSummary") ? <Dashboard /> : <Pages />}
    </>
  );
}

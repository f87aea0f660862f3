import { Anchor, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { Link } from "react-router";
import {
  type Campaign,
  type CampaignAudience,
  getCampaignAudience,
  getCustomer,
  getTimeSeries,
} from "../../../api/operations.gen.ts";
import { useCan } from "../../../api/session.ts";
import { useOp } from "../../../api/use-op.ts";
import { Bars } from "../../../kit/chart/bars.tsx";
import { PeriodChoice } from "../../../kit/chart/period-choice.tsx";
import { usePeriod } from "../../../kit/chart/use-period.ts";
import { Figures } from "../../../kit/facts/facts.tsx";
import { formatCount } from "../../../kit/money/count.ts";
import { Section } from "../../../kit/page/section.tsx";
import { Loaded } from "../../../kit/states/loaded.tsx";
import { SeriesCard } from "../../../registry/series.tsx";
import { useText } from "../../../text/text.ts";

function Customer({ id }: { id: string }) {
  const can = useCan();
  const { data } = useOp(getCustomer, { customerId: id }, { enabled: can("getCustomer") });
  if (!can("getCustomer")) return <span className="mono">{id}</span>;
  const { name, email, source_id } = (data ?? {}) as { name?: string; email?: string; source_id?: string };
  return (
    <Anchor component={Link} to={`/customers/${id}`} size="sm">
      {name || email || source_id || id}
    </Anchor>
  );
}

function Segments({ of: { segments, customers } }: { of: CampaignAudience }) {
  const t = useText();
  const can = useCan();
  if (segments.length === 0) return <Text c="dimmed">{t("campaigns.noSegments")}</Text>;
  return (
    <Bars
      of={segments.map(({ id, name, customers: count }) => ({
        ...{ id, shown: formatCount(count), share: count / Math.max(1, customers) },
        name: can("getSegment") ? (
          <Anchor component={Link} to={`/segments/${id}`} size="sm">
            {name}
          </Anchor>
        ) : (
          name
        ),
      }))}
    />
  );
}

function TopCustomers({ of: { top_customers } }: { of: CampaignAudience }) {
  const t = useText();
  const most = Math.max(1, ...top_customers.map(({ days }) => days));
  if (top_customers.length === 0) return <Text c="dimmed">{t("campaigns.noCustomers")}</Text>;
  return (
    <Bars
      of={top_customers.map(({ id, days }) => ({
        ...{ id, name: <Customer id={id} />, share: days / most },
        shown: t("campaigns.onDays", { count: days }),
      }))}
    />
  );
}

/** Who uses a campaign: how many, who came back, in which segments they are. */
export default function Audience({ record }: { record: Campaign }) {
  const t = useText();
  const can = useCan();
  const period = usePeriod();
  const { from, to } = period;
  const audience = useOp(getCampaignAudience, { campaignId: record.id, from, to }, { keepOld: true });
  const maySeries = can("getTimeSeries");
  const params = { metrics: "unique_customers", unit: "day" as const, from, to, campaign: record.id };
  const series = useOp(getTimeSeries, params, { keepOld: true, enabled: maySeries });
  return (
    <Stack gap="lg">
      <Group justify="flex-end">
        <PeriodChoice period={period} />
      </Group>
      <Loaded of={audience}>
        {(data) => (
          <Stack gap="lg">
            <Figures
              figures={[
                { label: t("campaigns.customersTotal"), value: formatCount(data.customers) },
                { label: t("campaigns.returning"), value: formatCount(data.returning) },
              ]}
            />
            {data.approximate && (
              <Text size="xs" c="dimmed">
                {t("campaigns.approximate", { method: data.approximate.method })}
              </Text>
            )}
            {maySeries && <SeriesCard of={series} metric="unique_customers" title={t("campaigns.customersByDay")} />}
            <SimpleGrid cols={{ base: 1, lg: 2 }}>
              <Section title={t("campaigns.topSegments")}>
                <Segments of={data} />
              </Section>
              <Section title={t("campaigns.topCustomers")}>
                <TopCustomers of={data} />
              </Section>
            </SimpleGrid>
          </Stack>
        )}
      </Loaded>
    </Stack>
  );
}

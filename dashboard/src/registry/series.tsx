import type { UseQueryResult } from "@tanstack/react-query";
import type { TimeSeries, Totals } from "../api/operations.gen.ts";
import { useProject } from "../api/session.ts";
import { ChartCard } from "../kit/chart/chart-card.tsx";
import { ColumnChart } from "../kit/chart/column-chart.tsx";
import { Figures } from "../kit/chart/figures.tsx";
import { formatDay } from "../kit/date/date.ts";
import { formatCount } from "../kit/money/count.ts";
import { formatMoney, plainMoney } from "../kit/money/money.ts";
import { Failure, LoadingRows } from "../kit/states/states.tsx";
import { localeOf, useText } from "../text/text.ts";

export type Metric = keyof Totals;
type Query<T> = Pick<UseQueryResult<T, Error>, "data" | "error" | "refetch">;
type Summed = { totals: Totals; previous: { totals: Totals }; approximate?: { metrics: Metric[] } | null };

const MONEY: readonly Metric[] = ["discount", "gift_credits", "revenue"];
const OFF: readonly Metric[] = ["discount"];

function useFormat() {
  const { currency } = useProject();
  return (metric: Metric) => (value: number) => {
    if (!MONEY.includes(metric)) return formatCount(value);
    // What was taken off has a minus; what came back by rollbacks has none.
    const shown = OFF.includes(metric) && value !== 0 ? -value : value;
    return formatMoney(shown, currency, { locale: localeOf() });
  };
}

/** The figures of a period beside those of the one before. */
export function SeriesFigures({
  of: { data, error, refetch },
  metrics,
  to = {},
}: {
  of: Query<Summed>;
  metrics: readonly Metric[];
  to?: Partial<Record<Metric, string>>;
}) {
  const t = useText();
  const formatOf = useFormat();
  if (data === undefined)
    return error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows rows={2} />;
  return (
    <Figures
      of={metrics.map((metric) => {
        const [value, before] = [data.totals[metric] ?? 0, data.previous.totals[metric] ?? 0];
        const format = formatOf(metric);
        const link = to[metric];
        return {
          ...{ name: t(`figures.${metric}`), value, before },
          ...{ shown: format(value), shownBefore: format(before) },
          ...(link !== undefined && { to: link }),
          ...(data.approximate?.metrics.includes(metric) && { isApproximate: true as const }),
        };
      })}
    />
  );
}

const short = (value: number) =>
  new Intl.NumberFormat(localeOf(), { notation: "compact", maximumFractionDigits: 1 }).format(value);

type CardProps = { of: Query<TimeSeries>; metric: Metric; title?: string };

/** One figure day by day. */
export function SeriesCard({ of: series, metric, title }: CardProps) {
  const t = useText();
  const format = useFormat()(metric);
  const { currency } = useProject();
  const isMoney = MONEY.includes(metric);
  const dayOf = (at: string, zone: string) =>
    new Intl.DateTimeFormat(localeOf(), { day: "numeric", month: "short", timeZone: zone }).format(new Date(at));
  const says = ({ rows, totals, timezone }: TimeSeries) => {
    const best = rows.reduce((most, row) => ((row[metric] ?? 0) > (most[metric] ?? 0) ? row : most), rows[0]!);
    const total = format(totals[metric] ?? 0);
    if ((best?.[metric] ?? 0) === 0) return t("figures.saysNothing");
    return t("figures.says", { total, most: format(best[metric] ?? 0), day: formatDay(best.at, timezone) });
  };
  return (
    <ChartCard
      title={title ?? t(`figures.${metric}`)}
      of={series}
      says={says}
      table={({ rows, timezone }) => ({
        head: [t("kit.chart.day"), t(`figures.${metric}`)],
        unit: isMoney ? currency : undefined,
        rows: rows.map((row) => {
          const value = row[metric] ?? 0;
          return [formatDay(row.at, timezone), format(value), row.at, isMoney ? plainMoney(value) : value];
        }),
      })}
    >
      {({ rows, timezone }) => (
        <ColumnChart
          points={rows.map((row) => ({
            label: dayOf(row.at, timezone),
            value: row[metric] ?? 0,
            isComplete: row.complete,
          }))}
          format={format}
          // An axis has no room for cents.
          tick={(value) => short(isMoney ? value / 100 : value)}
        />
      )}
    </ChartCard>
  );
}

import { type Campaign, forecastCampaign, type LimitForecast } from "../../../api/operations.gen.ts";
import { useProject } from "../../../api/session.ts";
import { useOp } from "../../../api/use-op.ts";
import { BurnDownChart } from "../../../kit/chart/burn-down-chart.tsx";
import { ChartCard } from "../../../kit/chart/chart-card.tsx";
import { formatDay } from "../../../kit/date/date.ts";
import { formatCount } from "../../../kit/money/count.ts";
import { formatMoney, plainMoney } from "../../../kit/money/money.ts";
import { localeOf, type TextKey, useText } from "../../../text/text.ts";

const short = (value: number) =>
  new Intl.NumberFormat(localeOf(), { notation: "compact", maximumFractionDigits: 1 }).format(value);

type CardProps = {
  title: TextKey;
  of: LimitForecast;
  format: (value: number) => string;
  tick: (value: number) => string;
  /** The currency, of a budget. */
  unit?: string;
};

function BurnDown({ title, of: forecast, format, tick, unit }: CardProps) {
  const t = useText();
  const { timezone } = useProject();
  const { left, per_day, runs_out_at, rows } = forecast;
  const says = () => {
    if (left === 0) return t("campaigns.leftNone");
    if (per_day === null) return t("campaigns.leftUnknown", { left: format(left) });
    if (per_day === 0 && runs_out_at === null) return t("campaigns.leftStill", { left: format(left) });
    if (runs_out_at === null) return t("campaigns.leftLong", { left: format(left) });
    return t("campaigns.leftUntil", { left: format(left), day: formatDay(runs_out_at, timezone) });
  };
  return (
    <ChartCard
      title={t(title)}
      of={{ data: forecast, error: null, refetch: (async () => undefined) as never }}
      says={says}
      table={() => ({
        head: [t("kit.chart.day"), t(title)],
        unit,
        rows: rows.map(({ at, left }) => [formatDay(at, timezone), format(left), at, unit ? plainMoney(left) : left]),
      })}
    >
      {() => <BurnDownChart rows={rows} runsOutAt={runs_out_at} zone={timezone} tick={tick} />}
    </ChartCard>
  );
}

/** What is left of the budget and of the codes, and until when. Nothing where a campaign has no limits. */
export function BurnDowns({ campaign, days }: { campaign: Campaign; days: number }) {
  const { currency } = useProject();
  const { data } = useOp(forecastCampaign, { campaignId: campaign.id, days }, { keepOld: true });
  const { budget = null, uses = null } = data ?? {};
  if (budget === null && uses === null) return null;
  return (
    <>
      {budget && (
        <BurnDown
          title="campaigns.budgetLeft"
          of={budget}
          format={(minor) => formatMoney(minor, currency, { locale: localeOf() })}
          unit={currency}
          // An axis has no room for cents.
          tick={(minor) => short(minor / 100)}
        />
      )}
      {uses && <BurnDown title="campaigns.usesLeft" of={uses} format={formatCount} tick={short} />}
    </>
  );
}

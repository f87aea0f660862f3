import { SegmentedControl } from "@mantine/core";
import { useText } from "../../text/text.ts";
import { PERIODS, type usePeriod } from "./use-period.ts";

/** Which days the figures are of; in the address. */
export function PeriodChoice({ period: { days, choose } }: { period: ReturnType<typeof usePeriod> }) {
  const t = useText();
  return (
    <SegmentedControl
      aria-label={t("kit.chart.period")}
      value={String(days)}
      onChange={choose}
      data={PERIODS.map((one) => ({ value: String(one), label: t("kit.chart.days", { count: one }) }))}
    />
  );
}

import { Stack, Text } from "@mantine/core";
import type { LoyaltyOverview } from "../api/operations.gen.ts";
import { Bars } from "../kit/chart/bars.tsx";
import { Figures } from "../kit/facts/facts.tsx";
import { formatCount } from "../kit/money/count.ts";
import { localeOf, useText } from "../text/text.ts";

type Points = Pick<
  LoyaltyOverview,
  "issued" | "removed" | "spent" | "expired" | "outstanding" | "pending" | "expiring"
>;

const monthName = (month: string): string =>
  new Intl.DateTimeFormat(localeOf(), { month: "long", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${month}-01T00:00:00Z`),
  );

/** What became of points, and how many of those that are left expire in which month. */
export function PointFigures({ members, of }: { members?: LoyaltyOverview["members"]; of: Points }) {
  const t = useText();
  const expire = of.expiring.reduce((sum, { points }) => sum + points, 0);
  return (
    <Stack gap="md">
      <Figures
        figures={[
          ...(members
            ? [
                {
                  label: t("points.members"),
                  value: formatCount(members.total),
                  below: t("points.active", { count: members.active, shown: formatCount(members.active) }),
                },
              ]
            : []),
          { label: t("points.issued"), value: formatCount(of.issued) },
          { label: t("points.spent"), value: formatCount(of.spent) },
          // Rare, so only where there are some.
          ...(of.removed > 0 ? [{ label: t("points.removed"), value: formatCount(of.removed) }] : []),
          { label: t("points.expired"), value: formatCount(of.expired) },
          {
            label: t("points.outstanding"),
            value: formatCount(of.outstanding),
            below: of.pending > 0 ? t("points.pending", { shown: formatCount(of.pending) }) : undefined,
          },
        ]}
      />
      <Text size="sm">
        {expire === 0 ? t("points.noneExpires") : t("points.expires", { shown: formatCount(expire) })}
      </Text>
      {expire > 0 && (
        <Bars
          of={of.expiring.map(({ month, points }) => ({
            id: month,
            name: monthName(month),
            shown: formatCount(points),
            share: of.outstanding === 0 ? 0 : points / of.outstanding,
          }))}
        />
      )}
    </Stack>
  );
}

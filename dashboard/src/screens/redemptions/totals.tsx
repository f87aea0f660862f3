import { sumRedemptions } from "../../api/operations.gen.ts";
import { useCan, useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import type { List } from "../../kit/list/use-list.ts";
import { formatCount } from "../../kit/money/count.ts";
import { formatDiscount, formatMoney } from "../../kit/money/money.ts";
import { Failure } from "../../kit/states/states.tsx";
import { localeOf, useText } from "../../text/text.ts";
import classes from "./totals.module.css";

/** What the rows of all pages add up to. The server adds; what was rolled back or failed is named apart. */
export function Totals({ list }: { list: Pick<List<unknown>, "params" | "rows"> }) {
  const t = useText();
  const can = useCan();
  const { currency } = useProject();
  const { limit: _, page: __, order: ___, ...filters } = list.params;
  const { data, error, isPlaceholderData, refetch } = useOp(sumRedemptions, filters, {
    // After the rows, which would wait for it.
    enabled: can("sumRedemptions") && list.rows !== undefined,
    keepOld: true,
  });
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!data || data.total === 0) return null;
  const { succeeded, rolled_back, failed } = data;
  const look = { locale: localeOf() };
  const figures = [
    [t("redemptions.succeeded"), formatCount(succeeded.count)],
    [t("redemptions.sums.orders"), formatMoney(succeeded.order_amount, currency, look)],
    [t("redemptions.discount"), formatDiscount(succeeded.discount_amount, currency, look)],
    ...(succeeded.gift_amount > 0
      ? [[t("redemptions.sums.gifts"), formatMoney(succeeded.gift_amount, currency, look)]]
      : []),
    ...(succeeded.points > 0 ? [[t("redemptions.sums.points"), formatCount(succeeded.points)]] : []),
    [t("redemptions.sums.rolledBack"), formatCount(rolled_back.count)],
    [t("redemptions.failed"), formatCount(failed.count)],
  ];
  return (
    <section
      className={isPlaceholderData ? `${classes.totals} stale` : classes.totals}
      aria-label={t("redemptions.sums.title")}
      aria-busy={isPlaceholderData}
    >
      <dl>
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p>
        {t(data.is_complete ? "redemptions.sums.all" : "redemptions.sums.newest", { total: formatCount(data.total) })}
      </p>
    </section>
  );
}

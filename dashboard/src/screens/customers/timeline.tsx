import { Anchor, Button, SegmentedControl, Text, Title } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { type CustomerActivity, listCustomerActivity, listOrders, listRedemptions } from "../../api/operations.gen.ts";
import { useCan, useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { formatMoment } from "../../kit/date/date.ts";
import { formatCount, valueAt } from "../../kit/list/columns.tsx";
import { formatDiscount, formatMoney } from "../../kit/money/money.ts";
import { Panel } from "../../kit/page/panel.tsx";
import { Failure, LoadingRows } from "../../kit/states/states.tsx";
import { localeOf, useText } from "../../text/text.ts";
import { ACTIVITIES, KINDS, type Kind, kindOf } from "./activities.ts";
import classes from "./customer.module.css";

const MORE = 50;
const MOST = 100;

/** What activities only name by id: the codes and sums of redemptions and orders. */
function useNamed(customerId: string) {
  const can = useCan();
  const newest = { limit: MOST, order: "-created_at" as const };
  const redemptions = useOp(listRedemptions, { customer: customerId, ...newest }, { enabled: can("listRedemptions") });
  const filters = { customer_id: { conditions: { $is: [customerId] } } };
  const orders = useOp(listOrders, { ...newest, filters } as object, { enabled: can("listOrders") });
  return {
    redemptions: new Map((redemptions.data?.redemptions ?? []).map((one) => [one.id, one])),
    orders: new Map((orders.data?.orders ?? []).map((one) => [one.id, one])),
  };
}
type Named = ReturnType<typeof useNamed>;

/** What is known of the redemption or the order that an activity names: a link, and a sum. */
function useDetail({ data }: CustomerActivity, named: Named) {
  const { currency } = useProject();
  const options = { locale: localeOf() };
  const redemptionId = valueAt(data, "redemption_id");
  if (typeof redemptionId === "string") {
    const one = named.redemptions.get(redemptionId);
    const saved = one?.order?.total_applied_discount_amount;
    return {
      to: `/redemptions/${redemptionId}`,
      name: one?.voucher?.code ?? redemptionId,
      sum: typeof saved === "number" && saved > 0 ? formatDiscount(saved, currency, options) : null,
    };
  }
  const orderId = valueAt(data, "order.id");
  if (typeof orderId === "string" && valueAt(data, "points") === undefined) {
    const one = named.orders.get(orderId);
    const sum = one?.total_amount === undefined ? null : formatMoney(one.total_amount, currency, options);
    return { to: null, name: one?.source_id ?? orderId, sum };
  }
  return null;
}

function Line({ activity, named }: { activity: CustomerActivity; named: Named }) {
  const t = useText();
  const detail = useDetail(activity, named);
  const about = ACTIVITIES[activity.type];
  if (!about) return <li className="mono">{activity.type}</li>;
  const points = valueAt(activity.data, "points") ?? valueAt(activity.data, "balance.points");
  const values = {
    count: points,
    points: typeof points === "number" ? formatCount(points) : "",
    what: valueAt(activity.data, about.what ?? "") ?? "",
  };
  return (
    <li className={classes.line}>
      <about.icon size={16} stroke={1.75} aria-hidden className={classes.icon} />
      <span>
        {t(about.text, values)}{" "}
        {detail?.to ? (
          <Anchor component={Link} to={detail.to} inherit className="mono">
            {detail.name}
          </Anchor>
        ) : (
          detail && <span className="mono">{detail.name}</span>
        )}
      </span>
      {detail?.sum && <span className={`${classes.sum} tabular`}>{detail.sum}</span>}
    </li>
  );
}

/** What one request did belongs together: a purchase, its codes and its points. */
function grouped(activities: readonly CustomerActivity[], kind: Kind | ""): CustomerActivity[][] {
  // What was loaded from another system later may have happened before.
  const newestFirst = activities.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
  const groups = Map.groupBy(newestFirst, ({ group_id, created_at }) => `${created_at} ${group_id}`).values();
  return [...groups].flatMap((group) => {
    const types = new Set(group.map(({ type }) => type));
    const told = group.filter(
      ({ type }) => !types.has(ACTIVITIES[type]?.unless ?? "") && (kind === "" || kindOf(type) === kind),
    );
    return told.length === 0 ? [] : [told];
  });
}

/** Everything that happened with somebody, the newest first. */
export function Timeline({ customerId }: { customerId: string }) {
  const t = useText();
  const { timezone } = useProject();
  const [kind, setKind] = useState<Kind | "">("");
  const [limit, setLimit] = useState(MORE);
  const params = { customerId, limit, order: "-created_at" as const };
  const { data, error, refetch, isFetching } = useOp(listCustomerActivity, params, { keepOld: true });
  const named = useNamed(customerId);
  const shown = grouped(data?.data ?? [], kind);
  const kinds = [
    { value: "", label: t("kit.list.all") },
    ...KINDS.map((value) => ({ value, label: t(`customers.kinds.${value}`) })),
  ];
  return (
    <Panel>
      <div className={classes.bar}>
        <Title order={2}>{t("customers.timeline")}</Title>
        <SegmentedControl
          size="xs"
          aria-label={t("customers.timeline")}
          data={kinds}
          value={kind}
          onChange={(value) => setKind(value as Kind | "")}
        />
      </div>
      {data === undefined && (error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows />)}
      {data && shown.length === 0 && <Text c="dimmed">{t("customers.nothingYet")}</Text>}
      <ol className={classes.timeline}>
        {shown.map((group) => (
          <li key={group[0]!.id} className={classes.moment}>
            <time dateTime={group[0]!.created_at}>{formatMoment(group[0]!.created_at, timezone)}</time>
            <ul className={classes.lines}>
              {group.map((one) => (
                <Line key={one.id} activity={one} named={named} />
              ))}
            </ul>
          </li>
        ))}
      </ol>
      {data?.has_more && limit < MOST && (
        <Button variant="default" loading={isFetching} onClick={() => setLimit(MOST)}>
          {t("customers.older")}
        </Button>
      )}
      {data?.has_more && limit >= MOST && (
        <Text size="sm" c="dimmed">
          {t("customers.olderInFile", { count: MOST })}
        </Text>
      )}
    </Panel>
  );
}

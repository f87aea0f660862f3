import { Anchor, Button, SegmentedControl, Text, Title } from "@mantine/core";
import { IconStar } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "react-router";
import {
  type CustomerActivity,
  type LoyaltyTierTransaction,
  listCustomerActivity,
  listOrders,
  listRedemptions,
} from "../../api/operations.gen.ts";
import { useCan, useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { formatMoment } from "../../kit/date/date.ts";
import { valueAt } from "../../kit/list/columns.tsx";
import { formatCount } from "../../kit/money/count.ts";
import { formatDiscount, formatMoney } from "../../kit/money/money.ts";
import { Panel } from "../../kit/page/panel.tsx";
import { Failure, LoadingRows } from "../../kit/states/states.tsx";
import { POINT_ENTRIES } from "../../registry/point-entries.ts";
import { redeemedName } from "../../registry/redeemed-name.ts";
import { reasonWord } from "../../registry/words.ts";
import { localeOf, type TextKey, useText } from "../../text/text.ts";
import { ACTIVITIES, KINDS, type Kind, kindOf } from "./activities.ts";
import classes from "./customer.module.css";
import { type Movement, useMovements } from "./movements.ts";
import type { ProgramCard } from "./programs.ts";
import { useWallet } from "./wallet.tsx";

const MORE = 50;
const MOST = 100;

/** The loyalty campaign of each movement of points: told of the same movement, one activity names its card. */
function useClubs(customerId: string, activities: readonly CustomerActivity[]): ReadonlyMap<unknown, string> {
  const { data } = useWallet(customerId);
  const campaigns = new Map((data?.data ?? []).map(({ redeemable: { voucher } }) => [voucher.id, voucher.campaign]));
  return new Map(
    activities.flatMap(({ data: told }) => {
      const club = campaigns.get(String(valueAt(told, "balance.related_object.id")));
      return club ? [[valueAt(told, "transaction_id"), club]] : [];
    }),
  );
}

/** What activities only name by id: the codes and sums of redemptions and orders. */
function useNamed(customerId: string, activities: readonly CustomerActivity[]) {
  const can = useCan();
  const newest = { limit: MOST, order: "-created_at" as const };
  const redemptions = useOp(listRedemptions, { customer: customerId, ...newest }, { enabled: can("listRedemptions") });
  const filters = { customer_id: { conditions: { $is: [customerId] } } };
  const orders = useOp(listOrders, { ...newest, filters } as object, { enabled: can("listOrders") });
  return {
    redemptions: new Map((redemptions.data?.redemptions ?? []).map((one) => [one.id, one])),
    orders: new Map((orders.data?.orders ?? []).map((one) => [one.id, one])),
    clubs: useClubs(customerId, activities),
  };
}
type Named = ReturnType<typeof useNamed>;

/** What is known of the redemption or the order that an activity names: a link, and a sum. */
function useDetail({ data }: CustomerActivity, named: Named) {
  const t = useText();
  const { currency } = useProject();
  const options = { locale: localeOf() };
  const redemptionId = valueAt(data, "redemption_id");
  if (typeof redemptionId === "string") {
    const one = named.redemptions.get(redemptionId);
    const saved = one?.order?.total_applied_discount_amount;
    return {
      to: `/redemptions/${redemptionId}`,
      name: one ? redeemedName(one, t) : redemptionId,
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
  const club = named.clubs.get(valueAt(activity.data, "transaction_id"));
  const points = valueAt(activity.data, "points") ?? valueAt(activity.data, "balance.points");
  const what = valueAt(activity.data, about.what ?? "");
  const values = {
    count: points,
    points: typeof points === "number" ? formatCount(points) : "",
    what: about.isReason ? (reasonWord(t, String(what)) ?? what) : (what ?? ""),
  };
  return (
    <li className={classes.line}>
      <about.icon size={16} stroke={1.75} aria-hidden className={classes.icon} />
      <span>
        {[t(about.text, values), ...(club ? [club] : [])].join(" · ")}{" "}
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

const CLIMBS: Record<LoyaltyTierTransaction["type"], TextKey> = {
  JOINED: "customers.did.tierJoined",
  UPGRADED: "customers.did.tierUp",
  DOWNGRADED: "customers.did.tierDown",
  PROLONGED: "customers.did.tierKept",
  LEFT: "customers.did.tierLeft",
};
const isClimb = (entry: Movement["entry"]): entry is LoyaltyTierTransaction["type"] => entry in CLIMBS;

function MovementLine({ of: { entry, points, tier, name, to } }: { of: Movement }) {
  const t = useText();
  const about = isClimb(entry) ? { text: CLIMBS[entry], sign: "" } : POINT_ENTRIES[entry];
  return (
    <li className={classes.line}>
      <IconStar size={16} stroke={1.75} aria-hidden className={classes.icon} />
      <span>
        {t(about.text)}
        {tier && `: ${tier}`} ·{" "}
        <Anchor component={Link} to={to} inherit underline="always">
          {name}
        </Anchor>
      </span>
      {points !== null && (
        <span className={`${classes.sum} tabular`}>
          {about.sign}
          {t("worth.points", { count: points, points: formatCount(points) })}
        </span>
      )}
    </li>
  );
}

type Moment = { id: string; at: string; activities: CustomerActivity[]; movements: Movement[] };

/** What one request did belongs together: a purchase, its codes and its points. */
function momentsOf(activities: readonly CustomerActivity[], movements: readonly Movement[], kind: Kind | ""): Moment[] {
  const groups = Map.groupBy(activities, ({ group_id, created_at }) => `${created_at} ${group_id}`).values();
  const told = [...groups].flatMap((group): Moment[] => {
    const types = new Set(group.map(({ type }) => type));
    const lines = group.filter(
      ({ type }) => !types.has(ACTIVITIES[type]?.unless ?? "") && (kind === "" || kindOf(type) === kind),
    );
    return lines.length === 0 ? [] : [{ id: lines[0]!.id, at: lines[0]!.created_at, activities: lines, movements: [] }];
  });
  const moved = kind === "" || kind === "points" ? movements : [];
  const own = [...Map.groupBy(moved, ({ created_at }) => created_at)].map(
    ([at, lines]): Moment => ({ id: lines[0]!.id, at, activities: [], movements: lines }),
  );
  // What was loaded from another system later may have happened before.
  return [...told, ...own].sort((a, b) => b.at.localeCompare(a.at));
}

/** Everything that happened with somebody, the newest first. */
export function Timeline({ customerId, cards }: { customerId: string; cards: readonly ProgramCard[] }) {
  const t = useText();
  const { timezone } = useProject();
  const [kind, setKind] = useState<Kind | "">("");
  const [limit, setLimit] = useState(MORE);
  const params = { customerId, limit, order: "-created_at" as const };
  const { data, error, refetch, isFetching } = useOp(listCustomerActivity, params, { keepOld: true });
  const activities = data?.data ?? [];
  const named = useNamed(customerId, activities);
  // Movements that are older than what is shown of the rest come with it.
  const oldest = data?.has_more ? activities.reduce((at, one) => (one.created_at < at ? one.created_at : at), "~") : "";
  const movements = useMovements(cards).filter(({ created_at }) => created_at >= oldest);
  const shown = momentsOf(activities, movements, kind);
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
        {shown.map(({ id, at, activities: lines, movements: moved }) => (
          <li key={id} className={classes.moment}>
            <time dateTime={at}>{formatMoment(at, timezone)}</time>
            <ul className={classes.lines}>
              {lines.map((one) => (
                <Line key={one.id} activity={one} named={named} />
              ))}
              {moved.map((one) => (
                <MovementLine key={one.id} of={one} />
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

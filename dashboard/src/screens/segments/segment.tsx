import { Anchor, Button, List, Text, Title } from "@mantine/core";
import { Link, useNavigate, useParams } from "react-router";
import {
  type Customer,
  deleteSegment,
  getSegment,
  getSegmentSize,
  listCustomers,
  type Segment,
} from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { useCan, useProject } from "../../api/session.ts";
import { useOp, useSend } from "../../api/use-op.ts";
import { confirm } from "../../kit/confirm/confirm.ts";
import { known } from "../../kit/confirm/known.ts";
import { formatDay } from "../../kit/date/date.ts";
import { Figures } from "../../kit/facts/facts.tsx";
import { count, link, money, text } from "../../kit/list/columns.tsx";
import { SmallTable } from "../../kit/list/small-table.tsx";
import { formatCount } from "../../kit/money/count.ts";
import { formatMoney } from "../../kit/money/money.ts";
import { Can } from "../../kit/page/can.tsx";
import { Page } from "../../kit/page/page.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { Failure, LoadingRows } from "../../kit/states/states.tsx";
import { notifyDone, notifyFailed } from "../../kit/undo/undo.tsx";
import classes from "../../registry/filter/beside.module.css";
import { CUSTOMER_FIELDS, type FilterRow, rowsOfFilter } from "../../registry/filter/filter.ts";
import { localeOf, type TextKey, useText } from "../../text/text.ts";
import { TYPES } from "./types.ts";

const FEW = 10;
const COLUMNS = [
  link<Customer>(
    "segments.customer",
    ({ name, email, source_id, id }) => name ?? email ?? source_id ?? id,
    ({ id }) => `/customers/${id}`,
  ),
  text<Customer>("segments.email", "email"),
  count<Customer>("segments.orders", "summary.orders.total_count"),
  money<Customer>("segments.spent", "summary.orders.total_amount"),
];

function Members({ segmentId }: { segmentId: string }) {
  const t = useText();
  const { data, error, refetch } = useOp(listCustomers, { segment_id: segmentId, limit: FEW });
  return (
    <Panel>
      <Title order={2} mb="sm">
        {t("segments.members")}
      </Title>
      {data === undefined &&
        (error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows rows={4} />)}
      {data?.total === 0 && <Text c="dimmed">{t("segments.nobody")}</Text>}
      {data && data.total > 0 && (
        <SmallTable label={t("segments.members")} rows={data.customers} columns={COLUMNS} idOf={({ id }) => id} />
      )}
      {data && data.total > FEW && (
        <Anchor component={Link} to={`/customers?segment_id=${segmentId}`} size="sm">
          {t("segments.all", { count: data.total, shown: formatCount(data.total) })}
        </Anchor>
      )}
    </Panel>
  );
}

/** A line of the filter as words. */
function Sentence({ row }: { row: FilterRow }) {
  const t = useText();
  const { currency } = useProject();
  const about = CUSTOMER_FIELDS.find(({ field }) => field === row.field);
  const value = row.values
    .map((one) =>
      about?.kind === "money" && typeof one === "number"
        ? formatMoney(one, currency, { locale: localeOf() })
        : String(one),
    )
    .join(", ");
  const operator = t(`filter.${about?.kind === "days" ? "days" : "operators"}.${row.operator.slice(1)}` as TextKey);
  const name = about ? t(about.text) : row.field;
  return (
    <List.Item>
      {[row.name ? `${name} ${row.name}` : name, operator, value, about?.kind === "days" && t("filter.daysAgo")]
        .filter(Boolean)
        .join(" ")}
    </List.Item>
  );
}

function Who({ segment }: { segment: Segment }) {
  const t = useText();
  const { junction, rows } = rowsOfFilter(segment.filter, CUSTOMER_FIELDS);
  return (
    <Panel>
      <Title order={2} mb="sm">
        {t("segments.who")}
      </Title>
      <Text size="sm">
        {segment.type === "static" ? t("segments.chosen") : t(junction === "and" ? "filter.all" : "filter.any")}
      </Text>
      <List size="sm">
        {rows.map((row) => (
          <Sentence key={`${row.field} ${row.name} ${row.operator}`} row={row} />
        ))}
      </List>
    </Panel>
  );
}

function Actions({ segment }: { segment: Segment }) {
  const t = useText();
  const navigate = useNavigate();
  const remove = useSend(deleteSegment);
  const { name, id } = segment;
  const drop = async () => {
    const size = await known(send(getSegmentSize, { segmentId: id }));
    const says = size ? t("segments.deleteCount", { name, count: size.count }) : t("segments.deleteSays", { name });
    if (
      !(await confirm({ title: t("segments.delete"), says, act: t("segments.deleteAct", { name }), isDangerous: true }))
    )
      return;
    remove.mutate(
      { params: { segmentId: id } },
      {
        onSuccess: () => {
          notifyDone(t("segments.deleted", { name }));
          void navigate("/segments");
        },
        onError: notifyFailed,
      },
    );
  };
  return (
    <>
      <Can do="updateSegment">
        <Button component={Link} to={`/segments/${id}/edit`}>
          {t("segments.edit")}
        </Button>
      </Can>
      <Can do="deleteSegment">
        <Button variant="default" onClick={() => void drop()}>
          {t("segments.delete")}
        </Button>
      </Can>
    </>
  );
}

function Size({ segment }: { segment: Segment }) {
  const t = useText();
  const can = useCan();
  const { timezone } = useProject();
  const { data } = useOp(getSegmentSize, { segmentId: segment.id }, { enabled: can("getSegmentSize") });
  return (
    <Figures
      figures={[
        {
          label: t("segments.members"),
          value: data ? formatCount(data.count) : null,
          below: data?.approximate ? t("segments.approximate") : null,
        },
        { label: t("segments.type"), value: t(TYPES[segment.type]!) },
        { label: t("segments.created"), value: formatDay(segment.created_at, timezone) },
      ]}
    />
  );
}

export default function SegmentPage() {
  const { segmentId = "" } = useParams();
  const segment = useOp(getSegment, { segmentId });
  return (
    <Page
      of={segment}
      title={(one) => one.name}
      actions={(one) => <Actions segment={one} />}
      call={[getSegment, { segmentId }]}
    >
      {(one) => (
        <>
          <Size segment={one} />
          <div className={classes.columns}>
            <Can do="listCustomers">
              <Members segmentId={one.id} />
            </Can>
            <Who segment={one} />
          </div>
        </>
      )}
    </Page>
  );
}

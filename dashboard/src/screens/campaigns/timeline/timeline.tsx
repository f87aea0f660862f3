import { ActionIcon, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { Link } from "react-router";
import { type Conflict, listCampaigns, listConflicts } from "../../../api/operations.gen.ts";
import { useCan, useProject } from "../../../api/session.ts";
import { useOp } from "../../../api/use-op.ts";
import { formatPeriod } from "../../../kit/date/date.ts";
import { useList } from "../../../kit/list/use-list.ts";
import { Panel } from "../../../kit/page/panel.tsx";
import { Empty, Failure, LoadingRows, NoMatch } from "../../../kit/states/states.tsx";
import { StatusBadge } from "../../../kit/status/status-badge.tsx";
import { localeOf, useText } from "../../../text/text.ts";
import type { Campaign } from "../list.tsx";
import { Conflicts, needsAttention } from "./conflicts.tsx";
import {
  edgesOf,
  isOpen,
  joined,
  LENGTHS,
  moveSpan,
  type Piece,
  parseSpan,
  pieceOf,
  printSpan,
  type Span,
} from "./span.ts";
import classes from "./timeline.module.css";

const MANY = 100;
const ms = (iso: string | null | undefined): number | null => (iso ? Date.parse(iso) : null);
const later = (a: number | null, b: number): number => Math.max(a ?? b, b);
const at = ({ left, width }: Pick<Piece, "left" | "width">) => ({ left: `${left}%`, width: `${width}%` });

type Edges = readonly [number, number];
type RowProps = { campaign: Campaign; edges: Edges; conflicts: readonly Conflict[] };

/** One campaign: its name and its dates as text, and beside them the same as a bar. */
function Row({ campaign, edges, conflicts }: RowProps) {
  const t = useText();
  const { timezone } = useProject();
  const { id, name, status = "ACTIVE", start_date, expiration_date, created_at } = campaign;
  // Without a start it began when it was made.
  const begin = ms(start_date ?? created_at)!;
  const bar = pieceOf(begin, ms(expiration_date), edges);
  const words = {
    from: (day: string) => t("kit.date.from", { day }),
    until: (day: string) => t("kit.date.until", { day }),
  };
  const warnings = conflicts.filter(needsAttention);
  const stretches = warnings
    .filter(({ kind }) => kind !== "never_applies")
    .map(({ from, to }) => ({ from: later(ms(from), begin), to: ms(to) }));
  const shaded = joined(stretches).flatMap(({ from, to }) => pieceOf(from, to, edges) ?? []);
  return (
    <li className={classes.row}>
      <div className={classes.name}>
        <Link to={`/campaigns/${id}`}>{name}</Link>
        <span className={classes.about}>
          <StatusBadge status={status} />
          <span>{formatPeriod(start_date, expiration_date, timezone, words) ?? t("kit.date.always")}</span>
          {warnings.length > 0 && (
            <a href="#conflicts" className={classes.mark}>
              <IconAlertTriangle size={14} stroke={1.75} aria-hidden />
              {t("timeline.inConflicts", { count: warnings.length })}
            </a>
          )}
        </span>
      </div>
      <div className={classes.track} aria-hidden>
        {bar && (
          <div
            className={classes.bar}
            data-status={status}
            data-cut-left={bar.isCutLeft || undefined}
            data-cut-right={bar.isCutRight || undefined}
            style={at(bar)}
          />
        )}
        {shaded.map((piece) => (
          <div key={`${piece.left} ${piece.width}`} className={classes.overlap} style={at(piece)} />
        ))}
      </div>
    </li>
  );
}

/** The names of the months above the bars, and the line of today through all of them. */
function Axis({ edges }: { edges: readonly number[] }) {
  const { timezone } = useProject();
  const t = useText();
  const [first, last] = [edges[0]!, edges.at(-1)!];
  const format = new Intl.DateTimeFormat(localeOf(), { month: "short", year: "2-digit", timeZone: timezone });
  const today = pieceOf(Date.now(), Date.now() + 1, [first, last]);
  return (
    <div className={classes.axis} aria-hidden>
      <div className={classes.months}>
        {edges.slice(0, -1).map((edge) => {
          const left = (100 * (edge - first)) / (last - first);
          return (
            <span key={edge} style={{ left: `${left}%` }}>
              {format.format(edge)}
            </span>
          );
        })}
        {today && (
          <div className={classes.today} style={{ left: `${today.left}%` }}>
            <b>{t("timeline.today")}</b>
          </div>
        )}
      </div>
    </div>
  );
}

function SpanChoice({ span, choose }: { span: Span; choose: (span: Span) => void }) {
  const t = useText();
  return (
    <Group gap="xs">
      <ActionIcon variant="default" aria-label={t("timeline.earlier")} onClick={() => choose(moveSpan(span, -1))}>
        <IconChevronLeft size={18} />
      </ActionIcon>
      <ActionIcon variant="default" aria-label={t("timeline.later")} onClick={() => choose(moveSpan(span, 1))}>
        <IconChevronRight size={18} />
      </ActionIcon>
      <SegmentedControl
        size="sm"
        aria-label={t("timeline.length")}
        value={String(span.months)}
        onChange={(months) => choose({ ...span, months: Number(months) })}
        data={LENGTHS.map((one) => ({ value: String(one), label: t("timeline.months", { count: one }) }))}
      />
    </Group>
  );
}

/** Campaigns over the months, and what of them gets in the way of what. Who does not see the bars reads a list with dates. */
export default function Timeline() {
  const t = useText();
  const can = useCan();
  const { timezone } = useProject();
  const list = useList(listCampaigns, { order: "start_date" }, { limit: MANY });
  const { data, error, refetch } = useOp(listConflicts, {}, { enabled: can("listConflicts") });
  const span = parseSpan(list.query.get("span"), new Date().toISOString(), timezone);
  const edges = edgesOf(span, timezone);
  if (list.rows === undefined)
    return list.error ? <Failure error={list.error} retry={list.refetch} /> : <LoadingRows />;
  if (list.rows.length === 0)
    return list.isFiltered ? (
      <NoMatch onClear={list.clear} />
    ) : (
      <Empty title="campaigns.empty" help="campaigns.emptyHelp" />
    );
  const known = new Map(list.rows.map((campaign) => [campaign.id, campaign]));
  const conflicts = (data?.conflicts ?? []).filter(
    (one) => isOpen(one, Date.now()) && one.campaigns.some((id) => known.has(id)),
  );
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {list.total !== null && list.total > list.rows.length
            ? t("timeline.shownOf", { count: list.rows.length, total: list.total })
            : t("timeline.shown", { count: list.rows.length })}
        </Text>
        <SpanChoice span={span} choose={(next) => list.filter({ span: printSpan(next) }, { replace: true })} />
      </Group>
      <Panel p={0}>
        <div className={classes.timeline}>
          <Axis edges={edges} />
          <ol className={classes.rows} aria-label={t("timeline.timeline")}>
            {list.rows.map((campaign) => (
              <Row
                key={campaign.id}
                campaign={campaign}
                edges={[edges[0]!, edges.at(-1)!]}
                conflicts={conflicts.filter(({ campaigns }) => campaigns.includes(campaign.id))}
              />
            ))}
          </ol>
        </div>
      </Panel>
      {can("listConflicts") && (
        <Conflicts of={{ data: data && { ...data, conflicts }, error, refetch }} known={known} />
      )}
    </Stack>
  );
}

import { ApiError, notFound } from "../../core/errors.ts";
import { toInstant } from "../../core/filters/filter.ts";
import { type ChartBucket, chartBuckets, shownMoment, spanFault, type Unit } from "../../core/rollups/buckets.ts";
import { type Metric, NO_SUMS, type RollupSubject, SERIES_METRICS, SUMS } from "../../core/rollups/metrics.ts";
import { zoneOf } from "../../core/time/zone.ts";
import type { Ctx } from "../../ctx.ts";
import type {
  ProjectSummary,
  ProjectSummaryQuery,
  SeriesTotals,
  TimeSeries,
  TimeSeriesQuery,
} from "../../resources/platform/time-series/schema.ts";
import {
  countCustomers,
  countedSince,
  countReturning,
  countRows,
  type FigureRow,
  readRollups,
  segmentsOfCustomers,
  topCampaigns,
  topCustomers,
} from "../../resources/platform/time-series/store.ts";
import type { AudienceQuery, CampaignAudience } from "../../resources/promotions/campaigns/schema.ts";
import { campaignsEnding, currentCampaigns, getCampaign } from "../../resources/promotions/campaigns/store.ts";
import { getVoucher } from "../../resources/promotions/vouchers/store.ts";

/** From so many rows on, different customers are estimated: to compare all of them would take too long. */
const CUSTOMER_ROWS_MAX = 200_000;
const METHOD = "one customer in 64, always the same ones, is counted and the count multiplied";
/** As far as the follower may be behind. */
const BEHIND_MS = 5_000;
const DEFAULT_DAYS = 30;
const LISTED = 10;
const ENDING_DAYS = 14;

const refused = (details: string) => new ApiError("invalid_query_params", { details });

type About = { subject: RollupSubject; subject_id: string };
type Series = About & { unit: Unit; metrics: readonly Metric[] };
type Period = { buckets: readonly ChartBucket[]; before: readonly ChartBucket[]; zone: string };

/** Figures of a project by hour or day, with the totals of the period and of the one before. */
export async function readTimeSeries(c: Ctx, query: TimeSeriesQuery): Promise<TimeSeries> {
  const unit = query.unit ?? "day";
  const metrics = parseMetrics(query.metrics);
  const period = parsePeriod(c, query, unit);
  const about = await parseSubject(c, query);
  const series = { ...about, unit, metrics };
  const fault = seriesFault(series);
  if (fault) throw refused(fault);
  const { rows, previous, totals, approximate } = await figuresOf(c, series, period);
  const since = await countedSince(c.db, c.project.id);
  const isComplete = ({ from, to }: ChartBucket) =>
    since !== null && from.epochMilliseconds >= since && to.epochMilliseconds + BEHIND_MS <= Date.parse(c.now);
  return {
    object: "time_series",
    unit,
    timezone: c.project.timezone,
    ...shownPeriod(period.buckets),
    rows: period.buckets.map((bucket) => ({
      at: shownMoment(bucket.from),
      ...picked(metrics, rows.get(bucket.key)),
      complete: isComplete(bucket),
    })),
    totals,
    previous,
    approximate,
  };
}

/** The figures of a period, and what to look at. */
export async function summarizeProject(c: Ctx, query: ProjectSummaryQuery): Promise<ProjectSummary> {
  const period = parsePeriod(c, query, "day");
  const series: Series = { subject: "project", subject_id: "", unit: "day", metrics: SERIES_METRICS };
  const { totals, previous, approximate } = await figuresOf(c, series, period);
  const top = await topCampaigns(c.db, c.project.id, keysOf(period.buckets), LISTED);
  const found = await currentCampaigns(
    c.db,
    c.project.id,
    top.map(({ id }) => id),
  );
  const named = new Map(found.map((row) => [row.id, row]));
  const until = Temporal.Instant.from(c.now).add({ hours: 24 * ENDING_DAYS });
  return {
    object: "project_summary",
    timezone: c.project.timezone,
    ...shownPeriod(period.buckets),
    totals,
    previous,
    top_campaigns: top.flatMap(({ id, ...sums }) => {
      const row = named.get(id);
      return row ? [{ id, name: row.name, campaign_type: row.campaign_type, ...sums }] : [];
    }),
    ending_campaigns: [
      ...(await campaignsEnding(c.db, c.project.id, { from: c.now, to: until.toString(), limit: LISTED })),
    ],
    approximate,
  };
}

/** From so many rows on, the audience of a campaign is estimated: each customer is looked for in the segments. */
const AUDIENCE_ROWS_MAX = 20_000;

/** Who redeemed something of a campaign in a period. */
export async function readAudience(c: Ctx, reference: string, query: AudienceQuery): Promise<CampaignAudience> {
  const { db, project } = c;
  const { id } = await getCampaign(db, project.id, reference);
  const { buckets } = parsePeriod(c, query, "day");
  const days = { campaignId: id, ...keysOf(buckets) };
  const isSample = (await countRows(db, project.id, days, AUDIENCE_ROWS_MAX + 1)) > AUDIENCE_ROWS_MAX;
  const about = { ...days, isSample };
  const { segments } = await c.catalog();
  const found = await segmentsOfCustomers(db, project.id, about, LISTED);
  return {
    ...{ object: "campaign_audience", campaign_id: id, timezone: project.timezone, ...shownPeriod(buckets) },
    customers: await countCustomers(db, project.id, about),
    returning: await countReturning(db, project.id, about),
    top_customers: [...(await topCustomers(db, project.id, about, LISTED))],
    segments: found.flatMap((one) => {
      const segment = segments.get(one.id);
      return segment ? [{ ...one, name: segment.name }] : [];
    }),
    approximate: isSample ? { method: METHOD } : null,
  };
}

function parseMetrics(text = "redemptions,discount"): Metric[] {
  const names = [...new Set(text.split(",").map((name) => name.trim()))];
  const unknown = names.find((name) => !(SERIES_METRICS as readonly string[]).includes(name));
  if (unknown !== undefined) throw refused(`There is no metric ${unknown}; there are ${SERIES_METRICS.join(", ")}`);
  return names as Metric[];
}

function parsePeriod(c: Ctx, { from, to }: { from?: string; to?: string }, unit: Unit): Period {
  const end = to === undefined ? c.now : toInstant(to);
  const hours = unit === "day" ? 24 * DEFAULT_DAYS : 24;
  const start = from === undefined ? Temporal.Instant.from(end).subtract({ hours }).toString() : toInstant(from);
  const zone = zoneOf(c.project);
  const span = { from: start, to: end, unit, zone };
  const fault = spanFault(span);
  if (fault) throw refused(fault);
  return { ...chartBuckets(span), zone };
}

/** How a query names what figures are kept of, and how it is found. */
const FINDERS: Record<Exclude<RollupSubject, "project">, (c: Ctx, reference: string) => Promise<string>> = {
  campaign: async (c, reference) => (await getCampaign(c.db, c.project.id, reference)).id,
  tier: async (c, reference) => requireThere("promotion_tier", reference, (await c.catalog()).promotion_tiers),
  code: async (c, reference) => (await getVoucher(c.db, c.project, reference)).id,
  segment: async (c, reference) => requireThere("segment", reference, (await c.catalog()).segments),
  channel: async (_, reference) => reference,
};

function requireThere(object: string, id: string, all: ReadonlyMap<string, unknown>): string {
  if (!all.has(id)) throw notFound(object, id);
  return id;
}

async function parseSubject(c: Ctx, query: TimeSeriesQuery): Promise<About> {
  const subjects = (Object.keys(FINDERS) as (keyof typeof FINDERS)[]).filter((name) => query[name] !== undefined);
  const [subject, ...more] = subjects;
  if (more.length > 0) throw refused(`Send one of ${subjects.join(", ")}: figures are kept of each by itself`);
  if (!subject) return { subject: "project", subject_id: "" };
  return { subject, subject_id: await FINDERS[subject](c, query[subject]!) };
}

function seriesFault({ subject, unit, metrics }: Series): string | null {
  if (subject === "code" && unit === "hour") return "Figures of a code are kept by day: send unit=day";
  if (!metrics.includes("unique_customers")) return null;
  if (unit === "hour") return "Different customers are counted by day: send unit=day";
  return subject === "project" || subject === "campaign"
    ? null
    : `Different customers are counted of the project and of campaigns, and not of a ${subject}`;
}

const keysOf = (buckets: readonly ChartBucket[]) => ({
  from: buckets[0]!.key,
  to: nextKey(buckets.at(-1)!),
});
const nextKey = ({ key, to }: ChartBucket): string =>
  key.includes("T") ? to.toInstant().toString({ fractionalSecondDigits: 3 }) : to.toPlainDate().toString();
const shownPeriod = (buckets: readonly ChartBucket[]) => ({
  from: shownMoment(buckets[0]!.from),
  to: shownMoment(buckets.at(-1)!.to),
});

const picked = (metrics: readonly Metric[], row: Partial<Record<Metric, number>> | undefined): SeriesTotals =>
  Object.fromEntries(metrics.map((name) => [name, row?.[name] ?? 0]));

/** One statement reads both periods. Different customers of all days together are counted for themselves. */
async function figuresOf(c: Ctx, series: Series, { buckets, before }: Period) {
  const range = { from: before[0]!.key, to: keysOf(buckets).to };
  const all = await readRollups(c.db, c.project.id, { ...series, ...range });
  const rows = new Map(all.map((row) => [row.key, row]));
  let isEstimated = false;
  const totalsOf = async (some: readonly ChartBucket[]): Promise<SeriesTotals> => {
    const own = some.flatMap(({ key }) => rows.get(key) ?? []);
    const sums: Partial<Record<Metric, number>> = own.reduce(added, { ...NO_SUMS });
    if (!series.metrics.includes("unique_customers")) return picked(series.metrics, sums);
    const noted = own.reduce((sum, row) => sum + (row.unique_customers ?? 0), 0);
    const isSample = noted > CUSTOMER_ROWS_MAX;
    isEstimated ||= isSample;
    const about = { campaignId: series.subject_id, ...keysOf(some), isSample };
    const unique_customers = noted === 0 ? 0 : await countCustomers(c.db, c.project.id, about);
    return picked(series.metrics, { ...sums, unique_customers });
  };
  const totals = await totalsOf(buckets);
  const previous = { ...shownPeriod(before), totals: await totalsOf(before) };
  const approximate = isEstimated ? { metrics: ["unique_customers" as const], method: METHOD } : null;
  return { rows, totals, previous, approximate };
}

const added = <T extends Record<(typeof SUMS)[number], number>>(sums: T, row: FigureRow): T => {
  for (const name of SUMS) sums[name] = (sums[name] + row[name]) as T[typeof name];
  return sums;
};

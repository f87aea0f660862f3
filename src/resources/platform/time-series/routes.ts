import { readTimeSeries, summarizeProject } from "../../../flows/platform/time-series.ts";
import { read } from "../../../http/route.ts";
import { ProjectSummary, ProjectSummaryQuery, TimeSeries, TimeSeriesQuery } from "./schema.ts";

export const timeSeriesRoutes = [
  read(
    "GET /v1/time-series",
    {
      id: "getTimeSeries",
      summary: "Read figures by hour or day",
      description:
        "Of the whole project, or of one campaign, tier, code, segment or channel. Every hour or day of the period has a row, also where nothing happened. Unless they are sent, the period ends now and begins 30 days before, or 24 hours before by the hour. A rollback counts on its own day, so a day may be negative. Figures are a few seconds behind.",
      query: TimeSeriesQuery,
      ok: TimeSeries,
    },
    async (c) => readTimeSeries(c, c.query),
  ),
  read(
    "GET /v1/project-summary",
    {
      id: "getProjectSummary",
      summary: "Read the figures of a period at a glance",
      description:
        "Totals of the days that the period touches and of as many days before, the campaigns with the most redemptions, and those that end soon. Unless they are sent, the period ends now and begins 30 days before.",
      query: ProjectSummaryQuery,
      ok: ProjectSummary,
    },
    async (c) => summarizeProject(c, c.query),
  ),
];

import { Tabs } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useSearchParams } from "react-router";
import type { RowOf } from "../../api/op.ts";
import { listAsyncActions } from "../../api/operations.gen.ts";
import { useCan } from "../../api/session.ts";
import { UsedBar } from "../../kit/chart/small.tsx";
import { type Column, link, moment, mono, status } from "../../kit/list/columns.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { useList } from "../../kit/list/use-list.ts";
import { PageHead } from "../../kit/page/page-head.tsx";
import { LoadingRows } from "../../kit/states/states.tsx";
import { jobName } from "../../registry/job-name.ts";
import { useText } from "../../text/text.ts";
import { SettingsFrame } from "./frame.tsx";

const Exports = lazy(() => import("./exports.tsx"));

type Job = RowOf<typeof listAsyncActions>;
/** What is under way moves while somebody looks. */
export const EVERY_MS = 3_000;

const progress: Column<Job> = {
  id: "progress",
  title: "settings.progress",
  cell: (row) => <UsedBar isWork share={row.progress / 100} label={`${Math.floor(row.progress)}%`} />,
  csv: (row) => row.progress,
};
const COLUMNS = [
  link<Job>(
    "settings.job",
    ({ type }, { t }) => t(jobName(type)),
    ({ id }) => `/settings/jobs/${id}`,
  ),
  status<Job>("settings.status", "status"),
  progress,
  status<Job>("settings.outcome", "operation_status", { isExtra: true }),
  moment<Job>("settings.started", "created_at"),
  moment<Job>("settings.updated", "updated_at"),
  mono<Job>("settings.requestId", "request_id", { isExtra: true }),
];

function Jobs() {
  // Pages are asked for by time; a hundred is more than anybody looks at.
  const list = useList(listAsyncActions, {}, { paging: "starting_after_id", limit: 100, everyMs: EVERY_MS });
  return (
    <ListScreen
      isPart
      list={list}
      title="settings.jobs"
      columns={COLUMNS}
      empty={{ title: "settings.noJobs", help: "settings.noJobsHelp" }}
    />
  );
}

export default function JobsPage() {
  const t = useText();
  const can = useCan();
  const [query, setQuery] = useSearchParams();
  const open = query.get("tab") === "exports" ? "exports" : "actions";
  return (
    <SettingsFrame>
      <PageHead title={t("settings.jobs")} />
      <Tabs value={open} onChange={(tab) => setQuery(tab === "exports" ? { tab } : {}, { replace: true })}>
        <Tabs.List mb="lg">
          <Tabs.Tab value="actions">{t("settings.running")}</Tabs.Tab>
          {can("listExports") && <Tabs.Tab value="exports">{t("settings.exports")}</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value={open}>
          <Suspense fallback={<LoadingRows />}>{open === "exports" ? <Exports /> : <Jobs />}</Suspense>
        </Tabs.Panel>
      </Tabs>
    </SettingsFrame>
  );
}

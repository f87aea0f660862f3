import type { RowOf } from "../../api/op.ts";
import { listAsyncActions } from "../../api/operations.gen.ts";
import { UsedBar } from "../../kit/chart/small.tsx";
import { type Column, link, moment, mono, status } from "../../kit/list/columns.tsx";
import { ListScreen } from "../../kit/list/list-screen.tsx";
import { useList } from "../../kit/list/use-list.ts";
import { jobName } from "../../registry/job-name.ts";

type Job = RowOf<typeof listAsyncActions>;
/** What is under way moves while somebody looks. */
const EVERY_MS = 3_000;

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

/** Work that is done in the background. */
export default function Jobs() {
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

import { download } from "../../../http/route.ts";
import { ByTaskResult, TaskResult, TaskResultQuery } from "./schema.ts";
import { downloadOf, getFile, requireFileOf, view } from "./store.ts";

export const fileRoutes = [
  download(
    "GET /v1/task-results/{taskResultId}",
    {
      id: "getTaskResult",
      summary: "Download the result of a task",
      description:
        "The address of a report has a `token`: with it the answer is the file itself, and no keys are needed. Without a " +
        "token the answer tells about the file.",
      params: ByTaskResult,
      query: TaskResultQuery,
      ok: TaskResult,
    },
    async (c) => view(await getFile(c.db, c.project.id, c.params.taskResultId)),
    async (c) => downloadOf(await requireFileOf(c.db, { id: c.params.taskResultId, token: c.query.token, now: c.now })),
  ),
];

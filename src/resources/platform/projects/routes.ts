import { ApiError } from "../../../core/errors.ts";
import { CLUSTER_ID } from "../../../core/projects/settings.ts";
import { projectTime } from "../../../core/time/project-time.ts";
import { createProject } from "../../../flows/platform/create-project.ts";
import { moveClock } from "../../../flows/platform/move-clock.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import {
  ByProject,
  Project,
  ProjectCreate,
  ProjectCreated,
  ProjectList,
  ProjectUpdate,
  TestClock,
  TestClockMove,
  TestClockMoved,
} from "./schema.ts";
import { changesOf, getProject, listProjects, lockProject, updateProject, view } from "./store.ts";

export const projectRoutes = [
  write(
    "POST /management/v1/projects",
    {
      id: "createProject",
      summary: "Create a project",
      description: "The answer is the only place where the secrets of its two key pairs are shown.",
      body: ProjectCreate,
      ok: ProjectCreated,
      secret: true,
    },
    async (c) => {
      if ((c.body.cluster_id ?? CLUSTER_ID) !== CLUSTER_ID)
        throw new ApiError("forbidden", {
          details: `Project is bound to different region: there is only ${CLUSTER_ID}`,
        });
      const { project, app, client, changes } = await createProject(c.db, { ...c, is_sandbox: false }, c.body);
      for (const { kind, id } of changes) c.changed(kind, id);
      return {
        ...view(project, c.secretBox),
        server_side_key: { app_id: app.id, app_token: app.secret },
        client_side_key: { app_id: client.id, app_token: client.secret },
      };
    },
  ),
  read("GET /management/v1/projects", { id: "listProjects", summary: "List projects", ok: ProjectList }, async (c) => {
    const rows = await listProjects(c.db);
    return list({ rows, total: rows.length }, (row) => view(row, c.secretBox));
  }),
  read(
    "GET /management/v1/projects/{projectId}",
    { id: "getProject", summary: "Read a project", params: ByProject, ok: Project },
    async (c) => view(await getProject(c.db, c.params.projectId), c.secretBox),
  ),
  write(
    "PUT /management/v1/projects/{projectId}",
    {
      id: "updateProject",
      summary: "Update a project",
      description: "Only the fields that are sent change; of the notification settings, only the keys that are sent.",
      params: ByProject,
      body: ProjectUpdate,
      ok: Project,
    },
    async (c) => {
      const before = await lockProject(c.db, c.params.projectId);
      c.changed("project", before.id);
      const saved = await updateProject(c.db, before.id, { ...changesOf(before, c.body), updated_at: c.now });
      return view(saved, c.secretBox);
    },
  ),
  write(
    "DELETE /management/v1/projects/{projectId}",
    {
      id: "deleteProject",
      summary: "Delete a project",
      description: "Its keys and tokens stop working at once. A sandbox project cannot be deleted.",
      params: ByProject,
      ok: Empty,
    },
    async (c) => {
      const { id, is_sandbox } = await lockProject(c.db, c.params.projectId);
      if (is_sandbox) throw new ApiError("forbidden", { details: "A sandbox project cannot be deleted" });
      c.changed("project", id);
      await updateProject(c.db, id, { deleted_at: c.now });
      return null;
    },
  ),
  read(
    "GET /management/v1/projects/{projectId}/test-clock",
    { id: "getTestClock", summary: "Read the time of a project", params: ByProject, ok: TestClock },
    async (c) => {
      const { clock_offset_ms: offset_ms } = c.project;
      return { now: projectTime(c.now, c.project), offset_ms, object: "test_clock" as const };
    },
  ),
  write(
    "POST /management/v1/projects/{projectId}/test-clock",
    {
      id: "moveTestClock",
      summary: "Move the clock of a sandbox project forward",
      description:
        "For trying in a minute what takes a year: validity, sessions, points that expire or wait, and tiers follow the time of the project. What time alone brings to cards until then follows in the background, in its order; the action says when it is done. The clock cannot be turned back.",
      params: ByProject,
      body: TestClockMove,
      ok: TestClockMoved,
      status: 202,
    },
    async (c) => moveClock(c, c.params.projectId, c.body.now),
  ),
];

import { INSTALLATION } from "../../../catalog/audit.ts";
import { read } from "../../../http/route.ts";
import { ByRequest, ByRequestInProject, InProject, LoggedRequestRead, RequestList, RequestQuery } from "./schema.ts";
import { getRequest, listRequests } from "./store.ts";

const ABOUT =
  "What was asked and answered in the last days, the newest first. A request is found here a second after its answer. " +
  "When there are very many, some are left out, those that succeeded first.";
const WHOLE = "With the bodies. Secrets, e-mail addresses and phone numbers are masked, and long bodies are cut.";
const NO_PROJECT = { id: INSTALLATION, case_sensitive_codes: true };

export const requestLogRoutes = [
  read(
    "GET /v1/request-log",
    { id: "listRequestLog", summary: "List requests", description: ABOUT, query: RequestQuery, ok: RequestList },
    async (c) => listRequests(c.db, c.project, { ...c.query, now: c.now }),
  ),
  read(
    "GET /v1/request-log/{requestId}",
    {
      id: "getLoggedRequest",
      summary: "Read a request",
      description: WHOLE,
      params: ByRequest,
      ok: LoggedRequestRead,
    },
    async (c) => getRequest(c.db, c.project.id, c.params.requestId),
  ),
  read(
    "GET /management/v1/projects/{projectId}/request-log",
    {
      id: "listRequestLogOfProject",
      summary: "List requests of a project",
      description: ABOUT,
      params: InProject,
      query: RequestQuery,
      ok: RequestList,
    },
    async (c) => listRequests(c.db, c.project, { ...c.query, now: c.now }),
  ),
  read(
    "GET /management/v1/projects/{projectId}/request-log/{requestId}",
    {
      id: "getLoggedRequestOfProject",
      summary: "Read a request of a project",
      description: WHOLE,
      params: ByRequestInProject,
      ok: LoggedRequestRead,
    },
    async (c) => getRequest(c.db, c.project.id, c.params.requestId),
  ),
  read(
    "GET /management/v1/request-log",
    {
      id: "listRequestLogOfInstallation",
      summary: "List requests of the installation",
      description: `${ABOUT} Of operations that name no project: lists of projects, roles and users.`,
      query: RequestQuery,
      ok: RequestList,
    },
    async (c) => listRequests(c.db, NO_PROJECT, { ...c.query, now: c.now }),
  ),
  read(
    "GET /management/v1/request-log/{requestId}",
    {
      id: "getLoggedRequestOfInstallation",
      summary: "Read a request of the installation",
      description: WHOLE,
      params: ByRequest,
      ok: LoggedRequestRead,
    },
    async (c) => getRequest(c.db, INSTALLATION, c.params.requestId),
  ),
];

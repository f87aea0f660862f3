import { INSTALLATION } from "../../../catalog/audit.ts";
import { read } from "../../../http/route.ts";
import { AuditEntryRead, AuditList, AuditQuery, ByAuditEntry, ByAuditEntryInProject, InProject } from "./schema.ts";
import { getAuditEntry, listAuditEntries } from "./store.ts";

const ABOUT = "Who changed which configured object, with what and when, the newest first.";

export const auditLogRoutes = [
  read(
    "GET /v1/audit-log",
    { id: "listAuditLog", summary: "List the audit log", description: ABOUT, query: AuditQuery, ok: AuditList },
    async (c) => listAuditEntries(c.db, c.project.id, { ...c.query, now: c.now }),
  ),
  read(
    "GET /v1/audit-log/{auditEntryId}",
    {
      id: "getAuditEntry",
      summary: "Read an entry of the audit log",
      description: "With the object before and after the change.",
      params: ByAuditEntry,
      ok: AuditEntryRead,
    },
    async (c) => getAuditEntry(c.db, c.project.id, c.params.auditEntryId),
  ),
  read(
    "GET /management/v1/projects/{projectId}/audit-log",
    {
      id: "listAuditLogOfProject",
      summary: "List the audit log of a project",
      description: ABOUT,
      params: InProject,
      query: AuditQuery,
      ok: AuditList,
    },
    async (c) => listAuditEntries(c.db, c.project.id, { ...c.query, now: c.now }),
  ),
  read(
    "GET /management/v1/projects/{projectId}/audit-log/{auditEntryId}",
    {
      id: "getAuditEntryOfProject",
      summary: "Read an entry of the audit log of a project",
      params: ByAuditEntryInProject,
      ok: AuditEntryRead,
    },
    async (c) => getAuditEntry(c.db, c.project.id, c.params.auditEntryId),
  ),
  read(
    "GET /management/v1/audit-log",
    {
      id: "listAuditLogOfInstallation",
      summary: "List the audit log of the installation",
      description: `${ABOUT} Of what belongs to no project: projects, users and roles.`,
      query: AuditQuery,
      ok: AuditList,
    },
    async (c) => listAuditEntries(c.db, INSTALLATION, { ...c.query, now: c.now }),
  ),
  read(
    "GET /management/v1/audit-log/{auditEntryId}",
    {
      id: "getAuditEntryOfInstallation",
      summary: "Read an entry of the audit log of the installation",
      params: ByAuditEntry,
      ok: AuditEntryRead,
    },
    async (c) => getAuditEntry(c.db, INSTALLATION, c.params.auditEntryId),
  ),
];

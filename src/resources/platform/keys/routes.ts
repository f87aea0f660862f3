import { ApiError } from "../../../core/errors.ts";
import { isAdmin } from "../../../core/users/roles.ts";
import type { Caller } from "../../../ctx.ts";
import { changeSecret, keyNamed, note, switchOffKey } from "../../../flows/platform/change-key.ts";
import { createKey } from "../../../flows/platform/create-project.ts";
import { list, read, write } from "../../../http/route.ts";
import { ByKey, Key, KeyCreate, KeyList, KeyQuery, KeyRotate, KeysOfProject, KeyWithSecret } from "./schema.ts";
import { listKeys, view } from "./store.ts";

const KEYS = "/management/v1/projects/{projectId}/keys";
const OVERLAP_HOURS = 24;

/** A key may do everything in its project, so whoever makes one with their session must be allowed to, too. */
function requireAdmin({ caller }: { caller: Caller }): void {
  if (caller.kind === "session" && !isAdmin(caller.permissions ?? []))
    throw new ApiError("missing_required_permission", {
      details: "A key may do everything in a project: only users who may, as the role ADMIN, can make one",
    });
}

export const keyRoutes = [
  read(
    `GET ${KEYS}`,
    {
      id: "listKeys",
      summary: "List the keys of a project",
      description: "Those that are switched off, too. Secrets are never shown.",
      params: KeysOfProject,
      ok: KeyList,
    },
    async (c) => {
      const rows = await listKeys(c.db, c.project.id);
      return list({ rows, total: rows.length }, view);
    },
  ),
  write(
    `POST ${KEYS}`,
    {
      id: "createKey",
      summary: "Create a key pair for a project",
      description: "The answer is the only one that shows the secret.",
      params: KeysOfProject,
      body: KeyCreate,
      ok: KeyWithSecret,
      secret: true,
    },
    async (c) => {
      requireAdmin(c);
      const { id, secret } = await createKey(c.db, c, { ...c.body, project_id: c.project.id });
      const row = await keyNamed(c, { keyId: id, kind: c.body.kind });
      note(c, row);
      return { ...view(row), secret };
    },
  ),
  read(
    `GET ${KEYS}/{keyId}`,
    { id: "getKey", summary: "Read a key of a project", params: ByKey, query: KeyQuery, ok: Key },
    async (c) => view(await keyNamed(c, { keyId: c.params.keyId, kind: c.query.kind })),
  ),
  write(
    `POST ${KEYS}/{keyId}/rotate`,
    {
      id: "rotateKey",
      summary: "Give a key another secret",
      description: "The old secret works on for a while, so that callers can be moved one by one.",
      params: ByKey,
      query: KeyQuery,
      body: KeyRotate,
      ok: KeyWithSecret,
      secret: true,
    },
    async (c) => {
      requireAdmin(c);
      const named = { keyId: c.params.keyId, kind: c.query.kind };
      const { row, secret } = await changeSecret(c, named, c.body.overlap_hours ?? OVERLAP_HOURS);
      return { ...view(row), secret };
    },
  ),
  write(
    `POST ${KEYS}/{keyId}/disable`,
    {
      id: "disableKey",
      summary: "Switch a key off",
      description: "For good: whoever has it is refused from now on, with both secrets and with its tokens.",
      params: ByKey,
      query: KeyQuery,
      ok: Key,
    },
    async (c) => view(await switchOffKey(c, { keyId: c.params.keyId, kind: c.query.kind })),
  ),
];

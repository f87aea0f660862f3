import { createHash } from "node:crypto";
import { keyChange } from "../../catalog/audit.ts";
import type { Tx } from "../../db/db.ts";
import type { SecretBox } from "../../db/secrets/secret-box.ts";
import type { NewId, NewSecret } from "../../request.ts";
import { insertKey, type KeyKind } from "../../resources/platform/keys/store.ts";
import type { ProjectCreate } from "../../resources/platform/projects/schema.ts";
import { insertProject, newProject } from "../../resources/platform/projects/store.ts";
import { requireRoles } from "../../resources/platform/roles/store.ts";
import { addOwners, lockUser, requireName, setRoles } from "../../resources/platform/users/store.ts";

export type Credentials = { id: string; secret: string };
type Sources = { newId: NewId; newSecret: NewSecret; secretBox: SecretBox; now: string; is_sandbox: boolean };
type ChosenCredentials = { id?: string; app?: Partial<Credentials>; client?: Partial<Credentials> };

/** The role that owners have in projects which they were not given another one in. */
export const ROLE_OF_OWNERS = "ADMIN";

/**
 * Creates a project with one server-side and one client-side key pair. What is not given is generated. `changes` is what the audit
 * log is told: the project, its keys, and the users who have a role in it.
 */
export async function createProject(tx: Tx, sources: Sources, body: ProjectCreate, given: ChosenCredentials = {}) {
  const { newId, newSecret, secretBox, now, is_sandbox } = sources;
  const id = given.id ?? newId("proj");
  const webhook_token = secretBox.seal(["projects", id], newSecret());
  const made = { id, secret: newSecret(), webhook_token, is_sandbox, now };
  const project = await insertProject(tx, newProject(body, made));
  const owners = await addOwners(tx, project.id, ROLE_OF_OWNERS);
  const users = await addUsers(tx, project.id, body.users ?? []);
  const of = (kind: KeyKind, pair?: Partial<Credentials>) =>
    createKey(tx, sources, { kind, project_id: project.id, name: "default", ...pair });
  const [app, client] = [await of("app", given.app), await of("client", given.client)];
  const changes = [
    { kind: "project" as const, id: project.id },
    ...[keyChange("app", app.id), keyChange("client", client.id)],
    ...[...owners, ...users].map((id) => ({ kind: "user" as const, id })),
  ];
  return { project, app, client, changes };
}

/** Users who are known. An owner who is named has the role that is said. Returns their ids. */
async function addUsers(tx: Tx, projectId: string, users: NonNullable<ProjectCreate["users"]>): Promise<string[]> {
  const names = users.map(requireName);
  await requireRoles(
    tx,
    users.map(({ role }) => role),
  );
  const ids: string[] = [];
  for (const [n, { role }] of users.entries()) {
    const { id } = await lockUser(tx, names[n]!);
    await setRoles(tx, id, { [projectId]: role });
    ids.push(id);
  }
  return ids;
}

type NewKey = { kind: KeyKind; project_id: string | null; name: string; id?: string; secret?: string };

/** Creates a key pair. Only the hash of its secret is stored: the secret itself is in what is returned, and nowhere else. */
export async function createKey(tx: Tx, { newSecret, now }: Pick<Sources, "newSecret" | "now">, key: NewKey) {
  const { id = uuidOf(newSecret()), secret = newSecret(), kind, project_id, name } = key;
  const secret_hash = createHash("sha256").update(secret).digest("hex");
  await insertKey(tx, { kind, id, project_id, name, secret_hash, created_at: now });
  return { id, secret } satisfies Credentials;
}

/** 8-4-4-4-12, as key ids look in the public API. */
const uuidOf = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");

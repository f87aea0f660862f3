import { ApiError, notFound } from "../../core/errors.ts";
import type { WriteCtx } from "../../ctx.ts";
import { requireRoles } from "../../resources/platform/roles/store.ts";
import type { User, UserAssign } from "../../resources/platform/users/schema.ts";
import { endSessions } from "../../resources/platform/users/session-store.ts";
import {
  getUser,
  lockOwners,
  lockUser,
  removeFromProject,
  requireName,
  setDisabled,
  setRoles,
  type UserRow,
  view,
} from "../../resources/platform/users/store.ts";

/** Gives a user who is known a role in a project. Whoever has one already is given the new one. */
export async function assignUser(c: WriteCtx, { role, ...named }: UserAssign): Promise<User> {
  const user = requireName(named);
  await requireRoles(c.db, [role]);
  return save(c, await lockUser(c.db, user), role);
}

export async function updateUserRole(c: WriteCtx, user: string, role: string): Promise<User> {
  await requireRoles(c.db, [role]);
  return save(c, await lockAssigned(c, user), role);
}

/** Takes a user out of a project. Somebody who is in no other one would be nowhere, so they stay. */
export async function unassignUser(c: WriteCtx, user: string): Promise<null> {
  const { id, projects } = await lockAssigned(c, user);
  if (Object.keys(projects).length === 1)
    throw new ApiError("forbidden", {
      details: "It is the only project of the user; assign another one first",
      resource_id: id,
      resource_type: "user",
    });
  c.changed("user", id);
  await removeFromProject(c.db, id, c.project.id);
  await endSessions(c.db, id);
  return null;
}

/** Nobody but who keeps the installation does it, so it reaches all projects of the user. */
export async function disableUser(c: WriteCtx, user: string): Promise<User> {
  const { id, is_owner } = requireInProject(await getUser(c.db, user), { user, projectId: c.project.id });
  const owners = await lockOwners(c.db);
  const refusal = { resource_id: id, resource_type: "user" };
  if (id === c.caller.key_id)
    throw new ApiError("forbidden", { details: "Nobody switches off themselves", ...refusal });
  if (is_owner && owners.every((one) => one === id))
    throw new ApiError("forbidden", { details: "It is the last owner; make another one first", ...refusal });
  await lockUser(c.db, id);
  c.changed("user", id);
  await setDisabled(c.db, id, c.now);
  await endSessions(c.db, id);
  return view(await getUser(c.db, id), c.project.id);
}

export async function enableUser(c: WriteCtx, user: string): Promise<User> {
  const { id } = requireInProject(await lockUser(c.db, user), { user, projectId: c.project.id });
  c.changed("user", id);
  await setDisabled(c.db, id, null);
  return view(await getUser(c.db, id), c.project.id);
}

async function save(c: WriteCtx, { id, projects }: UserRow, role: string): Promise<User> {
  c.changed("user", id);
  const before = projects[c.project.id];
  if (before !== undefined && before !== role) await endSessions(c.db, id);
  await setRoles(c.db, id, { [c.project.id]: role });
  return view(await getUser(c.db, id), c.project.id);
}

/** A user of the whole installation is known to whoever keeps it: that they are not in this project is no secret. */
async function lockAssigned(c: WriteCtx, user: string): Promise<UserRow> {
  const row = await lockUser(c.db, user);
  if (!Object.hasOwn(row.projects, c.project.id))
    throw new ApiError("user_not_assigned", {
      details: `User ${user} is not assigned to project ${c.project.id}`,
      resource_id: user,
      resource_type: "user",
    });
  return row;
}

/** The user as the project sees them: one who is not in it is not there. */
export function requireInProject(row: UserRow, { user, projectId }: { user: string; projectId: string }): User {
  if (!Object.hasOwn(row.projects, projectId)) throw notFound("user", user);
  return view(row, projectId);
}

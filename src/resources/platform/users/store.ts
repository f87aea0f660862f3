import { ApiError, invalid, notFound } from "../../../core/errors.ts";
import type { Page } from "../../../db/crud-store.ts";
import type { Db, Tx } from "../../../db/db.ts";
import type { User } from "./schema.ts";

/** A user without what proves who they are. */
export type UserRow = {
  id: string;
  login: string;
  email: string;
  first_name: string;
  last_name: string;
  is_owner: boolean;
  has_password: boolean;
  /** Whether they sign in with another provider. */
  has_identity: boolean;
  is_disabled: boolean;
  created_at: string;
  /** The role in each project that is not deleted. */
  projects: Record<string, string>;
};
type StoredInvitation = { invitation_hash: string | null; invitation_until: string | null };
export type NewUser = Pick<UserRow, "id" | "email" | "first_name" | "last_name" | "is_owner" | "created_at"> &
  StoredInvitation;

/** As many as a page has when nobody says how many. */
const USERS_MAX = 100;

/** One person has one account, however the address is written. */
const loginOf = (email: string): string => email.toLowerCase();

/** A body names a user by `id` or by `login`, never by both. */
export function requireName({ id, login }: { id?: string | undefined; login?: string | undefined }): string {
  if ((id === undefined) === (login === undefined))
    throw invalid("Payload must have either the property 'id' or the property 'login'");
  return (id ?? login)!;
}

const columns = (db: Db) => db`
  u.id, u.login, u.email, u.first_name, u.last_name, u.is_owner, u.password_hash is not null as has_password, u.created_at,
  u.disabled_at is not null as is_disabled,
  exists (select from user_identities i where i.user_id = u.id) as has_identity,
  coalesce((select jsonb_object_agg(m.project_id, m.role) from user_projects m
    join projects p on p.id = m.project_id and p.deleted_at is null where m.user_id = u.id), '{}') as projects`;

/** As a project sees them. */
export function view(row: UserRow, projectId: string): User {
  const { has_password: _, has_identity: __, is_disabled: ___, created_at: ____, ...user } = row;
  return { ...user, role: user.projects[projectId]!, status: statusOf(row) };
}

type SigningIn = Pick<UserRow, "has_password" | "has_identity" | "is_disabled">;
/** Whoever can sign in is here. */
export function statusOf({ has_password, has_identity, is_disabled }: SigningIn): User["status"] {
  if (is_disabled) return "DISABLED";
  return has_password || has_identity ? "ACTIVE" : "INVITED";
}

/** Whether a user may sign in. `disabled_at` null: they may. */
export async function setDisabled(tx: Tx, id: string, disabled_at: string | null): Promise<void> {
  await tx`update users set disabled_at = ${disabled_at} where id = ${id}`;
}

/** How many owners may sign in. Locked, so that two of them cannot switch each other off. */
export async function lockOwners(tx: Tx): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select id from users where is_owner and disabled_at is null order by id for no key update`;
  return rows.map(({ id }) => id);
}

/** Newest first unless `order` is `created_at`. */
export async function listUsersOf(
  db: Db,
  projectId: string,
  { limit = USERS_MAX, page = 1, order = "-created_at" }: Page,
): Promise<{ rows: UserRow[]; total: number }> {
  const [rows, counts] = await Promise.all([
    db<UserRow[]>`
      select * from (select ${columns(db)} from users u
        where u.id in (select user_id from user_projects where project_id = ${projectId})) own
      order by ${order === "created_at" ? db`created_at, id` : db`created_at desc, id desc`}
      limit ${limit} offset ${(page - 1) * limit}`,
    db<{ total: number }[]>`select count(*) as total from user_projects where project_id = ${projectId}`,
  ]);
  return { rows, total: counts[0]!.total };
}

export const listUsers = (db: Db) => db<UserRow[]>`select ${columns(db)} from users u order by u.created_at, u.id`;

/** By id or by login, in or out of any project. */
export async function getUser(db: Db, user: string): Promise<UserRow> {
  const [row] = await db<UserRow[]>`
    select ${columns(db)} from users u where u.id = ${user} or u.login = ${loginOf(user)}`;
  if (!row) throw notFound("user", user);
  return row;
}

/** Locks a user, so that what two requests do with their roles happens one after the other. */
export async function lockUser(tx: Tx, user: string): Promise<UserRow> {
  const [locked] = await tx<{ id: string }[]>`
    select id from users where id = ${user} or login = ${loginOf(user)} order by id for no key update`;
  if (!locked) throw notFound("user", user);
  return getUser(tx, locked.id);
}

/** When two requests invite one address at once, one is told that it is known. */
export async function insertUser(tx: Tx, user: NewUser): Promise<void> {
  const { email } = user;
  const made = await tx`
    insert into users ${tx({ ...user, login: loginOf(email) })} on conflict (login) do nothing returning id`;
  if (made.length === 0)
    throw new ApiError("duplicate_found", {
      details: `Duplicated user exists with email ${email}`,
      resource_id: email,
      resource_type: "user",
    });
}

/** Gives a user a role in each of the projects, in place of the one that they have there. */
export async function setRoles(tx: Tx, user_id: string, roles: Readonly<Record<string, string>>): Promise<void> {
  const rows = Object.entries(roles).map(([project_id, role]) => ({ user_id, project_id, role }));
  if (rows.length === 0) return;
  await tx`
    insert into user_projects ${tx(rows)} on conflict (user_id, project_id) do update set role = excluded.role`;
}

export async function removeFromProject(tx: Tx, userId: string, projectId: string): Promise<void> {
  await tx`delete from user_projects where user_id = ${userId} and project_id = ${projectId}`;
}

/** Everything that is stored of a person is in this row and in their roles, which go with it. */
export async function removeUser(tx: Tx, id: string): Promise<void> {
  await tx`delete from users where id = ${id}`;
}

/** Owners are given every new project. */
export async function addOwners(tx: Tx, projectId: string, role: string): Promise<string[]> {
  const owners = await tx<{ id: string }[]>`select id from users where is_owner order by id for no key update`;
  const ids = owners.map(({ id }) => id);
  await tx`
    insert into user_projects (user_id, project_id, role)
    select id, ${projectId}, ${role} from users where id = any(${ids})`;
  return ids;
}

type Invited = Pick<UserRow, "id" | "login" | "email" | "first_name" | "last_name"> & { until: string };

/** The user whom a token invited, and who has not accepted yet. */
export async function findInvited(
  db: Db,
  invitation_hash: string,
): Promise<(Invited & { has_accepted: boolean }) | undefined> {
  const [row] = await db<(Invited & { has_accepted: boolean })[]>`
    select id, login, email, first_name, last_name, invitation_until as until,
      password_hash is not null or exists (select from user_identities i where i.user_id = users.id) as has_accepted
    from users
    where invitation_hash = ${invitation_hash} and disabled_at is null`;
  return row;
}

/** Whether a user with a password has this address, and no link that ends after this time. */
export async function mayReset(tx: Tx, email: string, until: string): Promise<boolean> {
  const rows = await tx`
    select id from users where login = ${loginOf(email)} and password_hash is not null and disabled_at is null
      and (invitation_until is null or invitation_until <= ${until}) order by id for no key update`;
  return rows.length > 0;
}

/** In place of the one before, whose token finds nobody from now on. */
export async function setInvitation(tx: Tx, id: string, invitation: StoredInvitation): Promise<void> {
  await tx`update users set ${tx(invitation, "invitation_hash", "invitation_until")} where id = ${id}`;
}

export async function setNames(tx: Tx, id: string, names: Pick<UserRow, "first_name" | "last_name">): Promise<void> {
  await tx`update users set ${tx(names, "first_name", "last_name")} where id = ${id}`;
}

/** Locks the user whom a token invited, so that it is accepted once. */
export async function lockInvited(tx: Tx, invitation_hash: string): Promise<Invited | undefined> {
  const [row] = await tx<Invited[]>`
    select id, login, email, first_name, last_name, invitation_until as until from users
    where invitation_hash = ${invitation_hash} and disabled_at is null order by id for no key update`;
  return row;
}

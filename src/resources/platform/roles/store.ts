import { ApiError, notFound } from "../../../core/errors.ts";
import { inUse } from "../../../core/in-use.ts";
import { BUILT_IN_ROLES } from "../../../core/users/roles.ts";
import { apiErrorOf, type Db, type Tx } from "../../../db/db.ts";
import type { Role } from "./schema.ts";

export type RoleRow = {
  id: string;
  name: string;
  permissions: string[];
  created_at: string;
  updated_at: string | null;
};

const builtIn = (id: string): Role => {
  const { name, permissions } = BUILT_IN_ROLES[id]!;
  return {
    id,
    name,
    permissions: [...permissions],
    is_built_in: true,
    created_at: null,
    updated_at: null,
    object: "role",
  };
};
const view = (row: RoleRow): Role => ({ ...row, is_built_in: false, object: "role" });

const isBuiltIn = (id: string): boolean => Object.hasOwn(BUILT_IN_ROLES, id);
/** A key without a project has no value that could be read from the error of the database. */
const takenName =
  (name: string | undefined) =>
  (error: unknown): never => {
    const known = apiErrorOf(error);
    if (known?.body.key !== "duplicate_found") throw known ?? error;
    const details = `Duplicated role exists with name ${name}`;
    throw new ApiError("duplicate_found", { details, resource_id: name!, resource_type: "role" });
  };

/** The built-in roles, then the custom ones in the order of their creation. */
export async function listRoles(db: Db): Promise<Role[]> {
  const rows = await db<RoleRow[]>`select * from roles order by created_at, id`;
  return [...Object.keys(BUILT_IN_ROLES).map(builtIn), ...rows.map(view)];
}

export async function getRole(db: Db, id: string): Promise<Role> {
  if (isBuiltIn(id)) return builtIn(id);
  const [row] = await db<RoleRow[]>`select * from roles where id = ${id}`;
  if (!row) throw notFound("role", id);
  return view(row);
}

export async function insertRole(tx: Tx, row: RoleRow): Promise<Role> {
  const [saved] = await tx<RoleRow[]>`insert into roles ${tx(row)} returning *`.catch(takenName(row.name));
  return view(saved!);
}

const requireCustom = (id: string): void => {
  if (isBuiltIn(id)) throw new ApiError("forbidden", { details: `The role ${id} is built in and cannot be changed` });
};

type RoleChange = { name?: string | undefined; permissions?: string[] | undefined; updated_at: string };
export async function updateRole(tx: Tx, id: string, change: RoleChange): Promise<Role> {
  requireCustom(id);
  const set = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const [saved] = await tx<
    RoleRow[]
  >`update roles set ${tx(set as { updated_at: string })} where id = ${id} returning *`.catch(takenName(change.name));
  if (!saved) throw notFound("role", id);
  return view(saved);
}

const SHOWN_IN_USE = 10;

/** Deletes a role that nobody has. It is locked first: who is giving it to somebody meanwhile waits, or is seen here. */
export async function removeRole(tx: Tx, id: string): Promise<void> {
  requireCustom(id);
  const [row] = await tx`select id from roles where id = ${id} order by id for no key update`;
  if (!row) throw notFound("role", id);
  const users = await tx<{ user_id: string }[]>`
    select distinct user_id from user_projects where role = ${id} order by user_id limit ${SHOWN_IN_USE}`;
  if (users.length > 0)
    throw inUse({ type: "role", id }, { type: "user", ids: users.map(({ user_id }) => user_id), named: "users" });
  await tx`delete from roles where id = ${id}`;
}

/** Roles that somebody is about to be given. They stay until the transaction ends. */
export async function requireRoles(tx: Tx, roles: readonly string[]): Promise<void> {
  const custom = [...new Set(roles)].filter((role) => !isBuiltIn(role));
  if (custom.length === 0) return;
  const rows = await tx<{ id: string }[]>`
    select id from roles where id = any(${custom}) order by id for no key update`;
  const known = new Set(rows.map(({ id }) => id));
  const wrong = custom.find((role) => !known.has(role));
  if (wrong !== undefined) throw new ApiError("used_incorrect_role", { details: `The role '${wrong}' is incorrect` });
}

import { invalid } from "../../../core/errors.ts";
import { permissionFault } from "../../../core/users/roles.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { ByRole, Role, RoleCreate, RoleList, RoleUpdate } from "./schema.ts";
import { getRole, insertRole, listRoles, removeRole, updateRole } from "./store.ts";

/** The permissions as they are stored: each of them one that there is, none of them twice. */
function parsePermissions(sent: readonly string[]): string[] {
  for (const [n, permission] of sent.entries()) {
    const fault = permissionFault(permission);
    if (fault) throw invalid(`Property .permissions[${n}] ${fault}`);
  }
  return [...new Set(sent)].sort();
}

export const roleRoutes = [
  read(
    "GET /management/v1/roles",
    {
      id: "listRoles",
      summary: "List roles",
      description: "The built-in roles and the custom ones, with what each may do.",
      ok: RoleList,
    },
    async (c) => {
      const rows = await listRoles(c.db);
      return list({ rows, total: rows.length }, (role) => role);
    },
  ),
  write(
    "POST /management/v1/roles",
    { id: "createRole", summary: "Create a custom role", body: RoleCreate, ok: Role },
    async (c) => {
      const id = c.newId("role");
      c.changed("role", id);
      const permissions = parsePermissions(c.body.permissions);
      return insertRole(c.db, { id, name: c.body.name, permissions, created_at: c.now, updated_at: null });
    },
  ),
  read(
    "GET /management/v1/roles/{roleId}",
    { id: "getRole", summary: "Read a role", params: ByRole, ok: Role },
    async (c) => getRole(c.db, c.params.roleId),
  ),
  write(
    "PUT /management/v1/roles/{roleId}",
    {
      id: "updateRole",
      summary: "Update a custom role",
      description: "Whoever has the role may do what it says from now on.",
      params: ByRole,
      body: RoleUpdate,
      ok: Role,
    },
    async (c) => {
      const { name, permissions } = c.body;
      const change = { name, permissions: permissions && parsePermissions(permissions), updated_at: c.now };
      c.changed("role", c.params.roleId);
      return updateRole(c.db, c.params.roleId, change);
    },
  ),
  write(
    "DELETE /management/v1/roles/{roleId}",
    {
      id: "deleteRole",
      summary: "Delete a custom role",
      description: "Refused while a user has it.",
      params: ByRole,
      ok: Empty,
    },
    async (c) => {
      c.changed("role", c.params.roleId);
      await removeRole(c.db, c.params.roleId);
      return null;
    },
  ),
];

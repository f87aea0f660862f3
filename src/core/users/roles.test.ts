import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  ACTIONS,
  BUILT_IN_ROLES,
  OWNER_PERMISSIONS,
  type Permission,
  permissionFault,
  permissionsOf,
  permits,
  RESOURCES,
} from "./roles.ts";

const of = (role: string) => BUILT_IN_ROLES[role]!.permissions;
const ALL = RESOURCES.flatMap((resource) => ACTIONS.map((action): Permission => `${resource}.${action}`));
const allowedTo = (role: string) => ALL.filter((one) => permits(of(role), one));

test("every permission of a built-in role is one; those of owners are given to nobody else", () => {
  for (const permission of Object.values(BUILT_IN_ROLES).flatMap((role) => role.permissions))
    assert.equal(permissionFault(permission), null, permission);
  for (const permission of OWNER_PERMISSIONS) assert.notEqual(permissionFault(permission), null, permission);
  assert.deepEqual(permissionsOf("role_1", ["users.update", "vouchers.read", "roles.manage"]), ["vouchers.read"]);
  for (const text of ["", "vouchers", "vouchers.", ".read", "vouchers.fly", "nothing.read", "vouchers.read.all"])
    assert.notEqual(permissionFault(text), null, text);
});

test("an admin may do what a user may, and a user what a viewer may; nobody of them keeps the team", () => {
  const [admin, user, viewer] = [allowedTo("ADMIN"), allowedTo("USER"), allowedTo("VIEWER")];
  assert.deepEqual(
    viewer.filter((one) => !user.includes(one)),
    [],
  );
  assert.deepEqual(
    user.filter((one) => !admin.includes(one)),
    [],
  );
  assert.deepEqual(
    admin.filter((one) => /^(?:users|roles)\./.test(one)),
    [],
  );
  assert.ok(viewer.length > 0 && viewer.every((one) => /\.(?:read|export)$/.test(one)));
  assert.ok(permits(OWNER_PERMISSIONS, "users.delete"));
});

test("a merchant redeems one code at a time, and changes nothing else", () => {
  const writes = allowedTo("MERCHANT").filter((one) => !one.endsWith(".read"));
  assert.deepEqual(writes, ["single-redemptions.create", "single-validations.create"]);
});

test("managing a resource is every action on it but exporting, and nothing on any other", () => {
  fc.assert(
    fc.property(fc.constantFrom(...RESOURCES), fc.constantFrom(...ALL), (managed, wanted) => {
      const [resource, action] = wanted.split(".");
      assert.equal(permits([`${managed}.manage`], wanted), resource === managed && action !== "export");
    }),
  );
});

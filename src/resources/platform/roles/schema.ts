import { type Static, Type } from "typebox";
import { ACTIONS, GRANTABLE } from "../../../core/users/roles.ts";
import { DateTime, listOf, Nullable, optional, strict } from "../../../http/schemas.ts";

const writable = {
  name: Type.String({ minLength: 1, maxLength: 200, description: "Unique among custom roles." }),
  permissions: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
    maxItems: GRANTABLE.length * ACTIONS.length,
    description: `Each is \`<resource>.<action>\`. Actions: ${ACTIONS.join(", ")}; \`manage\` is all but \`export\`. Resources: ${GRANTABLE.join(", ")}.`,
  }),
};

export const Role = Type.Object(
  {
    id: Type.String({ description: "What a user is given: the name of a built-in role, or the id of a custom one." }),
    ...writable,
    is_built_in: Type.Boolean({ description: "A built-in role cannot be changed." }),
    created_at: Nullable(DateTime),
    updated_at: Nullable(DateTime),
    object: Type.Literal("role"),
  },
  { title: "Role" },
);
export type Role = Static<typeof Role>;
export const RoleCreate = strict(writable);
export const RoleUpdate = strict(optional(writable));
export const RoleList = listOf(Role);
export const ByRole = Type.Object({ roleId: Type.String() });

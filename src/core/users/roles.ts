// What a role may do. A permission is `<resource>.<action>`; a role is a set of them, and so a custom role is data.

export const ACTIONS = ["read", "create", "update", "delete", "manage", "export"] as const;
export type Action = (typeof ACTIONS)[number];
export type Permission = `${string}.${Action}`;

/** What shops sell and give away, and to whom: what a role without access to settings works with. */
const DATA = [
  // Long work, and how far it is.
  "actions",
  "campaigns",
  "categories",
  "customers",
  "events",
  "exports",
  "ledger",
  "locations",
  "loyalties",
  "orders",
  "product-collections",
  "products",
  "project-summary",
  "promotions",
  "publications",
  "qualifications",
  "receipts",
  "redemptions",
  "referrals",
  "refusals",
  "rewards",
  "search",
  "segments",
  // One code or one tier by a path of its own; `redemptions` and `validations` take several at once.
  "single-redemptions",
  "single-validations",
  "skus",
  "templates",
  "time-series",
  "trash-bin",
  "validation-rules",
  "validation-rules-assignments",
  "validations",
  "vouchers",
] as const;

/** What forms are made from: everybody who sees data may read it, and it is changed as a setting. */
const READABLE_SETTINGS = ["custom-event-schemas", "metadata-schemas", "registry", "stacking-rules"] as const;
/** How a project is set up. */
const SETTINGS = [
  ...READABLE_SETTINGS,
  "audit-log",
  "branding",
  "keys",
  "oauth",
  "projects",
  "request-log",
  "test-clock",
  "webhooks",
] as const;
/** Who is here at all: for owners, whatever their role in a project is. */
const TEAM = ["roles", "users"] as const;

export const RESOURCES: readonly string[] = [...DATA, ...SETTINGS, ...TEAM];
/** What a custom role may be about. Who may change users or roles could give themselves everything, so only owners may. */
export const GRANTABLE: readonly string[] = [...DATA, ...SETTINGS];

const each = (resources: readonly string[], ...actions: Action[]): Permission[] =>
  resources.flatMap((resource) => actions.map((action): Permission => `${resource}.${action}`));

const VIEWER = [...each(DATA, "read", "export"), ...each(READABLE_SETTINGS, "read")];
const USER = [...VIEWER, ...each(DATA, "create", "update", "delete")];
/** What somebody at a till needs. */
const MERCHANT = [
  ...each(["single-redemptions", "single-validations"], "create", "read"),
  ...each(["campaigns", "customers", "orders", "products", "promotions", "redemptions", "skus", "vouchers"], "read"),
];

export const BUILT_IN_ROLES: Readonly<Record<string, { name: string; permissions: readonly Permission[] }>> = {
  ADMIN: {
    name: "Everything in a project, its settings too",
    permissions: each([...DATA, ...SETTINGS], "manage", "export"),
  },
  USER: { name: "Create, edit and export data", permissions: USER },
  VIEWER: { name: "Read and export data", permissions: VIEWER },
  MERCHANT: { name: "Validate and redeem single codes", permissions: MERCHANT },
  // Areas and stores are not here yet: until then it is a user.
  USER_RESTRICTED: { name: "Create, edit and export data of assigned stores", permissions: USER },
};

/** What owners may do beside their roles. It belongs to the account and to no project. */
export const OWNER_PERMISSIONS: readonly Permission[] = each(TEAM, "manage");

/** What a role may do: a built-in one by its name; of a custom one the permissions are sent along. */
export const permissionsOf = (role: string, custom: readonly string[] | null): readonly string[] =>
  Object.hasOwn(BUILT_IN_ROLES, role)
    ? BUILT_IN_ROLES[role]!.permissions
    : (custom ?? []).filter((permission) => GRANTABLE.includes(permission.split(".")[0]!));

/** Whether somebody may do all that a project has to offer. A key may, so only they may make one. */
export const isAdmin = (granted: readonly string[]): boolean =>
  BUILT_IN_ROLES.ADMIN!.permissions.every((permission) => permits(granted, permission));

/** Why a text is no permission of a custom role, or null. */
export function permissionFault(text: string): string | null {
  const [resource = "", action = "", ...more] = text.split(".");
  if (!GRANTABLE.includes(resource) || more.length > 0)
    return `must be <resource>.<action>, with one of the resources [ ${GRANTABLE.join(", ")} ]`;
  return ACTIONS.includes(action as Action) ? null : `must end in one of the actions [ ${ACTIONS.join(", ")} ]`;
}

/** Whether a set of permissions holds one. Managing is everything but taking data out. */
export function permits(granted: readonly string[], wanted: Permission): boolean {
  const [resource, action] = wanted.split(".");
  return granted.includes(wanted) || (action !== "export" && granted.includes(`${resource}.manage`));
}

import { ApiError } from "../../core/errors.ts";
import { type Action, OWNER_PERMISSIONS, type Permission, permissionsOf, permits } from "../../core/users/roles.ts";
import type { Route } from "../route.ts";

const ACTION_OF: Readonly<Record<Route["method"], Action>> = {
  GET: "read",
  POST: "create",
  PUT: "update",
  DELETE: "delete",
};

/** Paths that belong to another resource than the one that they begin with. The first that fits counts. */
const ELSEWHERE: readonly (readonly [path: RegExp, resource: string])[] = [
  [/^\/v1\/.*\/redemption$|^\/client\/v1\/redeem$/, "single-redemptions"],
  [/^\/v1\/.*\/(?:validate|validation)$|^\/client\/v1\/validate$/, "single-validations"],
  [/^\/v1\/.*\/qualification$/, "qualifications"],
  [/^\/v1\/redemptions\/\{redemptionId\}\/(?:receipt|replay)/, "receipts"],
  [/^\/client\/v1\/publish$/, "publications"],
  [/^\/v1\/(?:async-actions|task-results)/, "actions"],
  [/\/webhook-secret\//, "webhooks"],
  [/^\/v1\/conflicts$/, "campaigns"],
  [/^\/v1\/gift-cards\//, "vouchers"],
];

/** The resource that a path is about: the segment after the version, or after the project that a management path names. */
function resourceOf(path: string): string {
  const elsewhere = ELSEWHERE.find(([paths]) => paths.test(path));
  if (elsewhere) return elsewhere[1];
  const [, ...segments] = path.split("/");
  if (segments[0] === "client") return segments[2]!;
  if (segments[0] !== "management") return segments[1]!;
  return segments[2] === "projects"
    ? (segments.slice(3).find((one) => !one.startsWith("{")) ?? "projects")
    : segments[2]!;
}

/** Taking data out is no change: a viewer may, whatever the method is. */
const isExport = (path: string): boolean => /\/exports?$/.test(path);

/** What a user needs to call an operation, by its path and its method: no operation can forget it. */
export function permissionOf({ path, method, runs }: Pick<Route, "path" | "method" | "runs">): Permission {
  if (method === "POST" && isExport(path)) return `${resourceOf(path)}.export`;
  return `${resourceOf(path)}.${runs === "read" ? "read" : ACTION_OF[method]}`;
}

/** Where an operation says which project it is about, when a user calls it; null: it is not for users. */
export function placeOf({ access, path }: Pick<Route, "access" | "path">): Place | null {
  if (access === "management") return path.includes("{projectId}") ? "path" : "installation";
  if (access === "session") return "session";
  // A token of the interface belongs to a key, so it is asked for with one.
  const isForKeys = path.startsWith("/v1/oauth/");
  return (access === "app" || access === "v2") && !isForKeys ? "header" : null;
}
type Place = "header" | "path" | "installation" | "session";

/** A user in a project. `permissions` are those of a custom role. */
export type ProjectMembership = { role: string; permissions: readonly string[] | null; is_owner: boolean };

/** What a user may do in a project. */
export const grantedTo = ({ role, permissions, is_owner }: ProjectMembership): readonly string[] => [
  ...permissionsOf(role, permissions),
  ...(is_owner ? OWNER_PERMISSIONS : []),
];

export function requirePermission(route: Route, granted: readonly string[]): void {
  const needed = permissionOf(route);
  if (permits(granted, needed)) return;
  const who = placeOf(route) === "installation" ? "; owners have it" : "";
  throw new ApiError("missing_required_permission", { details: `The user needs the permission ${needed}${who}` });
}

/** The ids of the operations of a project that a set of permissions opens. */
export const operationsIn = (routes: readonly Route[], granted: readonly string[]): string[] =>
  routes
    .filter((route) => ["header", "path"].includes(placeOf(route) ?? "") && permits(granted, permissionOf(route)))
    .map(({ id }) => id);

/** The ids of the operations that name no project. They are for owners. */
export const operationsOfInstallation = (routes: readonly Route[]): string[] =>
  routes.filter((route) => placeOf(route) === "installation").map(({ id }) => id);

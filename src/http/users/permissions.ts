import type { Action, Permission } from "../../core/users/roles.ts";
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

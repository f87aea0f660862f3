import { ERROR_TABLE, type ErrorKey } from "../../core/errors.ts";
import { Metadata } from "../../core/shapes.ts";
import type { Access, Route } from "../route.ts";
import { placeOf } from "../users/permissions.ts";
import { targetOf } from "../versions/targets.ts";
import { OPERATION_ERRORS } from "./operation-errors.ts";

const BY_ACCESS: Readonly<Record<Access, readonly ErrorKey[]>> = {
  none: [],
  app: ["unauthorized"],
  v2: ["unauthorized", "feature_not_enabled"],
  client: ["unauthorized"],
  management: ["unauthorized"],
  session: ["unauthorized"],
};

/** What a user who is signed in can meet. A key need not say which project it is for. */
function errorsOfUsers(route: Route): ErrorKey[] {
  const place = placeOf(route);
  if (place === null) return [];
  return [
    "session_expired",
    ...(route.method === "GET" ? [] : (["csrf_token_missing"] as const)),
    ...(place === "session" ? [] : (["missing_required_permission"] as const)),
    ...(place === "header" ? (["not_found"] as const) : []),
  ];
}
const OF_EVERY: readonly ErrorKey[] = [
  "invalid_payload",
  "invalid_query_params",
  "query_too_large",
  "not_acceptable",
  "too_many_requests",
];
const OF_A_BODY: readonly ErrorKey[] = ["request_timeout", "payload_too_large", "unsupported_media_type"];
const OF_A_WRITE: readonly ErrorKey[] = ["idempotency_in_progress", "idempotency_key_reused"];

/** Stands in the schema of every body that takes metadata. */
const METADATA = `"title":"${(Metadata as { title?: string }).title}"`;

/** The keys of the 4xx answers that follow from what an operation is: who may call it and what it takes. */
function derivedErrors(route: Route): ErrorKey[] {
  const { access, scope, setting, params, query, body, runs, upload } = route;
  return [
    ...OF_EVERY,
    ...BY_ACCESS[access],
    ...errorsOfUsers(route),
    ...(scope === null ? [] : (["missing_required_permission"] as const)),
    ...(setting ? (["forbidden"] as const) : []),
    ...(params ? (["not_found"] as const) : []),
    ...(body ? OF_A_BODY : []),
    ...(upload ? (["file_storage_full", "upload_ended"] as const) : []),
    ...(body && JSON.stringify(body).includes(METADATA) ? (["metadata_validation_failed"] as const) : []),
    ...(query && "cursor" in (query as { properties: object }).properties
      ? (["invalid_or_expired_cursor"] as const)
      : []),
    ...(runs === "read" || access === "none" ? [] : OF_A_WRITE),
    ...(runs === "write" && targetOf(route) ? (["precondition_failed"] as const) : []),
  ];
}

/** All keys of an operation's 4xx answers, each with its status. */
export function errorsOf(route: Route): Map<number, ErrorKey[]> {
  const keys = [...new Set([...derivedErrors(route), ...(OPERATION_ERRORS[route.id] ?? [])])].sort();
  const statuses = keys.flatMap((key) => {
    const { code, or } = ERROR_TABLE[key];
    return (or === undefined ? [code] : [code, or]).map((status) => ({ status, key }));
  });
  const sorted = statuses.toSorted((a, b) => a.status - b.status);
  return new Map(
    [...Map.groupBy(sorted, ({ status }) => status)].map(([status, all]) => [status, all.map((e) => e.key)]),
  );
}

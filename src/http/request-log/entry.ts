import type { FastifyReply, FastifyRequest } from "fastify";
import { foldCode } from "../../core/codes/code.ts";
import { maskedStart, maskedText, maskedUrl, withoutQuery } from "../../core/request-log/mask.ts";
import {
  addName,
  LIST_NAMES_MAX,
  type LoggedBody,
  noNames,
  redactBodies,
  withoutTexts,
} from "../../core/request-log/redact.ts";
import type { RequestRow } from "../../core/rows/request.ts";
import { parseQuery } from "../query.ts";
import type { Route } from "../route.ts";

/** A request that is to be logged: what there was of it anyway, and nothing that had to be made for it. */
export type RequestToLog = {
  id: string;
  project_id: string;
  case_sensitive_codes: boolean;
  ended_at: string;
  ms: number;
  route: Route;
  url: string;
  params: Readonly<Record<string, string>>;
  status: number;
  key_kind: RequestRow["key_kind"];
  key_id: string;
  channel: string | null;
  body: string;
  /** The text of a success, or the error that was answered. */
  answer: string | { key?: string } | null;
};

/** Longer ones are not read: their length would cost more than they tell. */
const READ_MAX = 131_072;
const URL_MAX = 2_000;
const CHANNEL_MAX = 200;

/** Nobody learns from the log how somebody was erased: it would be left of them. */
const NAMELESS = ["eraseCustomer"];
/**
 * Operations whose bodies are not logged. Erasing a customer would not reach the names of users; the audit log has them. Deliveries
 * and attempts have tables of their own.
 */
const BODILESS =
  /^\/management\/v1\/projects\/(?:\{projectId\}\/)?users|^\/management\/v1\/(?:session|single-sign-on|password-reset)|^\/invitations|\/audit-log|\/deliveries|\/attempts/;
/** Whoever reads the log fills no log. */
const isOfLog = (path: string): boolean => path.includes("/request-log");

/** What is kept of a request until it is written; null: it is not logged. Strangers cannot fill the log. */
export function loggedRequest(request: FastifyRequest, reply: FastifyReply, ended_at: string): RequestToLog | null {
  const { operation: route } = request.routeOptions.config;
  const { caller, project } = request.authenticated ?? {};
  if (!route || !caller || caller.kind === "none" || isOfLog(route.path)) return null;
  const { "x-voucherify-channel": channel } = request.headers;
  const isBodiless = BODILESS.test(route.path);
  return {
    id: request.id,
    project_id: project?.id ?? "",
    case_sensitive_codes: project?.case_sensitive_codes ?? true,
    ended_at,
    ms: reply.elapsedTime,
    route,
    url: request.url,
    params: request.params as Record<string, string>,
    status: reply.statusCode,
    key_kind: caller.kind,
    key_id: caller.key_id,
    channel: typeof channel === "string" ? channel : null,
    body: isBodiless || route.form || request.rawBody.length > READ_MAX ? "" : request.rawBody,
    answer: answerOf(request, isBodiless || route.secret === true),
  };
}

/** What is too long is not kept until it is written, either: it would take the place of others. */
function answerOf({ refused, answered }: FastifyRequest, isHidden: boolean): RequestToLog["answer"] {
  if (refused) return JSON.stringify(refused).length > READ_MAX ? { key: refused.key ?? "" } : refused;
  return isHidden || answered === null || answered.length > READ_MAX ? null : answered;
}

/** What a request that waits holds in memory, about. */
export const bytesOf = ({ url, params, channel, body, answer }: RequestToLog): number =>
  [url, channel ?? "", body, ...Object.values(params ?? {})].reduce((sum, text) => sum + text.length, 0) +
  (typeof answer === "string" ? answer.length : JSON.stringify(answer).length);

const ABOUT: readonly (readonly [path: RegExp, about: string])[] = [
  [/^\/(?:client\/)?v1\/customers/, "customer"],
  [/^\/v1\/vouchers/, "vouchers"],
];

/** Null: there is none, or it is no JSON. */
function parseLogged(text: string, about: string): LoggedBody | null {
  if (text === "" || text.length > READ_MAX) return null;
  try {
    return { value: JSON.parse(text), about };
  } catch {
    return null;
  }
}

/** The query as the operation reads it: it names codes and customers as a body does. Null: it cannot be read. */
function queryOf(url: string, about: string): LoggedBody | null {
  const start = url.indexOf("?");
  if (start < 0) return { value: {}, about, allOrNothing: true };
  try {
    return { value: parseQuery(url.slice(start + 1)), about, allOrNothing: true };
  } catch {
    return null;
  }
}

/** The parameters of paths that are codes: on those of loyalty and referrals of version 1 a member is one. */
const isCode = (path: string, name: string): boolean =>
  name === "code" || (name === "memberId" && /^\/v1\/(?:loyalties|referrals)/.test(path));

/** A request as it is stored: this is the work of the log, and it is done when nobody waits for it. */
export const rowOf = (entry: RequestToLog): RequestRow => rowAndMore(entry, null).row;

/** The same, and beside it something else that is masked as the bodies are. */
export function rowAndMore(entry: RequestToLog, more: LoggedBody | null): { row: RequestRow; more: string | null } {
  const { route, params, answer, case_sensitive_codes } = entry;
  const about = ABOUT.find(([paths]) => paths.test(route.path))?.[1] ?? "";
  const names = noNames(route.isList ? LIST_NAMES_MAX : undefined);
  const isNameless = NAMELESS.includes(route.id);
  for (const [name, value] of isNameless ? [] : Object.entries(params ?? {})) {
    if (isCode(route.path, name)) addName(names, "codes", value);
    if (name === "customerId") addName(names, "customers", value);
  }
  const answered =
    typeof answer === "string" ? parseLogged(answer, about) : answer && { value: answer, about: "error" };
  const bodies = [queryOf(entry.url, about), parseLogged(entry.body, about), answered, more];
  const { texts, personal } = redactBodies(isNameless ? [] : bodies, names);
  const [query, request_body = null, response_body = null, moreShown = null] = texts;
  // What cannot be read as a whole may name anybody.
  const asked = query === null ? withoutQuery(entry.url) : entry.url;
  const mask = (text: string) => withoutTexts(maskedText(text), personal);
  const url = isNameless ? route.path : maskedStart(asked, URL_MAX, (text) => maskedUrl(text, mask));
  const row: RequestRow = {
    id: entry.id,
    created_at: new Date(Date.parse(entry.ended_at) - entry.ms).toISOString(),
    method: route.method,
    route: route.path,
    url: url.replaceAll("\0", ""),
    operation: route.id,
    status: entry.status,
    error_key: typeof answer === "object" ? (answer?.key ?? null) : null,
    duration_ms: Math.round(entry.ms * 10) / 10,
    key_kind: entry.key_kind,
    key_id: entry.key_id,
    channel: entry.channel === null ? null : maskedStart(entry.channel, CHANNEL_MAX, mask),
    codes: [...names.codes].map(mask),
    customers: [...names.customers].map(mask),
    request_body,
    response_body,
    names: {
      code: [...names.codes].map((code) => foldCode(code, case_sensitive_codes)),
      customer: [...names.customers],
    },
  };
  return { row, more: moreShown };
}

import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError, invalid } from "../core/errors.ts";
import { OPEN_ROUTES } from "./open-routes.ts";
import type { Route } from "./route.ts";

export function requireHost({ headers, raw }: FastifyRequest): void {
  if (headers.host === undefined && raw.httpVersion === "1.1") throw invalid("The header Host is missing");
}

const JSON_RANGE = /^\s*(?:\*\/\*|application\/(?:\*|json))\s*(?:;|$)/i;
const EVENT_RANGE = /^\s*(?:\*\/\*|text\/(?:\*|event-stream))\s*(?:;|$)/i;
const REFUSED_RANGE = /;\s*q=0(?:\.0*)?\s*(?:;|$)/i;

/** We answer in JSON, or with a stream of events: one range of the header must take that. */
export function requireAcceptable({ headers: { accept = "" } }: FastifyRequest, isStream: boolean): void {
  const range = isStream ? EVENT_RANGE : JSON_RANGE;
  const takes = (one: string) => range.test(one) && !REFUSED_RANGE.test(one);
  if (accept.trim() === "" || accept.split(",").some(takes)) return;
  throw new ApiError("not_acceptable", { details: `Cannot answer in ${accept}` });
}

/** Refuses what no operation takes: a 405 where the path has other methods, else a 404. */
export function createRefusal(routes: readonly Route[]) {
  const known = [
    ...Object.keys(OPEN_ROUTES).map((path) => ({ method: "GET", path: path.replace(/:(\w+)/g, "{$1}") })),
    ...routes.map(({ method, path }) => ({ method: method as string, path })),
  ].map(({ method, path }) => ({ method, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`) }));

  return ({ url, method }: FastifyRequest, reply: FastifyReply): never => {
    const path = url.split("?")[0]!;
    const allowed = [...new Set(known.filter(({ pattern }) => pattern.test(path)).map((one) => one.method))];
    if (allowed.length === 0 || allowed.includes(method))
      throw new ApiError("not_found", { details: `There is no operation at ${path}` });
    reply.header("Allow", allowed.join(", "));
    const hint = allowed.join(" or ");
    throw new ApiError("method_not_allowed", {
      details: `${method} is not supported by this endpoint. Did you mean ${hint}?`,
    });
  };
}

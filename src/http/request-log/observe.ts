import type { FastifyInstance } from "fastify";
import type { RefusalNote } from "../../core/refusals/refusal.ts";
import { projectTime } from "../../core/time/project-time.ts";
import type { Engine } from "../engine.ts";
import { refusalLogged } from "../refusal-log.ts";
import { loggedRequest } from "./entry.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** What the answer refuses of a validation or redemption. */
    refusal: RefusalNote | null;
  }
}

const REDEMPTION = /^\/(?:v1|client\/v1)\/(?:redemptions|redeem|.+\/redemption)$/;
const isRedemption = ({ method, path }: { method: string; path: string }) => method === "POST" && REDEMPTION.test(path);

/**
 * One log line and one observation for each answer, an entry of the request log, and what it refuses. Lines have paths as their pattern: they
 * may hold codes. Nor do they have the address of the caller: with a key of the client side that is a shopper's. Whoever asks every
 * second whether we are well fills no log.
 */
export function observe(
  app: FastifyInstance,
  { log, requestLog = log, metrics, requests, refusals, now }: Engine,
): void {
  app.decorateRequest("refusal", null);
  app.addHook("onResponse", async (request, reply) => {
    const { operation } = request.routeOptions.config;
    const [ms, status] = [Math.round(reply.elapsedTime * 10) / 10, reply.statusCode];
    metrics.observeRequest(operation?.id ?? "none", status, ms);
    if (request.refusal) metrics.countRefusal(request.refusal.kind, request.refusal.reason);
    else if (operation && status === 200 && isRedemption(operation)) metrics.countRedemption();
    if (request.routeOptions.url?.startsWith("/health/")) return;
    const { key_id } = request.authenticated?.caller ?? {};
    const route = operation ? `${operation.method} ${operation.path}` : request.method;
    const who = { request_id: request.id, ...(key_id && { key_id }) };
    requestLog.info({ ...who, route, status, ms, ...refusalLogged(request) }, "request");
    const { refusal } = request;
    if (!requests && !(refusals && refusal)) return;
    const entry = loggedRequest(request, reply, now());
    if (entry) requests?.note(entry);
    if (entry && refusal)
      refusals?.note({
        request: entry,
        refusal,
        created_at: projectTime(entry.ended_at, request.authenticated.project),
      });
  });
  if (requests) app.addHook("onClose", requests.end);
  if (refusals) app.addHook("onClose", refusals.end);
}

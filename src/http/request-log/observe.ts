import type { FastifyInstance } from "fastify";
import type { Engine } from "../engine.ts";
import { refusalLogged } from "../refusal-log.ts";
import { loggedRequest } from "./entry.ts";

/**
 * One log line and one observation for each answer, and an entry of the request log. Lines have paths as their pattern: they
 * may hold codes. Whoever asks every second whether we are well fills no log.
 */
export function observe(app: FastifyInstance, { log, requestLog = log, metrics, requests, now }: Engine): void {
  app.addHook("onResponse", async (request, reply) => {
    const { operation } = request.routeOptions.config;
    const [ms, status] = [Math.round(reply.elapsedTime * 10) / 10, reply.statusCode];
    metrics.observeRequest(operation?.id ?? "none", status, ms);
    if (request.routeOptions.url?.startsWith("/health/")) return;
    const { key_id } = request.authenticated?.caller ?? {};
    const route = operation ? `${operation.method} ${operation.path}` : request.method;
    const who = { request_id: request.id, ip: request.ip, ...(key_id && { key_id }) };
    requestLog.info({ ...who, route, status, ms, ...refusalLogged(request) }, "request");
    const entry = requests && loggedRequest(request, reply, now());
    if (entry) requests.note(entry);
  });
  if (requests) app.addHook("onClose", requests.end);
}

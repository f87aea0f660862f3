import type { FastifyInstance, FastifyReply } from "fastify";
import { isTrusted } from "../core/projects/origin.ts";
import type { Project } from "../request.ts";

const ALLOWED_HEADERS =
  "Content-Type, X-Client-Application-Id, X-Client-Token, X-Voucherify-Channel, X-Voucherify-API-Version, " +
  "X-Voucherify-Double-Opt-In, X-Voucherify-OAuth, Idempotency-Key, Authorization, Origin";
const EXPOSED_HEADERS =
  "X-Request-Id, X-Rate-Limit-Limit, X-Rate-Limit-Remaining, X-Rate-Limit-Retry, X-Rate-Limit-Type, Retry-After, " +
  "Idempotent-Replayed, Laurel-Ignored-Fields";

/** A browser asks first, without credentials, so the question is answered for any origin. */
export function answerPreflights(app: FastifyInstance): void {
  app.options("/client/v1/*", (request, reply) => {
    const { origin } = request.headers;
    reply.header("Vary", "Origin");
    if (origin) allow(reply, origin);
    reply.header("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS");
    reply.header("Access-Control-Allow-Headers", ALLOWED_HEADERS).header("Access-Control-Max-Age", "600");
    return reply.code(204).send();
  });
}

/** The real answer may be read by a page of a trusted origin only. */
export function allowTrusted(reply: FastifyReply, project: Project, origin: string | undefined): boolean {
  reply.header("Vary", "Origin");
  if (!isTrusted(project.client_trusted_domains, origin)) return false;
  allow(reply, origin!);
  reply.header("Access-Control-Expose-Headers", EXPOSED_HEADERS);
  return true;
}

const allow = (reply: FastifyReply, origin: string) =>
  reply.header("Access-Control-Allow-Origin", origin).header("Access-Control-Allow-Credentials", "true");

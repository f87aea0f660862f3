import underPressure from "@fastify/under-pressure";
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { Catalogs } from "../catalog/catalog.ts";
import { ApiError } from "../core/errors.ts";
import type { NewId, NewSecret, Project } from "../ctx.ts";
import type { Submit } from "../db/batch.ts";
import type { Pool } from "../db/db.ts";
import { type Authenticated, createAuthenticator, type V2Auth } from "./auth.ts";
import { checkContentType, parseBodies } from "./body.ts";
import { allowTrusted, answerPreflights } from "./cors.ts";
import { errorResponse, sendError } from "./errors.ts";
import type { Metrics } from "./metrics.ts";
import { parseQuery } from "./query.ts";
import { createRateLimiter, RateLimited, type RateLimits } from "./rate-limit.ts";
import type { Route } from "./route.ts";
import { runRoute } from "./run.ts";
import { compileBody, compileText, invalid } from "./validation.ts";

/** What a process has: its database, its lanes, and the only sources of time and identity. */
export type Engine = {
  db: Pool;
  submit: Submit;
  catalogs: Catalogs;
  metrics: Metrics;
  newId: NewId;
  newSecret: NewSecret;
  newRequestId(): string;
  now(): string;
  log: FastifyBaseLogger;
  v2Auth: V2Auth;
  bodyLimitBytes: number;
  requestTimeoutMs: number;
  rateLimits: RateLimits;
  processes: number;
  trustProxy: boolean | string;
  /** Milliseconds of delay of the event loop above which requests are refused; 0: never. */
  eventLoopDelayMaxMs: number;
  /** In tests: sees every answer of an operation. */
  onAnswer?(route: Route, status: number, body: string): void;
};

declare module "fastify" {
  interface FastifyRequest {
    rawBody: string;
    authenticated: Authenticated;
  }
  interface FastifyContextConfig {
    operation?: Route;
    form?: boolean;
  }
}

const V2_FEATURE = "LOYALTY_V2";
const BAD_QUERY = Symbol("the query string could not be parsed");
const SECURITY_HEADERS = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "Strict-Transport-Security": "max-age=31536000",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/** Turns the route table into a server. */
export async function buildServer(routes: readonly Route[], engine: Engine): Promise<FastifyInstance> {
  const app = fastify({
    bodyLimit: engine.bodyLimitBytes,
    requestTimeout: engine.requestTimeoutMs,
    trustProxy: engine.trustProxy,
    exposeHeadRoutes: false,
    genReqId: engine.newRequestId,
    loggerInstance: engine.log,
    logController: new LogController({ disableRequestLogging: true }),
    // What cannot be decoded or parsed never reaches the error handler below.
    frameworkErrors: (error, request, reply) => sendError(error, request as FastifyRequest, reply as FastifyReply),
    clientErrorHandler: (error, socket) => {
      const key =
        (error as NodeJS.ErrnoException).code === "HPE_HEADER_OVERFLOW"
          ? "header_fields_too_large"
          : (error as NodeJS.ErrnoException).code === "ERR_HTTP_REQUEST_TIMEOUT"
            ? "request_timeout"
            : "invalid_payload";
      if (socket.writable) socket.end(errorResponse(key, engine.newRequestId()));
    },
    routerOptions: { maxParamLength: 1000, querystringParser: tryParseQuery },
  });
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const check = httpPart === "body" ? compileBody(schema) : compileText(schema);
    return (data) => check(data) || { error: invalid(httpPart as "body", check.errors!) };
  });
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof RateLimited) reply.headers(error.headers);
    sendError(error, request, reply);
  });
  app.setNotFoundHandler((request, reply) => sendError(unknownPath(routes, request, reply), request, reply));
  app.decorateRequest("authenticated", null as unknown as Authenticated);
  parseBodies(app);
  if (engine.eventLoopDelayMaxMs > 0) await refuseUnderPressure(app, engine.eventLoopDelayMaxMs);
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(SECURITY_HEADERS).header("X-Request-Id", request.id);
  });
  observe(app, engine);
  answerPreflights(app);
  mountRoutes(app, routes, engine);
  return app;
}

function mountRoutes(app: FastifyInstance, routes: readonly Route[], engine: Engine): void {
  const { authenticate, close } = createAuthenticator(engine.db, engine);
  const countRequest = createRateLimiter(engine.rateLimits, engine.processes);
  app.addHook("onClose", close);
  for (const route of routes) {
    const { params, query: querystring, body, bodyLimitBytes } = route;
    app.route({
      method: route.method,
      url: route.path.replace(/\{(\w+)\}/g, ":$1"),
      schema: { ...(params && { params }), ...(querystring && { querystring }), ...(body && { body }) },
      config: { operation: route, form: route.form ?? false },
      ...(bodyLimitBytes && { bodyLimit: bodyLimitBytes }),
      // Before the body is read: a stranger learns nothing, not even what a valid body looks like.
      onRequest: async (request, reply) => {
        if (route.access === "none") {
          request.authenticated = STRANGER;
          return;
        }
        checkAccept(request);
        request.authenticated = await authenticate(route, request.headers, request.params);
        const { caller, project } = request.authenticated;
        reply.headers(countRequest(caller, Date.parse(engine.now())));
        if (route.access === "client") checkClient(route, project, request, reply);
        if (route.access === "v2" && !project.features.includes(V2_FEATURE))
          throw new ApiError("feature_not_enabled", { details: `The feature ${V2_FEATURE} is off for this project` });
        checkContentType(request);
        const failed = (request.query as { [BAD_QUERY]?: Error })[BAD_QUERY];
        if (failed) throw failed;
      },
      handler: async (request, reply) => {
        const answer = await runRoute(engine, route, request);
        engine.onAnswer?.(route, answer.status, answer.body);
        if (answer.replayed) reply.header("Idempotent-Replayed", "true");
        if (answer.status === 503) reply.header("Retry-After", "1");
        if (answer.status === 204) return reply.code(204).send();
        return reply.code(answer.status).type("application/json").send(answer.body);
      },
    });
  }
}

const STRANGER: Authenticated = { caller: { kind: "none", key_id: "" }, project: undefined as never, secret: "" };

/** An untrusted origin is a stranger; a switched-off operation is forbidden. */
function checkClient(route: Route, project: Project, request: FastifyRequest, reply: FastifyReply): void {
  if (!allowTrusted(reply, project.client_trusted_domains, request.headers.origin))
    throw new ApiError("unauthorized", { details: "Origin is not allowed" });
  if (route.setting && !project[route.setting])
    throw new ApiError("forbidden", { details: `The project setting ${route.setting} is off` });
}

function checkAccept({ headers: { accept } }: FastifyRequest): void {
  if (accept === undefined || /\*\/\*|application\/(?:\*|json)|^$/i.test(accept)) return;
  throw new ApiError("not_acceptable", { details: `Cannot answer in ${accept}` });
}

/** Parsed before any handler runs; a failure waits until the caller is known. */
function tryParseQuery(text: string): Record<string | symbol, unknown> {
  try {
    return parseQuery(text);
  } catch (error) {
    return { [BAD_QUERY]: error };
  }
}

function unknownPath(routes: readonly Route[], { url, method }: FastifyRequest, reply: FastifyReply): ApiError {
  const path = url.split("?")[0]!;
  const fits = (pattern: string) => new RegExp(`^${pattern.replace(/\{\w+\}/g, "[^/]+")}$`).test(path);
  const allowed = [...new Set(routes.filter((route) => fits(route.path)).map((route) => route.method as string))];
  if (allowed.length === 0) return new ApiError("not_found", { details: `There is no operation at ${path}` });
  reply.header("Allow", allowed.join(", "));
  const hint = allowed.join(" or ");
  return new ApiError("method_not_allowed", {
    details: `${method} is not supported by this endpoint. Did you mean ${hint}?`,
  });
}

async function refuseUnderPressure(app: FastifyInstance, maxEventLoopDelay: number): Promise<void> {
  await app.register(underPressure, {
    maxEventLoopDelay,
    pressureHandler: () => {
      throw new ApiError("overloaded");
    },
  });
}

/** One log line and one observation for each answer. Paths are logged as their pattern: they may hold codes. */
function observe(app: FastifyInstance, { log, metrics }: Engine): void {
  app.addHook("onResponse", async (request, reply) => {
    const { operation } = request.routeOptions.config;
    const [ms, status] = [Math.round(reply.elapsedTime * 10) / 10, reply.statusCode];
    metrics.observeRequest(operation?.id ?? "none", status, ms);
    const { key_id } = request.authenticated?.caller ?? {};
    const route = operation ? `${operation.method} ${operation.path}` : request.method;
    log.info({ request_id: request.id, route, status, ms, ...(key_id && { key_id }) }, "request");
  });
}

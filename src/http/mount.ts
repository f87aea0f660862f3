import multipart from "@fastify/multipart";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from "fastify";
import { newSteps } from "../core/steps.ts";
import { createAdmission, tryParseQuery } from "./admit.ts";
import { AsciiResponse } from "./answers/ascii-response.ts";
import { createEventStreams } from "./answers/event-stream.ts";
import { SECURITY_HEADERS } from "./answers/security-headers.ts";
import { isEmptyBody, parseBodies } from "./body.ts";
import { withUpload } from "./bulk/upload.ts";
import type { Authenticated } from "./callers/auth.ts";
import type { Early } from "./callers/known-callers.ts";
import { answerPreflights } from "./cors.ts";
import { asksForFile, sendFileOf } from "./documents/download.ts";
import type { Engine } from "./engine.ts";
import { errorResponse, keyOfSocketError, sendError } from "./errors.ts";
import { ignoredFieldsHeader } from "./ignored-fields.ts";
import { createGuards } from "./limits/guards.ts";
import type { Turn } from "./limits/heavy-requests.ts";
import { refuseOverload } from "./limits/overload.ts";
import { createRefusal, requireHost } from "./refuse.ts";
import { observe } from "./request-log/observe.ts";
import type { Route } from "./route.ts";
import { runRoute } from "./run.ts";
import { cookiesOf } from "./users/session.ts";
import { validateLater } from "./validate-later.ts";

declare module "fastify" {
  interface FastifyRequest {
    rawBody: string;
    authenticated: Authenticated;
    /** Where it began before its credentials were checked. */
    early: Early | null;
    turn: Turn | null;
    /** The error body of the answer. */
    refused: { key?: string; details?: string } | null;
    /** The answer of an operation that succeeded. */
    answered: string | null;
  }
  interface FastifyInstance {
    /** Compiles the checks of hot bodies that no request has needed yet, one in each turn of the event loop. */
    compileHotBodies(): void;
  }
  interface FastifyContextConfig {
    operation?: Route;
    form?: boolean;
  }
}

const SLOW_CHECK_MS = 1_000;
const HEADERS_MS = 60_000;

/** Turns the route table into a server. What no operation takes may be a page of the dashboard. */
export async function buildServer(routes: readonly Route[], engine: Engine): Promise<FastifyInstance> {
  const { dashboard } = engine;
  const app = fastify({
    bodyLimit: engine.bodyLimitBytes,
    trustProxy: engine.trustProxy,
    exposeHeadRoutes: false,
    genReqId: engine.newRequestId,
    loggerInstance: engine.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "request_id" }),
    // What cannot be decoded or parsed never reaches the error handler below.
    frameworkErrors: (error, request, reply) => sendError(error, request as FastifyRequest, reply as FastifyReply),
    clientErrorHandler: (error, socket) => {
      if (socket.writable) socket.end(errorResponse(keyOfSocketError(error), engine.newRequestId()));
    },
    http: {
      // Node has one limit for all bodies, and an upload may take an hour: `endSlowBodies` limits the others.
      requestTimeout: 0,
      headersTimeout: Math.min(HEADERS_MS, engine.requestTimeoutMs),
      // How often Node looks for requests that are too slow; its own 30 s would let them stay for longer than allowed.
      connectionsCheckingInterval: Math.min(SLOW_CHECK_MS, engine.requestTimeoutMs),
      // Node would answer with an empty body; `requireHost` says the same with ours.
      requireHostHeader: false,
      ServerResponse: AsciiResponse,
    },
    routerOptions: { maxParamLength: 1000, querystringParser: tryParseQuery },
  });
  app.decorate("compileHotBodies", validateLater(app, routes));
  app.setErrorHandler((error, request, reply) => {
    // Whoever is not let in is told that, and not what is wrong with what they sent.
    if (!request.early) return sendError(error, request, reply);
    request.early.admitted.then(
      () => sendError(error, request, reply),
      (refused) => sendError(refused, request, reply),
    );
  });
  app.decorateRequest("authenticated", null as unknown as Authenticated);
  app.decorateRequest("early", null);
  app.decorateRequest("refused", null);
  app.decorateRequest("answered", null);
  app.decorateRequest("turn", null);
  parseBodies(app);
  // First of all hooks: what the others do is part of the trace.
  engine.traceRequests?.(app);
  const refuseUnknown = createRefusal(routes);
  // Node would answer an `Expect` that it does not know with an empty 417; we need not expect anything.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  await refuseOverload(app, engine);
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(SECURITY_HEADERS).header("X-Request-Id", request.id);
    requireHost(request);
    // Here and not in a handler: before a body is read that nobody asked for.
    if (request.is404 && !dashboard?.takes(request)) refuseUnknown(request, reply);
  });
  if (dashboard) app.setNotFoundHandler((request, reply) => dashboard.send(request, reply));
  endSlowBodies(app, engine);
  observe(app, engine);
  answerPreflights(app);
  await mountRoutes(app, routes, engine);
  await dashboard?.mount(app);
  return app;
}

/** What mounts a route, in the server or in a part of it. */
type Mount = (scope: FastifyInstance, route: Route) => void;

async function mountRoutes(app: FastifyInstance, routes: readonly Route[], engine: Engine): Promise<void> {
  const mount = createMount(app, engine);
  const uploads = routes.filter(({ upload }) => upload);
  for (const route of routes) if (!route.upload) mount(app, route);
  if (uploads.length === 0) return;
  // In a part of its own, so that no other operation takes a form.
  await app.register(async (scope) => {
    await scope.register(multipart);
    for (const route of uploads) mount(scope, route);
  });
}

function createMount(app: FastifyInstance, engine: Engine): Mount {
  const { admit, isStillIn, close } = createAdmission(engine);
  const guardOf = createGuards(engine);
  const streams = createEventStreams(engine, isStillIn);
  app.addHook("preClose", async () => streams.close());
  app.addHook("onClose", close);
  return (scope, route) => {
    const { params, body, bodyLimitBytes, upload } = route;
    const querystring = querySchemaOf(route);
    scope.route({
      method: route.method,
      url: route.path.replace(/\{(\w+)\}/g, ":$1"),
      schema: { ...(params && { params }), ...(querystring && { querystring }), ...(body && !upload && { body }) },
      config: { operation: route, form: route.form ?? false },
      ...(bodyLimitBytes && { bodyLimit: bodyLimitBytes }),
      onRequest: (request, reply) => admit(route, request, reply),
      // Whatever became of it: refused for its body, or given up by its client.
      onResponse: async ({ turn }) => turn?.end({ steps: 0, bytesOut: 0 }),
      ...((route.form || route.bodyOptional) && { preValidation: takeNoBodyForAnEmptyOne }),
      handler: async (request, reply) => {
        if (route.follow) return streams.send(route, request, reply);
        if (asksForFile(route, request)) return sendFileOf(engine, route, request, reply);
        const tellIgnored = ({ project }: Authenticated) => {
          if (project?.is_sandbox && body && !upload) reply.headers(ignoredFieldsHeader(body, request.body));
        };
        if (request.early) request.early.admitted.then(tellIgnored, () => {});
        else tellIgnored(request.authenticated);
        const guard = guardOf(route, (request.early?.guess ?? request.authenticated).caller);
        const steps = engine.newSteps?.() ?? newSteps();
        const run = () => runRoute(engine, route, request, steps);
        const runs = upload ? () => withUpload(engine, route, request, run) : run;
        let bytesOut = 0;
        const answer = await (guard ? guard(request, runs) : runs())
          .then((ended) => {
            bytesOut = ended.body.length;
            return ended;
          })
          .finally(() => request.turn?.end({ steps: steps.used, bytesOut }));
        engine.onAnswer?.(route, answer.status, answer.body);
        if (answer.status < 400) request.answered = answer.body;
        else if (answer.body !== "") request.refused = JSON.parse(answer.body);
        if (answer.refusal) request.refusal = answer.refusal;
        if (answer.isMismatch) {
          engine.metrics.countMismatch();
          request.log.error("the answer of an idempotency key cannot be made again as it was sent");
        }
        if (answer.replayed) reply.header("Idempotent-Replayed", "true");
        if (answer.session !== undefined || answer.signOn !== undefined)
          reply.header("Set-Cookie", cookiesOf(answer, request.protocol));
        if (answer.status === 503) reply.header("Retry-After", "1");
        if (answer.etag !== undefined) reply.header("ETag", answer.etag);
        if (answer.status === 204 || answer.status === 304) return reply.code(answer.status).send();
        return reply.code(answer.status).type("application/json").send(answer.body);
      },
    });
  };
}

/** Ends a request whose body trickles in. An upload is looked after where it is read. */
function endSlowBodies(app: FastifyInstance, { requestTimeoutMs, newRequestId }: Engine): void {
  const timers = new WeakMap<FastifyRequest, NodeJS.Timeout>();
  app.addHook("onRequest", async (request) => {
    const { raw } = request;
    if (isEmptyBody(raw.headers) || request.routeOptions.config.operation?.upload) return;
    const end = () => {
      if (!raw.complete && raw.socket.writable) raw.socket.end(errorResponse("request_timeout", newRequestId()));
    };
    timers.set(request, setTimeout(end, requestTimeoutMs).unref());
  });
  app.addHook("onResponse", async (request) => {
    // Whoever was answered before the body came may not send it for ever.
    if (request.raw.complete) clearTimeout(timers.get(request));
  });
}

async function takeNoBodyForAnEmptyOne(request: FastifyRequest): Promise<void> {
  if (request.body === undefined) request.body = {};
}

/** Query parameters that an operation does not name are ignored, but not on v2. */
function querySchemaOf({ access, query }: Route): object | undefined {
  if (access !== "v2") return query;
  return { type: "object", properties: {}, additionalProperties: false, ...query };
}

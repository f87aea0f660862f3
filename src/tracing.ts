import type { Attributes, Context, Span, Tracer } from "@opentelemetry/api";
import type { FastifyInstance } from "fastify";
import { ConfigError } from "./config.ts";
import type { TraceBatch } from "./db/batches/batch.ts";
import type { Pool } from "./db/db.ts";
import { VERSION } from "./version.ts";

// OpenTelemetry, for who asks for it: the packages are optional and loaded only then. Spans hold routes, statements with $1 in
// place of values, and ids of requests. They hold no codes, no names and no addresses.

declare module "fastify" {
  interface FastifyRequest {
    span: Span | null;
  }
}

export type Tracing = {
  /** A span for each request, which goes on with the trace of its `traceparent`. */
  traceRequests(app: FastifyInstance): void;
  /** A span for each batch, below the request that is alone in it, or linked to all of them. */
  traceBatch: TraceBatch;
  /** A span for something that is sent, with the headers that let its receiver go on with the trace. */
  traceSending: TraceSending;
  /** Sends what was not sent yet. */
  close(): Promise<void>;
};
export type TraceSending = <T extends { status_code: number | null }>(
  name: string,
  send: (headers: Record<string, string>) => Promise<T>,
) => Promise<T>;

/** Whether the environment names somebody who collects traces. */
export const isTraced = (env: NodeJS.ProcessEnv): boolean =>
  env.OTEL_SDK_DISABLED !== "true" &&
  env.OTEL_TRACES_EXPORTER !== "none" &&
  Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);

const MISSING = `OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages for traces are not installed. They are optional
dependencies: npm ci installs them unless it is told to omit them.`;

/** Starts tracing. The SDK and the exporter read their settings (`OTEL_*`) from the environment. */
export async function loadTracing(pool: Pool): Promise<Tracing> {
  const [api, sdk, otlp, resources] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace-node"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]).catch((cause) => {
    throw new ConfigError(MISSING, { cause });
  });
  const { context, propagation, trace, SpanKind, SpanStatusCode } = api;
  const named = resources.resourceFromAttributes({ "service.name": "laurel", "service.version": VERSION });
  const told = resources.detectResources({ detectors: [resources.envDetector] });
  const provider = new sdk.NodeTracerProvider({
    resource: named.merge(told),
    spanProcessors: [new sdk.BatchSpanProcessor(new otlp.OTLPTraceExporter())],
  });
  provider.register();
  const tracer = provider.getTracer("laurel", VERSION);
  const fail = (span: Span) => span.setStatus({ code: SpanStatusCode.ERROR });
  traceStatements(pool, (query) => {
    // Only what a request, a batch or a job asked for: nobody looks for the questions of an idle server.
    if (trace.getSpan(context.active()) === undefined) return;
    const span = tracer.startSpan("statement", {
      kind: SpanKind.CLIENT,
      attributes: { "db.system.name": "postgresql" },
    });
    return (isDone) => {
      const text = query.statement?.string ?? query.strings.join("$?");
      span.updateName(/^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? "statement");
      span.setAttribute("db.query.text", text);
      if (!isDone) fail(span);
      span.end();
    };
  });

  return {
    traceRequests: (app) => traceRequests(app, tracer, api),
    traceBatch: {
      from: () => context.active(),
      run: (flow, froms, run) => {
        const contexts = froms as readonly Context[];
        const spans = contexts.flatMap((one) => trace.getSpan(one) ?? []);
        // Of one request it is a part. Of many it is a work of its own, which all of them waited for.
        const parent = contexts.length === 1 ? contexts[0]! : api.ROOT_CONTEXT;
        const links = contexts.length === 1 ? [] : spans.map((span) => ({ context: span.spanContext() }));
        if (spans.length === 0) return run();
        const attributes = { "laurel.batch.size": froms.length };
        return within(tracer, api, { name: `batch ${flow}`, attributes, links, parent }, run);
      },
    },
    traceSending: (name, send) => {
      const span = tracer.startSpan(name, { kind: SpanKind.PRODUCER }, api.ROOT_CONTEXT);
      const here = trace.setSpan(api.ROOT_CONTEXT, span);
      const headers: Record<string, string> = {};
      propagation.inject(here, headers);
      return context.with(here, async () => {
        try {
          const result = await send(headers);
          if (result.status_code === null || result.status_code >= 400) fail(span);
          if (result.status_code !== null) span.setAttribute("http.response.status_code", result.status_code);
          return result;
        } finally {
          span.end();
        }
      });
    },
    close: () => provider.shutdown(),
  };
}

function traceRequests(app: FastifyInstance, tracer: Tracer, api: typeof import("@opentelemetry/api")): void {
  const { context, propagation, trace, SpanKind, SpanStatusCode } = api;
  app.decorateRequest("span", null);
  app.addHook("onRequest", (request, _, done) => {
    const { url: route = "none" } = request.routeOptions;
    if (route.startsWith("/health/")) return done();
    const before = propagation.extract(context.active(), request.headers);
    request.span = tracer.startSpan(`${request.method} ${route}`, { kind: SpanKind.SERVER }, before);
    context.with(trace.setSpan(before, request.span), done);
  });
  app.addHook("onResponse", async ({ span, method, routeOptions, id }, { statusCode }) => {
    if (span === null) return;
    span.setAttributes(requestAttributes(method, routeOptions.url, statusCode));
    span.setAttribute("laurel.request_id", id);
    if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  });
}

const requestAttributes = (method: string, route = "none", status: number): Attributes => ({
  "http.request.method": method,
  "http.route": route,
  "http.response.status_code": status,
});

type Piece = {
  name: string;
  attributes: Attributes;
  links: { context: ReturnType<Span["spanContext"]> }[];
  parent: Context;
};

function within<T>(
  tracer: Tracer,
  { context, trace }: typeof import("@opentelemetry/api"),
  { name, attributes, links, parent }: Piece,
  run: () => Promise<T>,
): Promise<T> {
  const span = tracer.startSpan(name, { attributes, links }, parent);
  return context.with(trace.setSpan(parent, span), () => run().finally(() => span.end()));
}

/** What the driver has of a statement. */
type Query = {
  executed: boolean;
  strings: readonly string[];
  statement: { string: string } | null;
  handle(): Promise<void>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
};

/** Tells of each statement when it begins; what that gives is told of its end. All pools have the same kind of query. */
function traceStatements(pool: Pool, begin: (query: Query) => ((isDone: boolean) => void) | undefined): void {
  const kind = Object.getPrototypeOf(pool`select`) as Query;
  const { handle } = kind;
  kind.handle = function traced(this: Query) {
    const end = this.executed ? undefined : begin(this);
    if (end) {
      const { resolve, reject } = this;
      this.resolve = (value) => {
        end(true);
        resolve(value);
      };
      this.reject = (error) => {
        end(false);
        reject(error);
      };
    }
    return handle.call(this);
  };
}

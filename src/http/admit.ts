import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError, invalid } from "../core/errors.ts";
import type { Project } from "../request.ts";
import { requireForm } from "./bulk/upload.ts";
import { type Authenticated, createAuthenticator } from "./callers/auth.ts";
import { createKnownCallers } from "./callers/known-callers.ts";
import { untrustedOrigin } from "./callers/unauthorized.ts";
import { allowTrusted } from "./cors.ts";
import { asksForFile } from "./documents/download.ts";
import type { Engine } from "./engine.ts";
import { createAddressLimit } from "./limits/address-limit.ts";
import { createHeavyRequests } from "./limits/heavy-requests.ts";
import { createRateLimiter } from "./limits/rate-limit.ts";
import { parseQuery } from "./query.ts";
import { requireAcceptable } from "./refuse.ts";
import type { Route } from "./route.ts";

const V2_FEATURE = "LOYALTY_V2";
const MINUTE_MS = 60_000;
const BAD_QUERY = Symbol("the query string could not be parsed");
const STRANGER: Authenticated = { caller: { kind: "none", key_id: "" }, project: undefined as never, secret: "" };

/**
 * Decides who comes in, before the body is read: a stranger learns nothing, not even what a valid body looks like, and what waits
 * holds no memory.
 */
export function createAdmission(engine: Engine) {
  const { authenticate, close } = createAuthenticator(engine.directory, engine);
  const nowMs = () => Date.parse(engine.now());
  const countRequest = createRateLimiter(engine.rateLimits, engine.processes, engine.sharedCounts);
  const countStranger = createAddressLimit({
    max: engine.strangersMax,
    windowMs: MINUTE_MS,
    processes: engine.processes,
    nowMs,
    shared: engine.sharedCounts,
    details: "Too many requests without keys from this address",
  });
  const takeTurn = createHeavyRequests();
  const callers = createKnownCallers(nowMs);

  /** Nobody waits for the database, or makes it work, who has had enough. A request that is refused is not counted. */
  const requireFewStrangers = (ip: string): void => {
    if (engine.strangersMax === 0) return;
    const refused = countStranger(ip, 0);
    if (refused) throw refused;
    countStranger(ip, 1);
  };

  const admit = async (route: Route, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (route.access === "none") requireFewStrangers(request.ip);
    if (route.access === "none" || asksForFile(route, request)) {
      request.authenticated = STRANGER;
      requireReadableParams(request);
      return;
    }
    requireAcceptable(request, route.follow !== undefined);
    const guess = callers.guess(route, request);
    if (guess) request.early = callers.start(guess, admitCaller(route, request, reply), request.ip);
    else await admitCaller(route, request, reply);
    const { project } = guess ?? request.authenticated;
    // A file is read in pieces, and is not heavy.
    const bytesIn = route.upload ? 0 : Number(request.headers["content-length"] ?? 0);
    request.turn = await takeTurn(project?.id ?? "", route.id, bytesIn);
  };

  /** Checks who calls, and everything that they are refused for before their body is looked at. */
  const admitCaller = async (route: Route, request: FastifyRequest, reply: FastifyReply): Promise<Authenticated> => {
    const authenticated = await authenticate(route, request.headers, request.params);
    const { caller, project } = authenticated;
    request.authenticated = authenticated;
    // Set before the count: a page must be able to read that it called too often.
    const trusted = route.access === "client" && allowTrusted(reply, project, request.headers.origin);
    reply.headers(countRequest(caller, nowMs(), route.isBulk));
    if (caller.kind === "client" && !trusted) throw untrustedOrigin(request.headers.origin);
    if (caller.kind === "client") requireSetting(route, project);
    if (route.access === "v2" && !project.features.includes(V2_FEATURE))
      throw new ApiError("feature_not_enabled", { details: `The feature ${V2_FEATURE} is off for this project` });
    const failed = (request.query as { [BAD_QUERY]?: Error })[BAD_QUERY];
    if (failed) throw failed;
    refuseFilters(route, request.query);
    requireReadableParams(request);
    if (route.upload) requireForm(request, engine.importLimitBytes);
    else requireBodyWithin(request, route.bodyLimitBytes ?? engine.bodyLimitBytes);
    callers.remember(route, authenticated);
    return authenticated;
  };
  /** Whether who was let in would be now. What is told them goes on for minutes, and keys and sessions end meanwhile. */
  const isStillIn = async (route: Route, request: FastifyRequest): Promise<boolean> => {
    try {
      request.authenticated = await authenticate(route, request.headers, request.params);
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  };
  return { admit, isStillIn, close };
}

/** A body that says that it is too long takes no turn: what is only announced must keep nobody waiting. */
function requireBodyWithin({ headers }: FastifyRequest, bytesMax: number): void {
  if (Number(headers["content-length"] ?? 0) > bytesMax)
    throw new ApiError("payload_too_large", { details: "Request body is too large" });
}

function requireReadableParams({ params }: FastifyRequest): void {
  if (Object.values(params as Record<string, string>).some((text) => text.includes("\0")))
    throw invalid("Text must not hold U+0000");
}

/** A client that filters a list without filters would take all rows for the ones it asked for. */
function refuseFilters({ isList, query }: Route, sent: unknown): void {
  const { filters } = sent as { filters?: unknown };
  if (
    !isList ||
    filters === undefined ||
    Object.hasOwn((query as { properties?: object })?.properties ?? {}, "filters")
  )
    return;
  const names = typeof filters === "object" ? Object.keys(filters as object) : ["filters"];
  const unknown = names.find((name) => name !== "junction");
  if (unknown !== undefined)
    throw new ApiError("invalid_query_params", { details: `filters.${unknown} is unknown; this list has no filters` });
}

/** What a project has switched off for pages is forbidden. */
function requireSetting(route: Route, project: Project): void {
  if (route.setting && !project[route.setting])
    throw new ApiError("forbidden", { details: `The project setting ${route.setting} is off` });
}

/** Parsed before any handler runs; a failure waits until the caller is known. */
export function tryParseQuery(text: string): Record<string | symbol, unknown> {
  try {
    if (text.includes("%00")) throw new ApiError("invalid_query_params", { details: "Text must not hold U+0000" });
    return parseQuery(text);
  } catch (error) {
    return { [BAD_QUERY]: error };
  }
}

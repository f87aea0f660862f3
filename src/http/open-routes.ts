import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../core/errors.ts";
import { withinTime } from "../db/batches/commit.ts";
import type { Pool } from "../db/db.ts";
import { isDirect, isFromThisMachine } from "./callers/loopback.ts";
import type { Dashboard } from "./dashboard/dashboard.ts";
import { type Landing, landingPage, PAGES_CSS, PAGES_POLICY } from "./documents/landing.ts";
import type { Reference } from "./documents/reference.ts";
import { type StaticFile, sendFile, staticFile } from "./documents/static-files.ts";
import { createPictureSender } from "./pictures/assets.ts";
import { INVITATION_PAGE, INVITATION_SCRIPT } from "./users/invitation-page.ts";

const PING_MS = 2_000;
/** Clocks that are kept by NTP differ by less. */
export const SKEW_MAX_MS = 2_000;

/** What `LAUREL_METRICS` may be, and whom it lets read. */
const READS_METRICS = {
  loopback: isFromThisMachine,
  direct: isDirect,
  on: () => true,
  off: () => false,
};

type Open = {
  db: Pool;
  now(): string;
  /** Runs the statements of a redemption once, and fails while they do not run. Without it they are taken to. */
  warmUp?(): Promise<void>;
  /** Whether the process was asked to end. */
  isDraining?(): boolean;
  /** The text of all processes together. */
  metricsText(): Promise<string>;
  metricsFor: keyof typeof READS_METRICS;
  openApi: StaticFile;
  reference: Reference | null;
  /** The shop, where there is demo data to sell. */
  demo?: DemoPage | null;
  landing?: Landing;
  dashboard?: Dashboard | null;
  processes?: number;
};
export type DemoPage = { page: StaticFile; script: StaticFile; keys(request: FastifyRequest): object };
type Handler = (
  open: Open & { sendPicture: ReturnType<typeof createPictureSender> },
  request: FastifyRequest,
  reply: FastifyReply,
) => unknown;

// The reference runs a script of ours that styles itself; nothing is loaded from anywhere else.
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'";

/** The page of the reference, with or without a slash at the end. */
const sendReference: Handler = ({ reference }, request, reply) =>
  sendFile(request, reply.header("Content-Security-Policy", PAGE_POLICY), requireReference(reference).page);

const sendDemo: Handler = ({ demo }, request, reply) =>
  sendFile(request, reply.header("Content-Security-Policy", PAGES_POLICY), requireDemo(demo).page);

/** What this server is and has, with calls to try. It is the first page where there is no dashboard. */
const sendLanding: Handler = ({ landing }, request, reply) => {
  if (!landing) throw new ApiError("not_found", { details: `There is no operation at ${request.url.split("?")[0]}` });
  const page = landingPage(landing, request);
  return reply.type("text/html; charset=utf-8").header("Content-Security-Policy", PAGES_POLICY).send(page);
};

/**
 * Every path that needs no credentials, but for the pages of the dashboard and their files. Beside them only the questions that browsers ask first (`cors.ts`) are answered
 * to a stranger.
 */
export const OPEN_ROUTES: Record<string, Handler> = {
  "/": (open, request, reply) =>
    open.dashboard ? open.dashboard.send(request, reply) : sendLanding(open, request, reply),
  "/welcome": (open, request, reply) => sendLanding(open, request, reply),
  "/invitation": (_, request, reply) =>
    sendFile(request, reply.header("Content-Security-Policy", PAGES_POLICY), INVITATION_PAGE),
  "/invitation/page.js": (_, request, reply) => sendFile(request, reply, INVITATION_SCRIPT),
  "/pages.css": (_, request, reply) => sendFile(request, reply, PAGES_STYLE),
  "/health/live": () => ({ status: "live" }),
  "/health/ready": async ({ db, now, warmUp, isDraining }) => {
    if (isDraining?.()) throw new ApiError("not_ready", { details: "The server is shutting down" });
    const skew_ms = await clockSkew(db, now);
    if (warmUp && !(await isWarm(warmUp)))
      throw new ApiError("not_ready", {
        details: "The statements of a redemption have not run yet; the log may say why",
      });
    // Nothing is decided by the clock of the database, and two clocks do not say which of them is wrong: when that of the
    // database jumps, a server that is not ready for it would take all servers out of the balance at once.
    const isApart = Math.abs(skew_ms) > SKEW_MAX_MS;
    const warnings = [`The clocks of Laurel and its database differ by ${skew_ms} ms`];
    return { status: "ready", database: "ok", clock_skew_ms: skew_ms, ...(isApart && { warnings }) };
  },
  // The pictures of codes, whose addresses are secrets. Clients know both paths.
  "/v1/assets/qr/:token": ({ sendPicture }, request, reply) => sendPicture("qr", request, reply),
  "/v1/assets/barcode/:token": ({ sendPicture }, request, reply) => sendPicture("barcode", request, reply),
  "/api/v1/assets/qr/:token": ({ sendPicture }, request, reply) => sendPicture("qr", request, reply),
  "/api/v1/assets/barcode/:token": ({ sendPicture }, request, reply) => sendPicture("barcode", request, reply),
  "/metrics": async ({ metricsText, metricsFor }, request, reply) => {
    if (!READS_METRICS[metricsFor](request))
      throw new ApiError("not_found", { details: "There is no operation at /metrics" });
    return reply.type("text/plain; version=0.0.4; charset=utf-8").send(await metricsText());
  },
  "/openapi.json": ({ openApi }, request, reply) => sendFile(request, reply, openApi),
  "/docs": sendReference,
  "/docs/": sendReference,
  "/docs/assets/:name": async ({ reference }, request, reply) => {
    const { script, scriptName } = requireReference(reference);
    const { name } = request.params as { name: string };
    if (name !== (await scriptName())) throw new ApiError("not_found", { details: "There is no such file" });
    return sendFile(request, reply, script, { isHashed: true });
  },
  "/docs/start.js": ({ reference }, request, reply) =>
    reply.type("text/javascript; charset=utf-8").send(requireReference(reference).start(request)),
  "/demo": sendDemo,
  "/demo/": sendDemo,
  "/demo/page.js": ({ demo }, request, reply) => sendFile(request, reply, requireDemo(demo).script),
  "/demo/keys": ({ demo }, request) => requireDemo(demo).keys(request),
};
const PAGES_STYLE = staticFile("text/css; charset=utf-8", () => PAGES_CSS);

function requireReference(reference: Reference | null): Reference {
  if (!reference) throw new ApiError("not_found", { details: "The API reference is off" });
  return reference;
}

function requireDemo(demo: DemoPage | null | undefined): DemoPage {
  if (!demo) throw new ApiError("not_found", { details: "There is no demo here" });
  return demo;
}

/** How far our clock is ahead of the database's, less the time that asking took. */
export async function clockSkew(db: Pool, now: () => string): Promise<number> {
  const asked = Date.parse(now());
  const answer = db<{ now: string }[]>`select clock_timestamp() as now`.then(
    ([row]) => row,
    () => undefined,
  );
  const row = await withinTime(PING_MS, answer);
  if (!row) throw new ApiError("not_ready", { details: "The database does not answer" });
  return Math.round((asked + Date.parse(now())) / 2 - Date.parse(row.now));
}

/** Whether it ran. Whoever asks is not kept for longer than the database may take. */
async function isWarm(warmUp: () => Promise<void>): Promise<boolean> {
  const ran = warmUp().then(
    () => true,
    () => false,
  );
  return (await withinTime(PING_MS, ran)) ?? false;
}

export function mountOpenRoutes(app: FastifyInstance, open: Open): void {
  const nowMs = () => Date.parse(open.now());
  const sendPicture = createPictureSender({ db: open.db, processes: open.processes ?? 1, nowMs });
  for (const [url, handler] of Object.entries(OPEN_ROUTES))
    app.get(url, async (request, reply) => handler({ ...open, sendPicture }, request, reply));
}

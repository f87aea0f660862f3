import type { Credentials } from "../flows/platform/create-project.ts";
import type { buildServer } from "../http/mount.ts";
import { demoRequests } from "./demo-data.ts";
import { type DemoClock, type DemoIds, type DemoRequest, fillIds } from "./requests.ts";

type App = Awaited<ReturnType<typeof buildServer>>;
export type DemoKeys = { app: Credentials; management: Credentials };

export class DemoRefused extends Error {
  readonly status: number;
  constructor(line: string, status: number, body: string) {
    super(`The demo's ${line} was answered ${status}: ${body}`);
    this.status = status;
  }
}

/** An offer that is over, and a card with too few points. */
const REFUSED = [400, 423];

type DemoAnswer = { id?: string; redemptions?: { id: string }[] };
/** What takes several is answered with several: the first has the name. */
function madeBy(body: DemoAnswer | DemoAnswer[]): string | undefined {
  const [made] = [body].flat();
  return made?.id ?? made?.redemptions?.[0]?.id;
}

/**
 * The requests as time passed, each with its place in the list, which its ids follow from. What is made later is never older: the
 * moments at which codes and customers are made grow, whatever the clock says.
 */
const inTime = (requests: readonly DemoRequest[]): { nth: number; request: DemoRequest }[] =>
  requests
    .map((request, nth) => ({ nth, request }))
    .sort((a, b) => (b.request.daysAgo ?? 0) - (a.request.daysAgo ?? 0));

/**
 * Loads the demo data through the interface, in this process. A refusal is our bug: it stops the load. The server goes by
 * the clock, which is set back for the history, and takes ids from `ids`. It asks on v2 for no token: one would not live
 * as long.
 */
export async function loadDemo(
  app: App,
  {
    projectId,
    keys,
    clock,
    ids: stable,
    historyDays,
    progress,
  }: {
    projectId: string;
    keys: DemoKeys;
    clock: DemoClock;
    ids: DemoIds;
    /** So many days have sales; left out: a quarter of a year. */
    historyDays?: number;
    progress?(done: number, all: number): void;
  },
): Promise<number> {
  const requests = demoRequests(projectId, { ...(historyDays !== undefined && { historyDays }) });
  const headers = {
    "x-app-id": keys.app.id,
    "x-app-token": keys.app.secret,
    "x-management-id": keys.management.id,
    "x-management-token": keys.management.secret,
  };
  const ids = new Map<string, string>();
  const today = Date.parse(clock.now());
  for (const [done, { nth, request }] of inTime(requests).entries()) {
    if (request.after !== undefined && !ids.has(request.after)) continue;
    const { line, body } = fillIds(request, ids, today);
    clock.goBack(request.daysAgo ?? 0);
    stable.beginRequest(nth, request.as);
    const [method, url] = line.split(" ") as ["POST", string];
    const reply = await app.inject({ method, url, headers, payload: body });
    const isRefused = reply.statusCode >= 300;
    if (isRefused && !(request.mayBeRefused && REFUSED.includes(reply.statusCode)))
      throw new DemoRefused(line, reply.statusCode, reply.body);
    const made = request.as !== undefined && !isRefused && madeBy(JSON.parse(reply.body));
    if (made) ids.set(request.as!, made);
    progress?.(done + 1, requests.length);
  }
  clock.goBack(0);
  stable.beginRequest(0, undefined);
  return requests.length;
}

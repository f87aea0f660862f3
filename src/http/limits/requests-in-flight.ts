import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { ApiError } from "../../core/errors.ts";
import { SECURITY_HEADERS } from "../answers/security-headers.ts";

const HEADERS = { ...SECURITY_HEADERS, "Content-Type": "application/json", "Retry-After": "1" };

type Options = {
  /** How many are in work at once. Whoever has few of them may come on top of that, up to as many again. */
  max: number;
  newRequestId(): string;
  /** One was refused. */
  count(): void;
  loop?: Loop;
};
/** The loop of this process. */
type Loop = {
  now(): number;
  /** The part of the time since it was asked last in which it worked, and did not wait. */
  worked(): number;
};

/** The part of all places that a caller has beyond the limit. */
const OWN_PART = 1 / 8;
const CALLER_HEADERS = ["x-app-id", "x-client-application-id", "x-management-id", "authorization", "cookie"];

/** So many of the places may be taken for long while the loop has no time left. */
const STANDING_PART = 1 / 4;
/** A queue that stands for so long is no burst, and a loop that is busy for so long has more than one heavy request. */
const STANDS_MS = 1_000;
const BUSY = 0.9;
const LOOK_MS = 100;

function thisLoop(): Loop {
  let before = performance.eventLoopUtilization();
  return {
    now: () => performance.now(),
    worked: () => {
      const after = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(after, before);
      before = after;
      return utilization;
    },
  };
}

/**
 * How many places there are now. At 500 answers a second, 512 calls in work mean a wait of one second. That is right for a burst: to be
 * refused is worse. A queue that never empties makes everybody wait that long, and no more is answered: then it gets a quarter, 128 calls,
 * a quarter of a second. Where calls wait for the database and the loop does not, all places stay. It ends when the loop has time
 * again: how many wait says nothing then, since most are refused.
 */
function placesOf(max: number, { now, worked }: Loop): (taken: number) => number {
  const standing = max * STANDING_PART;
  let [lookedAt, isCrowded] = [now(), false];
  let stoodSince: number | null = null;
  let busySince: number | null = null;
  return (taken) => {
    const at = now();
    stoodSince = taken < standing ? null : (stoodSince ?? at);
    if (at - lookedAt >= LOOK_MS) {
      busySince = worked() > BUSY ? (busySince ?? lookedAt) : null;
      lookedAt = at;
      const lasts = [stoodSince, busySince].every((since) => since !== null && at - since >= STANDS_MS);
      isCrowded = lasts || (isCrowded && busySince !== null);
    }
    return isCrowded ? standing : max;
  };
}

/** Who asks, as far as that is seen without looking anything up. Two who are taken for one share their places. */
function callerOf({ headers, socket }: IncomingMessage): string {
  for (const name of CALLER_HEADERS) if (headers[name] !== undefined) return String(headers[name]);
  return socket.remoteAddress ?? "";
}

/** What a checkout waits for. Lists, downloads, uploads and streams have limits of their own, and may take long. */
const isCounted = ({ method, headers }: IncomingMessage): boolean =>
  method === "POST" && headers["content-type"]?.startsWith("application/json") === true;

/**
 * Refuses what a process cannot work on, before anything of it is read. Ten times as many requests as it can do would otherwise
 * take all its time: to read one, to find its key and to say no takes a tenth of a redemption, and this a hundredth.
 */
export function refuseBeyond(server: Server, { max, newRequestId, count, loop = thisLoop() }: Options): void {
  const [handle] = server.listeners("request") as [(request: IncomingMessage, response: ServerResponse) => void];
  const ofCaller = new Map<string, number>();
  let all = 0;
  const { body } = new ApiError("overloaded", { details: "The server has more requests than it can work on" });
  const places = placesOf(max, loop);
  const hasRoom = (own: number) => all < places(all) || (all < 2 * max && own < max * OWN_PART);

  const take = (caller: string, own: number, response: ServerResponse) => {
    all += 1;
    ofCaller.set(caller, own + 1);
    response.once("close", () => {
      all -= 1;
      const left = ofCaller.get(caller)! - 1;
      if (left > 0) ofCaller.set(caller, left);
      else ofCaller.delete(caller);
    });
  };
  const refuse = (response: ServerResponse) => {
    const request_id = newRequestId();
    const text = JSON.stringify({ ...body, request_id });
    // With its length the answer is one write; without it Node writes four pieces, which take a third of the time of a refusal.
    const headers = { ...HEADERS, "content-length": text.length, "X-Request-Id": request_id };
    response.writeHead(503, headers);
    response.end(text);
    count();
  };

  server.removeListener("request", handle);
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!isCounted(request)) return handle(request, response);
    const caller = callerOf(request);
    const own = ofCaller.get(caller) ?? 0;
    if (!hasRoom(own)) return refuse(response);
    take(caller, own, response);
    handle(request, response);
  });
}

import { lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { LRUCache } from "lru-cache";
import { Agent, buildConnector, request } from "undici";
import { addressFault, parseNetworks } from "./addresses.ts";

/** How long an attempt may take from the first packet to the last that is read. */
const LIMIT_MS = 10_000;
const READ_BYTES_MAX = 65_536;
const KEPT_BYTES_MAX = 4_096;
/** How many requests one address is sent at a time for one webhook. */
const CONNECTIONS_MAX = 8;
/** How many webhooks keep their connections for the next time. */
const POOLS_MAX = 1_000;

/** What became of an attempt. Without an answer there is no status, and the error says why. */
export type AttemptResult = { status_code: number | null; error: string | null; answer: string; latency_ms: number };
export type WebhookRequest = { url: string; headers: Record<string, string>; body: string };
export type Transport = {
  /** Sends through connections that are shared with nobody but others `of` the same webhook. */
  send(of: string, request: WebhookRequest): Promise<AttemptResult>;
  close(): Promise<void>;
};
type TransportOptions = {
  /** Networks that are opened, as the setting names them. */
  allow: string;
  /** Milliseconds from a clock that never goes back. */
  ticks?: () => number;
  lookup?: LookupFunction;
  limitMs?: number;
};

/**
 * Sends requests to addresses on the internet. Which address that is is looked at where it counts: a host is resolved once,
 * and the addresses that are looked at are those that are connected to.
 */
export function createTransport({
  allow,
  lookup = systemLookup,
  limitMs = LIMIT_MS,
  ...more
}: TransportOptions): Transport {
  const { ticks = () => performance.now() } = more;
  const allowed = parseNetworks(allow);
  const guarded: LookupFunction = (host, options, done) =>
    lookup(host, { ...options, all: true }, (error, found) => {
      const all = (typeof found === "string" ? [] : found) as { address: string; family: number }[];
      if (error) return done(error, []);
      const faults = all.map(({ address }) => addressFault(address, allowed));
      const good = all.filter((_, n) => faults[n] === null);
      const fault = faults.find((one) => one !== null) ?? `${host} has no address`;
      if (good.length === 0) return done(new Error(fault), []);
      return options.all ? done(null, good) : done(null, good[0]!.address, good[0]!.family);
    });
  const connect = buildConnector({ lookup: guarded, timeout: limitMs });
  const guardedConnect: buildConnector.connector = (options, done) => {
    // A host that is an address is connected to without being looked up.
    const fault = isIP(options.hostname) === 0 ? null : addressFault(options.hostname, allowed);
    if (fault) return done(new Error(fault), null);
    return connect(options, (...result: Parameters<typeof done>) => {
      const [, socket] = result;
      const reached = socket && addressFault(socket.remoteAddress ?? "", allowed);
      if (!reached) return done(...result);
      socket.destroy();
      return done(new Error(reached), null);
    });
  };
  const { agentOf, close } = createAgents(guardedConnect);
  return {
    send: async (of, { url, headers, body }) => {
      const began = ticks();
      const ended = (result: Partial<AttemptResult>): AttemptResult => ({
        ...{ status_code: null, error: null, answer: "", latency_ms: Math.round(ticks() - began) },
        ...result,
      });
      const signal = AbortSignal.timeout(limitMs);
      try {
        const reply = await request(url, { dispatcher: agentOf(of), method: "POST", headers, body, signal });
        const answer = await readStart(reply.body);
        return ended({ status_code: reply.statusCode, answer });
      } catch (error) {
        return ended({ error: reasonOf(error, limitMs) });
      }
    },
    close,
  };
}

/**
 * Connections by webhook. Two webhooks of one address, perhaps of two projects, have connections of their own: requests that
 * one of them has under way for long would keep those of the other waiting until their time is over.
 */
function createAgents(connect: buildConnector.connector) {
  const agents = new LRUCache<string, Agent>({
    max: POOLS_MAX,
    // What is under way ends first.
    dispose: (agent, _, reason) => void (reason === "evict" && agent.close().catch(() => {})),
  });
  const agentOf = (of: string): Agent => {
    const agent = agents.get(of) ?? new Agent({ connections: CONNECTIONS_MAX, connect });
    agents.set(of, agent, { noDisposeOnSet: true });
    return agent;
  };
  const close = async () => {
    await Promise.all([...agents.values()].map((agent) => agent.destroy()));
  };
  return { agentOf, close };
}

/** The beginning of an answer. The rest is read up to a limit, so that the connection can be used again, and then cut off. */
async function readStart(body: AsyncIterable<Uint8Array> & { destroy(): unknown }): Promise<string> {
  const kept: Uint8Array[] = [];
  let read = 0;
  for await (const chunk of body) {
    if (read < KEPT_BYTES_MAX) kept.push(chunk);
    read += chunk.length;
    if (read >= READ_BYTES_MAX) break;
  }
  // What PostgreSQL cannot store as text is not kept.
  return Buffer.concat(kept).subarray(0, KEPT_BYTES_MAX).toString("utf8").replaceAll("\0", "\ufffd");
}

function reasonOf(error: unknown, limitMs: number): string {
  const { name, message, code } = error as Error & { code?: string };
  if (name === "TimeoutError" || name === "ConnectTimeoutError") return `No answer within ${limitMs / 1000} seconds`;
  return (message || code || name).slice(0, 500).replaceAll("\0", "");
}

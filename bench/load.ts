import net from "node:net";

/** Whole requests as bytes: sent over and over, in turns, or made by their number. */
export type Requests = readonly Buffer[] | ((n: number) => Buffer);
export type Amount = { seconds: number } | { count: number };
export type Outcome = { count: number; seconds: number /** Milliseconds, ascending. */; times: Float64Array };

const HEAD_END = Buffer.from("\r\n\r\n");

export function requestBytes(url: string, path: string, headers: Record<string, string>, body?: object): Buffer {
  const text = body === undefined ? "" : JSON.stringify(body);
  const described = body && { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) };
  const head = [
    `${body ? "POST" : "GET"} ${path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    ...Object.entries({ ...headers, ...described }).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${text}`);
}

const KEY = "0000000000000000";
let used = 0;

/**
 * Requests by turns, each with a key of its own, so that none is answered from another, whichever measurement it belongs
 * to.
 */
export function freshKeys(make: (header: Record<string, string>) => readonly Buffer[]): () => Buffer {
  const made = make({ "Idempotency-Key": KEY });
  const at = made.map((bytes) => bytes.indexOf(KEY));
  return () => {
    used += 1;
    const which = used % made.length;
    const bytes = Buffer.from(made[which]!);
    bytes.write(String(used).padStart(KEY.length, "0"), at[which]!, "latin1");
    return bytes;
  };
}

/**
 * Keeps every connection busy with one request at a time. Written on plain sockets: client, server and database share
 * the machine, and what a client library takes is missing elsewhere. Any answer but 200 ends it with an error.
 */
export async function drive(
  url: string,
  requests: Requests,
  amount: Amount,
  connections = 64,
  see?: (answer: Buffer) => void,
): Promise<Outcome> {
  const { hostname, port } = new URL(url);
  const requestOf = typeof requests === "function" ? requests : (n: number) => requests[n % requests.length]!;
  const times: number[] = [];
  const began = performance.now();
  const until = "seconds" in amount ? began + amount.seconds * 1000 : Number.POSITIVE_INFINITY;
  const countMax = "count" in amount ? amount.count : Number.POSITIVE_INFINITY;
  let sent = 0;

  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = net.connect({ host: hostname, port: Number(port), noDelay: true });
      let held: Buffer | null = null;
      let at = 0;
      const next = () => {
        at = performance.now();
        if (at >= until || sent >= countMax) {
          socket.end();
          return resolve();
        }
        socket.write(requestOf(sent));
        sent += 1;
      };
      socket.once("connect", next);
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("the server closed a connection")));
      socket.on("data", (piece: Buffer) => {
        held = held ? Buffer.concat([held, piece]) : piece;
        const end = answerEnd(held);
        if (end < 0) return;
        const status = held.toString("latin1", 9, 12);
        if (status !== "200") return reject(new Error(`answered ${held.toString("utf8", 9, 600)}`));
        times.push(performance.now() - at);
        see?.(held);
        held = null;
        next();
      });
    });

  await Promise.all(Array.from({ length: connections }, one));
  return { count: times.length, seconds: (performance.now() - began) / 1000, times: Float64Array.from(times).sort() };
}

/** Where a whole answer ends, or -1 when more of it has to come. */
function answerEnd(bytes: Buffer): number {
  const head = bytes.indexOf(HEAD_END);
  if (head < 0) return -1;
  const length = /content-length: (\d+)/i.exec(bytes.toString("latin1", 0, head))?.[1];
  if (length === undefined) throw new Error("an answer without a length");
  const end = head + HEAD_END.length + Number(length);
  return bytes.length >= end ? end : -1;
}

/** The body of the answer to one of the requests. */
export async function answerOf(url: string, requests: Requests): Promise<string> {
  let text = "";
  await drive(url, requests, { count: 1 }, 1, (answer) => {
    text = answer.toString("utf8", answer.indexOf(HEAD_END) + HEAD_END.length);
  });
  return text;
}

export const percentile = ({ times }: Outcome, share: number): number =>
  times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;

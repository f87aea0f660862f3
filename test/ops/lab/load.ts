import http from "node:http";
import { setTimeout as wait } from "node:timers/promises";

/** What became of one request. Status 0: the connection failed, for the reason in `text`. */
export type Reply = {
  status: number;
  text: string;
  headers: http.IncomingHttpHeaders;
  /** On the clock of `performance.now()`. */
  sentAt: number;
  doneAt: number;
};
export type Request = {
  line: string;
  body?: unknown;
  /** Sent as a form, as the token operations take it. */
  form?: Record<string, string>;
  key?: string;
  /** Beside those of the client, or in their place. */
  headers?: Record<string, string>;
};
export type Client = { send(request: Request): Promise<Reply>; close(): void };

const GIVE_UP_MS = 60_000;

/** One caller that keeps its connection. Nothing is repeated behind its back. */
export function createClient(url: string, headers: Record<string, string>): Client {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const send = ({ line, body, form, key, headers: more }: Request) =>
    new Promise<Reply>((resolve) => {
      const [method, path] = line.split(" ") as [string, string];
      const text = form ? new URLSearchParams(form).toString() : body === undefined ? "" : JSON.stringify(body);
      const type = form ? "application/x-www-form-urlencoded" : "application/json";
      const sentAt = performance.now();
      const end = (status: number, said: string, replied: http.IncomingHttpHeaders = {}) =>
        resolve({ status, text: said, headers: replied, sentAt, doneAt: performance.now() });
      const request = http.request(new URL(path, url), {
        agent,
        method,
        timeout: GIVE_UP_MS,
        headers: {
          ...headers,
          ...more,
          ...(text !== "" && { "content-type": type, "content-length": Buffer.byteLength(text) }),
          ...(key !== undefined && { "idempotency-key": key }),
        },
      });
      request.once("timeout", () => request.destroy(new Error("no answer within a minute")));
      request.once("error", (error: NodeJS.ErrnoException) => end(0, error.code ?? error.message));
      request.once("response", (reply) => {
        const pieces: Buffer[] = [];
        reply.on("data", (piece) => pieces.push(piece));
        reply.once("error", (error: NodeJS.ErrnoException) => end(0, error.code ?? error.message));
        reply.once("end", () => end(reply.statusCode!, Buffer.concat(pieces).toString(), reply.headers));
      });
      request.end(text);
    });
  return { send, close: () => agent.destroy() };
}

/** Sends one request and requires success. */
export async function ok<T = { id: string }>(client: Client, line: string, body?: unknown): Promise<T> {
  const { status, text } = await client.send({ line, body });
  if (status < 200 || status > 299) throw new Error(`${line} answered ${status}: ${text}`);
  return (text ? JSON.parse(text) : null) as T;
}

/** Each client sends its next request when the last one is answered, after a pause, until it is stopped. */
export function startLoad(
  clients: readonly Client[],
  { pauseMs, one }: { pauseMs: number; one(client: Client, at: number): Promise<unknown> },
) {
  let isOver = false;
  const ended = Promise.all(
    clients.map(async (client, at) => {
      while (!isOver) {
        await one(client, at);
        await wait(pauseMs);
      }
    }),
  );
  ended.catch(() => {});
  return {
    stop: async () => {
      isOver = true;
      await ended;
    },
  };
}

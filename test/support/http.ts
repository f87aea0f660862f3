import assert from "node:assert/strict";
import net from "node:net";
import { Writable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { ERROR_TABLE, type ErrorKey } from "../../src/core/errors.ts";
import { type Call, FORM, form, type Reply } from "./engine.ts";

/** What every answer carries, whatever became of the request. */
export const SECURITY = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};
const FIELDS = [
  "code",
  "key",
  "message",
  "details",
  "request_id",
  "resource_id",
  "resource_type",
  "related_object_ids",
  "related_object_type",
  "error",
];

/** The one error body, with the id that also stands in the header. */
export function assertErrorBody(reply: Reply): void {
  const { body, headers, status, text } = reply;
  const shown = `${status} ${text}`;
  assert.match(String(headers["content-type"]), /^application\/json/, shown);
  assert.equal(body.code, status, shown);
  assert.ok(Object.hasOwn(ERROR_TABLE, body.key), shown);
  const { code, or, message, also } = ERROR_TABLE[body.key as ErrorKey];
  assert.ok(body.message === message || body.message === also, shown);
  assert.ok(status === code || status === or, shown);
  assert.match(String(body.request_id), /^v-[0-9a-f]{24}$/, shown);
  assert.equal(body.request_id, headers["x-request-id"], shown);
  assert.deepEqual(
    Object.keys(body).filter((field) => !FIELDS.includes(field)),
    [],
    shown,
  );
  for (const [name, value] of Object.entries(SECURITY)) assert.equal(headers[name], value, `${name} of ${shown}`);
  if (status === 503) assert.equal(headers["retry-after"], "1", shown);
}

export function assertRefused(reply: Reply, key: ErrorKey, details?: string | RegExp): void {
  assert.deepEqual([reply.status, reply.body?.key], [ERROR_TABLE[key].code, key], reply.text);
  assertErrorBody(reply);
  if (details instanceof RegExp) assert.match(reply.body.details, details);
  else if (details !== undefined) assert.equal(reply.body.details, details);
}

export async function portOf(app: FastifyInstance): Promise<number> {
  await app.listen({ host: "127.0.0.1", port: 0 });
  return (app.server.address() as net.AddressInfo).port;
}

/** Writes bytes to a socket as they are and reads until the server closes it. `trickle` adds some every 20 ms. */
export async function exchange(port: number, bytes: string | Buffer, trickle?: string): Promise<Reply> {
  const socket = net.connect(port, "127.0.0.1");
  socket.setTimeout(120_000, () => socket.destroy(new Error("the server neither answered nor closed")));
  socket.write(bytes);
  const more = setInterval(() => trickle && socket.writable && socket.write(trickle), 20);
  let text = "";
  try {
    for await (const chunk of socket) text += chunk;
  } catch (error) {
    // Closed while we still wrote. What was answered counts.
    if (text === "") throw error;
  } finally {
    clearInterval(more);
    socket.destroy();
  }
  return parsed(text);
}

function parsed(text: string): Reply {
  const end = text.indexOf("\r\n\r\n");
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]),
  );
  const sent = text.slice(end + 4);
  const isJson = String(headers["content-type"]).startsWith("application/json");
  const length = Number(headers["content-length"] ?? sent.length);
  const body = Buffer.from(sent).subarray(0, length).toString();
  return { status: Number(first.split(" ")[1]), headers, text: body, body: isJson && body ? JSON.parse(body) : null };
}

/** An HTTP/1.1 request as text; the connection closes after the answer. */
export const http = (line: string, headers: Record<string, string>, body = ""): string =>
  [
    `${line} HTTP/1.1`,
    ...Object.entries({ host: "laurel.test", connection: "close", ...headers }).map(([n, v]) => `${n}: ${v}`),
    "",
    body,
  ].join("\r\n");

export async function tokenOf(call: Call, scope: string): Promise<string> {
  const reply = await call("POST /v1/oauth/token", form({ grant_type: "client_credentials", scope }), FORM);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.access_token;
}

/** A stream that keeps what is logged. */
export function logged() {
  let text = "";
  const stream = new Writable({
    write: (chunk, _, done) => {
      text += chunk;
      done();
    },
  });
  const lines = () =>
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, any>);
  return { stream, lines, text: () => text };
}

/** Asks until it holds; for what happens soon, but not before the answer. */
export async function until(holds: () => Promise<boolean> | boolean, what: string, ms = 120_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await holds())) {
    assert.ok(performance.now() < end, `within ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

import assert from "node:assert/strict";
import type { Pool } from "../../src/db/db.ts";
import { type Call, type Reply, testEngine, testProject } from "./engine.ts";

/** Sends a request that must succeed, and gives the body of its answer. */
export type Ok = (line: string, body?: unknown, headers?: Record<string, string>) => Promise<any>;
type Send = (line: string, body?: unknown, headers?: Record<string, string>) => Promise<Omit<Reply, "headers">>;

export async function ok(call: Send, line: string, body?: unknown, headers?: Record<string, string>): Promise<any> {
  const reply = await call(line, body, headers);
  const sent = body === undefined ? "" : ` ${JSON.stringify(body)}`;
  assert.ok(reply.status >= 200 && reply.status < 300, `${line}${sent}: ${reply.status} ${reply.text}`);
  return reply.body;
}
export const okOf =
  (call: Send): Ok =>
  (line, body, headers) =>
    ok(call, line, body, headers);

/** A project of its own and its server: what most tests start from. */
export async function testShop(
  db: Pool,
  project: Parameters<typeof testProject>[1] = {},
  options: Parameters<typeof testEngine>[2] = {},
) {
  const made = await testProject(db, project);
  const engine = await testEngine(db, made, options);
  return { ...engine, project: made, ok: okOf(engine.call as Call) };
}

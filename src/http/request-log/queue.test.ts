import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { RequestRow } from "../../core/rows/request.ts";
import type { Route } from "../route.ts";
import { bytesOf, loggedRequest, type RequestToLog } from "./entry.ts";
import { createRequestQueue, slicesOf } from "./queue.ts";

const NOW = "2026-01-01T12:00:00.000Z";
const MB = 1_048_576;
const route = { method: "GET", path: "/v1/categories", id: "listCategories" } as Route;
const request = (more: Partial<RequestToLog> = {}): RequestToLog => ({
  ...{ id: "r", project_id: "p", case_sensitive_codes: true, ended_at: NOW, ms: 1, route, url: "/" },
  ...{ params: {}, status: 200, key_kind: "app", key_id: "k", channel: null, body: "", answer: null },
  ...more,
});

/** A queue whose rows are kept here. */
function queueOf(waitingMax?: number) {
  const rows = new Map<string, RequestRow[]>();
  const dropped = { count: 0 };
  const queue = createRequestQueue({
    save: async (projectId, some) => void rows.set(projectId, [...(rows.get(projectId) ?? []), ...some]),
    now: () => NOW,
    countDropped: (count) => {
      dropped.count += count;
    },
    report: (error) => assert.fail(String(error)),
    perSecond: 100_000,
    ...(waitingMax !== undefined && { waitingMax }),
  });
  return { rows, dropped, queue, written: (projectId: string) => rows.get(projectId)?.length ?? 0 };
}

test("one project takes a quarter of the places, and leaves the others theirs", async () => {
  const { dropped, queue, written } = queueOf(40);
  for (let n = 0; n < 100; n += 1) queue.note(request({ project_id: "loud" }));
  for (let n = 0; n < 10; n += 1) queue.note(request({ project_id: "calm" }));
  assert.equal(dropped.count, 90);
  await queue.flush();
  assert.deepEqual([written("loud"), written("calm")], [10, 10]);
  // What was written leaves its place.
  for (let n = 0; n < 10; n += 1) queue.note(request({ project_id: "loud" }));
  await queue.flush();
  assert.deepEqual([written("loud"), dropped.count], [20, 90]);
});

test("a single project is logged at the whole rate", async () => {
  const { dropped, queue, written } = queueOf();
  for (let n = 0; n < 2_000; n += 1) queue.note(request());
  await queue.flush();
  assert.deepEqual([written("p"), dropped.count], [2_000, 0]);
});

test("long answers of one project leave room for the refused requests of all", async () => {
  const { dropped, queue, written } = queueOf();
  const answer = JSON.stringify("x".repeat(100_000));
  for (const project_id of ["a", "b", "c", "d", "e"])
    for (let n = 0; n < 50; n += 1) queue.note(request({ project_id, answer }));
  const before = dropped.count;
  assert.ok(before >= 250 - (8 * MB) / 100_000, String(before));
  for (const project_id of ["a", "f"]) queue.note(request({ project_id, status: 404, answer: { key: "not_found" } }));
  assert.equal(dropped.count, before);
  await queue.flush();
  assert.equal(written("f"), 1);
});

test("a caller who calls too often does not fill the log with it", async () => {
  const { dropped, queue, written } = queueOf();
  queue.note(request({ status: 429, answer: { key: "too_many_requests" } }));
  await queue.flush();
  assert.deepEqual([dropped.count, written("p")], [1, 0]);
});

test("an answer that is too long to be read is not kept either", () => {
  const noted = (answered: string | null, refused: object | null = null) => {
    const authenticated = { caller: { kind: "app", key_id: "k" }, project: { id: "p" } };
    const from = { id: "r", url: "/", params: {}, headers: {}, rawBody: "", authenticated, answered, refused };
    const request = { ...from, routeOptions: { config: { operation: route } } } as unknown as FastifyRequest;
    return loggedRequest(request, { elapsedTime: 1, statusCode: 200 } as FastifyReply, NOW)!.answer;
  };
  assert.equal(noted("x".repeat(131_072))?.toString().length, 131_072);
  assert.equal(noted("x".repeat(131_073)), null);
  assert.deepEqual(noted(null, { key: "a", details: "x" }), { key: "a", details: "x" });
  assert.deepEqual(noted(null, { key: "a", details: "x".repeat(131_073) }), { key: "a" });
});

test("all that a request holds is counted, and it is worked on in small slices", () => {
  const long = "x".repeat(1_000);
  for (const more of [{ url: long }, { channel: long }, { params: { code: long } }, { body: long }, { answer: long }])
    assert.ok(bytesOf(request(more)) >= 1_000);
  assert.ok(bytesOf(request({ answer: { details: long } as { key?: string } })) >= 1_000);
  fc.assert(
    fc.property(fc.array(fc.nat(200_000), { maxLength: 60 }), (sizes) => {
      const taken = sizes.map((size, n) => ({ entry: request({ id: String(n) }), size }));
      const slices = slicesOf(taken);
      assert.deepEqual(
        slices.flat(),
        taken.map(({ entry }) => entry),
      );
      for (const slice of slices) {
        const bytes = slice.reduce((sum, { id }) => sum + sizes[Number(id)]!, 0);
        assert.ok(slice.length === 1 || (slice.length <= 10 && bytes <= 131_072));
      }
    }),
  );
});

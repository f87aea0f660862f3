import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL_ROUTES } from "../../src/routes.ts";
import { BEFORE, demoServer, LAST, NOT_THERE, OPERATIONS, requestOf } from "../support/demo-examples.ts";
import { type Call, testDatabase } from "../support/engine.ts";

const { db } = await testDatabase();

test("every body and every parameter of a path has an example", () => {
  const missing = [...OPERATIONS].flatMap(
    ([
      id,
      {
        operation: { parameters = [], requestBody },
      },
    ]) => [
      ...parameters
        .filter((one) => one.in === "path" && one.example === undefined)
        .map(({ name }) => `${id} {${name}}`),
      ...(requestBody && Object.values(requestBody.content)[0]!.example === undefined ? [`${id} body`] : []),
    ],
  );
  assert.deepEqual(missing, []);
});

/** The operations whose examples were refused, with the answers. */
async function refusedOf(call: Call, operations: readonly string[]): Promise<string> {
  const refused: string[] = [];
  for (const id of operations) {
    const request = requestOf(id);
    await BEFORE[id]?.(call, request);
    const reply = await call(request.line, request.body, request.headers);
    if (reply.status >= 300) refused.push(`${id}: ${request.line}\n  ${JSON.stringify(request.body)}\n  ${reply.text}`);
  }
  return refused.join("\n");
}

// Both ways round: an example that needs another one to be sent before it fails in one of them.
for (const order of ["forwards", "backwards"] as const)
  test(`every example of a body works on the demo data as it stands, sent ${order}`, async () => {
    const { call } = await demoServer(db);
    const bodies = ALL_ROUTES.flatMap(({ id, body }) => (body && !LAST.includes(id) ? [id] : []));
    const reads = ALL_ROUTES.flatMap(({ id, method }) => (method === "GET" && !NOT_THERE.includes(id) ? [id] : []));
    if (order === "forwards") assert.equal(await refusedOf(call, reads), "");
    assert.equal(await refusedOf(call, order === "forwards" ? bodies : bodies.toReversed()), "");
    assert.equal(await refusedOf(call, LAST), "");
  });

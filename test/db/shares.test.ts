import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import type { Pool } from "../../src/db/db.ts";
import { createShares } from "../../src/db/shares.ts";
import { read } from "../../src/http/route.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { testDatabase, testEngine, testProject } from "../support/engine.ts";

const { db, open } = await testDatabase();
/** Nothing is asked of them here. */
const connections = (count: number) => Array.from({ length: count }, (_, n) => `connection ${n}` as unknown as Pool);
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Notes who has which connection, and keeps it until told. */
function keeping(count: number) {
  const share = createShares(connections(count));
  const got: { project: string; connection: string; end(): void }[] = [];
  const take = (project: string) =>
    share(project, async (connection) => {
      const kept = Promise.withResolvers<void>();
      got.push({ project, connection: String(connection), end: kept.resolve });
      await kept.promise;
      return project;
    });
  return { share, got, take, projects: () => got.map(({ project }) => project) };
}

test("a project has all connections but one at most, and the next project has one at once", async () => {
  const { take, projects, got } = keeping(4);
  for (let n = 0; n < 10; n += 1) void take("A");
  assert.deepEqual(projects(), ["A", "A", "A"]);
  void take("B");
  assert.deepEqual(projects(), ["A", "A", "A", "B"]);
  assert.equal(new Set(got.map(({ connection }) => connection)).size, 4, "nobody shares one");
});

test("a connection that becomes free goes to who has the fewest, then to who has waited longest", async () => {
  const { take, projects, got } = keeping(3);
  for (const project of ["A", "A", "B", "A", "B", "C", "D", "A"]) void take(project);
  assert.deepEqual(projects(), ["A", "A", "B"]);
  const next: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    got[n]!.end();
    await settled();
    next.push(projects().at(-1)!);
  }
  assert.deepEqual(next, ["C", "A", "B", "D", "A"], "who ended all that it had is one of those with the fewest");
});

test("one that fails gives its connection back, and one connection alone serves everybody", async () => {
  const share = createShares(connections(1));
  await assert.rejects(
    share("A", async () => {
      throw new Error("no");
    }),
    /no/,
  );
  const answers = ["A", "B", "A"].map((project) => share(project, async () => project));
  assert.deepEqual(await Promise.all(answers), ["A", "B", "A"]);
});

test("many slow lists of one project take no connection from another", async () => {
  const gate = Promise.withResolvers<void>();
  let running = 0;
  const slow = read("GET /v1/orders/slow", { id: "slow", summary: "", ok: Type.Object({}) }, async (c) => {
    running += 1;
    await c.db`select 1`;
    await gate.promise;
    return {};
  });
  const share = createShares(Array.from({ length: 4 }, () => open({ max: 1 })));
  const [a, b] = [await testProject(db), await testProject(db)];
  const options = { share, routes: [...ALL_ROUTES, slow] };
  const [ofA, ofB] = [await testEngine(db, a, options), await testEngine(db, b, options)];
  const lists = Array.from({ length: 10 }, () => ofA.call("GET /v1/orders/slow"));
  await Promise.race([
    ...lists,
    (async () => {
      while (running < 3) await settled();
    })(),
  ]);
  assert.equal((await ofB.call("GET /v1/categories")).status, 200);
  assert.equal((await ofB.call("POST /v1/categories", { name: "Summer", hierarchy: 1 })).status, 200);
  assert.equal(running, 3, "the others of A wait");
  gate.resolve();
  assert.deepEqual(new Set((await Promise.all(lists)).map(({ status }) => status)), new Set([200]));
});

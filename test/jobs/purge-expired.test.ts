import assert from "node:assert/strict";
import { test } from "node:test";
import { purgeExpired } from "../../src/jobs/purge-expired.ts";
import { FORM, form, NOW, newId, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";
import { makeUser, signIn } from "../support/sign-in.ts";

const { db, open } = await testDatabase();
const at = (now: string, pool = db) => purgeExpired.run({ db: pool, now: () => now, newId, random: Buffer.alloc });
const rows = async (table: string, projectId: string) =>
  (await db`select count(*) from ${db(table)} where project_id = ${projectId}`)[0]!.count;

test("old answers, tokens and changes go when their time is over and not before, and a second run finds nothing", async () => {
  const { call, project } = await testShop(db);
  await call("POST /v1/categories", { name: "A", hierarchy: 1 }, { "idempotency-key": "k" });
  await call("POST /v1/oauth/token", form({ grant_type: "client_credentials", scope: "api" }), FORM);
  await at(NOW);
  const counts = async () =>
    Promise.all(["idempotency_keys", "oauth_tokens", "catalog_changes"].map((table) => rows(table, project.id)));
  assert.deepEqual(await counts(), [1, 1, 1]);
  await at("2026-01-01T12:15:00.000Z");
  assert.deepEqual(await counts(), [1, 0, 1]);
  await at("2026-01-02T12:00:00.000Z");
  assert.deepEqual(await counts(), [0, 0, 1]);
  await db`update tenants set catalog_revision = 2000 where project_id = ${project.id}`;
  await at("2026-01-02T12:00:00.000Z");
  await at("2026-01-02T12:00:00.000Z");
  assert.deepEqual(await counts(), [0, 0, 0]);
  assert.equal((await call("GET /v1/categories")).body.total, 1);
});

test("what cannot be removed keeps nothing else: neither of its project, nor of others", async () => {
  const shops = [await testShop(db), await testShop(db)];
  for (const { call } of shops) {
    await call("POST /v1/categories", { name: "A", hierarchy: 1 }, { "idempotency-key": "k" });
    await call("POST /v1/oauth/token", form({ grant_type: "client_credentials", scope: "api" }), FORM);
  }
  const left = () =>
    Promise.all(
      shops.flatMap(({ project }) => ["idempotency_keys", "oauth_tokens"].map((table) => rows(table, project.id))),
    );
  const [held, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = db.begin(async (tx) => {
    await tx`select from idempotency_keys where project_id = ${shops[0]!.project.id} order by key for no key update`;
    held.resolve();
    await end.promise;
  });
  await held.promise;
  await assert.rejects(at("2026-01-03T12:00:00.000Z", open({ statementTimeoutMs: 300 })), { code: "57014" });
  assert.deepEqual(await left(), [1, 0, 0, 0]);
  end.resolve();
  await holding;
  await at("2026-01-03T12:00:00.000Z");
  assert.deepEqual(await left(), [0, 0, 0, 0]);
});

test("a deleted project loses all of its rows after an hour, another keeps its own", async () => {
  const [gone, kept] = [await testProject(db, { is_sandbox: false }), await testProject(db)];
  const { call } = await testEngine(db, gone);
  const other = await testEngine(db, kept);
  for (const one of [call, other.call]) await one("POST /v1/categories", { name: "A", hierarchy: 1 });
  assert.equal((await call(`DELETE /management/v1/projects/${gone.id}`)).status, 204);
  await at("2026-01-01T12:59:00.000Z");
  assert.equal(await rows("categories", gone.id), 1);
  await at("2026-01-01T13:00:01.000Z");
  assert.equal(await rows("categories", gone.id), 0);
  assert.deepEqual([...(await db`select id from projects where id = ${gone.id}`)], []);
  assert.deepEqual([...(await db`select id from keys where project_id = ${gone.id}`)], []);
  assert.equal(await rows("categories", kept.id), 1);
});

test("of a deleted project no statement deletes more than some thousand rows, nor more than 128 chunks of files", async () => {
  const { call, ok, project } = await testShop(db, { is_sandbox: false });
  await db`
    insert into customers (project_id, id, source_id, metadata, created_at)
    select ${project.id}, 'cust_' || n, 's' || n, '{}', ${NOW}::timestamptz from generate_series(1, 11000) as n`;
  // An export that is being written.
  const { id } = await ok("POST /v1/exports", { exported_object: "customer" });
  await db`
    insert into file_chunks (project_id, file_id, number, content)
    select ${project.id}, ${id}, n, 'a'::bytea from generate_series(0, 299) as n`;
  await db`update files set bytes = 300, chunks = 300 where project_id = ${project.id} and id = ${id}`;
  assert.equal((await call(`DELETE /management/v1/projects/${project.id}`)).status, 204);
  const deleted: Record<string, number> = {};
  const onQuery = (text: string) => {
    const table = /^\s*delete from "?(customers|file_chunks)\b/.exec(text)?.[1];
    if (table) deleted[table] = (deleted[table] ?? 0) + 1;
  };
  await at("2026-01-01T13:00:01.000Z", open({ onQuery }));
  // Three parts of each; the last statement on chunks is that which finds no more.
  assert.deepEqual(deleted, { customers: 3, file_chunks: 4 });
  for (const table of ["customers", "files", "file_chunks"]) assert.equal(await rows(table, project.id), 0);
});

test("signing keys that nobody needs go after two months", async () => {
  const { call } = await testShop(db);
  await call("POST /v1/oauth/token", form({ grant_type: "client_credentials", scope: "api" }), FORM);
  await at("2026-02-28T12:00:00.000Z");
  assert.equal((await db`select id from signing_keys`).length, 1);
  await at("2026-03-03T12:00:00.000Z");
  assert.equal((await db`select id from signing_keys`).length, 0);
});

test("sessions of users go when they are over: unused for 12 hours, or 7 days old", async () => {
  const { call, project } = await testShop(db);
  const { id, email } = await makeUser(db, { [project.id]: "USER" });
  await signIn(call, email);
  await signIn(call, email);
  await db`update user_sessions set last_used_at = '2026-01-08T11:00:00Z' where ctid =
    (select min(ctid) from user_sessions where user_id = ${id})`;
  const left = async () => (await db`select 1 from user_sessions where user_id = ${id}`).length;
  for (const [now, count] of [
    ["2026-01-01T23:59:59.999Z", 2],
    ["2026-01-02T00:00:00.000Z", 1],
    ["2026-01-08T11:59:59.999Z", 1],
    ["2026-01-08T12:00:00.000Z", 0],
  ] as const) {
    await at(now);
    assert.equal(await left(), count, now);
  }
});

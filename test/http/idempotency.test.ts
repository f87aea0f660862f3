import assert from "node:assert/strict";
import { test } from "node:test";
import { answerAll, claimKeys } from "../../src/idempotency/claim.ts";
import { type Call, FORM, form, NOW, type Reply, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { lockWaits } from "../support/nodes.ts";
import { testShop } from "../support/shop.ts";
import { until } from "../support/storage.ts";

const { db, open } = await testDatabase();
const later = (ms: number) => new Date(Date.parse(NOW) + ms).toISOString();
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** A project with an engine whose clock can be moved, and with its rows to look at. */
async function setUp(options: Parameters<typeof testEngine>[2] = {}) {
  const project = await testProject(db);
  const clock = { now: NOW };
  const { call } = await testEngine(db, project, { now: () => clock.now, ...options });
  const keyed = (key: string, request: string, body?: unknown, headers = {}) =>
    call(request, body, { "idempotency-key": key, ...headers });
  const rows = () =>
    db<{ caller_id: string; key: string; status: number; body: string }[]>`
      select caller_id, key, status, body from idempotency_keys where project_id = ${project.id} order by key`;
  const names = async () =>
    (await call("GET /v1/categories?order=name")).body.data.map((c: { name: string }) => c.name);
  return { project, clock, call, keyed, rows, names };
}
const replayed = (reply: Reply) => reply.headers["idempotent-replayed"] === "true";
function assertReplayOf(first: Reply, reply: Reply) {
  assert.deepEqual([reply.status, reply.text], [first.status, first.text]);
  assert.equal(reply.headers["content-type"], first.headers["content-type"]);
  assert.ok(replayed(reply));
}
const SUMMER = { name: "Summer", hierarchy: 1 };

test("the same key and input gives the stored answer byte for byte, for POST, PUT and DELETE", async () => {
  const { keyed, names } = await setUp();
  const name = 'Sommer "ß" \u2028 \\ 日本';
  const created = await keyed("create", "POST /v1/categories", { name, hierarchy: 1 });
  assert.deepEqual([created.status, replayed(created)], [200, false]);
  assertReplayOf(created, await keyed("create", "POST /v1/categories", { name, hierarchy: 1 }));
  assert.deepEqual(await names(), [name]);

  const path = `/v1/categories/${created.body.id}`;
  const updated = await keyed("update", `PUT ${path}`, { name: "Winter" });
  await keyed("update back", `PUT ${path}`, { name });
  assertReplayOf(updated, await keyed("update", `PUT ${path}`, { name: "Winter" }));
  assert.deepEqual(await names(), [name], "the repeat changed nothing");

  const deleted = await keyed("delete", `DELETE ${path}`);
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  assertReplayOf(deleted, await keyed("delete", `DELETE ${path}`));
});

test("the same key with another input is 409 idempotency_key_reused and changes nothing", async () => {
  const { keyed, names } = await setUp();
  const { id } = (await keyed("k", "POST /v1/categories", SUMMER)).body;
  const others: [request: string, body: unknown][] = [
    ["POST /v1/categories", { ...SUMMER, name: "Other" }],
    ["POST /v1/categories", '{"name":"Summer", "hierarchy":1}'],
    ["POST /v1/categories?x=1", SUMMER],
    [`PUT /v1/categories/${id}`, SUMMER],
    [`DELETE /v1/categories/${id}`, undefined],
  ];
  for (const [request, body] of others) {
    const reply = await keyed("k", request, body);
    assert.deepEqual([reply.status, reply.body.key, replayed(reply)], [409, "idempotency_key_reused", false], request);
  }
  assert.deepEqual(await names(), ["Summer"]);
});

test("a key belongs to a project and to a key pair: others may use the same text", async () => {
  const [one, two] = [await setUp(), await setUp()];
  const first = await one.keyed("k", "POST /v1/categories", SUMMER);
  const other = await two.keyed("k", "POST /v1/categories", SUMMER);
  assert.deepEqual([first.status, other.status, replayed(other)], [200, 200, false]);
  assert.notEqual(first.body.id, other.body.id);

  // A second pair of the first project: its row is copied, so that both have the same secret.
  await db`
    insert into keys select kind, id || '-2', project_id, name, secret_hash, null, null, created_at
    from keys where kind = 'app' and id = ${one.project.app.id}`;
  const pair = { "x-app-id": `${one.project.app.id}-2` };
  const second = await one.keyed("k", "POST /v1/categories", { ...SUMMER, name: "Autumn" }, pair);
  assert.deepEqual([second.status, replayed(second)], [200, false]);
  assertReplayOf(first, await one.keyed("k", "POST /v1/categories", SUMMER));
  assert.deepEqual((await one.rows()).map(({ caller_id }) => caller_id).sort(), [
    `app ${one.project.app.id}`,
    `app ${one.project.app.id}-2`,
  ]);
});

test("a token and the key pair that asked for it are one caller", async () => {
  const { call, keyed } = await setUp();
  const asked = await call("POST /v1/oauth/token", form({ grant_type: "client_credentials", scope: "api" }), FORM);
  const bearer = { "x-app-id": "", "x-app-token": "", authorization: `Bearer ${asked.body.access_token}` };
  const first = await keyed("k", "POST /v1/categories", SUMMER);
  assertReplayOf(first, await keyed("k", "POST /v1/categories", SUMMER, bearer));
});

test("refusals are answers: 404, 409 and 400 of a decision are stored and replayed", async () => {
  const { keyed, call, project } = await setUp();
  const { id } = (await call("POST /v1/categories", SUMMER)).body;
  await call(`POST /management/v1/projects/${project.id}/stacking-rules`, { exclusive_categories: [id] });
  const refusals: [status: number, request: string, body: unknown][] = [
    [404, "PUT /v1/categories/later", { name: "X" }],
    [409, "POST /v1/categories", SUMMER],
    [400, `DELETE /v1/categories/${id}`, undefined],
  ];
  for (const [status, request, body] of refusals) {
    const first = await keyed(`k ${status}`, request, body);
    assert.deepEqual([first.status, replayed(first)], [status, false]);
    assertReplayOf(first, await keyed(`k ${status}`, request, body));
  }
  // Also when the reason is gone: the same request was decided.
  await call(`DELETE /v1/categories/${id}?remove_from_stacking_rules=true`);
  assert.equal((await keyed("k 409", "POST /v1/categories", SUMMER)).status, 409);
  assert.equal((await keyed("new", "POST /v1/categories", SUMMER)).status, 200);
});

test("a refused write leaves no effect beside its stored answer", async () => {
  const { keyed, project, rows } = await setUp();
  await keyed("1", "POST /v1/categories", SUMMER);
  await keyed("2", "POST /v1/categories", SUMMER);
  const [{ revision }] = await db<[{ revision: number }]>`
    select catalog_revision as revision from tenants where project_id = ${project.id}`;
  assert.equal(revision, 1);
  assert.deepEqual(
    (await rows()).map(({ status }) => status),
    [200, 409],
  );
});

test("401, 403, 413, 429 and failures of the schema are never stored: the key is free afterwards", async () => {
  const limited = { app: 8, client: 0, management: 0, bulk: 0 };
  const { keyed, rows } = await setUp({ rateLimits: limited, bodyLimitBytes: 2000 });
  const statuses = [
    await keyed("k", "POST /v1/categories", SUMMER, { "x-app-token": "wrong" }),
    await keyed("k", "POST /v1/categories", { ...SUMMER, name: "x".repeat(3000) }),
    await keyed("k", "POST /v1/categories", { name: "Summer" }),
    await keyed("k", "POST /v1/categories", "{not json"),
    await keyed("k", "POST /v1/categories", SUMMER, { "content-type": "text/plain" }),
    await keyed("k", "POST /v1/nothing", SUMMER),
  ].map(({ status }) => status);
  assert.deepEqual(statuses, [401, 413, 400, 400, 415, 404]);
  assert.deepEqual([...(await rows())], []);
  const first = await keyed("k", "POST /v1/categories", SUMMER);
  assert.deepEqual([first.status, replayed(first)], [200, false]);
  let reply = first;
  for (let n = 0; n < 10 && reply.status !== 429; n += 1) reply = await keyed("other", "POST /v1/categories", SUMMER);
  assert.equal(reply.status, 429);
  assert.deepEqual(
    (await rows()).map(({ key }) => key),
    ["k", "other"],
  );
});

test("403 of a decision and 5xx are not stored: the same request is tried again", async () => {
  const { keyed, call } = await setUp();
  const body = { name: "New", timezone: "UTC", currency: "EUR", case_sensitive_codes: true };
  const elsewhere = await keyed("k", "POST /management/v1/projects", { ...body, cluster_id: "elsewhere" });
  assert.equal(elsewhere.status, 403);
  assert.equal((await keyed("k", "POST /management/v1/projects", body)).status, 200);

  await db`alter table categories add constraint broken check (name <> 'Broken')`;
  const broken = { name: "Broken", hierarchy: 1 };
  assert.equal((await keyed("broken", "POST /v1/categories", broken)).status, 500);
  assert.equal((await call("GET /v1/categories")).body.total, 0);
  await db`alter table categories drop constraint broken`;
  const repaired = await keyed("broken", "POST /v1/categories", broken);
  assert.deepEqual([repaired.status, replayed(repaired)], [200, false]);
});

test("a key has 1 to 255 characters", async () => {
  const { keyed, names } = await setUp();
  for (const key of ["", "x".repeat(256)]) {
    const reply = await keyed(key, "POST /v1/categories", SUMMER);
    assert.deepEqual([reply.status, reply.body.key], [400, "invalid_payload"]);
    assert.match(reply.body.details, /Idempotency-Key must have 1 to 255 characters/);
  }
  assert.deepEqual(await names(), []);
  for (const [n, key] of ["x", "y".repeat(255)].entries()) {
    const body = { name: `Category ${n}`, hierarchy: 1 };
    const first = await keyed(key, "POST /v1/categories", body);
    assertReplayOf(first, await keyed(key, "POST /v1/categories", body));
  }
});

test("a key is kept for 24 hours; then the request runs anew, with any input", async () => {
  const { keyed, clock, call, names } = await setUp();
  const first = await keyed("k", "POST /v1/categories", SUMMER);
  clock.now = later(24 * HOUR_MS - 1);
  assertReplayOf(first, await keyed("k", "POST /v1/categories", SUMMER));
  clock.now = later(24 * HOUR_MS);
  const anew = await keyed("k", "POST /v1/categories", { ...SUMMER, name: "Autumn" });
  assert.deepEqual([anew.status, replayed(anew)], [200, false]);
  assertReplayOf(anew, await keyed("k", "POST /v1/categories", { ...SUMMER, name: "Autumn" }));
  assert.equal((await keyed("k", "POST /v1/categories", SUMMER)).status, 409, "the new input counts now");
  clock.now = later(47 * HOUR_MS);
  assertReplayOf(anew, await keyed("k", "POST /v1/categories", { ...SUMMER, name: "Autumn" }));
  assert.deepEqual(await names(), ["Autumn", "Summer"]);
  assert.equal((await call("GET /v1/categories")).body.total, 2);
});

type Secret = { name: string; send(call: Call, key: string): Promise<Reply>; secretsOf(body: any): string[] };
const SECRETS: Secret[] = [
  {
    name: "POST /v1/oauth/token",
    send: (call, key) =>
      call("POST /v1/oauth/token", form({ grant_type: "client_credentials", scope: "api" }), {
        ...FORM,
        "idempotency-key": key,
      }),
    secretsOf: (body) => [body.access_token],
  },
  {
    name: "POST /management/v1/projects",
    send: (call, key) =>
      call(
        "POST /management/v1/projects",
        { name: "New", timezone: "UTC", currency: "EUR", case_sensitive_codes: true },
        { "idempotency-key": key },
      ),
    secretsOf: (body) => [body.server_side_key.app_token, body.client_side_key.app_token, body.webhook_token],
  },
];
for (const { name, send, secretsOf } of SECRETS) {
  test(`${name}: its answer is stored sealed, replayed for 10 minutes, and runs anew afterwards`, async () => {
    const { call, clock, project } = await setUp();
    const key = `sealed ${project.id}`;
    const first = await send(call, key);
    assert.equal(first.status, 200);
    const [stored] = await db<{ body: string; status: number }[]>`
      select body, status from idempotency_keys where key = ${key}`;
    assert.equal(stored!.status, 200);
    const opened = `${stored!.body} ${Buffer.from(stored!.body, "base64").toString("latin1")}`;
    for (const secret of secretsOf(first.body)) assert.ok(!opened.includes(secret), "the secret is not in the table");
    assertReplayOf(first, await send(call, key));
    clock.now = later(10 * MINUTE_MS - 1);
    assertReplayOf(first, await send(call, key));
    clock.now = later(10 * MINUTE_MS);
    const anew = await send(call, key);
    assert.deepEqual([anew.status, replayed(anew)], [200, false]);
    assert.notDeepEqual(secretsOf(anew.body), secretsOf(first.body));
  });
}

test("a sealed answer opens only with the secret it was made for", async () => {
  const { call, project } = await setUp();
  const { send } = SECRETS[0]!;
  await send(call, "k");
  await db`
    update keys set previous_secret_hash = secret_hash, previous_until = ${later(HOUR_MS)},
      secret_hash = encode(sha256('another'), 'hex')
    where kind = 'app' and id = ${project.app.id}`;
  const reply = await send(
    (request, body, headers) => call(request, body, { ...headers, "x-app-token": "another" }),
    "k",
  );
  assert.deepEqual([reply.status, reply.body.key], [409, "idempotency_key_reused"]);
});

test("the key is ignored where nothing changes", async () => {
  const { keyed, rows, call } = await setUp();
  const asked = await call("POST /v1/oauth/token", form({ grant_type: "client_credentials", scope: "api" }), FORM);
  const token = form({ access_token: asked.body.access_token });
  for (let n = 0; n < 2; n += 1) {
    const active = await keyed("k", "POST /v1/oauth/introspect", token, FORM);
    const listed = await keyed("k", "GET /v1/categories");
    assert.deepEqual([active.status, listed.status, replayed(active), replayed(listed)], [200, 200, false, false]);
  }
  assert.equal((await keyed("x".repeat(300), "GET /v1/categories")).status, 200);
  assert.deepEqual([...(await rows())], []);
});

test("40 requests at once with one key over two processes run once, and all get the one answer", async () => {
  const project = await testProject(db);
  const engines = [await testEngine(open({ max: 4 }), project), await testEngine(open({ max: 4 }), project)];
  const send = (n: number) =>
    engines[n % 2]!.call("POST /v1/categories", SUMMER, { "idempotency-key": "one", "x-request": `${n}` });
  const replies = await Promise.all(Array.from({ length: 40 }, (_, n) => send(n)));
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
  assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
  assert.equal(replies.filter((reply) => !replayed(reply)).length, 1);
  const rows = await db`select id from categories where project_id = ${project.id}`;
  assert.equal(rows.length, 1);
});

/** Holds a key in an open transaction, as a first request does that has not ended. */
async function hold(projectId: string, callerId: string, key: string) {
  const release = Promise.withResolvers<"commit" | "roll back">();
  const held = Promise.withResolvers<void>();
  const claim = { caller_id: callerId, key, input_hash: "other", sealed_with: null, received_at: NOW };
  const ended = db
    .begin(async (tx) => {
      const command = { claim, request_id: "v-held" };
      const { stored } = await claimKeys(tx, projectId, [command]);
      const answers = new Map([[command, { status: 200, body: "{}" }]]);
      await answerAll(tx, projectId, { commands: [command], answers, stored });
      held.resolve();
      if ((await release.promise) === "roll back") throw new Error("rolled back");
    })
    .catch(() => {});
  await held.promise;
  return async (how: "commit" | "roll back") => {
    release.resolve(how);
    await ended;
  };
}
const waitsForLock = async () => (await lockWaits(db)) > 0;

test("a key that an open transaction holds is answered when that one ends: from it, or anew when it was undone", async () => {
  const { project, keyed } = await setUp();
  const caller = `app ${project.app.id}`;
  const undo = await hold(project.id, caller, "undone");
  const anew = keyed("undone", "POST /v1/categories", SUMMER);
  await until("the request waits", waitsForLock);
  await undo("roll back");
  assert.deepEqual([(await anew).status, replayed(await anew)], [200, false]);

  const end = await hold(project.id, caller, "done");
  const refused = keyed("done", "POST /v1/categories", { ...SUMMER, name: "Autumn" });
  await until("the request waits", waitsForLock);
  await end("commit");
  assert.deepEqual([(await refused).status, (await refused).body.key], [409, "idempotency_key_reused"]);
});

test("a key that is held for longer than the limit is 409 idempotency_in_progress, and later the request runs", async () => {
  const project = await testProject(db);
  const { call } = await testEngine(open({ max: 2, statementTimeoutMs: 200 }), project);
  const send = () => call("POST /v1/categories", SUMMER, { "idempotency-key": "k" });
  const release = await hold(project.id, `app ${project.app.id}`, "k");
  const reply = await send();
  assert.deepEqual([reply.status, reply.body.code, reply.body.key], [409, 409, "idempotency_in_progress"]);
  await release("roll back");
  const after = await send();
  assert.deepEqual([after.status, replayed(after)], [200, false]);
});

test("a project that was deleted with a key is answered as deleted again, though it is gone", async () => {
  const { call, project } = await testShop(db, { is_sandbox: false });
  const request = `DELETE /management/v1/projects/${project.id}`;
  assert.equal((await call(request, undefined, { "idempotency-key": "gone" })).status, 204);
  const again = await call(request, undefined, { "idempotency-key": "gone" });
  assert.deepEqual([again.status, again.headers["idempotent-replayed"]], [204, "true"]);
  assert.equal((await call(request)).body.key, "not_found");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase, testEngine, testProject } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

const start = async () => {
  const clock = { now: "2026-01-01T12:00:00.000Z" };
  const shop = await testShop(db, {}, { now: () => clock.now });
  const keys = `/management/v1/projects/${shop.project.id}/keys`;
  /** What a request with this pair is answered. */
  const asks = async ({ id, kind }: { id: string; kind: string }, secret: string): Promise<number> =>
    kind === "app"
      ? (await shop.call("GET /v1/categories", undefined, { "x-app-id": id, "x-app-token": secret })).status
      : (
          await shop.call("GET /client/v1/promotions/tiers", undefined, {
            ...{ "x-client-application-id": id, "x-client-token": secret, origin: "https://shop.example" },
          })
        ).status;
  return { ...shop, clock, keys, asks };
};

test("keys: made, read, listed, given another secret, switched off; the secret is shown once", async () => {
  const { ok, call, keys, asks, clock } = await start();
  const { secret, ...made } = await ok(`POST ${keys}`, { kind: "app", name: "Till" });
  const none = { last_used_at: null, disabled_at: null, previous_until: null };
  assert.deepEqual(made, { id: made.id, kind: "app", name: "Till", created_at: clock.now, ...none, object: "key" });
  assert.match(made.id, /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/);
  assert.equal(await asks(made, secret), 200);
  const { data, total } = await ok(`GET ${keys}`);
  assert.equal(total, 3, "with the two that the project began with");
  assert.ok(data.every((key: object) => !JSON.stringify(key).includes("secret")));

  const rotated = await ok(`POST ${keys}/${made.id}/rotate`, { overlap_hours: 2 });
  assert.equal(rotated.previous_until, "2026-01-01T14:00:00.000Z");
  assert.deepEqual([await asks(made, secret), await asks(made, rotated.secret)], [200, 200]);
  clock.now = "2026-01-01T14:00:01.000Z";
  assert.deepEqual([await asks(made, secret), await asks(made, rotated.secret)], [401, 200]);

  const off = await ok(`POST ${keys}/${made.id}/disable`);
  assert.equal(off.disabled_at, clock.now);
  assert.equal(await asks(made, rotated.secret), 401);
  const again = await call(`POST ${keys}/${made.id}/rotate`, {});
  assert.deepEqual([again.status, again.body.key], [400, "invalid_payload"]);
  assert.equal((await ok(`GET ${keys}/${made.id}`)).disabled_at, clock.now);
  assert.equal((await ok(`POST ${keys}/${made.id}/disable`)).disabled_at, clock.now, "the first time counts");
});

test("keys: one for client applications; a repeated request makes no second", async () => {
  const { ok, keys, project } = await start();
  const headers = { "idempotency-key": "one" };
  const first = await ok(`POST ${keys}`, { kind: "client", name: "App" }, headers);
  assert.deepEqual(await ok(`POST ${keys}`, { kind: "client", name: "App" }, headers), first);
  assert.equal((await ok(`GET ${keys}`)).total, 3);
  const entries = await ok(`GET /management/v1/audit-log?object_id=client/${first.id}`);
  assert.deepEqual([entries.total ?? entries.data.length, project.id.length > 0], [1, true]);
  assert.equal(JSON.stringify(entries).includes(first.secret), false);
});

test("keys: what does not fit is refused; keys of others, and management keys, are not found", async () => {
  const { call, keys, project } = await start();
  for (const body of [{}, { kind: "app" }, { kind: "management", name: "x" }, { kind: "app", name: "x", secret: "y" }])
    assert.equal((await call(`POST ${keys}`, body)).status, 400, JSON.stringify(body));
  assert.equal((await call(`POST ${keys}/${project.app.id}/rotate`, { overlap_hours: -1 })).status, 400);
  const other = await testProject(db);
  for (const id of [other.app.id, project.management.id, "none"])
    for (const line of ["GET", "rotate", "disable"]) {
      const request = line === "GET" ? `GET ${keys}/${id}` : `POST ${keys}/${id}/${line}`;
      const { status, body } = await call(request, line === "rotate" ? {} : undefined);
      assert.deepEqual([status, body.resource_type], [404, "key"], request);
    }
  const { call: ofOther } = await testEngine(db, other);
  assert.equal((await ofOther("GET /v1/categories")).status, 200, "its key still works");
  const stranger = { "x-management-id": project.app.id, "x-management-token": project.app.secret };
  assert.equal((await call(`GET ${keys}`, undefined, stranger)).status, 401);
  assert.equal((await call("GET /management/v1/projects/proj_none/keys")).status, 404);
});

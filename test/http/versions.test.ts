import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route } from "../../src/http/route.ts";
import { targetOf } from "../../src/http/versions/targets.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { BEFORE, demoServer, requestOf } from "../support/demo-examples.ts";
import { testDatabase } from "../support/engine.ts";
import { idsOn, makeOneOfEverything } from "../support/one-of-everything.ts";
import { testShop } from "../support/shop.ts";

// Who changes a configured object can say which version they have seen, and no change of another is lost.
const { db } = await testDatabase();

const USE = "grows with use: nobody configures it";
const RECORD = "a record, which nobody changes";
/** Operations on one object that tell no version, and why. */
const WITHOUT: Readonly<Record<string, string>> = {
  getAsyncAction: RECORD,
  getAuditEntry: RECORD,
  getAuditEntryOfInstallation: RECORD,
  getAuditEntryOfProject: RECORD,
  getLoggedRequest: RECORD,
  getLoggedRequestOfInstallation: RECORD,
  getLoggedRequestOfProject: RECORD,
  getRefusal: RECORD,
  getTaskResult: RECORD,
  getWebhookDelivery: RECORD,
  purgeBinEntry: RECORD,
  getExport: RECORD,
  deleteExport: RECORD,
  getRedemption: RECORD,
  endOwnSession: "a credential: it is ended, and never changed",
  getKey: "it is never changed as a whole: what is done to it has operations of its own",
};
const OF_USE = ["customerId", "memberId", "orderId", "sessionKey", "holderId", "cardId", "bucketId"];
const lastOf = (path: string) => /\{(\w+)\}$/.exec(path)?.[1] ?? null;
const ON_ONE = ALL_ROUTES.filter(
  ({ method, path, access }) => method !== "POST" && lastOf(path) !== null && access !== "client" && access !== "none",
);
const on = (method: Route["method"]) => ON_ONE.filter((route) => route.method === method && targetOf(route));

test("every operation on one object tells a version, or has a reason not to", () => {
  const silent = ON_ONE.filter((route) => !targetOf(route));
  const unexplained = silent.filter(({ id, path }) => !(id in WITHOUT) && !OF_USE.includes(lastOf(path)!));
  assert.deepEqual(
    unexplained.map(({ id }) => id),
    // The stock of an assigned reward: a counter.
    ["updateProgramRewardAssignment"],
    USE,
  );
  for (const id of Object.keys(WITHOUT))
    assert.ok(
      silent.some((route) => route.id === id),
      id,
    );
});

/** The paths of one of everything, each with the campaign that the last thing is in. */
async function shopWithPaths() {
  const shop = await testShop(db, { is_sandbox: false });
  const { call, project, ok } = shop;
  const made = await makeOneOfEverything(call, project);
  // Test projects are made without an operation, so nothing has logged this one yet.
  await ok(`PUT /management/v1/projects/${project.id}`, { name: "Logged" });
  const promotion = await ok(`GET /v1/promotions/tiers/${made.promotionTierId}`);
  const lineOf = ({ method, path }: Route) => {
    const ids = { ...idsOn(path, made) };
    if (path.startsWith("/v1/promotions/")) ids.campaignId = promotion.campaign_id;
    return `${method} ${path.replace(/\{(\w+)\}/g, (_, name) => ids[name]!)}`;
  };
  return { ...shop, made, lineOf };
}

test("reading a configured object tells its version, and nothing more to who has it", async () => {
  const { call, lineOf } = await shopWithPaths();
  for (const route of on("GET")) {
    const line = lineOf(route);
    const first = await call(line);
    assert.equal(first.status, 200, `${line} ${first.text}`);
    const etag = first.headers.etag as string;
    assert.match(etag ?? "", /^"[0-9a-f]+"$/, route.id);
    const again = await call(line, undefined, { "if-none-match": `"other", W/${etag}` });
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, "", etag], route.id);
    const changed = await call(line, undefined, { "if-none-match": '"other"' });
    assert.deepEqual([changed.status, changed.text], [200, first.text], route.id);
  }
});

test("a deletion that has seen another version is refused, and nothing is deleted", async () => {
  const { call, lineOf } = await shopWithPaths();
  for (const route of on("DELETE")) {
    const line = lineOf(route);
    const { status, body } = await call(line, undefined, { "if-match": '"stale"' });
    assert.deepEqual([status, body.key], [412, "precondition_failed"], route.id);
    assert.match(body.details, /^The current version is "[0-9a-f]+"$/, route.id);
    const read = ALL_ROUTES.find(({ method, path }) => method === "GET" && path === route.path);
    if (read) assert.equal((await call(lineOf(read))).headers.etag, /"[0-9a-f]+"/.exec(body.details)![0], route.id);
  }
});

test("a deletion that has seen the current version is not refused for it", async () => {
  const { call, lineOf } = await shopWithPaths();
  let deleted = 0;
  for (const route of on("DELETE")) {
    const read = ALL_ROUTES.find(({ method, path }) => method === "GET" && path === route.path);
    if (!read) continue;
    const { etag } = (await call(lineOf(read))).headers;
    // What goes with another object is gone already.
    if (etag === undefined) continue;
    const { status, text } = await call(lineOf(route), undefined, { "if-match": etag as string });
    assert.notEqual(status, 412, `${route.id} ${text}`);
    deleted += Number(status < 300);
  }
  assert.ok(deleted > 5, `${deleted} were deleted`);
});

test("a change that has seen another version is refused; one that has seen this one tells the next", async () => {
  const { call } = await demoServer(db);
  for (const route of on("PUT")) {
    const request = requestOf(route.id);
    await BEFORE[route.id]?.(call, request);
    const { line, body, headers } = request;
    // Tiers of programs are read in the list of their structure only.
    const isRead = ALL_ROUTES.some(({ method, path }) => method === "GET" && path === route.path);
    const read = isRead ? line.replace(/^PUT/, "GET") : line.replace(/^PUT (.*)\/[^/]*$/, "GET $1");
    const before = await call(read);
    assert.equal(before.status, 200, `${read} ${before.text}`);
    // The project of a test is made without an operation.
    const seen = (before.headers.etag as string | undefined) ?? "*";
    if (isRead && route.id !== "updateProject") assert.notEqual(seen, "*", route.id);
    const refused = await call(line, body, { ...headers, "if-match": '"stale", W/"1"' });
    assert.deepEqual([refused.status, refused.body.key], [412, "precondition_failed"], `${route.id} ${refused.text}`);
    const unchanged = await call(read);
    assert.equal(unchanged.text, before.text, route.id);
    const done = await call(line, body, { ...headers, "if-match": seen });
    assert.equal(done.status, 200, `${route.id} ${done.text}`);
    assert.ok(done.headers.etag, route.id);
    if (isRead) assert.equal(done.headers.etag, (await call(read)).headers.etag, route.id);
  }
});

const KINDS = [
  { path: "/v1/categories", body: (name: string) => ({ name, hierarchy: 1 }) },
  { path: "/v1/products", body: (name: string) => ({ name }) },
  { path: "/v2/loyalties/card-definitions", body: (name: string) => ({ name, type: "INDIVIDUAL" }) },
];
for (const { path, body } of KINDS)
  test(`of changes of one version at once, one is taken: ${path}`, async () => {
    const { call, ok } = await testShop(db);
    const { id } = await ok(`POST ${path}`, body("first"));
    let seen = (await call(`GET ${path}/${id}`)).headers.etag as string;
    for (let round = 0; round < 5; round += 1) {
      const names = Array.from({ length: 6 }, (_, n) => `name ${round} ${n}`);
      const replies = await Promise.all(
        names.map((name) => call(`PUT ${path}/${id}`, { ...body(name), type: undefined }, { "if-match": seen })),
      );
      const taken = replies.filter(({ status }) => status === 200);
      assert.equal(taken.length, 1, replies.map(({ text }) => text).join("\n"));
      for (const { status, body: refusal } of replies)
        if (status !== 200) assert.equal(refusal.key, "precondition_failed");
      const now = await call(`GET ${path}/${id}`);
      assert.equal(now.body.name, taken[0]!.body.name);
      assert.notEqual(now.headers.etag, seen);
      seen = now.headers.etag as string;
    }
  });

test("saving a thing as it is keeps its version; any version and a list of versions are taken", async () => {
  const { call, ok } = await testShop(db);
  const { id } = await ok("POST /v1/categories", { name: "one", hierarchy: 1 });
  const line = `PUT /v1/categories/${id}`;
  assert.equal((await call(line, { name: "one" }, { "if-match": "*" })).headers.etag, '"1"');
  assert.equal((await call(line, { name: "two" }, { "if-match": '"7", "1"' })).headers.etag, '"2"');
  assert.equal((await call(line, { name: "three" })).headers.etag, '"3"');
  assert.equal((await call(`DELETE /v1/categories/${id}`, undefined, { "if-match": '"3"' })).status, 204);
  assert.equal((await call(line, { name: "four" }, { "if-match": "*" })).status, 404);
});

test("a header that is no list of versions is refused, and so is the change", async () => {
  const { call, ok } = await testShop(db);
  const { id } = await ok("POST /v1/categories", { name: "one", hierarchy: 1 });
  const { status, body } = await call(`PUT /v1/categories/${id}`, { name: "two" }, { "if-match": "1" });
  assert.deepEqual([status, body.key], [400, "invalid_payload"]);
  assert.equal((await ok(`GET /v1/categories/${id}`)).name, "one");
});

test("a campaign has one version, by its id and by its name", async () => {
  const { call, ok } = await testShop(db);
  const { id, name } = await ok("POST /v1/campaigns", { name: "spring", campaign_type: "PROMOTION" });
  const { etag } = (await call(`GET /v1/campaigns/${id}`)).headers;
  assert.equal((await call(`GET /v1/campaigns/${name}`)).headers.etag, etag);
  const stale = { "if-match": '"9"' };
  assert.equal((await call(`PUT /v1/campaigns/${name}`, { description: "new" }, stale)).status, 412);
});

test("a refusal for the version is not kept under an idempotency key", async () => {
  const { call, ok } = await testShop(db);
  const { id } = await ok("POST /v1/categories", { name: "one", hierarchy: 1 });
  const send = (tag: string) =>
    call(`PUT /v1/categories/${id}`, { name: "two" }, { "if-match": tag, "idempotency-key": "once" });
  assert.equal((await send('"9"')).status, 412);
  assert.equal((await send('"1"')).headers.etag, '"2"');
  const repeated = await send('"1"');
  assert.deepEqual([repeated.status, repeated.headers.etag], [200, undefined]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase, testProject } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { loggedShop } from "../support/request-log.ts";
import { testShop } from "../support/shop.ts";
import { makeUser, signIn } from "../support/sign-in.ts";
import { listeningShop } from "../support/webhook-story.ts";

// What a user does is told to be theirs, wherever it is told.
const { db } = await testDatabase();

test("the audit log and the request log name the user, and hold no secret of their session", async () => {
  const { call, project, entryOf } = await loggedShop(db);
  const { id, email } = await makeUser(db, { [project.id]: "ADMIN" }, { is_owner: true });
  const { as, cookie, session } = await signIn(call, email, project.id);
  const made = await as("POST /v1/categories", { name: "Summer", hierarchy: 1 });
  const [entry] = (await call(`GET /v1/audit-log?object_id=${made.body.id}`)).body.data;
  assert.deepEqual(entry.actor, { type: "user", id, name: "Uma Underhill" });
  assert.deepEqual((await entryOf(made)).key, { type: "user", id });
  const role = await as("POST /management/v1/roles", { name: `of ${id}`, permissions: [] });
  const [logged] = (await call(`GET /management/v1/audit-log?object_id=${role.body.id}`)).body.data;
  assert.deepEqual([logged.actor, logged.operation], [{ type: "user", id, name: "Uma Underhill" }, "createRole"]);
  const own = await entryOf(await as("GET /management/v1/session"), "/management/v1/request-log");
  assert.deepEqual([own.key, own.response_body], [{ type: "user", id }, null]);
  const everything = JSON.stringify(await db`select * from request_log`);
  for (const secret of [cookie.split("=")[1]!, session.csrf_token]) assert.ok(!everything.includes(secret));
  assert.equal((await call(`GET /v1/request-log?key_id=${id}`)).body.data.length, 1);
});

test("an idempotency key belongs to the user, in all their browsers and nobody else's", async () => {
  const { call, project } = await testShop(db);
  const [ann, ben] = [await makeUser(db, { [project.id]: "USER" }), await makeUser(db, { [project.id]: "USER" })];
  const [one, two] = [await signIn(call, ann.email, project.id), await signIn(call, ann.email, project.id)];
  const other = await signIn(call, ben.email, project.id);
  const key = { "idempotency-key": "once" };
  const body = { name: "Summer", hierarchy: 1 };
  const first = await one.as("POST /v1/categories", body, key);
  const again = await two.as("POST /v1/categories", body, key);
  assert.deepEqual([again.text, again.headers["idempotent-replayed"]], [first.text, "true"]);
  assertRefused(await other.as("POST /v1/categories", body, key), "duplicate_found");
  assertRefused(await call("POST /v1/categories", body, key), "duplicate_found");
});

test("rate limits count the requests of a user, in all their browsers together and apart from keys", async () => {
  const rateLimits = { app: 0, client: 0, management: 0, bulk: 0, session: 3 };
  const { call, project } = await testShop(db, {}, { rateLimits });
  const [ann, ben] = [await makeUser(db, { [project.id]: "USER" }), await makeUser(db, { [project.id]: "USER" })];
  const [one, two] = [await signIn(call, ann.email, project.id), await signIn(call, ann.email, project.id)];
  const other = await signIn(call, ben.email, project.id);
  const replies = [
    await one.as("GET /v1/categories"),
    await two.as("GET /v1/categories"),
    await one.as("GET /v1/orders"),
  ];
  assert.deepEqual(
    replies.map(({ status, headers }) => [status, headers["x-rate-limit-remaining"]]),
    [
      [200, "2"],
      [200, "1"],
      [200, "0"],
    ],
  );
  assertRefused(await two.as("GET /v1/categories"), "too_many_requests");
  assert.equal((await other.as("GET /v1/categories")).status, 200);
  assert.equal((await call("GET /v1/categories")).status, 200);
});

test("a redemption by hand has the channel of users, and webhooks are told who it was", async () => {
  const { call, project, told } = await listeningShop(db, ["redemption.succeeded"]);
  const { id, email } = await makeUser(db, { [project.id]: "USER" });
  const { as } = await signIn(call, email, project.id);
  await as("POST /v1/vouchers/TEN", { discount: { type: "PERCENT", percent_off: 10 } });
  const redeemed = await as("POST /v1/redemptions", {
    ...{ redeemables: [{ object: "voucher", id: "TEN" }], order: { amount: 1000 } },
  });
  assert.equal(redeemed.status, 200, redeemed.text);
  const read = await call(`GET /v1/redemptions/${redeemed.body.redemptions[0].id}`);
  assert.deepEqual(read.body.channel, { channel_id: id, channel_type: "USER" });
  const [event] = await told("redemption.succeeded");
  assert.deepEqual(event.event.event_source, { channel: "USER_PORTAL", user: { id } });
});

test("a template is copied to projects that the user may make templates in", async () => {
  const { call, project, ok } = await testShop(db);
  const [mine, read, foreign] = [await testProject(db), await testProject(db), await testProject(db)];
  const voucher = { discount: { type: "PERCENT", percent_off: 10 } };
  const { id: campaign_id } = await ok("POST /v1/campaigns", { name: "Copied", voucher });
  const template = await ok("POST /v1/templates/campaigns", { name: "Template", campaign_id });
  const { email } = await makeUser(db, { [project.id]: "USER", [mine.id]: "USER", [read.id]: "VIEWER" });
  const { as } = await signIn(call, email);
  const copyTo = (destination_project_id: string) =>
    as(`POST /management/v1/projects/${project.id}/templates/campaigns/${template.id}/copy`, {
      ...{ destination_project_id, name: "Copy" },
    });
  for (const id of [foreign.id, "proj_nowhere"])
    assertRefused(await copyTo(id), "not_found", `Cannot find project with id ${id}`);
  assertRefused(await copyTo(read.id), "missing_required_permission", /templates\.create/);
  assert.equal((await copyTo(mine.id)).status, 200);
  const rows = await db`select project_id from campaign_templates where name = 'Copy'`;
  assert.deepEqual(
    rows.map(({ project_id }) => project_id),
    [mine.id],
  );
});

test("nothing is exported around a permission: neither begun, nor read, nor listed with its address", async () => {
  const { call, project, ok } = await testShop(db);
  const permissions = ["exports.manage", "exports.export", "products.export"];
  const role = await ok("POST /management/v1/roles", { name: `exports of ${project.id}`, permissions });
  const { email } = await makeUser(db, { [project.id]: role.id });
  const [own, viewer, admin] = [
    await signIn(call, email, project.id),
    await signIn(call, (await makeUser(db, { [project.id]: "VIEWER" })).email, project.id),
    await signIn(call, (await makeUser(db, { [project.id]: "ADMIN" })).email, project.id),
  ];
  const statuses = async (exported_object: string) =>
    Promise.all([own, viewer, admin].map(async ({ as }) => (await as("POST /v1/exports", { exported_object })).status));
  assert.deepEqual(await statuses("product"), [200, 200, 200]);
  assert.deepEqual(await statuses("customer"), [403, 200, 200]);
  assert.deepEqual(await statuses("api_log"), [403, 403, 200]);
  const { id } = await ok("POST /v1/exports", { exported_object: "customer" });
  assertRefused(await own.as(`GET /v1/exports/${id}`), "missing_required_permission", /customers\.export/);
  assert.equal((await viewer.as(`GET /v1/exports/${id}`)).status, 200);
});

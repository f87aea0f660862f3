import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { transaction } from "../../src/db/batches/commit.ts";
import { hashPassword, setPassword } from "../../src/resources/platform/users/password-store.ts";
import { removeUser } from "../../src/resources/platform/users/store.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { type Call, NOW, newSecret, type Reply, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertRefused, until } from "../support/http.ts";
import { lockWaits } from "../support/nodes.ts";
import { testShop } from "../support/shop.ts";
import { cookieOf, makeUser, NO_KEYS, PASSWORD, signIn } from "../support/sign-in.ts";

const { db } = await testDatabase();
const SESSION = "/management/v1/session";
const sessionsOf = async (userId: string) => (await db`select * from user_sessions where user_id = ${userId}`).length;

test("sessions: who signs in is told who they are and what they may do, and has a cookie", async () => {
  const { call, project } = await testShop(db);
  const other = await testProject(db, { name: "Other", currency: "PLN", timezone: "Europe/Warsaw", is_sandbox: false });
  const { id, email } = await makeUser(db, { [project.id]: "VIEWER", [other.id]: "ADMIN" });
  const reply = await call(`POST ${SESSION}`, { email: email.toUpperCase(), password: PASSWORD }, NO_KEYS);
  assert.equal(reply.status, 200, reply.text);
  const { csrf_token, projects, ...rest } = reply.body;
  assert.match(csrf_token, /^[0-9a-f]{64}$/);
  assert.deepEqual(rest, {
    object: "session",
    created_at: NOW,
    expires_at: "2026-01-02T00:00:00.000Z",
    user: {
      id,
      login: email.toLowerCase(),
      first_name: "Uma",
      last_name: "Underhill",
      is_owner: false,
      has_password: true,
      has_identity: false,
      has_totp: false,
    },
    operations: [],
  });
  assert.deepEqual(
    projects.map(({ operations: _, ...one }: any) => one),
    [
      { id: project.id, name: "Test", currency: "EUR", timezone: "UTC", is_sandbox: true, role: "VIEWER" },
      { id: other.id, name: "Other", currency: "PLN", timezone: "Europe/Warsaw", is_sandbox: false, role: "ADMIN" },
    ],
  );
  const [viewer, admin] = projects.map(({ operations }: any) => operations as string[]);
  assert.ok(viewer.includes("listCategories") && !viewer.includes("createCategory"));
  assert.ok(admin.includes("createCategory") && admin.includes("updateProject"));
  for (const operation of ["createOauthToken", "redeemClientSide", "inviteUser", "listUsers", "createSession"])
    assert.ok(!admin.includes(operation), operation);
  const cookie = String(reply.headers["set-cookie"]);
  assert.match(
    cookie,
    /^laurel_session=[0-9a-f]{64}; Path=\/; Expires=Thu, 08 Jan 2026 12:00:00 GMT; HttpOnly; SameSite=Strict$/,
  );
  const token = cookie.slice("laurel_session=".length, cookie.indexOf(";"));
  const stored = JSON.stringify(await db`select * from user_sessions where user_id = ${id}`);
  assert.ok(stored.includes(createHash("sha256").update(token).digest("hex")));
  for (const secret of [token, csrf_token]) assert.ok(!stored.includes(secret), "only a hash is stored");
  const read = await call(`GET ${SESSION}`, undefined, { ...NO_KEYS, cookie: `a=b; ${cookieOf(reply)}` });
  assert.deepEqual(read.body, reply.body);
});

test("sessions: an owner may call what names no project", async () => {
  const { call, project } = await testShop(db);
  const { email } = await makeUser(db, { [project.id]: "ADMIN" }, { is_owner: true });
  const { session, as } = await signIn(call, email);
  assert.ok(session.operations.includes("createProject") && session.operations.includes("createRole"));
  assert.ok(session.projects[0].operations.includes("listUsers"));
  const known = new Set(ALL_ROUTES.map(({ id }) => id));
  for (const operation of [...session.operations, ...session.projects[0].operations]) assert.ok(known.has(operation));
  assert.equal((await as("GET /management/v1/roles")).status, 200);
  assert.equal((await as(`GET /management/v1/projects/${project.id}/users`)).status, 200);
});

test("sessions: a wrong address, a wrong password and an invitation that waits are answered alike", async () => {
  const { call, project, ok } = await testShop(db);
  const { id, email } = await makeUser(db, { [project.id]: "USER" });
  const invited = `invited-${email}`;
  await ok("POST /management/v1/projects/users/invite", {
    ...{ email: invited, first_name: "I", last_name: "I", projects: { [project.id]: "USER" } },
  });
  for (const body of [
    { email, password: `${PASSWORD}.` },
    { email: `nobody-${email}`, password: PASSWORD },
    { email: invited, password: PASSWORD },
  ]) {
    const reply = await call(`POST ${SESSION}`, body, NO_KEYS);
    assertRefused(reply, "unauthorized", "The e-mail address or the password is wrong");
    assert.equal(reply.headers["set-cookie"], undefined);
  }
  assert.equal(await sessionsOf(id), 0);
  for (const body of [
    {},
    { email },
    { email, password: "" },
    { email: "x", password: "x" },
    { email, password: "x", a: 1 },
  ])
    assertRefused(await call(`POST ${SESSION}`, body, NO_KEYS), "invalid_payload");
  const long = { email, password: "x".repeat(5_000) };
  assertRefused(await call(`POST ${SESSION}`, long, NO_KEYS), "payload_too_large");
});

test("sessions: a user works in the projects they are in; a key that is sent decides before the cookie", async () => {
  const { call, project } = await testShop(db);
  const [mine, foreign] = [await testProject(db), await testProject(db)];
  const { email } = await makeUser(db, { [project.id]: "USER", [mine.id]: "VIEWER" });
  const { as } = await signIn(call, email, project.id);
  const made = await as("POST /v1/categories", { name: "Summer", hierarchy: 1 });
  assert.equal(made.status, 200, made.text);
  assert.equal((await call("GET /v1/categories")).body.total, 1, "the key of the project sees it");
  const there = { "x-laurel-project": mine.id };
  assert.equal((await as("GET /v1/categories", undefined, there)).body.total, 0);
  const refused = await as("POST /v1/categories", { name: "Winter", hierarchy: 1 }, there);
  assertRefused(refused, "missing_required_permission", "The user needs the permission categories.create");
  for (const id of [foreign.id, "proj_unknown"]) {
    const reply = await as("GET /v1/categories", undefined, { "x-laurel-project": id });
    assertRefused(reply, "not_found", `Cannot find project with id ${id}`);
    assertRefused(
      await as(`GET /management/v1/projects/${id}/branding`),
      "not_found",
      `Cannot find project with id ${id}`,
    );
  }
  assertRefused(
    await as("GET /v1/categories", undefined, { "x-laurel-project": "" }),
    "invalid_payload",
    "The header X-Laurel-Project must name a project",
  );
  const wrongKey = { "x-app-id": project.app.id, "x-app-token": "wrong" };
  assertRefused(await as("GET /v1/categories", undefined, wrongKey), "unauthorized", /X-App-Id/);
  assertRefused(
    await as("GET /v1/categories", undefined, { authorization: "Bearer x" }),
    "unauthorized",
    /bearer token/,
  );
  const key = { "x-app-id": mine.app.id, "x-app-token": mine.app.secret };
  assert.equal((await as("GET /v1/categories", undefined, key)).body.total, 0, "the key's project, not the header's");
});

test("sessions: v2 needs no bearer token from a user; client applications' paths and tokens are not for users", async () => {
  const { call, project } = await testShop(db, { client_trusted_domains: ["*"] });
  const { email } = await makeUser(db, { [project.id]: "ADMIN" });
  const { as } = await signIn(call, email, project.id);
  const listed = await as("GET /v2/loyalties/programs");
  assert.equal(listed.status, 200, listed.text);
  const origin = { origin: "https://shop.example" };
  assertRefused(await as("GET /client/v1/promotions/tiers", undefined, origin), "unauthorized");
  assertRefused(await as("POST /v1/oauth/token", {}), "unauthorized", /X-App-Id/);
});

test("sessions: everything but a GET needs the token against forged requests, of this very session", async () => {
  const { call, project } = await testShop(db);
  const { email } = await makeUser(db, { [project.id]: "USER" });
  const [one, two] = [await signIn(call, email, project.id), await signIn(call, email, project.id)];
  const body = { name: "Forged", hierarchy: 1 };
  for (const token of ["", "x", two.session.csrf_token]) {
    const reply = await one.as("POST /v1/categories", body, { "x-laurel-csrf": token });
    assertRefused(reply, "csrf_token_missing", /X-Laurel-CSRF/);
    assertRefused(await one.as(`DELETE ${SESSION}`, undefined, { "x-laurel-csrf": token }), "csrf_token_missing");
  }
  assert.equal((await one.as("GET /v1/categories", undefined, { "x-laurel-csrf": "" })).body.total, 0);
  assert.equal((await one.as("POST /v1/categories", body)).status, 200);
});

test("sessions: who signs out is out, in this browser and in no other", async () => {
  const { call, project } = await testShop(db);
  const { id, email } = await makeUser(db, { [project.id]: "USER" });
  const [one, two] = [await signIn(call, email, project.id), await signIn(call, email, project.id)];
  const out = await one.as(`DELETE ${SESSION}`);
  assert.equal(out.status, 204);
  assert.match(String(out.headers["set-cookie"]), /^laurel_session=; Path=\/; Expires=Thu, 01 Jan 1970 .*HttpOnly/);
  assertRefused(await one.as(`GET ${SESSION}`), "session_expired");
  assertRefused(await one.as("GET /v1/categories"), "session_expired");
  assertRefused(await one.as(`DELETE ${SESSION}`), "session_expired");
  assert.equal((await two.as(`GET ${SESSION}`)).status, 200);
  assert.equal(await sessionsOf(id), 1);
  for (const cookie of ["", "laurel_session=", "laurel_session=x", "other=1"])
    assertRefused(await one.as(`GET ${SESSION}`, undefined, { cookie }), "unauthorized", /Nobody is signed in/);
  const keys = await call(`GET ${SESSION}`);
  assertRefused(keys, "unauthorized", /Nobody is signed in/);
});

test("sessions: one ends after 12 hours without a request and after 7 days; every process knows of its use", async () => {
  let now = NOW;
  const after = (hours: number) => new Date(Date.parse(NOW) + hours * 3_600_000).toISOString();
  const project = await testProject(db);
  const { email } = await makeUser(db, { [project.id]: "USER" });
  const first = await testEngine(db, project, { now: () => now, own: true });
  const [used, idle] = [await signIn(first.call, email, project.id), await signIn(first.call, email, project.id)];
  const ask = (call: Call, { headers }: { headers: Record<string, string> }) =>
    call("GET /v1/categories", undefined, headers);
  now = after(11.9);
  assert.equal((await ask(first.call, used)).status, 200);
  // What a process noted is written every half minute, and when it ends.
  await first.app.close();
  const second = await testEngine(db, project, { now: () => now, own: true });
  now = after(12);
  assertRefused(await ask(second.call, idle), "session_expired");
  const { body } = await second.call(`GET ${SESSION}`, undefined, used.headers);
  assert.deepEqual([body.created_at, body.expires_at], [NOW, after(24)]);
  await second.app.close();
  await db`update user_sessions set last_used_at = ${after(167)} where user_id = ${body.user.id}`;
  const third = await testEngine(db, project, { now: () => now, own: true });
  now = after(167.9);
  assert.equal((await third.call(`GET ${SESSION}`, undefined, used.headers)).body.expires_at, after(168));
  now = after(168);
  assertRefused(await ask(third.call, used), "session_expired");
});

test("sessions: another password, another role and a removal end all sessions of the user at once", async () => {
  const { call, project, ok } = await testShop(db);
  const second = await testProject(db);
  const { id, email } = await makeUser(db, { [project.id]: "USER", [second.id]: "USER" });
  const bystander = await signIn(call, (await makeUser(db, { [project.id]: "USER" })).email, project.id);
  const users = `/management/v1/projects/${project.id}/users`;
  const hash = await hashPassword(PASSWORD, newSecret());
  const changes: Record<string, () => Promise<unknown>> = {
    "another role": () => ok(`PUT ${users}/${id}`, { role: "VIEWER" }),
    "another role, assigned": () => ok(`POST ${users}`, { id, role: "USER" }),
    "out of a project": () => call(`DELETE ${users}/${id}`),
    "another password": () => transaction(db, (tx) => setPassword(tx, id, hash, NOW)),
    removal: () => transaction(db, (tx) => removeUser(tx, id)),
  };
  for (const [name, change] of Object.entries(changes)) {
    const { as } = await signIn(call, email, second.id);
    assert.equal((await as("GET /v1/categories")).status, 200, name);
    await change();
    assertRefused(await as("GET /v1/categories"), "session_expired");
    assertRefused(await as(`GET ${SESSION}`), "session_expired");
    assert.equal(await sessionsOf(id), 0, name);
  }
  assert.equal((await bystander.as("GET /v1/categories")).status, 200);
});

test("sessions: a role that stays as it is and a project more end none", async () => {
  const { call, project, ok } = await testShop(db);
  const second = await testProject(db);
  const { id, email } = await makeUser(db, { [project.id]: "USER" });
  const { as } = await signIn(call, email, project.id);
  await ok(`PUT /management/v1/projects/${project.id}/users/${id}`, { role: "USER" });
  await ok(`POST /management/v1/projects/${second.id}/users`, { id, role: "USER" });
  assert.equal((await as(`GET ${SESSION}`)).body.projects.length, 2);
});

test("sessions: what a custom role may do is read with every request", async () => {
  const { call, project, ok } = await testShop(db);
  const permissions = ["categories.read"];
  const role = await ok("POST /management/v1/roles", { name: `role of ${project.id}`, permissions });
  const { email } = await makeUser(db, { [project.id]: role.id });
  const { as, session } = await signIn(call, email, project.id);
  assert.deepEqual(session.projects[0].operations, ["listCategories", "getCategory"]);
  assert.equal((await as("GET /v1/categories")).status, 200);
  await ok(`PUT /management/v1/roles/${role.id}`, { permissions: ["categories.create"] });
  assertRefused(await as("GET /v1/categories"), "missing_required_permission", /categories\.read/);
  assert.equal((await as("POST /v1/categories", { name: "New", hierarchy: 1 })).status, 200);
});

test("sessions: a password that changes while somebody signs in with the one before opens nothing", async () => {
  const { call, project } = await testShop(db);
  const { id, email } = await makeUser(db, { [project.id]: "USER" });
  const hash = await hashPassword("another password of mine", newSecret());
  let reply: Promise<Reply>;
  await transaction(db, async (tx) => {
    await setPassword(tx, id, hash, NOW);
    reply = call(`POST ${SESSION}`, { email, password: PASSWORD }, NO_KEYS);
    await until(async () => (await lockWaits(db)) > 0, "the sign-in waits for the change");
  });
  assertRefused(await reply!, "unauthorized");
  assert.equal(await sessionsOf(id), 0);
});

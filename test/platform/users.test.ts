import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import pino from "pino";
import { createLogger } from "../../src/cli/log.ts";
import { BUILT_IN_ROLES, OWNER_PERMISSIONS, permissionFault, permits } from "../../src/core/users/roles.ts";
import type { Route } from "../../src/http/route.ts";
import { createSendInvitation } from "../../src/http/users/invitations.ts";
import { permissionOf } from "../../src/http/users/permissions.ts";
import { createMailer } from "../../src/mail.ts";
import type { Invitation } from "../../src/request.ts";
import { isPassword } from "../../src/resources/platform/users/password-store.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { newId, testDatabase, testProject } from "../support/engine.ts";
import { assertRefused, logged, until } from "../support/http.ts";
import { startMailServer } from "../support/mail-server.ts";
import { testShop } from "../support/shop.ts";
import { makeUser, signIn } from "../support/sign-in.ts";

const { db } = await testDatabase();
const INVITE = "POST /management/v1/projects/users/invite";
const READ = "POST /invitations/read";
const ACCEPT = "POST /invitations/accept";
const PASSWORD = "correct horse battery staple";
const NAMES = { first_name: "Ann", last_name: "Archer" };

/** A project, its users' path, and what was sent to those who were invited. */
async function setUp(options: { now?: () => string; strangersMax?: number } = {}) {
  const sent: Invitation[] = [];
  const sendInvitation = async (invitation: Invitation) => void sent.push(invitation);
  const shop = await testShop(db, {}, { sendInvitation, trustProxy: true, ...options });
  const path = `/management/v1/projects/${shop.project.id}/users`;
  const invite = async (more: object = {}) => {
    const email = `${newId("Ann")}@Shop.example`;
    await shop.ok(INVITE, { email, ...NAMES, projects: { [shop.project.id]: "USER" }, ...more });
    return email;
  };
  return { ...shop, path, sent, invite };
}
const other = async () => (await testProject(db)).id;

test("users: who is invited is in the project with the role, once, whatever the case of the address", async () => {
  const { ok, call, path, project, sent, invite } = await setUp();
  const second = await other();
  const email = await invite({ projects: { [project.id]: "USER", [second]: "ADMIN" } });
  const { body } = await call(`GET ${path}`);
  const { id, ...rest } = body.data[0];
  assert.match(id, /^user_[0-9a-f]{24}$/);
  assert.deepEqual([body.object, body.data_ref, body.total], ["list", "data", 1]);
  assert.deepEqual(rest, {
    ...NAMES,
    email,
    login: email.toLowerCase(),
    role: "USER",
    projects: { [project.id]: "USER", [second]: "ADMIN" },
    is_owner: false,
    status: "INVITED",
  });
  for (const name of [id, email, email.toLowerCase()])
    assert.deepEqual(await ok(`GET ${path}/${name}`), { id, ...rest });
  assert.equal((await ok(`GET /management/v1/projects/${second}/users/${id}`)).role, "ADMIN");
  assert.deepEqual(
    sent.map((one) => one.email),
    [email],
  );
  const again = await call(INVITE, { email: email.toUpperCase(), ...NAMES, projects: { [project.id]: "USER" } });
  assertRefused(again, "duplicate_found", `Duplicated user exists with email ${email.toUpperCase()}`);
  assert.deepEqual([again.body.resource_type, again.body.resource_id], ["user", email.toUpperCase()]);
  assert.equal(sent.length, 1, "a refused invitation is not sent");
});

test("users: an invitation names every project and role that it means, or invites nobody", async () => {
  const { call, path, project, sent } = await setUp();
  const body = { email: "bea@shop.example", ...NAMES, projects: { [project.id]: "USER" } };
  for (const field of Object.keys(body))
    assertRefused(await call(INVITE, { ...body, [field]: undefined }), "invalid_payload", new RegExp(`'${field}'`));
  assertRefused(await call(INVITE, { ...body, email: "nobody" }), "invalid_payload", /e-mail address/);
  assertRefused(await call(INVITE, { ...body, projects: {} }), "invalid_payload", /projects/);
  assertRefused(await call(INVITE, { ...body, is_owner: true }), "invalid_payload", /is_owner/);
  const unknown = { [project.id]: "USER", proj_unknown: "USER" };
  assertRefused(
    await call(INVITE, { ...body, projects: unknown }),
    "not_found",
    "Cannot find project with id proj_unknown",
  );
  for (const role of ["OWNER", "admin", "toString", "role_unknown"])
    assertRefused(
      await call(INVITE, { ...body, projects: { [project.id]: role } }),
      "used_incorrect_role",
      `The role '${role}' is incorrect`,
    );
  assert.deepEqual([(await call(`GET ${path}`)).body.total, sent.length], [0, 0]);
});

test("users: with one idempotency key a user is invited once, and told once", async () => {
  const { call, path, project, sent } = await setUp();
  const body = { email: `${newId("carl")}@shop.example`, ...NAMES, projects: { [project.id]: "USER" } };
  const headers = { "idempotency-key": "once" };
  const [first, second] = [await call(INVITE, body, headers), await call(INVITE, body, headers)];
  assert.deepEqual([first.status, second.status], [204, 204]);
  assert.deepEqual([(await call(`GET ${path}`)).body.total, sent.length], [1, 1]);
});

test("users: an invitation is accepted once, with a password that only its hash is stored of", async () => {
  const { ok, call, path, sent, invite } = await setUp();
  const email = await invite();
  const { token, expires_at } = sent[0]!;
  assert.equal(expires_at, "2026-01-08T12:00:00.000Z");
  const stranger = { "x-management-id": "", "x-management-token": "", "x-app-id": "", "x-app-token": "" };
  for (const wrong of [{ token }, { token, password: "too short" }, { token, password: PASSWORD, role: "ADMIN" }])
    assertRefused(await call(ACCEPT, wrong, stranger), "invalid_payload");
  const unknown = await call(ACCEPT, { token: token.replace(/.$/, "x"), password: PASSWORD }, stranger);
  assertRefused(
    unknown,
    "not_found",
    "The invitation does not exist, was accepted before, or was replaced by a newer one",
  );
  assert.equal((await ok(`GET ${path}/${email}`)).status, "INVITED");

  const accepted = await ok(ACCEPT, { token, password: PASSWORD }, stranger);
  const user = await ok(`GET ${path}/${email}`);
  assert.equal(user.status, "ACTIVE");
  assert.deepEqual([accepted.id, accepted.login, accepted.object], [user.id, user.login, "invitation"]);
  assertRefused(await call(ACCEPT, { token, password: "another password" }, stranger), "not_found");
  const [row] = await db`select * from users where id = ${user.id}`;
  assert.match(row!.password_hash, /^\$argon2id\$v=19\$m=47104,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  assert.equal(await isPassword(PASSWORD, row!.password_hash), true);
  assert.equal(await isPassword("another password", row!.password_hash), false);
  assert.equal(await isPassword(PASSWORD, "no hash"), false);
});

test("users: the token of an invitation is stored as its hash, and two who accept at once are one", async () => {
  const { call, sent, invite, path, ok } = await setUp();
  const email = await invite();
  const { token } = sent[0]!;
  const everything = JSON.stringify([await db`select * from users`, await db`select * from idempotency_keys`]);
  assert.ok(!everything.includes(token));
  assert.ok(everything.includes(createHash("sha256").update(token).digest("hex")));
  const passwords = ["the first password", "the other password"];
  const replies = await Promise.all(passwords.map((password) => call(ACCEPT, { token, password })));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 404]);
  const { id } = await ok(`GET ${path}/${email}`);
  const [row] = await db`select password_hash from users where id = ${id}`;
  const won = passwords[replies.findIndex(({ status }) => status === 200)]!;
  assert.equal(await isPassword(won, row!.password_hash), true);
});

test("users: an invitation ends after seven days", async () => {
  let now = "2026-03-01T00:00:00.000Z";
  const { call, sent, invite } = await setUp({ now: () => now });
  await invite();
  await invite();
  now = "2026-03-07T23:59:59.999Z";
  assert.equal((await call(ACCEPT, { token: sent[0]!.token, password: PASSWORD })).status, 200);
  now = "2026-03-08T00:00:00.000Z";
  assertRefused(await call(ACCEPT, { token: sent[1]!.token, password: PASSWORD }), "invitation_expired", /2026-03-08/);
});

test("users: without a mail server the log holds neither link nor address, and says what makes a link that works", async () => {
  const { stream, lines, text } = logged();
  const log = pino({ level: "debug" }, stream);
  const send = createSendInvitation({ log, publicUrl: "https://laurel.example", sendMail: null });
  const tokens: string[] = [];
  const sendInvitation = async (invitation: Invitation) => {
    tokens.push(invitation.token);
    await send(invitation);
  };
  const { ok, project } = await testShop(db, {}, { sendInvitation, log });
  const email = `${newId("dora")}@shop.example`;
  await ok(INVITE, { email, ...NAMES, projects: { [project.id]: "USER" } });
  const path = `POST /management/v1/projects/${project.id}/users/${email}/invitation`;
  await ok(path);
  assert.equal(tokens.length, 2);
  const told = lines().filter(({ msg }) => /no mail server: `laurel user invite <login>`.*the dashboard/.test(msg));
  assert.equal(told.length, 2);
  const token = (await ok(`${path}/link`)).url.split("#token=")[1];
  await ok(ACCEPT, { token, password: PASSWORD });
  for (const secret of [email, PASSWORD, token, ...tokens, "#token="]) assert.ok(!text().includes(secret), secret);
});

test("users: with a mail server the link is in the mail, and in no line of the log", async (t) => {
  const server = await startMailServer();
  t.after(server.close);
  const { stream, text } = logged();
  const log = pino({ level: "debug" }, stream);
  const sendMail = createMailer(server.url, "laurel@shop.example");
  const sendInvitation = createSendInvitation({ log, publicUrl: "https://laurel.example", sendMail });
  const { ok, project } = await testShop(db, {}, { sendInvitation, log });
  const email = `${newId("dora")}@shop.example`;
  await ok(INVITE, { email, ...NAMES, projects: { [project.id]: "USER" } });
  assert.equal(server.mails.length, 1);
  // Long lines of a mail are broken with `=`.
  const mail = server.mails[0]!.replaceAll("=\r\n", "").replaceAll("=3D", "=");
  assert.match(mail, new RegExp(`^To: ${RegExp.escape(email)}`, "m"));
  assert.match(mail, /^From: laurel@shop\.example/m);
  assert.match(mail, /until 2026-01-08/);
  const token = /https:\/\/laurel\.example\/invitation#token=([0-9a-f]{64})/.exec(mail)![1]!;
  assert.ok(!text().includes(token) && !text().includes(email));
  assert.equal((await ok(ACCEPT, { token, password: PASSWORD })).email, email);
});

test("users: a name with line breaks adds no line to the mail", async (t) => {
  const server = await startMailServer();
  t.after(server.close);
  const sendMail = createMailer(server.url, "laurel@shop.example");
  const sendInvitation = createSendInvitation({ log: pino(), publicUrl: "https://laurel.example", sendMail });
  const { ok, project } = await testShop(db, {}, { sendInvitation });
  for (const [first_name, greeting] of [
    [
      "Dora\r\n\r\nPay here: https://evil.example\u2028\u202e\u001b[31mnow",
      "Hello Dora Pay here: https://evil.example [31mnow,",
    ],
    ["\r\n", "Hello,"],
  ] as const) {
    const email = `${newId("dora")}@shop.example`;
    await ok(INVITE, { email, first_name, last_name: "Doe", projects: { [project.id]: "USER" } });
    const text = server.mails.at(-1)!.replaceAll("=\r\n", "").split("\r\n\r\n")[1]!;
    assert.deepEqual(text.split("\r\n"), [greeting]);
  }
});

test("users: an invitation is read with its token, and accepted with other names", async () => {
  let now = "2026-03-01T00:00:00.000Z";
  const { call, ok, sent, invite, path } = await setUp({ now: () => now });
  const email = await invite();
  const { token } = sent[0]!;
  const stranger = { "x-management-id": "", "x-management-token": "", "x-app-id": "", "x-app-token": "" };
  const shown = { email, ...NAMES, expires_at: "2026-03-08T00:00:00.000Z", is_reset: false, object: "invitation" };
  assert.deepEqual(await ok(READ, { token }, stranger), shown);
  assert.deepEqual(await ok(READ, { token }, stranger), shown, "reading it does not use it up");
  for (const wrong of [{}, { token: "" }, { token, password: PASSWORD }])
    assertRefused(await call(READ, wrong, stranger), "invalid_payload");
  assertRefused(await call(READ, { token: "other" }, stranger), "not_found");
  for (const names of [{ first_name: "" }, { last_name: "x".repeat(201) }])
    assertRefused(await call(ACCEPT, { token, password: PASSWORD, ...names }, stranger), "invalid_payload");
  const accepted = await ok(ACCEPT, { token, password: PASSWORD, first_name: "Dorothea" }, stranger);
  assert.deepEqual([accepted.first_name, accepted.last_name], ["Dorothea", NAMES.last_name]);
  const user = await ok(`GET ${path}/${email}`);
  assert.deepEqual([user.first_name, user.last_name, user.status], ["Dorothea", NAMES.last_name, "ACTIVE"]);
  assertRefused(await call(READ, { token }, stranger), "not_found");
  await invite();
  now = "2026-03-08T00:00:00.000Z";
  assertRefused(await call(READ, { token: sent[1]!.token }, stranger), "invitation_expired", /2026-03-08/);
});

test("users: an invitation that expired or was lost is sent again, and the one before ends", async () => {
  let now = "2026-03-01T00:00:00.000Z";
  const { call, ok, sent, invite, path } = await setUp({ now: () => now });
  const email = await invite();
  now = "2026-03-09T00:00:00.000Z";
  assertRefused(await call(READ, { token: sent[0]!.token }), "invitation_expired");
  const resend = `POST ${path}/${email}/invitation`;
  assert.equal((await call(resend)).status, 204);
  assert.equal((await call(resend)).status, 204);
  assert.deepEqual(
    sent.slice(1).map(({ token: _, ...rest }) => rest),
    Array(2).fill({ email, ...NAMES, expires_at: "2026-03-16T00:00:00.000Z" }),
  );
  const [first, second, last] = sent.map(({ token }) => token) as [string, string, string];
  for (const token of [first, second])
    assertRefused(await call(ACCEPT, { token, password: PASSWORD }), "not_found", /replaced by a newer one/);
  assert.equal((await ok(READ, { token: last })).expires_at, "2026-03-16T00:00:00.000Z");
  await ok(ACCEPT, { token: last, password: PASSWORD });
  const user = await ok(`GET ${path}/${email}`);
  assert.equal(user.status, "ACTIVE");
  const refused = await call(`POST ${path}/${user.id}/invitation`);
  assertRefused(refused, "invitation_accepted", `User ${user.id} has accepted the invitation`);
  assert.equal(sent.length, 3, "who accepted is sent nothing");
});

test("users: the link of an invitation is answered, sent to nobody, works once, and ends the one before", async () => {
  const { call, ok, sent, invite, path, project } = await setUp();
  const email = await invite();
  const LINK = `POST ${path}/${email}/invitation/link`;
  const { url, ...rest } = await ok(LINK);
  assert.deepEqual(rest, { expires_at: "2026-01-08T12:00:00.000Z", object: "invitation_link" });
  const token = /\/invitation#token=([0-9a-f]{64})$/.exec(url)![1]!;
  assert.equal(sent.length, 1, "nothing but the invitation itself was sent");
  assertRefused(await call(READ, { token: sent[0]!.token }), "not_found");
  assert.deepEqual(await ok(READ, { token }), {
    ...{ email, ...NAMES, expires_at: rest.expires_at, is_reset: false, object: "invitation" },
  });
  const stored = JSON.stringify([await db`select * from idempotency_keys`, await db`select * from users`]);
  assert.ok(!stored.includes(token), "it is stored as its hash only");
  // Owners keep the team, and nobody else learns a link.
  const person = async (is_owner: boolean) =>
    (await signIn(call, (await makeUser(db, { [project.id]: "ADMIN" }, { is_owner })).email)).as;
  assertRefused(await (await person(false))(LINK), "missing_required_permission", /users\.create/);
  const byOwner = await (await person(true))(LINK);
  assert.equal(byOwner.status, 200, byOwner.text);
  await ok(ACCEPT, { token: byOwner.body.url.split("=")[1], password: PASSWORD });
  assertRefused(await call(LINK), "invitation_accepted");
  const elsewhere = await invite({ projects: { [await other()]: "USER" } });
  for (const user of [elsewhere, "nobody@shop.example"])
    assertRefused(await call(`POST ${path}/${user}/invitation/link`), "not_found", `Cannot find user with id ${user}`);
  await db`update users set is_owner = false where is_owner`;
});

test("users: with one idempotency key an invitation is sent again once; two at once leave one link", async () => {
  const { call, sent, invite, path } = await setUp();
  const resend = `POST ${path}/${await invite()}/invitation`;
  const headers = { "idempotency-key": newId("again") };
  for (const _ of [1, 2]) assert.equal((await call(resend, undefined, headers)).status, 204);
  assert.equal(sent.length, 2);
  await Promise.all([call(resend), call(resend)]);
  const replies = await Promise.all(sent.map(({ token }) => call(READ, { token })));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 404, 404, 404]);
});

test("users: a project sends the invitations of its own users", async () => {
  const { call, sent, invite, path } = await setUp();
  const elsewhere = await invite({ projects: { [await other()]: "USER" } });
  for (const user of [elsewhere, "nobody@shop.example"])
    assertRefused(await call(`POST ${path}/${user}/invitation`), "not_found", `Cannot find user with id ${user}`);
  assert.equal(sent.length, 1);
});

test("users: a stranger may try few tokens in a minute, with small bodies", async () => {
  let now = "2026-03-01T00:00:00.000Z";
  const { call, sent, invite } = await setUp({ now: () => now, strangersMax: 3 });
  await invite();
  const { token } = sent[0]!;
  const guess = (line: string, ip = "192.0.2.1") =>
    call(line, { token: "a guess", ...(line === ACCEPT && { password: PASSWORD }) }, { "x-forwarded-for": ip });
  assertRefused(await guess(READ), "not_found");
  assertRefused(await guess(ACCEPT), "not_found");
  const large = await call(READ, { token, padding: "x".repeat(4096) }, { "x-forwarded-for": "192.0.2.1" });
  assertRefused(large, "payload_too_large");
  for (const line of [READ, ACCEPT]) {
    const refused = await guess(line);
    assertRefused(refused, "too_many_requests", "Too many requests without keys from this address");
    assert.equal(refused.headers["retry-after"], "60");
  }
  assertRefused(await guess(READ, "192.0.2.2"), "not_found");
  const right = { token, password: PASSWORD };
  assertRefused(await call(ACCEPT, right, { "x-forwarded-for": "192.0.2.1" }), "too_many_requests");
  now = "2026-03-01T00:01:00.000Z";
  const body = { ...right, first_name: "ж".repeat(200), last_name: "界".repeat(200) };
  assert.equal((await call(ACCEPT, body, { "x-forwarded-for": "192.0.2.1" })).status, 200);
});

test("users: a server whose pace is not limited lets strangers try as often as they like", async () => {
  const { call } = await setUp({ strangersMax: 0 });
  for (let n = 0; n < 5; n += 1) assertRefused(await call(READ, { token: "a guess" }), "not_found");
});

test("users: that an invitation cannot be sent undoes nothing, and is logged", async () => {
  const { stream, lines } = logged();
  const sendInvitation = async () => {
    throw new Error("the mail server is away");
  };
  const { call, ok, project } = await testShop(db, {}, { sendInvitation, log: pino({ level: "error" }, stream) });
  const email = `${newId("eve")}@shop.example`;
  assert.equal((await call(INVITE, { email, ...NAMES, projects: { [project.id]: "USER" } })).status, 204);
  assert.equal((await ok(`GET /management/v1/projects/${project.id}/users/${email}`)).status, "INVITED");
  assert.deepEqual(
    lines().map(({ msg }) => msg),
    ["an invitation was not sent"],
  );
});

test("users: the log says why a mail server refused an invitation, and not whose", async (t) => {
  const server = await startMailServer({ knowsNobody: true });
  t.after(server.close);
  const { stream, text } = logged();
  const log = createLogger("debug", stream);
  const sendMail = createMailer(server.url, "laurel@shop.example");
  const sendInvitation = createSendInvitation({ log, publicUrl: "https://laurel.example", sendMail });
  const { call, project } = await testShop(db, {}, { sendInvitation, log });
  const email = `${newId("Eve")}@Shop.example`;
  assert.equal((await call(INVITE, { email, ...NAMES, projects: { [project.id]: "USER" } })).status, 204);
  await until(() => text().includes("an invitation was not sent"), "the log says so");
  assert.match(text(), /550 5\.1\.1 <…>: nobody of that name/);
  assert.ok(!text().toLowerCase().includes(email.toLowerCase()));
});

test("users: assign by id or by login, change the role, take out of the project", async () => {
  const { ok, call, path, project, invite } = await setUp();
  const second = await other();
  const email = await invite({ projects: { [second]: "ADMIN" } });
  const { id } = await ok(`GET /management/v1/projects/${second}/users/${email}`);
  assertRefused(await call(`GET ${path}/${id}`), "not_found", `Cannot find user with id ${id}`);
  assertRefused(await call(`PUT ${path}/${id}`, { role: "USER" }), "user_not_assigned");
  assertRefused(await call(`DELETE ${path}/${id}`), "user_not_assigned");
  assert.equal((await ok(`POST ${path}`, { id, role: "VIEWER" })).role, "VIEWER");
  const assigned = await ok(`POST ${path}`, { login: email.toUpperCase(), role: "MERCHANT" });
  assert.deepEqual(assigned.projects, { [second]: "ADMIN", [project.id]: "MERCHANT" });
  const updated = await ok(`PUT ${path}/${email}`, { role: "USER_RESTRICTED" });
  assert.deepEqual(await ok(`GET ${path}/${id}`), updated);
  assert.deepEqual(updated.projects, { [second]: "ADMIN", [project.id]: "USER_RESTRICTED" });
  assert.equal((await call(`DELETE ${path}/${id}`)).status, 204);
  assertRefused(await call(`GET ${path}/${id}`), "not_found");
  const last = await call(`DELETE /management/v1/projects/${second}/users/${email}`);
  assertRefused(last, "forbidden", "It is the only project of the user; assign another one first");
  assert.deepEqual((await ok(`GET /management/v1/projects/${second}/users/${id}`)).projects, { [second]: "ADMIN" });
});

test("users: an assignment names one user by id or by login, and a role that there is", async () => {
  const { call, path, ok, invite } = await setUp();
  const email = await invite();
  const { id } = await ok(`GET ${path}/${email}`);
  const either = "Payload must have either the property 'id' or the property 'login'";
  assertRefused(await call(`POST ${path}`, { id, login: email, role: "USER" }), "invalid_payload", either);
  assertRefused(await call(`POST ${path}`, { role: "USER" }), "invalid_payload", either);
  assertRefused(await call(`POST ${path}`, { id }), "invalid_payload", /'role'/);
  assertRefused(await call(`POST ${path}`, { id: "user_unknown", role: "USER" }), "not_found");
  assertRefused(
    await call(`POST ${path}`, { id, role: "CHIEF" }),
    "used_incorrect_role",
    "The role 'CHIEF' is incorrect",
  );
  assertRefused(await call(`PUT ${path}/${id}`, { role: "CHIEF" }), "used_incorrect_role");
  assertRefused(await call(`PUT ${path}/${id}`, {}), "invalid_payload", /'role'/);
  assertRefused(await call(`PUT ${path}/user_unknown`, { role: "USER" }), "not_found");
  assertRefused(await call(`DELETE ${path}/user_unknown`), "not_found");
});

test("users: pages of the list, the newest first", async () => {
  let now = 0;
  const at = () => new Date(Date.UTC(2026, 1, 1) + now).toISOString();
  const { ok, path, invite } = await setUp({ now: at });
  const emails: string[] = [];
  for (; now < 3; now += 1) emails.unshift(await invite());
  const page = async (query: string) => (await ok(`GET ${path}?${query}`)).data.map((user: any) => user.email);
  assert.deepEqual(await page("limit=2"), emails.slice(0, 2));
  assert.deepEqual(await page("limit=2&page=2"), emails.slice(2));
  assert.deepEqual(await page("order=created_at"), emails.toReversed());
});

test("users: only a management key keeps them, and an unknown project has none", async () => {
  const { call, project, path, invite } = await setUp();
  const email = await invite();
  const lines: [line: string, body?: object][] = [
    [`GET ${path}`],
    [`POST ${path}`, { login: email, role: "USER" }],
    [`GET ${path}/${email}`],
    [`PUT ${path}/${email}`, { role: "ADMIN" }],
    [`DELETE ${path}/${email}`],
    [`POST ${path}/${email}/invitation`],
    [`POST ${path}/${email}/invitation/link`],
    [INVITE, { email: "x@shop.example", ...NAMES, projects: { [project.id]: "USER" } }],
  ];
  for (const [line, body] of lines) {
    assertRefused(await call(line, body, { "x-management-token": "wrong" }), "unauthorized");
    const asApp = { "x-management-id": project.app.id, "x-management-token": project.app.secret };
    assertRefused(await call(line, body, asApp), "unauthorized", /server-side key/);
    const elsewhere = line.replace(project.id, "proj_unknown");
    if (elsewhere !== line)
      assertRefused(await call(elsewhere, body), "not_found", "Cannot find project with id proj_unknown");
  }
});

test("projects: a new one has the users that are named, and every owner", async () => {
  const { ok, call, path, invite } = await setUp();
  const [ann, bob, owner] = [await invite(), await invite(), await invite()];
  const { id: annId } = await ok(`GET ${path}/${ann}`);
  await db`update users set is_owner = true where email = ${owner}`;
  const body = { name: "New", timezone: "UTC", currency: "EUR", case_sensitive_codes: false };
  const users = [
    { id: annId, role: "VIEWER" },
    { login: bob, role: "USER" },
  ];
  const { id } = await ok("POST /management/v1/projects", { ...body, users });
  const { data } = await ok(`GET /management/v1/projects/${id}/users`);
  const roles: [string, string][] = data.map((user: any) => [user.email, user.role]);
  await db`update users set is_owner = false where email = ${owner}`;
  const expected = { [owner]: "ADMIN", [bob]: "USER", [ann]: "VIEWER" };
  assert.deepEqual(Object.fromEntries(roles), expected);
  const refused = async (one: object, key: Parameters<typeof assertRefused>[1]) =>
    assertRefused(await call("POST /management/v1/projects", { ...body, users: [one] }), key);
  await refused({ role: "USER" }, "invalid_payload");
  await refused({ login: "nobody@shop.example", role: "USER" }, "not_found");
  await refused({ login: bob, role: "CHIEF" }, "used_incorrect_role");
});

test("users: a deleted project is none of theirs", async () => {
  const { ok, call, path, project, invite } = await setUp();
  const made = await ok("POST /management/v1/projects", {
    ...{ name: "Gone", timezone: "UTC", currency: "EUR", case_sensitive_codes: false },
  });
  const email = await invite({ projects: { [project.id]: "USER", [made.id]: "USER" } });
  assert.equal((await call(`DELETE /management/v1/projects/${made.id}`)).status, 204);
  assert.deepEqual((await ok(`GET ${path}/${email}`)).projects, { [project.id]: "USER" });
  assertRefused(await call(`DELETE ${path}/${email}`), "forbidden");
});

const ROLES = "/management/v1/roles";

test("roles: the built-in ones are there and stay; a custom one is made, given, changed and deleted", async () => {
  const { ok, call, path, project, invite } = await setUp();
  const name = newId("Editors");
  const made = await ok(`POST ${ROLES}`, { name, permissions: ["vouchers.read", "campaigns.manage", "vouchers.read"] });
  assert.match(made.id, /^role_[0-9a-f]{24}$/);
  assert.deepEqual(made.permissions, ["campaigns.manage", "vouchers.read"]);
  assert.deepEqual(await ok(`GET ${ROLES}/${made.id}`), made);
  const { data } = await ok(`GET ${ROLES}`);
  assert.deepEqual(
    data.filter((role: any) => role.is_built_in).map((role: any) => role.id),
    Object.keys(BUILT_IN_ROLES),
  );
  assert.deepEqual(
    data.find((role: any) => role.id === made.id),
    made,
  );

  const email = await invite({ projects: { [project.id]: made.id } });
  assert.equal((await ok(`GET ${path}/${email}`)).role, made.id);
  const changed = await ok(`PUT ${ROLES}/${made.id}`, { permissions: ["vouchers.manage"] });
  assert.deepEqual(await ok(`GET ${ROLES}/${made.id}`), changed);
  assert.deepEqual([changed.name, changed.permissions], [name, ["vouchers.manage"]]);
  const used = await call(`DELETE ${ROLES}/${made.id}`);
  assertRefused(used, "resource_in_use", /is in use by users with ids/);
  await ok(`PUT ${path}/${email}`, { role: "USER" });
  assert.equal((await call(`DELETE ${ROLES}/${made.id}`)).status, 204);
  assertRefused(await call(`GET ${ROLES}/${made.id}`), "not_found");
  assertRefused(await call(`PUT ${path}/${email}`, { role: made.id }), "used_incorrect_role");
});

test("roles: names are unique, permissions exist, built-in roles cannot be changed", async () => {
  const { ok, call } = await setUp();
  const [first, second] = [newId("one"), newId("two")];
  await ok(`POST ${ROLES}`, { name: first, permissions: [] });
  const { id } = await ok(`POST ${ROLES}`, { name: second, permissions: [] });
  const taken = `Duplicated role exists with name ${first}`;
  assertRefused(await call(`POST ${ROLES}`, { name: first, permissions: [] }), "duplicate_found", taken);
  assertRefused(await call(`PUT ${ROLES}/${id}`, { name: first }), "duplicate_found", taken);
  for (const permission of ["vouchers", "vouchers.fly", "nothing.read"])
    assertRefused(
      await call(`POST ${ROLES}`, { name: newId("x"), permissions: ["vouchers.read", permission] }),
      "invalid_payload",
      /^Property \.permissions\[1\] must/,
    );
  assertRefused(await call(`POST ${ROLES}`, { permissions: [] }), "invalid_payload", /'name'/);
  assertRefused(await call(`PUT ${ROLES}/VIEWER`, { name: "x" }), "forbidden");
  assertRefused(await call(`DELETE ${ROLES}/VIEWER`), "forbidden");
  for (const line of [`GET ${ROLES}/role_unknown`, `DELETE ${ROLES}/role_unknown`, `PUT ${ROLES}/role_unknown`])
    assertRefused(await call(line, line.startsWith("PUT") ? { name: "x" } : undefined), "not_found");
  for (const line of [`GET ${ROLES}`, `GET ${ROLES}/VIEWER`, `DELETE ${ROLES}/${id}`])
    assertRefused(await call(line, undefined, { "x-management-token": "wrong" }), "unauthorized");
});

/** A session of their own is everybody's. */
const isForRoles = ({ access }: Route) => access !== "none" && access !== "session";

test("roles: every operation needs a permission of roles or of owners, and a viewer has those that change nothing", () => {
  const viewer = BUILT_IN_ROLES.VIEWER!.permissions;
  for (const route of ALL_ROUTES.filter(isForRoles)) {
    const permission = permissionOf(route);
    // The team is for owners: no role can be given it.
    const isGiven = permissionFault(permission) === null;
    assert.equal(isGiven, !permits(OWNER_PERMISSIONS, permission), `${route.method} ${route.path}: ${permission}`);
    // An export is stored, and changes nothing else.
    if (permits(viewer, permission) && !permission.endsWith(".export"))
      assert.notEqual(route.runs, "write", `${route.id}: ${permission}`);
  }
  const admin = BUILT_IN_ROLES.ADMIN!.permissions;
  const beyond = ALL_ROUTES.filter((route) => isForRoles(route) && !permits(admin, permissionOf(route)));
  assert.deepEqual(
    beyond.map(({ path }) => path).filter((path) => !/\/(?:roles|users)(?:\/|$)/.test(path)),
    [],
    "only the team is beyond an admin",
  );
});

test("roles: nobody gives themselves more than they have, neither by users nor by a key", async () => {
  const { ok, call, project } = await testShop(db);
  const role = await call("POST /management/v1/roles", { name: "helps", permissions: ["users.update"] });
  assertRefused(role, "invalid_payload", /permissions\[0\]/);
  const { id } = await ok("POST /management/v1/roles", { name: "keys", permissions: ["keys.create", "search.read"] });
  const { email } = await makeUser(db, { [project.id]: id });
  const { as } = await signIn(call, email);
  const keys = `POST /management/v1/projects/${project.id}/keys`;
  assertRefused(await as(keys, { kind: "app", name: "mine" }), "missing_required_permission", /ADMIN/);
  await ok("POST /v1/customers", { source_id: "seen", name: "Ada Seen" });
  const found = await as("GET /v1/search?q=seen", undefined, { "x-laurel-project": project.id });
  assert.deepEqual([found.status, found.body.results], [200, []]);
});

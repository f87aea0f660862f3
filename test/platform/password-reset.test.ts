import assert from "node:assert/strict";
import { test } from "node:test";
import pino from "pino";
import { createSendInvitation } from "../../src/http/users/invitations.ts";
import { createMailer } from "../../src/mail.ts";
import type { Invitation } from "../../src/request.ts";
import { NOW, testDatabase } from "../support/engine.ts";
import { assertRefused, logged, until } from "../support/http.ts";
import { startMailServer } from "../support/mail-server.ts";
import { testShop } from "../support/shop.ts";
import { cookieOf, makeUser, NO_KEYS, PASSWORD, signIn } from "../support/sign-in.ts";

const { db } = await testDatabase();
const SESSION = "/management/v1/session";
const LINK = `POST ${SESSION}/link`;
const RESET = "POST /management/v1/password-reset";
const ACCEPT = "POST /management/v1/password-reset/accept";
const OTHER = "another horse battery staple";

/** A server whose links are kept, and whose clock can be moved. */
async function setUp() {
  const [sent, clock]: [Invitation[], { now: string }] = [[], { now: NOW }];
  const sendInvitation = async (invitation: Invitation) => void sent.push(invitation);
  const shop = await testShop(db, {}, { sendInvitation, now: () => clock.now });
  const user = () => makeUser(db, { [shop.project.id]: "USER" });
  const statusWith = async (email: string, password: string) =>
    (await shop.call(`POST ${SESSION}`, { email, password }, NO_KEYS)).status;
  return { ...shop, sent, clock, user, statusWith };
}

test("who forgot a password chooses another one with a link, once, within an hour; all sessions end", async () => {
  const { call, sent, clock, user, statusWith } = await setUp();
  const { id, email } = await user();
  const { as } = await signIn(call, email);
  const asked = await call(RESET, { email: email.toUpperCase() }, NO_KEYS);
  assert.deepEqual([asked.status, asked.body], [202, { object: "password_reset" }]);
  const [{ token, expires_at, isReset }] = sent as [Invitation];
  assert.deepEqual([expires_at, isReset], ["2026-01-01T13:00:00.000Z", true]);
  const shown = await call("POST /invitations/read", { token }, NO_KEYS);
  assert.deepEqual([shown.body.email, shown.body.is_reset], [email, true]);
  assert.equal((await as(`GET ${SESSION}`)).status, 200, "asking ends nothing");
  assertRefused(await call(ACCEPT, { token, password: "short" }, NO_KEYS), "invalid_payload");
  assertRefused(await call(ACCEPT, { token: `${token}x`, password: OTHER }, NO_KEYS), "not_found");
  assertRefused(await call(LINK, { token }, NO_KEYS), "not_found", /link/);
  assert.equal((await call(ACCEPT, { token, password: OTHER }, NO_KEYS)).status, 204);
  assertRefused(await call(ACCEPT, { token, password: PASSWORD }, NO_KEYS), "not_found");
  assertRefused(await as(`GET ${SESSION}`), "session_expired");
  assert.deepEqual([await statusWith(email, PASSWORD), await statusWith(email, OTHER)], [401, 200]);
  const { body } = await call(`GET /management/v1/audit-log?object_id=${id}&operation=acceptPasswordReset`);
  assert.deepEqual(body.data[0].actor, { type: "user", id, name: "Uma Underhill" });
  await call(RESET, { email }, NO_KEYS);
  clock.now = "2026-01-01T13:00:00.000Z";
  assertRefused(await call(ACCEPT, { token: sent[1]!.token, password: PASSWORD }, NO_KEYS), "invitation_expired");
});

test("asking tells nobody who has an account, and fills no mailbox", async () => {
  const { call, sent, clock, user, ok, project } = await setUp();
  const { email } = await user();
  const invited = `invited-${email}`;
  const names = { first_name: "I", last_name: "I" };
  await ok("POST /management/v1/projects/users/invite", {
    email: invited,
    ...names,
    projects: { [project.id]: "USER" },
  });
  sent.length = 0;
  const replies = [];
  for (const one of [email, email, `nobody-${email}`, invited])
    replies.push(await call(RESET, { email: one }, NO_KEYS));
  assert.deepEqual(
    new Set(replies.map(({ status, text }) => `${status} ${text}`)),
    new Set(['202 {"object":"password_reset"}']),
  );
  assert.deepEqual(
    sent.map((one) => one.email),
    [email],
    "once in five minutes, and only to who has a password",
  );
  clock.now = "2026-01-01T12:05:00.000Z";
  await call(RESET, { email }, NO_KEYS);
  assert.equal(sent.length, 2);
  assertRefused(await call(ACCEPT, { token: sent[0]!.token, password: OTHER }, NO_KEYS), "not_found");
  for (const body of [{}, { email: "x" }, { email, more: 1 }])
    assertRefused(await call(RESET, body, NO_KEYS), "invalid_payload");
});

test("with a mail server the link is mailed; without one nothing is, and no log has a link", async (t) => {
  const server = await startMailServer();
  t.after(server.close);
  const { stream, text } = logged();
  const log = pino({ level: "debug" }, stream);
  const publicUrl = "https://laurel.example";
  for (const sendMail of [createMailer(server.url, "laurel@shop.example"), null]) {
    const sendInvitation = createSendInvitation({ log, publicUrl, sendMail });
    const { call, project } = await testShop(db, {}, { sendInvitation, log });
    const { email } = await makeUser(db, { [project.id]: "USER" });
    assert.equal((await call(RESET, { email }, NO_KEYS)).status, 202);
    if (sendMail) await until(() => server.mails.length === 1, "the mail is there");
  }
  await until(() => text().includes("laurel user reset"), "the log says what to do");
  assert.equal(server.mails.length, 1);
  const mail = server.mails[0]!.replaceAll("=\r\n", "").replaceAll("=3D", "=");
  assert.match(mail, /Subject: Choose a new password/);
  assert.match(mail, /https:\/\/laurel\.example\/invitation#token=[0-9a-f]{64}/);
  assert.ok(!text().includes("token="));
});

test("who was sent a link and has no password signs in with it, once, and chooses a password", async () => {
  const { call, sent, ok, project, statusWith } = await setUp();
  const email = `new-${project.id}@shop.example`;
  const names = { first_name: "Nora", last_name: "New" };
  await ok("POST /management/v1/projects/users/invite", { email, ...names, projects: { [project.id]: "USER" } });
  const { token } = sent[0]!;
  const reply = await call(LINK, { token }, NO_KEYS);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.user.has_password, false);
  assertRefused(await call(LINK, { token }, NO_KEYS), "not_found");
  assertRefused(await call(LINK, {}, NO_KEYS), "invalid_payload");
  const headers = { ...NO_KEYS, cookie: cookieOf(reply), "x-laurel-csrf": reply.body.csrf_token };
  assert.equal((await call(`PUT ${SESSION}/password`, { password: OTHER }, headers)).status, 204);
  assert.equal((await call(`GET ${SESSION}`, undefined, headers)).body.user.has_password, true);
  assert.equal(await statusWith(email, OTHER), 200);
  assertRefused(await call(`PUT ${SESSION}/password`, { password: PASSWORD }, headers), "unauthorized", /current/);
});

test("who changes the own password knows the one before, stays signed in, and is signed out everywhere else", async () => {
  const { call, user, statusWith } = await setUp();
  const { email } = await user();
  const [here, there] = [await signIn(call, email), await signIn(call, email)];
  const change = (body: object, more = {}) => here.as(`PUT ${SESSION}/password`, body, more);
  assertRefused(await change({ current: "wrong", password: OTHER }), "unauthorized", "The current password is wrong");
  assertRefused(await change({ current: PASSWORD, password: "short" }), "invalid_payload");
  assertRefused(await change({ current: PASSWORD, password: OTHER }, { "x-laurel-csrf": "" }), "csrf_token_missing");
  assertRefused(await call(`PUT ${SESSION}/password`, { current: PASSWORD, password: OTHER }), "unauthorized");
  assert.equal((await there.as(`GET ${SESSION}`)).status, 200);
  assert.equal((await change({ current: PASSWORD, password: OTHER })).status, 204);
  assert.equal((await here.as(`GET ${SESSION}`)).status, 200);
  assertRefused(await there.as(`GET ${SESSION}`), "session_expired");
  assert.deepEqual([await statusWith(email, PASSWORD), await statusWith(email, OTHER)], [401, 200]);
});

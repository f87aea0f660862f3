import assert from "node:assert/strict";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { stepAt } from "../../src/core/users/totp.ts";
import { createSingleSignOn } from "../../src/http/users/oidc.ts";
import type { Invitation } from "../../src/request.ts";
import { codeIn } from "../../src/resources/platform/users/totp-store.ts";
import { atEndOfFile } from "../support/end-of-file.ts";
import { type Call, NOW, newId, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import {
  type Account,
  browserOf,
  cookiesIn,
  signOn,
  singleSignOnWith,
  startProvider,
  visit,
} from "../support/oidc-provider.ts";
import { makeUser, PASSWORD, signIn } from "../support/sign-in.ts";

const REDIRECT = "https://laurel.example/sign-in/callback";
const SIGN_ON = "/management/v1/single-sign-on";
const { db } = await testDatabase();
const provider = await startProvider([REDIRECT]);
atEndOfFile(provider.close);

const project = await testProject(db);
const invitations: Invitation[] = [];
const clock = { now: NOW };
const { call } = await testEngine(db, project, {
  own: true,
  now: () => clock.now,
  wrongPasswordsMax: 3,
  sendInvitation: async (invitation) => void invitations.push(invitation),
  singleSignOn: singleSignOnWith(provider, REDIRECT, { domains: ["listed.example"] }),
});

/** Somebody who is signed in at the provider, with an address of their own. */
function account(given: Partial<Account> = {}): Account {
  const sub = newId("sub");
  const own = { sub, email: `${sub}@guest.example`, email_verified: true, given_name: "Nora", family_name: "North" };
  provider.state.signedInAs = { ...own, ...given };
  return provider.state.signedInAs;
}
async function invite(email: string, role = "USER"): Promise<void> {
  const body = { email, first_name: "Ina", last_name: "Invited", projects: { [project.id]: role } };
  const reply = await call("POST /management/v1/projects/users/invite", body);
  assert.equal(reply.status, 204, reply.text);
}
const userOf = async (email: string, by: Call = call) =>
  (await by(`GET /management/v1/projects/${project.id}/users/${encodeURIComponent(email)}`)).body;
const identities = (email: string) => db`
  select i.* from user_identities i join users u on u.id = i.user_id where u.login = ${email.toLowerCase()}`;

test("the sign-in page is told whether there is a provider, its name, and whether links are mailed", async () => {
  const { body } = await browserOf(call).send(`GET ${SIGN_ON}`);
  const offer = { object: "single_sign_on_offer", sends_mail: false };
  assert.deepEqual(body, { ...offer, is_enabled: true, name: "The Office" });
  const without = await testEngine(db, project, { own: true, sendsMail: true });
  const { send } = browserOf(without.call);
  assert.deepEqual((await send(`GET ${SIGN_ON}`)).body, { ...offer, is_enabled: false, name: null, sends_mail: true });
  assertRefused(await send(`POST ${SIGN_ON}/start`, {}), "not_found", "Single sign-on is not set up");
  assertRefused(await send(`POST ${SIGN_ON}/finish`, { query: "code=x" }), "not_found", "Single sign-on is not set up");
});

test("the browser is sent to the provider with a code challenge, a state and a nonce, and has a cookie of its own", async () => {
  const { send } = browserOf(call);
  const reply = await send(`POST ${SIGN_ON}/start`, { return_to: "/campaigns?status=ACTIVE" });
  assert.equal(reply.status, 200, reply.text);
  const url = new URL(reply.body.url);
  assert.equal(url.origin, provider.issuer);
  const { state, nonce, code_challenge, ...rest } = Object.fromEntries(url.searchParams);
  assert.deepEqual(rest, {
    ...{ client_id: "laurel", redirect_uri: REDIRECT, response_type: "code" },
    ...{ scope: "openid email profile", code_challenge_method: "S256" },
  });
  assert.equal(new Set([state, nonce, code_challenge]).size, 3);
  const header = String(reply.headers["set-cookie"]);
  assert.match(
    header,
    /^laurel_sign_on=[0-9a-f]{64}; Path=\/management\/v1\/single-sign-on; .*HttpOnly; SameSite=Strict$/,
  );
  const token = cookiesIn(reply).laurel_sign_on!;
  const rows = JSON.stringify(await db`select * from single_sign_ons`);
  for (const secret of [token, state!, nonce!]) assert.ok(!rows.includes(secret), "only a hash is stored");
});

test("an invited address becomes the user with the invited roles, and comes back without an invitation", async () => {
  const { email } = account({ email: `${newId("Ina")}@Guest.example` });
  await invite(email!.toLowerCase(), "MERCHANT");
  assert.equal((await userOf(email!)).status, "INVITED");
  const browser = browserOf(call);
  const reply = await signOn(browser, REDIRECT, { return_to: "/redemptions" });
  assert.equal(reply.status, 200, reply.text);
  const { status, return_to, session } = reply.body;
  assert.deepEqual([status, return_to, reply.body.email], ["SIGNED_IN", "/redemptions", email]);
  assert.deepEqual([session.user.login, session.user.first_name], [email!.toLowerCase(), "Ina"]);
  assert.deepEqual([session.user.has_password, session.user.has_identity], [false, true]);
  assert.equal(session.projects[0].role, "MERCHANT");
  assert.equal(cookiesIn(reply).laurel_sign_on, "", "the cookie of the sign-in is taken back");
  const read = await browser.send("GET /management/v1/session");
  assert.deepEqual(read.body, session);
  assert.equal((await userOf(email!)).status, "ACTIVE");
  const token = invitations.at(-1)!.token;
  assertRefused(await call("POST /invitations/read", { token }), "not_found");
  assertRefused(
    await call(`POST /management/v1/projects/${project.id}/users/${session.user.id}/invitation`),
    "invitation_accepted",
  );
  // Known by the account from now on, whatever its address is.
  account({ sub: provider.state.signedInAs!.sub, email: "other@elsewhere.example", email_verified: false });
  const again = await signOn(browserOf(call), REDIRECT);
  assert.deepEqual([again.body.status, again.body.session?.user.id], ["SIGNED_IN", session.user.id], again.text);
});

test("an address of a listed domain needs no invitation, and gets the role of the settings", async () => {
  const { email } = account({ email: `${newId("Lia")}@Listed.example` });
  const reply = await signOn(browserOf(call), REDIRECT);
  assert.equal(reply.body.status, "SIGNED_IN", reply.text);
  const { login, first_name, last_name } = reply.body.session.user;
  assert.deepEqual([login, first_name, last_name], [email!.toLowerCase(), "Nora", "North"]);
  assert.equal((await userOf(email!)).role, "VIEWER");
  const [logged] =
    await db`select actor_type, operation from audit_log where object_id = ${reply.body.session.user.id}`;
  assert.deepEqual({ ...logged }, { actor_type: "user", operation: "finishSingleSignOn" });
});

test("newcomers get only the projects of the settings; a role that is not there is told", async () => {
  const other = await testProject(db);
  const settings = { domains: ["listed.example"], projects: [other.id, "proj_gone"], role: "MERCHANT" };
  const one = await testEngine(db, project, {
    own: true,
    singleSignOn: singleSignOnWith(provider, REDIRECT, settings),
  });
  account({ email: `${newId("Pia")}@listed.example` });
  const reply = await signOn(browserOf(one.call), REDIRECT);
  assert.deepEqual(
    reply.body.session.projects.map(({ id, role }: { id: string; role: string }) => [id, role]),
    [[other.id, "MERCHANT"]],
  );
  const wrong = { ...settings, role: "role_gone" };
  const two = await testEngine(db, project, { own: true, singleSignOn: singleSignOnWith(provider, REDIRECT, wrong) });
  account({ email: `${newId("Pia")}@listed.example` });
  assertRefused(await signOn(browserOf(two.call), REDIRECT), "used_incorrect_role");
});

test("nobody comes in with an address that is not verified, not invited, or of another domain", async () => {
  const cases: [given: Partial<Account>, details: RegExp, isInvited?: true][] = [
    [{ email_verified: false }, /does not say that it has verified/, true],
    [{ email_verified: "true" as never }, /does not say that it has verified/, true],
    [{ email: "x@listed.example", email_verified: false }, /does not say that it has verified/],
    [{ email: undefined as never }, /does not tell an e-mail address/],
    [{ email: "no address" }, /does not tell an e-mail address/],
    [{}, /was not invited/],
    [{ email: `${newId("x")}@below.listed.example` }, /was not invited/],
    [{ email: `${newId("x")}@notlisted.example` }, /was not invited/],
  ];
  const before = (await db`select id from users`).length;
  let invited = 0;
  for (const [given, details, isInvited] of cases) {
    const { email } = account(given);
    if (isInvited) {
      await invite(email!);
      invited += 1;
    }
    const reply = await signOn(browserOf(call), REDIRECT);
    assertRefused(reply, "single_sign_on_refused", details);
    assert.equal(cookiesIn(reply).laurel_session, undefined);
  }
  assert.equal((await db`select id from users`).length, before + invited);
});

test("an invitation that has expired lets nobody in", async () => {
  const { email } = account();
  await invite(email!);
  await db`update users set invitation_until = ${NOW} where login = ${email!.toLowerCase()}`;
  assertRefused(await signOn(browserOf(call), REDIRECT), "single_sign_on_refused", /has expired/);
});

test("a password account is linked with its password only, once and for good", async () => {
  const { id, email } = await makeUser(db, { [project.id]: "USER" });
  account({ email });
  const browser = browserOf(call);
  const asked = await signOn(browser, REDIRECT, { return_to: "/codes" });
  assert.deepEqual(asked.body, {
    ...{ object: "single_sign_on", status: "PASSWORD_REQUIRED", email, return_to: "/codes", session: null },
  });
  assert.equal(cookiesIn(asked).laurel_session, undefined);
  assert.equal((await identities(email)).length, 0);
  assertRefused(await browser.send(`POST ${SIGN_ON}/confirm`, {}), "invalid_payload", /'password'/);
  const wrong = await browser.send(`POST ${SIGN_ON}/confirm`, { password: "not the password" });
  assertRefused(wrong, "unauthorized", "The password of the account is wrong");
  const stranger = await browserOf(call).send(`POST ${SIGN_ON}/confirm`, { password: PASSWORD });
  assertRefused(stranger, "single_sign_on_failed", /did not begin/);
  const linked = await browser.send(`POST ${SIGN_ON}/confirm`, { password: PASSWORD });
  assert.deepEqual([linked.body.status, linked.body.return_to], ["SIGNED_IN", "/codes"], linked.text);
  assert.equal(linked.body.session.user.id, id);
  assert.equal((await identities(email)).length, 1);
  assertRefused(await browser.send(`POST ${SIGN_ON}/confirm`, { password: PASSWORD }), "single_sign_on_failed");
  const again = await signOn(browserOf(call), REDIRECT);
  assert.deepEqual([again.body.status, again.body.session.user.id], ["SIGNED_IN", id]);
  assert.equal((await signIn(call, email)).session.user.has_identity, true, "the password works as before");
});

test("wrong passwords are limited; without having been at the provider none is checked", async () => {
  const { email } = await makeUser(db, { [project.id]: "USER" });
  account({ email });
  const strict = await testEngine(db, project, {
    own: true,
    wrongPasswordsMax: 2,
    singleSignOn: singleSignOnWith(provider, REDIRECT),
  });
  const browser = browserOf(strict.call);
  const started = await browser.send(`POST ${SIGN_ON}/start`, {});
  const early = await browser.send(`POST ${SIGN_ON}/confirm`, { password: PASSWORD });
  assertRefused(early, "single_sign_on_failed", "Nobody has come back from the provider yet");
  const { search } = await visit(started.body.url, REDIRECT);
  assert.equal(
    (await browser.send(`POST ${SIGN_ON}/finish`, { query: search.slice(1) })).body.status,
    "PASSWORD_REQUIRED",
  );
  const tries = [];
  for (let n = 0; n < 3; n++) tries.push((await browser.send(`POST ${SIGN_ON}/confirm`, { password: "wrong" })).status);
  assert.deepEqual(tries, [401, 401, 429]);
});

test("a second factor is asked for, however somebody signs in", async () => {
  const { email } = await makeUser(db, { [project.id]: "USER" });
  const { as } = await signIn(call, email);
  const { secret } = (await as("POST /management/v1/session/totp")).body;
  const codeAt = (minutes: number) => {
    clock.now = new Date(Date.parse(NOW) + minutes * 60_000).toISOString();
    return codeIn(secret, stepAt(clock.now));
  };
  assert.equal((await as("POST /management/v1/session/totp/confirm", { code: codeAt(0) })).status, 200);
  account({ email });
  const browser = browserOf(call);
  assert.equal((await signOn(browser, REDIRECT)).body.status, "PASSWORD_REQUIRED");
  assertRefused(await browser.send(`POST ${SIGN_ON}/confirm`, { password: PASSWORD }), "second_factor_required");
  assert.equal((await identities(email)).length, 0, "a password without its code links nothing");
  const linked = await browser.send(`POST ${SIGN_ON}/confirm`, { password: PASSWORD, code: codeAt(1) });
  assert.equal(linked.body.status, "SIGNED_IN", linked.text);
  const next = browserOf(call);
  const asked = await signOn(next, REDIRECT);
  assert.deepEqual([asked.body.status, asked.body.session], ["CODE_REQUIRED", null]);
  assert.equal(cookiesIn(asked).laurel_session, undefined);
  assertRefused(await next.send(`POST ${SIGN_ON}/confirm`, { code: "000000" }), "second_factor_required", /wrong/);
  assert.equal((await next.send(`POST ${SIGN_ON}/confirm`, { code: codeAt(2) })).body.status, "SIGNED_IN");
  clock.now = NOW;
});

test("an address that somebody else was given at the provider does not open the account of who had it", async () => {
  const { email } = account({ email: `${newId("Re")}@listed.example` });
  const { user } = (await signOn(browserOf(call), REDIRECT)).body.session;
  account({ email: email! });
  const reply = await signOn(browserOf(call), REDIRECT);
  assertRefused(reply, "single_sign_on_refused", /belongs to another account/);
  assert.equal((await identities(user.login)).length, 1);
});

test("an answer counts in the browser that asked, once, and for ten minutes", async () => {
  const { email } = account();
  await invite(email!);
  const [mine, theirs] = [browserOf(call), browserOf(call)];
  const started = await mine.send(`POST ${SIGN_ON}/start`, {});
  await theirs.send(`POST ${SIGN_ON}/start`, {});
  const { search } = await visit(started.body.url, REDIRECT);
  const query = search.slice(1);
  const finish = (browser: ReturnType<typeof browserOf>, sent = query) =>
    browser.send(`POST ${SIGN_ON}/finish`, { query: sent });
  assertRefused(await finish(browserOf(call)), "single_sign_on_failed", /did not begin/);
  assertRefused(await finish(theirs), "single_sign_on_failed", /does not sign anybody in/);
  const changed = (name: string, value: string) => {
    const fields = new URLSearchParams(query);
    fields.set(name, value);
    return fields.toString();
  };
  assertRefused(await finish(mine, changed("state", "0".repeat(64))), "single_sign_on_failed");
  assertRefused(await finish(mine, `${query}&state=0`), "single_sign_on_failed");
  // A mix-up: the answer of another provider.
  assertRefused(await finish(mine, changed("iss", "https://elsewhere.example")), "single_sign_on_failed");
  for (const odd of ["x", "%", "code=", "code=%00&state=%00", "=".repeat(5000), `response=eyJ&${query}`])
    assertRefused(await finish(mine, odd), "single_sign_on_failed");
  clock.now = "2026-01-01T12:10:00.000Z";
  assertRefused(await finish(mine), "single_sign_on_failed", /more than ten minutes ago/);
  clock.now = NOW;
  const ended = await finish(mine);
  assert.equal(ended.body.status, "SIGNED_IN", ended.text);
  assertRefused(await finish(mine), "single_sign_on_failed", /did not begin/);
});

test("a code that was used is refused by the provider", async () => {
  const { email } = account();
  await invite(email!);
  const browser = browserOf(call);
  const started = await browser.send(`POST ${SIGN_ON}/start`, {});
  const { search } = await visit(started.body.url, REDIRECT);
  const token = browser.cookies.laurel_sign_on!;
  await browser.send(`POST ${SIGN_ON}/finish`, { query: search.slice(1) });
  // Even with the row of the sign-in back again.
  const { createHash } = await import("node:crypto");
  const token_hash = createHash("sha256").update(token).digest("hex");
  await db`insert into single_sign_ons ${db({ token_hash, return_to: "/", ends_at: "2026-01-02T00:00:00Z" })}`;
  browser.cookies.laurel_sign_on = token;
  const again = await browser.send(`POST ${SIGN_ON}/finish`, { query: search.slice(1) });
  assertRefused(again, "single_sign_on_failed", /invalid_grant/);
});

test("whoever presses cancel at the provider is told so", async () => {
  provider.state.signedInAs = null;
  assertRefused(await signOn(browserOf(call), REDIRECT), "single_sign_on_failed", /access_denied/);
});

test("the page to return to is one of this server, and nothing else", async () => {
  const { send } = browserOf(call);
  for (const return_to of [
    "https://elsewhere.example/",
    "//elsewhere.example",
    "/\\elsewhere.example",
    "x",
    "",
    "/a\nb",
  ])
    assertRefused(await send(`POST ${SIGN_ON}/start`, { return_to }), "invalid_payload");
  for (const return_to of ["/", "/campaigns/camp_1?tab=codes#top"])
    assert.equal((await send(`POST ${SIGN_ON}/start`, { return_to })).status, 200);
  assertRefused(await send(`POST ${SIGN_ON}/finish`, {}), "invalid_payload");
  assertRefused(await send(`POST ${SIGN_ON}/finish`, { query: "x".repeat(20_000) }), "payload_too_large");
});

test("a provider that does not answer, or answers nonsense, is a 503 within seconds, and is asked again", async () => {
  const silent = await startProvider([REDIRECT]);
  atEndOfFile(silent.close);
  const { call: own } = await testEngine(db, project, { own: true, singleSignOn: singleSignOnWith(silent, REDIRECT) });
  silent.state.answers = false;
  const reply = await browserOf(own).send(`POST ${SIGN_ON}/start`, {});
  assertRefused(reply, "single_sign_on_unavailable");
  assert.equal(reply.headers["retry-after"], "1");
  silent.state.answers = true;
  silent.state.signedInAs = account();
  await invite(silent.state.signedInAs.email!);
  const browser = browserOf(own);
  const started = await browser.send(`POST ${SIGN_ON}/start`, {});
  assert.equal(started.status, 200, "a failure is not kept");
  const { search } = await visit(started.body.url, REDIRECT);
  silent.state.answers = false;
  assertRefused(await browser.send(`POST ${SIGN_ON}/finish`, { query: search.slice(1) }), "single_sign_on_unavailable");

  const nonsense = http.createServer((_, response) => void response.end("<html>"));
  await new Promise<void>((resolve) => nonsense.listen(0, "127.0.0.1", resolve));
  atEndOfFile(() => void nonsense.close());
  const issuer = `http://127.0.0.1:${(nonsense.address() as AddressInfo).port}`;
  const nowhere = "http://127.0.0.1:9";
  for (const settings of [
    { issuer },
    { issuer: nowhere },
    // It says of itself that it is another one.
    { issuer: provider.issuer.replace("127.0.0.1", "localhost") },
  ]) {
    const singleSignOn = createSingleSignOn({ ...provider.settings(REDIRECT), ...settings });
    const { call: other } = await testEngine(db, project, { own: true, singleSignOn });
    assertRefused(await browserOf(other).send(`POST ${SIGN_ON}/start`, {}), "single_sign_on_unavailable");
  }
});

test("a provider that refuses this server is a 503 that says so", async () => {
  const singleSignOn = createSingleSignOn({ ...provider.settings(REDIRECT), clientSecret: "another one" });
  const { call: own } = await testEngine(db, project, { own: true, singleSignOn });
  account();
  assertRefused(await signOn(browserOf(own), REDIRECT), "single_sign_on_unavailable", /refuses this server/);
});

test("a user who is deleted takes the link along", async () => {
  const { email } = account({ email: `${newId("Del")}@listed.example` });
  const { user } = (await signOn(browserOf(call), REDIRECT)).body.session;
  assert.equal((await identities(email!)).length, 1);
  await db`delete from users where id = ${user.id}`;
  assert.equal((await db`select 1 from user_identities where user_id = ${user.id}`).length, 0);
});

const UNLINK = "DELETE /management/v1/session/identity";

test("a link is ended with the password, and so are sessions elsewhere; the account is asked for it again", async () => {
  const { id, email } = await makeUser(db, { [project.id]: "USER" });
  account({ email });
  const browser = browserOf(call);
  await signOn(browser, REDIRECT);
  const { session } = (await browser.send(`POST ${SIGN_ON}/confirm`, { password: PASSWORD })).body;
  const own = { "x-laurel-csrf": session.csrf_token };
  const elsewhere = await signIn(call, email);
  assertRefused(await browser.send(UNLINK, {}, own), "invalid_payload", /password/);
  assertRefused(
    await browser.send(UNLINK, { password: "not the password" }, own),
    "unauthorized",
    "The password is wrong",
  );
  assert.equal((await identities(email)).length, 1);
  assert.equal((await browser.send(UNLINK, { password: PASSWORD }, own)).status, 204);
  assert.equal((await identities(email)).length, 0);
  assert.equal((await browser.send("GET /management/v1/session")).body.user.has_identity, false);
  assert.equal((await elsewhere.as("GET /management/v1/session")).status, 401);
  assertRefused(await browser.send(UNLINK, { password: PASSWORD }, own), "not_found", /No account of a provider/);
  const { body } = await call(`GET /management/v1/audit-log?object_id=${id}&operation=unlinkSingleSignOn`);
  assert.equal(body.data.length, 1);
  assert.equal((await signOn(browserOf(call), REDIRECT)).body.status, "PASSWORD_REQUIRED");
});

test("who has no password keeps the link, and nobody ends one without a session", async () => {
  const { email } = account({ email: `${newId("Uli")}@listed.example` });
  const browser = browserOf(call);
  const { session } = (await signOn(browser, REDIRECT)).body;
  const reply = await browser.send(UNLINK, { password: PASSWORD }, { "x-laurel-csrf": session.csrf_token });
  assertRefused(reply, "forbidden", /Choose a password first/);
  assert.equal((await identities(email!)).length, 1);
  assert.equal((await browserOf(call).send(UNLINK, { password: PASSWORD })).status, 401);
  assert.equal((await browser.send(UNLINK, { password: PASSWORD })).status, 403, "a page of somebody else cannot");
});

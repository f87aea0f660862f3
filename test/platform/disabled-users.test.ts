import assert from "node:assert/strict";
import { test } from "node:test";
import type { Invitation } from "../../src/request.ts";
import { atEndOfFile } from "../support/end-of-file.ts";
import { newId, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { browserOf, signOn, singleSignOnWith, startProvider } from "../support/oidc-provider.ts";
import { makeUser, NO_KEYS, PASSWORD, signIn } from "../support/sign-in.ts";

const REDIRECT = "https://laurel.example/sign-in/callback";
const { db } = await testDatabase();
const provider = await startProvider([REDIRECT]);
atEndOfFile(provider.close);
const project = await testProject(db);
const invitations: Invitation[] = [];
const { call } = await testEngine(db, project, {
  own: true,
  sendInvitation: async (invitation) => void invitations.push(invitation),
  singleSignOn: singleSignOnWith(provider, REDIRECT, { domains: ["listed.example"] }),
});
const USERS = `/management/v1/projects/${project.id}/users`;

test("a user who is switched off is signed out at once, and comes in no way until they are switched on", async () => {
  const { id, email } = await makeUser(db, { [project.id]: "USER" });
  const { as } = await signIn(call, email);
  const off = await call(`POST ${USERS}/${id}/disable`);
  assert.deepEqual([off.status, off.body.status, off.body.role], [200, "DISABLED", "USER"], off.text);
  assertRefused(await as("GET /management/v1/session"), "session_expired");
  const body = { email, password: PASSWORD };
  assertRefused(await call("POST /management/v1/session", body, NO_KEYS), "forbidden", "The account was switched off");
  const wrong = { email, password: "another password" };
  assertRefused(await call("POST /management/v1/session", wrong, NO_KEYS), "unauthorized");
  provider.state.signedInAs = { sub: id, email, email_verified: true };
  assertRefused(await signOn(browserOf(call), REDIRECT), "single_sign_on_refused", /switched off/);
  const before = invitations.length;
  assert.equal((await call("POST /management/v1/password-reset", { email }, NO_KEYS)).status, 202);
  assert.equal(invitations.length, before, "no link is sent");
  assert.equal((await call(`GET ${USERS}/${id}`)).body.status, "DISABLED");
  const on = await call(`POST ${USERS}/${encodeURIComponent(email)}/enable`);
  assert.equal(on.body.status, "ACTIVE");
  await signIn(call, email);
  const log = await db`select operation from audit_log where object_id = ${id} order by number`;
  assert.deepEqual(log.map(({ operation }) => operation).slice(-2), ["disableUser", "enableUser"]);
});

test("an invitation of somebody who is switched off waits", async () => {
  const email = `${newId("inv")}@guest.example`;
  const invited = { email, first_name: "I", last_name: "I", projects: { [project.id]: "USER" } };
  await call("POST /management/v1/projects/users/invite", invited);
  const { token } = invitations.at(-1)!;
  await call(`POST ${USERS}/${email}/disable`);
  assertRefused(await call("POST /invitations/read", { token }), "not_found");
  assertRefused(await call("POST /invitations/accept", { token, password: PASSWORD }), "not_found");
  assertRefused(await call("POST /management/v1/session/link", { token }, NO_KEYS), "not_found");
  assert.equal((await call(`POST ${USERS}/${email}/enable`)).body.status, "INVITED");
  assert.equal((await call("POST /management/v1/session/link", { token }, NO_KEYS)).status, 200);
});

test("an account of the provider that is linked opens nothing while its user is switched off", async () => {
  const email = `${newId("sso")}@listed.example`;
  provider.state.signedInAs = { sub: email, email, email_verified: true };
  const { user } = (await signOn(browserOf(call), REDIRECT)).body.session;
  await call(`POST ${USERS}/${user.id}/disable`);
  assertRefused(await signOn(browserOf(call), REDIRECT), "single_sign_on_refused", /switched off/);
});

test("nobody switches off themselves or the last owner, nor somebody of another project; only owners may", async () => {
  const [one, two] = [
    await makeUser(db, { [project.id]: "ADMIN" }, { is_owner: true }),
    await makeUser(db, { [project.id]: "ADMIN" }, { is_owner: true }),
  ];
  const { as } = await signIn(call, one.email);
  assertRefused(await as(`POST ${USERS}/${one.id}/disable`), "forbidden", "Nobody switches off themselves");
  assert.equal((await as(`POST ${USERS}/${two.id}/disable`)).status, 200);
  assertRefused(await call(`POST ${USERS}/${one.id}/disable`), "forbidden", /the last owner/);
  const admin = await makeUser(db, { [project.id]: "ADMIN" });
  const elsewhere = await makeUser(db, { [(await testProject(db)).id]: "USER" });
  const { as: byAdmin } = await signIn(call, admin.email);
  for (const act of ["disable", "enable"]) {
    assertRefused(await byAdmin(`POST ${USERS}/${one.id}/${act}`), "missing_required_permission");
    assertRefused(await call(`POST ${USERS}/${one.id}/${act}`, undefined, NO_KEYS), "unauthorized");
    for (const id of [elsewhere.id, "user_nobody"])
      assertRefused(await call(`POST ${USERS}/${id}/${act}`), "not_found");
  }
});

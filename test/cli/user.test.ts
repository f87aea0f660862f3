import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { stepAt } from "../../src/core/users/totp.ts";
import { isPassword } from "../../src/resources/platform/users/password-store.ts";
import { codeIn } from "../../src/resources/platform/users/totp-store.ts";
import { laurel, tempDir } from "../support/child.ts";
import { NOW, testDatabase } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { testShop } from "../support/shop.ts";
import { makeUser, NO_KEYS, PASSWORD, signIn } from "../support/sign-in.ts";

const { db, url } = await testDatabase();
const env = { DATABASE_URL: url, LAUREL_PUBLIC_URL: "https://laurel.example" };
const dir = tempDir();

/** Runs a command, with a text on its standard input. */
async function run(line: string, input = "") {
  const file = join(dir, "input");
  fs.writeFileSync(file, input);
  const stdin = fs.openSync(file, "r");
  return laurel(line.split(" "), env, { stdio: [stdin, "pipe", "pipe"] }).finally(() => fs.closeSync(stdin));
}
async function ok(line: string, input?: string): Promise<string> {
  const { code, stdout, stderr } = await run(line, input);
  assert.equal(code, 0, stderr);
  return stdout;
}
const hashOf = async (login: string) =>
  (await db`select password_hash from users where login = ${login}`)[0]!.password_hash;

test("the first owner is made on the command line, is in every project, and accepts the link", async () => {
  const { ok: call, project } = await testShop(db);
  const printed = await ok("user create --email Owner@Shop.example --owner");
  const [, id] = /^user {3}(user_[0-9a-f]{24})$/m.exec(printed)!;
  assert.match(printed, /^login {2}owner@shop\.example$/m);
  const [, token] = /^link {3}https:\/\/laurel\.example\/invitation#token=([0-9a-f]{64})$/m.exec(printed)!;
  const read = () => call(`GET /management/v1/projects/${project.id}/users/owner@shop.example`);
  const user = await read();
  assert.deepEqual([user.id, user.is_owner, user.role, user.status], [id, true, "ADMIN", "INVITED"]);
  const later = await call("POST /management/v1/projects", {
    ...{ name: "Later", timezone: "UTC", currency: "EUR", case_sensitive_codes: false },
  });
  assert.equal((await read()).projects[later.id], "ADMIN");
  await call("POST /invitations/accept", { token, password: "a password of mine" });
  assert.equal((await read()).status, "ACTIVE");
  assert.equal(await isPassword("a password of mine", await hashOf("owner@shop.example")), true);
  const log = await call(`GET /management/v1/audit-log?object_id=${id}`);
  assert.deepEqual(
    // The server of the test has a clock of its own, so ids do not say which came first.
    log.data
      .toSorted((a: any, b: any) => b.version_after - a.version_after)
      .map((entry: any) => [entry.action, entry.operation, entry.actor.type]),
    [
      ["UPDATED", "acceptInvitation", "user"],
      ["UPDATED", "createProject", "management_key"],
      ["CREATED", "user create", "cli"],
    ],
  );
  const again = await run("user create --email owner@shop.example --owner");
  assert.deepEqual([again.code, again.stderr], [2, "Duplicated user exists with email owner@shop.example\n"]);
});

test("a password is read from standard input, ends an invitation, and is never printed", async () => {
  const { ok: call, call: send, project } = await testShop(db);
  const printed = await ok(
    `user create --email ann@shop.example --project ${project.id} --role VIEWER --last-name Archer`,
  );
  const token = /token=(\w+)/.exec(printed)![1];
  const { code, stdout, stderr } = await run("user password ann@shop.example", "correct horse battery\nmore");
  assert.deepEqual([code, stdout], [0, "The password of ann@shop.example is set.\n"]);
  assert.ok(!stderr.includes("horse"));
  assert.equal(await isPassword("correct horse battery", await hashOf("ann@shop.example")), true);
  const user = await call(`GET /management/v1/projects/${project.id}/users/ann@shop.example`);
  assert.deepEqual([user.first_name, user.last_name, user.role, user.status], ["ann", "Archer", "VIEWER", "ACTIVE"]);
  assert.equal((await send("POST /invitations/accept", { token, password: "another password" })).status, 404);
  assert.match(await ok("user list"), new RegExp(`ann@shop\\.example +no +active +${project.id}:VIEWER`));
  assert.equal(await ok("user delete ann@shop.example"), "ann@shop.example is deleted.\n");
  assert.equal((await send(`GET /management/v1/projects/${project.id}/users/ann@shop.example`)).status, 404);
});

test("a lost link is printed anew, and the one before ends", async () => {
  const { ok: call, call: send, project } = await testShop(db);
  const tokenOf = (printed: string) => /^link {3}https:\/\/laurel\.example\/invitation#token=(\w+)$/m.exec(printed)![1];
  const first = tokenOf(await ok(`user create --email bea@shop.example --project ${project.id}`));
  const printed = await ok("user invite Bea@shop.example");
  assert.match(printed, /^login {2}bea@shop\.example$/m);
  const password = "a password of hers";
  assert.equal((await send("POST /invitations/accept", { token: first, password })).status, 404);
  const { id } = await call("POST /invitations/accept", { token: tokenOf(printed), password });
  const { data } = await call(`GET /management/v1/audit-log?object_id=${id}&operation=user%20invite`);
  assert.deepEqual([data.length, data[0].actor.type], [1, "cli"]);
  const again = await run("user invite bea@shop.example");
  assert.deepEqual([again.code, again.stderr], [2, "User bea@shop.example has accepted the invitation\n"]);
});

test("an owner is invited by address alone, and a forgotten password is chosen anew with a link", async () => {
  const { ok: call, call: send, project } = await testShop(db);
  const tokenOf = (printed: string) => /^link {3}https:\/\/laurel\.example\/invitation#token=(\w+)$/m.exec(printed)![1];
  const first = tokenOf(await ok("user invite --owner Olga@shop.example"));
  const again = tokenOf(await ok("user invite --owner olga@shop.example"));
  assert.notEqual(first, again);
  const path = `/management/v1/projects/${project.id}/users/olga@shop.example`;
  const { is_owner, role } = await call(`GET ${path}`);
  assert.deepEqual([is_owner, role], [true, "ADMIN"]);
  await call("POST /invitations/accept", { token: again, password: "a password of hers" });
  const token = tokenOf(await ok("user reset olga@shop.example"));
  const signIn = (password: string) => send("POST /management/v1/session", { email: "olga@shop.example", password });
  assert.equal((await signIn("a password of hers")).status, 200, "until the link is used");
  const accept = () => send("POST /management/v1/password-reset/accept", { token, password: "another one of hers" });
  assert.deepEqual([(await accept()).status, (await accept()).status], [204, 404]);
  assert.deepEqual(
    [(await signIn("a password of hers")).status, (await signIn("another one of hers")).status],
    [401, 200],
  );
});

test("wrong use of the user commands exits 2, says what is wrong, and makes nobody", async () => {
  const before = await db`select id from users order by id`;
  const cases: [line: string, input: string, says: RegExp][] = [
    ["user create --owner", "", /required option '--email <address>' not specified/],
    ["user create --email nobody --owner", "", /^--email must be an e-mail address such as ann@shop\.example\.$/m],
    ["user create --email a@b.example", "", /^Say --owner, or a --project that the user is for\.$/m],
    ["user create --email a@b.example --project proj_none", "", /^Cannot find project with id proj_none$/m],
    ["user password a@b.example", "too short", /^A password must have 12 to 200 characters\.$/m],
    ["user password a@b.example", "", /^A password must have 12 to 200 characters\.$/m],
    ["user password nobody@b.example", "long enough for a password", /^Cannot find user with id nobody@b\.example$/m],
    ["user invite --owner nobody", "", /must be an e-mail address/],
    ["user reset nobody@b.example", "", /^Cannot find user with id nobody@b\.example$/m],
    ["user invite nobody@b.example", "", /^Cannot find user with id nobody@b\.example$/m],
    ["user delete nobody@b.example", "", /^Cannot find user with id nobody@b\.example$/m],
  ];
  for (const [line, input, says] of cases) {
    const { code, stderr } = await run(line, input);
    assert.equal(code, 2, `${line}: ${stderr}`);
    assert.match(stderr, says);
  }
  assert.deepEqual(await db`select id from users order by id`, before);
});

test("user reset says that a second factor stays, and user remove-totp removes it", async () => {
  const { call, project } = await testShop(db);
  const { id, email } = await makeUser(db, { [project.id]: "USER" });
  assert.ok(!(await ok(`user reset ${email}`)).includes("remove-totp"));
  const none = await run(`user remove-totp ${email}`);
  assert.deepEqual([none.code, none.stderr], [2, `${email.toLowerCase()} has no second factor.\n`]);
  const { as } = await signIn(call, email);
  const { secret } = (await as("POST /management/v1/session/totp")).body;
  await as("POST /management/v1/session/totp/confirm", { code: codeIn(secret, stepAt(NOW)) });
  const login = () => call("POST /management/v1/session", { email, password: PASSWORD }, NO_KEYS);
  assertRefused(await login(), "second_factor_required");
  assert.match(await ok(`user reset ${email}`), new RegExp(`laurel user remove-totp ${email.toLowerCase()}\\n$`));
  assert.equal(await ok(`user remove-totp ${id}`), `${email.toLowerCase()} signs in with the password alone.\n`);
  assert.equal((await login()).body.user.has_totp, false);
  const { body } = await call(`GET /management/v1/audit-log?object_id=${id}&operation=user%20remove-totp`);
  assert.equal(body.data[0].actor.type, "cli");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { stepAt } from "../../src/core/users/totp.ts";
import { codeIn } from "../../src/resources/platform/users/totp-store.ts";
import { NOW, testDatabase } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { testShop } from "../support/shop.ts";
import { makeUser, NO_KEYS, PASSWORD, signIn } from "../support/sign-in.ts";

const { db } = await testDatabase();
const SESSION = "/management/v1/session";
const TOTP = `${SESSION}/totp`;
const LINK = `POST ${SESSION}/link`;

/** A server whose clock can be moved. */
async function setUp(options: { wrongPasswordsMax?: number; trustProxy?: boolean } = {}) {
  const clock = { now: NOW };
  const shop = await testShop(db, {}, { now: () => clock.now, ...options });
  const later = (seconds: number) => {
    clock.now = new Date(Date.parse(clock.now) + seconds * 1000).toISOString();
  };
  const login = (email: string, code?: string, password = PASSWORD) =>
    shop.call(`POST ${SESSION}`, { email, password, ...(code !== undefined && { code }) }, NO_KEYS);
  /** What the app shows now, or so many steps away. */
  const shown = (secret: string, away = 0) => codeIn(secret, stepAt(clock.now) + away);
  const makeMember = () => makeUser(db, { [shop.project.id]: "USER" });
  /** A user with a second factor, as they are signed in. */
  const withTotp = async () => {
    const user = await makeMember();
    const signedIn = await signIn(shop.call, user.email, shop.project.id);
    const { secret } = (await signedIn.as(`POST ${TOTP}`)).body as { secret: string };
    const confirmed = await signedIn.as(`POST ${TOTP}/confirm`, { code: shown(secret) });
    assert.equal(confirmed.status, 200, confirmed.text);
    later(60);
    return { ...user, ...signedIn, secret, recovery: confirmed.body.codes as string[] };
  };
  return { ...shop, clock, later, login, shown, makeMember, withTotp };
}

/** A code that the app shows in none of the steps around now. */
const wrongCode = (shown: (away: number) => string) =>
  ["000000", "111111", "222222", "333333"].find((code) => ![-1, 0, 1].some((away) => shown(away) === code))!;

test("second factor: it is set up, asks for nothing until a code confirms it, and ends the other sessions then", async () => {
  const { call, login, shown, makeMember } = await setUp();
  const { id, email } = await makeMember();
  const [mine, other] = [await signIn(call, email), await signIn(call, email)];
  assertRefused(await mine.as(`POST ${TOTP}/confirm`, { code: "123456" }), "not_found");
  const first = await mine.as(`POST ${TOTP}`);
  assert.equal(first.status, 200, first.text);
  const made = (await mine.as(`POST ${TOTP}`)).body;
  assert.match(made.secret, /^[A-Z2-7]{32}$/);
  assert.notEqual(made.secret, first.body.secret, "the last one that was shown counts");
  assert.equal(
    made.uri,
    `otpauth://totp/Laurel:${encodeURIComponent(email.toLowerCase())}?secret=${made.secret}&issuer=Laurel&algorithm=SHA1&digits=6&period=30`,
  );
  assert.match(made.picture, /^<svg /);
  assert.equal((await login(email)).status, 200, "nothing is asked for yet");
  const wrong = wrongCode((away) => shown(made.secret, away));
  for (const code of [wrong, "12345", "not a code"])
    assertRefused(await mine.as(`POST ${TOTP}/confirm`, { code }), "invalid_payload", /code is wrong/);
  for (const body of [{}, { code: "" }, { code: 1 }, { code: "123456", a: 1 }])
    assertRefused(await mine.as(`POST ${TOTP}/confirm`, body), "invalid_payload");
  const code = shown(made.secret);
  const confirmed = await mine.as(`POST ${TOTP}/confirm`, { code: `${code.slice(0, 3)} ${code.slice(3)}` });
  assert.equal(confirmed.status, 200, confirmed.text);
  const { codes } = confirmed.body;
  assert.equal(new Set(codes).size, 10);
  assert.equal((await mine.as(`GET ${SESSION}`)).body.user.has_totp, true);
  assertRefused(await other.as(`GET ${SESSION}`), "session_expired");
  assertRefused(await mine.as(`POST ${TOTP}/confirm`, { code }), "not_found");
  assertRefused(await mine.as(`POST ${TOTP}`), "duplicate_found");
  const stored = JSON.stringify([
    await db`select * from user_totp where user_id = ${id}`,
    await db`select * from user_recovery_codes where user_id = ${id}`,
  ]);
  for (const secret of [made.secret, ...codes]) assert.ok(!stored.includes(secret));
  const { body } = await call(`GET /management/v1/audit-log?object_id=${id}&operation=confirmTotp`);
  assert.deepEqual(body.data[0].actor, { type: "user", id, name: "Uma Underhill" });
});

test("second factor: signing in takes the password and a code, which works once and a step early or late", async () => {
  const { login, shown, later, withTotp } = await setUp();
  const { email, secret } = await withTotp();
  assertRefused(await login(email), "second_factor_required", /authenticator app/);
  for (const code of [wrongCode((away) => shown(secret, away)), shown(secret, -2), shown(secret, 2)])
    assertRefused(await login(email, code), "second_factor_required", /wrong/);
  assertRefused(await login(email, shown(secret), `${PASSWORD}.`), "unauthorized", /address or the password/);
  const early = await login(email, shown(secret, -1));
  assert.deepEqual([early.status, early.body.user.has_totp], [200, true]);
  assertRefused(await login(email, shown(secret, -1)), "second_factor_required", /used before/);
  assert.equal((await login(email, shown(secret, 1))).status, 200);
  for (const away of [-1, 0, 1])
    assertRefused(await login(email, shown(secret, away)), "second_factor_required", /used before/);
  later(60);
  const at = shown(secret);
  const both = await Promise.all([login(email, at), login(email, at)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401], "of two at once one is let in");
});

test("second factor: each recovery code works once, however it is typed", async () => {
  const { login, withTotp } = await setUp();
  const [{ email, recovery }, other] = [await withTotp(), await withTotp()];
  assertRefused(await login(email, other.recovery[0]), "second_factor_required");
  const typed = [
    recovery[0]!.toUpperCase(),
    recovery[1]!.replaceAll("-", ""),
    ` ${recovery[2]} `,
    ...recovery.slice(3),
  ];
  for (const code of typed) {
    assert.equal((await login(email, code)).status, 200, code);
    assertRefused(await login(email, code), "second_factor_required");
  }
});

test("second factor: a wrong code counts as a wrong password; one that is missing does not", async () => {
  const { login, shown, withTotp } = await setUp({ wrongPasswordsMax: 3 });
  const { email, secret } = await withTotp();
  for (let n = 0; n < 5; n += 1) assertRefused(await login(email), "second_factor_required");
  const wrong = wrongCode((away) => shown(secret, away));
  for (let n = 0; n < 3; n += 1) assertRefused(await login(email, wrong), "second_factor_required");
  assertRefused(await login(email, shown(secret)), "too_many_requests", /wrong passwords/);
});

test("second factor: who knows the password tries few codes, from however many addresses; others are not kept out", async () => {
  const { call, shown, withTotp, later } = await setUp({ wrongPasswordsMax: 2, trustProxy: true });
  const [ann, ben] = [await withTotp(), await withTotp()];
  let place = 0;
  const from = (email: string, code: string, password = PASSWORD) => {
    place += 1;
    const headers = { ...NO_KEYS, "x-forwarded-for": `203.0.113.${place}` };
    return call(`POST ${SESSION}`, { email, password, code }, headers);
  };
  const wrong = wrongCode((away) => shown(ann.secret, away));
  for (let n = 0; n < 12; n += 1) assertRefused(await from(ann.email, wrong, "not it"), "unauthorized");
  for (let n = 0; n < 10; n += 1) assertRefused(await from(ann.email, wrong), "second_factor_required");
  assertRefused(await from(ann.email, shown(ann.secret)), "too_many_requests", "Too many wrong codes for this login");
  assert.equal((await from(ben.email, shown(ben.secret))).status, 200);
  later(15 * 60);
  assert.equal((await from(ann.email, shown(ann.secret))).status, 200);
});

test("second factor: it is removed with a code, a recovery code or the password", async () => {
  const { login, shown, withTotp, call } = await setUp();
  for (const prove of [
    ({ secret }: { secret: string }) => ({ code: shown(secret) }),
    ({ recovery }: { recovery: string[] }) => ({ code: recovery[9] }),
    () => ({ password: PASSWORD }),
  ]) {
    const user = await withTotp();
    for (const body of [{}, { code: "123456", password: PASSWORD }, { code: "" }, { a: 1 }])
      assertRefused(await user.as(`DELETE ${TOTP}`, body), "invalid_payload");
    assertRefused(await user.as(`DELETE ${TOTP}`, { password: `${PASSWORD}.` }), "unauthorized", /password is wrong/);
    const wrong = wrongCode((away) => shown(user.secret, away));
    assertRefused(await user.as(`DELETE ${TOTP}`, { code: wrong }), "unauthorized", /code is wrong/);
    assertRefused(await login(user.email), "second_factor_required");
    assert.equal((await user.as(`DELETE ${TOTP}`, prove(user))).status, 204);
    assert.equal((await login(user.email)).body.user.has_totp, false);
    assertRefused(await user.as(`DELETE ${TOTP}`, { password: PASSWORD }), "not_found");
    const { body } = await call(`GET /management/v1/audit-log?object_id=${user.id}&operation=removeTotp`);
    assert.equal(body.data.length, 1);
    assert.equal((await user.as(`POST ${TOTP}`)).status, 200, "and can be set up again");
  }
});

test("second factor: it is for who is signed in and has a password; a forged request sets up none", async () => {
  const { call, ok, project, makeMember, engine } = await setUp();
  const { email } = await makeMember();
  const { as, cookie } = await signIn(call, email);
  const lines = [
    ["POST", TOTP, undefined],
    ["POST", `${TOTP}/confirm`, { code: "123456" }],
    ["DELETE", TOTP, { code: "123456" }],
  ] as const;
  for (const [method, path, body] of lines) {
    assertRefused(await call(`${method} ${path}`, body, NO_KEYS), "unauthorized");
    assertRefused(await call(`${method} ${path}`, body), "unauthorized");
    assertRefused(await call(`${method} ${path}`, body, { ...NO_KEYS, cookie }), "csrf_token_missing");
  }
  assert.equal((await as(`GET ${SESSION}`)).body.user.has_totp, false);
  let token = "";
  engine.sendInvitation = async (invitation) => {
    token = invitation.token;
  };
  const invited = `invited-${email}`;
  const names = { first_name: "I", last_name: "I", projects: { [project.id]: "USER" } };
  await ok("POST /management/v1/projects/users/invite", { email: invited, ...names });
  const opened = await call(LINK, { token }, NO_KEYS);
  const headers = { ...NO_KEYS, cookie: String(opened.headers["set-cookie"]).split(";")[0]! };
  const sent = { ...headers, "x-laurel-csrf": opened.body.csrf_token };
  assertRefused(await call(`POST ${TOTP}`, undefined, sent), "forbidden", "Choose a password first");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { testShop } from "../support/shop.ts";
import { makeUser, NO_KEYS, signIn } from "../support/sign-in.ts";

const { db } = await testDatabase();
const SESSIONS = "/management/v1/sessions";

test("own sessions: listed with the one that asks, and ended one by one", async () => {
  const { call, project } = await testShop(db);
  const { email } = await makeUser(db, { [project.id]: "VIEWER" });
  const [here, there] = [await signIn(call, email), await signIn(call, email)];
  const listed = await here.as(`GET ${SESSIONS}`);
  assert.equal(listed.status, 200, listed.text);
  const { data, total } = listed.body;
  assert.deepEqual([total, data.filter(({ is_current }: any) => is_current).length], [2, 1]);
  for (const { cookie } of [here, there]) assert.ok(!listed.text.includes(cookie.split("=")[1]!), "no token is shown");
  const other = data.find(({ is_current }: any) => !is_current);
  assert.equal((await here.as(`DELETE ${SESSIONS}/${other.id}`)).status, 204);
  assertRefused(await there.as("GET /management/v1/session"), "session_expired");
  assertRefused(await here.as(`DELETE ${SESSIONS}/${other.id}`), "not_found");
  assert.equal((await here.as(`GET ${SESSIONS}`)).body.total, 1);
});

test("own sessions: all others end at once, and nobody ends those of somebody else", async () => {
  const { call, project } = await testShop(db);
  const [mine, theirs] = [await makeUser(db, { [project.id]: "USER" }), await makeUser(db, { [project.id]: "USER" })];
  const [here, there, stranger] = [
    await signIn(call, mine.email),
    await signIn(call, mine.email),
    await signIn(call, theirs.email),
  ];
  const [foreign] = (await stranger.as(`GET ${SESSIONS}`)).body.data;
  assertRefused(await here.as(`DELETE ${SESSIONS}/${foreign.id}`), "not_found");
  assert.equal((await here.as(`DELETE ${SESSIONS}`)).status, 204);
  assertRefused(await there.as("GET /management/v1/session"), "session_expired");
  for (const { as } of [here, stranger]) assert.equal((await as("GET /management/v1/session")).status, 200);
});

test("own sessions: for who is signed in, and for nobody else", async () => {
  const { call, project } = await testShop(db);
  const { email } = await makeUser(db, { [project.id]: "USER" });
  const { as } = await signIn(call, email);
  for (const line of [`GET ${SESSIONS}`, `DELETE ${SESSIONS}`, `DELETE ${SESSIONS}/x`]) {
    assertRefused(await call(line, undefined, NO_KEYS), "unauthorized");
    assertRefused(await call(line), "unauthorized");
    if (line.startsWith("DELETE"))
      assertRefused(await as(line, undefined, { "x-laurel-csrf": "" }), "csrf_token_missing");
  }
});

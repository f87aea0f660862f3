import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, testDatabase } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { testShop } from "../support/shop.ts";
import { makeUser, NO_KEYS, PASSWORD } from "../support/sign-in.ts";

const { db } = await testDatabase();

/** A server that allows two wrong passwords for a login, behind a proxy that says where requests come from. */
async function setUp() {
  const clock = { now: NOW };
  const options = { wrongPasswordsMax: 2, trustProxy: true, now: () => clock.now };
  const { call, project } = await testShop(db, {}, options);
  const signInFrom = (ip: string, email: string, password: string) =>
    call("POST /management/v1/session", { email, password }, { ...NO_KEYS, "x-forwarded-for": ip });
  const user = async () => (await makeUser(db, { [project.id]: "USER" })).email;
  return { signInFrom, user, clock };
}
const [HERE, THERE] = ["203.0.113.1", "203.0.113.2"];

test("wrong passwords of an address for a login are limited, and nobody else is kept out", async () => {
  const { signInFrom, user, clock } = await setUp();
  const [ann, ben] = [await user(), await user()];
  assertRefused(await signInFrom(HERE, ann, "wrong"), "unauthorized");
  assertRefused(await signInFrom(HERE, ann.toUpperCase(), "wrong"), "unauthorized");
  const refused = await signInFrom(HERE, ann, PASSWORD);
  assertRefused(refused, "too_many_requests", "Too many wrong passwords for this login from this address");
  assert.equal(refused.headers["retry-after"], "900");
  assert.equal((await signInFrom(THERE, ann, PASSWORD)).status, 200, "Ann herself, somewhere else");
  assert.equal((await signInFrom(HERE, ben, PASSWORD)).status, 200, "somebody else at that address");
  clock.now = "2026-01-01T12:15:00.000Z";
  assert.equal((await signInFrom(HERE, ann, PASSWORD)).status, 200);
});

test("an address that tries many logins is stopped for all of them, whether they exist or not", async () => {
  const { signInFrom, user } = await setUp();
  const ann = await user();
  for (let n = 0; n < 10; n += 1) assertRefused(await signInFrom(HERE, `n${n}@shop.example`, "x"), "unauthorized");
  assertRefused(
    await signInFrom(HERE, ann, PASSWORD),
    "too_many_requests",
    "Too many wrong passwords from this address",
  );
  assert.equal((await signInFrom(THERE, ann, PASSWORD)).status, 200);
});

test("right passwords are not counted, and of many wrong ones at once only the allowed are answered", async () => {
  const { signInFrom, user } = await setUp();
  const ann = await user();
  for (let n = 0; n < 5; n += 1) assert.equal((await signInFrom(HERE, ann, PASSWORD)).status, 200);
  const replies = await Promise.all(Array.from({ length: 6 }, (_, n) => signInFrom(HERE, ann, `wrong ${n}`)));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [401, 401, 429, 429, 429, 429]);
});

test("more people than can wait are told to come again, and those who wait are signed in", async () => {
  const { signInFrom, user } = await setUp();
  const ann = await user();
  const replies = await Promise.all(Array.from({ length: 110 }, (_, n) => signInFrom(`203.0.113.${n}`, ann, PASSWORD)));
  const count = (status: number) => replies.filter((one) => one.status === status).length;
  assert.ok(count(503) > 0 && count(200) >= 100, JSON.stringify([count(200), count(503)]));
  assert.equal(count(200) + count(503), 110);
  assert.equal((await signInFrom(HERE, ann, PASSWORD)).status, 200);
});

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { secretsFinding } from "../../src/cli/doctor.ts";
import { createSecretBox } from "../../src/db/secrets/secret-box.ts";
import { sealStored } from "../../src/db/secrets/stored-secrets.ts";
import { LAUREL_SECRET_KEY, secretBox, testDatabase, testEngine } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const none = createSecretBox(null, randomBytes);
const other = createSecretBox("07".repeat(32), randomBytes);
const tokenIn = async (id: string): Promise<string> =>
  (await db<{ webhook_token: string }[]>`select webhook_token from projects where id = ${id}`)[0]!.webhook_token;
const previousIn = async (id: string): Promise<string> =>
  (await db<{ previous: string }[]>`select previous from webhook_secrets where project_id = ${id}`)[0]!.previous;

test("webhook secrets are stored encrypted, and read back as they were", async () => {
  const { ok, project } = await testShop(db);
  const inProject = `/management/v1/projects/${project.id}`;
  const { webhook_token: first } = await ok(`GET ${inProject}`);
  assert.match(first, /^[0-9a-f]{64}$/);
  const { webhook_token: second } = await ok(`POST ${inProject}/webhook-secret/rotate`);
  assert.equal((await ok(`GET ${inProject}`)).webhook_token, second);
  const [stored, previous] = [await tokenIn(project.id), await previousIn(project.id)];
  for (const text of [stored, previous]) assert.ok(text.startsWith("v1:") && !text.includes(first));
  assert.equal(secretBox.open(["webhook_secrets", project.id], previous), first);
  const { webhook_token } = (await ok("GET /management/v1/projects")).data.find((one: any) => one.id === project.id);
  assert.equal(webhook_token, second);
});

test("what was stored without a key is read as it is, and encrypted once there is one", async () => {
  const { ok, project, call } = await testShop(db);
  const plain = createHash("sha256").update(project.id).digest("hex");
  await db`update projects set webhook_token = ${plain} where id = ${project.id}`;
  const read = async () => (await ok(`GET /management/v1/projects/${project.id}`)).webhook_token;
  assert.equal(await read(), plain);
  assert.match((await secretsFinding(db, secretBox)).says, /1 are not encrypted/);
  assert.equal(await sealStored(db, none), 0);
  assert.equal(await tokenIn(project.id), plain);
  assert.equal(await sealStored(db, secretBox), 1);
  assert.ok((await tokenIn(project.id)).startsWith("v1:"));
  assert.equal(await read(), plain);
  assert.equal(await sealStored(db, secretBox), 0, "nothing is left");
  assert.equal((await call(`PUT /management/v1/projects/${project.id}`, { name: "New" })).body.webhook_token, plain);
});

test("another key takes the place of the one there is: both open meanwhile, then the old one opens nothing", async () => {
  const { project } = await testShop(db);
  const both = createSecretBox("07".repeat(32), randomBytes, LAUREL_SECRET_KEY);
  const place = ["projects", project.id] as const;
  const secret = secretBox.open(place, await tokenIn(project.id));
  assert.match((await secretsFinding(db, both)).says, /are encrypted with LAUREL_SECRET_KEY_PREVIOUS/);
  const { call } = await testEngine(db, project, { secretBox: both });
  const read = async () => (await call(`GET /management/v1/projects/${project.id}`)).body.webhook_token;
  assert.equal(await read(), secret, "before it is encrypted anew");
  assert.ok((await sealStored(db, both)) > 0);
  assert.equal(await read(), secret);
  assert.equal(await sealStored(db, both), 0, "nothing is left");
  const stored = await tokenIn(project.id);
  assert.ok(other.canOpen(place, stored) && !secretBox.canOpen(place, stored));
  assert.equal((await secretsFinding(db, both)).says, "");
  // Back again, for the other tests.
  assert.ok((await sealStored(db, createSecretBox(LAUREL_SECRET_KEY, randomBytes, "07".repeat(32)))) > 0);
});

test("with another key the operations say so, doctor names the rows, and a new secret is the way out", async () => {
  const { project } = await testShop(db);
  const { call } = await testEngine(db, project, { secretBox: other });
  const inProject = `/management/v1/projects/${project.id}`;
  assertRefused(await call(`GET ${inProject}`), "secret_key_wrong", /LAUREL_SECRET_KEY/);
  const good = await secretsFinding(db, secretBox);
  assert.deepEqual([good.ok, good.says], [true, ""]);
  for (const box of [other, none]) {
    const { ok: isFine, says } = await secretsFinding(db, box);
    assert.ok(!isFine && says.includes(`projects ${project.id} (change the webhook secret`), says);
  }
  const { body } = await call(`POST ${inProject}/webhook-secret/rotate`);
  assert.equal((await call(`GET ${inProject}`)).body.webhook_token, body.webhook_token);
});

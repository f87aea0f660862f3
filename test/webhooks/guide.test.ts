import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { createSendWebhooks } from "../../src/jobs/send-webhooks.ts";
import { createTransport } from "../../src/webhooks/transport.ts";
import { newId, secretBox, testDatabase } from "../support/engine.ts";
import { until } from "../support/storage.ts";
import { listeningShop } from "../support/webhook-story.ts";

const { db } = await testDatabase();
const guide = fs.readFileSync("docs/guides/webhooks.md", "utf8");
const receiver = /^```js\n([\s\S]*?)^```$/m.exec(guide)![1]!;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

test("the receiver of the guide takes what Laurel sends, and nothing that somebody else made", async () => {
  assert.ok(receiver.trimEnd().split("\n").length <= 25, "it is short");
  const shop = await listeningShop(db, ["customer.created"]);
  const { ok, project, path, webhook } = shop;
  const { webhook_token } = await ok(`GET /management/v1/projects/${project.id}`);
  const { webhook_token: next } = await ok(`POST /management/v1/projects/${project.id}/webhook-secret/rotate`);
  const port = await freePort();
  // In the tree, so that it finds the library.
  const file = join("test/webhooks", `.receiver-${process.pid}.mjs`);
  fs.writeFileSync(file, receiver);
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRETS: `${next},${webhook_token}` };
  const child = spawn(process.execPath, [file], { env, stdio: ["ignore", "pipe", "inherit"] });
  after(() => {
    child.kill();
    fs.rmSync(file, { force: true });
  });
  let printed = "";
  child.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  const url = `http://127.0.0.1:${port}/`;
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(url, { method: "POST", body, headers }).then(({ status }) => status);
  await until("the receiver listens", () =>
    post("{}").then(
      () => true,
      () => false,
    ),
  );
  assert.equal(await post("{}"), 401);
  assert.equal(await post("{}", { "x-voucherify-signature": "0".repeat(64) }), 401);

  await ok(`PUT ${path}/${webhook.id}`, { target_url: url, events: ["customer.created"] });
  await ok("POST /v1/customers", { source_id: "ann" });
  const transport = createTransport({ allow: "loopback" });
  const job = createSendWebhooks({ secretBox, transport, userAgent: "Laurel/test", log: { error: () => {} } });
  // The receiver looks at the time, so it is the real one.
  await job.run({ db, now: () => new Date().toISOString(), newId, random: randomBytes });
  await job.idle();
  const [told] = await shop.told();
  await until("it was printed", () => printed.includes(told.id));
  assert.equal(printed.trim(), `customer.created ${told.id} ${told.event.number} customer`);
  const [attempt] = await db`select status_code, headers from webhook_attempts where delivery_id = ${told.id}`;
  assert.equal(attempt!.status_code, 204);
  assert.equal(await post(`${JSON.stringify(told)} `, attempt!.headers), 401, "a changed body is refused");
});

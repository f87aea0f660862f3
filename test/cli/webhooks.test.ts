import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { eventually, laurel } from "../support/child.ts";
import { LAUREL_SECRET_KEY, testDatabase } from "../support/engine.ts";
import { startReceiver } from "../support/receiver.ts";
import { testShop } from "../support/shop.ts";

const { db, url } = await testDatabase();
const LAUREL = fileURLToPath(new URL("../../src/cli/laurel.ts", import.meta.url));
const env = { ...process.env, DATABASE_URL: url, LAUREL_SECRET_KEY };

/** Starts a command that goes on until it is interrupted. */
function start(...args: string[]) {
  const child: ChildProcess = spawn(process.execPath, [LAUREL, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  after(() => child.kill("SIGKILL"));
  const said = { out: "", err: "" };
  child.stdout!.on("data", (chunk) => {
    said.out += chunk;
  });
  child.stderr!.on("data", (chunk) => {
    said.err += chunk;
  });
  const stop = async () => {
    child.kill("SIGINT");
    const [code] = await once(child, "exit");
    return code as number;
  };
  return { said, stop };
}

test("webhooks listen forwards what happens while it runs, and leaves nothing behind", async () => {
  const { ok, project } = await testShop(db);
  const receiver = await startReceiver();
  const types = "customer.created,customer.updated";
  const args = ["--project", project.id, "--forward", `${receiver.url}/hooks`, "--events", types];
  const { said, stop } = start("webhooks", "listen", ...args);
  await eventually(() => said.err.includes("Press Ctrl-C"));
  const path = `/management/v1/projects/${project.id}/webhooks`;
  assert.equal((await ok(`GET ${path}`)).total, 1);
  await ok("POST /v1/customers", { source_id: "ann", name: "Ann" });
  await ok("POST /v1/vouchers/TEN", { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } });
  await ok("PUT /v1/customers/ann", { name: "Anna" });
  await eventually(() => receiver.received.length === 2);
  const bodies = receiver.bodies();
  assert.deepEqual(
    bodies.map(({ type, data }) => [type, data.customer.name]),
    [
      ["customer.created", "Ann"],
      ["customer.updated", "Anna"],
    ],
  );
  assert.match(receiver.received[0]!.headers["webhook-signature"]!, /^v1,/);
  await eventually(() => said.out.includes(bodies[1].id));
  assert.match(said.out, /^customer\.created {2}whs_\w+ {2}200 {2}\d+ ms$/m);
  assert.equal(await stop(), 0);
  assert.equal((await ok(`GET ${path}`)).total, 0);
  const log = await ok("GET /v1/audit-log?kind=webhook");
  assert.deepEqual(log.data.map(({ action, operation, actor }: any) => [action, operation, actor]).sort(), [
    ["CREATED", "webhooks listen", { type: "cli", id: "laurel", name: null }],
    ["DELETED", "webhooks listen", { type: "cli", id: "laurel", name: null }],
  ]);
  for (const table of ["webhook_deliveries", "webhook_attempts", "webhook_senders"])
    assert.equal((await db`select 1 from ${db(table)} where project_id = ${project.id}`).length, 0, table);
  await ok("POST /v1/customers", { source_id: "later" });
  assert.equal((await db`select 1 from webhook_deliveries where project_id = ${project.id}`).length, 0);
});

test("events tail prints what was recorded and what comes, of the kinds that are asked for", async () => {
  const { ok, project } = await testShop(db);
  await ok("POST /v1/customers", { source_id: "before" });
  const { said, stop } = start("events", "tail", "--project", project.id, "--kind", "customer.");
  await eventually(() => said.out.includes("customer.created"));
  // The ids of this process are those of another time; an event of now is written as a server would.
  const id = `ev_${(Date.now() + 1000).toString(16).padStart(12, "0")}${"0".repeat(12)}`;
  const row = {
    project_id: project.id,
    id,
    kind: "customer.updated",
    group_id: "v-1",
    payload: {},
    created_at: new Date().toISOString(),
  };
  await db`insert into events ${db(row as never)}`;
  await db`insert into events ${db({ ...row, id: `${id.slice(0, -1)}1`, kind: "voucher.created" } as never)}`;
  await eventually(() => said.out.includes("customer.updated"));
  assert.equal(await stop(), 0);
  const lines = said.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ kind }) => kind),
    ["customer.created", "customer.updated"],
  );
  assert.equal(lines[1].id, id);
});

test("wrong usage is told", async () => {
  const run = (line: string) => laurel(line.split(" "), { DATABASE_URL: url });
  for (const [line, says] of [
    ["webhooks listen --forward localhost:80", /--forward must be an address/],
    ["webhooks listen --forward http://localhost --events nothing", /no events of the type nothing/],
    [
      "webhooks listen --forward http://localhost --events customer.created,customer.craeted",
      /no events of the type customer\.craeted\./,
    ],
    ["webhooks listen", /--forward/],
    ["events tail --last x", /--last must be a whole number/],
    ["events tail", /several projects/],
  ] as const) {
    const { code, stderr } = await run(line);
    assert.equal(code, 2, line);
    assert.match(stderr, says);
  }
});

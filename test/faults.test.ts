import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { seeded } from "../src/demo/requests.ts";
import { databasePid, eventually, headersIn, type Served, serve, tempDir } from "./child.ts";

// Something is killed in the middle of a burst of writes, and everything is asked again with its key: what was
// acknowledged is there, nothing is there twice, and no request hangs. FAULT_ROUNDS raises the number of kills.
const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 3);
const SEED = Number(process.env.FAULT_SEED ?? 1);
const CLIENTS = 8;

type Answer = { status: number; text: string };

test(`${ROUNDS} kills of the server, its database or both under load: nothing acknowledged is lost, nothing doubled`, async (t) => {
  t.diagnostic(`FAULT_SEED=${SEED} FAULT_ROUNDS=${ROUNDS}`);
  const { integer, pick } = seeded(SEED);
  const dir = tempDir();
  const env = { LAUREL_DATA_DIR: dir, LAUREL_DEMO: "off" };
  let server: Served = await serve(env);
  const headers = headersIn(join(dir, "credentials/app.headers"));
  const send = async (name: string): Promise<Answer> => {
    const reply = await fetch(`${server.url}/v1/categories`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", "idempotency-key": name },
      body: JSON.stringify({ name, hierarchy: 1 }),
      signal: AbortSignal.timeout(30_000),
    });
    return { status: reply.status, text: await reply.text() };
  };

  const acknowledged = new Map<string, string>();
  let sent = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const unknown: string[] = [];
    let killed = false;
    const client = async () => {
      while (!killed) {
        const name = `category ${++sent}`;
        const answer = await send(name).catch(() => null);
        if (answer?.status === 200) acknowledged.set(name, answer.text);
        else unknown.push(name);
      }
    };
    const clients = Array.from({ length: CLIENTS }, client);
    await wait(integer(50, 500));
    const victim = pick(["server", "database", "both"] as const);
    const database = databasePid(dir);
    if (victim !== "server" && database) process.kill(database, "SIGKILL");
    if (victim !== "database") await server.stop("SIGKILL");
    killed = true;
    await Promise.all(clients);
    if (victim !== "database") server = await serve(env);
    await eventually(
      async () => (await fetch(`${server.url}/health/ready`).catch(() => null))?.status === 200,
      "ready again",
    );
    for (const name of unknown) {
      let answer: Answer | null = null;
      await eventually(async () => {
        answer = await send(name).catch(() => null);
        return answer !== null && answer.status < 500;
      }, `an answer for ${name} after ${victim} was killed`);
      assert.equal(answer!.status, 200, `${name} after ${victim} was killed: ${answer!.text}`);
      acknowledged.set(name, answer!.text);
    }
  }
  const { data, total } = (await (await fetch(`${server.url}/v1/categories`, { headers })).json()) as {
    data: { name: string }[];
    total: number;
  };
  assert.equal(total, sent);
  assert.deepEqual(new Set(data.map(({ name }) => name)), new Set(acknowledged.keys()));
  for (const [name, text] of acknowledged) assert.equal((await send(name)).text, text, `${name} is answered as before`);
  assert.equal((await server.stop()).code, 0);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { createLogger } from "../../src/cli/log.ts";
import type { Pool } from "../../src/db/db.ts";
import { staticFile } from "../../src/http/documents/static-files.ts";
import { mountOpenRoutes } from "../../src/http/open-routes.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { createWarmUp } from "../../src/warm-up.ts";
import { testDatabase } from "../support/engine.ts";
import { assertRefused, logged } from "../support/http.ts";
import { NODES } from "../support/nodes.ts";
import { testShop } from "../support/shop.ts";
import { until } from "../support/storage.ts";

const { db, open } = await testDatabase();

async function starting() {
  const statements: string[] = [];
  const onQuery = (text: string) => void statements.push(text);
  const log = logged();
  const { app, engine } = await testShop(db, {}, { log: createLogger("error", log.stream) });
  const [hot, reserve] = [open({ max: 3, onQuery }), open({ max: 1, onQuery })];
  const warmUp = createWarmUp(ALL_ROUTES, engine, { hot, reserve, lanes: 2 });
  const other = {
    metricsText: async () => "",
    metricsFor: "off" as const,
    openApi: staticFile("application/json", async () => "{}"),
    reference: null,
  };
  mountOpenRoutes(app, { db, now: () => new Date().toISOString(), warmUp: warmUp.once, ...other });
  const ready = async () => {
    const reply = await app.inject({ method: "GET", url: "/health/ready" });
    return { status: reply.statusCode, body: reply.json(), text: reply.body, headers: reply.headers };
  };
  return { hot, statements, log, warmUp, ready };
}

test("a redemption ran before the server is ready, then on the connection of every lane, once, and left nothing", async () => {
  const rows = async () =>
    (
      await db`select (select count(*) from projects) as projects, (select count(*) from redemptions) as redemptions`
    )[0];
  const { statements, warmUp, ready } = await starting();
  const before = await rows();
  // On a busy machine the first answer may be that it is still at it.
  await until("the server is ready", async () => (await ready()).status === 200);
  const redeemed = () => statements.filter((text) => /insert into redemptions/.test(text)).length;
  assert.equal(redeemed(), 1, "the reserve");
  await warmUp.all();
  assert.equal(redeemed(), 3, "two lanes and the reserve");
  assert.equal((await ready()).status, 200);
  assert.equal(redeemed(), 3);
  assert.deepEqual(await rows(), before);
});

test("each connection of a lane keeps one plan for each statement, and none is compiled", async () => {
  const { hot, warmUp } = await starting();
  await warmUp.all();
  const settings = async (pool: Pool) => {
    const [row] = await pool`
      select current_setting('plan_cache_mode') as plans, current_setting('enable_seqscan') as reads, current_setting('jit') as jit`;
    return Object.values(row!).join(" ");
  };
  const once = NODES.length === 0 ? "force_generic_plan off off" : "auto on off";
  const ofLanes = await Promise.all([settings(hot), settings(hot), settings(hot)]);
  assert.deepEqual([...new Set(ofLanes)], [once]);
  assert.equal(await settings(db), "auto on off");
});

test("a column that a redemption needs is missing: not ready until it is there", async () => {
  const { log, warmUp, ready } = await starting();
  await db`alter table redemptions rename column status to no_status`;
  await assert.rejects(warmUp.once());
  assertRefused(await ready(), "not_ready", /The statements of a redemption have not run yet/);
  assert.match(log.lines()[0]!.msg, /the statements of a redemption do not run/);
  await db`alter table redemptions rename column no_status to status`;
  await warmUp.once();
  assert.equal((await ready()).status, 200);
});

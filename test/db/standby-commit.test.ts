import assert from "node:assert/strict";
import { test } from "node:test";
import { commit } from "../../src/db/batches/commit.ts";
import { openDb } from "../../src/db/db.ts";
import { startEmbedded } from "../../src/db/embedded.ts";
import { tempDir } from "../support/child.ts";
import { testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { until } from "../support/storage.ts";

test("a commit that was cut off while it waited for a standby is unknown, though this machine has it", async (t) => {
  const server = await startEmbedded(tempDir());
  t.after(() => server.stop());
  const [admin, pool] = [openDb(server.url, { max: 1 }), openDb(server.url, { max: 2 })];
  t.after(() => Promise.all([admin, pool].map((one) => one.end({ timeout: 1 }))));
  await admin`set synchronous_commit = local`;
  await admin`create schema laurel`;
  await admin`create table done (n integer)`;
  const waitFor = async (standbys: string) => {
    await admin.unsafe(`alter system set synchronous_standby_names = '${standbys}'`);
    await admin`select pg_reload_conf()`;
    await until("the setting holds", async () => {
      const [row] = await admin<{ now: string }[]>`select current_setting('synchronous_standby_names') as now`;
      return row!.now === standbys;
    });
  };
  await waitFor("nobody");
  const written = commit(pool, (tx) => tx`insert into done values (1)`);
  let pid = 0;
  await until("COMMIT waits for the standby", async () => {
    const [row] = await admin<{ pid: number }[]>`select pid from pg_stat_activity where wait_event = 'SyncRep'`;
    pid = row?.pid ?? 0;
    return pid > 0;
  });
  await admin`select pg_terminate_backend(${pid}::int)`;
  const { kind } = await written;
  assert.equal([...(await admin`select n from done`)].length, 1, "it is there, on this machine");
  assert.equal(kind, "unknown", "and nobody may be told that it is safe");
  await waitFor("");
  const again = await commit(pool, (tx) => tx`insert into done values (2)`);
  assert.equal(again.kind, "committed", "without a standby to wait for, all is as before");
});

test("a machine that takes no writes is answered 503, and the same request works on one that does", async () => {
  const { db, url, open } = await testDatabase();
  const project = await testProject(db);
  const name = new URL(url).pathname.slice(1);
  const readOnly = (is: boolean) =>
    db.unsafe(`alter database ${name} set default_transaction_read_only = ${is ? "on" : "off"}`);
  const discount = { type: "AMOUNT", amount_off: 1 };
  await (await testEngine(db, project)).call("POST /v1/vouchers/CODE", { discount });
  await readOnly(true);
  // Its connections are made now: as those are that a proxy has led to a standby.
  const { call } = await testEngine(open({ max: 2 }), project, { hot: open({ max: 2 }) });
  const redeeming = { redeemables: [{ object: "voucher", id: "CODE" }], order: { amount: 1000 } };
  for (const [line, body] of [
    ["POST /v1/categories", { name: "Summer", hierarchy: 1 }],
    ["POST /v1/redemptions", redeeming],
  ] as const) {
    const refused = await call(line, body, { "idempotency-key": line });
    assertRefused(refused, "overloaded");
    assert.equal(refused.headers["retry-after"], "1", line);
  }
  await readOnly(false);
  const other = await testEngine(open({ max: 2 }), project, { hot: open({ max: 2 }) });
  for (const [line, body] of [
    ["POST /v1/categories", { name: "Summer", hierarchy: 1 }],
    ["POST /v1/redemptions", redeeming],
  ] as const)
    assert.equal((await other.call(line, body, { "idempotency-key": line })).status, 200, line);
});

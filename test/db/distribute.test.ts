import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { raiseRevision } from "../../src/catalog/changes.ts";
import { examine } from "../../src/cli/doctor.ts";
import type { Pool } from "../../src/db/db.ts";
import { type Migration, migrate, readMigrations } from "../../src/db/migrate.ts";
import { distribute, distributionFaults, NotDistributable } from "../../src/db/spread/distribute.ts";
import { claimKeys } from "../../src/idempotency/claim.ts";
import { atEndOfFile } from "../support/end-of-file.ts";
import { NOW, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { createCluster, dropOnNodes, NODES, onCitusOnly } from "../support/nodes.ts";
import { emptyDatabase, startProxy, until } from "../support/storage.ts";

// What Laurel needs of a database that is spread over machines by project (ADR 0064). `npm run test:citus` runs all of it.
const { db, url, open } = await testDatabase();

test("without Citus, nothing can be distributed, and the message says what is missing", async () => {
  const other = await emptyDatabase(db, url);
  const alone = other.open({ max: 2 });
  await migrate(alone);
  await assert.rejects(distribute(alone), (error) => {
    assert.ok(error instanceof NotDistributable);
    assert.match(error.message, /^The database has no Citus.*docs\/guides\/citus\.md\.$/);
    return true;
  });
  assert.equal(await distributionFaults(alone), null);
  assert.deepEqual(await placesIn(alone), [], "doctor has nothing to look at");
});

/** What doctor says of the places of tables. */
const placesIn = async (pool: Pool) =>
  (await examine(pool)).filter(({ name }) => name === "every table is on the machines that it belongs on");

const run = promisify(execFile);
/** Runs `laurel migrate --distribute`. */
const distributeWith = (databaseUrl: string) =>
  run(process.execPath, ["src/cli/laurel.ts", "migrate", "--distribute"], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
  });

test("laurel migrate --distribute says what is missing where there is no Citus", async () => {
  const other = await emptyDatabase(db, url);
  await assert.rejects(distributeWith(other.url), ({ code, stderr }: Error & { code: number; stderr: string }) => {
    assert.notEqual(code, 0);
    assert.match(stderr, /The database has no Citus/);
    return true;
  });
});

test(
  "laurel migrate --distribute makes the tables of an empty cluster and spreads them, and may be repeated",
  onCitusOnly,
  async () => {
    const name = `test_${process.pid}_empty`;
    const cluster = await createCluster(name);
    atEndOfFile(() => dropOnNodes(name));
    assert.match((await distributeWith(cluster)).stdout, /^Distributed \d+ tables\. Restart the servers\.$/m);
    assert.match((await distributeWith(cluster)).stdout, /^All tables are distributed\.$/m);
    assert.deepEqual(await distributionFaults(open({ max: 1 }, cluster)), []);
  },
);

test("configuration writes of one project do not wait for those of another", async () => {
  const [held, other] = [await testProject(db), await testProject(db)];
  const { call } = await testEngine(open({ max: 2, statementTimeoutMs: 20_000 }), other);
  await db.begin(async (tx) => {
    await tx`
      insert into categories (project_id, id, name, hierarchy, created_at)
      values (${held.id}, 'cat_held', 'Held', 1, ${NOW})`;
    await raiseRevision(tx, held.id, [{ kind: "category", id: "cat_held" }]);
    // It would wait for the transaction that waits for it, until its time is over.
    const reply = await call("POST /v1/categories", { name: "Free", hierarchy: 1 });
    assert.equal(reply.status, 200, reply.text);
  });
});

test("every table is in its place, and to distribute them again does nothing", onCitusOnly, async () => {
  assert.deepEqual(await distributionFaults(db), []);
  assert.deepEqual(await distribute(db), []);
  const kinds = await db<{ kind: string; tables: number; groups: number }[]>`
    select citus_table_type as kind, count(*) as tables, count(distinct colocation_id) as groups
    from public.citus_tables where table_name::text not like 'pg_%' group by 1 order by 1`;
  assert.deepEqual(
    kinds.map(({ kind, groups }) => [kind, groups]),
    [
      ["distributed", 1],
      ["reference", 1],
    ],
  );
  assert.ok(kinds[0]!.tables > 60 && kinds[1]!.tables > 4);
});

test(
  "a table that is nowhere and keys that are put away are found, and brought where they belong",
  onCitusOnly,
  async () => {
    await db`create table bad (project_id text not null, id text not null, primary key (project_id, id))`;
    assert.deepEqual(await distributionFaults(db), ["bad is not spread by project"]);
    assert.deepEqual(
      (await placesIn(db)).map(({ ok, says }) => [ok, says]),
      [[false, "bad is not spread by project"]],
    );
    assert.deepEqual(await distribute(db), ["bad"]);
    await db`drop table bad`;

    // As a run leaves it that was ended in the middle.
    await db`create table foreign_keys_put_away (of_table text, name text, definition text, primary key (of_table, name))`;
    const [key] = await db<{ name: string; definition: string }[]>`
    select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = 'categories'::regclass and contype = 'f'`;
    await db`insert into foreign_keys_put_away values ('categories', ${key!.name}, ${key!.definition})`;
    await db`alter table categories drop constraint ${db(key!.name)}`;
    assert.match((await distributionFaults(db))![0]!, /^foreign keys are put away/);
    await distribute(db);
    assert.deepEqual(await distributionFaults(db), []);
    await assert.rejects(
      db`insert into categories (project_id, id, name, hierarchy, created_at) values ('nobody', 'c', 'C', 1, now())`,
      { code: "23503" },
    );
  },
);

test(
  "a later migration makes a table that refers to others: it is distributed, and its keys hold",
  onCitusOnly,
  async () => {
    const file: Migration = {
      name: "9999_notes.sql",
      checksum: "c",
      sql: `create table notes (
  project_id text not null references projects,
  id         text not null,
  voucher_id text not null,
  primary key (project_id, id),
  foreign key (project_id, voucher_id) references vouchers
);
create index notes_by_voucher on notes (project_id, voucher_id);
alter table categories add column note text;
`,
    };
    const pool = open({ max: 2 });
    assert.deepEqual(await migrate(pool, [...readMigrations(), file]), [file.name]);
    assert.deepEqual(await distributionFaults(db), []);
    const project = await testProject(db);
    const { call } = await testEngine(db, project);
    const voucher = await call("POST /v1/vouchers/NOTED", { discount: { type: "AMOUNT", amount_off: 1 } });
    const note = (voucherId: string) => db`insert into notes values (${project.id}, ${`n ${voucherId}`}, ${voucherId})`;
    await note(voucher.body.id);
    await assert.rejects(note("v_nobody"), { code: "23503" });
    await db`delete from notes where project_id = ${project.id}`;
  },
);

test("events are in the order of the machine that Laurel connects to, whichever has their rows", async () => {
  const project = await testProject(db);
  const { call } = await testEngine(db, project);
  const numberNow = async () => {
    const [row] = await db<[{ xid: number }]>`select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xid`;
    return row.xid;
  };
  const before = await numberNow();
  await call("POST /v1/vouchers/FED", { discount: { type: "AMOUNT", amount_off: 1 } });
  await call("POST /v1/redemptions", { redeemables: [{ object: "voucher", id: "FED" }], order: { amount: 100 } });
  const after = await numberNow();
  const rows = await db<{ transaction_id: number }[]>`
    select transaction_id from events where project_id = ${project.id}`;
  assert.ok(rows.length > 1);
  for (const { transaction_id: number } of rows) assert.ok(before <= number && number < after, `${number}`);
});

/** The machine that has the rows of a project, as the cluster knows it. */
async function machineOf(pool: Pool, projectId: string): Promise<{ id: number; port: number }> {
  const [row] = await pool<{ id: number; port: number }[]>`
    select n.nodeid as id, n.nodeport as port from pg_dist_shard_placement p join pg_dist_node n using (nodename, nodeport)
    where p.shardid = get_shard_id_for_distribution_column('laurel.tenants', ${projectId}::text)`;
  return row!;
}

test("the key of a request is claimed on the machine that has the rows of its project", onCitusOnly, async () => {
  const { id } = await testProject(db);
  const { port } = await machineOf(db, id);
  const claim = { caller_id: "app k", key: "k", input_hash: "h", sealed_with: null, received_at: NOW };
  const locks = `
    select count(*) from pg_locks where locktype = 'advisory' and granted and objsubid = 1
      and (classid::bigint << 32) | objid::bigint = hashtextextended('${id} app k k', 0)`;
  await db.begin(async (tx) => {
    await claimKeys(tx, id, [{ claim, request_id: "v-1" }]);
    const found = await open({ max: 1 })<{ port: number; result: string }[]>`
      select n.nodeport as port, r.result from run_command_on_all_nodes(${locks}) r join pg_dist_node n using (nodeid)`;
    assert.deepEqual(
      found.filter(({ result }) => result !== "0").map((row) => row.port),
      [port],
    );
  });
});

for (const { line, body } of [
  { line: "POST /v1/categories", body: { name: "Lost", hierarchy: 1 } },
  { line: "POST /v1/redemptions", body: { redeemables: [{ object: "voucher", id: "LOST" }], order: { amount: 100 } } },
])
  test(
    `${line}: the answer to COMMIT is lost between two machines: stored once, answered with success`,
    onCitusOnly,
    async () => {
      const own = await testDatabase();
      const project = await testProject(own.db);
      const { call } = await testEngine(own.db, project);
      await call("POST /v1/vouchers/LOST", {
        discount: { type: "AMOUNT", amount_off: 1 },
        redemption: { quantity: 5 },
      });
      const { id, port } = await machineOf(own.db, project.id);
      const proxy = await startProxy(NODES.find((node) => node.includes(`:${port}/`))!);
      await own.db`select citus_update_node(${id}::int, '127.0.0.1', ${Number(new URL(proxy.url).port)}::int)`;
      let isCut = false;
      proxy.watch = (from, chunk) => {
        if (isCut || from !== "server" || !chunk.includes("COMMIT\0")) return false;
        isCut = true;
        return true;
      };
      const reply = await call(line, body, { "idempotency-key": "once" });
      assert.ok(isCut);
      assert.equal(reply.status, 200, reply.text);
      const again = await call(line, body, { "idempotency-key": "once" });
      assert.deepEqual([again.text, again.headers["idempotent-replayed"]], [reply.text, "true"]);
      const stored = line.endsWith("categories")
        ? (await call("GET /v1/categories")).body.total
        : (await call("GET /v1/vouchers/LOST")).body.redemption.redeemed_quantity;
      assert.equal(stored, 1);
    },
  );

test(
  "a machine that is lost stops its own projects, and no other one whose requests came at the same moment",
  onCitusOnly,
  async () => {
    const own = await testDatabase();
    const lost = await testProject(own.db);
    const { id, port } = await machineOf(own.db, lost.id);
    let kept = await testProject(own.db);
    while ((await machineOf(own.db, kept.id)).port === port) kept = await testProject(own.db);
    const { call } = await testEngine(own.db, lost);
    const proxy = await startProxy(NODES.find((node) => node.includes(`:${port}/`))!);
    await own.db`select citus_update_node(${id}::int, '127.0.0.1', ${Number(new URL(proxy.url).port)}::int)`;
    // Their credentials are looked up with one statement.
    const send = () =>
      Promise.all([lost, kept].map(({ headers }) => call("GET /v1/categories", undefined, headers))).then((replies) =>
        replies.map(({ status }) => status),
      );
    assert.deepEqual(await send(), [200, 200]);
    proxy.mode = "away";
    proxy.cutAll();
    for (let round = 0; round < 5; round += 1) assert.deepEqual(await send(), [503, 200]);
    proxy.mode = "open";
    await until("its projects are back", async () => (await send()).every((status) => status === 200));
  },
);

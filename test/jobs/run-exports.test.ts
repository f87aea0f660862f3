import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import fc from "fast-check";
import { csvCell } from "../../src/core/exports/csv.ts";
import type { Pool } from "../../src/db/db.ts";
import { type LastRow, readBlock } from "../../src/db/exported-rows.ts";
import { INVARIANTS } from "../../src/db/invariants.ts";
import { runExport } from "../../src/flows/platform/run-export.ts";
import { purgeExpired } from "../../src/jobs/purge-expired.ts";
import { runExports } from "../../src/jobs/run-exports.ts";
import { listExportsToDo } from "../../src/resources/platform/exports/store.ts";
import { EXPORT_OBJECTS } from "../../src/steps/bulk/export-objects.ts";
import { NOW, newId, testDatabase } from "../support/engine.ts";
import { assertRefused, until } from "../support/http.ts";
import { countOnNodes, lockWaits } from "../support/nodes.ts";
import { testShop } from "../support/shop.ts";

const { db, open, url } = await testDatabase();
const job = { db, now: () => NOW, newId, random: Buffer.alloc };
type Shop = Awaited<ReturnType<typeof testShop>>;

/** So many customers, in one statement; some share a moment, and some have no name. */
const insertCustomers = (projectId: string, count: number, from = 0) => db`
  insert into customers (project_id, id, source_id, name, metadata, created_at)
  select ${projectId}, 'cust_' || to_char(n, 'FM0000000'), 's' || n, case when n % 3 > 0 then 'N' || n % 7 end, '{}',
    timestamptz '2025-01-01 00:00:00Z' + (n / 5) * interval '1 second'
  from generate_series(${from}::int, ${from + count - 1}::int) as n`;

const start = async ({ ok }: Shop, parameters: object = {}, exported_object = "customer"): Promise<string> =>
  (await ok("POST /v1/exports", { exported_object, parameters: { fields: ["id", "name"], ...parameters } })).id;
const linesOf = async ({ ok, call }: Shop, id: string): Promise<string[]> => {
  const { result, status } = await ok(`GET /v1/exports/${id}`);
  assert.equal(status, "DONE");
  return (await call(`GET ${result.url}`)).text.split("\n").slice(1, -1);
};
/** One block of it, as a turn that ends after its first block. */
const oneBlock = (shop: Shop, id: string, pool: Pool = db) =>
  runExport(
    { db: pool, now: () => NOW, mayGoOn: async () => false },
    { project_id: shop.project.id, id, clock_offset_ms: 0 },
  );
const assertInvariants = async () => {
  for (const [name, find] of Object.entries(INVARIANTS)) assert.equal((await find(db))[0]!.count, 0, name);
};

test("in blocks of any size, in every order, each row is in the file once and in its place", async () => {
  const { project } = await testShop(db);
  await insertCustomers(project.id, 60);
  const owner = { id: project.id, secret: "s", case_sensitive_codes: false };
  const object = EXPORT_OBJECTS.customer;
  const read = async (order: string, rowsMax: number, bytesMax: number) => {
    const plan = { columns: ["id", "name"], order, format: "CSV" as const, at: NOW };
    let [text, last, rows]: [string, LastRow | null, number] = ["", null, 0];
    for (;;) {
      const block = await readBlock(db, owner, object, { plan, last, rowsMax, bytesMax });
      if (!block) return { text, rows };
      text += block.text;
      rows += block.rows;
      last = block.last;
      if (block.isLast) return { text, rows };
    }
  };
  const orders = Object.keys(object.orders).flatMap((one) => [one, `-${one}`]);
  for (const order of orders) {
    const whole = await read(order, 1000, 1_000_000);
    assert.equal(whole.rows, 60);
    assert.equal(new Set(whole.text.split("\n")).size, 61, order);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 61 }), fc.integer({ min: 1, max: 400 }), async (rowsMax, bytesMax) => {
        assert.deepEqual(await read(order, rowsMax, bytesMax), whole);
      }),
      { numRuns: 6 },
    );
  }
});

test("the database writes cells as we do, whatever they hold", async () => {
  const { project } = await testShop(db);
  await insertCustomers(project.id, 1);
  const owner = { id: project.id, secret: "s", case_sensitive_codes: false };
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: fc.constantFrom('"', ",", "\n", "\r", "=", "-", "1", ".", "+", "@", "\t", "＝", "'") }),
  );
  await fc.assert(
    fc.asyncProperty(text, async (given) => {
      const name = given.replaceAll("\0", "");
      await db`update customers set name = ${name} where project_id = ${project.id}`;
      const read = (format: "CSV" | "JSONL") =>
        readBlock(db, owner, EXPORT_OBJECTS.customer, {
          plan: { columns: ["name"], order: "id", format, at: NOW },
          last: null,
          rowsMax: 9,
          bytesMax: 9,
        });
      assert.equal((await read("CSV"))!.text, `${csvCell(name)}\n`);
      assert.deepEqual(JSON.parse((await read("JSONL"))!.text), { name });
    }),
    { numRuns: 60 },
  );
});

test("a turn that ends early is gone on with, and the file says that it is of two moments", async () => {
  const shop = await testShop(db);
  await insertCustomers(shop.project.id, 45_000);
  const id = await start(shop, { order: "created_at" });
  assert.equal(await oneBlock(shop, id), "more");
  const [{ status, rows }] = await db<
    [{ status: string; rows: number }]
  >`select status, rows from exports where id = ${id}`;
  assert.equal(status, "IN_PROGRESS");
  assert.ok(rows > 0 && rows < 45_000);
  const half = await shop.ok(`GET /v1/exports/${id}`);
  assert.deepEqual([half.status, half.result], ["IN_PROGRESS", null]);
  // Behind what is read, and before it: the second moment shows the first of them only.
  await insertCustomers(shop.project.id, 5, 50_000);
  await db`delete from customers where project_id = ${shop.project.id} and id = 'cust_0000001'`;
  await runExports.run(job);
  const lines = await linesOf(shop, id);
  assert.equal(lines.length, 45_005);
  assert.equal(new Set(lines).size, lines.length, "no row twice");
  const { result } = await shop.ok(`GET /v1/exports/${id}`);
  assert.deepEqual([result.rows, result.is_snapshot], [45_005, false]);
  await assertInvariants();
});

test("within a turn all rows are of one moment, whatever is written meanwhile", async () => {
  const shop = await testShop(db);
  const { project } = shop;
  await insertCustomers(project.id, 45_000);
  const id = await start(shop, { order: "created_at" });
  let blocks = 0;
  const mayGoOn = async () => {
    blocks += 1;
    await insertCustomers(project.id, 3, 60_000 + 10 * blocks);
    await db`update customers set name = 'changed' where project_id = ${project.id} and id > 'cust_004'`;
    return true;
  };
  const done = await runExport({ db, now: () => NOW, mayGoOn }, { project_id: project.id, id, clock_offset_ms: 0 });
  assert.equal(done, "done");
  assert.ok(blocks >= 2);
  const lines = await linesOf(shop, id);
  assert.equal(lines.length, 45_000);
  assert.ok(!lines.some((line) => line.endsWith(",changed")));
  assert.equal((await shop.ok(`GET /v1/exports/${id}`)).result.is_snapshot, true);
});

/** A pool that counts the blocks that are read with it, and says how long each may take. */
const counting = () => {
  const read: { blocks: number; ms: number[] } = { blocks: 0, ms: [] };
  const onQuery = (text: string, parameters: readonly unknown[]) => {
    if (text.includes("with page as materialized")) read.blocks += 1;
    if (text.includes("statement_timeout")) read.ms.push(Number(parameters[0]));
  };
  return { read, pool: open({ onQuery }) };
};

test("no block is read that a turn has no time for, so a moment lasts for ten minutes at most", async () => {
  const shop = await testShop(db);
  await insertCustomers(shop.project.id, 45_000);
  const todo = { project_id: shop.project.id, id: await start(shop, { order: "id" }), clock_offset_ms: 0 };
  const first = counting();
  assert.equal(await oneBlock(shop, todo.id, first.pool), "more");
  assert.deepEqual(first.read, { blocks: 1, ms: [600_000] });
  // The clock jumps by nine and a half minutes while the first block is read: the next one has what is left.
  const second = counting();
  let ms = Date.parse(NOW);
  const mayGoOn = async () => {
    ms += 570_000;
    return true;
  };
  const now = () => new Date(ms).toISOString();
  const rowsOf = async () => (await db<[{ rows: number }]>`select rows from exports where id = ${todo.id}`)[0].rows;
  await runExport({ db: second.pool, now, mayGoOn }, todo);
  assert.deepEqual(second.read, { blocks: 2, ms: [600_000, 30_000] });
  assert.equal(await rowsOf(), 45_000);
});

test("a block that takes longer than is left of its moment is read in another one, and is no failure", async () => {
  const shop = await testShop(db);
  await insertCustomers(shop.project.id, 45_000);
  const todo = { project_id: shop.project.id, id: await start(shop, { order: "id" }), clock_offset_ms: 0 };
  let ms = Date.parse(NOW);
  const mayGoOn = async () => {
    ms += 599_999;
    return true;
  };
  const turn = { db, now: () => new Date(ms).toISOString(), mayGoOn };
  assert.equal(await runExport(turn, todo), "more");
  const [row] = await db`select rows, failures, snapshots from exports where id = ${todo.id}`;
  assert.deepEqual({ ...row }, { rows: 20_000, failures: 0, snapshots: 1 });
  await runExports.run(job);
  const { result } = await shop.ok(`GET /v1/exports/${todo.id}`);
  assert.deepEqual([result.rows, result.is_snapshot], [45_000, false]);
});

test("two workers at once write each row once, and one that lost its connection saves nothing more", async () => {
  const shop = await testShop(db);
  await insertCustomers(shop.project.id, 45_000);
  const id = await start(shop, { order: "id" });
  await Promise.all([runExports.run(job), runExports.run(job), runExports.run(job)]);
  const lines = await linesOf(shop, id);
  assert.deepEqual([lines.length, new Set(lines).size], [45_000, 45_000]);

  const second = await start(shop, { order: "id" });
  const [lost, ended] = [open({ max: 2 }), Promise.withResolvers<void>()];
  // Its lock goes with its connection, while it waits: somebody else ends the export meanwhile.
  const mayGoOn = async () => {
    const held = `from pg_locks where locktype = 'advisory' and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())`;
    await countOnNodes(db, `select count(pg_terminate_backend(pid)) ${held}`);
    await until(async () => (await countOnNodes(db, `select count(*) ${held}`)) === 0, "nobody has the lock");
    await runExports.run(job);
    ended.resolve();
    return true;
  };
  const turn = runExport(
    { db: lost, now: () => NOW, mayGoOn },
    { project_id: shop.project.id, id: second, clock_offset_ms: 0 },
  );
  await assert.rejects(turn);
  await ended.promise;
  const again = await linesOf(shop, second);
  assert.deepEqual([again.length, new Set(again).size], [45_000, 45_000]);
  await assertInvariants();
});

test("a worker that is killed is replaced by another, which writes exactly what is left", async () => {
  const shop = await testShop(db);
  await insertCustomers(shop.project.id, 150_000);
  const id = await start(shop, { order: "id" });
  const from = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  const script = `
    const { openDb } = await import(${from("db/db.ts")});
    const { runExports } = await import(${from("jobs/run-exports.ts")});
    const { newId, now, random } = await import(${from("sources.ts")});
    await runExports.run({ db: openDb(process.argv[1]), newId, now, random });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, url], { stdio: "inherit" });
  const written = async () => (await db<[{ rows: number }]>`select rows from exports where id = ${id}`)[0].rows;
  await until(async () => (await written()) >= 20_000, "it is at work");
  child.kill("SIGKILL");
  await once(child, "close");
  assert.ok((await written()) < 150_000);
  // The server notices at its next read that nobody is there.
  await until(async () => {
    await runExports.run(job);
    return (await written()) === 150_000;
  }, "the export is free");
  const lines = await linesOf(shop, id);
  assert.deepEqual([lines.length, new Set(lines).size], [150_000, 150_000]);
  assert.equal(lines[149_999]!.split(",")[0], "cust_0149999");
  assert.equal((await shop.ok(`GET /v1/exports/${id}`)).result.is_snapshot, false);
});

test("a block that cannot be saved leaves nothing, and what fails time and again says so", async () => {
  const shop = await testShop(db);
  await insertCustomers(shop.project.id, 10);
  const id = await start(shop);
  await db`update exports set plan = plan || '{"columns": ["none"]}' where id = ${id}`;
  for (let n = 1; n <= 5; n += 1) {
    assert.equal((await shop.ok(`GET /v1/exports/${id}`)).status, "SCHEDULED");
    await assert.rejects(runExports.run(job));
  }
  const failed = await shop.ok(`GET /v1/exports/${id}`);
  assert.deepEqual(
    [failed.status, failed.result, failed.error],
    ["ERROR", null, { message: "It failed 5 times; the log says why." }],
  );
  assert.equal(
    (await db`select 1 from files where id = ${id}`).length,
    0,
    "nothing is kept of what nobody can download",
  );
  await runExports.run(job);
  const full = await start(shop);
  await assert.rejects(runExports.run({ ...job, filesBytesMax: 100 }), /may have 0 MB together/);
  const { status, error } = await shop.ok(`GET /v1/exports/${full}`);
  assert.deepEqual([status, error.message], ["ERROR", "The files of the project may have 0 MB together."]);
  await assertInvariants();
});

test("an export that always takes the database too long ends, and says so", async () => {
  const shop = await testShop(db);
  await insertCustomers(shop.project.id, 10);
  const id = await start(shop);
  const [held, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = db.begin(async (tx) => {
    await tx`select from files where project_id = ${shop.project.id} and id = ${id} order by id for no key update`;
    held.resolve();
    await end.promise;
  });
  await held.promise;
  const hurried = open({ statementTimeoutMs: 60 });
  const statusOf = async () => (await shop.ok(`GET /v1/exports/${id}`)).status;
  for (let runs = 0; runs < 40 && (await statusOf()) !== "ERROR"; runs += 1)
    await runExports.run({ ...job, db: hurried }).catch(() => {});
  end.resolve();
  await holding;
  const { status, error } = await shop.ok(`GET /v1/exports/${id}`);
  assert.deepEqual([status, error?.message], ["ERROR", "A part of it took the database too long, 5 times."]);
});

test("exports take turns when several wait, and one alone goes on for ten minutes at most", async () => {
  const shops = [await testShop(db), await testShop(db)];
  const ids: string[] = [];
  for (const shop of shops) {
    await insertCustomers(shop.project.id, 45_000);
    ids.push(await start(shop, { order: "id" }));
  }
  // Each question takes four seconds: a turn is two blocks while another one waits.
  let ms = Date.parse(NOW);
  const after = (step: number) => () => {
    ms += step;
    return new Date(ms).toISOString();
  };
  const now = after(4_000);
  await runExports.run({ ...job, now });
  for (const [n, shop] of shops.entries()) {
    assert.equal((await linesOf(shop, ids[n]!)).length, 45_000);
  }
  const snapshots = await db<{ snapshots: number }[]>`select snapshots from exports where id = any(${ids})`;
  assert.ok(snapshots.some(({ snapshots: count }) => count > 1));
  const [alone] = shops;
  const id = await start(alone!, { order: "id" });
  await runExports.run({ ...job, now });
  assert.equal((await alone!.ok(`GET /v1/exports/${id}`)).result.is_snapshot, true);
  const slow = await start(alone!, { order: "id" });
  await runExports.run({ ...job, now: after(700_000) });
  const { result } = await alone!.ok(`GET /v1/exports/${slow}`);
  assert.deepEqual([result.rows, result.is_snapshot], [45_000, false]);
});

test("an export in an order that may change is read in one moment though others wait, and loses no row", async () => {
  const shop = await testShop(db);
  await insertCustomers(shop.project.id, 45_000);
  // In this order rows that change come first: who goes on behind the last row does not see them again.
  await db`update customers set updated_at = created_at where project_id = ${shop.project.id}`;
  const moving = await start(shop, { order: "-updated_at" });
  const [other, waits] = [await testShop(db), await testShop(db)];
  for (const one of [other, waits]) await start(one);
  let ms = Date.parse(NOW);
  // Each question takes four seconds. What is still to be read changes meanwhile.
  const now = () => {
    ms += 4_000;
    return new Date(ms).toISOString();
  };
  const changing = (async () => {
    await until(async () => {
      const [row] = await db<{ rows: number }[]>`select rows from exports where id = ${moving}`;
      return row!.rows > 0;
    }, "the first block is saved");
    await db`update customers set updated_at = ${NOW} where project_id = ${shop.project.id} and id < 'cust_0000100'`;
  })();
  await runExports.run({ ...job, now });
  await changing;
  const lines = await linesOf(shop, moving);
  assert.equal(new Set(lines).size, 45_000);
  assert.equal((await shop.ok(`GET /v1/exports/${moving}`)).result.is_snapshot, true);
});

test("a project with many exports that wait has two turns, and others one each between them", async () => {
  const [full, other] = [await testShop(db), await testShop(db)];
  for (let n = 0; n < 5; n += 1) await start(full);
  const id = await start(other);
  const list = await listExportsToDo(db, 2);
  assert.deepEqual(
    list.map(({ project_id }) => project_id),
    [full, other, full].map(({ project }) => project.id),
  );
  let ms = Date.parse(NOW);
  const now = () => {
    ms += 1;
    return new Date(ms).toISOString();
  };
  await runExports.run({ ...job, now });
  const ended = await db<{ id: string }[]>`select id from exports where project_id = any(${[
    full.project.id,
    other.project.id,
  ]}) order by updated_at`;
  assert.equal(
    ended.findIndex((one) => one.id === id),
    1,
    "after one of the other project",
  );
});

test("an export that is being written when somebody is erased begins anew, without them", async () => {
  const shop = await testShop(db);
  await insertCustomers(shop.project.id, 45_000);
  const id = await start(shop, { order: "id" });
  assert.equal(await oneBlock(shop, id), "more");
  await shop.ok("POST /v1/customers/s7/permanent-deletion");
  await purgeExpired.run(job);
  await runExports.run(job);
  const lines = await linesOf(shop, id);
  assert.equal(lines.length, 44_999);
  assert.ok(!lines.some((line) => line.startsWith("cust_0000007,")));
  // The last row of a block has the value that rows are ordered by, also where the file itself tells of nobody.
  const plain = await start(shop, { order: "id", fields: ["created_at"] });
  assert.equal(await oneBlock(shop, plain), "more");
  const [{ last_row }] = await db<[{ last_row: LastRow }]>`select last_row from exports where id = ${plain}`;
  await shop.ok(`POST /v1/customers/${last_row.id}/permanent-deletion`);
  await runExports.run(job);
  assert.equal((await linesOf(shop, plain)).length, 44_998);
  // One that was read before the erasure and saved after it is thrown away, too.
  const second = await start(shop, { order: "id" });
  const mayGoOn = async () => {
    await shop.ok("POST /v1/customers/s8/permanent-deletion");
    return true;
  };
  const todo = { project_id: shop.project.id, id: second, clock_offset_ms: 0 };
  assert.equal(await runExport({ db, now: () => NOW, mayGoOn }, todo), "more");
  await runExports.run(job);
  assert.equal((await linesOf(shop, second)).length, 44_997);
  await assertInvariants();
});

test("an export that is begun anew time and again, since customers are erased, ends and says so", async () => {
  const shop = await testShop(db);
  await insertCustomers(shop.project.id, 30_000);
  const todo = { project_id: shop.project.id, id: await start(shop, { order: "id" }), clock_offset_ms: 0 };
  const statusOf = async () => (await shop.ok(`GET /v1/exports/${todo.id}`)).status;
  let erased = 0;
  for (; erased < 20 && (await statusOf()) !== "ERROR"; erased += 1) {
    await oneBlock(shop, todo.id);
    await shop.ok(`POST /v1/customers/s${erased}/permanent-deletion`);
  }
  const { error } = await shop.ok(`GET /v1/exports/${todo.id}`);
  assert.match(error.message, /^Customers were erased while it was written, 10 times/);
  assert.equal((await db`select 1 from files where id = ${todo.id}`).length, 0);
  assert.equal(await oneBlock(shop, todo.id), "gone");
  await assertInvariants();
});

test("what was read before somebody was erased is not saved, whoever began the export anew meanwhile", async () => {
  const shop = await testShop(db);
  await insertCustomers(shop.project.id, 30_000);
  const todo = { project_id: shop.project.id, id: await start(shop, { order: "id" }), clock_offset_ms: 0 };
  // Another worker finds the file ended, and empties it: it stands where this one began.
  const mayGoOn = async () => {
    await shop.ok("POST /v1/customers/s3/permanent-deletion");
    assert.equal(await oneBlock(shop, todo.id), "gone");
    return true;
  };
  assert.equal(await runExport({ db, now: () => NOW, mayGoOn }, todo), "gone");
  await runExports.run(job);
  const lines = await linesOf(shop, todo.id);
  assert.equal(lines.length, 29_999);
  assert.ok(!lines.some((line) => line.startsWith("cust_0000003,")));
});

test("an export that waits for an erasure sees that its file has ended, also when that was while it waited", async () => {
  const shop = await testShop(db);
  await insertCustomers(shop.project.id, 30_000);
  const todo = { project_id: shop.project.id, id: await start(shop, { order: "id" }), clock_offset_ms: 0 };
  let ms = Date.parse(NOW);
  const now = () => new Date(ms).toISOString();
  const [locked, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let erasing: Promise<unknown> | undefined;
  const mayGoOn = async () => {
    erasing = db.begin(async (tx) => {
      await tx`select 1 from files where project_id = ${todo.project_id} and id = ${todo.id} for no key update`;
      locked.resolve();
      await end.promise;
      await tx`update files set expires_at = ${now()} where id = ${todo.id}`;
    });
    await locked.promise;
    return true;
  };
  const running = runExport({ db, now, mayGoOn }, todo);
  await until(async () => {
    return (await lockWaits(db)) > 0;
  }, "the export waits for its file");
  ms += 5_000;
  end.resolve();
  await erasing;
  assert.equal(await running, "more");
  const [row] = await db`select rows, restarts, last_row from exports where id = ${todo.id}`;
  assert.deepEqual([row!.rows, row!.restarts, row!.last_row], [0, 1, null]);
  await runExports.run({ ...job, now });
  assert.equal((await linesOf(shop, todo.id)).length, 30_000);
});

test("an export that is deleted while it is written is given up, and files go after 90 days", async () => {
  const shop = await testShop(db);
  await insertCustomers(shop.project.id, 45_000);
  const id = await start(shop);
  const mayGoOn = async () => (await shop.call(`DELETE /v1/exports/${id}`)).status === 204;
  const todo = { project_id: shop.project.id, id, clock_offset_ms: 0 };
  assert.equal(await runExport({ db, now: () => NOW, mayGoOn }, todo), "gone");
  assert.equal((await db`select 1 from file_chunks where file_id = ${id}`).length, 0);
  const kept = await start(shop);
  await runExports.run(job);
  const { result } = await shop.ok(`GET /v1/exports/${kept}`);
  const at = (day: number) => ({ ...job, now: () => new Date(Date.parse(NOW) + day * 86_400_000).toISOString() });
  await purgeExpired.run(at(89));
  assert.equal((await shop.call(`GET ${result.url}`)).status, 200);
  await purgeExpired.run(at(91));
  assertRefused(await shop.call(`GET ${result.url}`), "unauthorized");
  assertRefused(await shop.call(`GET /v1/exports/${kept}`), "not_found");
});

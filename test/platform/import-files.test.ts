import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { test } from "node:test";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import type { ApiError } from "../../src/core/errors.ts";
import { transaction } from "../../src/db/batches/commit.ts";
import type { Pool } from "../../src/db/db.ts";
import { PRODUCT_FILE } from "../../src/flows/catalogue/import-goods.ts";
import { purgeExpired } from "../../src/jobs/purge-expired.ts";
import { runAsyncActions } from "../../src/jobs/run-async-actions.ts";
import { CHUNK_BYTES, getFile } from "../../src/resources/platform/files/store.ts";
import { type CsvPlace, readHead, readRows } from "../../src/steps/bulk/csv.ts";
import { enqueueFile } from "../../src/steps/bulk/imports.ts";
import { dropUpload, storeUpload } from "../../src/steps/bulk/upload.ts";
import { NOW, newId, testDatabase, testProject } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";
import { until } from "../support/storage.ts";
import { uploadTo } from "../support/uploads.ts";

const { db, url } = await testDatabase();
const MB = 1_048_576;
// The gate imports 10 MB and 6,000 rows; `npm run test:imports` a file of 1 GB and 1,000,000 rows, and looks at the memory.
const FILE_MB = Number(process.env.IMPORT_MB ?? 10);
const IMPORT_ROWS = Number(process.env.IMPORT_ROWS ?? 6_000);
const IS_LONG = process.env.IMPORT_MB !== undefined || process.env.IMPORT_ROWS !== undefined;
const MEMORY = IS_LONG ? ", in memory that does not grow with it" : "";
const LONG_MS = 3_600_000;

async function stored(projectId: string, content: AsyncIterable<Uint8Array>) {
  const share = <T>(run: (own: Pool) => Promise<T>) => run(db);
  const target = { share, projectId, newId, now: () => NOW, isPersonal: false, filesBytesMax: 4096 * MB };
  return storeUpload(target, content);
}

/** The rows of a file, read so many at a time. */
async function rowsOf(projectId: string, bytes: Buffer, rowsMax: number): Promise<string[][]> {
  const { file_id } = await stored(
    projectId,
    (async function* () {
      yield bytes;
    })(),
  );
  const file = await getFile(db, projectId, file_id);
  const head = await readHead(db, file);
  assert.ok(!("fault" in head), JSON.stringify(head));
  const rows = [head.header];
  for (let [place, isEnd] = [{ offset: head.offset, line: head.line }, false]; !isEnd; ) {
    const read = await readRows(db, file, { ...place, delimiter: head.delimiter, rowsMax });
    rows.push(...read.rows.map(({ cells }) => cells));
    [place, isEnd] = [read.next, read.isEnd];
  }
  await dropUpload(db, projectId, file_id);
  return rows;
}

test("law: a file that is read in pieces of any size has the rows that were written, whatever they hold", async () => {
  const { id } = await testProject(db);
  const cell = fc.oneof(
    fc.constantFrom("a,b", 'say "x"', "two\\nlines".replace("\\n", "\n"), "é€", "\t", ";"),
    fc.string({ maxLength: 8 }),
  );
  const readable = (text: string) => !text.includes("\0") && !text.includes("\r") && text.isWellFormed();
  const row = fc.tuple(fc.constant("x"), cell.filter(readable), cell.filter(readable));
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), async (rows, rowsMax) => {
      const all = [["one", "two", "three"], ...rows];
      const text = stringify(all, { quoted: true });
      assert.deepEqual(await rowsOf(id, Buffer.from(text), rowsMax), all);
    }),
    { numRuns: 40 },
  );
});

test("law: lines with a wrong quotation mark fail alone, and all other rows are what was written", async () => {
  const { id } = await testProject(db);
  const cell = fc.constantFrom("a,b", 'say "x"', "two\nlines", "", "é", '"', "plain");
  const good = fc.tuple(fc.constant("x"), cell, cell);
  const bad = fc.constantFrom('y,"5"" pipe,z', 'y,"a"b,z', 'y,"a" ,z', '"y"",a,z', 'y,"a""b"c",z');
  const lines = fc.array(fc.oneof({ weight: 3, arbitrary: good }, bad), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      lines,
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom("\n", "\r\n"),
      async (all, rowsMax, end) => {
        const head = ["one", "two", "three"];
        // A row behind the last: without it a mark that is open to the end of the file would be another fault.
        const written = [head, ...all, ["x", "y", "z"]];
        const text = written.map((row) =>
          typeof row === "string" ? row + end : stringify([row], { quoted: true, record_delimiter: end }),
        );
        const read = await rowsOf(id, Buffer.from(text.join("")), rowsMax);
        assert.deepEqual(
          read,
          written.map((row) => (typeof row === "string" ? [row] : row)),
        );
      },
    ),
    { numRuns: 60 },
  );
});

test("a row that spans chunks is read as one, and bytes of one character are never parted", async () => {
  const { id } = await testProject(db);
  const rows = Array.from({ length: 40 }, (_, n) => [`k${n}`, `${"é".repeat(9_000 + n)}`, "z"]);
  const all = [["one", "two", "three"], ...rows];
  assert.deepEqual(await rowsOf(id, Buffer.from(stringify(all)), 3), all);
});

test("a line that is longer than a row may be fails alone, wherever it ends, and the next line is the next row", async () => {
  const { id } = await testProject(db);
  for (const end of ["\n", "\r\n", "\r"]) {
    const text = ["a,b", "1,2", `"${"x".repeat(2 * MB)}`, "3,4", `"${"y".repeat(MB)}`].join(end);
    const rows = await rowsOf(id, Buffer.from(text), 10);
    assert.deepEqual(
      rows.map((cells) => (cells.length === 1 ? cells[0]!.slice(0, 2) : cells)),
      [["a", "b"], ["1", "2"], '"x', ["3", "4"], '"y'],
    );
  }
});

async function* largeFile(bytes: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from("name,source_id,price,note\n");
  let [n, sent] = [0, 0];
  while (sent < bytes) {
    let text = "";
    // Few rows with much text: what is measured is the file, and not how quickly products are made.
    for (let row = 0; row < 10; row += 1, n += 1)
      text += `Product ${n},large-${n},1.50,"${"lorem ipsum, ".repeat(700)}"\n`;
    sent += text.length;
    yield Buffer.from(text);
  }
}

test("no more of a file is held at once than a turn has rows, nor more than a few chunks of it", async () => {
  const { id } = await testProject(db);
  const { file_id, bytes } = await stored(id, largeFile(4 * MB));
  const file = await getFile(db, id, file_id);
  const head = await readHead(db, file);
  assert.ok(!("fault" in head));
  let [turns, place]: [number, CsvPlace] = [0, head];
  for (let isEnd = false; !isEnd; turns += 1) {
    const read = await readRows(db, file, { ...place, delimiter: head.delimiter, rowsMax: 20 });
    const held = read.rows.reduce((sum, { cells }) => sum + cells.join("").length, 0);
    assert.ok(read.rows.length <= 20, `${read.rows.length} rows`);
    assert.ok(held <= CHUNK_BYTES, `${held} characters`);
    [place, isEnd] = [read.next, read.isEnd];
  }
  assert.ok(turns >= bytes / CHUNK_BYTES, `${turns} turns`);
});

async function importProducts(it: Awaited<ReturnType<typeof testShop>>, content: AsyncIterable<Uint8Array>) {
  const upload = { ...(await stored(it.project.id, content)), fields: {} };
  const { async_action_id } = await transaction(db, (tx) =>
    enqueueFile(
      { db: tx, project: it.project, caller: { kind: "app", key_id: "app" }, newId, now: NOW, request_id: "v-1" },
      "PRODUCTS.IMPORT_CSV",
      { upload, columns: PRODUCT_FILE.columns, options: {} },
    ),
  );
  await runAsyncActions.run({ db, now: () => NOW, newId, random: randomBytes });
  const { result } = await it.ok(`GET /v1/async-actions/${async_action_id}`);
  assert.equal(result.failed_count, 0, JSON.stringify(result).slice(0, 500));
  assert.equal((await it.ok("GET /v1/products?limit=1")).total, result.done_count);
  return result.done_count as number;
}

/** By how many bytes the process grew, at the most, while something was done. */
async function growthOf(run: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  await run().finally(() => clearInterval(timer));
  return most - before;
}

/** Few columns and short ones: so many rows are a file of 40 bytes for each. */
async function* manyRows(count: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from("name,source_id,price\n");
  for (let n = 0; n < count; n += 1_000) {
    const rows = Array.from({ length: Math.min(1_000, count - n) }, (_, k) => `Product ${n + k},many-${n + k},1.50\n`);
    yield Buffer.from(rows.join(""));
  }
}

test(`a file of ${FILE_MB} MB is stored and imported${MEMORY}`, { timeout: LONG_MS }, async () => {
  const it = await testShop(db);
  const growth = await growthOf(() => importProducts(it, largeFile(FILE_MB * MB)));
  // What a process takes for its first turns does not depend on the file: it is measured where that is large.
  if (IS_LONG) assert.ok(growth < 100 * MB, `it grew by ${Math.round(growth / MB)} MB`);
});

test(`${IMPORT_ROWS} rows are imported${MEMORY}`, { timeout: LONG_MS }, async () => {
  // A process takes up to 192 MB for young objects in its first turns, however long the file is: that is no growth with the file.
  if (IS_LONG) await importProducts(await testShop(db), manyRows(100_000));
  const it = await testShop(db);
  const growth = await growthOf(async () => {
    assert.equal(await importProducts(it, manyRows(IMPORT_ROWS)), IMPORT_ROWS);
  });
  if (IS_LONG) assert.ok(growth < 100 * MB, `it grew by ${Math.round(growth / MB)} MB`);
});

test("a process that is killed in the middle loses nothing and does nothing twice", async () => {
  const it = await testShop(db);
  const rows = Array.from({ length: 10_000 }, (_, n) => `KILL${n},DISCOUNT_VOUCHER,10,PERCENT,1`);
  const head = "Code,Voucher Type,Value,Discount Type,Redeemed Quantity";
  const reply = await uploadTo(it, "POST /v1/vouchers/importCSV", [head, ...rows].join("\n"));
  const id = reply.body.async_action_id;
  const from = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  const script = `
    const { openDb } = await import(${from("db/db.ts")});
    const { runAsyncActions } = await import(${from("jobs/run-async-actions.ts")});
    const { newId, random } = await import(${from("sources.ts")});
    await runAsyncActions.run({ db: openDb(process.argv[1]), now: () => "${NOW}", newId, random });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, url], { stdio: "inherit" });
  const doneOf = async () =>
    Number((await db`select work from async_actions where id = ${id}`)[0]!.work?.done_count ?? 0);
  await until("some of it is done", async () => (await doneOf()) > 0 || child.exitCode !== null);
  child.kill("SIGKILL");
  await once(child, "exit");
  const [{ count }] = await db<[{ count: number }]>`select count(*) from vouchers where project_id = ${it.project.id}`;
  assert.ok(count > 0 && count < 10_000, `killed after ${count} codes`);
  // The server notices at its next read that nobody is there.
  await until("somebody else has done the rest", async () => {
    await runAsyncActions.run({ db, now: () => NOW, newId, random: randomBytes });
    return (await it.ok(`GET /v1/async-actions/${id}`)).status !== "IN_PROGRESS";
  });
  const { result } = await it.ok(`GET /v1/async-actions/${id}`);
  assert.deepEqual([result.done_count, result.failed_count], [10_000, 0]);
  const [codes] = await db`
    select count(*) as all, count(distinct code_folded) as different from vouchers where project_id = ${it.project.id}`;
  assert.deepEqual(codes, { all: 10_000, different: 10_000 });
  const [used] = await db`
    select count(*) as all, sum(redeemed_quantity)::int as redeemed from voucher_states
    where project_id = ${it.project.id}`;
  assert.deepEqual(used, { all: 10_000, redeemed: 10_000 });
});

test("an upload whose file was ended meanwhile is refused, whether its bytes are gone already or not", async () => {
  for (const isPurged of [true, false]) {
    const shop = await testShop(db);
    const { ok, project } = shop;
    await ok("POST /v1/customers", { source_id: "ann" });
    let ms = Date.parse(NOW);
    const now = () => new Date(ms).toISOString();
    const target = {
      ...{ share: <T>(run: (own: Pool) => Promise<T>) => run(db), projectId: project.id, newId, now },
      ...{ isPersonal: true, filesBytesMax: 4096 * MB },
    };
    const content = (async function* () {
      yield Buffer.alloc(2 * MB, "Source_id\nann\n");
      await ok("POST /v1/customers/ann/permanent-deletion");
      ms += 1_000;
      if (isPurged) await purgeExpired.run({ db, now, newId, random: randomBytes });
      yield Buffer.from("bob\n");
    })();
    const isRefused = ({ body }: ApiError) => body?.key === "upload_ended" && body.code === 409;
    await assert.rejects(storeUpload(target, content), isRefused);
    assert.equal((await db`select 1 from files where project_id = ${project.id}`).length, 0, "nothing of it stays");
  }
});

test("a file that was ended before the operation takes it is refused with 409, and is not imported", async () => {
  const shop = await testShop(db);
  const { file_id } = await stored(
    shop.project.id,
    (async function* () {
      yield Buffer.from("source_id,name\na,A\n");
    })(),
  );
  await db`update files set expires_at = ${NOW} where project_id = ${shop.project.id} and id = ${file_id}`;
  const caller = { kind: "app", key_id: "test" } as const;
  const taking = transaction(db, (tx) =>
    enqueueFile({ db: tx, newId, now: NOW, request_id: "r", caller, project: shop.project }, "PRODUCTS.IMPORT_CSV", {
      ...{ upload: { file_id, bytes: 1, sha256: "", fields: {} }, columns: PRODUCT_FILE.columns, options: {} },
    }),
  );
  await assert.rejects(taking, ({ body }: ApiError) => body?.key === "upload_ended");
});

import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { readBackup, writeBackup } from "../../src/db/backup.ts";
import type { Pool } from "../../src/db/db.ts";
import { migrate, readMigrations } from "../../src/db/migrate.ts";
import { tablesInOrder } from "../../src/db/tenant-tables.ts";
import { NOW, newId, testDatabase, testProject } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";
import { emptyDatabase, testDir, until } from "../support/storage.ts";

const { db, url, open } = await testDatabase();
const dir = testDir();
let count = 0;
const newFile = () => join(dir, `backup-${++count}`);
const empty = () => emptyDatabase(db, url);

// What a line, a column or a row of the file could be mistaken for.
const TEXTS = [
  "plain",
  "tab\there",
  "line\nfeed",
  "carriage\r\nreturn",
  "back\\slash \\n \\t \\N \\.",
  "\\.",
  "\\end 0",
  "\\table projects id",
  "\u2028 and \u2029 and \u0085",
  "日本語 🎉 e\u0301",
  " ",
  "NULL",
  '"quoted" {a,b}',
  "\u0001\u001f\u007f",
];

async function fill(target: Pool) {
  const { call, project } = await testShop(target, {
    name: TEXTS.join("|"),
    client_trusted_domains: ["https://a.example", "*"],
  });
  for (const [n, name] of TEXTS.entries())
    assert.equal(
      (await call("POST /v1/categories", { name, hierarchy: n }, { "idempotency-key": `k${n}` })).status,
      200,
    );
  const row = { project_id: project.id, id: newId("ms"), name: "odd", created_at: NOW, updated_at: null };
  const schema = { properties: { [TEXTS[4]!]: { type: "string", deep: [null, 1.5, true, TEXTS] } } };
  await target`insert into custom_event_schemas ${target({ ...row, schema: target.json(schema as never) } as never)}`;
  return project;
}
/** Every row of every table, as text. */
async function contentsOf(target: Pool): Promise<Record<string, string[]>> {
  const tables: Record<string, string[]> = {};
  for (const table of (await tablesInOrder(target)).filter((name) => name !== "migrations")) {
    const rows = await target<{ row: string }[]>`select t::text as row from ${target(table)} t`;
    tables[table] = rows.map(({ row }) => row).sort();
  }
  return tables;
}
const isEmpty = async (target: Pool) => {
  const [there] = await target`select to_regclass('laurel.projects') is not null as projects`;
  return !there!.projects || Object.values(await contentsOf(target)).every((rows) => rows.length === 0);
};

await fill(db);
const original = newFile();
const written = await writeBackup(db, { file: original, now: NOW });
const contents = await contentsOf(db);

test("a backup holds every row of every table, and its file is for its owner only", () => {
  const rows = Object.values(contents).flat().length;
  assert.ok(rows > TEXTS.length * 3);
  assert.equal(written, rows);
  assert.equal(fs.statSync(original).mode & 0o777, 0o600);
});

test("a backup holds secrets that can be read again only encrypted", async () => {
  const { ok, project } = await testShop(db);
  const inProject = `/management/v1/projects/${project.id}`;
  const { webhook_token: first } = await ok(`GET ${inProject}`);
  const { webhook_token: second } = await ok(`POST ${inProject}/webhook-secret/rotate`);
  const file = newFile();
  await writeBackup(db, { file, now: NOW });
  const backup = gunzipSync(fs.readFileSync(file)).toString("utf8");
  assert.ok(backup.includes(project.id));
  for (const secret of [first, second]) assert.ok(!backup.includes(secret));
  for (const { stored } of await db<{ stored: string }[]>`
    select webhook_token as stored from projects where id = ${project.id}
    union all select previous from webhook_secrets where project_id = ${project.id}`)
    assert.ok(stored.startsWith("v1:") && backup.includes(stored));
});

test("restored into another database all tables are equal, whatever characters they hold", async () => {
  const other = await empty();
  const seen: Record<string, number> = {};
  const progress = (table: string, rows: number) => {
    seen[table] = rows;
  };
  assert.equal(await readBackup(other.db, { file: original, progress }), written);
  assert.deepEqual(await contentsOf(other.db), contents);
  assert.deepEqual(seen, Object.fromEntries(Object.entries(contents).map(([table, rows]) => [table, rows.length])));
  assert.deepEqual(await migrate(other.db), [], "its migrations are known to be applied");
  const again = newFile();
  await writeBackup(other.db, { file: again, now: NOW });
  assert.deepEqual(gunzipSync(fs.readFileSync(again)), gunzipSync(fs.readFileSync(original)));
});

test("restored into the same database after it was emptied, everything is as it was", async () => {
  const same = await empty();
  await migrate(same.db);
  await fill(same.db);
  const [file, before] = [newFile(), await contentsOf(same.db)];
  await writeBackup(same.db, { file, now: NOW });
  await same.db`drop schema laurel cascade`;
  await readBackup(same.open(), { file });
  assert.deepEqual(await contentsOf(same.db), before);
});

test("a file that exists is not overwritten, and a backup that fails leaves no file", async () => {
  const file = newFile();
  fs.writeFileSync(file, "precious");
  await assert.rejects(writeBackup(db, { file, now: NOW }), /EEXIST/);
  assert.equal(fs.readFileSync(file, "utf8"), "precious");

  const unfinished = newFile();
  const failing = open({ max: 1 });
  const progress = () => {
    throw new Error("the disk is full");
  };
  await assert.rejects(writeBackup(failing, { file: unfinished, now: NOW, progress }), /the disk is full/);
  assert.equal(fs.existsSync(unfinished), false);
  assert.equal((await failing`select 1`).length, 1, "the connection can be used on");
});

test("a database that holds anything is refused and stays as it is", async () => {
  const before = await contentsOf(db);
  await assert.rejects(readBackup(db, { file: original }), /not empty.*another DATABASE_URL or LAUREL_DATA_DIR/);
  assert.deepEqual(await contentsOf(db), before);

  const keys = await empty();
  await migrate(keys.db);
  await keys.db`
    insert into keys (kind, id, name, secret_hash, created_at) values ('management', 'm', 'mine', 'hash', now())`;
  await assert.rejects(readBackup(keys.db, { file: original }), /not empty: it has keys/);
});

test("a restore that meets a first start does not mix with it", async () => {
  const target = await empty();
  await migrate(target.db);
  const started = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const first = target.db.begin(async (tx) => {
    await tx`select name from migrations where name = 'lock' order by name for no key update`;
    started.resolve();
    await goOn.promise;
    await tx`insert into signing_keys values ('first', 'secret', now())`;
  });
  await started.promise;
  const restore = readBackup(target.open(), { file: original });
  restore.catch(() => {});
  await until("the restore waits for the first start", async () => {
    const [{ count }] = await target.db<[{ count: number }]>`
      select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return count > 0;
  });
  goOn.resolve();
  await first;
  await assert.rejects(restore, /not empty: it has signing_keys/);
});

const text = gunzipSync(fs.readFileSync(original)).toString("utf8");
const BROKEN: [what: string, bytes: () => Buffer | string, message: RegExp][] = [
  ["cut off in the middle", () => fs.readFileSync(original).subarray(0, -200), /not a whole backup/],
  [
    "cut off in a table",
    () => gzipSync(text.slice(0, text.indexOf("Summer") - 40)),
    /end too early|not a whole backup/,
  ],
  ["without its end", () => gzipSync(text.replace(/\\end \d+\n$/, "")), /its end is missing/],
  ["with a row less", () => gzipSync(text.replace(/(\\table categories .*\n).*\n/, "$1")), /says \d+ rows and has \d+/],
  ["with a line of its own", () => gzipSync(text.replace("\\table keys", "hello\n\\table keys")), /unexpected line/],
  [
    "with a row that breaks a foreign key",
    () => gzipSync(text.replace(/(\\table keys .*\n\w+\t\S+\t)proj\w+/, "$1proj_no")),
    /foreign key/,
  ],
  [
    "with a row that lacks a column",
    () => gzipSync(text.replace(/(\\table signing_keys .*\n)/, "$1short\n")),
    /missing data|says|COPY/,
  ],
  [
    "of another format",
    () => gzipSync(text.replace('"laurel_backup":1', '"laurel_backup":2')),
    /not a backup of Laurel/,
  ],
  [
    "of a newer Laurel",
    () => gzipSync(text.replace('"migrations":[', '"migrations":[{"name":"9999_new.sql","checksum":""},')),
    /9999_new\.sql, which this version of Laurel does not know/,
  ],
  [
    "of other migrations",
    () => gzipSync(text.replace(/"checksum":"\w{8}/, '"checksum":"00000000')),
    /was changed after it ran/,
  ],
  ["that is text", () => "id,name\n1,Summer\n", /not a whole backup/],
  ["that is gzip of something else", () => gzipSync("id,name\n1,Summer\n"), /not a backup of Laurel/],
  ["that is empty", () => "", /not a whole backup of Laurel/],
];
test("a file that is no whole backup is refused, and the database stays empty", async (t) => {
  const target = await empty();
  for (const [what, bytes, message] of BROKEN) {
    await t.test(`a file ${what}`, async () => {
      const file = newFile();
      fs.writeFileSync(file, bytes());
      await assert.rejects(readBackup(target.db, { file }), message);
      assert.ok(await isEmpty(target.db));
    });
  }
  assert.equal(await readBackup(target.db, { file: original }), written, "a good file then works");
});

test("a file that does not exist is an error and not the end of the process", async () => {
  await assert.rejects(readBackup((await empty()).db, { file: join(dir, "nothing") }), /ENOENT/);
});

test("a backup of an older version is restored at its level and then migrated", async () => {
  const all = readMigrations();
  const older = await empty();
  const next = all.findIndex(({ name }) => name === "0038_tenants.sql");
  await migrate(older.db, all.slice(0, next));
  // As the version before wrote it: this one would write what is not there yet.
  const { id } = await testProject(db);
  const [made] = await db`
    select to_jsonb(p) as project, array(select to_jsonb(k) from keys k where project_id = ${id}) as keys
    from projects p where p.id = ${id}`;
  const { project, keys: keysOfProject } = made!;
  await older.db`
    insert into projects
    select * from jsonb_populate_record(null::projects, ${older.db.json({ ...project, catalog_revision: 7 })})`;
  await older.db`insert into keys select * from jsonb_populate_recordset(null::keys, ${older.db.json(keysOfProject)})`;
  const file = newFile();
  await writeBackup(older.db, { file, now: NOW });
  const target = await empty();
  await readBackup(target.db, { file });
  const names = async (pool: Pool) =>
    (await pool<{ name: string }[]>`select name from migrations where name <> 'lock' order by name`).map((m) => m.name);
  assert.deepEqual(
    await names(target.db),
    all.map(({ name }) => name),
  );
  const { projects, keys } = await contentsOf(target.db);
  assert.deepEqual([projects!.length, keys!.length], [1, 2]);
  const tenants = await target.db`select project_id, catalog_revision from tenants`;
  assert.deepEqual([...tenants], [{ project_id: id, catalog_revision: 7 }]);

  const newer = await empty();
  await migrate(newer.db);
  const { name } = all[next]!;
  await assert.rejects(
    readBackup(newer.db, { file }),
    new RegExp(`newer than the backup: it has the migration ${name}`),
  );
});

test("a backup while writes go on shows one moment", async () => {
  const busy = await empty();
  await migrate(busy.db);
  const { id: project_id } = await testProject(busy.db);
  // Each write adds one row to two tables, in one transaction: in any one moment they have as many.
  const write = (n: number) =>
    busy.db.begin(async (tx) => {
      const row = {
        project_id,
        id: `cat_${n}`,
        name: `Category ${n}`,
        hierarchy: n,
        created_at: NOW,
        updated_at: null,
      };
      await tx`insert into categories ${tx(row)}`;
      await tx`insert into catalog_changes values (${project_id}, ${n}, 'category', ${`cat_${n}`})`;
      await tx`update tenants set catalog_revision = ${n} where project_id = ${project_id}`;
    });
  let written = 0;
  let stop = false;
  const writer = (async () => {
    while (!stop) await write(++written);
  })();
  await until("it is busy", () => written > 20);
  const file = newFile();
  const pool = busy.open({ max: 1 });
  // Between two tables of the backup there is time for more writes.
  const seen = written;
  await writeBackup(pool, { file, now: NOW });
  await until("writes went on", () => written > seen + 20);
  stop = true;
  await writer;
  const target = await empty();
  await readBackup(target.db, { file });
  const [row] = await target.db<{ categories: number; changes: number; revision: number }[]>`
    select (select count(*) from categories) as categories, (select count(*) from catalog_changes) as changes,
      (select catalog_revision from tenants) as revision`;
  assert.deepEqual([row!.changes, row!.revision], [row!.categories, row!.categories]);
  assert.ok(row!.categories >= seen - 1 && row!.categories < written);
});

test("a table of any size is read to its end, and the next one is begun", { timeout: 600_000 }, async () => {
  // Around the size of the buffers between the socket and the file.
  for (const kilobytes of [1, 60, 64, 80, 100, 128, 150, 300])
    await db.begin(async (tx) => {
      const rows = tx`copy (select repeat('x', 1023) from generate_series(1, ${tx.unsafe(`${kilobytes}`)})) to stdout`;
      let bytes = 0;
      for await (const chunk of await rows.readable()) {
        bytes += chunk.length;
        await new Promise(setImmediate);
      }
      assert.equal(bytes, kilobytes * 1024);
      assert.equal((await tx`select 1`).length, 1);
    });
});

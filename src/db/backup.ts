import { createReadStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { Db, Pool } from "./db.ts";
import { appliedMigrations, migrate, readMigrations, refuseChanged } from "./migrate.ts";
import { tablesInOrder } from "./tenant-tables.ts";

// A backup is one gzip file of lines. The first is a JSON object: the format, and the migrations it was made with.
// Then for each table, parents first: `\table <name> <columns>`, its rows as COPY writes them, and `\.`. A last line
// `\end <rows>` says that the file is whole. In COPY's text form no row begins with a backslash and a letter of ours.
const FORMAT = 1;
const HEAD = /^\\table (\w+) ([\w,]+)$/;
const END = /^\\end (\d+)$/;

type Head = { laurel_backup: number; made_at: string; migrations: { name: string; checksum: string }[] };
export type BackupProgress = (table: string, rows: number) => void;

/** Writes everything that one snapshot shows, while the server goes on. The file is new, and for its owner only. */
export async function writeBackup(
  db: Pool,
  { file, now, progress = () => {} }: { file: string; now: string; progress?: BackupProgress },
): Promise<number> {
  const target = await open(file, "wx", 0o600);
  const write = db.begin("isolation level repeatable read read only", async (tx) => {
    const head: Head = { laurel_backup: FORMAT, made_at: now, migrations: [...(await appliedMigrations(tx))] };
    const tables = (await tablesInOrder(tx)).filter((name) => name !== "migrations");
    let total = 0;
    async function* lines(): AsyncGenerator<string | Buffer> {
      yield `${JSON.stringify(head)}\n`;
      for (const table of tables) {
        const columns = await tableColumns(tx, table);
        yield `\\table ${table} ${columns.join(",")}\n`;
        let rows = 0;
        const source = await tx`copy ${tx(table)} (${tx(columns)}) to stdout`.readable();
        for await (const chunk of source) {
          rows += countLines(chunk);
          yield chunk;
        }
        yield "\\.\n";
        total += rows;
        progress(table, rows);
      }
      yield `\\end ${total}\n`;
    }
    await pipeline(Readable.from(lines()), createGzip({ level: 6 }), target.createWriteStream({ flush: true }));
    return total;
  });
  try {
    return (await write) as number;
  } catch (error) {
    await target.close();
    await rm(file, { force: true });
    throw error;
  }
}

/**
 * Fills an empty database. The schema is brought to the migrations of the backup, the rows are copied in one
 * transaction, and then the migrations that are newer run: so a backup of an older version can be restored.
 */
export async function readBackup(
  db: Pool,
  { file, progress = () => {} }: { file: string; progress?: BackupProgress },
): Promise<number> {
  const lines = linesOf(file);
  const next = async () => (await lines.next()).value as string | undefined;
  const head = parseHead(await next());
  const all = readMigrations();
  refuseChanged(all, head.migrations);
  await refuseFilled(db, head);
  await migrate(
    db,
    all.filter(({ name }) => head.migrations.some((done) => done.name === name)),
  );

  const total = (await db.begin(async (tx) => {
    // The row that keeps two migrations apart also keeps a first start away, which would make a project.
    await tx`select name from migrations where name = 'lock' order by name for no key update`;
    await refuseFilled(tx, head);
    let total = 0;
    for (let line = await next(); line !== undefined; line = await next()) {
      const end = END.exec(line);
      if (end) {
        if (Number(end[1]) !== total) throw new Error(`${file} says ${end[1]} rows and has ${total}.`);
        return total;
      }
      const [, table, columns] = HEAD.exec(line) ?? [];
      if (!table || !columns) throw new Error(`${file} is not a whole backup: it has an unexpected line.`);
      const rows = await copyIn(tx, { table, columns: columns.split(","), next });
      total += rows;
      progress(table, rows);
    }
    throw new Error(`${file} is not a whole backup: its end is missing.`);
  })) as number;
  await migrate(db, all);
  return total;
}

async function copyIn(
  tx: Db,
  { table, columns, next }: { table: string; columns: string[]; next(): Promise<string | undefined> },
): Promise<number> {
  let rows = 0;
  async function* source(): AsyncGenerator<string> {
    for (let line = await next(); line !== "\\."; line = await next()) {
      if (line === undefined) throw new Error(`The rows of ${table} end too early.`);
      rows += 1;
      yield `${line}\n`;
    }
  }
  const target = await tx`copy ${tx(table)} (${tx(columns)}) from stdin`.writable();
  await pipeline(Readable.from(source()), target);
  return rows;
}

function parseHead(line: string | undefined): Head {
  try {
    const head = JSON.parse(line ?? "") as Head;
    if (head.laurel_backup === FORMAT) return head;
  } catch {
    // Falls through to the one message.
  }
  throw new Error("The file is not a backup of Laurel.");
}

/** Only an empty database takes a backup, and only one that is not newer than it. */
async function refuseFilled(db: Db, { migrations }: Head): Promise<void> {
  const [there] = await db`select to_regclass('laurel.migrations') is not null as migrations`;
  if (!there!.migrations) return;
  const other = "Restore into a new one: another DATABASE_URL or LAUREL_DATA_DIR.";
  const newer = (await appliedMigrations(db)).find(({ name }) => !migrations.some((one) => one.name === name));
  if (newer) throw new Error(`The database is newer than the backup: it has the migration ${newer.name}. ${other}`);
  for (const table of (await tablesInOrder(db)).filter((name) => name !== "migrations")) {
    const [any] = await db`select 1 from ${db(table)} limit 1`;
    if (any) throw new Error(`The database is not empty: it has ${table}. ${other}`);
  }
}

/** The lines of the file. Only a line feed ends one: readline would also stop at U+2028, which a text may hold. */
async function* linesOf(file: string): AsyncGenerator<string> {
  const source = createGunzip();
  createReadStream(file)
    .on("error", (error) => source.destroy(error))
    .pipe(source);
  let rest = "";
  try {
    for await (const chunk of source.setEncoding("utf8")) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop()!;
      yield* lines;
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code?.startsWith("Z_") ? new Error(`${file} is not a whole backup of Laurel: ${message}.`) : error;
  }
}

/** What a row has of the server that it is on: a restored row gets it anew. */
const OWN_TO_SERVER = ["transaction_id"];
const tableColumns = async (db: Db, table: string): Promise<string[]> =>
  (
    await db<{ name: string }[]>`
      select column_name as name from information_schema.columns
      where table_schema = 'laurel' and table_name = ${table} and column_name <> all(${OWN_TO_SERVER})
      order by ordinal_position`
  ).map(({ name }) => name);

const countLines = (chunk: Buffer): number => {
  let lines = 0;
  for (const byte of chunk) if (byte === 0x0a) lines += 1;
  return lines;
};

import type { Pool } from "../src/db/db.ts";
import { cpuOfFamily } from "./cpu.ts";
import type { Lab } from "./lab.ts";
import { median } from "./line.ts";
import { numbers } from "./shop.ts";

// The rows that an operation wrote, written once more by one statement. That is the least that any program could do which keeps
// the same. The copy has the same indexes and constraints, in a schema of its own.

type Row = Readonly<Record<string, unknown>>;
type Table = { name: string; key: string[]; columns: string[] };
type Changed = { table: Table; inserted: Row[]; updated: Row[] };

async function tablesOf(db: Pool): Promise<Table[]> {
  return db<Table[]>`
    select c.relname as name,
      array(select a.attname from pg_attribute a where a.attrelid = c.oid and a.attnum = any(i.indkey)) as key,
      array(select a.attname from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_index i on i.indrelid = c.oid and i.indisprimary
    where n.nspname = 'laurel' and c.relkind = 'r' order by c.relname`;
}

const named = (columns: readonly string[], of: string) => columns.map((name) => `${of}.${name}`).join(", ");

/** What some work changed: new rows, and rows that are others now. */
export async function changesOf(db: Pool, work: () => Promise<unknown>): Promise<Changed[]> {
  const tables = await tablesOf(db);
  await db.unsafe("drop schema if exists same_rows cascade; create schema same_rows");
  for (const { name } of tables)
    await db.unsafe(`create table same_rows.${name} (like laurel.${name} including all);
      insert into same_rows.${name} select * from laurel.${name}`);
  await work();
  const changed: Changed[] = [];
  for (const table of tables) {
    const { name, key } = table;
    const rows = (condition: string) =>
      db.unsafe(`
        select to_json(n) as row from laurel.${name} n
        left join same_rows.${name} o on (${named(key, "o")}) = (${named(key, "n")})
        where ${condition} order by n.ctid`) as unknown as Promise<{ row: Row }[]>;
    const inserted = (await rows(`o.${key[0]} is null`)).map(({ row }) => row);
    const updated = (await rows(`o.${key[0]} is not null and o::text <> n::text`)).map(({ row }) => row);
    if (inserted.length + updated.length > 0) changed.push({ table, inserted, updated });
  }
  await db.unsafe("analyze");
  return changed;
}

/** One statement that writes rows of every table: a parameter for each, as JSON. */
function statementOf(changed: readonly Changed[]): string {
  const parts = changed.flatMap(({ table: { name, key, columns }, inserted, updated }) => {
    const from = (n: string) => `json_populate_recordset(null::same_rows.${name}, ${n}::text::json)`;
    const others = columns.filter((column) => !key.includes(column));
    return [
      ...(inserted.length > 0 ? [(n: string) => `insert into same_rows.${name} select * from ${from(n)}`] : []),
      ...(updated.length > 0
        ? [
            (n: string) => `update same_rows.${name} o set (${others.join(", ")}) = row(${named(others, "r")})
              from ${from(n)} r where (${named(key, "o")}) = (${named(key, "r")})`,
          ]
        : []),
    ];
  });
  return `with ${parts.map((part, n) => `w${n} as (${part(`$${n + 1}`)})`).join(", ")} select 1`;
}

type Written = { rows: readonly Row[]; isNew: boolean };

/** The share of a list that one of so many batches writes. What all batches change, such as a sum of a campaign, is in each. */
const shareOf = ({ rows, isNew }: Written, batch: number, batches: number): readonly Row[] =>
  !isNew && rows.length < batches
    ? rows
    : rows.slice(Math.floor((batch * rows.length) / batches), Math.floor(((batch + 1) * rows.length) / batches));

/** Writes the rows of so many operations in so many statements, and says what one operation took. */
export async function writeAgain(
  { db, postmaster }: Pick<Lab, "db" | "postmaster">,
  changed: readonly Changed[],
  { operations, batches }: { operations: number; batches: number },
): Promise<{ cpu: number | null; p50: number }> {
  const statement = statementOf(changed);
  const lists = changed
    .flatMap(({ inserted, updated }): Written[] => [
      { rows: inserted, isNew: true },
      { rows: updated, isNew: false },
    ])
    .filter(({ rows }) => rows.length > 0);
  const parameters = numbers(batches).map((batch) =>
    lists.map((list) => JSON.stringify(shareOf(list, batch, batches))),
  );
  const spent = () => (postmaster === null ? null : cpuOfFamily(postmaster));
  const before = spent();
  const times: number[] = [];
  const connection = await db.reserve();
  try {
    for (const values of parameters) {
      const began = performance.now();
      await connection.unsafe(statement, values, { prepare: true });
      times.push(performance.now() - began);
    }
  } finally {
    connection.release();
  }
  const after = spent();
  const cpu = before === null || after === null ? null : ((after - before) * 1_000_000) / operations;
  return { cpu, p50: median(times) };
}

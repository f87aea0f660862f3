import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Pool, Tx } from "../../src/db/db.ts";

/** The table that all queries below read: `create table` it once. */
export const SETUP = `
  create table things (n int primary key, name text, data jsonb, at timestamptz, list text[], big bigint[]);
  insert into things
    select n, 'thing ' || n, jsonb_build_object('n', n), '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 day',
      array['a' || n, 'b "quoted" \\', null], array[n, n * 10]
    from generate_series(1, 12) n;
  create table copied (n int primary key check (n < 1000), name text);
  create table late (n int unique deferrable initially deferred)`;

/** Everything that a caller can see of a result. */
export const seen = (result: any): unknown =>
  Array.isArray(result) && "command" in result
    ? {
        length: result.length,
        rows: Object.keys(result).map((key) => [key, result[key as never]]),
        count: (result as any).count,
        command: (result as any).command,
        columns: (result as any).columns?.map(({ name, type }: any) => [name, type]) ?? null,
      }
    : Array.isArray(result)
      ? result.map(seen)
      : result;

export const textOf = async (source: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

export class Undone extends Error {}
/** Runs something in a transaction that leaves nothing behind, and gives what it gave. */
async function undone<T>(pool: Pool, run: (tx: Tx) => Promise<T>): Promise<T> {
  let value: { value: T } | undefined;
  await pool
    .begin(async (tx) => {
      value = { value: await run(tx as Tx) };
      throw new Undone();
    })
    .catch((error) => {
      if (!(error instanceof Undone)) throw error;
    });
  return value!.value;
}

export const copyIn = async (db: Pool | Tx, rows: string): Promise<void> => {
  const target = await (db as Pool)`copy copied (n, name) from stdin`.writable();
  await pipeline(Readable.from([rows]), target);
};
const copyOut = async (db: Pool | Tx) =>
  textOf(await (db as Pool)`copy (select n, name from things order by n) to stdout`.readable());

export type Query = (pool: Pool) => Promise<unknown>;

/** Every kind of query that a connection is used for. Each gives the same whenever it is asked on a whole connection. */
export const QUERIES: Record<string, Query> = {
  plain: async (pool) => seen(await pool`select n, name, data, at, list, big from things order by n`),
  "one row": async (pool) => seen(await pool`select 'mine' as whose, null as nothing`),
  "no rows": async (pool) => seen(await pool`select n from things where false`),
  prepared: async (pool) =>
    seen(await pool`select n, data from things where n <= ${4} and ${true} and list @> ${["a2"]} order by n`),
  "a text that nobody has sent before": async (pool) =>
    seen(
      await pool.unsafe(`select n, ${Math.random()} > 2 as never from things where n < $1 order by n`, [4], {
        prepare: true,
      }),
    ),
  unprepared: async (pool) => seen(await pool.unsafe("select n, name from things where n < $1 order by n", [5])),
  "several statements": async (pool) =>
    seen(
      await pool.unsafe(
        "select n from things where n < 3 order by n; select name from things where n = 9; select 1 as one where false",
      ),
    ),
  values: async (pool) => seen(await pool`select n, list from things order by n`.values()),
  raw: async (pool) => seen(await pool`select n, name from things order by n`.raw()),
  "for each row": async (pool) => {
    const rows: unknown[] = [];
    const result = await pool`select n, name from things order by n`.forEach((row) => void rows.push({ ...row }));
    return [rows, result.count, result.length];
  },
  "cursor with a function": async (pool) => {
    const pages: unknown[] = [];
    await pool`select n, name from things where n < ${10} order by n`.cursor(4, (rows) => void pages.push([...rows]));
    return pages;
  },
  "cursor in a loop": async (pool) => {
    const pages: unknown[] = [];
    for await (const rows of pool`select n from things order by n`.cursor(5)) pages.push([...rows]);
    return pages;
  },
  "cursor that is left": async (pool) => {
    for await (const rows of pool`select n from things order by n`.cursor(5)) return [...rows];
    return null;
  },
  insert: (pool) =>
    undone(pool, async (tx) => seen(await tx`insert into copied values (1, 'x'), (2, ${"y"}) returning n, name`)),
  update: (pool) => undone(pool, async (tx) => seen(await tx`update things set name = ${"new"} where n < ${7}`)),
  "COPY in": (pool) =>
    undone(pool, async (tx) => {
      await copyIn(tx, "1\tone\n2\ttwo\n");
      return seen(await tx`select n, name from copied order by n`);
    }),
  "COPY out": (pool) => undone(pool, copyOut),
  transaction: (pool) =>
    undone(pool, async (tx) => {
      const both = [tx`insert into copied values (1, 'x')`, tx`select n, name from copied`] as const;
      return seen(await Promise.all(both));
    }),
  "transaction that commits": async (pool) =>
    seen(await pool.begin(async (tx) => [await tx`select 1 as one`, await tx`select n from things order by n`] as any)),
  savepoint: (pool) =>
    undone(pool, async (tx) => {
      const failed = await tx
        .savepoint(async (inner) => {
          await inner`insert into copied values (1, 'x')`;
          await inner`select 1 / (3 - n) from things order by n`;
        })
        .catch((error) => (error as { code: string }).code);
      const inner = await tx.savepoint((one) => one`select n from things where n > 10 order by n`);
      return [failed, seen(inner), seen(await tx`select n from copied`)];
    }),
  description: async (pool) => {
    const { columns, types } = await (pool`select n, name from things where n = ${1}` as any).describe();
    return [columns.map(({ name, type }: any) => [name, type]), types];
  },
};

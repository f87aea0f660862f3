import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Pool } from "../../src/db/db.ts";
import { VOUCHER_IMPORT } from "../../src/flows/promotions/import-vouchers.ts";
import { runAsyncActions } from "../../src/jobs/run-async-actions.ts";
import { newId, now, random } from "../../src/sources.ts";
import { enqueueFile } from "../../src/steps/bulk/imports.ts";
import { storeUpload } from "../../src/steps/bulk/upload.ts";
import { ROUNDS } from "../compare.ts";
import { type Line, median } from "../line.ts";

const COLUMNS =
  "project_id campaign_id type settings category_id active additional_info id code code_folded created_at".split(" ");
const HEADER = "Code,Voucher Type,Value,Discount Type,Active,Redemption Limit\n";
const PIECE_ROWS = 1_000;
const MB = 1_048_576;

// A file of codes, stored and imported, against a plain COPY of the same rows into a table of the same shape with the same
// indexes. Both wait for the disk as they would in production.
export const importFile: Line = {
  name: "import",
  floor: 0.25,
  aim: 0.5,
  better: "higher",
  run: async ({ db, createProject }, { quick }) => {
    const count = quick ? 3_000 : 1_000_000;
    const each = Math.ceil(count / ROUNDS);
    const { id: projectId } = await createProject("Import");
    // An index is the faster the less is in it: both tables begin empty.
    await db`create table plain_copy (like vouchers including all)`;
    const rounds: { engine: number; baseline: number }[] = [];
    let grown = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const memory = watchMemory();
      const engine = await timed(db, () => importCodes(db, projectId, { from: round * each, count: each }));
      // Later rounds follow a baseline that holds all rows in memory.
      if (round === 0) grown = memory.end();
      else memory.end();
      const rows = await exported(db, projectId);
      rounds.push({ engine, baseline: await timed(db, () => plainCopy(db, rows)) });
    }
    const [counts] = await db`
      select (select count(*) from vouchers where project_id = ${projectId}) as a, (select count(*) from plain_copy) as b`;
    if (counts!.a !== each * ROUNDS || counts!.b !== each * ROUNDS) throw new Error(JSON.stringify(counts));
    await db`drop table plain_copy`;
    const rate = (side: "engine" | "baseline") => median(rounds.map((round) => (each / round[side]) * 1000));
    return {
      title: `${count} codes imported from a file, against a plain COPY of the same rows`,
      unit: "rows/s",
      baseline: rate("baseline"),
      engine: rate("engine"),
      ratio: median(rounds.map(({ engine, baseline }) => baseline / engine)),
      notes: [`memory grew by ${Math.round(grown / MB)} MB over a file of ${each} rows`],
    };
  },
};

/** Milliseconds, from a quiet server on. */
async function timed(db: Pool, run: () => Promise<void>): Promise<number> {
  await db`checkpoint`;
  const began = performance.now();
  await run();
  return performance.now() - began;
}

/** By how much the process grew at most. */
function watchMemory() {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 50);
  return {
    end: () => {
      clearInterval(timer);
      return most - before;
    },
  };
}

async function* fileOf({ from, count }: { from: number; count: number }): AsyncGenerator<Uint8Array> {
  yield Buffer.from(HEADER);
  for (let at = 0; at < count; at += PIECE_ROWS) {
    let text = "";
    for (let n = at; n < Math.min(count, at + PIECE_ROWS); n += 1)
      text += `IMPORT-${(from + n).toString(36).padStart(6, "0")},DISCOUNT_VOUCHER,10,PERCENT,true,1\n`;
    yield Buffer.from(text);
  }
}

async function importCodes(db: Pool, projectId: string, part: { from: number; count: number }): Promise<void> {
  const share = <T>(run: (own: Pool) => Promise<T>) => run(db);
  const target = { share, projectId, newId, now, isPersonal: false, filesBytesMax: undefined };
  const stored = await storeUpload(target, fileOf(part));
  const caller = { kind: "app", key_id: "bench" } as const;
  const { async_action_id } = (await db.begin((tx) =>
    enqueueFile(
      { db: tx, project: { id: projectId }, caller, newId, now: now(), request_id: "bench" },
      "VOUCHERS.IMPORT_CSV",
      { upload: { ...stored, fields: {} }, columns: VOUCHER_IMPORT.columns, options: {} },
    ),
  )) as { async_action_id: string };
  await runAsyncActions.run({ db, now, newId, random });
  const [action] = await db`select result from async_actions where id = ${async_action_id}`;
  if (action!.result?.done_count !== part.count) throw new Error(`The import ended with ${JSON.stringify(action)}`);
}

async function plainCopy(db: Pool, rows: readonly Buffer[]): Promise<void> {
  await db.begin(async (tx) => {
    const target = await tx`copy plain_copy (${tx(COLUMNS)}) from stdin`.writable();
    await pipeline(Readable.from(rows), target);
  });
}

/** The rows of the last round. */
async function exported(db: Pool, projectId: string): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  await db.begin(async (tx) => {
    // COPY takes no parameters.
    const own = tx.unsafe(`'${projectId}'`);
    const source = await tx`copy (select ${tx(COLUMNS)} from vouchers
      where project_id = ${own} and created_at > (select coalesce(max(created_at), '-infinity') from plain_copy)
      order by created_at) to stdout`.readable();
    for await (const piece of source) pieces.push(Buffer.from(piece as Buffer));
  });
  return pieces;
}

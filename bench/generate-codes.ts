import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { openDb, type Pool } from "../src/db/db.ts";
import { startEmbedded } from "../src/db/embedded.ts";
import { migrate } from "../src/db/migrate.ts";
import { createProject } from "../src/flows/create-project.ts";
import { runAsyncActions } from "../src/jobs/run-async-actions.ts";
import { enqueueAsyncAction } from "../src/resources/async-actions/store.ts";
import { newId, newSecret, now, random } from "../src/sources.ts";

// Codes generated into one campaign against a plain COPY of the same rows, in the same order, into a table of the same
// shape with the same indexes. Both wait for the disk as they would in production.
//   node bench/generate-codes.ts [count]
const COLUMNS = [
  ..."project_id campaign_id type settings category_id active additional_info id code code_folded created_at".split(
    " ",
  ),
];
const PROJECT = { name: "Bench", timezone: "UTC", currency: "EUR", case_sensitive_codes: false };

export type BenchResult = {
  name: string;
  /** Rows in a second. */
  baseline: number;
  engine: number;
  ratio: number;
  floor: number;
  aim: number;
};

const ROUNDS = 4;

export async function benchGenerateCodes(count = 1_000_000): Promise<BenchResult[]> {
  const dir = fs.mkdtempSync(join(os.tmpdir(), "laurel-bench-"));
  fs.chmodSync(dir, 0o755); // Started by root, the database runs as a user that must reach it.
  const server = await startEmbedded(dir);
  const db = openDb(server.url, { max: 4, statementTimeoutMs: 600_000 });
  try {
    await migrate(db);
    await db`create table plain_copy (like vouchers including all)`;
    const campaign = await createCampaign(db);
    const spent = { engine: 0, baseline: 0 };
    // In turns, so that whatever else the machine does slows both.
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await enqueue(db, campaign, count / ROUNDS);
      spent.engine += await timed(db, () => runAsyncActions.run({ db, now, newId, random }));
      const [action] = await db`select status, result from async_actions where id = ${id}`;
      if (action!.status !== "DONE") throw new Error(`The generation ended with ${JSON.stringify(action)}`);
      const rows = await exported(db);
      spent.baseline += await timed(db, () => plainCopy(db, rows));
    }
    const [counts] = await db`select (select count(*) from vouchers) as a, (select count(*) from plain_copy) as b`;
    if (counts!.a !== count || counts!.b !== count) throw new Error(`Not ${count} rows: ${JSON.stringify(counts)}`);
    const [baseline, engine] = [(count / spent.baseline) * 1000, (count / spent.engine) * 1000];
    return [{ name: `generate ${count} codes`, baseline, engine, ratio: engine / baseline, floor: 0.5, aim: 0.8 }];
  } finally {
    await db.end({ timeout: 5 });
    await server.stop();
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

/** Milliseconds, from a quiet server on. */
async function timed(db: Pool, run: () => Promise<void>): Promise<number> {
  await db`checkpoint`;
  const began = performance.now();
  await run();
  return performance.now() - began;
}

type Campaign = { project_id: string; campaign_id: string };

async function createCampaign(db: Pool): Promise<Campaign> {
  const [created_at, campaign_id] = [now(), newId("camp")];
  return db.begin(async (tx) => {
    const { project } = await createProject(tx, { newId, newSecret, now: created_at, is_sandbox: true }, PROJECT);
    const project_id = project.id;
    const kinds = { campaign_type: "DISCOUNT_COUPONS", type: "STATIC", voucher_type: "DISCOUNT_VOUCHER" };
    const statuses = { creation_status: "IN_PROGRESS", vouchers_generation_status: "IN_PROGRESS" };
    await tx`insert into campaigns ${tx({ project_id, id: campaign_id, name: "Bench", ...kinds, created_at })}`;
    await tx`insert into campaign_codes ${tx({ project_id, campaign_id, ...statuses })}`;
    return { project_id, campaign_id };
  }) as Promise<Campaign>;
}

async function enqueue(db: Pool, { project_id, campaign_id }: Campaign, count: number): Promise<string> {
  const id = newId("aa");
  const work = { campaign_id, count, code_config: { pattern: "BENCH-########" } };
  const type = "CAMPAIGN.VOUCHERS_GENERATE";
  await enqueueAsyncAction(db, { project_id, id, type, request_id: "bench", work, created_at: now() });
  return id;
}

async function plainCopy(db: Pool, rows: readonly Buffer[]): Promise<void> {
  await db.begin(async (tx) => {
    const target = await tx`copy plain_copy (${tx(COLUMNS)}) from stdin`.writable();
    await pipeline(Readable.from(rows), target);
  });
}

/** The rows of the last round as they were sent. */
async function exported(db: Pool): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  await db.begin(async (tx) => {
    const source = await tx`copy (select ${tx(COLUMNS)} from vouchers
      where created_at > (select coalesce(max(created_at), '-infinity') from plain_copy) order by created_at) to stdout`.readable();
    let [held, size]: [Buffer[], number] = [[], 0];
    for await (const piece of source) {
      held.push(Buffer.from(piece as Buffer));
      size += (piece as Buffer).length;
      if (size < 65_536) continue;
      pieces.push(Buffer.concat(held));
      [held, size] = [[], 0];
    }
    pieces.push(Buffer.concat(held));
  });
  return pieces;
}

if (import.meta.main) {
  for (const { name, baseline, engine, ratio, floor, aim } of await benchGenerateCodes(
    Number(process.argv[2] ?? 1_000_000),
  )) {
    const shown = (value: number) => `${Math.round(value).toLocaleString("en")} rows/s`;
    console.log(`${name}: ${shown(engine)}, plain COPY ${shown(baseline)}`);
    console.log(`ratio ${ratio.toFixed(2)} (floor ${floor}, aim ${aim})`);
    if (ratio < floor) process.exitCode = 1;
  }
}

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { runExports } from "../../src/jobs/run-exports.ts";
import { chunksOf, getFile } from "../../src/resources/platform/files/store.ts";
import { NOW, newId, testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db, open, url } = await testDatabase();
/** The rows of a block. */
const BLOCK = 20_000;
/** What the gate exports. `npm run test:exports` exports a million after it, and compares what both take of memory. */
const FEW = 50_000;
const MANY = Number(process.env.EXPORT_ROWS ?? 0);

type Shop = Awaited<ReturnType<typeof testShop>>;

/** Redemptions with these numbers, each a copy of one that was made, in one statement. */
async function insertRedemptions(projectId: string, from: number, to: number): Promise<void> {
  const columns = await db<{ name: string }[]>`
    select column_name as name from information_schema.columns
    where table_schema = 'laurel' and table_name = 'redemptions' order by ordinal_position`;
  const own: Record<string, string> = {
    id: "'r_' || lpad(to_hex(n), 24, '0')",
    created_at: "r.created_at + n * interval '1 millisecond'",
  };
  const values = columns.map(({ name }) => own[name] ?? `r.${name}`);
  await db.begin(async (tx) => {
    await tx`set local statement_timeout = 0`;
    await tx.unsafe(
      `insert into redemptions (${columns.map(({ name }) => name).join(", ")}) select ${values.join(", ")}
       from (select * from redemptions where project_id = $1 limit 1) as r, generate_series($2::int, $3::int) as n`,
      [projectId, from, to],
    );
  });
}

const start = async ({ ok }: Shop): Promise<string> =>
  (await ok("POST /v1/exports", { exported_object: "redemption" })).id;

/** Whether the file has all of them, of one moment. */
async function assertExported({ ok, project }: Shop, id: string, rows: number): Promise<void> {
  const { status, result } = await ok(`GET /v1/exports/${id}`);
  assert.deepEqual([status, result.rows, result.is_snapshot], ["DONE", rows, true]);
  let lines = 0;
  for await (const chunk of chunksOf(db, await getFile(db, project.id, id)))
    for (const byte of chunk) if (byte === 0x0a) lines += 1;
  assert.equal(lines, 1 + rows);
}

/** Exports in a process of its own, and returns the most memory that it had, in MB. */
async function memoryOf(shop: Shop, rows: number): Promise<number> {
  const id = await start(shop);
  const from = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  const script = `
    const { openDb } = await import(${from("db/db.ts")});
    const { runExports } = await import(${from("jobs/run-exports.ts")});
    const { newId, now, random } = await import(${from("sources.ts")});
    const db = openDb(process.argv[1]);
    await runExports.run({ db, newId, now, random });
    console.log(process.resourceUsage().maxRSS);
    await db.end();`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, url]);
  await assertExported(shop, id, rows);
  return Math.round(Number(stdout) / 1024);
}

test("however many redemptions are exported, no more than two blocks of them are held", {
  timeout: 1_800_000,
}, async () => {
  const shop = await testShop(db);
  await shop.ok("POST /v1/vouchers/TEN", { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } });
  await shop.ok("POST /v1/redemptions", { redeemables: [{ object: "voucher", id: "TEN" }] });
  await insertRedemptions(shop.project.id, 2, FEW);
  const [blocks, held]: [number[], number[]] = [[], [0]];
  const onQuery = (text: string, parameters: readonly unknown[]) => {
    const change = text.includes("with page as materialized") ? 1 : /^\s*update exports/.test(text) ? -1 : 0;
    if (change !== 0) held.push(held.at(-1)! + change);
    if (change === 1) blocks.push(...parameters.map(Number).filter((limit) => limit === BLOCK));
  };
  const id = await start(shop);
  await runExports.run({ db: open({ onQuery }), now: () => NOW, newId, random: Buffer.alloc });
  await assertExported(shop, id, FEW);
  // One block is being saved, and the next one is being read.
  assert.equal(blocks.length, Math.floor(FEW / BLOCK) + 1);
  assert.equal(Math.max(...held), 2);
  if (MANY <= FEW) return;
  const few = await memoryOf(shop, FEW);
  await insertRedemptions(shop.project.id, FEW + 1, MANY);
  const many = await memoryOf(shop, MANY);
  console.log(`${MANY} rows: ${many} MB at most; ${FEW} rows: ${few} MB`);
  assert.ok(many - few < 100, `${MANY} rows took ${many} MB, and ${FEW} rows ${few} MB`);
});

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Pool } from "../../src/db/db.ts";
import { runAsyncActions } from "../../src/jobs/run-async-actions.ts";
import { enqueueAsyncAction } from "../../src/resources/platform/async-actions/store.ts";
import { newId, now, random } from "../../src/sources.ts";
import { ROUNDS } from "../compare.ts";
import { type Line, median } from "../line.ts";

const COLUMNS =
  "project_id campaign_id type settings category_id active additional_info id code code_folded created_at".split(" ");

// Codes generated into one campaign against a plain COPY of the same rows, in the same order, into a table of the same
// shape with the same indexes. Both wait for the disk as they would in production.
export const generateCodes: Line = {
  name: "generate-codes",
  floor: 0.5,
  aim: 0.8,
  better: "higher",
  run: async ({ db, createProject }, { quick }) => {
    const count = quick ? 300 : 1_000_000;
    const each = Math.ceil(count / ROUNDS);
    const campaign = await createCampaign(db, (await createProject("Codes")).id);
    // An index is the faster the less is in it: both tables begin empty.
    await db`create table plain_copy (like vouchers including all)`;
    const rounds: { engine: number; baseline: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await enqueue(db, campaign, each);
      const engine = await timed(db, () => runAsyncActions.run({ db, now, newId, random }));
      const [action] = await db`select status, result from async_actions where id = ${id}`;
      if (action!.status !== "DONE") throw new Error(`The generation ended with ${JSON.stringify(action)}`);
      const rows = await exported(db, campaign);
      rounds.push({ engine, baseline: await timed(db, () => plainCopy(db, rows)) });
    }
    const { campaign_id } = campaign;
    const [counts] = await db`
      select (select count(*) from vouchers where campaign_id = ${campaign_id}) as a,
        (select count(*) from plain_copy) as b`;
    if (counts!.a !== each * ROUNDS || counts!.b !== each * ROUNDS) throw new Error(JSON.stringify(counts));
    await db`drop table plain_copy`;
    const rate = (side: "engine" | "baseline") => median(rounds.map((round) => (each / round[side]) * 1000));
    return {
      title: `${count} codes generated into a campaign, against a plain COPY of the same rows`,
      unit: "rows/s",
      baseline: rate("baseline"),
      engine: rate("engine"),
      ratio: median(rounds.map(({ engine, baseline }) => baseline / engine)),
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

type Campaign = { project_id: string; campaign_id: string };

async function createCampaign(db: Pool, project_id: string): Promise<Campaign> {
  const campaign_id = newId("camp");
  const kinds = { campaign_type: "DISCOUNT_COUPONS", type: "STATIC", voucher_type: "DISCOUNT_VOUCHER" };
  const statuses = { creation_status: "IN_PROGRESS", vouchers_generation_status: "IN_PROGRESS" };
  await db`insert into campaigns ${db({ project_id, id: campaign_id, name: "Bench", ...kinds, created_at: now() })}`;
  await db`insert into campaign_codes ${db({ project_id, campaign_id, ...statuses })}`;
  return { project_id, campaign_id };
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
async function exported(db: Pool, { campaign_id }: Campaign): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  await db.begin(async (tx) => {
    // COPY takes no parameters.
    const own = tx.unsafe(`'${campaign_id}'`);
    const source = await tx`copy (select ${tx(COLUMNS)} from vouchers
      where campaign_id = ${own} and created_at > (select coalesce(max(created_at), '-infinity') from plain_copy) order by created_at) to stdout`.readable();
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

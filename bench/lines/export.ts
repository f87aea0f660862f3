import type { Pool } from "../../src/db/db.ts";
import { runExports } from "../../src/jobs/run-exports.ts";
import { newId, now, random } from "../../src/sources.ts";
import { ROUNDS } from "../compare.ts";
import type { BenchProject, Server } from "../lab.ts";
import { type Line, median } from "../line.ts";
import { fill } from "./redemption-lists.ts";

const FIELDS = ["id", "object", "voucher_code", "customer_id", "date", "result"];

// Redemptions exported into a stored file, against a COPY of the same columns in the same order that is only read. The baseline
// writes nothing; the export writes its file into the database, in blocks that it can go on from.
export const exportRows: Line = {
  name: "export",
  floor: 0.3,
  aim: 0.5,
  better: "higher",
  run: async (lab, { quick }) => {
    const { db } = lab;
    const count = quick ? 1_000 : 1_000_000;
    const server = await lab.startServer();
    const project = await fill(lab, server, count);
    const rounds: { engine: number; baseline: number }[] = [];
    const before = process.memoryUsage().rss;
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 20);
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await enqueue(server, project);
      const engine = await timed(db, () => runExports.run({ db, now, newId, random }));
      const { status, result } = await server.call<ExportMade>(project, `GET /v1/exports/${id}`);
      if (status !== "DONE" || result.rows < count) throw new Error(`The export ended with ${status} ${result?.rows}`);
      rounds.push({ engine, baseline: await timed(db, () => plainCopy(db, project.id, result.rows)) });
    }
    clearInterval(watch);
    await server.stop();
    const rate = (side: "engine" | "baseline") => median(rounds.map((round) => (count / round[side]) * 1000));
    return {
      title: `${count} redemptions exported as CSV, against COPY … TO STDOUT of the same columns`,
      unit: "rows/s",
      baseline: rate("baseline"),
      engine: rate("engine"),
      ratio: median(rounds.map(({ engine, baseline }) => baseline / engine)),
      notes: [`the process grew by ${Math.round((most - before) / 1_048_576)} MB at most, for both sides`],
    };
  },
};

type ExportMade = { id: string; status: string; result: { rows: number } };

async function enqueue(server: Server, project: BenchProject): Promise<string> {
  const body = { exported_object: "redemption", parameters: { fields: FIELDS, order: "-created_at" } };
  return (await server.call<ExportMade>(project, "POST /v1/exports", body)).id;
}

/** Milliseconds, from a quiet server on. */
async function timed(db: Pool, run: () => Promise<unknown>): Promise<number> {
  await db`checkpoint`;
  const began = performance.now();
  await run();
  return performance.now() - began;
}

/** COPY takes no parameters; the id of a project is a word of ours. */
async function plainCopy(db: Pool, projectId: string, rows: number): Promise<void> {
  const source = await db
    .unsafe(
      `copy (select id, object, voucher_code, customer_id, created_at, result from redemptions
        where project_id = '${projectId}' order by created_at desc, id desc) to stdout (format csv)`,
    )
    .readable();
  let lines = 0;
  for await (const chunk of source) for (const byte of chunk as Buffer) if (byte === 0x0a) lines += 1;
  if (lines !== rows) throw new Error(`COPY gave ${lines} rows, and the export has ${rows}`);
}

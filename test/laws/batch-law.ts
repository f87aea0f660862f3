import assert from "node:assert/strict";
import fc from "fast-check";
import type { Flow } from "../../src/db/batches/batch.ts";
import { transaction } from "../../src/db/batches/commit.ts";
import type { Pool } from "../../src/db/db.ts";
import { tenantTables } from "../../src/db/tenant-tables.ts";

/**
 * The law of the design: a batch of n gives the same rows and answers as n single runs in the same order.
 * It holds only when everything that a command makes (ids, time, zone) comes with the command.
 */
export type BatchLaw<World, Input, Command, Answer> = {
  db: Pool;
  flow: Flow<Command, Answer>;
  /** What is there before the first command. */
  world: fc.Arbitrary<World>;
  /** Fills a new project with it, and returns the project's id. Called twice with the same world. */
  setUp(world: World): Promise<string>;
  input: fc.Arbitrary<Input>;
  /** The n-th command of a run. The same for the same arguments. */
  command(n: number, input: Input): Command;
  commandsMin?: number;
  commandsMax?: number;
  numRuns?: number;
  seed?: number;
  /** What of a row's text does not count: ids that differ because the two worlds are two. */
  same?(text: string): string;
  /** The rows of a table, where they are more or fewer in a batch and mean the same. */
  alike?: Readonly<Record<string, (rows: readonly any[]) => readonly unknown[]>>;
};

/** What a caller is told. What is noted of a refusal names the rows of its world, and nobody is answered it. */
const toldBy = (answer: unknown) => ({ ...(answer as object), refusal: undefined });

/** Looks for commands that break the law, and fails with the smallest ones found. */
export async function assertBatchLaw<World, Input, Command, Answer>(
  law: BatchLaw<World, Input, Command, Answer>,
): Promise<void> {
  const { db, flow, commandsMin = 1, commandsMax = 16, numRuns = 60, seed } = law;
  const tables = await tenantTables(db);
  const inputs = fc.array(law.input, { minLength: commandsMin, maxLength: commandsMax });
  const holds = fc.asyncProperty(law.world, inputs, async (world, given) => {
    const commands = given.map((input, n) => law.command(n, input));
    const [together, single] = await Promise.all([law.setUp(world), law.setUp(world)]);
    const run = (projectId: string, some: readonly Command[]) => transaction(db, (tx) => flow.run(tx, projectId, some));
    const ofBatch = await run(together, commands);
    const ofSingles: Answer[] = [];
    for (const command of commands) ofSingles.push(...(await run(single, [command])));
    assert.deepEqual(ofBatch.map(toldBy), ofSingles.map(toldBy), "the answers are the same");
    const [ofTogether, ofSingle] = await Promise.all([together, single].map((id) => rowsOf(law, id, tables)));
    assert.deepEqual(ofTogether, ofSingle, "the rows are the same");
  });
  await fc.assert(holds, { numRuns, ...(seed !== undefined && { seed }) });
}

/**
 * A sum of nothing is as good as none. What is configured before the batch is logged with a hash over its ids. Each transaction has
 * a number of its own.
 */
const ALIKE: NonNullable<BatchLaw<never, never, never, never>["alike"]> = {
  audit_log: () => [],
  events: (rows) => rows.map(({ transaction_id: _, ...row }) => row),
  ledger_entries: (rows) => rows.map(({ transaction_id: _, ...row }) => row),
  session_sums: (rows) => rows.filter(({ quantity, credits, points }) => quantity || credits || points),
};

/** Every row of a project, by table, without the project's id. */
async function rowsOf(
  { db, same = (text) => text, alike = {} }: Pick<BatchLaw<never, never, never, never>, "db" | "same" | "alike">,
  projectId: string,
  tables: readonly string[],
): Promise<Record<string, unknown[]>> {
  const rows = tables.map(async (table) => {
    const found = await db<{ row: object }[]>`
      select to_jsonb(t) - 'project_id' as row from ${db(table)} t
      where project_id = ${projectId} order by (to_jsonb(t) - 'project_id')::text`;
    const all = found.map(({ row }) => row);
    return [
      table,
      ((alike[table] ?? ALIKE[table])?.(all) ?? all).map((row) => same(JSON.stringify(row))).sort(),
    ] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}

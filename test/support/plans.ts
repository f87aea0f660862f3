import type { Pool } from "../../src/db/db.ts";
import { NODES } from "./nodes.ts";

type Open = (options: { max: number; onQuery(text: string, parameters: readonly unknown[]): void }) => Pool;

/** A pool whose statements are heard, and how those of an operation are run when no table is read as a whole. */
export function listening(db: Pool, open: Open) {
  const statements: { text: string; parameters: readonly unknown[] }[] = [];
  const heard = open({ max: 1, onQuery: (text, parameters) => statements.push({ text, parameters }) });
  const plansOf = async (run: () => Promise<unknown>): Promise<string> => {
    statements.length = 0;
    await run();
    const plans: string[] = [];
    for (const { text, parameters } of [...statements].filter((one) =>
      /^\s*(?:select|with|insert|delete|update)/i.test(one.text),
    ))
      await db.begin(async (tx) => {
        // On Citus a setting goes along with the statement only when it is told so.
        if (NODES.length > 0) await tx`set local citus.propagate_set_commands = 'local'`;
        await tx`set local enable_seqscan = off`;
        const rows = await tx.unsafe<{ "QUERY PLAN": string }[]>(`explain ${text}`, parameters as never);
        plans.push(...rows.map((row) => row["QUERY PLAN"]));
      });
    // Parts of a table that is spread over machines have a number behind their names.
    return plans.join("\n").replaceAll(/_\d{6,}\b/g, "");
  };
  return { heard, plansOf };
}

/**
 * Gives each table many rows like the ones that were made, under other names: then an index is worth it. Named are the columns that
 * tell them apart.
 */
export async function fill(db: Pool, named: Readonly<Record<string, string>>, rows = 300): Promise<void> {
  for (const [table, columns] of Object.entries(named)) {
    const names = columns
      .split(" ")
      .map((column) => `'${column}', t.${column} || n`)
      .join(", ");
    await db.unsafe(`
      insert into ${table} select (jsonb_populate_record(t, jsonb_build_object(${names}))).*
      from ${table} t cross join generate_series(1, ${rows}) n`);
    await db.unsafe(`analyze ${table}`);
  }
}

import assert from "node:assert/strict";
import type { Pool } from "../../src/db/db.ts";
import { NODES } from "./nodes.ts";

type Open = (options: { max: number; onQuery(text: string, parameters: readonly unknown[]): void }) => Pool;

/** The tables that most is written to: `index-use.test.ts` is about their indexes, `index-use-elsewhere.test.ts` about all others. */
export const WRITTEN_MOST = [
  ...["redemptions", "orders", "events", "ledger_entries", "ledger_lots", "idempotency_keys"],
  ...["vouchers", "validations", "webhook_deliveries", "customers"],
];

/** A pool whose statements are heard, and how those of an operation are run when no table is read as a whole. */
export function listening(db: Pool, open: Open, max = 1) {
  const statements: { text: string; parameters: readonly unknown[] }[] = [];
  const heard = open({ max, onQuery: (text, parameters) => statements.push({ text, parameters }) });
  const explained = async (run: () => Promise<unknown>): Promise<string> => {
    statements.length = 0;
    await run();
    const asked = statements.filter(({ text }) => /^\s*(?:select|with|insert|delete|update)/i.test(text));
    const plans = await db.begin(async (tx) => {
      // On Citus a setting goes along with the statement only when it is told so.
      if (NODES.length > 0) await tx`set local citus.propagate_set_commands = 'local'`;
      await tx`set local enable_seqscan = off`;
      const found: string[] = [];
      for (const { text, parameters } of asked) {
        const rows = await tx.unsafe<{ "QUERY PLAN": string }[]>(`explain ${text}`, parameters as never);
        found.push(...rows.map((row) => row["QUERY PLAN"]));
      }
      return found;
    });
    // Parts of a table that is spread over machines have a number behind their names.
    return plans.join("\n").replaceAll(/_\d{6,}\b/g, "");
  };
  // An operation that reads by several indexes runs once.
  const known = new Map<() => Promise<unknown>, Promise<string>>();
  const plansOf = (run: () => Promise<unknown>): Promise<string> =>
    known.getOrInsertComputed(run, () => explained(run));
  return { heard, plansOf };
}

type UsedIndex = { name: string; columns: number };

/**
 * The plans look rows up by the index. Most keys begin with the project, and with that alone each index finds all rows of it: so a
 * condition names more, or rows are read in the order of the index until there are enough.
 */
export function assertReadBy(plans: string, { name, columns }: UsedIndex): void {
  const lines = plans.split("\n");
  const isReadBy = lines.some((line, n) => {
    if (!new RegExp(`\\b(?:using|on) ${name}\\b`).test(line)) return false;
    const [, condition = ""] = (lines[n + 1] ?? "").split("Index Cond: ");
    const more = condition.replaceAll(/\bproject_id = [^)]*/g, "").replaceAll("AND", "");
    return /\w/.test(more) || (columns === 1 && condition !== "") || isReadToLimit(lines, n);
  });
  assert.ok(isReadBy, `nothing is looked up by ${name}:\n${plans}`);
}

/** Between this scan and a limit above it nothing has to read all rows first. */
function isReadToLimit(lines: readonly string[], scan: number): boolean {
  const depthOf = (line: string) => line.search(/\S/);
  let depth = depthOf(lines[scan]!);
  for (let n = scan - 1; n >= 0 && depth > 0; n -= 1) {
    if (!lines[n]!.includes("(cost=") || depthOf(lines[n]!) >= depth) continue;
    depth = depthOf(lines[n]!);
    const [node] = /(?<=^|-> )\s*\w+(?: \w+)?/.exec(lines[n]!) ?? [""];
    if (node.trim() === "Limit") return true;
    if (/^\s*(?:Sort|Hash|Aggregate|HashAggregate|WindowAgg|Bitmap Heap)$/.test(node)) return false;
  }
  return false;
}

/** All indexes of the schema. */
export const indexesOf = (db: Pool) => db<(UsedIndex & { table: string; isUnique: boolean; isConstraint: boolean })[]>`
  select c.relname as name, t.relname as table, i.indnkeyatts::int as columns, i.indisunique as "isUnique",
    exists (select from pg_constraint k where k.conindid = c.oid and k.contype in ('p', 'u', 'x')) as "isConstraint"
  from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
  where c.relnamespace = current_schema()::regnamespace order by 1`;

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
    // Statistics that are renewed in the middle of a test could change a plan.
    if (NODES.length === 0) await db.unsafe(`alter table ${table} set (autovacuum_enabled = off)`);
    await db.unsafe(`
      insert into ${table} select (jsonb_populate_record(t, jsonb_build_object(${names}))).*
      from ${table} t cross join generate_series(1, ${rows}) n`);
    await db.unsafe(`analyze ${table}`);
  }
}

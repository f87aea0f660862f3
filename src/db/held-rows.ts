import type { Fragment, Tx } from "./db.ts";

/**
 * The rows of a project that another transaction holds, without waiting. The other rows are locked until the
 * transaction ends, so it belongs into one that does nothing else.
 */
export async function heldRows<R extends object>(
  tx: Tx,
  { table, key, projectId }: { table: string; key: string; projectId: string },
  where: () => Fragment,
): Promise<R[]> {
  const rows = await tx`select * from ${tx(table)} where project_id = ${projectId} and ${where()}`;
  const free = await tx`
    select ${tx(key)} from ${tx(table)} where project_id = ${projectId} and ${where()}
    order by ${tx(key)} for no key update skip locked`;
  const keys = new Set(free.map((row) => row[key]));
  return rows.filter((row) => !keys.has(row[key])) as unknown as R[];
}

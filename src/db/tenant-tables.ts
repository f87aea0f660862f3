import type { Db } from "./db.ts";

type Table = { name: string; refers_to: string[] };

/** The tables of the schema `laurel`, each after those that its foreign keys refer to. */
export async function tablesInOrder(db: Db): Promise<string[]> {
  const tables = await db<Table[]>`
    select c.relname as name, coalesce(array_agg(distinct r.relname) filter (where r.oid is not null), '{}')::text[] as refers_to
    from pg_class c
    left join pg_constraint f on f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid
    left join pg_class r on r.oid = f.confrelid
    where c.relnamespace = 'laurel'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    group by c.relname order by c.relname`;
  const done: string[] = [];
  while (done.length < tables.length) {
    const next = tables.filter(
      ({ name, refers_to }) => !done.includes(name) && refers_to.every((t) => done.includes(t)),
    );
    if (next.length === 0) throw new Error("The foreign keys of the schema form a circle.");
    done.push(...next.map(({ name }) => name));
  }
  return done;
}

/** The tables whose rows belong to a project; `keys`, `projects`, `tenants` and `user_projects` say which projects there are, and for whom. */
export async function tenantTables(db: Db): Promise<string[]> {
  const rows = await db<{ name: string }[]>`
    select table_name as name from information_schema.columns
    where table_schema = 'laurel' and column_name = 'project_id' and table_name not in ('keys', 'tenants', 'user_projects')`;
  const names = new Set(rows.map(({ name }) => name));
  return (await tablesInOrder(db)).filter((name) => names.has(name));
}

/** So many rows go in one statement: all of a large table would take longer than one may. */
const BATCH = 5_000;

/** Deletes every row of a project but the project itself and its keys, and returns how many there were. */
export async function deleteTenantRows(db: Db, projectId: string): Promise<number> {
  let count = 0;
  for (const table of (await tenantTables(db)).reverse()) {
    let gone: number;
    do {
      const some = db`select ctid from ${db(table)} where project_id = ${projectId} limit ${BATCH}`;
      gone = (await db`delete from ${db(table)} where project_id = ${projectId} and ctid = any(array(${some}))`).count;
      count += gone;
    } while (gone === BATCH);
  }
  return count;
}

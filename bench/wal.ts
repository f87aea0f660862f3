import type { Pool } from "../src/db/db.ts";

/** What a transaction wrote to the log, without full pages: these depend on when the last checkpoint was. */
export type Wal = { bytes: number; records: number };

/** Whether this database can say what is in its log: that takes an extension, and a role that may add it. */
export async function canReadWal(db: Pool): Promise<boolean> {
  try {
    await db`create extension if not exists pg_walinspect with schema public`;
    return true;
  } catch {
    return false;
  }
}

/** Runs some work and says what the transactions that it made have written. `xids` finds their numbers. */
export async function walOf(
  db: Pool,
  work: () => Promise<unknown>,
  xids: () => Promise<readonly string[]>,
): Promise<Wal[]> {
  const [{ lsn }] = await db<[{ lsn: string }]>`select pg_current_wal_insert_lsn()::text as lsn`;
  await work();
  const numbers = await xids();
  const rows = await db<{ xid: string; bytes: number; records: number }[]>`
    select xid::text, sum(record_length - fpi_length)::bigint as bytes, count(*) as records
    from public.pg_get_wal_records_info(${lsn}::pg_lsn, pg_current_wal_flush_lsn())
    where xid::text = any(${numbers}) group by xid`;
  return rows.map(({ bytes, records }) => ({ bytes, records }));
}

export const meanOf = (all: readonly Wal[]): Wal => ({
  bytes: Math.round(all.reduce((sum, { bytes }) => sum + bytes, 0) / all.length),
  records: Math.round((10 * all.reduce((sum, { records }) => sum + records, 0)) / all.length) / 10,
});

/** What some work writes in all, for each of so many operations: what a batch shares is divided among them. */
export async function walOfEach(db: Pool, count: number, work: () => Promise<unknown>): Promise<Wal> {
  const [{ lsn }] = await db<[{ lsn: string }]>`select pg_current_wal_insert_lsn()::text as lsn`;
  await work();
  // Records of the server itself (checkpoints, snapshots) are nobody's.
  const [sum] = await db<[{ bytes: number; records: number }]>`
    select coalesce(sum(record_length - fpi_length), 0)::bigint as bytes, count(*) as records
    from public.pg_get_wal_records_info(${lsn}::pg_lsn, pg_current_wal_flush_lsn())
    where resource_manager not in ('XLOG', 'Standby')`;
  return { bytes: Math.round(sum.bytes / count), records: Math.round((10 * sum.records) / count) / 10 };
}

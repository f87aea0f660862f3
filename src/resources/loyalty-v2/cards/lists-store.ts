import { type CursorAsked, type CursorPage, cursorPage } from "../../../db/cursor.ts";
import type { Db } from "../../../db/db.ts";
import type { PendingBucket, PointsBucket } from "./schema.ts";

type CardOf = { id: string; program_id: string; member_id: string; card_definition_id: string };
type Of = { project: { id: string; secret: string }; now: string; card: CardOf };

export type EntryShown = {
  id: string;
  kind: string;
  reason: string | null;
  details: Record<string, unknown>;
  created_at: string;
};

/** What was moved on a card: the entries of these kinds. */
export const listCardEntries = (
  db: Db,
  of: Of & { kinds: readonly string[] },
  asked: CursorAsked,
): Promise<CursorPage<EntryShown>> =>
  cursorPage<EntryShown>(
    db,
    of,
    {
      prefix: "lcrsctx",
      from: (db) => db`ledger_entries`,
      where: (db) =>
        db`project_id = ${of.project.id} and account_id = ${of.card.id} and kind = any(${of.kinds as string[]})`,
      sortable: ["created_at"],
      fields: { id: "id", created_at: "date" },
    },
    asked,
  );

type Bucket = { id: string; total: number; type: string; created_at: string };

const common = ({ id, program_id, member_id, card_definition_id }: CardOf, bucket: Bucket) => ({
  id: bucket.id,
  card_id: id,
  card_definition_id,
  program_id,
  card_type: "INDIVIDUAL" as const,
  member_id,
  points: { total: bucket.total },
  created_at: bucket.created_at,
  updated_at: null,
});

/** Points that wait for a day that is still to come, by that day; for those of an event today is not too late. */
export async function listPendingBuckets(
  db: Db,
  of: Of & { today: string },
  asked: CursorAsked,
): Promise<CursorPage<PendingBucket>> {
  const { rows, cursor } = await cursorPage<Bucket & { date: string }>(
    db,
    of,
    {
      prefix: "lcrscppb",
      from: (db) => db`(
        select bucket_id as id, bucket_date as date, bucket_type as type, sum(remaining)::bigint as total,
          min(created_at) as created_at
        from ledger_lots
        where project_id = ${of.project.id} and account_id = ${of.card.id} and pot = 'pending' and remaining > 0
          and (bucket_date > ${of.today} or (bucket_type = 'EVENT_BASED' and bucket_date = ${of.today}))
        group by bucket_id, bucket_date, bucket_type) as buckets`,
      where: (db) => db`true`,
      sortable: ["date"],
      order: "date",
    },
    asked,
  );
  const view = (bucket: Bucket & { date: string }): PendingBucket => ({
    ...common(of.card, bucket),
    date: bucket.date,
    type: bucket.type as PendingBucket["type"],
    status: "PENDING",
    object: "card_pending_points_bucket",
  });
  return { rows: rows.map(view), cursor };
}

/** Points that expire, by their last day, which is today at the earliest. */
export async function listPointsBuckets(
  db: Db,
  of: Of & { today: string; customerId: string },
  asked: CursorAsked,
): Promise<CursorPage<PointsBucket>> {
  const { rows, cursor } = await cursorPage<Bucket & { expiration_date: string }>(
    db,
    of,
    {
      prefix: "lcrspeb",
      from: (db) => db`(
        select bucket_id as id, bucket_date as expiration_date, bucket_type as type, sum(remaining)::bigint as total,
          min(created_at) as created_at
        from ledger_lots
        where project_id = ${of.project.id} and account_id = ${of.card.id} and pot = 'available' and remaining > 0
          and bucket_date >= ${of.today}
        group by bucket_id, bucket_date, bucket_type) as buckets`,
      where: (db) => db`true`,
      sortable: ["expiration_date"],
      order: "expiration_date",
    },
    asked,
  );
  const view = (bucket: Bucket & { expiration_date: string }): PointsBucket => ({
    ...common(of.card, bucket),
    customer_id: of.customerId,
    expiration_date: bucket.expiration_date,
    expiration_type: bucket.type as PointsBucket["expiration_type"],
    status: "ACTIVE",
    object: "card_points_bucket",
  });
  return { rows: rows.map(view), cursor };
}

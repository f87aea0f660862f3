import type { Db } from "../../../db/db.ts";
import { tenantOf, textsOf } from "../../../db/records.ts";

/** A delivery that is about to be written. */
export type NewDelivery = {
  id: string;
  webhook_id: string;
  event_id: string;
  type: string;
  object_id: string;
  customer_id: string | null;
  holder_id: string | null;
  /** Who else is named in the body. */
  people: readonly string[] | null;
  created_at: string;
  /** Its body without the number of the event and what stands behind it. */
  head: string;
  tail: string;
  /** The least number that the event may have, and which of the events of its object it is in this statement. */
  number_from: number;
  place: number;
};

/** The requests of a batch may have come later than those behind them: the numbers of an object grow in the order of the batch. */
function inOrder(rows: readonly NewDelivery[]): NewDelivery[] {
  const least = new Map<string, number>();
  return rows.map((row) => {
    const number_from = Math.max(row.number_from, least.get(row.object_id) ?? 0);
    least.set(row.object_id, number_from);
    return number_from === row.number_from ? row : { ...row, number_from };
  });
}

/**
 * Writes deliveries in one statement. The number of an event is larger than those before it of the same object, also of
 * those that are not kept any more: it is at least the time in microseconds. What is written already stays: its id says
 * which event it tells whom.
 */
export async function insertDeliveries(db: Db, projectId: string, given: readonly NewDelivery[]): Promise<void> {
  if (given.length === 0) return;
  const rows = inOrder(given);
  await db`
    insert into webhook_deliveries (project_id, id, webhook_id, event_id, type, object_id, customer_id, holder_id,
      people, number, body, status, attempts, due_at, created_at)
    select p.project_id, x.id, x.webhook_id, x.event_id, x.type, x.object_id, x.customer_id, x.holder_id,
      x.people, n.number, x.head || n.number || x.tail, 'WAITING', 0, 'epoch', x.created_at
    from ${tenantOf(db, projectId)} cross join rows from (
      json_to_recordset(${JSON.stringify(rows.map(({ head, ...row }) => row))}::text::json) as (id text, webhook_id text,
        event_id text, type text, object_id text, customer_id text, holder_id text, people text[], created_at timestamptz,
        tail text, number_from bigint, place bigint),
      ${textsOf(
        db,
        rows.map(({ head }) => head),
      )})
      as x (id, webhook_id, event_id, type, object_id, customer_id, holder_id, people, created_at, tail, number_from, place,
        head)
    cross join lateral (
      select x.place + greatest(x.number_from, (
        select max(d.number) from webhook_deliveries d
        where d.project_id = ${projectId} and d.object_id = x.object_id)) as number) n
    on conflict (project_id, id) do nothing`;
}

/** What deliveries of events have stored as `data`, by the ids of the events, and when that was built. */
export async function dataStored(
  db: Db,
  projectId: string,
  events: readonly { event_id: string; type: string; object_id: string }[],
): Promise<Map<string, { data: Readonly<Record<string, unknown>>; data_built_at: string }>> {
  if (events.length === 0) return new Map();
  const rows = await db<{ event_id: string; body: string; created_at: string }[]>`
    select distinct on (event_id) event_id, body, created_at from webhook_deliveries
    where project_id = ${projectId} and object_id = any(${events.map(({ object_id }) => object_id)})
      and (event_id, type) in (
        select * from unnest(${events.map(({ event_id }) => event_id)}::text[], ${events.map(({ type }) => type)}::text[]))
    order by event_id`;
  return new Map(
    rows.map(({ event_id, body, created_at }) => [
      event_id,
      { data: JSON.parse(body).data, data_built_at: created_at },
    ]),
  );
}

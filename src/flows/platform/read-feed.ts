import { inPieces, pageBytes } from "../../db/bounded.ts";
import type { Db } from "../../db/db.ts";
import { dataNow, mainTypeOf } from "../../events/event-data.ts";
import { TOLD } from "../../events/payloads.ts";
import {
  type FeedFilters,
  type FeedPosition,
  type FeedRow,
  readFeed,
} from "../../resources/platform/event-feed/store.ts";
import { dataStored } from "../../resources/platform/webhooks/delivery-store.ts";

/** An event of the feed with what is told of it, and when that was put together. */
export type FeedEventRow = FeedRow & { data: Readonly<Record<string, unknown>>; data_built_at: string };
type Page = { rows: FeedEventRow[]; position: FeedPosition; has_more: boolean };

const AT_ONCE = 25;

/**
 * A page of the feed, with `data` as webhooks are told it: as a delivery of the event has stored it, or built now. A page
 * of very large events has fewer of them.
 */
export async function readFeedPage(
  { db, projectId, now }: { db: Db; projectId: string; now: string },
  from: FeedPosition,
  asked: FeedFilters & { limit: number },
): Promise<Page> {
  const page = await readFeed(db, projectId, from, asked);
  const rows: FeedEventRow[] = [];
  let left = pageBytes(db);
  const read = (some: Db, part: readonly FeedRow[]) => dataOfRows(some, projectId, part, now);
  for await (const { found } of inPieces(db, page.rows, { atOnce: AT_ONCE }, read))
    for (const row of found) {
      left -= JSON.stringify(row.data).length;
      if (left < 0 && rows.length > 0) return { rows, position: rows.at(-1)!.position, has_more: true };
      rows.push(row);
    }
  return { ...page, rows };
}

async function dataOfRows(db: Db, projectId: string, rows: readonly FeedRow[], now: string): Promise<FeedEventRow[]> {
  const types = new Map(rows.flatMap(({ id, kind }) => [[id, mainTypeOf(kind)] as const]));
  const told = rows.filter(({ id }) => types.get(id) !== null);
  const stored = await dataStored(
    db,
    projectId,
    told.map((row) => {
      const type = types.get(row.id)!;
      return { event_id: row.id, type, object_id: TOLD[type]!.entityOf(row) ?? row.id };
    }),
  );
  const built = await dataNow(
    db,
    projectId,
    told.filter(({ id }) => !stored.has(id)),
  );
  return rows.map((row) => {
    // What no webhook is told of has nothing but its own payload.
    const { data, data_built_at } = stored.get(row.id) ?? {
      data: built.get(row.id) ?? row.payload,
      data_built_at: built.has(row.id) ? now : row.created_at,
    };
    return { ...row, data, data_built_at };
  });
}

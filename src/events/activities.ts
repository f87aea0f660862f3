import { type CursorAsked, type CursorKind, type CursorPage, cursorPage } from "../db/cursor.ts";
import type { Db } from "../db/db.ts";

type ActivityRow = {
  id: string;
  kind: string;
  group_id: string;
  payload: Record<string, unknown>;
  created_at: string;
};
/** A list of activities: the prefix of their ids, the prefix of its cursors, and the field that names what they are of. */
export type ActivityList<F extends string = string> = { id: string; cursor: CursorKind["prefix"]; field: F };
export type Activity<F extends string> = {
  id: string;
  type: string;
  data: Record<string, unknown>;
  created_at: string;
  group_id: string;
} & Record<F, string>;

/**
 * What happened to one object of a loyalty program. An event is shown under the name that its list gives it. One with a
 * subject has a row of its own, so there is nothing to unfold.
 */
export async function listActivities<F extends string>(
  c: { db: Db; project: { id: string; secret: string }; now: string },
  { list, of }: { list: ActivityList<F>; of: string },
  asked: CursorAsked,
): Promise<CursorPage<Activity<F>>> {
  const { rows, cursor } = await cursorPage<ActivityRow>(
    c.db,
    c,
    {
      prefix: list.cursor,
      from: (db) => db`events`,
      where: (db) => db`project_id = ${c.project.id} and subject_id = ${of}`,
      sortable: ["created_at"],
      fields: { id: "id", type: "enum", created_at: "date" },
      sql: { id: (db) => db`(${list.id}::text || substr(id, 3))`, type: (db) => db`kind` },
    },
    asked,
  );
  const view = ({ id, kind, payload, created_at, group_id }: ActivityRow) =>
    ({
      id: `${list.id}${id.slice(2)}`,
      [list.field]: of,
      type: kind,
      data: payload,
      created_at,
      group_id,
    }) as unknown as Activity<F>;
  return { rows: rows.map(view), cursor };
}

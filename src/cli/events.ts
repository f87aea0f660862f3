import { setTimeout as wait } from "node:timers/promises";
import type { Config } from "../config.ts";
import { ConfigError } from "../config.ts";
import type { Pool } from "../db/db.ts";
import { unfolded } from "../db/unfolded.ts";
import { now } from "../sources.ts";
import { withDatabase } from "./database.ts";
import { theProject } from "./project.ts";

const PAUSE_MS = 300;
const LAST_MAX = 1_000;
/** A transaction may commit an event so much later than another that has a later id. */
const LATE_MS = 15_000;

type EventLine = {
  id: string;
  kind: string;
  group_id: string;
  customer_id: string | null;
  payload: object;
  created_at: string;
};
type Tail = { project?: string; kind?: string; last: string };

/** Prints what happens in a project, a line of JSON for each event, until it is interrupted. */
export async function tailCommand(config: Config, { project, kind = "", last }: Tail): Promise<void> {
  const count = /^\d{1,4}$/.test(last) ? Number(last) : Number.NaN;
  if (!(count <= LAST_MAX)) throw new ConfigError(`--last must be a whole number up to ${LAST_MAX}.`);
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ending.abort());
  await withDatabase(config, async (db) => {
    const { id: projectId } = await theProject(db, project);
    const began = idFrom(Date.parse(now()));
    for (const event of await lastEvents(db, projectId, { kind, count, before: began })) print(event);
    const printed = new Set<string>();
    while (!ending.signal.aborted) {
      const late = idFrom(Date.parse(now()) - LATE_MS);
      const from = late > began ? late : began;
      for (const id of printed) if (id < from) printed.delete(id);
      for (const event of await eventsFrom(db, projectId, { kind, from })) {
        if (!printed.has(event.id)) print(event);
        printed.add(event.id);
      }
      await wait(PAUSE_MS, undefined, { signal: ending.signal }).catch(() => {});
    }
  });
}

const print = (event: EventLine) => console.log(JSON.stringify(event));

/** The first id of a millisecond: ids begin with the time (`core/ids.ts`). */
const idFrom = (ms: number): string => `ev_${ms.toString(16).padStart(12, "0")}`;

const eventsFrom = (db: Pool, projectId: string, { kind, from }: { kind: string; from: string }) =>
  db<EventLine[]>`
    select id, kind, group_id, customer_id, payload, created_at
    from ${unfolded(db, db`r.project_id = ${projectId} and r.id >= ${from}`)} as e
    where starts_with(kind, ${kind}) order by row_id, place`;

const lastEvents = async (
  db: Pool,
  projectId: string,
  { kind, count, before }: { kind: string; count: number; before: string },
): Promise<EventLine[]> => {
  const rows = await db<EventLine[]>`
    select id, kind, group_id, customer_id, payload, created_at
    from ${unfolded(db, db`r.project_id = ${projectId} and r.id < ${before}`)} as e
    where starts_with(kind, ${kind}) order by row_id desc, place desc limit ${count}`;
  return rows.reverse();
};

import { setTimeout as wait } from "node:timers/promises";
import type { Config } from "../config.ts";
import { ConfigError } from "../config.ts";
import type { Pool } from "../db/db.ts";
import { unfolded } from "../db/unfolded.ts";
import { EVENTS } from "../events/kinds.ts";
import { endPosition, type FeedPosition, readFeed } from "../resources/platform/event-feed/store.ts";
import { withDatabase } from "./database.ts";
import { theProject } from "./project.ts";

const PAUSE_MS = 300;
const LAST_MAX = 1_000;
const PAGE = 100;

type EventLine = {
  id: string;
  kind: string;
  group_id: string | null;
  customer_id: string | null;
  payload: object;
  created_at: string;
};
type Tail = { project?: string; kind?: string; last: string };

/** Prints what happens in a project, a line of JSON for each event, until it is interrupted. */
export async function tailCommand(config: Config, { project, kind = "", last }: Tail): Promise<void> {
  const count = /^\d{1,4}$/.test(last) ? Number(last) : Number.NaN;
  if (!(count <= LAST_MAX)) throw new ConfigError(`--last must be a whole number up to ${LAST_MAX}.`);
  const kinds = Object.keys(EVENTS).filter((one) => one.startsWith(kind));
  if (kinds.length === 0)
    throw new ConfigError(`No event is called ${kind}…; names are such as customer.redemption.succeeded.`);
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ending.abort());
  await withDatabase(config, async (db) => {
    const { id: projectId } = await theProject(db, project);
    let position = await endPosition(db);
    for (const event of await lastEvents(db, projectId, { kinds, count, before: position })) print(event);
    while (!ending.signal.aborted) {
      const page = await readFeed(db, projectId, position, { kinds, limit: PAGE });
      for (const { id, kind, group_id, customer_id, payload, created_at } of page.rows)
        print({ id, kind, group_id, customer_id, payload, created_at });
      position = page.position;
      if (!page.has_more) await wait(PAUSE_MS, undefined, { signal: ending.signal }).catch(() => {});
    }
  });
}

const print = (event: EventLine) => console.log(JSON.stringify(event));

/** The newest of those that a feed from this position leaves out. */
const lastEvents = async (
  db: Pool,
  projectId: string,
  { kinds, count, before }: { kinds: string[]; count: number; before: FeedPosition },
): Promise<EventLine[]> => {
  const shown = db`r.project_id = ${projectId} and r.transaction_id < ${`${before.transaction}`}`;
  const rows = await db<EventLine[]>`
    select id, kind, group_id, customer_id, payload, created_at from ${unfolded(db, shown)} as e
    where kind = any(${kinds}) order by row_id desc, place desc limit ${count}`;
  return rows.reverse();
};

import { setTimeout as wait } from "node:timers/promises";
import { type Config, ConfigError } from "../../config.ts";
import type { Pool } from "../../db/db.ts";
import { now } from "../../sources.ts";
import { withDatabase } from "../database.ts";
import { figuresOf, parseMetrics, type Reading } from "./figures.ts";
import { type DatabaseState, type SlowStatement, screenOf } from "./screen.ts";

type Options = { url?: string; interval: string; once?: true };

const SLOW_MS = 100;
const WIDTH = 120;
const CLEAR = "\x1b[H\x1b[2J";

/** Shows what a server does, again and again, until Ctrl-C. */
export async function topCommand(config: Config, { url = addressOf(config), interval, once }: Options): Promise<void> {
  const seconds = /^\d{1,3}$/.test(interval) ? Number(interval) : 0;
  if (seconds < 1) throw new ConfigError("--interval must be a whole number of seconds from 1 to 999.");
  if (!URL.canParse(url))
    throw new ConfigError("--url must be the address of a server, such as http://127.0.0.1:3000.");
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  let before = await read(url);
  await withDatabase(config, async (db) => {
    while (!stop.signal.aborted) {
      await wait(seconds * 1000, undefined, { signal: stop.signal }).catch(() => {});
      if (stop.signal.aborted) return;
      const after = await read(url);
      const view = { url, time: now().slice(0, 19).replace("T", " "), width: process.stdout.columns ?? WIDTH };
      const lines = screenOf(figuresOf(before, after), await databaseState(db).catch(() => null), view);
      process.stdout.write(`${once ? "" : CLEAR}${lines.join("\n")}\n`);
      if (once) return;
      before = after;
    }
  });
}

const addressOf = ({ HOST, PORT }: Config): string => `http://${HOST === "0.0.0.0" ? "127.0.0.1" : HOST}:${PORT}`;

async function read(url: string): Promise<Reading> {
  const answer = await fetch(new URL("/metrics", url)).catch((error) => {
    throw new ConfigError(`No server answers at ${url}: ${error.cause?.message ?? error.message}. Name it with --url.`);
  });
  if (!answer.ok)
    throw new ConfigError(
      `${url}/metrics answers ${answer.status}. LAUREL_METRICS of that server says who may read it.`,
    );
  return parseMetrics(await answer.text(), Date.parse(now()));
}

/** The connections of all servers, and what runs for long. The text of a statement has $1 in place of values. */
async function databaseState(db: Pool): Promise<DatabaseState> {
  const [counts] = await db<{ connections: number; connections_max: number }[]>`
    select count(*)::int as connections, current_setting('max_connections')::int as connections_max
    from pg_stat_activity where backend_type = 'client backend'`;
  const slow = await db<SlowStatement[]>`
    select (extract(epoch from clock_timestamp() - query_start) * 1000)::float8 as ms, state,
      wait_event_type || ' ' || wait_event as wait, left(regexp_replace(query, '\\s+', ' ', 'g'), 60) as text
    from pg_stat_activity
    where application_name = 'laurel' and state <> 'idle' and pid <> pg_backend_pid()
      and query_start < clock_timestamp() - ${SLOW_MS} * interval '1 millisecond'
    order by query_start limit 10`;
  return { connections: counts!.connections, connectionsMax: counts!.connections_max, slow };
}

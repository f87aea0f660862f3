import { setTimeout as wait } from "node:timers/promises";
import { type Config, ConfigError } from "../../config.ts";
import { withinTime } from "../../db/batches/commit.ts";
import { openDb, type Pool } from "../../db/db.ts";
import { now } from "../../sources.ts";
import { databaseUrl } from "../database.ts";
import { figuresOf, type MetricsReading, parseMetrics } from "./figures.ts";
import { type DatabaseState, type SlowStatement, screenOf } from "./screen.ts";

type Options = { url?: string; interval: string; once?: true };

const SLOW_MS = 100;
const WIDTH = 120;
const CLEAR = "\x1b[H\x1b[2J";
/** So long a picture waits for the server, and for the database. */
const LOOK_MS = 5_000;
const AGAIN = "The server answers again. The next picture has its figures.";

/**
 * Shows what a server does, again and again, until Ctrl-C. It is looked at most when something is down: whichever of the server
 * and the database does not answer is named, the other one is shown, and the next picture tries both again.
 */
export async function topCommand(config: Config, { url = addressOf(config), interval, once }: Options): Promise<void> {
  const seconds = /^\d{1,3}$/.test(interval) ? Number(interval) : 0;
  if (seconds < 1) throw new ConfigError("--interval must be a whole number of seconds from 1 to 999.");
  if (!URL.canParse(url))
    throw new ConfigError("--url must be the address of a server, such as http://127.0.0.1:3000.");
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  const database = lookAtDatabase(config);
  const take = async () => {
    const taken = await read(url);
    if (once && typeof taken === "string") throw new ConfigError(taken);
    return taken;
  };
  try {
    for (let before = await take(); ; ) {
      await wait(seconds * 1000, undefined, { signal: stop.signal }).catch(() => {});
      if (stop.signal.aborted) return;
      const after = await take();
      const view = { url, time: now().slice(0, 19).replace("T", " "), width: process.stdout.columns ?? WIDTH };
      const lines = screenOf(shown(before, after), await database.look(), view);
      process.stdout.write(`${once ? "" : CLEAR}${lines.join("\n")}\n`);
      if (once) return;
      before = after;
    }
  } finally {
    await database.close();
  }
}

const addressOf = ({ HOST, PORT }: Config): string => `http://${HOST === "0.0.0.0" ? "127.0.0.1" : HOST}:${PORT}`;

const shown = (before: MetricsReading | string, after: MetricsReading | string) => {
  if (typeof after === "string") return after;
  return typeof before === "string" ? AGAIN : figuresOf(before, after);
};

/** A text says why there is no reading. */
async function read(url: string): Promise<MetricsReading | string> {
  try {
    const answer = await fetch(new URL("/metrics", url), { signal: AbortSignal.timeout(LOOK_MS) });
    if (!answer.ok)
      return `${url}/metrics answers ${answer.status}. LAUREL_METRICS of that server says who may read it.`;
    return parseMetrics(await answer.text(), Date.parse(now()));
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    return `No server answers at ${url}: ${cause?.message || message}. Name it with --url.`;
  }
}

/** Connects when it is first asked, and anew where the database was started anew. Null: it does not answer. */
function lookAtDatabase(config: Config) {
  let open: { url: string; db: Pool } | null = null;
  let looking: Promise<DatabaseState> | null = null;
  const look = async (): Promise<DatabaseState> => {
    const url = databaseUrl(config);
    if (url === null) return null;
    if (open?.url !== url) {
      await open?.db.end({ timeout: 0 });
      open = { url, db: openDb(url, { max: 1, statementTimeoutMs: LOOK_MS }) };
    }
    return databaseState(open.db);
  };
  return {
    look: async (): Promise<DatabaseState> => {
      // One that hangs is not asked again.
      looking ??= look()
        .catch(() => null)
        .finally(() => {
          looking = null;
        });
      return withinTime(LOOK_MS, looking);
    },
    close: async () => {
      await open?.db.end({ timeout: 0 });
    },
  };
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

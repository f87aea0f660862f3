import type { Config } from "../config.ts";
import type { Pool } from "../db/db.ts";
import { loadDemo } from "../demo/load.ts";
import { demoClock, demoIds } from "../demo/requests.ts";
import { buildServer } from "../http/mount.ts";
import { createEngine } from "../main.ts";
import { ALL_ROUTES } from "../routes.ts";
import { newId, now } from "../sources.ts";
import type { AllCredentials } from "./credentials.ts";
import { createLogger } from "./log.ts";

/** Loads the demo data through a server of its own that never listens. */
export async function runDemo(
  config: Config,
  db: Pool,
  {
    projectId,
    keys,
    progress,
  }: { projectId: string; keys: AllCredentials; progress?(done: number, all: number): void },
): Promise<number> {
  // What was refused is kept, so that it can be looked for; the log of requests is for those of real clients.
  const engine = createEngine(
    { ...config, LAUREL_REQUEST_LOG_DAYS: 0 },
    { general: [db, db, db], hot: db, reserve: db, directory: db, requestLog: db },
    createLogger("silent"),
  );
  const clock = demoClock(now);
  const ids = demoIds(newId);
  const own = { eventLoopDelayMaxMs: 0, now: clock.now, newId: ids.newId, v2Auth: "either" } as const;
  const app = await buildServer(ALL_ROUTES, { ...engine, ...own });
  try {
    const { LAUREL_DEMO_DAYS: historyDays } = config;
    return await loadDemo(app, { projectId, keys, clock, ids, historyDays, ...(progress && { progress }) });
  } finally {
    await app.close();
    await engine.behind.end();
  }
}

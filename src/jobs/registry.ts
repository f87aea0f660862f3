import { advanceCards } from "./advance-cards.ts";
import { compactTallies } from "./compact-tallies.ts";
import { createCountRollups } from "./count-rollups.ts";
import type { Job } from "./job.ts";
import { purgeExpired } from "./purge-expired.ts";
import { runAsyncActions } from "./run-async-actions.ts";
import { runExports } from "./run-exports.ts";

// One line for each job.
export const JOBS: readonly Job[] = [
  advanceCards,
  compactTallies,
  createCountRollups(),
  purgeExpired,
  runAsyncActions,
  runExports,
];

/** All of them by name. That which sends webhooks is made where the jobs run (`send-webhooks.ts`). */
export const JOB_NAMES: readonly string[] = [...JOBS.map(({ name }) => name), "send-webhooks"];

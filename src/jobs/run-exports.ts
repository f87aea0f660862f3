import { ApiError } from "../core/errors.ts";
import { projectTime } from "../core/time/project-time.ts";
import { StartOver, transaction } from "../db/batches/commit.ts";
import type { Tx } from "../db/db.ts";
import { runExport } from "../flows/platform/run-export.ts";
import { type ExportToDo, findExportToDo, listExportsToDo, saveProgress } from "../resources/platform/exports/store.ts";
import { releaseFile } from "../resources/platform/files/store.ts";
import type { Job, JobCtx } from "./job.ts";
import { reasonOf, takeTurns } from "./take-turns.ts";

/** Turns that a project has in a round. More than one, so that two workers find something to do in one project. */
const SHARE = 2;
const FAILURES_MAX = 5;
/** How long a turn goes on while others wait. */
const SHARED_MS = 5_000;

/**
 * Writes the files of exports, as long as there are some. An export that nobody waits behind is written in one turn, of ten
 * minutes at most; otherwise each has some seconds in turn, so that a large one keeps nobody waiting. One that is ordered by what
 * may change is written in one turn, too.
 */
export const runExports: Job = {
  name: "run-exports",
  everyMs: 1_000,
  run: (c) =>
    takeTurns(
      {
        list: () => listExportsToDo(c.db, SHARE),
        take: (one) => takeTurn(c, one),
        note: (one, error) => noteFailure(c, one, error),
      },
      c,
    ),
};

async function takeTurn(c: JobCtx, one: ExportToDo): Promise<boolean> {
  const began = Date.parse(c.now());
  const mayGoOn = async (mayMove: boolean) => {
    if (c.signal?.aborted) return false;
    // Rows that move between two snapshots could be missed: such a file is rather read in one, and others wait.
    if (mayMove || Date.parse(c.now()) - began < SHARED_MS) return true;
    return (await listExportsToDo(c.db, 2)).length < 2;
  };
  const now = () => projectTime(c.now(), one);
  return (await runExport({ db: c.db, now, filesBytesMax: c.filesBytesMax, mayGoOn }, one)) !== "gone";
}

/** What fails time and again is given up, and says so. What a client could change is told at once. */
async function noteFailure(c: JobCtx, { project_id, id, clock_offset_ms }: ExportToDo, error: unknown) {
  const updated_at = projectTime(c.now(), { clock_offset_ms });
  const noted = (end: (tx: Tx) => Promise<void>) =>
    transaction(c.db, async (tx) => {
      const row = await findExportToDo(tx, project_id, id);
      if (!row) return;
      const failures = row.failures + 1;
      const reason = error instanceof ApiError ? `${error.message}.` : reasonOf(error, failures);
      const isOver = error instanceof ApiError || failures >= FAILURES_MAX;
      // First the file, as who writes to it does.
      if (isOver) await end(tx);
      const over = isOver && { status: "ERROR" as const, error: reason, last_row: null };
      if (!(await saveProgress(tx, row, { failures, updated_at, ...over }))) throw new StartOver();
    });
  try {
    await noted((tx) => releaseFile(tx, { project_id, id }));
  } catch (failed) {
    // It ends all the same. Its file goes when it expires.
    await noted(async () => {});
    throw failed;
  }
}

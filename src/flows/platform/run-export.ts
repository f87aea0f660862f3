import { inSnapshot, transaction } from "../../db/batches/commit.ts";
import { isWaitOver, type Pool, type Tx } from "../../db/db.ts";
import { type Block, type ExportOwner, headOf, type LastRow, orderOf, readBlock } from "../../db/exported-rows.ts";
import {
  type ExportRow,
  type ExportToDo,
  findExportToDo,
  loadOwner,
  saveProgress,
  takeExport,
} from "../../resources/platform/exports/store.ts";
import { appendBytes, completeFile, lockFile, releaseFile, renewFile } from "../../resources/platform/files/store.ts";
import { EXPORT_OBJECTS } from "../../steps/bulk/export-objects.ts";

/** A block has so many of both at most, and a turn ends between two blocks. */
const BLOCK_ROWS = 20_000;
const BLOCK_ROWS_MIN = 100;
const BLOCK_BYTES = 4_194_304;

/** How long rows are read as they are in one moment. Beyond that an export goes on behind the last row that it has. */
const SNAPSHOT_MS = 600_000;
/** Whoever erases customers all the time would keep an export from ever ending. */
const RESTARTS_MAX = 10;

type RunCtx = {
  db: Pool;
  /** The time of the project. */
  now(): string;
  filesBytesMax?: number | undefined;
  /** Whether the turn may go on, asked before each block but the first; `mayMove`: in another one rows may be missed. */
  mayGoOn(mayMove: boolean): Promise<boolean>;
};
/** How a turn ended. `gone`: nothing is to be done, or somebody else does it. */
export type TurnEnd = "done" | "more" | "gone";

/**
 * A turn of an export: its rows as they are in one moment, behind those that are in the file. Each block is saved in a
 * transaction of its own, with where it ends. Who goes on, after a turn or a crash, reads the rows of another moment.
 */
export async function runExport(c: RunCtx, { project_id, id }: ExportToDo): Promise<TurnEnd> {
  while (await transaction(c.db, (tx) => clearEnded(tx, { project_id, id }, c)));
  const turn = { began: Date.parse(c.now()), blocks: 0 };
  try {
    return await inSnapshot(c.db, async (tx) => {
      const taken = await takeExport(tx, project_id, id);
      if (!taken) return "gone";
      const owner = await loadOwner(tx, project_id);
      return writeBlocks(c, turn, taken, async (last, rowsMax, ms) => {
        // Reading a block may take long where rows have to be sorted first. A pooler may have kept `jit` of the connection to itself.
        await tx`select set_config('statement_timeout', ${String(ms)}, true), set_config('jit', 'off', true)`;
        return readNext(tx, owner, taken, { last, rowsMax });
      });
    });
  } catch (error) {
    // The moment was over while a block was read. The next turn has all of its own for that block.
    if (turn.blocks > 0 && isWaitOver(error)) return "more";
    throw error;
  }
}

type ReadNext = (last: LastRow | null, rowsMax: number, ms: number) => Promise<Block | null>;
type Turn = { began: number; blocks: number };

/** While a block is saved the next one is read: where it begins is known by then. */
async function writeBlocks(c: RunCtx, turn: Turn, taken: ExportRow, read: ReadNext): Promise<TurnEnd> {
  const msLeft = () => SNAPSHOT_MS - (Date.parse(c.now()) - turn.began);
  const { mayMove = false } = orderOf(EXPORT_OBJECTS[taken.exported_object], taken.plan);
  let at = taken;
  let ahead: Promise<Block | null> | null = read(taken.last_row, BLOCK_ROWS, SNAPSHOT_MS);
  for (;;) {
    const block: Block | null = await ahead;
    const isMore: boolean = block !== null && !block.isLast && (await c.mayGoOn(mayMove));
    const ms: number = isMore ? msLeft() : 0;
    ahead = ms > 0 ? read(block!.last, rowsAfter(block!), ms) : null;
    // Who ends here still waits for it, because it reads in the same transaction.
    ahead?.catch(() => {});
    const saved = await transaction(c.db, (own) => saveBlock(own, c, at, { block, isFirst: at === taken }));
    turn.blocks += 1;
    if (saved === null || saved.status === "DONE" || saved.last_row === null || ahead === null) {
      await ahead;
      // With no last row it was begun anew, and what this moment shows is too old for it.
      return saved === null ? "gone" : saved.status === "DONE" ? "done" : "more";
    }
    at = saved;
  }
}

/** Of rows that are so long that a block had to be cut, fewer are read next time. */
const rowsAfter = ({ rows, isCut }: Block): number =>
  isCut ? Math.min(BLOCK_ROWS, Math.max(BLOCK_ROWS_MIN, 2 * rows)) : BLOCK_ROWS;

const readNext = (
  tx: Tx,
  owner: ExportOwner,
  { exported_object, plan }: ExportRow,
  { last, rowsMax }: { last: LastRow | null; rowsMax: number },
): Promise<Block | null> =>
  readBlock(tx, owner, EXPORT_OBJECTS[exported_object], { plan, last, rowsMax, bytesMax: BLOCK_BYTES });

/** Adds a block to the file, and says where the export stands then. Null: somebody else went on with it, or it is gone. */
async function saveBlock(
  tx: Tx,
  c: RunCtx,
  row: ExportRow,
  { block, isFirst }: { block: Block | null; isFirst: boolean },
): Promise<ExportRow | null> {
  const file = await lockFile(tx, row.project_id, row.id);
  if (!file) return null;
  // Asked behind the lock: an erasure that had it until now may have ended the file later than we came.
  const now = c.now();
  if (file.expires_at <= now) return beginAnew(tx, row, now);
  const head = row.last_row === null ? headOf(row.plan) : "";
  const isOver = block === null || block.isLast;
  const next: ExportRow = {
    ...row,
    status: isOver ? "DONE" : "IN_PROGRESS",
    // Nobody goes on behind the end. The value that rows are ordered by may be a name.
    last_row: isOver ? null : block.last,
    rows: row.rows + (block?.rows ?? 0),
    snapshots: row.snapshots + (isFirst ? 1 : 0),
    failures: 0,
    updated_at: now,
  };
  const { status, last_row, rows, snapshots, failures } = next;
  const isSaved = await saveProgress(tx, row, { status, last_row, rows, snapshots, failures, updated_at: now });
  if (!isSaved) return null;
  await appendBytes(tx, file, Buffer.from(head + (block?.text ?? "")), c.filesBytesMax);
  if (isOver) await completeFile(tx, file);
  return next;
}

/** Somebody was erased who may be in the file: what is in it goes, some of it at a time. False: nothing is to be cleared. */
async function clearEnded(tx: Tx, { project_id, id }: Pick<ExportRow, "project_id" | "id">, c: RunCtx) {
  const file = await lockFile(tx, project_id, id);
  const now = c.now();
  if (!file || file.expires_at > now) return false;
  const row = await findExportToDo(tx, project_id, id);
  return row !== undefined && (await beginAnew(tx, row, now)) !== null;
}

/** The file has ended, and is locked. Null: somebody else went on with the export, or it was begun anew too often. */
async function beginAnew(tx: Tx, row: ExportRow, now: string): Promise<ExportRow | null> {
  const { project_id, id, restarts } = row;
  if (restarts >= RESTARTS_MAX) {
    const error = `Customers were erased while it was written, ${restarts} times, and it began anew each time.`;
    if (await saveProgress(tx, row, { status: "ERROR", error, last_row: null, updated_at: now }))
      await releaseFile(tx, { project_id, id });
    return null;
  }
  const isEmpty = await renewFile(tx, { project_id, id }, now);
  const fresh = { last_row: null, rows: 0, snapshots: 0, restarts: restarts + (isEmpty ? 1 : 0), updated_at: now };
  const isSaved = await saveProgress(tx, row, { ...fresh, status: "SCHEDULED" });
  return isSaved ? { ...row, ...fresh, status: "SCHEDULED" } : null;
}

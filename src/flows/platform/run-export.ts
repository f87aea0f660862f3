import { inSnapshot, transaction } from "../../db/commit.ts";
import type { Pool, Tx } from "../../db/db.ts";
import { EXPORT_OBJECTS } from "../../resources/platform/exports/object-store.ts";
import {
  type Block,
  type ExportOwner,
  headOf,
  type LastRow,
  readBlock,
} from "../../resources/platform/exports/row-store.ts";
import {
  type ExportRow,
  type ExportToDo,
  loadOwner,
  saveProgress,
  takeExport,
} from "../../resources/platform/exports/store.ts";
import { appendBytes, completeFile, lockFile, renewFile } from "../../resources/platform/files/store.ts";

/** A block has so many of both at most, and a turn ends between two blocks. */
const BLOCK_ROWS = 20_000;
const BLOCK_ROWS_MIN = 100;
const BLOCK_BYTES = 4_194_304;

type RunCtx = {
  db: Pool;
  /** The time of the project. */
  now(): string;
  filesBytesMax?: number | undefined;
  /** Whether the turn may go on, asked after each block. */
  mayGoOn(): Promise<boolean>;
};
/** How a turn ended. `gone`: nothing is to be done, or somebody else does it. */
export type TurnEnd = "done" | "more" | "gone";

/**
 * A turn of an export: its rows as they are in one moment, behind those that are in the file. Each block is saved in a
 * transaction of its own, with where it ends. Who goes on, after a turn or a crash, reads the rows of another moment.
 */
export const runExport = (c: RunCtx, { project_id, id }: ExportToDo): Promise<TurnEnd> =>
  inSnapshot(c.db, async (tx) => {
    const taken = await takeExport(tx, project_id, id);
    if (!taken) return "gone";
    // Reading a block may take long where rows have to be sorted first.
    await tx`select set_config('statement_timeout', '600000', true), set_config('jit', 'off', true)`;
    const owner = await loadOwner(tx, project_id);
    return writeBlocks(c, taken, (last, rowsMax) => readNext(tx, owner, taken, { last, rowsMax }));
  });

type ReadNext = (last: LastRow | null, rowsMax: number) => Promise<Block | null>;

/** While a block is saved the next one is read: where it begins is known by then. */
async function writeBlocks(c: RunCtx, taken: ExportRow, read: ReadNext): Promise<TurnEnd> {
  let [at, ahead] = [taken, read(taken.last_row, BLOCK_ROWS)];
  for (;;) {
    const block = await ahead;
    ahead = block === null || block.isLast ? Promise.resolve(null) : read(block.last, rowsAfter(block));
    // Who ends here still waits for it, because it reads in the same transaction.
    ahead.catch(() => {});
    const saved = await transaction(c.db, (own) => saveBlock(own, c, at, { block, isFirst: at === taken }));
    const end = saved === null ? "gone" : saved.status === "DONE" ? "done" : null;
    // With no last row it was begun anew, and what this moment shows is too old for it.
    if (end ?? (saved!.last_row === null || !(await c.mayGoOn()))) {
      await ahead;
      return end ?? "more";
    }
    at = saved!;
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
  const now = c.now();
  const file = await lockFile(tx, row.project_id, row.id);
  if (!file) return null;
  // Somebody was erased, who may be in it.
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

async function beginAnew(tx: Tx, row: ExportRow, now: string): Promise<ExportRow | null> {
  const fresh = { last_row: null, rows: 0, snapshots: 0, updated_at: now };
  if (!(await saveProgress(tx, row, { ...fresh, status: "SCHEDULED" }))) return null;
  await renewFile(tx, { project_id: row.project_id, id: row.id }, now);
  return { ...row, ...fresh, status: "SCHEDULED" };
}

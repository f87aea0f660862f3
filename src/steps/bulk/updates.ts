import { type BulkEntry, type BulkOutcome, inParts, isRefused } from "../../core/bulk/entry.ts";
import { type ErrorBody, errorBody } from "../../core/errors.ts";
import type { WriteCtx } from "../../ctx.ts";
import { dropParts, insertParts, takePart } from "../../resources/platform/async-actions/parts-store.ts";
import {
  type ActionStep,
  type AsyncActionRow,
  type AsyncActionType,
  enqueueAsyncAction,
} from "../../resources/platform/async-actions/store.ts";
import { saveOrBisect } from "./bisect.ts";
import { addToReport, endReport, openReport, type ReportKey, updateLines, updatesHead } from "./report.ts";
import { addTold, type BulkCtx, inTurn, type TurnCtx, toldOf } from "./turn.ts";

/** Objects of a turn: few enough that a redemption which waits for one of them does not wait long. */
const TURN = 500;

/** A kind of objects that are updated in bulk. */
export type BulkKind<V> = {
  /** For the message: `2 customer(s) updated successfully, 1 failed.` */
  noun: string;
  /** The field that tells them apart. */
  key: ReportKey;
  /** Whether a report may tell of customers. */
  isPersonal: boolean;
  /** Saves the objects of a turn, in a number of statements that does not depend on how many they are. */
  save(c: BulkCtx, values: readonly V[]): Promise<BulkOutcome[]>;
};

type UpdateProgress = {
  /** How many parts there are, and how many are done. */
  parts: number;
  done?: number;
  /** What every object gets; then an entry is only a key. */
  metadata?: Record<string, unknown>;
  report_id?: string;
  done_count?: number;
  failed_count?: number;
};

/** Has objects updated after the answer. */
export async function enqueueUpdates(
  c: WriteCtx,
  type: AsyncActionType,
  { entries, metadata }: { entries: readonly BulkEntry[]; metadata?: Record<string, unknown> },
): Promise<{ async_action_id: string }> {
  const [id, parts] = [c.newId("aa"), inParts(entries, TURN)];
  await insertParts(c.db, c.project.id, { actionId: id, parts });
  const work = { parts: parts.length, ...(metadata && { metadata }) };
  const action = { project_id: c.project.id, id, type, request_id: c.request_id, work, created_at: c.now };
  await enqueueAsyncAction(c.db, action);
  return { async_action_id: id };
}

/** Updates the next objects. They, what is reported of them and what is left to do are one transaction. */
export function updateNext<V>(turn: TurnCtx, action: AsyncActionRow, kind: BulkKind<V>): Promise<ActionStep> {
  return inTurn(turn, action, async (c) => {
    const work = action.work as UpdateProgress;
    const { done = 0, metadata } = work;
    const report_id = await openReport(c, action, { ...kind, head: await updatesHead(kind.key), id: work.report_id });
    const entries = await takePart(c.db, action.project_id, { actionId: action.id, part: done });
    const good = entries.flatMap((entry) => ("value" in entry ? [sentAs<V>(entry.value, kind.key, metadata)] : []));
    const saved = await saveOrBisect(c, good, kind.save);
    const lines = linesOf(entries, { good, saved, key: kind.key });
    await addToReport(c, report_id, await updateLines(lines));
    const refused = lines.flatMap(({ key, refused: why }) => (why ? [errorOf(kind.key, key, why)] : []));
    const next: UpdateProgress = {
      ...work,
      report_id,
      done: done + 1,
      done_count: (work.done_count ?? 0) + lines.length - refused.length,
      failed_count: (work.failed_count ?? 0) + refused.length,
    };
    const { all, ...told } = addTold(action, "errors", refused);
    if (next.done! < work.parts) return { work: next, progress: Math.floor((next.done! / work.parts) * 100), ...told };
    return ended(c, next, { kind, progress: 100, errors: all });
  });
}

const sentAs = <V>(value: unknown, key: ReportKey, metadata: UpdateProgress["metadata"]): V =>
  (metadata ? { [key]: value, metadata } : value) as V;

/** What the report says of each entry, in their order. */
function linesOf<V>(
  entries: readonly BulkEntry[],
  { good, saved, key }: { good: readonly V[]; saved: readonly BulkOutcome[]; key: ReportKey },
) {
  let n = 0;
  return entries.map((entry) => {
    if (!("value" in entry))
      return { key: entry.key, found: false, refused: errorBody("invalid_payload", { details: entry.fault }) };
    const [value, outcome] = [good[n] as Record<string, unknown>, saved[n]!];
    n += 1;
    return { key: String(value[key]), found: outcome.found, refused: isRefused(outcome) ? outcome.refused : null };
  });
}

const errorOf = (name: ReportKey, key: string | null, { key: error, message, details = "" }: ErrorBody) => ({
  ...(key !== null && { [name]: key }),
  key: error,
  message,
  details,
});

/** Ends an update that cannot go on. What was updated stays. */
export function stopUpdates<V>(
  turn: TurnCtx,
  action: AsyncActionRow,
  { kind, reason }: { kind: BulkKind<V>; reason: string },
): Promise<ActionStep> {
  return inTurn(turn, action, async (c) => {
    await dropParts(c.db, action.project_id, action.id);
    const work = action.work as UpdateProgress;
    const report_id = await openReport(c, action, { ...kind, head: await updatesHead(kind.key), id: work.report_id });
    const errors = toldOf(action, "errors");
    return ended(c, { ...work, report_id }, { kind, progress: action.progress, reason, errors });
  });
}

async function ended<V>(
  c: BulkCtx,
  { report_id, done_count = 0, failed_count = 0 }: UpdateProgress,
  {
    kind,
    progress,
    reason,
    errors,
  }: { kind: BulkKind<V>; progress: number; reason?: string; errors: readonly Record<string, unknown>[] },
): Promise<ActionStep> {
  const isFailed = reason !== undefined || (done_count === 0 && failed_count > 0);
  const message = `${done_count} ${kind.noun}(s) updated successfully, ${failed_count} failed.`;
  return {
    work: {},
    progress,
    end: {
      operation_status: isFailed ? "FAILED" : "SUCCESS",
      message: reason === undefined ? message : `${message} ${reason}`,
      done_count,
      failed_count,
      ...(await endReport(c, report_id!)),
      errors,
    },
  };
}

import { setImmediate as turn } from "node:timers/promises";
import { deflateRawSync } from "node:zlib";
import { decidedBy, type RefusalNote, type RefusedRedeemable, traceRefusal } from "../../core/refusals/refusal.ts";
import type {
  RefusalBatch,
  RefusalCount,
  RefusalDetails,
  RefusalNames,
  RefusalRow,
  RefusedShown,
} from "../../core/rows/refusal.ts";
import { createBehind } from "../../db/batches/behind.ts";
import { withinTime } from "../../db/batches/commit.ts";
import type { Pool, Tx } from "../../db/db.ts";
import type { NewId } from "../../request.ts";
import { bytesOf, type RequestToLog, rowAndMore } from "../request-log/entry.ts";

/** A refusal that waits to be written. `created_at` is by the clock of its project. */
export type NotedRefusal = { request: RequestToLog; refusal: RefusalNote; created_at: string };

type Options = {
  /** Stores a batch; stored twice, it is what it was. */
  save(tx: Tx, projectId: string, batch: RefusalBatch): Promise<void>;
  newId: NewId;
  /** By the server's clock. */
  now(): string;
  report(error: unknown): void;
  /** How many a process hands to `save` in a minute at most, of one project. */
  perMinute?: number;
};

const PAUSE_MS = 500;
const PER_MINUTE = 1_000;
const BYTES_WAITING_MAX = 8_388_608;
/** What is made at once, before others have their turn. */
const SLICE = 5;
const TRACE_MAX = 40_000;
/** So long a process that ends waits. */
const END_MS = 2_000;

type Waiting = { counts: Map<string, RefusalCount>; noted: NotedRefusal[] };

/**
 * Refusals on their way into the database. Noting one counts it, and takes a place in a list while there is one: traces are made and
 * compressed later, when nobody waits for it. What has no place is counted all the same.
 */
export function createRefusalQueue(pool: Pool, { save, newId, now, report, perMinute = PER_MINUTE }: Options) {
  const behind = createBehind(pool, { report });
  const waitingOf = new Map<string, Waiting>();
  const inMinute = new Map<string, number>();
  let [minute, bytes, isDue] = ["", 0, false];
  let writing: Promise<void> = Promise.resolve();

  /** Whether one more of the project may be kept. */
  const hasPlace = (projectId: string, size: number): boolean => {
    const current = now().slice(0, 16);
    if (current !== minute) inMinute.clear();
    minute = current;
    const count = inMinute.get(projectId) ?? 0;
    if (count >= perMinute || bytes + size > BYTES_WAITING_MAX) return false;
    inMinute.set(projectId, count + 1);
    return true;
  };

  /** One that cannot be made takes no other with it. */
  const tryEntry = (noted: NotedRefusal): RefusalBatch["refusals"] => {
    try {
      return [entryOf(noted, newId("rfsl"))];
    } catch (error) {
      report(error);
      return [];
    }
  };
  const write = async (): Promise<void> => {
    const all = [...waitingOf];
    waitingOf.clear();
    for (const [projectId, { counts, noted }] of all) {
      const batch = { id: newId("rfsl"), at: now(), counts: [...counts.values()] };
      const refusals: RefusalBatch["refusals"][number][] = [];
      for (const [n, one] of noted.entries()) {
        if (n % SLICE === 0) await turn();
        bytes -= bytesOf(one.request);
        refusals.push(...tryEntry(one));
      }
      void behind.add(projectId, 0, (tx) => save(tx, projectId, { ...batch, refusals }));
    }
  };
  const start = () => {
    if (isDue) return;
    isDue = true;
    const run = () => {
      isDue = false;
      writing = writing.then(write);
    };
    setTimeout(run, PAUSE_MS).unref();
  };
  const flush = async (): Promise<void> => {
    writing = writing.then(write);
    await writing;
    await behind.end();
  };

  return {
    note: (noted: NotedRefusal): void => {
      const { project_id } = noted.request;
      const waiting = waitingOf.getOrInsertComputed(project_id, () => ({ counts: new Map(), noted: [] }));
      for (const one of countedIn(noted)) {
        const name = JSON.stringify([one.hour, one.campaign_id, one.reason]);
        waiting.counts.getOrInsertComputed(name, () => ({ ...one, count: 0 })).count += one.count;
      }
      const size = bytesOf(noted.request);
      if (hasPlace(project_id, size)) {
        bytes += size;
        waiting.noted.push(noted);
      }
      start();
    },
    /** Holds when all that was noted is written. */
    flush,
    /** The same for a process that ends, which cannot wait for a database that does not answer. */
    end: async (): Promise<void> => void (await withinTime(END_MS, flush())),
  };
}

export type RefusalQueue = ReturnType<typeof createRefusalQueue>;

/** Each redeemable that was refused counts once; a request that was refused as a whole counts once. */
function countedIn({ refusal: { reason, redeemables }, created_at }: NotedRefusal): RefusalCount[] {
  const hour = `${created_at.slice(0, 13)}:00:00.000Z`;
  const refused = redeemables.length > 0 ? redeemables : [{ campaign_id: null, reason }];
  return refused.map((one) => ({ hour, campaign_id: one.campaign_id ?? "", reason: one.reason, count: 1 }));
}

function entryOf(noted: NotedRefusal, id: string): RefusalBatch["refusals"][number] {
  const { request, refusal, created_at } = noted;
  const trace = traceRefusal(refusal);
  const traceOf = (one: RefusedRedeemable) => trace?.find(({ object, id }) => object === one.object && id === one.id);
  const redeemables = refusal.redeemables.map((one) => ({ ...one, ...decidedBy(traceOf(one)) }));
  // All that is shown is masked together: what is personal in one place is so in all of them.
  const shown = { customers: refusal.customers, redeemables, trace };
  const { row, more } = rowAndMore(request, { value: shown, about: "", lengthMax: TRACE_MAX });
  const masked = parseShown(more);
  const kept: RefusalDetails = {
    ...{ url: row.url, request: row.request_body, answer: row.response_body },
    trace: masked.trace ? JSON.stringify(masked.trace) : null,
  };
  const details = deflateRawSync(JSON.stringify(kept));
  const { operation, status, key_kind, key_id, channel, codes, customers } = row;
  const stored: RefusalRow = {
    ...{ id, created_at, request_id: row.id, kind: refusal.kind, operation, status },
    ...{ reason: refusal.reason, message: refusal.message, redemption_id: refusal.redemption_id },
    ...{ key_kind, key_id, channel, codes, customers, redeemables: masked.redeemables },
    ...{ bytes: details.length, details: `\\x${details.toString("hex")}` },
  };
  return { row: stored, names: namesOf(row.names, noted), counted: countedIn(noted) };
}

/** Null, or a text: it was too long, or named more people than are noted. */
function parseShown(text: string | null): { redeemables: RefusedShown[]; trace: unknown } {
  const shown = text === null ? null : JSON.parse(text);
  const { redeemables, trace = null } = typeof shown === "object" && shown !== null ? shown : {};
  return { redeemables: (redeemables ?? []).filter((one: unknown) => typeof one === "object"), trace };
}

function namesOf(
  { code, customer }: { code: readonly string[]; customer: readonly string[] },
  noted: NotedRefusal,
): RefusalNames {
  const { reason, redeemables } = noted.refusal;
  return {
    code,
    customer,
    campaign: [...new Set(redeemables.flatMap(({ campaign_id }) => campaign_id ?? []))],
    reason: [...new Set([reason, ...redeemables.map((one) => one.reason)])],
  };
}

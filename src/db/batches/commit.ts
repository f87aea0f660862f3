import { setTimeout as wait } from "node:timers/promises";
import { ApiError } from "../../core/errors.ts";
import { type Db, type Fragment, isPassing, isReported, type Pool, type Tx } from "../db.ts";
import { isSpread } from "../spread/nodes.ts";

const ASK_MS = 1000;
const ASK_AGAIN_MS = 50;
const OPEN_MS = 5000;
const RERUNS_MAX = 3;
const NO_LIMIT_MS = 2 ** 31 - 1; // The longest that a timer takes.

/** Thrown inside a transaction that must start over: what it resolved before locking is no longer so. */
export class StartOver extends Error {}
/** Thrown inside a transaction that was decided with a configuration that is not so any more. Whoever asked decides again. */
export class OldConfiguration extends Error {}
class TooLate extends Error {
  readonly code = "CONNECT_TIMEOUT";
}

export type Outcome<T> =
  | { kind: "committed"; value: T }
  | { kind: "aborted"; error: unknown }
  | { kind: "unknown"; error: unknown };

type Limits = {
  limitMs?: number;
  lockMs?: number | undefined;
  /** Whose rows it writes: on a database that is spread over machines, its end is asked for on the machine that has them. */
  projectId?: string | undefined;
};

/**
 * Runs one transaction and says how it ended, also when the connection is lost while COMMIT is out. One that has not
 * come to its COMMIT within the limit never will: a server that fell silent holds nobody for ever. With `lockMs` it fails
 * with 55P03 when a row or a key that it needs is held for longer than that.
 */
export async function commit<T>(
  pool: Pool,
  run: (tx: Tx) => Promise<T>,
  { limitMs = NO_LIMIT_MS, lockMs, projectId }: Limits = {},
): Promise<Outcome<T>> {
  let number: Numbered | undefined;
  let elsewhere: Elsewhere | undefined;
  let sent: { value: T } | undefined;
  let tag: string | undefined;
  let late = false;
  const opened = Promise.withResolvers<void>();
  // A plain write may insert with its first statement, which must not run when BEGIN failed: it waits for the answer.
  const isHot = lockMs !== undefined;
  const ended = pool.begin(isHot ? "at once" : "", async (tx) => {
    opened.resolve();
    if (late) throw new TooLate();
    if (isHot)
      endings.set(tx, (value) => {
        if (late) throw new TooLate();
        const out = number && (tx as Ending).commitBehind();
        if (!out) return;
        sent = { value: value as T };
        out.then(
          ({ command }) => {
            tag = command;
          },
          () => {},
        );
      });
    // Sent first and not awaited, so it costs no round trip. Without `execute` it would only start when awaited.
    const limit = lockMs === undefined ? tx`` : tx`, set_config('lock_timeout', ${String(lockMs)}, true)`;
    const first = tx<Numbered[]>`
      select pg_current_xact_id()::text as xid, ${lifeIn(tx)} as life ${limit}`.then((rows) => {
      number = rows[0]!;
    });
    const second =
      projectId && isSpread(pool)
        ? numberElsewhere(tx, projectId, limit).then((found) => {
            elsewhere = found;
          })
        : null;
    const [, , value] = await Promise.all([first, second, run(tx)]);
    if (late && !sent) throw new TooLate();
    sent ??= { value };
    return sent;
  });
  try {
    // The driver goes on connecting for ever to a server that accepts and closes; a lane cannot wait for that.
    const started = Promise.race([opened.promise, ended]).then(() => true);
    const done = (await withinTime(Math.min(OPEN_MS, limitMs), started)) && (await withinTime(limitMs, ended));
    if (done && tag === "ROLLBACK") throw new Error("nothing was stored, and no statement failed");
    if (done) return { kind: "committed", value: (done as { value: T }).value };
    late = true;
    ended.catch(() => {});
    throw new TooLate("the database does not answer");
  } catch (error) {
    if (!sent || isReported(error) || tag === "ROLLBACK") return { kind: "aborted", error };
    // All of it is stored, and then something was wrong with it: nobody may run it again.
    if (tag === "COMMIT") return { kind: "unknown", error };
    const status = await statusOf(pool, number!, elsewhere);
    if (status === "committed") return { kind: "committed", value: sent.value };
    return { kind: status === "aborted" ? "aborted" : "unknown", error };
  }
}

/** A transaction whose COMMIT can go out behind statements that are not answered yet (`driver-corrections.ts`). */
type Ending = Tx & { commitBehind(): PromiseLike<{ command: string }> | null };
const endings = new WeakMap<Tx, (value: unknown) => void>();

/**
 * Sends the last statements of a transaction, and COMMIT in the same message: when one of them fails, nothing is stored.
 * So whatever has to hold is a condition of a statement, and the value is known before they are answered. `write` waits for
 * no answer before its last statement is sent. Where the transaction is not one of a lane, who opened it commits it.
 */
export async function commitWith<T>(tx: Tx, value: T, write: () => Promise<unknown>): Promise<T> {
  const written = write();
  const end = endings.get(tx);
  if (end) {
    written.catch(() => {});
    // Ticks come after all that follows without an answer from outside, and before the driver sends its piece.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    end(value);
  }
  await written;
  return value;
}

/**
 * Runs one transaction to a known end: what is passing (a deadlock, a lost connection before COMMIT) is run again,
 * three times at most. `run` must give the same rows each time, so ids and time are made outside of it.
 */
export async function transaction<T>(
  pool: Pool,
  run: (tx: Tx) => Promise<T>,
  {
    isWorthAgain = isPassing,
    projectId,
  }: { isWorthAgain?(error: unknown): boolean; projectId?: string | undefined } = {},
): Promise<T> {
  for (let reruns = 0; ; reruns += 1) {
    const outcome = await commit(pool, run, { projectId });
    if (outcome.kind === "committed") return outcome.value;
    if (outcome.kind === "unknown") throw new ApiError("outcome_unknown");
    const again = isWorthAgain(outcome.error) || outcome.error instanceof StartOver;
    if (!again || reruns === RERUNS_MAX) throw outcome.error;
  }
}

/**
 * Reads of one moment: all statements of `run` see the database as it was when the first of them began. It stops who cleans up
 * behind updates in the whole database, so it is for minutes at most.
 */
export const inSnapshot = async <T>(pool: Pool, run: (tx: Tx) => Promise<T>): Promise<T> =>
  (await pool.begin("isolation level repeatable read", run)) as T;

/** The value, or null when it takes longer. */
export async function withinTime<T>(ms: number, promise: Promise<T>): Promise<T | null> {
  // Timers count whole milliseconds and may come up to one early: who is told that the time is over must find it so.
  const limit = Math.min(Math.ceil(ms) + 1, NO_LIMIT_MS);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, limit, null);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** How statements without a transaction ended. There is no commit whose fate could be unknown. */
export async function ended<T>(running: Promise<T>, limitMs: number): Promise<Outcome<T>> {
  try {
    const done = await withinTime(
      limitMs,
      running.then((value) => ({ value })),
    );
    if (done) return { kind: "committed", value: done.value };
    running.catch(() => {});
    return {
      kind: "aborted",
      error: Object.assign(new Error("the database does not answer"), { code: "CONNECT_TIMEOUT" }),
    };
  } catch (error) {
    return { kind: "aborted", error };
  }
}

/** The number of a transaction, and the life of the server in which it means that transaction. */
type Numbered = { xid: string; life: string };

/**
 * A crash may take a transaction with it of which nothing was on the disk yet, and its number is given to another. The
 * statistics begin anew whenever a server recovers from a crash: while they did not, a number is nobody else's.
 */
const lifeIn = (db: Db) => db`pg_stat_get_bgwriter_stat_reset_time()::text`;

/** The same on the machine that has the rows of a project. Its life is one of that machine. */
type Elsewhere = Numbered & { projectId: string };
const nodeLifeIn = (db: Db) => db`to_hex((select system_identifier from pg_control_system())) || ' ' || ${lifeIn(db)}`;

/**
 * Asked there, since a statement that selects a row is run where the row is. The limit for locks goes along: a machine that waits
 * for a row does not know what was said to another one. A project that is just being made has no row yet.
 */
const numberElsewhere = (tx: Tx, projectId: string, limit: Fragment): Promise<Elsewhere | undefined> =>
  // Not an async function: it is sent before the first statement of the work.
  tx<Numbered[]>`
    select pg_current_xact_id()::text as xid, ${nodeLifeIn(tx)} as life ${limit}
    from tenants where project_id = ${projectId}`.then(([row]) => row && { ...row, projectId });

/**
 * Asked for a second: the old session may still be at work on its COMMIT, or the server may be starting again. The question writes
 * to the log as well, so that its answer comes when all before it is where commits have to be: a session that was ended while it
 * waited for a standby leaves a commit that is on one machine only, and goes with it.
 */
async function statusOf(pool: Pool, number: Numbered, elsewhere: Elsewhere | undefined): Promise<string | null> {
  const until = performance.now() + ASK_MS;
  const here = await askUntil(until, () => askHere(pool, number));
  // Where another machine has the rows, it commits first: what ended here without success may have been stored there.
  return here === "aborted" && elsewhere ? askUntil(until, () => askThere(pool, elsewhere)) : here;
}

/** Null: it was not told in time, or is not known any more. */
async function askUntil(until: number, ask: () => Promise<string | null>): Promise<string | null> {
  for (;;) {
    const asked = ask().catch(() => "in progress");
    const status = await withinTime(Math.max(1, until - performance.now()), asked);
    if (status !== "in progress" || performance.now() >= until) return status === "in progress" ? null : status;
    await wait(ASK_AGAIN_MS);
  }
}

async function askHere(pool: Pool, { xid, life }: Numbered): Promise<string | null> {
  const [row] = await pool<{ status: string | null; life: string }[]>`
    select pg_xact_status(${xid}::xid8) as status, ${lifeIn(pool)} as life,
      pg_logical_emit_message(true, 'laurel', ''::text)`;
  // What was committed keeps its number. So whoever else has it now, "aborted" is true of ours as well.
  return row!.status === "committed" && row!.life !== life ? null : row!.status;
}

/** A project may have moved meanwhile: another machine knows nothing of the number. */
async function askThere(pool: Pool, { xid, life, projectId }: Elsewhere): Promise<string | null> {
  const [row] = await pool<{ status: string | null; life: string }[]>`
    select pg_xact_status(${xid}::xid8) as status, ${nodeLifeIn(pool)} as life,
      pg_logical_emit_message(true, 'laurel', ''::text)
    from tenants where project_id = ${projectId}`;
  return row?.life === life ? row.status : null;
}

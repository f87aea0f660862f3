import assert from "node:assert/strict";
import { commit, type Outcome, StartOver, within } from "./commit.ts";
import { type Db, isPassing, type Pool, type Tx } from "./db.ts";

/** What the lanes answer for a command that no flow could answer. */
export type LaneFailure = "overloaded" | "outcome_unknown" | "internal_server_error" | "idempotency_in_progress";

/** A hot operation. `run` answers every command, in order; a refusal is an answer, an exception is a bug. */
export type Flow<C, A> = {
  name: string;
  run(tx: Tx, projectId: string, commands: readonly C[]): Promise<A[]>;
  failed(command: C, key: LaneFailure): A;
};
/** The same without a transaction: it may be run twice, so what it stores it stores once, by an id of the command. */
export type ReadFlow<C, A> = Omit<Flow<C, A>, "run"> & {
  read(db: Db, projectId: string, commands: readonly C[]): Promise<A[]>;
};
type AnyFlow<C, A> = Flow<C, A> | ReadFlow<C, A>;
export type Submit = <C, A>(flow: AnyFlow<C, A>, projectId: string, command: C) => Promise<A>;

/** Thrown when the keys of a batch cannot be claimed in time: the one command whose key is held is found by halving. */
export class ClaimHeld extends Error {}

type Waiting = { command: unknown; until: number; answer(value: unknown): void };
type Queue = { flow: AnyFlow<unknown, unknown>; projectId: string; waiting: Waiting[] };
type Limits = {
  lanes?: number;
  sizeMax?: number;
  waitingMax?: number;
  timeoutMs?: number;
  report(error: unknown): void;
  /** Told of every batch that is started. */
  observe?(flow: string, size: number): void;
};

const RERUNS_MAX = 3;
/** So long a batch waits for more commands while another one is under way. */
const GATHER_MS = 10;
/** Starting over means that somebody else has committed meanwhile, so it comes to an end; the deadline of the requests holds. */
const RESTARTS_MAX = 20;

/**
 * Gathers the commands of one flow and project into transactions. A lane takes what waits at once when all are free, so a
 * lone command is never delayed; while all lanes are busy, commands gather. Beside another batch one starts when as many
 * commands wait as that one has, or after 10 ms: otherwise the first of 30 clients that are answered together would get a
 * batch of its own, and the other 29 would wait for it. A batch costs some milliseconds however small it is, so that two
 * of 25 take less than four of 13. The pool needs a connection for each lane.
 */
export function createLanes(pool: Pool, limits: Limits): Submit {
  const { lanes = 2, sizeMax = 256, waitingMax = 4096, timeoutMs = 10_000, report, observe } = limits;
  // A Map keeps the order of insertion: its first queue is the one that has waited longest for its turn.
  const queues = new Map<string, Queue>();
  let [free, waitingCount, running] = [lanes, 0, 0];

  const fill = (isLate = false): void => {
    const first = queues.entries().next();
    if (free === 0 || first.done) return;
    const [name, queue] = first.value;
    if (!isLate && waitingCount < Math.min(running, sizeMax)) {
      fillLate();
      return;
    }
    const batch = queue.waiting.splice(0, sizeMax);
    queues.delete(name);
    if (queue.waiting.length > 0) queues.set(name, queue);
    waitingCount -= batch.length;
    free -= 1;
    running += batch.length;
    observe?.(queue.flow.name, batch.length);
    void settle(queue, batch, 0).finally(() => {
      free += 1;
      running -= batch.length;
      fillSoon();
    });
    fill(isLate);
  };

  // Once all that has arrived is read: the first of many requests does not leave without the others.
  const fillSoon = planned(setImmediate, () => fill());
  const fillLate = planned(
    (run) => setTimeout(run, GATHER_MS),
    () => fill(true),
  );

  const settle = async (queue: Queue, batch: readonly Waiting[], reruns: number): Promise<void> => {
    const { flow, projectId } = queue;
    const now = performance.now();
    const [live, late] = [batch.filter(({ until }) => now < until), batch.filter(({ until }) => now >= until)];
    const fail = (entries: readonly Waiting[], key: LaneFailure) => {
      for (const { answer, command } of entries) answer(flow.failed(command, key));
    };
    // Nothing of these is stored, so the client may simply ask again.
    fail(late, "overloaded");
    if (live.length === 0) return;

    const commands = live.map(({ command }) => command);
    const limitMs = Math.max(...live.map(({ until }) => until)) - now;
    const checked = async (answers: Promise<unknown[]>) => {
      assert.equal((await answers).length, commands.length, `${flow.name} answers every command`);
      return answers;
    };
    const outcome =
      "read" in flow
        ? await ended(checked(flow.read(pool, projectId, commands)), limitMs)
        : await commit(pool, (tx) => checked(flow.run(tx, projectId, commands)), limitMs);
    if (outcome.kind === "committed") {
      for (const [i, { answer }] of live.entries()) answer(outcome.value[i]);
      return;
    }
    if (outcome.kind === "unknown") return fail(live, "outcome_unknown");

    const { error } = outcome;
    const held = error instanceof ClaimHeld;
    const startsOver = error instanceof StartOver;
    const passing = !held && (isPassing(error) || startsOver);
    const isLast = reruns >= (startsOver ? RESTARTS_MAX : RERUNS_MAX);
    if (!held && (!passing || isLast)) report(error);
    if (passing && isLast) return fail(live, "overloaded");
    if (!passing && live.length === 1) return fail(live, held ? "idempotency_in_progress" : "internal_server_error");
    // Halving finds the one command that breaks the batch: it alone gets the refusal. The order of commands is kept.
    const middle = Math.ceil(live.length / 2);
    for (const half of [live.slice(0, middle), live.slice(middle)]) {
      await settle(queue, half, passing ? reruns + 1 : reruns);
    }
  };

  return <C, A>(flow: AnyFlow<C, A>, projectId: string, command: C) =>
    new Promise<A>((resolve) => {
      if (waitingCount >= waitingMax) return resolve(flow.failed(command, "overloaded"));
      const name = `${flow.name} ${projectId}`;
      const queue = queues.get(name) ?? { flow: flow as AnyFlow<unknown, unknown>, projectId, waiting: [] };
      const until = performance.now() + timeoutMs;
      queue.waiting.push({ command, until, answer: resolve as (value: unknown) => void });
      queues.set(name, queue);
      waitingCount += 1;
      if (running === 0) fill();
      else fillSoon();
    });
}

/** Asked for any number of times, it happens once. */
function planned(plan: (run: () => void) => unknown, run: () => void): () => void {
  let isComing = false;
  return () => {
    if (isComing) return;
    isComing = true;
    plan(() => {
      isComing = false;
      run();
    });
  };
}

/** How a read ended. There is no commit whose fate could be unknown. */
async function ended<T>(reading: Promise<T>, limitMs: number): Promise<Outcome<T>> {
  try {
    const done = await within(
      limitMs,
      reading.then((value) => ({ value })),
    );
    if (done) return { kind: "committed", value: done.value };
    reading.catch(() => {});
    return {
      kind: "aborted",
      error: Object.assign(new Error("the database does not answer"), { code: "CONNECT_TIMEOUT" }),
    };
  } catch (error) {
    return { kind: "aborted", error };
  }
}

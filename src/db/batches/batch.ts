import assert from "node:assert/strict";
import { setImmediate as others } from "node:timers/promises";
import { type Steps, TooExpensive } from "../../core/steps.ts";
import { type Db, isLockHeld, isPassing, type Pool, type Tx } from "../db.ts";
import { type Alone, type Behind, createBehind, type Write } from "./behind.ts";
import { commit, ended, OldConfiguration, type Outcome, StartOver } from "./commit.ts";
import { createTurns, type Queue } from "./turns.ts";

/** What the lanes answer for a command that no flow could answer. */
export type LaneFailure =
  | "overloaded"
  | "outcome_unknown"
  | "internal_server_error"
  | "idempotency_in_progress"
  | "request_too_expensive";

/** A hot operation. `run` answers every command, in order; a refusal is an answer, an exception is a bug. */
export type Flow<C, A> = {
  name: string;
  run(tx: Tx, projectId: string, commands: readonly C[]): Promise<A[]>;
  /**
   * The commands that need something that another transaction holds, each with its answer when that never ends. It waits
   * for nothing. A flow without it finds them by halving its batch.
   */
  held?(tx: Tx, projectId: string, commands: readonly C[]): Promise<ReadonlyMap<C, LaneFailure>>;
  /** The command, which has waited long enough for what was `NotYet` there. */
  late?(command: C): C;
  failed(command: C, key: LaneFailure, details?: string): A;
};
/** The same without a transaction. It may be run twice; what it stores is written behind its answers. */
export type ReadFlow<C, A> = Omit<Flow<C, A>, "run" | "held" | "late"> & {
  read(db: Db, projectId: string, commands: readonly C[], behind: WriteBehind): Promise<A[]>;
};
/** Takes so many records to be written. It holds at once while there is room for them. */
export type WriteBehind = (size: number, write: Write, how?: Alone) => Promise<void>;
type AnyFlow<C, A> = Flow<C, A> | ReadFlow<C, A>;
/**
 * Fails with `OldConfiguration` when the command has to be made anew, with what is configured now.
 * `isSure`: whether the command may run as it is, which is not known yet. A read on free lanes begins at once, alone, and
 * writes nothing behind before it is sure; any other waits. When it is not sure, its answer means nothing.
 */
export type Submit = <C, A>(
  flow: AnyFlow<C, A>,
  projectId: string,
  command: C,
  isSure?: Promise<boolean>,
) => Promise<A>;

/** Thrown when the keys of a batch cannot be claimed in time. */
export class ClaimHeld extends Error {}

/** Thrown when commands name what another process may not have written yet, each with how long it may take to come. */
export class NotYet extends Error {
  readonly commands: ReadonlyMap<unknown, number>;
  constructor(commands: ReadonlyMap<unknown, number>) {
    super("what a command names may be on its way");
    this.commands = commands;
  }
}

type Waiting = {
  command: unknown;
  /** When it came, and when it must have its answer. */
  since: number;
  until: number;
  /** How often it was set aside. */
  tries: number;
  answer(value: unknown): void;
  /** It has to be made anew, with what is configured now. */
  sendBack(why: OldConfiguration): void;
  /** Where it came from, for traces. */
  from: unknown;
  /** Of a command that began early: it is alone in its batch. */
  isSure?: Promise<boolean> | undefined;
};
type LaneQueue = Omit<Queue<AnyFlow<unknown, unknown>, Waiting>, "waiting">;
/** Puts a batch into a trace: `from` notes where a command comes from, `run` runs its batch there. */
export type TraceBatch = {
  from(): unknown;
  run<T>(flow: string, froms: readonly unknown[], run: () => Promise<T>): Promise<T>;
};
const NO_TRACE: TraceBatch = { from: () => null, run: (_flow, _froms, run) => run() };

type Limits = {
  /** Where reads write behind their answers. */
  behind?: Behind;
  lanes?: number;
  /** The connection of the reserve lane; without one it takes a connection of the pool. */
  reserve?: Pool;
  sizeMax?: number;
  waitingMax?: number;
  timeoutMs?: number;
  /** How long a batch waits for a row or a key that somebody holds. */
  lockMs?: number;
  /** How long a command is set aside for the first time; every time after it is twice as long. */
  pauseMs?: number;
  now?(): number;
  report(error: unknown): void;
  /** Told of every batch that is started, and how long its oldest command waited. What it gives is told of its end. */
  observe?(flow: string, size: number, waitedMs: number): (() => void) | void;
  /** Told of commands that are set aside. */
  observeSetAside?(flow: string, count: number): void;
  trace?: TraceBatch;
};

const RERUNS_MAX = 3;
/** So long a batch waits for more commands while another one is under way. */
const GATHER_MS = 10;
/** Starting over means that somebody else has committed meanwhile, so it comes to an end; the deadline of the requests holds. */
const RESTARTS_MAX = 20;
const LOCK_MS = 250;
/** Once a batch has waited in vain, its parts only look for who it was. */
const BRIEF_LOCK_MS = 20;
const PAUSE_MS = 100;
const PAUSE_MAX_MS = 1000;
/** What is on its way comes within milliseconds as a rule. */
const NOT_YET_MS = 5;
/** A request whose key another one holds waits for some seconds; then its client is told. */
const KEY_TRIES_MAX = 5;
const ANSWERS_AT_ONCE = 32;
const ASIDE = " aside";

/**
 * Gathers the commands of one flow and project into transactions. A lane takes what waits at once when all are free, so a
 * lone command is never delayed; while all lanes are busy, commands gather. Beside another batch one starts when as many
 * commands wait as that one has, or after 10 ms: otherwise the first of 30 clients that are answered together would get a
 * batch of its own, and the other 29 would wait for it. A batch costs some milliseconds however small it is, so that two
 * of 25 take less than four of 13. The pool needs a connection for each lane.
 *
 * No project stalls the others (ADR 0017). While all lanes are busy, a reserve lane takes batches of projects that hold no
 * lane. A batch that meets a lock waits for it only briefly: then the commands that need it are set aside and tried again
 * later, and the others go on. A queue whose oldest command has waited for half of its time takes no more.
 */
export function createLanes(pool: Pool, limits: Limits): Submit {
  const { lanes = 2, reserve = pool, sizeMax = 256, waitingMax = 4096, timeoutMs = 10_000 } = limits;
  const { lockMs = LOCK_MS, pauseMs = PAUSE_MS, now = () => performance.now() } = limits;
  const { behind = createBehind(pool, { report: limits.report }), trace = NO_TRACE } = limits;
  const turns = createTurns<AnyFlow<unknown, unknown>, Waiting>({ lanes, sizeMax, waitingMax });

  const fill = (isLate = false): void => {
    const turn = turns.next(isLate);
    if (turn === "later") fillLate();
    if (turn === "later" || turn === undefined) return;
    const { queue, batch, isReserve, end } = turn;
    const waitedMs = now() - Math.min(...batch.map(({ since }) => since));
    const ended = limits.observe?.(queue.flow.name, batch.length, waitedMs);
    const froms = batch.map(({ from }) => from);
    const run = () => settle(queue, batch, { on: isReserve ? reserve : pool, reruns: 0, lockMs });
    void trace.run(queue.flow.name, froms, run).finally(() => {
      ended?.();
      end();
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

  /** Commands wait outside of the lanes and come back as a queue of their own. Those without time left are answered. */
  const setAside: SetAside = ({ flow, projectId, name }, aside, keyOf, first = pauseMs) => {
    const pause = Math.min(first * 2 ** Math.max(...aside.map(({ tries }) => tries)), PAUSE_MAX_MS);
    const back = aside.filter((entry) => {
      entry.tries += 1;
      const key = keyOf(entry.command);
      const isOver = key === "idempotency_in_progress" && entry.tries > KEY_TRIES_MAX;
      if (!isOver && now() + pause < entry.until) return true;
      entry.answer(flow.failed(entry.command, key));
      return false;
    });
    limits.observeSetAside?.(flow.name, aside.length);
    if (back.length === 0) return;
    turns.count(projectId, back.length);
    setTimeout(() => {
      turns.push({ flow, projectId, name: name.endsWith(ASIDE) ? name : name + ASIDE }, back);
      fillSoon();
    }, pause);
  };
  const settle = settling({ now, report: limits.report, setAside, behind });

  let early = 0;
  const submit: Submit = <C, A>(flow: AnyFlow<C, A>, projectId: string, command: C, isSure?: Promise<boolean>) =>
    new Promise<A>((resolve, reject) => {
      if (isSure && ("run" in flow || !turns.isIdle()))
        return void isSure.then((is) =>
          resolve(is ? submit(flow, projectId, command) : flow.failed(command, "overloaded")),
        );
      // What is read for somebody who is not who they are taken for is shared with nobody.
      const name = `${flow.name} ${projectId}${isSure ? ` early ${++early}` : ""}`;
      const since = now();
      // The next one would wait at least as long, and then for its own batch.
      const isSlow = since - (turns.oldest(name)?.since ?? since) > timeoutMs / 2;
      if (isSlow || !turns.hasRoom(projectId)) return resolve(flow.failed(command, "overloaded"));
      const answer = resolve as (value: unknown) => void;
      turns.count(projectId, 1);
      turns.push({ name, flow: flow as AnyFlow<unknown, unknown>, projectId }, [
        { command, since, until: since + timeoutMs, tries: 0, answer, sendBack: reject, from: trace.from(), isSure },
      ]);
      if (turns.isIdle()) fill();
      else fillSoon();
    });
  return submit;
}

type SetAside = (
  queue: LaneQueue,
  aside: readonly Waiting[],
  keyOf: (command: unknown) => LaneFailure,
  firstMs?: number,
) => void;
type Attempt = { on: Pool; reruns: number; lockMs: number };
type Settle = (queue: LaneQueue, batch: readonly Waiting[], attempt: Attempt) => Promise<void>;

type Settling = Required<Pick<Limits, "now" | "report" | "behind">> & { setAside: SetAside };

/** Runs a batch until each of its commands is answered or set aside. */
function settling({ now, report, setAside, behind }: Settling) {
  const settle: Settle = async (queue, batch, attempt) => {
    const { flow, projectId } = queue;
    const at = now();
    const [live, late] = [batch.filter(({ until }) => at < until), batch.filter(({ until }) => at >= until)];
    const fail = (entries: readonly Waiting[], key: LaneFailure) => {
      for (const { answer, command } of entries) answer(flow.failed(command, key));
    };
    // Nothing of these is stored, so the client may simply ask again.
    fail(late, "overloaded");
    if (live.length === 0) return;

    const commands = live.map(({ command }) => command);
    const limitMs = Math.max(...live.map(({ until }) => until)) - at;
    const { isSure } = live[0]!;
    const outcome = await run(flow, projectId, commands, { ...attempt, limitMs, behind, isSure });
    if (outcome.kind === "committed") {
      // The lane is free for the next batch meanwhile.
      void answerAll(live, outcome.value);
      return;
    }
    if (outcome.kind === "unknown") {
      if (!isPassing(outcome.error)) report(outcome.error);
      return fail(live, "outcome_unknown");
    }
    const { error } = outcome;
    if (error instanceof OldConfiguration) {
      for (const { sendBack } of live) sendBack(error);
      return;
    }
    // Halving finds the one command that breaks the batch. The order of commands is kept.
    const inHalves = async (next: Attempt) => {
      const middle = Math.ceil(live.length / 2);
      for (const half of [live.slice(0, middle), live.slice(middle)]) await settle(queue, half, next);
    };
    if (error instanceof ClaimHeld || isLockHeld(error)) {
      const waiting = await whoWaits(flow, projectId, commands, { ...attempt, limitMs, error });
      if (waiting.size === 0) return inHalves({ ...attempt, lockMs: BRIEF_LOCK_MS });
      const [aside, others] = [true, false].map((is) => live.filter(({ command }) => waiting.has(command) === is));
      setAside(queue, aside!, (command) => waiting.get(command)!);
      return settle(queue, others!, attempt);
    }
    if (error instanceof NotYet) {
      const waited = (entry: Waiting) => now() - entry.since >= (error.commands.get(entry.command) ?? 0);
      const [early, others] = [false, true].map((is) => live.filter((entry) => waited(entry) === is));
      for (const entry of others!)
        if (error.commands.has(entry.command)) entry.command = (flow as Flow<unknown, unknown>).late!(entry.command);
      if (early!.length > 0) setAside(queue, early!, () => "overloaded", NOT_YET_MS);
      return settle(queue, others!, attempt);
    }
    const startsOver = error instanceof StartOver;
    const passing = isPassing(error) || startsOver;
    const isLast = attempt.reruns >= (startsOver ? RESTARTS_MAX : RERUNS_MAX);
    if (!passing || isLast) report(error);
    if (passing && isLast) return fail(live, "overloaded");
    if (!passing && live.length === 1) return fail(live, "internal_server_error");
    return inHalves({ ...attempt, reruns: attempt.reruns + (passing ? 1 : 0) });
  };
  return settle;
}

/** Each answer is written out and sent by who waits for it: a few at a time, so that others have their turn in between. */
async function answerAll(entries: readonly Waiting[], values: readonly unknown[]): Promise<void> {
  for (const [n, { answer }] of entries.entries()) {
    if (n > 0 && n % ANSWERS_AT_ONCE === 0) await others();
    answer(values[n]);
  }
}

type Running = Attempt & { limitMs: number; behind: Behind; isSure: Promise<boolean> | undefined };

/**
 * Runs a batch once. What follows from a command may cost too much, which is known when all of the batch is written: that
 * command alone is refused, and the others are run again without it.
 */
async function run(
  flow: AnyFlow<unknown, unknown>,
  projectId: string,
  commands: readonly unknown[],
  running: Running,
): Promise<Outcome<unknown[]>> {
  const { on, limitMs, lockMs, behind, isSure } = running;
  const add: WriteBehind = async (size, write, how) => {
    if (isSure === undefined || (await isSure)) await behind.add(projectId, size, write, how);
  };
  const checked = async (answers: Promise<unknown[]>) => {
    assert.equal((await answers).length, commands.length, `${flow.name} answers every command`);
    return answers;
  };
  const outcome =
    "read" in flow
      ? await ended(checked(flow.read(on, projectId, commands, add)), limitMs)
      : await commit(on, (tx) => checked(flow.run(tx, projectId, commands)), { limitMs, lockMs, projectId });
  const error = outcome.kind === "aborted" && outcome.error instanceof TooExpensive ? outcome.error : null;
  const place = error ? commands.findIndex((command) => (command as { steps?: Steps }).steps === error.steps) : -1;
  if (!error || place < 0) return outcome;
  const refused = flow.failed(commands[place], "request_too_expensive", error.body.details);
  if (commands.length === 1) return { kind: "committed", value: [refused] };
  const rest = await run(flow, projectId, commands.toSpliced(place, 1), running);
  return rest.kind === "committed" ? { kind: "committed", value: rest.value.toSpliced(place, 0, refused) } : rest;
}

/** The commands that wait for a lock, as far as that is known, each with its answer when the lock never goes. */
async function whoWaits(
  flow: AnyFlow<unknown, unknown>,
  projectId: string,
  commands: readonly unknown[],
  { on, limitMs, error }: Attempt & { limitMs: number; error: unknown },
): Promise<Map<unknown, LaneFailure>> {
  if (commands.length === 1)
    return new Map([[commands[0], error instanceof ClaimHeld ? "idempotency_in_progress" : "overloaded"]]);
  if ("read" in flow || !flow.held) return new Map();
  const asked = await commit(on, (tx) => flow.held!(tx, projectId, commands), {
    ...{ limitMs, lockMs: BRIEF_LOCK_MS, projectId },
  });
  return new Map(asked.kind === "committed" ? asked.value : []);
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

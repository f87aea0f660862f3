import { LRUCache } from "lru-cache";
import { ApiError } from "../../core/errors.ts";

/** Reading a byte of a body, or making one of an answer, takes about as long as a quarter of a step (`core/steps.ts`). */
const STEPS_PER_BYTE = 0.25;
/** About how long a step takes. */
const STEP_MS = 1e-4;
/** A request that costs so many steps, about 2 ms, is heavy. */
const HEAVY = 20_000;
/** What the heavy requests of one project that are under way may cost together, about 5 ms. One may always be. */
const UNDER_WAY_MAX = 50_000;
/** What is expected falls by a tenth with each request that turns out cheap. */
const FORGET = 0.9;
/** A project that sent nothing for so long needs nobody to make room for it. */
const ACTIVE_MS = 1_000;
/** A heavy request that takes longer waits for the database, not for the processor. */
const HELD_MS = 250;
/** Whoever would wait longer is told to come again. */
const WAIT_MAX_MS = 5_000;
const KINDS_MAX = 10_000;

/** A request that is under way. */
export type Turn = { end(cost: { steps: number; bytesOut: number }): void };
type Waiting = { since: number; cost: number; start(): void };
type Heavy = { cost: number; waiting: Waiting[] };
type Clock = { now(): number; after(ms: number, run: () => void): void };

const CLOCK: Clock = { now: () => performance.now(), after: (ms, run) => void setTimeout(run, ms).unref() };

/**
 * Spreads the heavy requests of a project over time while other projects are served. A process has one thread: 16 carts of
 * 9 ms that come together keep everybody waiting for 144 ms, one at a time for 9 ms. After each the project pauses as long. What a request will cost is what the
 * last ones of its kind cost: same project, same operation, body of about the same size. A project that is alone never
 * waits, and neither does a request that is not heavy.
 */
export function createHeavyRequests({ now, after }: Clock = CLOCK) {
  const expected = new LRUCache<string, number>({ max: KINDS_MAX });
  const heavyOf = new Map<string, Heavy>();
  // The project that called last, and the other one that called last before it.
  let [latest, before] = [
    { id: "", at: -ACTIVE_MS },
    { id: "", at: -ACTIVE_MS },
  ];

  const noteCall = (id: string, at: number) => {
    if (id !== latest.id) before = latest;
    latest = { id, at };
  };
  const isAlone = (id: string, at: number) => at - (latest.id === id ? before : latest).at >= ACTIVE_MS;

  /** Lets those in whose turn it is. */
  const letIn = (projectId: string, heavy: Heavy): void => {
    const next = heavy.waiting[0];
    if (next === undefined) {
      if (heavy.cost === 0) heavyOf.delete(projectId);
      return;
    }
    if (heavy.cost > 0 && heavy.cost + next.cost > UNDER_WAY_MAX && !isAlone(projectId, now())) return;
    heavy.waiting.shift();
    heavy.cost += next.cost;
    next.start();
    letIn(projectId, heavy);
  };

  const wait = (projectId: string, cost: number): Promise<() => void> => {
    const heavy = heavyOf.get(projectId) ?? { cost: 0, waiting: [] };
    heavyOf.set(projectId, heavy);
    const since = now();
    if (since - (heavy.waiting[0]?.since ?? since) > WAIT_MAX_MS) throw new ApiError("overloaded");
    let isOver = false;
    const giveBack = () => {
      if (isOver) return;
      isOver = true;
      // As long a pause as it ran: one half of the processor is for the other projects.
      after(cost * STEP_MS, () => {
        heavy.cost -= cost;
        letIn(projectId, heavy);
      });
    };
    return new Promise((resolve) => {
      const start = () => {
        after(HELD_MS, giveBack);
        resolve(giveBack);
      };
      heavy.waiting.push({ since, cost, start });
      letIn(projectId, heavy);
    });
  };

  /** Holds when the request may go on. */
  return async (projectId: string, operation: string, bytesIn: number): Promise<Turn> => {
    noteCall(projectId, now());
    const kind = `${projectId} ${operation} ${Math.floor(Math.log2(bytesIn + 1))}`;
    const cost = expected.get(kind) ?? bytesIn * STEPS_PER_BYTE;
    const giveBack = cost < HEAVY || isAlone(projectId, now()) ? null : await wait(projectId, cost);
    let isOver = false;
    return {
      end: ({ steps, bytesOut }) => {
        if (isOver) return;
        isOver = true;
        const spent = steps + (bytesIn + bytesOut) * STEPS_PER_BYTE;
        expected.set(kind, Math.max(spent, (expected.get(kind) ?? 0) * FORGET));
        giveBack?.();
      },
    };
  };
}

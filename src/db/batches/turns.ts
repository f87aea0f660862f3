/** Commands of one flow and project that wait for their turn. */
export type Queue<F, W> = { name: string; flow: F; projectId: string; waiting: W[] };
export type Turn<F, W> = {
  queue: Queue<F, W>;
  batch: readonly W[];
  isReserve: boolean;
  /** The lane is free again. */
  end(): void;
};

/** The share of the waiting room that every project has for itself, even while another project takes all the rest. */
const OWN_PART = 1 / 8;

/**
 * Whose turn it is. Queues take turns. While all lanes are busy, the reserve lane takes a batch of a project that holds no
 * lane: one project alone uses all lanes, and never the reserve.
 */
export function createTurns<F, W>(limits: { lanes: number; sizeMax: number; waitingMax: number }) {
  const { lanes, sizeMax, waitingMax } = limits;
  // A Map keeps the order of insertion: its first queue is the one that has waited longest for its turn.
  const queues = new Map<string, Queue<F, W>>();
  const [lanesOf, waitingOf] = [new Map<string, number>(), new Map<string, number>()];
  let [free, ready, waiting, running, isReserveFree] = [lanes, 0, 0, 0, true];

  const nextQueue = (): Queue<F, W> | undefined => {
    if (free === 0 && !isReserveFree) return undefined;
    for (const queue of queues.values()) if (free > 0 || !lanesOf.has(queue.projectId)) return queue;
    return undefined;
  };

  const start = (queue: Queue<F, W>): Turn<F, W> => {
    const batch = queue.waiting.splice(0, sizeMax);
    queues.delete(queue.name);
    if (queue.waiting.length > 0) queues.set(queue.name, queue);
    const isReserve = free === 0;
    const hold = (by: 1 | -1) => {
      if (isReserve) isReserveFree = by < 0;
      else free -= by;
      running += by * batch.length;
      addCount(lanesOf, queue.projectId, by);
    };
    ready -= batch.length;
    count(queue.projectId, -batch.length);
    hold(1);
    return { queue, batch, isReserve, end: () => hold(-1) };
  };

  /** Counts commands that wait, in a queue or set aside. */
  const count = (projectId: string, by: number): void => {
    waiting += by;
    addCount(waitingOf, projectId, by);
  };

  return {
    count,
    isIdle: () => running === 0,
    /** Whether one more command of the project may wait. */
    hasRoom: (projectId: string): boolean =>
      waiting < waitingMax || (waiting < 2 * waitingMax && (waitingOf.get(projectId) ?? 0) < waitingMax * OWN_PART),
    /** The one that has waited longest in a queue. */
    oldest: (name: string): W | undefined => queues.get(name)?.waiting[0],
    push: (to: Omit<Queue<F, W>, "waiting">, commands: readonly W[]): void => {
      const queue = queues.get(to.name) ?? { ...to, waiting: [] };
      queue.waiting.push(...commands);
      queues.set(to.name, queue);
      ready += commands.length;
    },
    /** The next batch; "later" when it is better to wait until more have come, unless that was done. */
    next: (isLate: boolean): Turn<F, W> | "later" | undefined => {
      const queue = nextQueue();
      if (queue === undefined) return undefined;
      return !isLate && ready < Math.min(running, sizeMax) ? "later" : start(queue);
    },
  };
}

/** A count that is zero is not kept. */
function addCount(counts: Map<string, number>, name: string, by: number): void {
  const sum = (counts.get(name) ?? 0) + by;
  if (sum === 0) counts.delete(name);
  else counts.set(name, sum);
}

import type { Pool } from "./db.ts";

/** Gives an operation of a project a connection for as long as it runs. */
export type Share = <T>(projectId: string, use: (db: Pool) => Promise<T>) => Promise<T>;

/**
 * Shares connections among projects: each of the pools is one connection, and one operation has it for itself. A project
 * has all of them but one at most, so that the next project never waits for somebody's slow lists. When one becomes free,
 * it goes to the project that has the fewest; of those to the one that has waited longest.
 */
export function createShares(
  connections: readonly Pool[],
  /** Told how many connections are held, and how many operations wait for one. */
  observe?: (held: number, waiting: number) => void,
): Share {
  const free = connections.toReversed();
  const most = Math.max(1, connections.length - 1);
  const held = new Map<string, number>();
  // A Map keeps the order of insertion: its first project is the one that has waited longest for its turn.
  const waiting = new Map<string, ((db: Pool) => void)[]>();

  let waits = 0;
  const tell = () => observe?.(connections.length - free.length, waits);
  const give = (projectId: string, start: (db: Pool) => void) => {
    held.set(projectId, (held.get(projectId) ?? 0) + 1);
    start(free.pop()!);
    tell();
  };
  const giveNext = (): void => {
    let next: string | undefined;
    for (const projectId of waiting.keys())
      if ((held.get(projectId) ?? 0) < (next === undefined ? most : (held.get(next) ?? 0))) next = projectId;
    if (next === undefined) return;
    const starts = waiting.get(next)!;
    waiting.delete(next);
    const start = starts.shift()!;
    waits -= 1;
    if (starts.length > 0) waiting.set(next, starts);
    give(next, start);
  };
  const takeBack = (projectId: string, db: Pool) => {
    const count = held.get(projectId)! - 1;
    if (count === 0) held.delete(projectId);
    else held.set(projectId, count);
    free.push(db);
    giveNext();
    tell();
  };

  return (projectId, use) =>
    new Promise((resolve, reject) => {
      const start = (db: Pool) =>
        void use(db)
          .then(resolve, reject)
          .finally(() => takeBack(projectId, db));
      if (free.length > 0 && (held.get(projectId) ?? 0) < most) return give(projectId, start);
      const starts = waiting.get(projectId) ?? [];
      starts.push(start);
      waits += 1;
      tell();
      waiting.set(projectId, starts);
    });
}

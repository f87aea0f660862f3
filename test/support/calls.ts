import assert from "node:assert/strict";
import { Session } from "node:inspector/promises";
import { setFlagsFromString } from "node:v8";

/** How often each piece of code was run: every function, branch and loop, by its place. */
export type Calls = ReadonlyMap<string, number>;

const COMPILERS = ["turbofan", "maglev", "sparkplug"];

/**
 * Counts what is run of the sources whose address matches: the same on every machine, so that a test can say how many steps
 * something takes. What was never run before may be counted too low the first time.
 */
export async function countCalls(sources: RegExp) {
  // A call that the compiler puts into its caller is not counted.
  for (const flag of COMPILERS) setFlagsFromString(`--no-${flag}`);
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  return {
    of: async (run: () => Promise<void>): Promise<Calls> => {
      await session.post("Profiler.takePreciseCoverage");
      await run();
      const { result } = await session.post("Profiler.takePreciseCoverage");
      const counted = new Map<string, number>();
      for (const { url, functions } of result)
        if (sources.test(url))
          for (const { functionName, ranges } of functions)
            for (const { startOffset, count } of ranges) {
              const place = `${url.replace(/^.*\/src\//, "src/")} ${functionName} at ${startOffset}`;
              counted.set(place, Math.max(counted.get(place) ?? 0, count));
            }
      return counted;
    },
    end: async (): Promise<void> => {
      await session.post("Profiler.stopPreciseCoverage");
      session.disconnect();
      for (const flag of COMPILERS) setFlagsFromString(`--${flag}`);
    },
  };
}

/**
 * A batch of twice as many commands takes about twice as many steps. What is done for each pair of commands is done four times as
 * often; what is sorted, at most 2.4 times.
 */
export function assertNotSteep(once: Calls, twice: Calls, size: number): void {
  const steep = [...twice].filter(([place, count]) => count > 2 * size && count > 2.4 * (once.get(place) ?? 0));
  assert.deepEqual(steep, []);
  const sum = (all: Calls) => all.values().reduce((some, count) => some + count, 0);
  assert.ok(sum(twice) <= 2.2 * sum(once), `${sum(once)} and ${sum(twice)}`);
}

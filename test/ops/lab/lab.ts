import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { printTable } from "./table.ts";

export const ROOT = join(import.meta.dirname, "../../..");

/** What a figure must be for the promise to hold. */
type Bound = { is?: number | string; atMost?: number; atLeast?: number };
type Figure = { figure: string; value: number | string; promised: string; holds: boolean };

/** One run: where it works, what it measured, and what has to be ended. */
export type Lab = {
  dir: string;
  say(line: string): void;
  figure(name: string, value: number | string, bound?: Bound): void;
  /** Is called at the end, the last one first. */
  atEnd(run: () => unknown): void;
  fail(error: unknown): void;
  end(): Promise<void>;
  /** Prints the figures, writes them down, and says whether all promises hold. */
  report(): boolean;
};

const promisedOf = ({ is, atMost, atLeast }: Bound): string =>
  [
    ...(is === undefined ? [] : [`${is}`]),
    ...(atLeast === undefined ? [] : [`at least ${atLeast}`]),
    ...(atMost === undefined ? [] : [`at most ${atMost}`]),
  ].join(", ");
const holdsOf = (value: number | string, { is, atMost, atLeast }: Bound): boolean =>
  (is === undefined || value === is) &&
  (atMost === undefined || Number(value) <= atMost) &&
  (atLeast === undefined || Number(value) >= atLeast);

export function createLab(name: string): Lab {
  const began = performance.now();
  const dir = fs.mkdtempSync(join(os.tmpdir(), `laurel-ops-${name}-`));
  fs.chmodSync(dir, 0o755); // Started by root, databases run as a user that must reach it.
  const figures: Figure[] = [];
  const ends: (() => unknown)[] = [];
  let failure: unknown;
  const end = async () => {
    for (const one of ends.splice(0).reverse()) await Promise.resolve(one()).catch((error) => console.error(error));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void end().finally(() => process.exit(130)));
  return {
    dir,
    say: (line) => console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${line}`),
    figure: (figure, value, bound = {}) => {
      figures.push({ figure, value, promised: promisedOf(bound), holds: holdsOf(value, bound) });
    },
    atEnd: (run) => void ends.push(run),
    fail: (error) => {
      failure = error;
    },
    end,
    report: () => {
      const holds = failure === undefined && figures.every((one) => one.holds);
      const file = join(ROOT, "data/ops", `${name}.json`);
      fs.mkdirSync(join(ROOT, "data/ops"), { recursive: true });
      const seconds = Math.round((performance.now() - began) / 1000);
      fs.writeFileSync(
        file,
        `${JSON.stringify({ name, holds, seconds, cores: os.availableParallelism(), figures }, null, 2)}\n`,
      );
      printTable(figures);
      if (failure !== undefined) console.error(failure);
      // What went wrong is looked for in the logs.
      if (holds) fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
      console.log(
        holds ? `All promises hold. Figures: ${file}` : `A promise is broken. Logs: ${dir}, figures: ${file}`,
      );
      return holds;
    },
  };
}

/** The same run, with a word before the name of each figure. */
export const figuresOf = (lab: Lab, what: string): Lab => ({
  ...lab,
  figure: (name, value, bound) => lab.figure(`${what}: ${name}`, value, bound),
});

/** Waits until something holds, and says what never did. */
export async function until(what: string, holds: () => unknown, limitMs = 120_000): Promise<void> {
  for (const end = performance.now() + limitMs; !(await holds()); await wait(50))
    if (performance.now() > end) throw new Error(`never held: ${what}`);
}

/** The value below which that share of the values lies. */
export const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

export const inSeconds = (ms: number): number => Math.round(ms / 100) / 10;

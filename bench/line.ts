import type { Lab } from "./lab.ts";

/** CPU microseconds of one operation; null where the processes cannot be seen. */
export type Cpu = { node: number | null; postgres: number | null };

/** What one line of the table shows. */
export type Measured = {
  /** What was done, where the name of the line does not say it all. */
  title: string;
  unit: string;
  /** Null: there is nothing to hold it against, and no ratio either. */
  baseline: number | null;
  engine: number;
  /** What the floor and the aim are about. */
  ratio: number | null;
  cpu?: { baseline?: Cpu; engine?: Cpu };
  /** What else is worth knowing, a short sentence each. */
  notes?: readonly string[];
};

/** One line of the table: a file in `lines`. */
export type Line = {
  name: string;
  floor: number | null;
  aim: number | null;
  /** Whether a larger ratio is the better one. */
  better: "higher" | "lower";
  /** The ratio is a growth, shown in percent. */
  isGrowth?: true;
  /** A quick run only proves that the line still works: its figures say nothing. */
  run(lab: Lab, options: { quick: boolean }): Promise<Measured>;
};

export const reaches = ({ better }: Line, ratio: number | null, limit: number | null): boolean =>
  ratio === null || limit === null || (better === "higher" ? ratio >= limit : ratio <= limit);

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

import { type Cpu, median } from "./line.ts";
import type { Amount, Outcome } from "./load.ts";

export const ROUNDS = 3;

/** Requests before the first round: code is compiled only after it ran some thousand times. */
export const warmUp = (quick: boolean): Amount => ({ count: quick ? 40 : 15_000 });

type Side = Outcome & { cpu: Cpu };
export type Compared = {
  /** The figure of each side: the median of its rounds. */
  baseline: number;
  engine: number;
  /** The median of the rounds' own ratios: what slows the machine for a while slows both sides of a round. */
  ratio: number;
  cpu: { baseline: Cpu; engine: Cpu };
};

/** Baseline and engine in turns, and each round begins with the other one. */
export async function compare(
  sides: { baseline(): Promise<Side>; engine(): Promise<Side> },
  figureOf: (side: Side) => number,
): Promise<Compared> {
  const rounds: { baseline: Side; engine: Side }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const engineFirst = round % 2 === 1 ? await sides.engine() : null;
    const baseline = await sides.baseline();
    rounds.push({ baseline, engine: engineFirst ?? (await sides.engine()) });
  }
  const cpuOf = (side: "baseline" | "engine"): Cpu => {
    const middle = (part: keyof Cpu) => {
      const values = rounds.flatMap((round) => round[side].cpu[part] ?? []);
      return values.length === 0 ? null : median(values);
    };
    return { node: middle("node"), postgres: middle("postgres") };
  };
  return {
    baseline: median(rounds.map(({ baseline }) => figureOf(baseline))),
    engine: median(rounds.map(({ engine }) => figureOf(engine))),
    ratio: median(rounds.map(({ baseline, engine }) => figureOf(engine) / figureOf(baseline))),
    cpu: { baseline: cpuOf("baseline"), engine: cpuOf("engine") },
  };
}

export const perSecond = ({ count, seconds }: Outcome): number => count / seconds;

/** One request of the demo: it goes through the interface, as a shop's own would. */
export type DemoRequest = {
  line: string;
  body: object;
  /** Requests after this one may name the id that it is answered. */
  as?: string;
  /** When it happened: so many days before the demo is loaded. Left out: when it is loaded. */
  daysAgo?: number;
};

/** Stands in a line or a body for the id that an earlier request was answered. */
export const idOf = (name: string): string => `<id of ${name}>`;

/** A clock that can be set back, for what has happened before the demo is loaded. `now` is the time that it is. */
export function demoClock(now: () => string) {
  let daysAgo = 0;
  return {
    now: () => (daysAgo === 0 ? now() : new Date(Date.parse(now()) - daysAgo * 86_400_000).toISOString()),
    goBack: (days: number) => {
      daysAgo = days;
    },
  };
}
export type DemoClock = ReturnType<typeof demoClock>;

/** The request with ids in place of their names. */
export function withIds(
  { line, body }: Pick<DemoRequest, "line" | "body">,
  ids: ReadonlyMap<string, string>,
): { line: string; body: object } {
  const text = JSON.stringify({ line, body }).replace(/<id of ([^>]+)>/g, (_, name: string) => {
    const id = ids.get(name);
    if (id === undefined) throw new Error(`The demo names ${name} before it is made.`);
    return id;
  });
  return JSON.parse(text);
}

/** A generator with a seed (mulberry32): the same seed gives the same shop, in the demo, in tests and in benchmarks. */
export function seeded(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return { next, integer, pick: <T>(values: readonly T[]): T => values[integer(0, values.length - 1)]! };
}
export type Seeded = ReturnType<typeof seeded>;

import { createHash } from "node:crypto";
import type { NewId } from "../request.ts";

/** One request of the demo: it goes through the interface, as a shop's own would. */
export type DemoRequest = {
  line: string;
  body: object;
  /** Requests after this one may name the id that it is answered. What it makes has the same ids in every project. */
  as?: string;
  /** When it happened: so many days before the demo is loaded. Left out: when it is loaded. */
  daysAgo?: number;
  /** The shop was told no, as shops are: the history has refusals too. */
  mayBeRefused?: boolean;
  /** Left out when the request of this name was refused. */
  after?: string;
};

/** Stands in a body for the beginning of a day, so many days after the one on which the demo is loaded. */
export const dayOf = (days: number): string => `<day ${days}>`;

/** Stands in a line or a body for the id that an earlier request was answered. */
export const answeredId = (name: string): string => `<id of ${name}>`;

const hexOf = (value: number): string => value.toString(16).padStart(12, "0");

const PER_REQUEST = 65_536;

/** The id of what the nth request makes. Ids sort as they are made, and before all that are made later. */
const stableId = (prefix: string, { as, nth, count }: { as: string; nth: number; count: number }): string =>
  `${prefix}_${hexOf((nth + 1) * PER_REQUEST + count)}${createHash("sha256").update(`${prefix} ${as}`).digest("hex").slice(0, 12)}`;

/** The project of a first start with demo data. */
export const DEMO_PROJECT_ID = stableId("proj", { as: "Sandbox", nth: -1, count: 1 });

/** The id of something that a request of the demo makes, the first of its kind or a later one: examples name it. */
export function demoId(requests: readonly DemoRequest[], prefix: Parameters<NewId>[0], as: string, count = 1): string {
  const nth = requests.findIndex((request) => request.as === as);
  if (nth < 0) throw new Error(`The demo makes nothing that it calls ${as}.`);
  return stableId(prefix, { as, nth, count });
}

/** Ids for a load of the demo. What a named request makes has the same ids in every project. */
export function demoIds(newId: NewId) {
  let named: { as: string; nth: number } | null = null;
  const counts = new Map<string, number>();
  const next: NewId = (prefix) => {
    if (named === null) return newId(prefix);
    const count = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, count);
    return stableId(prefix, { ...named, count });
  };
  return {
    newId: next,
    beginRequest: (nth: number, as: string | undefined) => {
      named = as === undefined ? null : { as, nth };
      counts.clear();
    },
  };
}
export type DemoIds = ReturnType<typeof demoIds>;

/** A clock that can be set back, for what has happened before the demo is loaded. `now` is the time that it is. */
export function demoClock(now: () => string) {
  let daysAgo = 0;
  return {
    now: () => (daysAgo === 0 ? now() : new Date(Date.parse(now()) - daysAgo * DAY_MS).toISOString()),
    goBack: (days: number) => {
      daysAgo = days;
    },
  };
}
export type DemoClock = ReturnType<typeof demoClock>;

const DAY_MS = 86_400_000;

/** The request with ids in place of their names, and dates in place of days. */
export function fillIds(
  { line, body }: Pick<DemoRequest, "line" | "body">,
  ids: ReadonlyMap<string, string>,
  today = 0,
): { line: string; body: object } {
  const text = JSON.stringify({ line, body })
    .replace(/<id of ([^>]+)>/g, (_, name: string) => {
      const id = ids.get(name);
      if (id === undefined) throw new Error(`The demo names ${name} before it is made.`);
      return id;
    })
    .replace(/<day (-?\d+)>/g, (_, days: string) =>
      new Date((Math.floor(today / DAY_MS) + Number(days)) * DAY_MS).toISOString(),
    );
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

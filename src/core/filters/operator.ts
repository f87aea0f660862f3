import type { Geopoint } from "./geopoint.ts";
import type { FilterScalar, FilterValueKind } from "./values.ts";

/** What a field holds. It decides which operators the field takes, and with which values. */
export type ContentKind = "text" | "number" | "date" | "birthdate" | "list" | "metadata";

export type FilterContext = {
  /** An instant. */
  now: string;
  /** The project's zone, as `resolveZone` gives it. */
  zone: string;
  /** Whether the point lies in the location. Without it nothing lies anywhere. */
  inLocation?: (locationId: string, geopoint: Geopoint) => boolean;
};

/**
 * One moment at which filters are asked. Callers that ask many keep it, so that today, this week and the first moment
 * of a day are worked out once.
 */
export class FilterEvaluation {
  readonly now: string;
  readonly zone: string;
  readonly inLocation: NonNullable<FilterContext["inLocation"]>;
  readonly #known = new Map<object, unknown>();

  constructor({ now, zone, inLocation = () => false }: FilterContext) {
    this.now = now;
    this.zone = zone;
    this.inLocation = inLocation;
  }

  get today(): Temporal.PlainDate {
    return this.once(this, () => Temporal.Instant.from(this.now).toZonedDateTimeISO(this.zone).toPlainDate());
  }

  /** What the key stands for at this moment, worked out when it is first asked for. One key always has one `work`. */
  once<T extends object>(key: object, work: () => T): T {
    const known = this.#known.get(key) as T | undefined;
    if (known) return known;
    const made = work();
    this.#known.set(key, made);
    return made;
  }
}

export const evaluationOf = (context: FilterContext): FilterEvaluation =>
  context instanceof FilterEvaluation ? context : new FilterEvaluation(context);

export type Test = (seen: unknown, at: FilterEvaluation) => boolean;

/** How an operator compares on one kind of field. */
export type OperatorMatch = {
  /** The words for the values it takes; null when it takes none but `true`. */
  says: string | null;
  /** Whether the answer changes as time goes by, so that a daily pass has to ask again. */
  isTimed: boolean;
  /** Whether each of the values is compared, and not all of them at once. */
  isEach?: true;
  /** The values are read once, here; null when one of them does not fit. */
  compile(values: readonly FilterScalar[]): Test | null;
};

/**
 * `some`: an element of the field fits, which a missing field never does. `none`: no element fits, which a missing field
 * always does. `whole`: the field as it is, missing or not.
 */
export type Over = "some" | "none" | "whole";

export type OperatorExample = readonly [on: ContentKind, seen: unknown, given: unknown, holds: boolean];

export type FilterOperator = {
  name: `$${string}`;
  summary: string;
  over: Over;
  on: Partial<Record<ContentKind, OperatorMatch>>;
  /** What it has to know besides the subject's own field. */
  needs?: "locations";
  /** Each one is asked at `EXAMPLE_CONTEXT`. */
  examples: readonly OperatorExample[];
};

/** A Sunday: the week is that of Monday, 23 February. */
export const EXAMPLE_CONTEXT: FilterContext = {
  now: "2026-03-01T12:00:00Z",
  zone: "Europe/Warsaw",
  inLocation: (locationId, { latitude }) => locationId === (latitude > 0 ? "loc_north" : "loc_south"),
};

export const isMissing = (value: unknown): value is null | undefined => value === undefined || value === null;

const QUANTIFIERS: Record<Over, (fits: Test) => Test> = {
  some: someElement,
  none: (fits) => {
    const some = someElement(fits);
    return (seen, at) => !some(seen, at);
  },
  whole: (fits) => fits,
};

function someElement(fits: Test): Test {
  return (seen, at) => {
    if (isMissing(seen)) return false;
    if (!Array.isArray(seen)) return fits(seen, at);
    return seen.some((element) => fits(element, at));
  };
}

/** The test of a whole field; null when a value does not fit. */
export function compileTest(
  { over }: FilterOperator,
  match: OperatorMatch,
  values: readonly FilterScalar[],
): Test | null {
  const fits = match.compile(values);
  return fits && QUANTIFIERS[over](fits);
}

/** A match that prepares all its values together, for instance as a set. */
export const matchAll = <T>(
  kind: FilterValueKind<T>,
  prepare: (expected: readonly T[]) => Test,
  isTimed = false,
): OperatorMatch => ({
  says: kind.says,
  isTimed,
  compile(values) {
    const expected: T[] = [];
    for (const value of values) {
      const read = kind.read(value);
      if (read === null) return null;
      expected.push(read);
    }
    return prepare(expected);
  },
});

/** A match that fits when one of the values does. */
export const matchAny = <T>(
  kind: FilterValueKind<T>,
  fits: (element: unknown, expected: T, at: FilterEvaluation) => boolean,
  isTimed = false,
): OperatorMatch => ({
  isEach: true,
  ...matchAll(
    kind,
    (expected) => {
      const [only] = expected;
      // One value is the usual case, and the one that has to be fast.
      if (expected.length === 1) return (element, at) => fits(element, only as T, at);
      return (element, at) => expected.some((one) => fits(element, one, at));
    },
    isTimed,
  ),
});

/** A match without values: that it is asked for is all there is. */
export const matchFlag = (fits: Test, isTimed = false): OperatorMatch => ({ says: null, isTimed, compile: () => fits });

/**
 * What makes one JSON value of another. `[value]` stands in its place; `[]` says that the field is left out; an object
 * has a difference for each field, or each place of a list, that is not the same. Undefined: nothing.
 */
export type Difference = readonly [unknown?] | { readonly [field: string]: Difference };

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const fieldsOf = (value: Fields): string[] => Object.keys(value).filter((name) => value[name] !== undefined);

/** Whether `withDifference` puts the fields into the order in which `value` has them: those of `base` first. */
function isInOrder(base: readonly string[], value: readonly string[]): boolean {
  const [has, had] = [new Set(value), new Set(base)];
  const made = [...base.filter((name) => has.has(name)), ...value.filter((name) => !had.has(name))];
  return made.every((name, n) => name === value[n]);
}

function differenceOfLists(base: readonly unknown[], value: readonly unknown[]): Difference | undefined {
  let changes: [string, Difference][] | undefined;
  for (let n = 0; n < value.length; n += 1) {
    const change = differenceOf(base[n], value[n]);
    if (change === undefined) continue;
    changes ??= [];
    changes.push([`${n}`, change]);
  }
  return changes && Object.fromEntries(changes);
}

/**
 * The same for objects that have the same fields in the same order; false: they have others. Almost always they have the same, and
 * every redemption comes through here, so nothing is made but what differs.
 */
function differenceOfAlike(base: Fields, value: Fields): Difference | undefined | false {
  const [before, after] = [Object.keys(base), Object.keys(value)];
  let changes: [string, Difference][] | undefined;
  let at = 0;
  for (const name of after) {
    const now = value[name];
    if (now === undefined) continue;
    while (at < before.length && base[before[at]!] === undefined) at += 1;
    if (before[at] !== name) return false;
    at += 1;
    const change = differenceOf(base[name], now);
    if (change === undefined) continue;
    changes ??= [];
    changes.push([name, change]);
  }
  while (at < before.length && base[before[at]!] === undefined) at += 1;
  if (at < before.length) return false;
  return changes && Object.fromEntries(changes);
}

/** What makes `value` of `base`, to the byte: the order of fields counts, as it does in JSON text. */
export function differenceOf(base: unknown, value: unknown): Difference | undefined {
  if (base === value) return undefined;
  if (!isObject(base) || !isObject(value) || Array.isArray(base) !== Array.isArray(value)) return [value];
  if (Array.isArray(base) && base.length !== (value as unknown as unknown[]).length) return [value];
  if (Array.isArray(base)) return differenceOfLists(base, value as unknown as readonly unknown[]);
  const alike = differenceOfAlike(base, value);
  if (alike !== false) return alike;
  const [before, after] = [fieldsOf(base), fieldsOf(value)];
  if (!isInOrder(before, after)) return [value];
  const changes: [string, Difference][] = [];
  const [had, has] = [new Set(before), new Set(after)];
  for (const name of before) if (!has.has(name)) changes.push([name, []]);
  for (const name of after) {
    const change = had.has(name) ? differenceOf(base[name], value[name]) : ([value[name]] as const);
    if (change !== undefined) changes.push([name, change]);
  }
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

/** The value that a difference was taken of. */
export function withDifference(base: unknown, difference: Difference | undefined): unknown {
  if (difference === undefined) return base;
  if (Array.isArray(difference)) return difference[0];
  const changes = difference as Readonly<Record<string, Difference>>;
  const changeOf = (name: string): Difference | undefined => (Object.hasOwn(changes, name) ? changes[name] : undefined);
  if (Array.isArray(base)) return base.map((one, n) => withDifference(one, changeOf(String(n))));
  const fields = fieldsOf(base as Fields);
  const known = new Set(fields);
  const more = Object.keys(changes).filter((name) => !known.has(name));
  return Object.fromEntries(
    [...fields, ...more].flatMap((name) => {
      const change = changeOf(name);
      if (Array.isArray(change) && change.length === 0) return [];
      return [[name, withDifference(known.has(name) ? (base as Fields)[name] : undefined, change)]];
    }),
  );
}

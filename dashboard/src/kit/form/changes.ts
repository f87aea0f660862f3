export type Values = Record<string, unknown>;

/** Whether two values say the same: nothing, null and an empty text are one. */
export function isSame(a: unknown, b: unknown): boolean {
  const [left, right] = [a ?? "", b ?? ""];
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object") return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const names = new Set([...Object.keys(left as Values), ...Object.keys(right as Values)]);
  return [...names].every((name) => isSame((left as Values)[name], (right as Values)[name]));
}

/** The fields that somebody changed. Only these are sent, so that saving one field never resets another. */
export const changedFields = <V extends Values>(was: V, is: V): Partial<V> =>
  Object.fromEntries(Object.entries(is).filter(([name, value]) => !isSame(value, was[name]))) as Partial<V>;

export type Collision = { field: string; was: unknown; theirs: unknown; yours: unknown };
export type Merge<V> = {
  /** What is saved when both are kept: theirs, and over it what only you changed. */
  merged: V;
  /** Fields that both changed, to different values. In `merged` they are yours. */
  collisions: Collision[];
  /** All fields that one of the two changed. */
  changes: Collision[];
};

/** Two people changed the same record: field by field, what was there, what one made of it and what the other. */
export function mergeEdits<V extends Values>(was: V, theirs: V, yours: V): Merge<V> {
  const mine = changedFields(was, yours);
  const names = [...new Set([...Object.keys(mine), ...Object.keys(changedFields(was, theirs))])];
  const changes = names.map((field) => ({ field, was: was[field], theirs: theirs[field], yours: yours[field] }));
  const isCollision = ({ field, theirs: a, yours: b }: Collision) =>
    field in mine && !isSame(a, was[field]) && !isSame(a, b);
  return { merged: { ...theirs, ...mine }, collisions: changes.filter(isCollision), changes };
}

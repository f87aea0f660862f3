export type Difference = { path: string; before: unknown; after: unknown };

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Each field that is not the same, by its path. What only one of them has is undefined in the other. Lists are one value. */
export function differences(before: unknown, after: unknown, path = ""): Difference[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isFields(before ?? {}) || !isFields(after ?? {}) || (path !== "" && (before == null || after == null)))
    return [{ path, before, after }];
  const [was, is] = [(before ?? {}) as Fields, (after ?? {}) as Fields];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return names.flatMap((name) => differences(was[name], is[name], path === "" ? name : `${path}.${name}`));
}

const compareNames = (a: string, b: string): number => {
  const [first, second] = [Buffer.from(a), Buffer.from(b)];
  return first.length - second.length || first.compare(second);
};

/** A value with its fields in the order in which PostgreSQL gives them back from a column of jsonb: short names first. */
export function jsonbOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(jsonbOrder);
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  if (fields.length > 1) fields.sort(([a], [b]) => compareNames(a, b));
  return Object.fromEntries(fields.map(([name, one]) => [name, jsonbOrder(one)]));
}

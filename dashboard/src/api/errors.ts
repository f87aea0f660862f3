/** The body of a refusal. */
export type Refusal = {
  key?: string;
  message?: string;
  details?: string;
  request_id?: string;
  error?: { message?: string };
};

/** A request that was refused, or that nobody answered (`status` 0). */
export class RequestError extends Error {
  readonly status: number;
  readonly key: string;
  readonly details: string;
  readonly requestId: string;

  constructor(status: number, refusal: Refusal) {
    super(refusal.details ?? refusal.message ?? refusal.key ?? "");
    this.status = status;
    this.key = refusal.key ?? "unknown";
    this.details = refusal.details ?? refusal.error?.message ?? refusal.message ?? "";
    this.requestId = refusal.request_id ?? "";
  }
}

export const isRefused = (error: unknown, key: string): boolean => error instanceof RequestError && error.key === key;
export const statusOf = (error: unknown): number | null => (error instanceof RequestError ? error.status : null);

/** Fields of a form by the paths that the server knows them by: `voucher.discount` is `discount`. */
export type FieldPaths = Readonly<Record<string, string>>;

/** The longest path that a fault is at or below: `voucher.discount.percent_off` is below `voucher.discount`. */
const pathOver = (word: string, paths: FieldPaths): string | undefined =>
  Object.keys(paths)
    .filter((path) => word.startsWith(path) && [undefined, ".", "["].includes(word[path.length]))
    .sort((one, other) => other.length - one.length)[0];

/** The field that a 400 speaks of: the first word of `details` that names one of them. */
export function fieldOf(error: unknown, fields: readonly string[], paths: FieldPaths = {}): string | null {
  if (!(error instanceof RequestError) || error.status !== 400) return null;
  // The server names a field by its path: `.headers`, `events[0]`, `.brand.name`, `[0].points` in a list of what is made.
  const words = (error.details.match(/[\w.[\]]+/g) ?? []).map((word) => word.replace(/^(?:\[\d+\])?\.+|\.+$/g, ""));
  const [over] = words.flatMap((word) => pathOver(word, paths) ?? []);
  if (over !== undefined) return paths[over]!;
  const heads = words.map((word) => word.split(/[.[]/)[0]!);
  return [...words, ...heads].find((word) => fields.includes(word)) ?? null;
}

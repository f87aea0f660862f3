import type { Db, Fragment } from "./db.ts";

/** Behind every text that begins with the prefix: no character is greater. */
const endOf = (prefix: string): string => `${prefix}\u{10ffff}`;

/** `text_pattern_ops` compares bytes, whatever the locale is. Ranges, since a prepared `like` may be planned without its prefix. */
export const startsWith = (db: Db, column: Fragment, prefix: string): Fragment =>
  db`${column} ~>=~ ${prefix} and ${column} ~<~ ${endOf(prefix)}`;
/** The same by an index of another kind. */
export const between = (db: Db, column: Fragment, prefix: string): Fragment =>
  db`${column} >= ${prefix} and ${column} < ${endOf(prefix)}`;

import type { Fragment, Tx } from "./db.ts";

/**
 * Those of the rows that another transaction holds. It waits for nobody. The others are ours until the transaction ends,
 * so it belongs into one that does nothing else.
 */
export function heldRows<R extends object>(tx: Tx, table: string, key: string, where: () => Fragment) {
  const [from, id] = [tx(table), tx(key)];
  return tx<R[]>`
    with free as materialized (
      select ${id} from ${from} where ${where()} order by ${id} for no key update skip locked)
    select * from ${from} where ${where()} and ${id} not in (select ${id} from free)`;
}

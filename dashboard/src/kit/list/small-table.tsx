import type { ReactNode } from "react";
import { useProject } from "../../api/session.ts";
import { useText } from "../../text/text.ts";
import type { Column } from "./columns.tsx";
import classes from "./list.module.css";

type Props<R> = { rows: readonly R[]; columns: readonly Column<R>[]; idOf: (row: R) => string; label: string };

/** A few rows within a page, with the columns of lists. Narrow windows show cards. */
export function SmallTable<R>({ rows, columns, idOf, label }: Props<R>): ReactNode {
  const t = useText();
  const { currency, timezone } = useProject();
  const look = { t, currency, zone: timezone };
  const numberClass = (column: Column<R>) => (column.isNumber ? classes.number : undefined);
  return (
    <div className={classes.scroll}>
      {/* biome-ignore-start lint/a11y/noRedundantRoles: as cards the elements are no table any more, but for their roles. */}
      <table className={classes.table} role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.id} role="columnheader" scope="col" className={numberClass(column)}>
                {t(column.title)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={idOf(row)} role="row">
              {columns.map((column) => (
                <td key={column.id} role="cell" className={numberClass(column)} data-label={t(column.title)}>
                  {column.cell(row, look)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {/* biome-ignore-end lint/a11y/noRedundantRoles: see above. */}
    </div>
  );
}

import type { ReactNode } from "react";
import { formatCount } from "../../kit/money/count.ts";
import { type TextKey, useText } from "../../text/text.ts";
import classes from "./loyalty.module.css";

type Props = {
  heads: readonly TextKey[];
  rows: readonly { id: string; cells: readonly ReactNode[] }[];
  /** What is said where there is no row. */
  none?: TextKey;
};

/** A few rows about points. Numbers are written as such. */
export function Table({ heads, rows, none = "loyalty.nothing" }: Props) {
  const t = useText();
  if (rows.length === 0) return <div className={classes.says}>{t(none)}</div>;
  return (
    <table className={classes.lots}>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {t(head)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, cells }) => (
          <tr key={id}>
            {cells.map((cell, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its place.
              <td key={place}>{typeof cell === "number" ? formatCount(cell) : cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

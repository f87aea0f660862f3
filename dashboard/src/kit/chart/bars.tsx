import type { ReactNode } from "react";
import classes from "./chart.module.css";

/** `share` is between 0 and 1. */
export type Bar = { id: string; name: ReactNode; shown: string; share: number; isNearlyFull?: boolean };

/** Bars one below the other, each with its name and its number: a list for who does not see them. */
export const Bars = ({ of: bars }: { of: readonly Bar[] }) => (
  <ul className={classes.bars}>
    {bars.map(({ id, name, shown, share, isNearlyFull }) => (
      <li key={id}>
        <span>{name}</span>
        <span className={classes.number}>{shown}</span>
        <div className={`${classes.track} ${isNearlyFull ? classes.nearlyFull : ""}`} aria-hidden>
          {share > 0 && <div style={{ width: `${Math.min(100, share * 100)}%` }} />}
        </div>
      </li>
    ))}
  </ul>
);

import type { ReactNode } from "react";
import classes from "./facts.module.css";

export type Fact = readonly [label: string, value: ReactNode];
const UNKNOWN = "–";

/** Names and values below each other. What is not known is a dash. */
export const Facts = ({ facts }: { facts: readonly Fact[] }) => (
  <dl className={classes.facts}>
    {facts.map(([label, value]) => (
      <div key={label} className={classes.fact}>
        <dt>{label}</dt>
        <dd>{value === null || value === undefined || value === "" ? UNKNOWN : value}</dd>
      </div>
    ))}
  </dl>
);

/** `id` where two may be called the same. */
export type Figure = { id?: string; label: string; value: ReactNode; below?: ReactNode };

/** The numbers that a page is opened for, side by side. */
export const Figures = ({ figures }: { figures: readonly Figure[] }) => (
  <dl className={classes.figures}>
    {figures.map(({ id, label, value, below }) => (
      <div key={id ?? label} className={`${classes.figure} panel`}>
        <dt>{label}</dt>
        <dd className={classes.value}>{value ?? UNKNOWN}</dd>
        {below && <dd className={classes.below}>{below}</dd>}
      </div>
    ))}
  </dl>
);

import type { ReactNode } from "react";
import classes from "./facts.module.css";

/** Names and values of a record, one below the other. A value that is not there is a dash. */
export const Facts = ({ of: record }: { of: Record<string, ReactNode> }) => (
  <dl className={classes.facts}>
    {Object.entries(record).map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value === null || value === undefined || value === "" ? "–" : value}</dd>
      </div>
    ))}
  </dl>
);

import type { ReactNode } from "react";
import { StatusBadge } from "../../kit/status/status-badge.tsx";
import classes from "./loyalty.module.css";

type Props = { name: string; status?: string; says?: ReactNode; children?: ReactNode };

/** One line of the outline: its name, its status, what it does, and what stands below it. */
export const Item = ({ name, status, says, children }: Props) => (
  <li className={classes.item}>
    <div className={classes.head}>
      <strong>{name}</strong>
      {status && <StatusBadge status={status} />}
    </div>
    {says && <div className={classes.says}>{says}</div>}
    {children}
  </li>
);

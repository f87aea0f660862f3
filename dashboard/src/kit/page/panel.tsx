import type { ReactNode } from "react";
import classes from "./page.module.css";

/** A ground with an edge, for what belongs together on a page. */
export const Panel = ({ children, p = 16 }: { children: ReactNode; p?: number }) => (
  <div className={`${classes.panel} panel`} style={{ padding: p }}>
    {children}
  </div>
);

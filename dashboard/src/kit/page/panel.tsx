import type { ReactNode } from "react";
import classes from "./page.module.css";

/** A ground with an edge, for what belongs together on a page. Forms are 752 wide with it. */
export const Panel = ({ children, p = 16, width }: { children: ReactNode; p?: number; width?: number }) => (
  <div className={`${classes.panel} panel`} style={{ padding: p, ...(width !== undefined && { maxWidth: width }) }}>
    {children}
  </div>
);

import { Paper } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./sign-in.module.css";

/** The one thing on a page that is shown to who is not signed in. */
export function Card({ children }: { children: ReactNode }) {
  return (
    <main className={classes.page}>
      <Paper withBorder className={classes.card!}>
        <img src="/assets/laurel.svg" alt="" width={40} height={40} />
        {children}
      </Paper>
    </main>
  );
}

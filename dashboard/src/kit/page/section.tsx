import { Title } from "@mantine/core";
import { type ReactNode, useId } from "react";
import classes from "./facts.module.css";
import { Panel } from "./panel.tsx";

type Props = { title: string; help?: string; actions?: ReactNode; children: ReactNode };

/** A part of a page that has a name, on a ground of its own. */
export function Section({ title, help, actions, children }: Props) {
  const id = useId();
  return (
    <Panel>
      <section className={classes.section} aria-labelledby={id}>
        <header>
          <Title order={2} id={id}>
            {title}
          </Title>
          {actions}
          {help && <div className={classes.help}>{help}</div>}
        </header>
        {children}
      </section>
    </Panel>
  );
}

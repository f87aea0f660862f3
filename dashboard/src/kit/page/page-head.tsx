import { Group, Title } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./page.module.css";

type Props = { title: ReactNode; beside?: ReactNode; below?: ReactNode; children?: ReactNode };

/** The one `h1` of a page, which gets the focus after navigation, and what can be done at its right. */
export function PageHead({ title, beside, below, children }: Props) {
  return (
    <header className={classes.head}>
      <div className={classes.titles}>
        <Group gap="md" wrap="wrap">
          <Title order={1} tabIndex={-1} className={classes.title!}>
            {title}
          </Title>
          {beside}
        </Group>
        {below && <div className={classes.below}>{below}</div>}
      </div>
      <Group gap="sm" wrap="wrap">
        {children}
      </Group>
    </header>
  );
}

import type { ReactNode } from "react";
import { NavLink } from "react-router";
import { useCan } from "../../api/session.ts";
import { useText } from "../../text/text.ts";
import { PARTS } from "./parts.ts";
import classes from "./settings.module.css";

/** The way from one part of the settings to another, above each of them. */
export function SettingsFrame({ children }: { children: ReactNode }) {
  const t = useText();
  const can = useCan();
  return (
    <>
      <nav className={classes.parts} aria-label={t("settings.title")}>
        {PARTS.filter(({ needs }) => needs === null || can(needs)).map(({ path, title }) => (
          <NavLink key={path} to={path} className={classes.part!}>
            {t(title)}
          </NavLink>
        ))}
      </nav>
      {children}
    </>
  );
}

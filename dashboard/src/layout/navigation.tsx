import { ActionIcon } from "@mantine/core";
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from "@tabler/icons-react";
import { NavLink } from "react-router";
import { useCan } from "../api/session.ts";
import { SCREENS } from "../routes/routes.ts";
import { GROUPS, type Screen } from "../routes/screen.ts";
import { useText } from "../text/text.ts";
import { ICONS } from "../theme/icons.ts";
import classes from "./layout.module.css";

type NavScreen = Screen & { nav: NonNullable<Screen["nav"]> };
const IN_NAVIGATION = SCREENS.filter((screen): screen is NavScreen => screen.nav !== null);

function PageLink({ screen, isFolded, onLeave }: { screen: NavScreen; isFolded: boolean; onLeave: () => void }) {
  const t = useText();
  const Icon = ICONS[screen.nav.icon];
  const prefetch = () => void screen.screen();
  return (
    <NavLink
      to={screen.path}
      end={screen.path === "/"}
      className={classes.link!}
      onClick={onLeave}
      onMouseEnter={prefetch}
      onFocus={prefetch}
      aria-label={t(screen.title)}
      {...(isFolded && { title: t(screen.title) })}
    >
      <Icon size={20} stroke={1.75} aria-hidden />
      {!isFolded && <span>{t(screen.title)}</span>}
    </NavLink>
  );
}

/** The pages that the role may open, by group. */
export function Navigation({ isFolded, ...rest }: { isFolded: boolean; onFold: () => void; onLeave: () => void }) {
  const t = useText();
  const can = useCan();
  const visible = IN_NAVIGATION.filter(({ needs }) => needs === null || can(needs));
  const of = (group: NavScreen["nav"]["group"]) =>
    visible
      .filter(({ nav }) => nav.group === group)
      .map((screen) => <PageLink key={screen.path} screen={screen} isFolded={isFolded} onLeave={rest.onLeave} />);
  const Fold = isFolded ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse;
  return (
    <>
      <div className={classes.pages}>
        {of("top")}
        {GROUPS.filter((group) => group !== "settings").map((group) => {
          const links = of(group);
          if (links.length === 0) return null;
          return (
            <section key={group} aria-label={t(`layout.group.${group}`)}>
              {!isFolded && <div className={classes.group}>{t(`layout.group.${group}`)}</div>}
              {links}
            </section>
          );
        })}
      </div>
      <div className={classes.foot}>
        {of("settings")}
        <ActionIcon
          visibleFrom="sm"
          ml={12}
          mt={2}
          onClick={rest.onFold}
          aria-label={t(isFolded ? "layout.unfold" : "layout.fold")}
        >
          <Fold size={20} stroke={1.75} />
        </ActionIcon>
      </div>
    </>
  );
}

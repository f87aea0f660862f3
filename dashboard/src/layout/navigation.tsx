import { ActionIcon } from "@mantine/core";
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from "@tabler/icons-react";
import { type ReactNode, useEffect, useRef } from "react";
import { NavLink } from "react-router";
import { useCan } from "../api/session.ts";
import { useReadAhead } from "../api/use-op.ts";
import { SCREENS } from "../routes/routes.ts";
import { GROUPS, type Screen } from "../routes/screen.ts";
import { useText } from "../text/text.ts";
import { ICONS } from "../theme/icons.ts";
import classes from "./layout.module.css";
import { useFirstList } from "./use-first-list.tsx";

type NavScreen = Screen & { nav: NonNullable<Screen["nav"]> };
const IN_NAVIGATION = SCREENS.filter((screen): screen is NavScreen => screen.nav !== null);

/** Whether this person asked the browser to load only what is needed. Not every browser can be asked. */
const savesData = () => (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;

/** A pointer that only passes by is gone sooner. One that is about to click is there for longer. */
const REST_MS = 50;

function PageLink({ screen, isFolded, onLeave }: { screen: NavScreen; isFolded: boolean; onLeave: () => void }) {
  const t = useText();
  const Icon = ICONS[screen.nav.icon];
  const readAhead = useReadAhead();
  const rest = useRef<number>(undefined);
  const load = () => screen.screen().catch(() => null);
  const read = async () => {
    const first = (await load())?.default.first;
    if (first) await readAhead(first);
  };
  return (
    <NavLink
      to={screen.path}
      end={screen.path === "/"}
      className={classes.link!}
      onClick={onLeave}
      onFocus={() => void load()}
      onMouseEnter={() => {
        void load();
        if (!savesData()) rest.current = window.setTimeout(read, REST_MS);
      }}
      onMouseLeave={() => clearTimeout(rest.current)}
      aria-label={t(screen.title)}
      {...(isFolded && { title: t(screen.title) })}
    >
      <Icon size={20} stroke={1.75} aria-hidden />
      {!isFolded && <span>{t(screen.title)}</span>}
    </NavLink>
  );
}

const PAGES_LOADED = "pages loaded";

/** Until the browser has nothing else to do. Some browsers cannot tell. */
const idle = () =>
  new Promise<void>((resolve) => {
    if ("requestIdleCallback" in window) requestIdleCallback(() => resolve());
    else setTimeout(resolve, 200);
  });

/** Loads the code of the pages, one after the other, while nobody waits for anything: the first click finds it there. */
function useCodeOf(screens: readonly NavScreen[]): ReactNode {
  const begun = useRef(false);
  const { drawn, draw } = useFirstList();
  useEffect(() => {
    if (begun.current || savesData()) return;
    begun.current = true;
    const load = async () => {
      // The filters of lists have fields that come later than their pages.
      for (const part of [() => import("../kit/later/mantine-select.ts"), ...screens.map(({ screen }) => screen)]) {
        await idle();
        // Whatever is the matter is told to who opens the page.
        await part().catch(() => null);
      }
      await idle();
      const list = screens.find(({ path }) => path === "/campaigns");
      if (list) await draw(list).catch(() => null);
      // Stands in the browser's own timeline, where whoever measures a first click finds it.
      performance.mark(PAGES_LOADED);
    };
    void load();
  }, [screens, draw]);
  return drawn;
}

/** The pages that the role may open, by group. */
export function Navigation({ isFolded, ...rest }: { isFolded: boolean; onFold: () => void; onLeave: () => void }) {
  const t = useText();
  const can = useCan();
  const visible = IN_NAVIGATION.filter(({ needs }) => needs === null || can(needs));
  const drawn = useCodeOf(visible);
  const of = (group: NavScreen["nav"]["group"]) =>
    visible
      .filter(({ nav }) => nav.group === group)
      .map((screen) => <PageLink key={screen.path} screen={screen} isFolded={isFolded} onLeave={rest.onLeave} />);
  const Fold = isFolded ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse;
  return (
    <>
      {drawn}
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

import { type ReactNode, useEffect } from "react";
import { useLocation } from "react-router";
import { useCan } from "../api/session.ts";
import { NoAccess } from "../kit/states/states.tsx";
import type { Screen } from "../routes/screen.ts";
import { useText } from "../text/text.ts";

/** Names the window after the page, moves the focus to its title, and keeps out who may not see it. */
export function ScreenFrame({ screen, children }: { screen: Screen; children: ReactNode }) {
  const t = useText();
  const can = useCan();
  const { pathname } = useLocation();
  const title = t(screen.title);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus moves with the address.
  useEffect(() => {
    document.title = `${title} · Laurel`;
    document.querySelector<HTMLElement>("h1")?.focus();
  }, [pathname, title]);
  if (screen.needs !== null && !can(screen.needs)) return <NoAccess needs={screen.needs} title={title} />;
  return children;
}

import { lazy, Suspense, useEffect } from "react";
import { useSession } from "../api/session.ts";
import { useWanted } from "../kit/floating/wanted.ts";
import { openPalette } from "../kit/palette/open.ts";

const Palette = lazy(() => import("./palette.tsx"));
const Notices = lazy(() => import("../kit/undo/notices.tsx"));
const Questions = lazy(() => import("../kit/confirm/questions.tsx"));
const Keys = lazy(() => import("./keys.tsx"));
const SessionOver = lazy(() => import("./session-over.tsx"));

/** What stands over a page now and then: notifications, questions, the palette, signing in again. */
export function Floating() {
  const wanted = useWanted();
  const { isOver } = useSession();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      openPalette();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
  return (
    <Suspense>
      {wanted.has("palette") && <Palette />}
      {wanted.has("notices") && <Notices />}
      {wanted.has("questions") && <Questions />}
      {wanted.has("keys") && <Keys />}
      {isOver && <SessionOver />}
    </Suspense>
  );
}

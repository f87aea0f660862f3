import { matchPath, useNavigate } from "react-router";
import { useCan } from "../api/session.ts";
import { useKeys } from "../kit/keys/letters.ts";
import { openKeys } from "../kit/keys/open.ts";
import { openedRow } from "../kit/list/row-keys.ts";
import { SCREENS } from "../routes/routes.ts";

/** Keys that every page has: `?` lists all keys, `e` edits the row that has the focus, or the record of the page. */
export function usePageKeys(): void {
  const navigate = useNavigate();
  const can = useCan();
  // On a list without a row that has the focus, the address of its form must not be taken for that of a record called "edit".
  const isPage = (path: string) =>
    SCREENS.some(
      (one) =>
        one.path.includes(":") &&
        one.path.endsWith("/edit") === path.endsWith("/edit") &&
        matchPath(one.path, path) &&
        (!one.needs || can(one.needs)),
    );
  useKeys({
    "?": openKeys,
    e: () => {
      const row = openedRow();
      const record = row ?? location.pathname;
      // Some records are edited where they are shown.
      const target = [`${record}/edit`, ...(row === null ? [] : [row])].find(isPage);
      if (target !== undefined) void navigate(target);
    },
  });
}

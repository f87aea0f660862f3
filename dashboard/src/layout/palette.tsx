import "@mantine/spotlight/styles.layer.css";
import { Spotlight, type SpotlightActionGroupData, spotlight } from "@mantine/spotlight";
import { IconSearch } from "@tabler/icons-react";
import { type KeyboardEvent, useEffect, useState } from "react";
import { useNavigate } from "react-router";
import { useCan } from "../api/session.ts";
import { PALETTE_EVENT, takeTyped } from "../kit/palette/open.ts";
import { SCREENS } from "../routes/routes.ts";
import { useText } from "../text/text.ts";
import { ICONS } from "../theme/icons.ts";
import { useFound } from "./found.ts";

/** Enter without having chosen anything opens what stands first. */
function openFirst({ key, nativeEvent, currentTarget }: KeyboardEvent<HTMLInputElement>): void {
  if (key !== "Enter" || nativeEvent.isComposing) return;
  const list = currentTarget.closest("[role=dialog]");
  if (list?.querySelector("[data-selected]") === null) list.querySelector<HTMLElement>("[data-action]")?.click();
}

/** Ctrl-K: pages first, then whatever the server finds from two letters on. */
export default function Palette() {
  const t = useText();
  const can = useCan();
  const navigate = useNavigate();
  const [query, setQuery] = useState("");
  const found = useFound(query.trim());
  useEffect(() => {
    // It was loaded because somebody asked for it.
    spotlight.open();
    window.addEventListener(PALETTE_EVENT, spotlight.open);
    return () => window.removeEventListener(PALETTE_EVENT, spotlight.open);
  }, []);
  const pages = SCREENS.flatMap(({ path, title, nav, needs }) => {
    if (!nav || (needs !== null && !can(needs))) return [];
    const Icon = ICONS[nav.icon];
    const label = t(title);
    if (!label.toLowerCase().includes(query.trim().toLowerCase())) return [];
    return { id: path, label, leftSection: <Icon size={20} stroke={1.75} />, onClick: () => void navigate(path) };
  });
  const results = found.map(({ id, type, title, detail, to }) => ({
    id,
    label: title,
    description: [t(`kit.palette.kinds.${type}`), detail].filter(Boolean).join(" · "),
    onClick: () => void navigate(to),
  }));
  const groups: SpotlightActionGroupData[] = [
    { group: t("kit.palette.pages"), actions: pages },
    { group: t("kit.palette.results"), actions: results },
  ].filter(({ actions }) => actions.length > 0);
  return (
    <Spotlight
      actions={groups}
      query={query}
      onQueryChange={setQuery}
      filter={(_, actions) => actions}
      nothingFound={t("kit.palette.nothing")}
      shortcut={null}
      scrollable
      maxHeight={420}
      searchProps={{
        onFocus: () => setQuery((before) => before + takeTyped()),
        onKeyDown: openFirst,
        leftSection: <IconSearch size={20} stroke={1.75} />,
        placeholder: t("kit.palette.placeholder"),
        "aria-label": t("kit.palette.title"),
      }}
    />
  );
}

import { ActionIcon } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { useCan } from "../../api/session.ts";
import { useText } from "../../text/text.ts";
import { MenuButton } from "../menu/menu-button.tsx";

type Item = { text: string; can: string; run: () => void; isDangerous?: boolean };

/** What is done rarely, behind three dots; `label` where a page has several of them. What the role does not allow is not there. */
export function MoreMenu({ items, label }: { items: readonly Item[]; label?: string }) {
  const t = useText();
  const can = useCan();
  const allowed = items.filter((item) => can(item.can));
  if (allowed.length === 0) return null;
  const dots = (
    <ActionIcon variant={label === undefined ? "default" : "subtle"} aria-label={label ?? t("kit.more")}>
      <IconDots size={18} stroke={1.75} />
    </ActionIcon>
  );
  return <MenuButton button={dots} entries={allowed} />;
}

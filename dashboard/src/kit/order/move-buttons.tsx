import { ActionIcon } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useText } from "../../text/text.ts";
import { moved } from "./places.ts";
import type { Order } from "./use-order.ts";

/** Moves a row one place up or down. */
export function MoveButtons({ id, name, of: { ids, order } }: { id: string; name: string; of: Order }) {
  const t = useText();
  const place = ids.indexOf(id);
  const move = (to: number, text: "kit.order.up" | "kit.order.down", Icon: typeof IconArrowUp) => (
    <ActionIcon
      aria-label={t(text, { name })}
      disabled={to < 0 || to >= ids.length}
      onClick={() => void order(moved(ids, id, to))}
    >
      <Icon size={16} stroke={1.75} />
    </ActionIcon>
  );
  return (
    <>
      {move(place - 1, "kit.order.up", IconArrowUp)}
      {move(place + 1, "kit.order.down", IconArrowDown)}
    </>
  );
}

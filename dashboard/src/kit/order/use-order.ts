import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AnyOp } from "../../api/op.ts";
import { askAgainAfter } from "../../api/use-op.ts";
import { useText } from "../../text/text.ts";
import { notifyDone, notifyFailed } from "../undo/undo.tsx";
import { type Placed, placesOf } from "./places.ts";

export type Order = { ids: readonly string[]; order: (ids: readonly string[]) => Promise<void> };

/** Writes an order, row by row, and offers the one before. `put` is by `operation`; rows that keep their place are left alone. */
export function useOrder(
  rows: readonly Placed[],
  operation: AnyOp,
  put: (id: string, hierarchy: number) => Promise<unknown>,
): Order {
  const t = useText();
  const client = useQueryClient();
  const [shown, setShown] = useState<readonly string[] | null>(null);
  const was = rows.map(({ id }) => id);
  const write = async (ids: readonly string[], old: readonly Placed[]) => {
    const placed = placesOf(ids, old);
    for (const { id, hierarchy, isNew } of placed) if (isNew) await put(id, hierarchy);
    await askAgainAfter(client, operation);
    return placed;
  };
  const order = async (ids: readonly string[]) => {
    if (ids.join() === was.join()) return;
    setShown(ids);
    try {
      const now = await write(ids, rows);
      notifyDone(t("kit.order.done"), () => write(was, now));
    } catch (error) {
      notifyFailed(error);
      await askAgainAfter(client, operation);
    } finally {
      setShown(null);
    }
  };
  return { ids: shown ?? was, order };
}

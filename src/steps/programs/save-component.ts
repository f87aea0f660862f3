import type { Catalog } from "../../catalog/catalog.ts";
import {
  type LoyaltyMove,
  type LoyaltyStatus,
  loyaltyInUse,
  MOVED,
  statusAfter,
} from "../../core/loyalty/program/status.ts";
import type { WriteCtx } from "../../ctx.ts";
import type { statusStore } from "../../db/status-store.ts";
import { type EventKind, record } from "../../events/events.ts";
import { lockConfiguration } from "./lock-configuration.ts";
import { type LoyaltyUses, requireKnown } from "./loyalty-uses.ts";

type Resource = "benefit" | "card_definition" | "earning_rule" | "reward" | "tier_structure";
type Component<Row extends { id: string }, Held, Shown> = {
  resource: Resource;
  store: Pick<ReturnType<typeof statusStore<Row>>, "insert" | "update">;
  view(row: Row): Shown;
  /** The components of this kind in a project. */
  heldIn(catalog: Catalog): ReadonlyMap<string, Held>;
};

/** How a part of loyalty programs is saved: each change is told to the catalog and recorded, and answered with its view. */
export function componentSaver<Row extends { id: string }, Held extends { id: string; status: LoyaltyStatus }, Shown>({
  resource,
  store,
  view,
  heldIn,
}: Component<Row, Held, Shown>) {
  const saved = async (c: WriteCtx, happened: string, row: Row): Promise<Shown> => {
    c.changed(resource, row.id);
    const shown = view(row);
    const kind = `vl.${resource}.${happened}` as EventKind;
    await record(c, [{ kind, subject_id: row.id, payload: { [resource]: shown } }]);
    return shown;
  };
  const update = async (c: WriteCtx, id: string, patch: object, happened = "updated"): Promise<Shown> =>
    saved(c, happened, await store.update(c.db, c.project.id, id, { ...patch, updated_at: c.now }));
  return {
    insert: async (c: WriteCtx, row: Record<string, unknown>): Promise<Shown> =>
      saved(c, "created", await store.insert(c.db, row)),
    update,
    /** To another status, when the status machine and `check` let it. */
    move: async (
      c: WriteCtx,
      { id, move }: { id: string; move: LoyaltyMove },
      check: (catalog: Catalog, before: Held) => void,
    ): Promise<Shown> => {
      const catalog = await lockConfiguration(c);
      const before = requireKnown(heldIn(catalog), resource, id);
      const status = statusAfter(resource, move, before);
      check(catalog, before);
      return update(c, id, { status }, MOVED[move]);
    },
    /** Marks it as deleted: transactions still name it, and nothing else reads it. A component in use is not deleted. */
    remove: async (c: WriteCtx, id: string, useOf: (catalog: Catalog) => LoyaltyUses | null): Promise<Shown> => {
      const catalog = await lockConfiguration(c);
      requireKnown(heldIn(catalog), resource, id);
      const use = useOf(catalog);
      if (use) throw loyaltyInUse(resource, id, use);
      return update(c, id, { status: "DELETED" }, "deleted");
    },
  };
}

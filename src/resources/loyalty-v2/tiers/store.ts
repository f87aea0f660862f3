import type { Tier } from "../../../core/loyalty/tiers/structure.ts";
import { crudStore } from "../../../db/crud-store.ts";
import { type CursorAsked, type CursorPage, cursorPage } from "../../../db/cursor.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { columnsOf } from "../../../http/schemas.ts";
import { LoyaltyTier, TIER_ORDERS } from "./schema.ts";

export type TierRow = Tier & { project_id: string; deleted_at: string | null };

export const { insert: insertLoyaltyTier, update: updateTierRow } = crudStore<TierRow>({
  table: "loyalty_tiers",
  object: "tier",
  columns: [...columnsOf(LoyaltyTier), "deleted_at"],
  sortable: TIER_ORDERS,
});

export const listLoyaltyTiers = (
  db: Db,
  of: { project: { id: string; secret: string }; now: string; tierStructureId: string },
  asked: CursorAsked,
): Promise<CursorPage<TierRow>> =>
  cursorPage<TierRow>(
    db,
    of,
    {
      prefix: "lcrst",
      from: (db) => db`loyalty_tiers`,
      where: (db) =>
        db`project_id = ${of.project.id} and tier_structure_id = ${of.tierStructureId} and deleted_at is null`,
      sortable: TIER_ORDERS,
    },
    asked,
  );

/** All tiers, or those with these ids: what the catalog snapshot reads. */
export const loadTiers = (db: Db, projectId: string, ids: readonly string[] | null) =>
  db<TierRow[]>`
    select * from loyalty_tiers where project_id = ${projectId} and deleted_at is null
      and ${ids === null ? db`true` : db`id = any(${ids})`}`;

/** The tiers of a structure that is deleted go with it. Returns their ids. */
export async function removeTiersOf(tx: Tx, projectId: string, structureId: string, now: string): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    update loyalty_tiers set deleted_at = ${now}, updated_at = ${now}
    where project_id = ${projectId} and tier_structure_id = ${structureId} and deleted_at is null returning id`;
  return rows.map(({ id }) => id);
}

export const viewTier = ({ project_id: _, deleted_at: __, ...row }: TierRow): LoyaltyTier => ({
  ...row,
  object: "tier",
});

import type { Db } from "../../../db/db.ts";

/** Those of the segments that have members stored: the first one that is found is enough. */
export async function segmentsWithMembers(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db<{ id: string }[]>`
    select s.id from segments s where s.project_id = ${projectId} and s.id = any(${ids}) and exists (
      select from segment_members m where m.project_id = ${projectId} and m.segment_id = s.id)`;
  return new Set(rows.map(({ id }) => id));
}

/** Those of the products that are not deleted. */
export async function existingProducts(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db<{ id: string }[]>`
    select id from products where project_id = ${projectId} and id = any(${ids}) and deleted_at is null`;
  return new Set(rows.map(({ id }) => id));
}

/** Those of the SKUs that are not deleted, with their products. */
export async function existingSkus(db: Db, projectId: string, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db<{ id: string; product_id: string }[]>`
    select id, product_id from skus where project_id = ${projectId} and id = any(${ids}) and deleted_at is null`;
  return new Map(rows.map(({ id, product_id }) => [id, product_id]));
}

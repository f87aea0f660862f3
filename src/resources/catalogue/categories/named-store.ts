import type { Tx } from "../../../db/db.ts";
import { compareTexts, insertOf } from "../../../db/records.ts";
import type { CategoryRow } from "./store.ts";

/** The categories of these names, those that are not there made with the hierarchy that new ones have. */
export async function categoriesNamed(
  tx: Tx,
  projectId: string,
  made: readonly Pick<CategoryRow, "id" | "name" | "created_at">[],
): Promise<{ idOf: Map<string, string>; created: string[] }> {
  if (made.length === 0) return { idOf: new Map(), created: [] };
  const rows = made.map((one) => ({ ...one, hierarchy: 1 })).toSorted((a, b) => compareTexts(a.name, b.name));
  const created = await tx<{ id: string }[]>`
    insert into categories ${insertOf(tx, "categories", projectId, rows)}
    on conflict (project_id, name) do nothing returning id`;
  const found = await tx<{ id: string; name: string }[]>`
    select id, name from categories where project_id = ${projectId} and name = any(${rows.map(({ name }) => name)})`;
  return { idOf: new Map(found.map(({ id, name }) => [name, id])), created: created.map(({ id }) => id) };
}

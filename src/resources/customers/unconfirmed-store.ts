import type { Db, Tx } from "../../db/db.ts";
import type { CustomerRow } from "./schema.ts";

/** Somebody who is known by a tracking id only. */
export type Unconfirmed = { id: string; tracking_id: string; created_at: string };

/** Who is remembered already stays as it is. In one order, so that two batches never wait for each other. */
export async function rememberUnconfirmed(db: Db, projectId: string, some: readonly Unconfirmed[]): Promise<void> {
  if (some.length === 0) return;
  await db`
    insert into unconfirmed_customers (project_id, id, tracking_id, created_at)
    select ${projectId}, id, tracking_id, created_at
    from unnest(${some.map((one) => one.id)}::text[], ${some.map((one) => one.tracking_id)}::text[],
      ${some.map((one) => one.created_at)}::timestamptz[]) with ordinality as x (id, tracking_id, created_at, n)
    order by tracking_id, n on conflict (project_id, tracking_id) do nothing`;
}

/** These customers are new: what was kept under their tracking ids is theirs. Returns who they were before, by id. */
export async function confirmCustomers(
  tx: Tx,
  projectId: string,
  customers: readonly Pick<CustomerRow, "id" | "tracking_id">[],
): Promise<Map<string, string>> {
  const idOf = new Map(customers.flatMap(({ id, tracking_id }) => (tracking_id === null ? [] : [[tracking_id, id]])));
  if (idOf.size === 0) return new Map();
  const found = await tx<Pick<Unconfirmed, "id" | "tracking_id">[]>`
    delete from unconfirmed_customers where project_id = ${projectId} and tracking_id = any(${[...idOf.keys()]})
    returning id, tracking_id`;
  const were = new Map(found.map(({ id, tracking_id }) => [idOf.get(tracking_id)!, id]));
  if (found.length > 0)
    await tx`
      update validations v set customer_id = x.id, tracking_id = null
      from unnest(${found.map((one) => idOf.get(one.tracking_id)!)}::text[],
        ${found.map((one) => one.tracking_id)}::text[]) as x (id, tracking_id)
      where v.project_id = ${projectId} and v.tracking_id = x.tracking_id`;
  return were;
}

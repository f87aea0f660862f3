import { type Benefit, stockShown } from "../../../core/loyalty/program/benefit.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { updateEach } from "../../../db/each-row.ts";
import { statusStore } from "../../../db/status-store.ts";
import { type BenefitShown, ORDERS } from "./schema.ts";

/** What the catalog holds. */
export type CatalogBenefit = Benefit & { project_id: string };
export type BenefitRow = CatalogBenefit & {
  /** What is left; null: unlimited. */
  stock_quantity: number | null;
};

export const benefits = statusStore<BenefitRow>({
  table: "loyalty_benefits",
  object: "benefit",
  columns: ["project_id", "id", "name", "type", "status", "config", "stock_quantity", "created_at", "updated_at"],
  cursor: "lcrsben",
  sortable: ORDERS,
  fields: { id: "id", name: "string", status: "enum", type: "enum", created_at: "date" },
});

/** What the catalog snapshot reads: without the stock, which changes with every one that is given. */
export const loadBenefits = (db: Db, projectId: string, ids: readonly string[] | null) =>
  db<CatalogBenefit[]>`
    select project_id, id, name, type, status, config, created_at, updated_at from loyalty_benefits
    where project_id = ${projectId} and status <> 'DELETED' and ${ids === null ? db`true` : db`id = any(${ids})`}`;

export const view = ({ project_id: _, config, stock_quantity, ...row }: BenefitRow): BenefitShown =>
  ({ ...row, ...config, stock: stockShown(stock_quantity), object: "benefit" }) as BenefitShown;

/** Takes one of the stock. False: none is left, or the benefit is not active any more. */
export async function takeBenefit(tx: Tx, projectId: string, id: string): Promise<boolean> {
  const taken = await tx`
    update loyalty_benefits set stock_quantity = stock_quantity - 1
    where project_id = ${projectId} and id = ${id} and status = 'ACTIVE'
      and (stock_quantity is null or stock_quantity > 0)`;
  return taken.count === 1;
}

/** Locks what is left of benefits that are limited. Stock is the last kind that is locked. */
export const lockBenefitStock = (tx: Tx, projectId: string, ids: readonly string[]) =>
  tx<{ id: string; stock_quantity: number }[]>`
    select id, stock_quantity from loyalty_benefits
    where project_id = ${projectId} and id = any(${ids}) and stock_quantity is not null
    order by id for no key update`.execute();

/** Takes so many of each. They are locked: where there is not enough, or one is gone, the transaction fails. */
export async function takeStock(
  tx: Tx,
  projectId: string,
  taken: readonly { id: string; by: number }[],
): Promise<void> {
  if (taken.length === 0) return;
  const update = tx`
    update loyalty_benefits b set stock_quantity =
      (b.stock_quantity - x.by) / (case when b.stock_quantity >= x.by then 1 else 0 end)
    from unnest(${taken.map(({ id }) => id)}::text[], ${taken.map(({ by }) => by)}::bigint[]) as x (id, by)
    where b.project_id = ${projectId} and b.id = x.id`;
  await updateEach(tx, projectId, taken.length, update);
}

import { notFound } from "../../../core/errors.ts";
import { crudStore } from "../../../db/crud-store.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { columnsOf } from "../../../http/schemas.ts";
import { Webhook } from "./schema.ts";

export type WebhookRow = Omit<Webhook, "object"> & { project_id: string };

export const webhooks = crudStore<WebhookRow>({
  table: "webhooks",
  object: "webhook",
  columns: columnsOf(Webhook),
  sortable: ["created_at"],
});

export const view = ({ project_id: _, ...row }: WebhookRow): Webhook => ({ ...row, object: "webhook" });

/** Locks a webhook. */
export async function lockWebhook(tx: Tx, projectId: string, id: string): Promise<WebhookRow> {
  const [row] = await tx<WebhookRow[]>`
    select * from webhooks where project_id = ${projectId} and id = ${id} order by id for no key update`;
  if (!row) throw notFound("webhook", id);
  return row;
}

/** Those that are active, for work that has no catalog. */
export const activeWebhooks = (db: Db, projectId: string) =>
  db<WebhookRow[]>`select * from webhooks where project_id = ${projectId} and active order by created_at, id`;

/** Webhooks by each type of events that they listen to. */
export function byType(rows: readonly WebhookRow[]): ReadonlyMap<string, readonly WebhookRow[]> {
  const listening = rows.flatMap((row) => row.events.map((type) => ({ type, row })));
  const grouped = Map.groupBy(listening, ({ type }) => type);
  return new Map([...grouped].map(([type, some]) => [type, some.map(({ row }) => row)]));
}

/** Switches a webhook off. False: it is off, or gone. */
export async function switchOffWebhook(db: Db, projectId: string, id: string, now: string): Promise<boolean> {
  const { count } = await db`
    update webhooks set active = false, updated_at = ${now} where project_id = ${projectId} and id = ${id} and active`;
  return count > 0;
}

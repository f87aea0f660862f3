import { crudStore } from "../../../db/crud-store.ts";
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

import type { WriteCtx } from "../../ctx.ts";
import { testDelivery } from "../../events/tell.ts";
import { insertDeliveries } from "../../resources/platform/webhooks/delivery-store.ts";
import { markAsTest } from "../../resources/platform/webhooks/log-store.ts";
import type { WebhookRow } from "../../resources/platform/webhooks/store.ts";

/** Has a webhook told of something that did not happen, to see whether it answers. Returns the id of the delivery. */
export async function sendTestEvent(c: WriteCtx, webhook: WebhookRow, type: string): Promise<string> {
  const delivery = testDelivery({ ...c, catalog: { webhooks_of: new Map() } }, webhook, { id: c.newId("ev"), type });
  await insertDeliveries(c.db, webhook.project_id, [delivery]);
  await markAsTest(c.db, webhook.project_id, delivery.id);
  return delivery.id;
}

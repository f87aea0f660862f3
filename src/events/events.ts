import type { Ctx } from "../ctx.ts";
import type { Db } from "../db/db.ts";

/**
 * Everything that is recorded, and whether a caller did it or the engine followed from it. Activity lists and what the
 * outside world is told are read from these rows; adding a kind is one line.
 */
export const EVENTS = {
  "customer.created": "ACTION",
  "customer.updated": "ACTION",
  "customer.deleted": "ACTION",
  "customer.segment.entered": "EFFECT",
  "customer.segment.left": "EFFECT",
  "customer.order.created": "ACTION",
  "customer.order.updated": "ACTION",
  "customer.order.paid": "ACTION",
  "customer.order.fulfilled": "ACTION",
  "customer.order.canceled": "ACTION",
  "campaign.vouchers.generation.started": "EFFECT",
  "campaign.vouchers.generation.completed": "EFFECT",
  "campaign.vouchers.generation.failed": "EFFECT",
  "campaign.created": "ACTION",
  "campaign.updated": "ACTION",
  "campaign.enabled": "ACTION",
  "campaign.disabled": "ACTION",
  "campaign.deleted": "ACTION",
  "campaign.promotion_tier.created": "ACTION",
  "campaign.promotion_tier.updated": "ACTION",
  "campaign.promotion_tier.enabled": "ACTION",
  "campaign.promotion_tier.disabled": "ACTION",
  "campaign.promotion_tier.deleted": "ACTION",
  "campaign.promotion_stack.created": "ACTION",
  "campaign.promotion_stack.updated": "ACTION",
  "voucher.created": "ACTION",
  "voucher.updated": "ACTION",
  "voucher.enabled": "ACTION",
  "voucher.disabled": "ACTION",
  "voucher.deleted": "ACTION",
  "business_validation_rule.created": "ACTION",
  "business_validation_rule.updated": "ACTION",
  "business_validation_rule.deleted": "ACTION",
  "business_validation_rule.assignment.created": "ACTION",
  "business_validation_rule.assignment.deleted": "ACTION",
} as const satisfies Record<string, "ACTION" | "EFFECT">;
export type EventKind = keyof typeof EVENTS;

/** What happened, to whom. The payload holds ids and values, never a name or an address of a person. */
export type Happened = {
  kind: EventKind;
  customer_id?: string | null;
  voucher_id?: string | null;
  campaign_id?: string | null;
  payload?: Readonly<Record<string, unknown>>;
};

/** Written with the change, through the caller's handle: an event exists exactly when its change does. */
export async function record(
  c: Pick<Ctx, "request_id" | "now" | "newId"> & { db: Db; project: { id: string } },
  happened: readonly Happened[],
): Promise<void> {
  if (happened.length === 0) return;
  await c.db`
    insert into events (project_id, id, kind, group_id, customer_id, voucher_id, campaign_id, payload, created_at)
    select ${c.project.id}, x.id, x.kind, ${c.request_id}, x.customer_id, x.voucher_id, x.campaign_id, x.payload, ${c.now}
    from unnest(${happened.map(() => c.newId("ev"))}::text[], ${happened.map((h) => h.kind as string)}::text[],
      ${happened.map((h) => h.customer_id ?? null)}::text[], ${happened.map((h) => h.voucher_id ?? null)}::text[],
      ${happened.map((h) => h.campaign_id ?? null)}::text[],
      ${happened.map((h) => JSON.stringify(h.payload ?? {}))}::text[]::jsonb[])
      as x (id, kind, customer_id, voucher_id, campaign_id, payload)`;
}

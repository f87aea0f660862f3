import type { Catalog } from "../../catalog/catalog.ts";
import { shownEventId } from "../../core/ids.ts";
import type { CampaignEarningRuleRow, CampaignTierRow } from "../../core/rows/campaign.ts";
import type { Cause } from "./earn-causes.ts";

/** A cause, or a move between tiers that followed from it. */
export type CauseStep = { cause: Cause; trigger: Cause["trigger"]; id: string };

type Rewarding = { rule: CampaignEarningRuleRow; tier: CampaignTierRow | null; mapped: CampaignTierRow | null };
const named = ({ id, name }: { id: string; name: string }) => ({ id, name });

/** What the transaction tells of its cause. */
export function detailsOf(
  catalog: Catalog,
  { cause, trigger, id }: CauseStep,
  { rule, tier, mapped }: Rewarding,
): Record<string, unknown> {
  const schema =
    "schema_id" in trigger
      ? catalog.custom_event_schemas.values().find((known) => known.id === trigger.schema_id)
      : undefined;
  const segment = "segment_id" in trigger ? catalog.segments.get(trigger.segment_id) : undefined;
  const order = trigger === cause.trigger ? cause.order : null;
  return {
    ...(order && { order: { id: order.id, source_id: order.source_id } }),
    event: { id: shownEventId(id), type: trigger.kind },
    earning_rule: { id: rule.id, source: { banner: rule.banner } },
    ...(segment && { segment: named(segment) }),
    ...(mapped && { loyalty_tier: named(mapped) }),
    ...(tier && { holder_loyalty_tier: named(tier) }),
    ...(schema && {
      custom_event: { id: id.replace(/^ev_/, "event_"), type: schema.name },
      event_schema: { id: schema.id, name: schema.name },
    }),
  };
}

/** The event of an order, as points that wait for their day tell of it. */
export const eventOf = ({ of, customer }: Cause, { event }: Record<string, unknown>) => ({
  ...(event as object),
  group_id: of.request_id,
  entity_id: customer!.id,
  created_at: of.now,
  category: "ACTION",
  event_source: null,
});

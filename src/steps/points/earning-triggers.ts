import { TIER_EVENTS, type TierEvent } from "../../core/loyalty/campaign/earning.ts";
import type { Metadata } from "../../core/order/order.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { NamedEvent } from "../../events/events.ts";
import type { Origin, Project } from "../../request.ts";

/** What earning needs of a project. */
export type EarningProject = Pick<Project, "id" | "timezone" | "case_sensitive_codes">;

/** What happened, that points may follow from. The id is that of the event that tells of it. */
export type EarningTrigger = {
  of: Origin;
  id: string;
  /** As it was then, where a later request may have changed it; otherwise it is read. */
  customer?: CustomerRow | undefined;
} & (
  | {
      kind: "customer.custom_event";
      customer_id: string;
      schema_id: string;
      metadata: Metadata;
      /** The card that it is attributed to; null: all of the customer. */
      card_id: string | null;
    }
  | { kind: "customer.segment.entered"; customer_id: string; segment_id: string }
  | { kind: "customer.order.paid" | "customer.order.canceled"; order: OrderRow }
  /** A redemption was rolled back, whose order is not cancelled by that: only loyalty cards take back what it earned. */
  | { kind: "customer.redemption.rollback.succeeded"; order: OrderRow }
  /** The card moved to the tier, kept it, or left it. */
  | { kind: TierEvent; customer_id: string; campaign_id: string; tier_id: string }
);

/** Those who entered a segment, each with the event that tells of it. */
export const segmentsEntered = (happened: readonly NamedEvent[], of: Origin): EarningTrigger[] =>
  happened.flatMap(({ kind, id, customer_id, payload }) => {
    if (kind !== "customer.segment.entered") return [];
    return [{ of, id, kind, customer_id: customer_id!, segment_id: (payload!.segment as { id: string }).id }];
  });

const TIER_KINDS: ReadonlySet<string> = new Set(Object.values(TIER_EVENTS));

/** Cards that moved between tiers, each with the event that tells of it. */
export const tiersMoved = (happened: readonly NamedEvent[], of: Origin): EarningTrigger[] =>
  happened.flatMap(({ kind, id, customer_id, campaign_id, payload }) => {
    if (!TIER_KINDS.has(kind) || !customer_id || !campaign_id) return [];
    const about = payload as { tier_to?: string | null; tier_from?: string | null };
    const tier_id = about.tier_to ?? about.tier_from;
    return tier_id ? [{ of, id, kind: kind as TierEvent, customer_id, campaign_id, tier_id }] : [];
  });

/** One after the other, what follows from a request comes before the next one. */
export function inOrder(requests: readonly Origin[], told: readonly EarningTrigger[]): EarningTrigger[] {
  const places = new Map(requests.map((one, n) => [one, n]));
  return told.toSorted((a, b) => places.get(a.of)! - places.get(b.of)!);
}

/** Points follow when an order is paid or cancelled. */
export const orderMoves = (
  happened: readonly NamedEvent[],
  order: OrderRow | null,
  { of, customer }: { of: Origin; customer?: CustomerRow | undefined },
): EarningTrigger[] =>
  happened.flatMap(({ id, kind }) =>
    order && (kind === "customer.order.paid" || kind === "customer.order.canceled")
      ? [{ of, id, kind, order, customer }]
      : [],
  );

/** A rollback takes back what its order earned on loyalty cards, also when the order is not cancelled by it. */
export function returnedBy(
  happened: readonly NamedEvent[],
  order: OrderRow | null,
  { of, customer }: { of: Origin; customer?: CustomerRow | undefined },
): EarningTrigger[] {
  const kind = "customer.redemption.rollback.succeeded";
  const first = happened.find((one) => one.kind === kind);
  if (!order || !first || happened.some((one) => one.kind === "customer.order.canceled")) return [];
  return [{ of, id: first.id, kind, order, customer }];
}

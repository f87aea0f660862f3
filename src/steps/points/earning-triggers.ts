import {
  type About,
  isKindAbout,
  type KindAbout,
  type Occurrence,
  type TriggerKind,
  triggerOf,
} from "../../core/loyalty/earning/triggers.ts";
import type { Metadata } from "../../core/order/order.ts";
import type { CustomerRow } from "../../core/rows/customer.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { EventKind, NamedEvent } from "../../events/events.ts";
import type { Origin, Project } from "../../request.ts";

/** What earning needs of a project. */
export type EarningProject = Pick<Project, "id" | "timezone" | "case_sensitive_codes">;

/** What an event brings, by the object that it is about. */
type Subjects = {
  order: { order: OrderRow };
  /** The order of the redemption that was rolled back. */
  redemption: { order: OrderRow };
  custom_event: {
    customer_id: string;
    schema_id: string;
    metadata: Metadata;
    /** The card that it is attributed to; null: all of the customer. */
    card_id: string | null;
  };
  segment: { customer_id: string; segment_id: string };
  /** The card moved to the tier, kept it, or left it. */
  tier: { customer_id: string; campaign_id: string; tier_id: string };
};

/** An event of the table `TRIGGERS`: points may follow from it. The id is that of the event. */
export type EarningTrigger = {
  of: Origin;
  id: string;
  /** The customer as of the event, where a later request may have changed them; otherwise they are read. */
  customer?: CustomerRow | undefined;
} & { [A in About]: { kind: KindAbout<A> & EventKind } & Subjects[A] }[About];

/** The event in the words of earning rules. */
export const occurrenceOf = (trigger: EarningTrigger): Occurrence => ({
  event: trigger.kind,
  ...("schema_id" in trigger && { schema_id: trigger.schema_id }),
  ...("segment_id" in trigger && { segment_id: trigger.segment_id }),
  ...("tier_id" in trigger && { tier_id: trigger.tier_id, campaign_id: trigger.campaign_id }),
});

/** Whether loyalty cards of campaigns take back what an order earned. */
export const isReturned = ({ kind }: { kind: TriggerKind }): boolean => triggerOf(kind).v1?.wakes === "returns";

/** Customers who entered a segment, each with the event that says so. */
export const segmentsEntered = (happened: readonly NamedEvent[], of: Origin): EarningTrigger[] =>
  happened.flatMap(({ kind, id, customer_id, payload }) =>
    isKindAbout(kind, "segment")
      ? [{ of, id, kind, customer_id: customer_id!, segment_id: (payload!.segment as { id: string }).id }]
      : [],
  );

/** Cards that moved between tiers, each with the event that tells of it. */
export const tiersMoved = (happened: readonly NamedEvent[], of: Origin): EarningTrigger[] =>
  happened.flatMap(({ kind, id, customer_id, campaign_id, payload }) => {
    if (!isKindAbout(kind, "tier") || !customer_id || !campaign_id) return [];
    const about = payload as { tier_to?: string | null; tier_from?: string | null };
    const tier_id = about.tier_to ?? about.tier_from;
    return tier_id ? [{ of, id, kind, customer_id, campaign_id, tier_id }] : [];
  });

/** One after the other, what follows from a request comes before the next one. */
export function inOrder(requests: readonly Origin[], triggers: readonly EarningTrigger[]): EarningTrigger[] {
  const places = new Map(requests.map((request, n) => [request, n]));
  return triggers.toSorted((a, b) => places.get(a.of)! - places.get(b.of)!);
}

/** Points follow when an order is paid or cancelled. */
export const orderMoves = (
  happened: readonly NamedEvent[],
  order: OrderRow | null,
  { of, customer }: { of: Origin; customer?: CustomerRow | undefined },
): EarningTrigger[] =>
  happened.flatMap(({ id, kind }) => (order && isKindAbout(kind, "order") ? [{ of, id, kind, order, customer }] : []));

/** A rollback takes back what its order earned on loyalty cards, also when the order is not cancelled by it. */
export function returnedBy(
  happened: readonly NamedEvent[],
  order: OrderRow | null,
  { of, customer }: { of: Origin; customer?: CustomerRow | undefined },
): EarningTrigger[] {
  const isTaken = happened.some(({ kind }) => isKindAbout(kind, "order") && isReturned({ kind }));
  if (!order || isTaken) return [];
  const rolledBack = happened.flatMap(({ id, kind }) => (isKindAbout(kind, "redemption") ? [{ id, kind }] : []));
  return rolledBack.slice(0, 1).map(({ id, kind }) => ({ of, id, kind, order, customer }));
}

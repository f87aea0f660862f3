import type { Ctx } from "../ctx.ts";
import type { Db } from "../db/db.ts";
import { tenantOf } from "../db/records.ts";
import { foldEvents, nameEvents } from "./fold.ts";

/**
 * Everything that is recorded, and whether a caller did it or the engine followed from it. Activity lists and what the
 * outside world is told are read from these rows; adding a kind is one line. Which kinds share a row: `fold.ts`.
 */
export const EVENTS = {
  "customer.confirmed": "EFFECT",
  "customer.created": "ACTION",
  "customer.updated": "ACTION",
  "customer.deleted": "ACTION",
  "customer.custom_event": "ACTION",
  "customer.referred": "EFFECT",
  "customer.rewarded": "EFFECT",
  "customer.rewarded.loyalty_points": "EFFECT",
  "customer.segment.entered": "EFFECT",
  "customer.segment.left": "EFFECT",
  "customer.order.created": "ACTION",
  "customer.order.updated": "ACTION",
  "customer.order.paid": "ACTION",
  "customer.order.fulfilled": "ACTION",
  "customer.order.canceled": "ACTION",
  "customer.validation.succeeded": "ACTION",
  "customer.validation.failed": "ACTION",
  "customer.redemption.succeeded": "ACTION",
  "customer.redemption.failed": "ACTION",
  "customer.reward_redemptions.created": "EFFECT",
  "customer.reward_redemptions.pending": "EFFECT",
  "customer.reward_redemptions.completed": "EFFECT",
  "customer.redemption.rollback.succeeded": "ACTION",
  "customer.redemption.rollback.failed": "ACTION",
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
  "campaign.referral_tier.created": "ACTION",
  "campaign.referral_tier.updated": "ACTION",
  "campaign.referral_tier.deleted": "ACTION",
  "campaign.loyalty_tier.created": "ACTION",
  "campaign.loyalty_tier.updated": "ACTION",
  "campaign.loyalty_tier.deleted": "ACTION",
  "campaign.earning_rule.assigned": "ACTION",
  "campaign.earning_rule.updated": "ACTION",
  "campaign.earning_rule.enabled": "ACTION",
  "campaign.earning_rule.disabled": "ACTION",
  "campaign.earning_rule.deleted": "ACTION",
  "campaign.promotion_stack.created": "ACTION",
  "campaign.promotion_stack.updated": "ACTION",
  "campaign.reward.assignment.created": "ACTION",
  "campaign.reward.assignment.updated": "ACTION",
  "campaign.reward.assignment.deleted": "ACTION",
  "customer.publication.succeeded": "ACTION",
  "customer.publication.failed": "ACTION",
  "customer.holder.assignment.created": "EFFECT",
  "customer.holder.assignment.deleted": "ACTION",
  "customer.voucher.gift.balance_added": "EFFECT",
  "customer.voucher.loyalty_card.points_added": "EFFECT",
  "voucher.published": "ACTION",
  "voucher.gift.balance_added": "ACTION",
  "voucher.gift.transaction.created": "ACTION",
  "voucher.loyalty_card.points_added": "ACTION",
  "voucher.loyalty_card.points_expired": "EFFECT",
  "voucher.loyalty_card.pending_points.added": "EFFECT",
  "voucher.loyalty_card.pending_points.activated": "EFFECT",
  "voucher.loyalty_card.pending_points.canceled": "EFFECT",
  "voucher.loyalty_card.pending_points.updated": "EFFECT",
  "customer.voucher.loyalty_card.points_expired": "EFFECT",
  "customer.voucher.loyalty_card.points_transferred": "EFFECT",
  "customer.voucher.loyalty_card.pending_points.added": "EFFECT",
  "customer.voucher.loyalty_card.pending_points.activated": "EFFECT",
  "customer.voucher.loyalty_card.pending_points.canceled": "EFFECT",
  "customer.voucher.loyalty_card.pending_points.updated": "EFFECT",
  "customer.loyalty.tier.joined": "EFFECT",
  "customer.loyalty.tier.upgraded": "EFFECT",
  "customer.loyalty.tier.downgraded": "EFFECT",
  "customer.loyalty.tier.left": "EFFECT",
  "customer.loyalty.tier.prolonged": "EFFECT",
  "customer.loyalty.tier.expiration.changed": "EFFECT",
  "voucher.loyalty_card.transaction.created": "ACTION",
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
  "vl.program.created": "ACTION",
  "vl.program.updated": "ACTION",
  "vl.program.deleted": "ACTION",
  "vl.program.activated": "ACTION",
  "vl.program.deactivated": "ACTION",
  "vl.program.card_definition.assigned": "ACTION",
  "vl.program.card_definition.unassigned": "ACTION",
  "vl.program.earning_rule.assigned": "ACTION",
  "vl.program.earning_rule.unassigned": "ACTION",
  "vl.program.reward.assigned": "ACTION",
  "vl.program.reward.unassigned": "ACTION",
  "vl.program.tier_structure.assigned": "ACTION",
  "vl.program.tier_structure.unassigned": "ACTION",
  "vl.program.reward.updated": "ACTION",
  "vl.card_definition.created": "ACTION",
  "vl.card_definition.updated": "ACTION",
  "vl.card_definition.deleted": "ACTION",
  "vl.card_definition.activated": "ACTION",
  "vl.card_definition.deactivated": "ACTION",
  "vl.card_definition.drafted": "ACTION",
  "vl.card_definition.assigned": "ACTION",
  "vl.card_definition.unassigned": "ACTION",
  "vl.earning_rule.created": "ACTION",
  "vl.earning_rule.updated": "ACTION",
  "vl.earning_rule.deleted": "ACTION",
  "vl.earning_rule.activated": "ACTION",
  "vl.earning_rule.deactivated": "ACTION",
  "vl.earning_rule.drafted": "ACTION",
  "vl.earning_rule.assigned": "ACTION",
  "vl.earning_rule.unassigned": "ACTION",
  "vl.tier_structure.created": "ACTION",
  "vl.tier_structure.updated": "ACTION",
  "vl.tier_structure.deleted": "ACTION",
  "vl.tier_structure.activated": "ACTION",
  "vl.tier_structure.deactivated": "ACTION",
  "vl.tier_structure.drafted": "ACTION",
  "vl.tier_structure.assigned": "ACTION",
  "vl.tier_structure.unassigned": "ACTION",
  "vl.tier_structure.tier.created": "ACTION",
  "vl.tier_structure.tier.updated": "ACTION",
  "vl.tier_structure.tier.deleted": "ACTION",
  "vl.benefit.created": "ACTION",
  "vl.benefit.updated": "ACTION",
  "vl.benefit.deleted": "ACTION",
  "vl.benefit.activated": "ACTION",
  "vl.benefit.drafted": "ACTION",
  "vl.reward.created": "ACTION",
  "vl.reward.updated": "ACTION",
  "vl.reward.deleted": "ACTION",
  "vl.reward.assigned": "ACTION",
  "vl.reward.unassigned": "ACTION",
  "vl.reward.activated": "ACTION",
  "vl.reward.deactivated": "ACTION",
  "vl.reward.drafted": "ACTION",
  "vl.member.created": "ACTION",
  "vl.member.updated": "ACTION",
  "vl.member.deleted": "ACTION",
  "vl.member.activated": "ACTION",
  "vl.member.deactivated": "ACTION",
  "vl.member.card.assigned": "ACTION",
  "vl.member.card.unassigned": "ACTION",
  "vl.card.created": "ACTION",
  "vl.card.assigned": "ACTION",
  "vl.card.unassigned": "ACTION",
  "vl.card.code_generation.succeeded": "EFFECT",
  "vl.card.code_generation.failed": "EFFECT",
} as const satisfies Record<string, "ACTION" | "EFFECT">;
export type EventKind = keyof typeof EVENTS;

/** What is told of an order that enters a status. */
export const ORDER_STATUS_EVENTS = {
  CREATED: null,
  PAID: "customer.order.paid",
  FULFILLED: "customer.order.fulfilled",
  CANCELED: "customer.order.canceled",
} as const satisfies Record<string, EventKind | null>;

/** An event to be recorded: what happened, to whom. The payload holds ids and values, never a person's name or address. */
export type NewEvent<K extends EventKind = EventKind> = {
  /** Given where something else names the event; otherwise `record` makes one. */
  id?: string;
  kind: K;
  customer_id?: string | null;
  voucher_id?: string | null;
  campaign_id?: string | null;
  /** What it happened to, where that has a list of activities of its own. */
  subject_id?: string | null;
  payload?: Readonly<Record<string, unknown>>;
  /** When it happened, where that was before the request: time brought it. */
  at?: string;
};
/** An event under its id, so that something else can name it. */
export type NamedEvent<K extends EventKind = EventKind> = NewEvent<K> & { id: string };
/** The events of one request of a batch. */
export type EventsOf<O, E extends NewEvent = NewEvent> = { of: O; happened: readonly E[] };

type Recording = Pick<Ctx, "request_id" | "now" | "newId">;

/** Names events in their order. Lists are in the order of ids, so the events before a named one need an id too. */
export const withIds = <E extends NewEvent>(
  { newId }: Pick<Ctx, "newId">,
  events: readonly E[],
): (E & { id: string })[] => nameEvents(newId, events);

/** Written with the change, through the caller's handle: an event exists exactly when its change does. */
export const record = (
  c: Recording & { db: Db; project: { id: string } },
  happened: readonly NewEvent[],
): Promise<void> => recordAll(c.db, c.project.id, [{ of: c, happened }]);

/** The same for the requests of a batch, in one statement. */
export async function recordAll(db: Db, projectId: string, requests: readonly EventsOf<Recording>[]): Promise<void> {
  const rows = requests.flatMap(({ of, happened }) =>
    foldEvents(withIds(of, happened)).map(({ at = of.now, payload = {}, ...row }) => ({
      ...row,
      payload,
      group_id: of.request_id,
      created_at: at,
    })),
  );
  if (rows.length === 0) return;
  await db`
    insert into events (project_id, id, kind, group_id, customer_id, voucher_id, campaign_id, subject_id, payload, created_at,
      also, also_payloads)
    select p.project_id, x.id, x.kind, x.group_id, x.customer_id, x.voucher_id, x.campaign_id, x.subject_id, x.payload,
      x.created_at, x.also, x.also_payloads
    from ${tenantOf(db, projectId)} cross join json_to_recordset(${JSON.stringify(rows)}::text::json)
      as x (id text, kind text, group_id text, customer_id text, voucher_id text, campaign_id text, subject_id text, payload json,
        created_at timestamptz, also text[], also_payloads json[])`;
}

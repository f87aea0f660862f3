import { V2_TYPES } from "../core/webhooks/event-names.ts";
import { EVENTS, type EventKind } from "./kinds.ts";
import { PARTS, type PartName, type Shown } from "./parts.ts";

// What webhooks are told, and why of some events nothing is told. Every kind of events stands here.

type Payload = Readonly<Record<string, unknown>>;
/** What an event names that its type is about. */
type Naming = {
  customer_id?: string | null;
  voucher_id?: string | null;
  campaign_id?: string | null;
  subject_id?: string | null;
  payload?: Payload;
};
/** A type of events that a webhook can listen to. */
export type ToldType = {
  /** The kinds of events that are told so. */
  kinds: readonly EventKind[];
  /** The fields of `data`, each with the piece that it shows. Null: `data` is the payload of the event. */
  data: Readonly<Record<string, PartName>> | null;
  /** The object that the event happened to. */
  entityOf(event: Naming): string | null;
  /** Why nothing is ever told so, where the engine does no such thing. */
  never?: string;
  /** Whether an event is told so at all, by its kind and what whoever recorded it shows. Left out: always. */
  isTold?(kind: EventKind, shown: Shown): boolean;
};

/** `a b=c`: the field `a` shows the piece `a`, and the field `b` the piece `c`. */
const fields = (text: string): Readonly<Record<string, PartName>> =>
  Object.fromEntries(
    text.split(" ").map((word) => {
      const [field, part = field] = word.split("=") as [string, string?];
      if (!(part! in PARTS)) throw new Error(`there is no piece ${part}`);
      return [field, part as PartName];
    }),
  );

const idOf = (event: Naming, name: string): string | null => {
  const value = event.payload?.[name];
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null && "id" in value ? String(value.id) : null;
};
/** The object that the payload names in the first of these fields that it has. */
const inPayload =
  (...names: string[]) =>
  (event: Naming): string | null =>
    names.map((name) => idOf(event, name)).find((id) => id !== null) ?? null;
const theCustomer = (event: Naming) => event.customer_id ?? null;
const theVoucher = (event: Naming) => event.voucher_id ?? null;
const theCampaign = (event: Naming) => event.campaign_id ?? null;

const told = (kinds: readonly EventKind[], data: string, entityOf: ToldType["entityOf"]): ToldType => ({
  kinds,
  data: fields(data),
  entityOf,
});

const REDEEMED = "customer order campaign voucher holder promotion_tier promotion_stack redemption";
const PENDING = "customer campaign voucher voucher_pending_points_balance order pending_points";
const ASSIGNED = "rule assignment voucher campaign distribution promotion_tier earning_rule";
const onPending = (kind: EventKind): ToldType => told([kind], PENDING, theVoucher);
/** What a campaign has: each of these is told with the campaign. */
const ofCampaign = <K extends EventKind>(kinds: readonly K[], part: string): Record<K, ToldType> =>
  Object.fromEntries(kinds.map((kind) => [kind, told([kind], `campaign ${part}`, inPayload(part))])) as Record<
    K,
    ToldType
  >;

const V1: Readonly<Record<string, ToldType>> = {
  "redemption.succeeded": told(["customer.redemption.succeeded"], `${REDEEMED} created_at`, inPayload("redemption_id")),
  "redemption.failed": told(["customer.redemption.failed"], `${REDEEMED} created_at`, inPayload("redemption_id")),
  "redemption.rollback.succeeded": told(
    ["customer.redemption.rollback.succeeded"],
    `${REDEEMED} redemption_rollback`,
    inPayload("redemption_id"),
  ),
  "redemption.rollback.failed": told(
    ["customer.redemption.rollback.failed"],
    `${REDEEMED} redemption_rollback`,
    inPayload("redemption_id"),
  ),
  "publication.succeeded": told(
    ["customer.publication.succeeded"],
    "customer campaign publication voucher user",
    inPayload("publication_id"),
  ),
  "customer.created": told(["customer.created"], "customer=full_customer", theCustomer),
  "customer.updated": told(["customer.updated"], "customer=full_customer", theCustomer),
  "customer.deleted": told(["customer.deleted"], "customer=full_customer", theCustomer),
  "customer.confirmed": told(["customer.confirmed"], "customer=full_customer", theCustomer),
  "customer.rewarded": told(
    ["customer.rewarded"],
    "customer holder voucher campaign redemption reward referral_tier balance custom_event customer_event",
    theCustomer,
  ),
  "customer.rewarded.loyalty_points": told(
    ["customer.rewarded.loyalty_points"],
    "customer holder voucher campaign loyalty_tier earning_rule balance order event",
    theCustomer,
  ),
  "voucher.created": told(["voucher.created"], "voucher=full_voucher campaign", theVoucher),
  "voucher.updated": told(["voucher.updated"], "voucher=full_voucher campaign", theVoucher),
  "voucher.deleted": told(["voucher.deleted"], "voucher=full_voucher campaign", theVoucher),
  "voucher.enabled": told(["voucher.enabled"], "voucher=full_voucher campaign", theVoucher),
  "voucher.disabled": told(["voucher.disabled"], "voucher=full_voucher campaign", theVoucher),
  "voucher.published": told(["voucher.published"], "customer campaign publication voucher created_at", theVoucher),
  "voucher.gift.balance_added": told(
    ["voucher.gift.balance_added"],
    "voucher balance campaign transaction",
    theVoucher,
  ),
  "voucher.gift.transaction.created": {
    // A redemption and a rollback have no event of their own for the credits that they move.
    ...told(
      ["voucher.gift.transaction.created", "customer.redemption.succeeded", "customer.redemption.rollback.succeeded"],
      "transaction voucher campaign holder balance order redemption rollback",
      theVoucher,
    ),
    isTold: (kind, shown) => kind === "voucher.gift.transaction.created" || shown.transaction !== undefined,
  },
  "voucher.loyalty_card.points_added": told(
    ["voucher.loyalty_card.points_added"],
    "voucher balance campaign customer transaction",
    theVoucher,
  ),
  "voucher.loyalty_card.points_expired": told(
    ["voucher.loyalty_card.points_expired"],
    "voucher points campaign customer buckets transaction",
    theVoucher,
  ),
  "voucher.loyalty_card.transaction.created": told(
    ["voucher.loyalty_card.transaction.created"],
    "transaction voucher campaign holder holder_loyalty_tier balance order event earning_rule segment loyalty_tier " +
      "redemption rollback reward custom_event source_voucher destination_voucher",
    theVoucher,
  ),
  "voucher.loyalty_card.pending_points.activated": told(
    ["voucher.loyalty_card.pending_points.activated"],
    "customer campaign voucher balance order transaction pending_points",
    theVoucher,
  ),
  "voucher.loyalty_card.pending_points.added": onPending("voucher.loyalty_card.pending_points.added"),
  "voucher.loyalty_card.pending_points.canceled": onPending("voucher.loyalty_card.pending_points.canceled"),
  "voucher.loyalty_card.pending_points.updated": onPending("voucher.loyalty_card.pending_points.updated"),
  "campaign.created": told(["campaign.created"], "campaign=full_campaign created_at", theCampaign),
  "campaign.updated": told(["campaign.updated"], "campaign=full_campaign", theCampaign),
  "campaign.enabled": told(["campaign.enabled"], "campaign=full_campaign", theCampaign),
  "campaign.disabled": told(["campaign.disabled"], "campaign=full_campaign", theCampaign),
  "campaign.deleted": told(["campaign.deleted"], "campaign=full_campaign deleted_at", theCampaign),
  "campaign.vouchers.added": told(["campaign.vouchers.added"], "campaign count", theCampaign),
  "campaign.vouchers.generation.started": told(
    ["campaign.vouchers.generation.started"],
    "campaign count started_at",
    theCampaign,
  ),
  "campaign.vouchers.generation.completed": told(
    ["campaign.vouchers.generation.completed"],
    "campaign count completed_at",
    theCampaign,
  ),
  "campaign.vouchers.generation.failed": told(
    ["campaign.vouchers.generation.failed"],
    "campaign count error failed_at",
    theCampaign,
  ),
  ...ofCampaign(
    [
      "campaign.promotion_tier.created",
      "campaign.promotion_tier.updated",
      "campaign.promotion_tier.enabled",
      "campaign.promotion_tier.disabled",
      "campaign.promotion_tier.deleted",
    ],
    "promotion_tier",
  ),
  ...ofCampaign(
    ["campaign.loyalty_tier.created", "campaign.loyalty_tier.updated", "campaign.loyalty_tier.deleted"],
    "loyalty_tier",
  ),
  ...ofCampaign(
    ["campaign.referral_tier.created", "campaign.referral_tier.updated", "campaign.referral_tier.deleted"],
    "referral_tier",
  ),
  ...ofCampaign(["campaign.promotion_stack.created", "campaign.promotion_stack.updated"], "promotion_stack"),
  ...ofCampaign(
    [
      "campaign.earning_rule.assigned",
      "campaign.earning_rule.updated",
      "campaign.earning_rule.enabled",
      "campaign.earning_rule.disabled",
      "campaign.earning_rule.deleted",
    ],
    "earning_rule",
  ),
  ...Object.fromEntries(
    (["created", "updated", "deleted"] as const).map((verb) => [
      `campaign.reward.assignment.${verb}`,
      told([`campaign.reward.assignment.${verb}`], "campaign reward reward_assignment", inPayload("reward_assignment")),
    ]),
  ),
  ...Object.fromEntries(
    (["created", "updated", "deleted"] as const).map((verb) => [
      `business_validation_rule.${verb}`,
      told([`business_validation_rule.${verb}`], `rule ${verb}_at`, inPayload("rule")),
    ]),
  ),
  ...Object.fromEntries(
    (["created", "deleted"] as const).map((verb) => [
      `business_validation_rule.assignment.${verb}`,
      told([`business_validation_rule.assignment.${verb}`], ASSIGNED, inPayload("assignment")),
    ]),
  ),
};

const NEVER: Readonly<Record<string, string>> = {
  "vl.card_definition.deactivated": "No operation deactivates a card definition: it is made a draft again.",
  "vl.card.code_generation.failed": "A card has its code when it is made: a member who cannot get one is not enrolled.",
};

/** What is told of loyalty programs of v2 is what their lists of activities show. */
const V2 = Object.fromEntries(
  V2_TYPES.map((type): [string, ToldType] => [
    type,
    {
      kinds: [type as EventKind],
      data: null,
      entityOf: ({ subject_id }) => subject_id ?? null,
      ...(NEVER[type] && { never: NEVER[type] }),
    },
  ]),
);

/** Every type that a webhook can listen to. */
export const TOLD: Readonly<Record<string, ToldType>> = { ...V1, ...V2 };

const OF_CUSTOMER = "It is in the activity of the customer. No type of webhooks tells of it.";
const TWICE = "The event of the card or code itself is told; this one is for the activity of its holder.";

/** Why webhooks are told nothing of a kind of events. */
export const UNTOLD: Partial<Record<EventKind, string>> = {
  "customer.custom_event": OF_CUSTOMER,
  "customer.referred": OF_CUSTOMER,
  "customer.segment.entered": OF_CUSTOMER,
  "customer.segment.left": OF_CUSTOMER,
  "customer.order.created": OF_CUSTOMER,
  "customer.order.updated": OF_CUSTOMER,
  "customer.order.paid": OF_CUSTOMER,
  "customer.order.fulfilled": OF_CUSTOMER,
  "customer.order.canceled": OF_CUSTOMER,
  "customer.validation.succeeded": OF_CUSTOMER,
  "customer.validation.failed": OF_CUSTOMER,
  "customer.reward_redemptions.created": OF_CUSTOMER,
  "customer.reward_redemptions.pending": OF_CUSTOMER,
  "customer.reward_redemptions.completed": OF_CUSTOMER,
  "customer.publication.failed": OF_CUSTOMER,
  "customer.holder.assignment.created": OF_CUSTOMER,
  "customer.holder.assignment.deleted": OF_CUSTOMER,
  "customer.loyalty.tier.joined": OF_CUSTOMER,
  "customer.loyalty.tier.upgraded": OF_CUSTOMER,
  "customer.loyalty.tier.downgraded": OF_CUSTOMER,
  "customer.loyalty.tier.left": OF_CUSTOMER,
  "customer.loyalty.tier.prolonged": OF_CUSTOMER,
  "customer.loyalty.tier.expiration.changed": OF_CUSTOMER,
  "customer.voucher.loyalty_card.points_transferred": OF_CUSTOMER,
  "customer.voucher.gift.balance_added": TWICE,
  "customer.voucher.loyalty_card.points_added": TWICE,
  "customer.voucher.loyalty_card.points_expired": TWICE,
  "customer.voucher.loyalty_card.pending_points.added": TWICE,
  "customer.voucher.loyalty_card.pending_points.activated": TWICE,
  "customer.voucher.loyalty_card.pending_points.canceled": TWICE,
  "customer.voucher.loyalty_card.pending_points.updated": TWICE,
  "webhook.deactivated": "It is about webhooks themselves: an e-mail tells of it.",
};

/** The types that tell of each kind of events. */
export const TYPES_OF_KIND: ReadonlyMap<string, readonly string[]> = new Map(
  (Object.keys(EVENTS) as EventKind[]).map((kind) => [
    kind,
    Object.entries(TOLD).flatMap(([type, { kinds }]) => (kinds.includes(kind) ? [type] : [])),
  ]),
);

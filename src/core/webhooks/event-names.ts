/** The verbs of each object: `campaign` + `created` is the type `campaign.created`. */
type Verbs = Readonly<Record<string, readonly string[]>>;

const V1: Verbs = {
  redemption: ["succeeded", "failed", "rollback.succeeded", "rollback.failed"],
  publication: ["succeeded"],
  customer: ["created", "updated", "deleted", "confirmed", "rewarded", "rewarded.loyalty_points"],
  voucher: ["created", "updated", "deleted", "enabled", "disabled", "published"],
  "voucher.gift": ["balance_added", "transaction.created"],
  "voucher.loyalty_card": ["points_added", "points_expired", "transaction.created"],
  "voucher.loyalty_card.pending_points": ["added", "activated", "canceled", "updated"],
  campaign: ["created", "updated", "deleted", "enabled", "disabled"],
  "campaign.vouchers": ["added", "generation.started", "generation.completed", "generation.failed"],
  "campaign.promotion_tier": ["created", "updated", "deleted", "enabled", "disabled"],
  "campaign.loyalty_tier": ["created", "updated", "deleted"],
  "campaign.referral_tier": ["created", "updated", "deleted"],
  "campaign.promotion_stack": ["created", "updated"],
  "campaign.earning_rule": ["assigned", "updated", "deleted", "enabled", "disabled"],
  "campaign.reward.assignment": ["created", "updated", "deleted"],
  business_validation_rule: ["created", "updated", "deleted", "assignment.created", "assignment.deleted"],
};

const SAVED = ["created", "updated", "deleted"] as const;
const SWITCHED = ["activated", "deactivated"] as const;
const ASSIGNED = ["assigned", "unassigned"] as const;
const V2: Verbs = {
  "vl.program": [...SAVED, ...SWITCHED],
  "vl.program.card_definition": ASSIGNED,
  "vl.program.earning_rule": ASSIGNED,
  "vl.program.reward": [...ASSIGNED, "updated"],
  "vl.program.tier_structure": ASSIGNED,
  "vl.card_definition": [...SAVED, ...SWITCHED, "drafted", ...ASSIGNED],
  "vl.earning_rule": [...SAVED, ...SWITCHED, "drafted", ...ASSIGNED],
  "vl.tier_structure": [...SAVED, ...SWITCHED, "drafted", ...ASSIGNED],
  "vl.tier_structure.tier": SAVED,
  "vl.benefit": [...SAVED, "activated", "drafted"],
  "vl.reward": [...SAVED, ...SWITCHED, "drafted", ...ASSIGNED],
  "vl.member": [...SAVED, ...SWITCHED],
  "vl.member.card": ASSIGNED,
  "vl.card": ["created", ...ASSIGNED, "code_generation.succeeded", "code_generation.failed"],
};

const typesOf = (verbs: Verbs): string[] =>
  Object.entries(verbs).flatMap(([object, own]) => own.map((verb) => `${object}.${verb}`));

/** The event types of the interface, 61 of them. */
export const V1_TYPES: readonly string[] = typesOf(V1);
/** What is told of loyalty programs of v2. */
export const V2_TYPES: readonly string[] = typesOf(V2);
/** Everything that a webhook can listen to. */
export const WEBHOOK_TYPES: readonly string[] = [...V1_TYPES, ...V2_TYPES];

// The published list of the interface misspells these; its examples do not. Both are taken, and one is stored.
const MISSPELLED: ReadonlyMap<string, string> = new Map([
  ["campaign.vouchers.aded", "campaign.vouchers.added"],
  ["voucher.gift.balance_aded", "voucher.gift.balance_added"],
  ["voucher.loyalty_card.points_aded", "voucher.loyalty_card.points_added"],
  ["voucher.loyalty_card.pending_points.aded", "voucher.loyalty_card.pending_points.added"],
]);

/** What a body may name. */
export const ACCEPTED_TYPES: readonly string[] = [...WEBHOOK_TYPES, ...MISSPELLED.keys()];

/** The types that are named, each once and spelled right, in the order of the list. */
export function parseTypes(named: readonly string[]): string[] {
  const meant = new Set(named.map((type) => MISSPELLED.get(type) ?? type));
  return WEBHOOK_TYPES.filter((type) => meant.has(type));
}

/** In which tier a card is, and what is scheduled. The column `tier` of a card holds it. */
export type TierState = {
  tier_structure_id: string;
  /** Null: in none. */
  tier_id: string | null;
  start_at: string | null;
  /** Until when the tier is kept whatever happens. Null: it has to be earned all the time. */
  expires_at: string | null;
  /** A member who stopped qualifying keeps the tier until `ends_at`. */
  grace: { since: string; ends_at: string } | null;
  /** Until when nothing is lost: one step down a day, or a tier that was earned for a whole tracking period. */
  held_until: string | null;
  /** What was earned in a tracking period. Null: nothing was yet, or the balance counts. */
  tracking: { start_at: string; end_at: string; points: number } | null;
  /** A tier that starts with the next tracking period, and its transaction that waits. */
  deferred: { tier_id: string; start_at: string; transaction_id: string } | null;
  /** Lower tiers that were reached meanwhile, by the end of the period: they are left when the tier is over. */
  lower?: readonly LowerTier[];
};
export type LowerTier = { tier_id: string; period_end: string; start_at: string; until: string };

export const TIER_MOVES = ["UPGRADED", "DOWNGRADED", "JOINED", "LEFT", "PROLONGED"] as const;
export type TierMoveType = (typeof TIER_MOVES)[number];

/** Why a tier was looked at. */
export type TierOrigin = {
  type: "card_operations" | "daily_task_operations" | "member_card_created" | "member_card_deleted";
  card_transaction_ids: readonly string[];
};

/** A transaction of a tier, as it is made. */
export type TierTransaction = {
  id: string;
  type: TierMoveType;
  tier_structure_id: string;
  /** Where the member is afterwards. */
  tier_id: string | null;
  status: "APPROVED" | "PENDING";
  details: {
    points: number;
    tier_from: string | null;
    tier_to: string | null;
    origin: TierOrigin;
    rejection: null;
    start_at: string | null;
    expires_at: string | null;
  };
  created_at: string;
};

/** What is to be saved: a new transaction, or the end of one that waited. */
export type TierEffect =
  | { kind: "made"; transaction: TierTransaction }
  | { kind: "settled"; id: string; status: "APPROVED"; expires_at: string | null; at: string }
  | {
      kind: "settled";
      id: string;
      status: "REJECTED";
      rejection: { reason: "SUPERSEDED_BY_LATER_TRANSACTION"; details: null };
      at: string;
    };

export const noTier = (tier_structure_id: string): TierState => ({
  tier_structure_id,
  tier_id: null,
  start_at: null,
  expires_at: null,
  grace: null,
  held_until: null,
  tracking: null,
  deferred: null,
});

import type { CardAccount } from "../loyalty/card/card.ts";
import type { EarningOutcome } from "../loyalty/earning/earning.ts";
import type { Reward } from "../loyalty/program/reward.ts";
import type { TierState } from "../loyalty/tiers/state.ts";

type MemberStatus = "ACTIVE" | "INACTIVE" | "DELETED";
/** A member of a loyalty program. */
export type MemberRow = {
  project_id: string;
  id: string;
  program_id: string;
  /** Null: the customer was erased, and the member with them. */
  customer_id: string | null;
  status: MemberStatus;
  metadata: Record<string, unknown>;
  /** When rules and rewards were last used, and how often in the periods that hold now. */
  uses: Record<string, unknown>;
  created_at: string;
  updated_at: string | null;
};

export type TransactionKind = "reward" | "order" | "benefit" | "tier";
/**
 * Purchases of rewards, payments of orders, benefits and moves between tiers. Points that moved are entries of the
 * ledger. `details` are those that are shown, and with them the ids of `card_transaction_id`, `earning_rule_id` and
 * `tier_structure_id`, which stand beside them when they are shown.
 */
export type TransactionRow = {
  project_id: string;
  id: string;
  kind: TransactionKind;
  program_id: string;
  member_id: string;
  card_id: string | null;
  card_definition_id: string | null;
  type: string;
  /** The reward, order, benefit or tier. */
  subject_id: string | null;
  status: "PENDING" | "PROCESSING" | "APPROVED" | "REJECTED" | "REFUNDED";
  details: Record<string, unknown>;
  created_at: string;
  updated_at: string | null;
};

/**
 * What a rule decided for a member and an event. A success is a row for each wallet that got something, and one without
 * a wallet when there was none: how often a rule succeeded is how many causes it succeeded for.
 */
export type OutcomeRow = {
  id: string;
  program_id: string;
  member_id: string;
  earning_rule_id: string;
  earning_item_id: string | null;
  card_definition_id: string | null;
  /** Nothing of the earning could be given: `no_effect`. */
  outcome: EarningOutcome | "no_effect";
  points: number;
  pending_points: number;
  local_date: string;
  /** The event. */
  cause: string;
  created_at: string;
};

/** A card of a member. */
export type CardRow = {
  id: string;
  program_id: string;
  member_id: string;
  card_definition_id: string;
  code: string;
  account: CardAccount;
  tier: TierState | null;
  /** When time alone changes it next. */
  due_at: string | null;
  created_at: string;
  updated_at: string | null;
};

/** A reward of loyalty programs. */
export type RewardRow = Reward & { project_id: string };

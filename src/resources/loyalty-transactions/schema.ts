import { type Static, Type } from "typebox";
import { TIER_MOVES } from "../../core/loyalty/tier-state.ts";
import { Choice, CursorQuery, cursorListOf, DateTime, Filters, Nullable } from "../../http/schemas.ts";

const Details = Nullable(Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true }));
const common = {
  id: Type.String(),
  program_id: Type.String(),
  member_id: Type.String(),
  details: Details,
  created_at: DateTime,
  updated_at: Nullable(DateTime),
};

export const RewardTransaction = Type.Object(
  {
    ...common,
    card_id: Nullable(Type.String()),
    card_transaction_id: Nullable(Type.String()),
    reward_id: Type.String(),
    status: Choice(["PENDING", "PROCESSING", "APPROVED", "REJECTED", "SIMULATED", "REFUNDED"]),
    type: Choice(["PURCHASE", "REFUND"]),
    object: Type.Literal("reward_transaction"),
  },
  { title: "LoyaltyRewardTransaction" },
);
export type RewardTransaction = Static<typeof RewardTransaction>;

export const OrderTransaction = Type.Object(
  {
    ...common,
    card_id: Nullable(Type.String()),
    card_definition_id: Nullable(Type.String()),
    card_transaction_id: Nullable(Type.String()),
    order_id: Type.String(),
    status: Choice(["PENDING", "PROCESSING", "APPROVED", "REJECTED", "SIMULATED"]),
    type: Type.Literal("PAY_WITH_POINTS"),
    object: Type.Literal("order_transaction"),
  },
  { title: "LoyaltyOrderTransaction" },
);
export type OrderTransaction = Static<typeof OrderTransaction>;

export const BenefitTransaction = Type.Object(
  {
    ...common,
    benefit_id: Type.String(),
    earning_rule_id: Nullable(Type.String()),
    status: Choice(["PENDING", "APPROVED", "REJECTED"]),
    type: Type.Literal("FULFILLMENT"),
    object: Type.Literal("benefit_transaction"),
  },
  { title: "LoyaltyBenefitTransaction" },
);
export type BenefitTransaction = Static<typeof BenefitTransaction>;

export const TierTransaction = Type.Object(
  {
    ...common,
    card_id: Nullable(Type.String()),
    card_definition_id: Nullable(Type.String()),
    tier_structure_id: Type.String(),
    tier_id: Nullable(Type.String()),
    status: Choice(["PENDING", "APPROVED", "REJECTED"]),
    type: Choice(TIER_MOVES),
    object: Type.Literal("tier_transaction"),
  },
  { title: "LoyaltyTierTransaction" },
);
export type TierTransaction = Static<typeof TierTransaction>;

export const RewardTransactionList = cursorListOf(RewardTransaction);
export const OrderTransactionList = cursorListOf(OrderTransaction);
export const BenefitTransactionList = cursorListOf(BenefitTransaction);
export const TierTransactionList = cursorListOf(TierTransaction);
export const TransactionQuery = CursorQuery(["created_at"], { filters: Type.Optional(Filters) });
export const ByMember = Type.Object({ programId: Type.String(), memberId: Type.String() });

import { type Static, type TSchema, Type } from "typebox";
import { BenefitDetails, SpendingDetails, TierMoveDetails } from "../../../core/loyalty/card/transaction-schema.ts";
import { idOf } from "../../../core/loyalty/program/shape.ts";
import { TIER_MOVES } from "../../../core/loyalty/tiers/state.ts";
import {
  Cents,
  Choice,
  CursorQuery,
  cursorListOf,
  DateTime,
  Filters,
  Nullable,
  optional,
  strict,
} from "../../../http/schemas.ts";

const withDetails = (details: TSchema) => ({ details: Nullable(Type.Unsafe<Record<string, unknown>>(details)) });
const common = {
  id: Type.String(),
  program_id: Type.String(),
  member_id: Type.String(),
  created_at: DateTime,
  updated_at: Nullable(DateTime),
};

export const RewardTransaction = Type.Object(
  {
    ...common,
    ...withDetails(SpendingDetails),
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
    ...withDetails(SpendingDetails),
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
    ...withDetails(BenefitDetails),
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
    ...withDetails(TierMoveDetails),
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

const MODES = ["TRANSACTION", "DRY_RUN"] as const;

export const PurchaseBody = strict({
  reward_id: idOf("lrew"),
  mode: Type.Optional(Nullable(Choice(MODES))),
});
export type PurchaseBody = Static<typeof PurchaseBody>;

/** What would be made: it has no id and no moment. */
const { id: _, created_at: __, ...simulatedPurchase } = RewardTransaction.properties;
const { id: ___, created_at: ____, ...simulatedPayment } = OrderTransaction.properties;
const simulation = <T>(transaction: T) => ({
  transaction,
  status: Type.Literal("DRY_RUN"),
  message: Type.String(),
});
const created = <T>(transaction: T) => ({
  transaction,
  status: Type.Literal("TRANSACTION_CREATED"),
  message: Type.String(),
});

export const PurchaseSimulated = Type.Object(simulation(Type.Object(simulatedPurchase)));
export type PurchaseSimulated = Static<typeof PurchaseSimulated>;
export const PurchaseMade = Type.Object(created(RewardTransaction));
export type PurchaseMade = Static<typeof PurchaseMade>;

const policies = strict(
  optional({ refund: Nullable(Choice(["DEFAULT", "ALLOW"])), stock: Nullable(Choice(["DEFAULT", "WRITE_OFF"])) }),
);
/** Null: nothing was sent. */
export const RefundBody = Nullable(strict({ policies: Type.Optional(Nullable(policies)) }));
export type RefundBody = Static<typeof RefundBody>;
export const RefundMade = Type.Object({
  transaction: RewardTransaction,
  status: Type.Literal("APPROVED"),
  message: Type.String(),
});
export type RefundMade = Static<typeof RefundMade>;

const Max = strict({ max: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) });
export const PaymentBody = strict({
  card_id: idOf("lcrd"),
  order: strict(
    optional({
      id: Nullable(idOf("ord")),
      source_id: Nullable(Type.String({ minLength: 1 })),
    }),
  ),
  payment_limit: Type.Optional(
    Nullable(
      strict({
        type: Choice(["CARD_BALANCE", "POINTS_LIMIT", "AMOUNT_LIMIT"]),
        points_limit: Type.Optional(Nullable(Max)),
        amount_limit: Type.Optional(Nullable(strict({ max: Cents({ minimum: 1 }) }))),
      }),
    ),
  ),
  mode: Type.Optional(Nullable(Choice(MODES))),
});
export type PaymentBody = Static<typeof PaymentBody>;
export const PaymentSimulated = Type.Object(simulation(Type.Object(simulatedPayment)));
export type PaymentSimulated = Static<typeof PaymentSimulated>;
export const PaymentMade = Type.Object(created(OrderTransaction));
export type PaymentMade = Static<typeof PaymentMade>;

export const ByPurchase = Type.Object({ programId: Type.String(), rewardTransactionId: Type.String() });

import { type Static, type TSchema, Type } from "typebox";
import { CardTransactionDetails } from "../../../core/loyalty/card/transaction-schema.ts";
import { Choice, CursorQuery, cursorListOf, DateTime, Filters, Nullable, strict } from "../../../http/schemas.ts";

const Points = Type.Integer();
const LocalDate = Type.Unsafe<string>({ type: "string", format: "date" });
const EXPIRATION_TYPES = ["NO_EXPIRATION", "ROLLING_EXPIRATION", "CALENDAR_EXPIRATION", "SLIDING_EXPIRATION"] as const;

const bucket = {
  id: Type.String(),
  card_id: Type.String(),
  card_definition_id: Type.String(),
  program_id: Type.String(),
  card_type: Type.Literal("INDIVIDUAL"),
  member_id: Type.String(),
  points: Type.Object({ total: Points }),
  created_at: DateTime,
  updated_at: Nullable(DateTime),
};
export const PendingBucket = Type.Object(
  {
    ...bucket,
    date: LocalDate,
    type: Choice(["PERIOD_BASED", "FIXED_DATES", "EVENT_BASED"]),
    status: Choice(["PENDING", "ACTIVATED", "CANCELED", "DELETED"]),
    object: Type.Literal("card_pending_points_bucket"),
  },
  { title: "LoyaltyPendingPointsBucket" },
);
export type PendingBucket = Static<typeof PendingBucket>;
export const PointsBucket = Type.Object(
  {
    ...bucket,
    customer_id: Type.String(),
    expiration_date: LocalDate,
    expiration_type: Choice(EXPIRATION_TYPES),
    status: Choice(["ACTIVE", "DELETED", "EXPIRED"]),
    object: Type.Literal("card_points_bucket"),
  },
  { title: "LoyaltyPointsBucket" },
);
export type PointsBucket = Static<typeof PointsBucket>;
export const PendingBucketList = cursorListOf(PendingBucket);
export const PointsBucketList = cursorListOf(PointsBucket);

const CARD_TRANSACTION_TYPES = [
  "ADMIN_CREDIT",
  "ADMIN_DEBIT",
  "ADMIN_POINTS_EXPIRATION",
  "POINTS_EARNED",
  "POINTS_SPENT_ON_REWARD",
  "POINTS_PURCHASED",
  "POINTS_PURCHASE_REVERSED",
  "POINTS_SPENT_ON_ORDER",
  "POINTS_REFUNDED",
  "POINTS_RETURNED",
  "POINTS_EXPIRED",
  "PENDING_POINTS_ADDED",
  "PENDING_POINTS_ACTIVATED",
  "PENDING_POINTS_CANCELED",
] as const;
/** A movement of points, or one that was refused. */
export const CardTransaction = Type.Object(
  {
    id: Type.String(),
    card_id: Type.String(),
    program_id: Type.String(),
    member_id: Type.String(),
    card_definition_id: Type.String(),
    card_type: Type.Literal("INDIVIDUAL"),
    type: Choice(CARD_TRANSACTION_TYPES),
    details: Type.Unsafe<Record<string, unknown>>(CardTransactionDetails),
    status: Choice(["PENDING", "PROCESSING", "APPROVED", "REJECTED"]),
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("card_transaction"),
  },
  { title: "LoyaltyCardTransaction" },
);
export type CardTransaction = Static<typeof CardTransaction>;
export const CardTransactionList = cursorListOf(CardTransaction);

export const CardTransactionQuery = CursorQuery(["created_at"], { filters: Type.Optional(Filters) });
export const PendingBucketQuery = CursorQuery(["date"]);
export const PointsBucketQuery = CursorQuery(["expiration_date"]);
export const ByCard = Type.Object({ programId: Type.String(), memberId: Type.String(), cardId: Type.String() });

const MOST = Number.MAX_SAFE_INTEGER;

export const AdjustBody = strict({
  points: Type.Integer({
    minimum: -MOST,
    maximum: MOST,
    description: "What is credited; taken away when it is negative.",
  }),
  reason: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
});
export type AdjustBody = Static<typeof AdjustBody>;

/** A transaction that was made. It is settled when it is read again. */
const made = <const S extends string, T extends TSchema>(status: S, transaction: T) =>
  Type.Object({
    transaction,
    status: Choice(["TRANSACTION_CREATED", status]),
    message: Type.String(),
  });
export const Adjusted = made("NO_CHANGE", Nullable(CardTransaction));
export type Adjusted = Static<typeof Adjusted>;
export const Activated = made("NO_ACTIVATION", CardTransaction);
export const Canceled = Type.Object({
  transaction: CardTransaction,
  status: Type.Literal("TRANSACTION_CREATED"),
  message: Type.String(),
});
export type Canceled = Static<typeof Canceled>;
export const Expired = made("NO_EXPIRATION", CardTransaction);

export const ByBucket = Type.Object({ ...ByCard.properties, bucketId: Type.String() });

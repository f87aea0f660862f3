import { type Static, Type } from "typebox";
import { earningDetails, movementDetails } from "../../../core/loyalty/card/transaction-schema.ts";
import { Cents, Choice, DateTime, Filters, Nullable, open } from "../../../http/schemas.ts";

const MOST = Number.MAX_SAFE_INTEGER;
const text = Nullable(Type.String());
const Note = Type.Optional(Nullable(Type.String({ maxLength: 1000 })));

export const BalanceBody = open({
  amount: Cents({
    minimum: -MOST,
    format: "cents-or-points",
    description: "What is added; taken away when it is negative.",
  }),
  source_id: Note,
  reason: Note,
});
export type BalanceBody = Static<typeof BalanceBody>;

const about = {
  total: Type.Integer({ description: "All that was put on the card, less what was taken away." }),
  balance: Type.Integer({ description: "What is left of it." }),
  type: Choice(["gift_voucher", "loyalty_card"]),
  object: Type.Literal("balance"),
  related_object: Type.Object({ type: Type.Literal("voucher"), id: Type.String() }),
};

export const Balance = Type.Object(
  { amount: Type.Integer(), ...about, operation_type: Type.Literal("MANUAL") },
  { title: "Balance" },
);
export type Balance = Static<typeof Balance>;

const TRANSACTION_TYPES = [
  ...["CREDITS_REDEMPTION", "CREDITS_REFUND", "CREDITS_ADDITION", "CREDITS_REMOVAL"],
  ...["POINTS_ACCRUAL", "POINTS_REDEMPTION", "POINTS_REFUND", "POINTS_ADDITION", "POINTS_REMOVAL", "POINTS_EXPIRATION"],
  ...["POINTS_TRANSFER_IN", "POINTS_TRANSFER_OUT", "PENDING_POINTS_ACTIVATION"],
];

const details = Type.Object({
  balance: Type.Object({
    ...about,
    amount: Type.Optional(Type.Integer({ description: "Credits." })),
    points: Type.Optional(Type.Integer()),
    operation_type: Choice(["MANUAL", "AUTOMATIC"]),
  }),
  ...earningDetails,
  ...movementDetails,
});

const Transaction = Type.Object(
  {
    id: Type.String(),
    source_id: text,
    voucher_id: Type.String(),
    campaign_id: text,
    source: text,
    reason: text,
    type: Choice(TRANSACTION_TYPES),
    details,
    related_transaction_id: text,
    created_at: DateTime,
  },
  { title: "Transaction" },
);

export const TransactionList = Type.Object({
  object: Type.Literal("list"),
  data_ref: Type.Literal("data"),
  data: Type.Array(Transaction),
  has_more: Type.Boolean(),
  more_starting_after: Type.Optional(Type.String()),
});
export type TransactionList = Static<typeof TransactionList>;

export const LedgerTransactionQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Rows on a page." })),
  order: Type.Optional(Choice(["id", "-id"], { description: "A leading dash means descending." })),
  starting_after_id: Type.Optional(Type.String({ description: "The id of the last entry of the page before." })),
  filters: Type.Optional(Filters),
});
export type LedgerTransactionQuery = Static<typeof LedgerTransactionQuery>;
export const OfVoucher = Type.Object({ code: Type.String({ description: "The code of a card or its id." }) });
export const OfCampaign = Type.Object({ campaignId: Type.String({ description: "Its id or its name." }) });

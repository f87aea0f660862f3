import { Type } from "typebox";
import { DecisionResult, receiptFields } from "../../../core/redeem/schema.ts";
import { RedeemableTraceShown } from "../../../core/validate/schema.ts";
import { DateTime } from "../../../http/schemas.ts";

export const Receipt = Type.Object(
  {
    redemption_id: Type.String({ description: "The redemption; of a stack the one of the whole." }),
    created_at: DateTime,
    ...receiptFields,
    trace: Type.Array(RedeemableTraceShown, {
      description: "Why each redeemable came out as it did, worked out again.",
    }),
    result: DecisionResult,
    object: Type.Literal("receipt"),
  },
  { title: "Receipt" },
);

export const ReceiptReplay = Type.Object(
  {
    redemption_id: Type.String(),
    same: Type.Boolean({
      description: "Whether the result is the same to the byte, of configuration that nobody altered.",
    }),
    result: DecisionResult,
    recomputed: Type.Optional(DecisionResult),
    altered: Type.Optional(
      Type.Array(Type.String(), { description: "Hashes of configuration whose stored text is no longer what it was." }),
    ),
    object: Type.Literal("receipt_replay"),
  },
  { title: "ReceiptReplay" },
);

export const ByRedemption = Type.Object({ redemptionId: Type.String() });

import { Type } from "typebox";
import { DateTime } from "../../http/schemas.ts";

const Anything = Type.Object({}, { additionalProperties: true });

export const Receipt = Type.Object(
  {
    redemption_id: Type.String({ description: "The redemption; of a stack the one of the whole." }),
    created_at: DateTime,
    request: Type.Object(
      {},
      { additionalProperties: true, description: "The request as it was decided about; its customer by id." },
    ),
    facts: Type.Object(
      {},
      { additionalProperties: true, description: "What was known: the moment, the customer, counters and balances." },
    ),
    configuration: Type.Object(
      {},
      { additionalProperties: true, description: "Rules, discounts and settings that were used, by SHA-256 hash." },
    ),
    trace: Type.Array(Anything, { description: "Why each redeemable came out as it did, worked out again." }),
    result: Anything,
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
    result: Anything,
    recomputed: Type.Optional(Anything),
    altered: Type.Optional(
      Type.Array(Type.String(), { description: "Hashes of configuration whose stored text is no longer what it was." }),
    ),
    object: Type.Literal("receipt_replay"),
  },
  { title: "ReceiptReplay" },
);

export const ByRedemption = Type.Object({ redemptionId: Type.String() });

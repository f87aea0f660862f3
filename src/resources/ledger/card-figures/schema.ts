import { type Static, Type } from "typebox";
import { DateTime, Nullable } from "../../../http/schemas.ts";

const Count = Type.Integer({ minimum: 0 });
const Sum = (description: string) => Type.Integer({ minimum: 0, description });
const counted_at = { ...DateTime, description: "The time of the project at which it was counted." } as typeof DateTime;

export const GiftCardQuery = Type.Object({
  campaign: Type.Optional(
    Type.String({ description: "The id or the name of a gift card campaign; without it all cards of the project." }),
  ),
});
export const GiftCardBalance = Type.Object(
  {
    object: Type.Literal("gift_card_balance"),
    campaign_id: Nullable(Type.String()),
    cards: Sum("Cards that are there, also those that are disabled or expired."),
    issued: Sum("All that was put on them."),
    removed: Sum("What was taken away again by hand."),
    spent: Sum("What was spent of it and not rolled back."),
    balance: Sum("What is left on them: the sum of the balances of all these cards."),
    counted_at,
  },
  { title: "GiftCardBalance", description: "Amounts are in minor units." },
);
export type GiftCardBalance = Static<typeof GiftCardBalance>;

const points = {
  cards: Count,
  issued: Sum("Points that became available."),
  removed: Sum("Points that were taken back: by hand, by a transfer, for an order or a purchase that was undone."),
  spent: Sum("Points that were spent and not given back."),
  expired: Sum("Points that expired."),
  outstanding: Sum("Points that can be spent now."),
  pending: Sum("Points that wait."),
  expiring: Type.Array(
    Type.Object({
      month: Type.String({ description: "YYYY-MM, in the time zone of the project." }),
      points: Sum("Those of the outstanding points that expire in it, unless they are spent before."),
    }),
    { description: "This month, from now on, and the two after it." },
  ),
};
const members = Type.Object({ total: Count, active: Count, inactive: Count });

export const LoyaltyOverview = Type.Object(
  {
    object: Type.Literal("loyalty_overview"),
    campaign_id: Type.String(),
    members: { ...members, description: "Customers who have a card of it." } as typeof members,
    ...points,
    counted_at,
  },
  { title: "LoyaltyOverview" },
);
export type LoyaltyOverview = Static<typeof LoyaltyOverview>;

export const ProgramOverview = Type.Object(
  {
    object: Type.Literal("program_overview"),
    program_id: Type.String(),
    members,
    wallets: Type.Array(Type.Object({ card_definition_id: Type.String(), ...points }), {
      description: "Each kind of card that members have: points of two wallets are two things, and have no sum.",
    }),
    counted_at,
  },
  { title: "ProgramOverview" },
);
export type ProgramOverview = Static<typeof ProgramOverview>;

export const OfLoyaltyCampaign = Type.Object({ campaignId: Type.String({ description: "Its id or its name." }) });
export const OfProgram = Type.Object({ programId: Type.String() });

import { type Static, Type } from "typebox";
import { Choice, Nullable } from "../../shapes.ts";

const Points = Type.Integer();
const DateTime = Type.Unsafe<string>({ type: "string", format: "date-time" });
const LocalDate = Type.Unsafe<string>({ type: "string", format: "date" });
const PENDING_TYPES = ["IMMEDIATE", "PERIOD_BASED", "FIXED_DATES", "EVENT_BASED"] as const;

/** A card as clients see it: alone, of a member, and in a membership. */
export const Card = Type.Object(
  {
    id: Type.String(),
    card_definition_id: Type.String(),
    card_type: Type.Literal("INDIVIDUAL"),
    code: Nullable(Type.String()),
    lifetime_bucket: Type.Object({
      points: Type.Object({
        total: Points,
        earned: Points,
        added: Points,
        purchased: Points,
        purchased_reversed: Points,
        subtracted: Points,
        expired: Points,
        spent: Points,
        refunded: Points,
        returned: Points,
        locked: Points,
        unlocked: Points,
      }),
      pending_points: Type.Object({ total: Points, activated: Points, canceled: Points }),
    }),
    balance: Type.Object({ points: Points, pending_points: Points }),
    next_expiration: Nullable(Type.Object({ points: Points, date: LocalDate })),
    next_activation: Nullable(
      Type.Object({
        points: Points,
        type: Choice(PENDING_TYPES),
        date: Type.Optional(LocalDate),
        cancel_date: Type.Optional(LocalDate),
      }),
    ),
    object: Type.Literal("card"),
  },
  { title: "LoyaltyCard" },
);
export type Card = Static<typeof Card>;

const memberCard = {
  member_role: Choice(["OWNER", "MEMBER"]),
  created_at: DateTime,
  card: Nullable(Card),
  object: Type.Literal("member_card"),
};
export const MemberCard = Type.Object(memberCard, { title: "LoyaltyMemberCard" });
export type MemberCard = Static<typeof MemberCard>;

const TierShown = Nullable(Type.Object({ id: Type.String(), name: Type.String() }));
/** Where a member stands among the tiers, and what is ahead. */
const TierProgress = Type.Object(
  {
    current: Nullable(
      Type.Object({
        tier: TierShown,
        start_at: Nullable(DateTime),
        expires_at: Nullable(DateTime),
        points: Nullable(
          Type.Object({ current: Type.Number(), min: Type.Number(), max: Type.Optional(Type.Number()) }),
        ),
      }),
    ),
    tier_structure: Nullable(Type.Object({ id: Type.String(), object: Type.Literal("tier_structure") })),
    deferred: Type.Array(
      Type.Object({ tier: TierShown, start_at: Nullable(DateTime), expires_at: Nullable(DateTime) }),
    ),
    risks: Type.Array(
      Type.Object({ type: Choice(["TIER_DOWNGRADE", "TIER_LEFT"]), date: Nullable(DateTime), tier: TierShown }),
    ),
    opportunities: Type.Array(Type.Object({ valid_until: Nullable(DateTime), tier: TierShown, points: Type.Number() })),
    object: Type.Literal("member_tier_progress"),
  },
  { title: "LoyaltyTierProgress" },
);
export type TierProgress = Static<typeof TierProgress>;
export const MembershipCard = Type.Object(
  { ...memberCard, tier_progress: Type.Optional(TierProgress) },
  { title: "LoyaltyMembershipCard" },
);
export type MembershipCard = Static<typeof MembershipCard>;

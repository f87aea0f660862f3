import { type Static, Type } from "typebox";
import { Cents, Choice, Nullable, open, optional } from "../shapes.ts";

/** What makes a friend count as brought. Contract is silent: it names the first two only. */
export const CONVERSION_EVENTS = ["redemption", "custom_event", "order.paid"] as const;
export type ConversionEvent = (typeof CONVERSION_EVENTS)[number];
/** What a card is called whose balance the friend gets, and the campaigns that have such cards. */
export const REWARD_CARDS = { LOYALTY_CARD: "LOYALTY_PROGRAM", GIFT_VOUCHER: "GIFT_VOUCHERS" } as const;
export const TIER_TYPES = ["EACH", "MINIMUM"] as const;
// Contract is silent: how many.
const TIERS_MAX = 50;

const Id = Type.String({ minLength: 1, maxLength: 200 });
const Whole = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const Named = open(optional({ id: Nullable(Id), name: Nullable(Id) }));

const RefereeReward = open({
  related_object_parent: open(
    optional({ id: Nullable(Id), name: Nullable(Id), object: Nullable(Type.String({ maxLength: 50 })) }),
    { description: "The campaign whose card the friend gets it on, by its id or its name." },
  ),
  type: Choice(["LOYALTY_CARD", "GIFT_VOUCHER"]),
  amount: Cents({
    minimum: 1,
    format: "cents-or-points",
    description: "Points, or money in 1/100 of the major unit.",
  }),
});

const ReferralTier = open({
  id: Type.Optional(Nullable(Id)),
  banner: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
  parameters: open({
    type: Choice(TIER_TYPES, {
      description: "The reward is given for each friend, or once for the friend who makes it `min` of them.",
    }),
    min: Type.Optional(Nullable(Whole)),
    segment_id: Type.Optional(Nullable(Id)),
  }),
  reward: open({ assignment_id: Id }),
});

/** As it is sent and as it is shown. */
export const ReferralProgramSchema = open(
  optional({
    conversion_event_type: Choice(CONVERSION_EVENTS),
    custom_event: Nullable(Named),
    referee_reward: Nullable(RefereeReward),
    tiers: Nullable(Type.Array(ReferralTier, { maxItems: TIERS_MAX, description: "What the referrer gets." })),
  }),
  { title: "ReferralProgram" },
);
export type ReferralProgramSent = Static<typeof ReferralProgramSchema>;

export type ReferralTier = {
  id: string;
  banner: string | null;
  parameters: { type: (typeof TIER_TYPES)[number]; min?: number; segment_id?: string };
  reward: { assignment_id: string };
};
/** As it is stored. */
export type ReferralProgram = {
  conversion_event_type: ConversionEvent;
  custom_event?: { id: string; name: string };
  referee_reward?: {
    related_object_parent: { id: string; name: string; object: "CAMPAIGN" };
    type: keyof typeof REWARD_CARDS;
    amount: number;
  };
  tiers?: ReferralTier[];
};

/** The tiers that a friend brings their referrer to, who has brought so many by now and is in these segments. */
export const tiersReached = (
  tiers: readonly ReferralTier[],
  { count, segments }: { count: number; segments: ReadonlySet<string> },
): ReferralTier[] =>
  tiers.filter(
    ({ parameters: { type, min, segment_id } }) =>
      // Contract is silent: who is not in the segment when the number is reached does not get it later.
      (type === "EACH" || count === min) && (segment_id === undefined || segments.has(segment_id)),
  );

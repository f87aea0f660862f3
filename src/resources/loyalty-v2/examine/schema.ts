import { type Static, type TOptional, type TSchema, Type } from "typebox";
import {
  EXAMINED,
  type ExaminedField,
  examinedField,
  PROGRAM_TRIGGERS,
  type ProgramTrigger,
  type TRIGGERS,
  triggerOf,
} from "../../../core/loyalty/earning/triggers.ts";
import { UseLimits } from "../../../core/loyalty/earning/use-limits.ts";
import { idOf } from "../../../core/loyalty/program/shape.ts";
import { ITEMS_MAX } from "../../../core/order/schema.ts";
import { Choice, Metadata, Nullable, optional, strict } from "../../../http/schemas.ts";

/** A text, or a number that stands for one. */
const Reference = Type.Unsafe<string | number | null>({
  type: ["string", "number", "null"],
  minLength: 1,
  maxLength: 500,
});
/** A whole number from 0, or a text of one. */
const whole = {
  type: ["string", "integer", "null"],
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  pattern: "^[0-9]{1,15}$",
};
const Count = Type.Unsafe<string | number | null>(whole);
const Amount = Type.Unsafe<string | number | null>({ ...whole, format: "cents" });

/** Who it is: the field that `type` names, and no other. */
export const Identification = strict({
  type: Choice(["customer_id", "customer_source_id", "member_id"]),
  customer_id: Type.Optional(Nullable(idOf("cust"))),
  customer_source_id: Type.Optional(Reference),
  member_id: Type.Optional(Nullable(idOf("lmbr"))),
});
export type Identification = Static<typeof Identification>;

/** Metadata for this question only: key by key over what is stored. */
const Somebody = strict({ metadata: Type.Optional(Nullable(Metadata)) });
const people = { customer: Type.Optional(Somebody), member: Type.Optional(Somebody) };

const goods = strict(optional({ id: Reference, source_id: Reference, price: Amount }));
const Item = strict(
  optional({
    id: Nullable(Type.String({ maxLength: 500 })),
    source_id: Reference,
    product_id: Reference,
    sku_id: Reference,
    related_object: Nullable(Choice(["product", "sku"])),
    amount: Amount,
    discount_amount: Amount,
    quantity: Count,
    price: Amount,
    product: Nullable(goods),
    sku: Nullable(goods),
    metadata: Nullable(Metadata),
  }),
);
export type ItemSent = Static<typeof Item>;
const OrderSent = strict(
  optional({
    amount: Amount,
    initial_amount: Amount,
    discount_amount: Amount,
    items: Nullable(Type.Array(Item, { maxItems: ITEMS_MAX })),
    metadata: Nullable(Metadata),
  }),
);
export type OrderSent = Static<typeof OrderSent>;

const metadata = { metadata: Type.Optional(Nullable(Metadata)) };
const AnyEvent = strict({ ...people, custom_event: Type.Optional(strict(metadata)) });
const OneEvent = strict({ ...people, custom_event: strict({ schema_id: idOf("ms"), ...metadata }) });
const EventSent = strict({
  type: Choice(["ALL", "SPECIFIC"]),
  all: Type.Optional(Nullable(AnyEvent)),
  specific: Type.Optional(Nullable(OneEvent)),
});
export type EventSent = Static<typeof EventSent>;

/** What may be supposed of an event, by the object that the event is about. */
const SUPPOSED = {
  order: strict({ ...people, order: Type.Optional(OrderSent) }),
  segment: strict(people),
  custom_event: EventSent,
};
type SupposedFields = {
  [K in ProgramTrigger as ExaminedField<K>]: TOptional<(typeof SUPPOSED)[(typeof TRIGGERS)[K]["about"]]>;
};
const supposed = Object.fromEntries(
  EXAMINED.map((kind) => [
    examinedField(kind),
    Type.Optional(SUPPOSED[triggerOf(kind).about as keyof typeof SUPPOSED] as TSchema),
  ]),
) as SupposedFields;

export const ExamineEarnings = strict({
  trigger: strict({
    type: Choice(["ALL", "SPECIFIC"]),
    specific: Type.Optional(Nullable(strict({ event: Choice(PROGRAM_TRIGGERS) }))),
  }),
  customer_identification: Identification,
  ...supposed,
});
export type ExamineEarnings = Static<typeof ExamineEarnings>;

export const ExamineRewards = strict({ customer_identification: Identification, ...people });
export type ExamineRewards = Static<typeof ExamineRewards>;

const Id = Type.String();
const Points = Type.Integer({ minimum: 0 });
const Identified = <O extends string>(object: O) => Type.Object({ id: Id, object: Type.Literal(object) });
const Customer = Type.Object({
  id: Id,
  source_id: Nullable(Type.String()),
  metadata: Metadata,
  object: Type.Literal("customer"),
});
const membership = {
  member: Type.Object({
    id: Id,
    customer_id: Id,
    program_id: Id,
    metadata: Metadata,
    object: Type.Literal("member"),
  }),
  program: Type.Object({ id: Id, name: Type.String(), metadata: Metadata, object: Type.Literal("program") }),
};
const Card = Type.Object({
  id: Id,
  card_definition_id: Id,
  card_type: Type.Literal("INDIVIDUAL"),
  code: Nullable(Type.String()),
  object: Type.Literal("card"),
});

const RuleEstimation = Type.Object({
  earning_rule: Identified("earning_rule"),
  points_estimation: Points,
  object: Type.Literal("earning_rule_estimation"),
});
export const ExaminedEarnings = Type.Object(
  {
    event: Nullable(Choice(PROGRAM_TRIGGERS)),
    customer: Customer,
    earning_rules: Type.Array(
      Type.Object({ id: Id, name: Type.String(), metadata: Metadata, object: Type.Literal("earning_rule") }),
    ),
    memberships: Type.Array(
      Type.Object({
        ...membership,
        cards: Type.Array(
          Type.Object({
            card: Card,
            points_estimation: Points,
            earning_rules: Type.Array(RuleEstimation),
            object: Type.Literal("card_estimation"),
          }),
        ),
        benefits: Type.Array(
          Type.Object({
            benefit: Type.Object({
              id: Id,
              name: Type.String(),
              type: Choice(["POINTS", "POINTS_PROPORTIONAL", "MATERIAL", "DIGITAL"]),
              object: Type.Literal("benefit"),
            }),
            earning_rules: Type.Array(
              Type.Object({
                earning_rule: Identified("earning_rule"),
                object: Type.Literal("earning_rule_estimation"),
              }),
            ),
            object: Type.Literal("benefit_estimation"),
          }),
        ),
        object: Type.Literal("member_earnings_opportunity"),
      }),
    ),
    object: Type.Literal("earnings_examine_result"),
  },
  { title: "LoyaltyEarningsExamined" },
);
export type ExaminedEarnings = Static<typeof ExaminedEarnings>;

const Reason = Type.Object({
  reason: Choice([
    ...(["insufficient_balance", "no_target_card", "out_of_stock"] as const),
    ...(["no_matching_cost", "no_card_for_cost", "reward_inactive"] as const),
  ]),
  details: Type.Unsafe<Readonly<Record<string, unknown>>>(
    Type.Object(
      optional({
        required: Type.Number(),
        available: Type.Number(),
        missing: Type.Number(),
        card_definition_id: Type.String(),
      }),
    ),
  ),
  object: Type.Literal("reward_unavailability_reason"),
});
export const ExaminedRewards = Type.Object(
  {
    customer: Customer,
    rewards: Type.Array(
      Type.Object({
        id: Id,
        name: Type.String(),
        type: Choice(["MATERIAL", "DIGITAL"]),
        metadata: Metadata,
        purchase_limits: UseLimits,
        object: Type.Literal("reward"),
      }),
    ),
    memberships: Type.Array(
      Type.Object({
        ...membership,
        cards: Type.Array(
          Type.Object({
            card: Card,
            rewards: Type.Array(
              Type.Object({
                reward: Identified("reward"),
                status: Choice(["AVAILABLE", "UNAVAILABLE"]),
                cost: Type.Object({ points: Points, object: Type.Literal("reward_cost") }),
                unavailability_reasons: Type.Optional(Type.Array(Reason)),
                object: Type.Literal("reward_estimation"),
              }),
            ),
            object: Type.Literal("card_estimation"),
          }),
        ),
        object: Type.Literal("member_rewards_opportunity"),
      }),
    ),
    object: Type.Literal("rewards_examine_result"),
  },
  { title: "LoyaltyRewardsExamined" },
);
export type ExaminedRewards = Static<typeof ExaminedRewards>;

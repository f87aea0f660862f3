import { type Static, Type } from "typebox";
import type { Discount } from "../../../core/discounts/discount.ts";
import { DiscountSchema } from "../../../core/discounts/schema.ts";
import {
  Choice,
  CustomerInBody,
  DateTime,
  Filters,
  Id,
  listOf,
  Metadata,
  Nullable,
  open,
  optional,
} from "../../../http/schemas.ts";

const text = Nullable(Type.String());
/** What every publication shows. */
export const publicationFields = {
  id: Type.String(),
  object: Type.Literal("publication"),
  created_at: DateTime,
  customer_id: text,
  tracking_id: text,
  metadata: Metadata,
  channel: Type.String(),
  source_id: text,
  customer: Nullable(
    Type.Object({
      id: Type.String(),
      name: text,
      email: text,
      source_id: text,
      metadata: Metadata,
      object: Type.Literal("customer"),
    }),
  ),
  vouchers_id: Type.Array(Type.String()),
};

export const Publication = Type.Object(
  {
    ...publicationFields,
    result: Choice(["SUCCESS", "FAILURE"]),
    failure_code: Type.Optional(Type.String()),
    failure_message: Type.Optional(Type.String()),
    voucher: Type.Optional(
      Type.Object({
        code: Type.String(),
        campaign: text,
        is_referral_code: Type.Boolean(),
        discount: Type.Optional(Type.Unsafe<Discount>(DiscountSchema)),
        gift: Type.Optional(Type.Object({ amount: Type.Integer(), balance: Type.Integer() })),
        loyalty_card: Type.Optional(Type.Object({ points: Type.Integer(), balance: Type.Integer() })),
        object: Type.Literal("voucher"),
      }),
    ),
    vouchers: Type.Optional(Type.Array(Type.String())),
  },
  { title: "Publication" },
);
export type Publication = Static<typeof Publication>;

const Reference = Type.String({ maxLength: 300 });
const Source = open(
  optional({
    name: Nullable(Type.String({ maxLength: 300, description: "The name or the id of the campaign." })),
    id: Nullable(Id),
    count: Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "How many codes, 50 at most." })),
  }),
);
export const PublicationBody = open({
  voucher: Type.Optional(Nullable(Type.String({ maxLength: 300, description: "The code that is published." }))),
  campaign: Type.Optional(
    Type.Unsafe<Static<typeof Source> | string | null>(Type.Union([Source, Reference, Type.Null()])),
  ),
  customer: Type.Unsafe<CustomerInBody | string>(
    Type.Union([CustomerInBody, Type.String({ minLength: 1, maxLength: 500 })]),
  ),
  ...optional({
    source_id: Nullable(
      Type.String({ minLength: 1, maxLength: 500, description: "A name of yours; no two publications have the same." }),
    ),
    metadata: Nullable(Metadata),
    channel: Nullable(Type.String({ minLength: 1, maxLength: 200 })),
  }),
});
export type PublicationBody = Static<typeof PublicationBody>;

export const PublicationList = listOf(Publication, "publications");
export const JoinQuery = Type.Object({
  join_once: Type.Optional(
    Type.Boolean({
      description: "Who has a code of the campaign gets the same again; by default as the campaign says.",
    }),
  ),
});
export const PublishQuery = Type.Object({
  ...JoinQuery.properties,
  campaign: Type.Optional(Type.String({ maxLength: 300, description: "The name or the id of the campaign." })),
});

const ORDERS = ["id", "voucher_code", "tracking_id", "customer_id", "created_at", "channel"];
const Text = Type.Optional(Type.String({ maxLength: 500 }));
export const PublicationQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Rows on a page." })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "The page, from 1 to 1000." })),
  order: Type.Optional(
    Choice(
      ORDERS.flatMap((one) => [one, `-${one}`]),
      { description: "A leading dash means descending." },
    ),
  ),
  campaign: Type.Optional(Type.String({ maxLength: 500, description: "The name of a campaign." })),
  customer: Type.Optional(Type.String({ maxLength: 500, description: "The id or the source id of a customer." })),
  voucher: Type.Optional(Type.String({ maxLength: 500, description: "A code." })),
  result: Type.Optional(Choice(["SUCCESS", "FAILURE"])),
  voucher_type: Type.Optional(Choice(["discount", "gift", "loyalty"])),
  is_referral_code: Type.Optional(Type.Boolean({ description: "Only `true` has an effect." })),
  source_id: Text,
  filters: Type.Optional(Filters),
});
export type PublicationQuery = Static<typeof PublicationQuery>;

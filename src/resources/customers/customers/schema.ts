import { type Static, Type } from "typebox";
import { CAMPAIGN_TYPES } from "../../../core/campaigns/kind.ts";
import { OPEN, only, see } from "../../../core/client/fields.ts";
import { ADDRESS_FIELDS } from "../../../core/customers/customer.ts";
import {
  ActivityData,
  Amount,
  CheckedLater,
  Choice,
  CustomerInBody,
  customerFields,
  DateOrDateTime,
  DateRange,
  DateTime,
  listOf,
  Metadata,
  Nullable,
  open,
  optional,
  PageQuery,
} from "../../../http/schemas.ts";

const Count = Type.Integer({ minimum: 0 });

const CustomerSummary = Type.Object({
  redemptions: Type.Object({
    total_redeemed: Count,
    total_failed: Count,
    total_succeeded: Count,
    total_rolled_back: Count,
    total_rollback_failed: Count,
    total_rollback_succeeded: Count,
    gift: Type.Object({ redeemed_amount: Amount, amount_to_go: Amount }),
    loyalty_card: Type.Object({ redeemed_points: Amount, points_to_go: Amount }),
  }),
  orders: Type.Object(
    {
      total_amount: Amount,
      total_count: Count,
      average_amount: Amount,
      last_order_amount: Amount,
      last_order_date: Type.Optional(DateTime),
    },
    { description: "Over the orders that are paid or fulfilled." },
  ),
});
const CustomerLoyalty = Type.Object({
  points: Type.Integer(),
  referred_customers: Count,
  campaigns: Type.Unsafe<Record<string, { points?: number; loyalty_tier?: string; referred_customers?: number }>>({
    type: "object",
    description: "By the name of the campaign.",
    additionalProperties: Type.Object(
      optional({ points: Type.Integer(), loyalty_tier: Type.String(), referred_customers: Count }),
    ),
  }),
});
const CustomerReferrals = Type.Object({
  total: Count,
  campaigns: Type.Array(
    Type.Object({
      campaign_id: Type.String(),
      referrer_id: Nullable(Type.String()),
      related_object_id: Type.String(),
      related_object_type: Type.String(),
      date: DateTime,
    }),
  ),
});

export const Customer = Type.Object(
  {
    id: Type.String(),
    ...optional({
      source_id: Type.String(),
      name: Type.String(),
      description: Type.String(),
      email: Type.String(),
      phone: Type.String(),
      birthdate: Type.String(),
      birthday: Type.String(),
    }),
    address: Nullable(Type.Object(optional(Object.fromEntries(ADDRESS_FIELDS.map((field) => [field, Type.String()]))))),
    metadata: Metadata,
    summary: CustomerSummary,
    loyalty: CustomerLoyalty,
    referrals: CustomerReferrals,
    system_metadata: Metadata,
    created_at: DateTime,
    updated_at: Type.Optional(DateTime),
    assets: Type.Object({ cockpit_url: Type.Optional(Type.String()) }),
    object: Type.Literal("customer"),
  },
  { title: "Customer" },
);
export type Customer = Static<typeof Customer>;

/** What a client application is told of a customer whom it made or changed: what it has sent. */
export const ClientCustomer = only(
  Type.Object(
    { ...Customer.properties, ...optional({ address: Customer.properties.address, metadata: Metadata }) },
    { title: "Customer" },
  ),
  see("id source_id name description email phone birthdate birthday created_at updated_at object", {
    address: see("city state line_1 line_2 country postal_code"),
    metadata: OPEN,
  }),
);
export type ClientCustomer = Static<typeof ClientCustomer>;

export const CustomerUpsert = CustomerInBody;
const source_id = Type.String({ minLength: 1, maxLength: 500 });
export const CustomerInBulk = open({ source_id, ...optional(customerFields) }, { title: "CustomerInBulk" });
/** Each entry is checked for itself: what is wrong with it stands in the result of the async action. */
export const CustomerBulk = CheckedLater<unknown[]>(
  { type: "array", minItems: 1 },
  Type.Array(CustomerInBulk, { minItems: 1 }),
);
export const CustomersMetadata = open({
  source_ids: Type.Array(source_id, { minItems: 1 }),
  metadata: Metadata,
});
export const CustomerUpdate = open(optional(customerFields));
export const CustomerList = Type.Object({ ...listOf(Customer, "customers").properties, has_more: Type.Boolean() });

const Text = Type.String({ maxLength: 500 });
export const CustomerQuery = PageQuery(["created_at", "updated_at", "source_id"], {
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        "Only those whose name, e-mail address, source id or phone number begins so, in any case, or who have this id.",
    }),
  ),
  email: Type.Optional(Text),
  city: Type.Optional(Text),
  name: Type.Optional(Text),
  segment_id: Type.Optional(Type.String({ maxLength: 200, description: "Only those who are in the segment." })),
  created_at: Type.Optional(DateRange),
  updated_at: Type.Optional(DateRange),
  starting_after: Type.Optional(
    Type.Unsafe<string>({
      ...DateOrDateTime,
      description:
        "The `created_at` of the last customer that was read; for the orders `created_at` and `-created_at`.",
    }),
  ),
});
export type CustomerQuery = Static<typeof CustomerQuery>;
export const ByCustomer = Type.Object({ customerId: Type.String({ description: "The id or the source id." }) });

export const CustomerSegments = listOf(
  Type.Object({ id: Type.String(), name: Type.String(), object: Type.Literal("segment") }),
);

export const CustomerActivity = Type.Object(
  { id: Type.String(), type: Type.String(), data: ActivityData, created_at: DateTime, group_id: Type.String() },
  { title: "CustomerActivity" },
);
export type CustomerActivity = Static<typeof CustomerActivity>;
export const CustomerActivityList = Type.Object({
  object: Type.Literal("list"),
  data_ref: Type.Literal("data"),
  data: Type.Array(CustomerActivity),
  has_more: Type.Boolean(),
  more_starting_after: Type.Optional(Type.String()),
});
export const CustomerActivityQuery = Type.Object(
  optional({
    limit: Type.Integer({ minimum: 1, maximum: 100 }),
    order: Choice(["created_at", "-created_at"]),
    starting_after_id: Type.String({ maxLength: 200, description: "The id of the last entry that was read." }),
    start_date: DateOrDateTime,
    end_date: DateOrDateTime,
    campaign_id: Type.String({ maxLength: 200 }),
    campaign_type: Choice(CAMPAIGN_TYPES),
    category: Choice(["ACTION", "EFFECT"]),
    type: Type.String({ maxLength: 200 }),
  }),
);
export type CustomerActivityQuery = Static<typeof CustomerActivityQuery>;

export const CustomerActivitiesList = listOf(CustomerActivity);
const { category: _, type: __, ...sameInBoth } = CustomerActivityQuery.properties;
export const CustomerActivitiesQuery = Type.Object({
  ...sameInBoth,
  ...optional({
    starting_after: Type.Unsafe<string>({
      ...DateOrDateTime,
      description: "The `created_at` of the last entry that was read.",
    }),
    product_id: Type.String({ maxLength: 200 }),
  }),
});

export const PermanentDeletion = Type.Object(
  {
    id: Type.String(),
    created_at: DateTime,
    related_object_id: Type.String(),
    related_object: Type.Literal("customer"),
    status: Type.Literal("DONE"),
    data_json: Type.Object({
      events: Count,
      customer_events: Count,
      daily_events: Count,
      segments: Count,
      orders: Count,
      order_events: Count,
      customer: Count,
    }),
    // So spelt in the public interface.
    object: Type.Literal("pernament_deletion"),
  },
  { title: "PermanentDeletion" },
);
export type PermanentDeletion = Static<typeof PermanentDeletion>;

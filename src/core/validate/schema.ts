import { Type } from "typebox";
import { ApplicableList } from "../discounts/applicable-schema.ts";
import { AppliedDiscount } from "../discounts/schema.ts";
import { CalculatedOrder } from "../order/schema.ts";
import { Choice, Metadata, Nullable, optional } from "../shapes.ts";
import type { RedeemableTrace } from "./trace.ts";

const Count = Type.Integer();
const Text = Type.String();
const STATUSES = ["APPLICABLE", "INAPPLICABLE", "SKIPPED"] as const;

/** Why a redeemable does not apply. The keys are those of refused requests. */
export const Refusal = Type.Object(
  {
    code: Count,
    key: Type.String({ description: "One of the keys in docs/errors.md." }),
    message: Text,
    ...optional({
      details: Text,
      request_id: Text,
      resource_id: Text,
      resource_type: Text,
      related_object_ids: Type.Array(Text),
      related_object_type: Text,
      error: Type.Object({ message: Text }, { description: "The message of the validation rule." }),
    }),
  },
  { title: "Refusal" },
);

const BundleIdentity = { id: Text, object: Choice(["product", "sku", "products_collection"]), item_quantity: Count };
const BundleShown = Type.Object(
  {
    quantity: Type.Integer({ description: "Whole bundles in the cart." }),
    limit: Count,
    identified: Type.Array(Type.Object({ ...BundleIdentity, item_index: Count })),
    missing: Type.Optional(Type.Array(Type.Object(BundleIdentity))),
  },
  { title: "Bundle" },
);

/** What a redeemable does to the cart, or why it does nothing. */
export const RedeemableResult = Type.Object(
  optional({
    discount: AppliedDiscount,
    gift: Type.Object({
      credits: Count,
      ...optional({ balance: Count, locked_credits: Count }),
    }),
    loyalty_card: Type.Object({
      points: Count,
      ...optional({ balance: Count, points_ratio: Type.Number(), exchange_ratio: Type.Number() }),
    }),
    bundle: BundleShown,
    application_details: Type.Array(
      Type.Object(
        {
          source_index: Count,
          source_applied_quantity: Count,
          source_applied_quantity_amount: Count,
          target_index: Count,
          target_applied_quantity: Count,
          target_applied_quantity_amount: Count,
          target_applied_discount_amount: Count,
        },
        { title: "ReplacedItem" },
      ),
      { description: "Which units of which line were replaced." },
    ),
    error: Refusal,
    details: Type.Object({ key: Text, message: Text }),
  }),
  { title: "RedeemableResult" },
);

const Condition = Type.Object({
  operator: Text,
  expected: Type.Array(Type.Unknown()),
  passed: Type.Boolean(),
  missing: Type.Optional(Type.Object({ amount: Type.Number(), text: Text })),
});
/** A rule and what it saw, or several of them with `and` or `or`. Rules may stand below a rule. */
export const RuleTrace = Type.Object(
  {
    kind: Choice(["rule", "and", "or"]),
    passed: Type.Boolean(),
    ...optional({
      terms: Type.Array(Type.Unsafe<object>({ $ref: "#/$defs/RuleTrace" })),
      key: Text,
      name: Text,
      property: Nullable(Text),
      seen: Type.Unknown({ description: "What was compared; of a rule about several lines one value for each." }),
      conditions: Type.Array(Condition),
      lines: Type.Array(Count, { description: "Positions of the lines that the rule picked." }),
      skipped: Choice(["omitted", "ignored", "later"]),
      lacks: Type.String({ description: "What was not sent, so that the rule could not be asked." }),
      message: Text,
      below: Type.Unsafe<object>({ $ref: "#/$defs/RuleTrace" }),
    }),
  },
  { title: "RuleTrace" },
);
const Amounts = Nullable(
  Type.Object(
    { amount: Nullable(Count), total_discount_amount: Count, total_amount: Count },
    { title: "TracedAmounts" },
  ),
);
const Num = Type.Number();
/** A step of the arithmetic. Which numbers it has depends on its kind. */
const Step = Type.Object(
  {
    kind: Choice(["formula", "order", "line", "split", "units", "credits", "points"]),
    says: Type.String({ description: "The step in words, with amounts in major units." }),
    ...optional({
      formula: Text,
      value: Nullable(Num),
      steps: Type.Array(Type.Object({ text: Text, value: Nullable(Text) })),
      type: Text,
      base: Num,
      amount: Num,
      taken: Num,
      cut: Type.Object({ by: Text, to: Num }),
      line: Count,
      units: Num,
      units_counted: Num,
      whole: Num,
      by: Choice(["amount", "quantity"]),
      shares: Type.Array(Type.Object({ line: Count, weight: Num, share: Num, most: Nullable(Num) })),
      added: Count,
      free: Count,
      balance: Num,
      locked: Num,
      requested: Nullable(Num),
      payable: Nullable(Num),
      used: Num,
    }),
  },
  { title: "TracedStep" },
);
export const RedeemableTraceShown = Type.Unsafe<RedeemableTrace>(
  Type.Object(
    {
      id: Text,
      object: Text,
      status: Choice(STATUSES),
      decided_by: Nullable(Type.String({ description: "The key of the error or of the skip; null when it applies." })),
      checks: Type.Array(
        Type.Object({ check: Text, passed: Type.Boolean(), seen: Type.Unknown(), expected: Type.Unknown() }),
      ),
      rules: Type.Array(
        Type.Object({ id: Text, passed: Type.Boolean(), trace: Type.Unsafe<object>({ $ref: "#/$defs/RuleTrace" }) }),
      ),
      ...optional({
        bundle: Type.Object({ quantity: Count, limit: Count, passed: Type.Boolean() }),
        calculation: Type.Object({
          before: Amounts,
          steps: Type.Array(Step),
          more: Type.Optional(Type.Integer({ description: "How many steps are not shown." })),
          after: Amounts,
        }),
      }),
    },
    { title: "RedeemableTrace" },
  ),
);

/** A category with the place that it has in the stacking rules. */
export const CategoryInStack = Type.Object(
  {
    id: Text,
    name: Text,
    hierarchy: Count,
    created_at: Type.Unsafe<string>({ type: "string", format: "date-time" }),
    updated_at: Type.Unsafe<string | null>({ type: ["string", "null"], format: "date-time" }),
    stacking_rules_type: Type.Optional(Choice(["EXCLUSIVE", "JOINT"])),
    object: Type.Literal("category"),
  },
  { title: "CategoryInStack" },
);

/** What is shown of a redeemable on request, wherever a cart is decided about. */
export const aboutFields = optional({
  metadata: Metadata,
  name: Text,
  campaign_name: Text,
  campaign_id: Text,
  categories: Type.Array(CategoryInStack),
});

/** One redeemable of a request, and what was decided about it. */
export const ValidatedRedeemable = Type.Object(
  {
    status: Choice(STATUSES),
    id: Text,
    object: Choice(["voucher", "promotion_tier", "promotion_stack"]),
    result: RedeemableResult,
    ...optional({
      order: CalculatedOrder,
      applicable_to: ApplicableList,
      inapplicable_to: ApplicableList,
      details: Type.Object({ key: Text, message: Text }),
      trace: RedeemableTraceShown,
    }),
    ...aboutFields,
  },
  { title: "ValidatedRedeemable" },
);

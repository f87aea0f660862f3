import { type Static, Type } from "typebox";
import { Choice, DateRange, DateTime, Nullable } from "../../../http/schemas.ts";

const RefusedRedeemable = Type.Object({
  object: Type.String(),
  id: Type.String(),
  campaign_id: Nullable(Type.String()),
  reason: Type.String({ description: "The key of the error, or why it was skipped." }),
  check: Nullable(Type.String({ description: "The check that it did not pass, such as `active` or `quantity`." })),
  rule_id: Nullable(Type.String({ description: "The validation rule that did not hold." })),
  limit: Type.Optional(
    Type.Object(
      {
        name: Type.String({ description: "`quantity`: uses of the code; else the name of the rule." }),
        most: Type.Number({ description: "How much is allowed." }),
        with_this: Type.Number({ description: "What it would come to with this redemption." }),
      },
      { description: "The limit that was reached, where one was." },
    ),
  ),
});

const refusal = {
  id: Type.String(),
  created_at: DateTime,
  request_id: Type.String({ description: "The answer had it in `X-Request-Id`." }),
  kind: Choice(["validation", "redemption"]),
  operation: Type.String({ description: "The id of the operation." }),
  status: Type.Integer({ description: "The status of the answer: a validation that refuses is a success." }),
  reason: Type.String({ description: "The key of the error that decided." }),
  message: Type.String(),
  redeemables: Type.Array(RefusedRedeemable, {
    description: "What was refused; empty: the request was refused before its redeemables were looked at.",
  }),
  redemption_id: Nullable(Type.String({ description: "The record of the failed redemption." })),
  key: Type.Object({ type: Choice(["server_key", "client_key", "management_key", "user"]), id: Type.String() }),
  channel: Nullable(Type.String()),
  codes: Type.Array(Type.String(), { description: "Codes, promotion tiers and stacks that the request names." }),
  customers: Type.Array(Type.String(), { description: "Ids and source ids of customers that it names." }),
  object: Type.Literal("refusal"),
};

export const KeptRefusal = Type.Object(refusal, { title: "KeptRefusal" });
export type KeptRefusal = Static<typeof KeptRefusal>;

const Masked = (what: string) => Type.Unknown({ description: `${what}, masked and shortened; null: it is not kept.` });
export const RefusalRead = Type.Object(
  {
    ...refusal,
    url: Type.String({ description: "The path and the query as they were called." }),
    request: Masked("The body of the request"),
    answer: Masked("The answer"),
    trace: Masked("What was asked about each redeemable, and what was seen: as `trace` of a validation"),
  },
  { title: "KeptRefusalRead" },
);
export type RefusalRead = Static<typeof RefusalRead>;

export const RefusalList = Type.Object({
  object: Type.Literal("list"),
  data_ref: Type.Literal("data"),
  data: Type.Array(KeptRefusal),
  has_more: Type.Boolean(),
  more_starting_after: Type.Optional(Type.String({ description: "The `starting_after_id` of the next page." })),
});
export type RefusalList = Static<typeof RefusalList>;

const Text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 500, description }));
export const RefusalQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Rows on a page; 10 unless told." })),
  starting_after_id: Type.Optional(Type.String({ description: "The id of the last refusal of the page before." })),
  code: Text("Only refusals of requests that name this code."),
  customer: Text("Only refusals of this customer, by the id or the source id."),
  request_id: Text("The refusal of this request."),
  reason: Text("Only refusals with this reason, of the request or of a redeemable."),
  campaign: Text("Only refusals of redeemables of this campaign, by its id."),
  created_at: Type.Optional(DateRange),
});
export type RefusalQuery = Static<typeof RefusalQuery>;
export const ByRefusal = Type.Object({ refusalId: Type.String() });

export const RefusalSummaryQuery = Type.Object({
  from: Type.Optional(DateTime),
  to: Type.Optional(DateTime),
  campaign: Text("Only redeemables of this campaign, by its id."),
});
export type RefusalSummaryQuery = Static<typeof RefusalSummaryQuery>;
const counts = {
  count: Type.Integer({ description: "How many redeemables were refused." }),
  not_kept: Type.Integer({ description: "Of how many nothing but this count was kept: there were too many." }),
};
export const RefusalSummary = Type.Object(
  {
    from: DateTime,
    to: DateTime,
    ...counts,
    reasons: Type.Array(Type.Object({ reason: Type.String(), ...counts }), { description: "The most frequent first." }),
    object: Type.Literal("refusal_summary"),
  },
  { title: "RefusalSummary" },
);
export type RefusalSummary = Static<typeof RefusalSummary>;

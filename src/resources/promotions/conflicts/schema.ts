import { type Static, Type } from "typebox";
import { SKIPS } from "../../../core/stacking/walk.ts";
import { Choice, DateTime, Nullable } from "../../../http/schemas.ts";

export const CONFLICTS_MAX = 1_000;

const NEVER = [
  "expired",
  "used_up",
  "no_moment",
  "segment_without_customers",
  "products_that_do_not_exist",
  "contradictory_rules",
] as const;
const REASONS = ["same_products", ...(Object.keys(SKIPS) as (keyof typeof SKIPS)[]), ...NEVER] as const;

const Conflict = Type.Object(
  {
    kind: Choice(["overlap", "exclusion", "never_applies"]),
    campaigns: Type.Array(Type.String(), { description: "Two campaigns, or the one that never applies." }),
    tiers: Type.Optional(Type.Array(Type.String(), { description: "The tiers of promotions that it is about." })),
    from: Nullable(DateTime),
    to: Nullable(DateTime),
    reason: Choice(REASONS, {
      description:
        "`same_products`: both apply to them. What stacking rules say: why one of them is skipped. Else why it never applies.",
    }),
  },
  { title: "Conflict" },
);
export type Conflict = Static<typeof Conflict>;
export const ConflictList = Type.Object({
  object: Type.Literal("list"),
  data_ref: Type.Literal("conflicts"),
  conflicts: Type.Array(Conflict, { description: `At most ${CONFLICTS_MAX}.` }),
  total: Type.Integer({ minimum: 0, description: "How many are shown." }),
  has_more: Type.Boolean(),
});

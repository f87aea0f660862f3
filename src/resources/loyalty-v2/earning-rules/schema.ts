import { type Static, Type } from "typebox";
import { ValidityHours, ValidityHoursSent } from "../../../core/loyalty/card/window.ts";
import {
  Earning,
  EarningsCreate,
  EarningsUpdate,
  Trigger,
  TriggerSent,
} from "../../../core/loyalty/earning/earning-rule.ts";
import { UseLimits, UseLimitsSent } from "../../../core/loyalty/earning/use-limits.ts";
import { Name } from "../../../core/loyalty/program/shape.ts";
import {
  Choice,
  CursorQuery,
  cursorListOf,
  DateTime,
  Filters,
  Metadata,
  Nullable,
  optional,
  strict,
} from "../../../http/schemas.ts";

export const ORDERS = ["created_at", "name"];
const Message = strict({ message: Type.String({ minLength: 1, maxLength: 200 }) });

export const EarningRule = Type.Object(
  {
    id: Type.String(),
    name: Name,
    status: Choice(["DRAFT", "ACTIVE", "INACTIVE", "DELETED"]),
    earnings: Type.Array(Earning),
    trigger: Trigger,
    error: Type.Optional(Message),
    validity_hours: ValidityHours,
    start_date: Nullable(DateTime),
    end_date: Nullable(DateTime),
    trigger_limits: UseLimits,
    metadata: Metadata,
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("earning_rule"),
  },
  { title: "EarningRule" },
);
export type EarningRuleShown = Static<typeof EarningRule>;

const sections = optional({
  error: Nullable(Message),
  validity_hours: Nullable(ValidityHoursSent),
  start_date: Nullable(DateTime),
  end_date: Nullable(DateTime),
  trigger_limits: Nullable(UseLimitsSent),
  metadata: Nullable(Metadata),
});
export const EarningRuleCreate = strict({
  name: Name,
  trigger: TriggerSent,
  earnings: EarningsCreate,
  status: Type.Optional(Nullable(Choice(["DRAFT", "ACTIVE"]))),
  ...sections,
});
export type EarningRuleCreate = Static<typeof EarningRuleCreate>;
/** What is left out stays as it is; null is what a new rule has. The list of earnings is replaced whole. */
export const EarningRuleUpdate = strict({
  ...optional({ name: Name, trigger: TriggerSent, earnings: EarningsUpdate }),
  ...sections,
});
export type EarningRuleUpdate = Static<typeof EarningRuleUpdate>;

export const EarningRuleList = cursorListOf(EarningRule);
export const EarningRuleQuery = CursorQuery(ORDERS, { filters: Type.Optional(Filters) });
export const ByEarningRule = Type.Object({ earningRuleId: Type.String() });

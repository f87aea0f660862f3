import type { EarningRule } from "../../../core/loyalty/earning/earning-rule.ts";
import { statusStore } from "../../../db/status-store.ts";
import { columnsOf } from "../../../http/schemas.ts";
import { type EarningRuleShown, ORDERS, EarningRule as Shown } from "./schema.ts";

export type EarningRuleRow = EarningRule & { project_id: string };

export const earningRules = statusStore<EarningRuleRow>({
  table: "loyalty_earning_rules",
  object: "earning_rule",
  columns: columnsOf(Shown),
  cursor: "lcrsern",
  sortable: ORDERS,
  fields: { id: "id", name: "string", status: "enum", created_at: "date" },
});

export const view = ({ project_id: _, error, ...row }: EarningRuleRow): EarningRuleShown => ({
  ...row,
  ...(error && { error }),
  object: "earning_rule",
});

import {
  createEarningRule,
  moveEarningRule,
  removeEarningRule,
  updateEarningRule,
} from "../../../flows/loyalty-v2/save-earning-rule.ts";
import { statusRoutes } from "../../../http/status-routes.ts";
import {
  ByEarningRule,
  EarningRule,
  EarningRuleCreate,
  EarningRuleList,
  EarningRuleQuery,
  EarningRuleUpdate,
} from "./schema.ts";
import { earningRules as store, view } from "./store.ts";

export const loyaltyEarningRuleRoutes = statusRoutes({
  resource: "earning_rule",
  words: "an earning rule",
  store,
  view,
  params: ByEarningRule,
  query: EarningRuleQuery,
  ok: { one: EarningRule, list: EarningRuleList },
  body: { create: EarningRuleCreate, update: EarningRuleUpdate },
  flow: { create: createEarningRule, update: updateEarningRule, remove: removeEarningRule, move: moveEarningRule },
  activities: { id: "laer", cursor: "lcrsaer" },
  specs: {
    update: { description: "One that is not a draft keeps its trigger." },
    delete: { summary: "Delete an earning rule that no program uses" },
  },
});

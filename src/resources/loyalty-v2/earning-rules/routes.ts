import { listActivities } from "../../../events/activities.ts";
import {
  createEarningRule,
  moveEarningRule,
  removeEarningRule,
  updateEarningRule,
} from "../../../flows/loyalty-v2/save-earning-rule.ts";
import { cursorList, read, write } from "../../../http/route.ts";
import { ActivityQuery, activityListOf } from "../../../http/schemas.ts";
import {
  ByEarningRule,
  EarningRule,
  EarningRuleCreate,
  EarningRuleList,
  EarningRuleQuery,
  EarningRuleUpdate,
} from "./schema.ts";
import { earningRules as store, view } from "./store.ts";

const ACTIVITIES = { id: "laer", cursor: "lcrsaer", field: "earning_rule_id" } as const;

export const loyaltyEarningRuleRoutes = [
  read(
    "GET /v2/loyalties/earning-rules",
    { id: "listEarningRules", summary: "List earning rules", query: EarningRuleQuery, ok: EarningRuleList },
    async (c) => cursorList(await store.list(c.db, c, c.query), view),
  ),
  write(
    "POST /v2/loyalties/earning-rules",
    { id: "createEarningRule", summary: "Create an earning rule", body: EarningRuleCreate, ok: EarningRule },
    async (c) => createEarningRule(c, c.body),
  ),
  read(
    "GET /v2/loyalties/earning-rules/{earningRuleId}",
    { id: "getEarningRule", summary: "Read an earning rule", params: ByEarningRule, ok: EarningRule },
    async (c) => view(await store.get(c.db, c.project.id, c.params.earningRuleId)),
  ),
  write(
    "PUT /v2/loyalties/earning-rules/{earningRuleId}",
    {
      id: "updateEarningRule",
      summary: "Update an earning rule",
      description: "One that is not a draft keeps its trigger.",
      params: ByEarningRule,
      body: EarningRuleUpdate,
      ok: EarningRule,
    },
    async (c) => updateEarningRule(c, c.params.earningRuleId, c.body),
  ),
  write(
    "DELETE /v2/loyalties/earning-rules/{earningRuleId}",
    {
      id: "deleteEarningRule",
      summary: "Delete an earning rule that no program uses",
      params: ByEarningRule,
      ok: EarningRule,
    },
    async (c) => removeEarningRule(c, c.params.earningRuleId),
  ),
  write(
    "POST /v2/loyalties/earning-rules/{earningRuleId}/activate",
    { id: "activateEarningRule", summary: "Activate an earning rule", params: ByEarningRule, ok: EarningRule },
    async (c) => moveEarningRule(c, c.params.earningRuleId, "activate"),
  ),
  write(
    "POST /v2/loyalties/earning-rules/{earningRuleId}/deactivate",
    { id: "deactivateEarningRule", summary: "Deactivate an earning rule", params: ByEarningRule, ok: EarningRule },
    async (c) => moveEarningRule(c, c.params.earningRuleId, "deactivate"),
  ),
  write(
    "POST /v2/loyalties/earning-rules/{earningRuleId}/draft",
    { id: "draftEarningRule", summary: "Make an earning rule a draft again", params: ByEarningRule, ok: EarningRule },
    async (c) => moveEarningRule(c, c.params.earningRuleId, "draft"),
  ),
  read(
    "GET /v2/loyalties/earning-rules/{earningRuleId}/activities",
    {
      id: "listEarningRuleActivities",
      summary: "List what happened to an earning rule",
      params: ByEarningRule,
      query: ActivityQuery,
      ok: activityListOf("earning_rule_id"),
    },
    async (c) => {
      const { id } = await store.get(c.db, c.project.id, c.params.earningRuleId);
      return cursorList(await listActivities(c, { list: ACTIVITIES, of: id }, c.query), (activity) => activity);
    },
  ),
];

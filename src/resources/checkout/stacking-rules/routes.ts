import { DEFAULT_STACKING } from "../../../core/stacking/settings.ts";
import { createStackingRules, updateStackingRules } from "../../../flows/promotions/set-stacking-rules.ts";
import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { ByStackingRules, InProject, StackingRules, StackingRulesList, StackingRulesWrite } from "./schema.ts";
import { stackingRules as store, view } from "./store.ts";

export const stackingRulesRoutes = [
  read(
    "GET /management/v1/projects/{projectId}/stacking-rules",
    {
      id: "listStackingRules",
      summary: "List stacking rules",
      description: "Always one set: the project's own, or the defaults, which have no id.",
      params: InProject,
      ok: StackingRulesList,
    },
    async (c) => {
      const { rows } = await store.list(c.db, c.project.id);
      return list({ rows: rows.length > 0 ? rows.map(view) : [{ ...DEFAULT_STACKING }], total: 1 }, (rules) => rules);
    },
  ),
  write(
    "POST /management/v1/projects/{projectId}/stacking-rules",
    {
      id: "createStackingRules",
      summary: "Create the stacking rules of a project",
      params: InProject,
      body: StackingRulesWrite,
      ok: StackingRules,
    },
    async (c) => view(await createStackingRules(c, c.body)),
  ),
  read(
    "GET /management/v1/projects/{projectId}/stacking-rules/{stackingRulesId}",
    { id: "getStackingRules", summary: "Read stacking rules", params: ByStackingRules, ok: StackingRules },
    async (c) => view(await store.get(c.db, c.project.id, c.params.stackingRulesId)),
  ),
  write(
    "PUT /management/v1/projects/{projectId}/stacking-rules/{stackingRulesId}",
    {
      id: "updateStackingRules",
      summary: "Update stacking rules",
      description: "Fields that are not sent keep their values.",
      params: ByStackingRules,
      body: StackingRulesWrite,
      ok: StackingRules,
    },
    async (c) => view(await updateStackingRules(c, c.params.stackingRulesId, c.body)),
  ),
  write(
    "DELETE /management/v1/projects/{projectId}/stacking-rules/{stackingRulesId}",
    {
      id: "deleteStackingRules",
      summary: "Delete stacking rules",
      description: "The defaults hold again.",
      params: ByStackingRules,
      ok: Empty,
    },
    async (c) => {
      await store.remove(c.db, c.project.id, c.params.stackingRulesId);
      c.changed("stacking_rules", c.params.stackingRulesId);
      return null;
    },
  ),
];

import type { Catalogs } from "../../catalog/catalog.ts";
import { ApiError } from "../../core/errors.ts";
import { DEFAULT_STACKING, type StackingSettings, stackingFault } from "../../core/stacking/settings.ts";
import type { Project } from "../../ctx.ts";
import { list, read, write } from "../../http/route.ts";
import { Empty } from "../../http/schemas.ts";
import { ByStackingRules, InProject, StackingRules, StackingRulesList, StackingRulesWrite } from "./schema.ts";
import { lockStackingRules, lockStackingRulesById, stackingRules as store, view } from "./store.ts";

async function check(c: { catalogs: Catalogs; project: Project }, rules: StackingSettings): Promise<StackingSettings> {
  const { categories } = await c.catalogs.catalogOf(c.project);
  const details = stackingFault(rules, (id) => categories.has(id));
  if (details !== null) throw new ApiError("invalid_payload", { details });
  return rules;
}

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
    async (c) => {
      if (await lockStackingRules(c.db, c.project.id)) throw new ApiError("stacking_rules_exist");
      const rules = await check(c, { ...DEFAULT_STACKING, ...c.body });
      const id = c.newId("stk");
      c.changed("stacking_rules", id);
      const row = { id, project_id: c.project.id, rules, created_at: c.now, updated_at: null };
      return view(await store.insert(c.db, row));
    },
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
    async (c) => {
      const { id, rules: before } = await lockStackingRulesById(c.db, c.project.id, c.params.stackingRulesId);
      const rules = await check(c, { ...before, ...c.body });
      c.changed("stacking_rules", id);
      return view(await store.update(c.db, c.project.id, id, { rules, updated_at: c.now }));
    },
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

import { invalid } from "../../core/errors.ts";
import { categoriesIn, DEFAULT_STACKING, type StackingSettings, stackingFault } from "../../core/stacking/settings.ts";
import type { WriteCtx } from "../../ctx.ts";
import { lockCategories } from "../../resources/catalogue/categories/store.ts";
import {
  insertStackingRules,
  lockStackingRulesById,
  type StackingRulesRow,
  stackingRules,
} from "../../resources/checkout/stacking-rules/store.ts";

type StackingChanges = Partial<StackingSettings>;

export async function createStackingRules(c: WriteCtx, sent: StackingChanges): Promise<StackingRulesRow> {
  const rules = { ...DEFAULT_STACKING, ...sent };
  check(rules, await lockNamed(c, sent));
  const id = c.newId("stk");
  c.changed("stacking_rules", id);
  return insertStackingRules(c.db, { id, project_id: c.project.id, rules, created_at: c.now, updated_at: null });
}

/** What is not sent keeps its value. */
export async function updateStackingRules(c: WriteCtx, id: string, sent: StackingChanges): Promise<StackingRulesRow> {
  const known = await lockNamed(c, sent);
  const before = await lockStackingRulesById(c.db, c.project.id, id);
  const rules = { ...before.rules, ...sent };
  // Those that were named before exist: deleting a category takes it out of the rules.
  check(rules, known.union(categoriesIn(before.rules)));
  c.changed("stacking_rules", id);
  return stackingRules.update(c.db, c.project.id, id, { rules, updated_at: c.now });
}

/**
 * Locks the categories that are named, before the rules, as deleting a category does: none of them is deleted until
 * the rules are saved. Not asked of the catalog: that would wait for a second connection with one held, and as many
 * writers as there are connections would wait for ever.
 */
const lockNamed = async (c: WriteCtx, sent: StackingChanges): Promise<Set<string>> =>
  lockCategories(c.db, c.project.id, [...categoriesIn({ ...DEFAULT_STACKING, ...sent })]);

function check(rules: StackingSettings, known: ReadonlySet<string>): void {
  const details = stackingFault(rules, (id) => known.has(id));
  if (details !== null) throw invalid(details);
}

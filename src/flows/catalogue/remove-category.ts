import { inUse } from "../../core/in-use.ts";
import { categoriesIn, withoutCategory } from "../../core/stacking/settings.ts";
import type { WriteCtx } from "../../ctx.ts";
import { categories, lockCategories } from "../../resources/catalogue/categories/store.ts";
import { lockStackingRules, stackingRules } from "../../resources/checkout/stacking-rules/store.ts";

/** Deletes a category. While the stacking rules name it, it is taken out of them or, without that wish, kept. */
export async function removeCategory(c: WriteCtx, id: string, fromStackingRules: boolean): Promise<null> {
  // First the category, then the rules: whoever names it in the rules meanwhile waits, or is seen here.
  await lockCategories(c.db, c.project.id, [id]);
  const set = await lockStackingRules(c.db, c.project.id);
  if (set && categoriesIn(set.rules).has(id)) {
    if (!fromStackingRules)
      throw inUse({ type: "category", id }, { type: "stacking_rules", ids: [set.id], named: "stacking_rules" });
    const rules = withoutCategory(set.rules, id);
    await stackingRules.update(c.db, c.project.id, set.id, { rules, updated_at: c.now });
    c.changed("stacking_rules", set.id);
  }
  await categories.remove(c.db, c.project.id, id);
  c.changed("category", id);
  return null;
}

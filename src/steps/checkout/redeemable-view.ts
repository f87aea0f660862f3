import type { Catalog } from "../../catalog/catalog.ts";
import type { Candidate } from "../../core/validate/redeemable.ts";
import { view as categoryView } from "../../resources/catalogue/categories/store.ts";

type Fields = Record<string, unknown>;

/** What a request wants to see of each redeemable. Without a list it is the order after it. */
export type Expand = ReadonlySet<string>;
export const expandOf = (expand: readonly string[] | null | undefined): Expand => new Set(expand ?? ["order"]);

/** The category of a redeemable, and how it combines with others. */
function categoriesShown({ categories, stacking_rules }: Catalog, id: string | null): Fields[] {
  const category = id === null ? undefined : categories.get(id);
  if (!category) return [];
  const { exclusive_categories = [], joint_categories = [] } = stacking_rules?.rules ?? {};
  const type = exclusive_categories.includes(category.id)
    ? "EXCLUSIVE"
    : joint_categories.includes(category.id)
      ? "JOINT"
      : null;
  return [{ ...categoryView(category), ...(type && { stacking_rules_type: type }) }];
}

/** What is shown of a redeemable beside the decision about it. */
export const aboutRedeemable =
  (catalog: Catalog, expand: Expand) =>
  (candidate: Candidate): Fields => {
    if ("unknown" in candidate) return {};
    const { object, ref, campaign_id, metadata, category_id } = candidate;
    const shown: Fields = {};
    if (expand.has("redeemable")) {
      const name = object === "promotion_tier" ? catalog.promotion_tiers.get(ref)?.name : undefined;
      const campaign = campaign_id === null ? undefined : catalog.campaigns.get(campaign_id);
      shown.metadata = metadata;
      if (name !== undefined) shown.name = name;
      if (campaign) {
        shown.campaign_name = campaign.name;
        shown.campaign_id = campaign.id;
      }
    }
    if (expand.has("category")) shown.categories = categoriesShown(catalog, category_id);
    return shown;
  };

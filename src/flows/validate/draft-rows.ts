import type { Catalog } from "../../catalog/catalog.ts";
import { type DraftRows, withDrafts } from "../../catalog/drafts.ts";
import { codeFault, foldCode, trimCode } from "../../core/codes/code.ts";
import type { Discount } from "../../core/discounts/discount.ts";
import { invalid, notFound } from "../../core/errors.ts";
import type { VoucherRow } from "../../core/rows/voucher.ts";
import { categoriesIn, DEFAULT_STACKING, stackingFault } from "../../core/stacking/settings.ts";
import type { Ctx } from "../../ctx.ts";
import type { CategoryRow } from "../../resources/catalogue/categories/store.ts";
import type {
  AssignmentDraft,
  CampaignDraft,
  Drafts,
  RuleDraft,
  TierDraft,
} from "../../resources/checkout/validations/draft-schema.ts";
import type { Campaign } from "../../resources/promotions/campaigns/store.ts";
import type { PromotionTierRow } from "../../resources/promotions/promotion-tiers/store.ts";
import type { ValidationRuleAssignmentRow } from "../../resources/promotions/validation-rule-assignments/store.ts";
import type { ValidationRuleRow } from "../../resources/promotions/validation-rules/store.ts";
import { requireNewCampaign } from "../../steps/promotions/campaign-settings.ts";
import { requireNewTier, requirePromotion, rulesIn } from "../../steps/promotions/promotion-tiers.ts";
import { requireDefinition } from "../../steps/promotions/validation-rules.ts";

type Moment = Pick<Ctx, "project" | "now" | "newId">;
/** A catalog with drafts, the codes that are drafted with their campaigns, and all discounts that are drafted. */
export type Drafted = {
  catalog: Catalog;
  vouchers: readonly VoucherRow[];
  discounts: readonly (Discount | null)[];
};

/** The catalog as it would be if the drafts were saved; 400 and 404 as saving them would be answered. */
export function requireDrafts(c: Moment, saved: Catalog, drafts: Drafts): Drafted {
  const categories: CategoryRow[] = [];
  const categoryDrafted = (named: CategoryNamed) => categoryIn(c, saved, categories, named);
  const campaigns = (drafts.campaigns ?? []).map((sent) => {
    const row = campaignRow(c, saved, sent);
    return { sent, row: { ...row, category_id: categoryDrafted(sent) } };
  });
  const rules = (drafts.validation_rules ?? []).map((sent) => ruleRow(c, saved, sent));
  const named = withDrafts(saved, { ...NOTHING, campaigns: campaigns.map(({ row }) => row), validation_rules: rules });
  const within = campaigns.flatMap(({ sent, row }) =>
    (sent.promotion?.tiers ?? []).map((tier): TierDraft => ({ ...tier, campaign_id: row.id })),
  );
  const tiers = [...within, ...(drafts.promotion_tiers ?? [])].map((sent, place) => ({
    sent,
    row: { ...tierRow(c, named, sent, place), category_id: categoryDrafted(sent) },
  }));
  const rows: DraftRows = {
    campaigns: campaigns.map(({ row }) => row),
    categories,
    promotion_tiers: tiers.map(({ row }) => row),
    validation_rules: rules,
    rules_of: new Map([
      ...campaigns.flatMap(({ sent, row }) => assignedTo(c, named, ["campaign", row.id], sent.validation_rules)),
      ...tiers.flatMap(({ sent, row }) => assignedTo(c, named, ["promotion_tier", row.id], rulesSent(sent))),
    ]),
    assignments: [],
    stacking_rules: null,
  };
  requireOnce(rows.campaigns, ".options.draft.campaigns");
  requireOnce(rows.promotion_tiers, ".options.draft.promotion_tiers");
  requireOnce(rows.validation_rules, ".options.draft.validation_rules");
  const known = withDrafts(saved, rows);
  const assignments = (drafts.validation_rules_assignments ?? []).map((sent) => assignmentRow(c, known, sent));
  const stacking_rules = drafts.stacking_rules ? stackingRow(c, known, drafts.stacking_rules) : null;
  return {
    catalog: withDrafts(saved, { ...rows, assignments, stacking_rules }),
    vouchers: campaigns.flatMap(({ sent, row }) => codeOf(c, row, sent) ?? []),
    discounts: [
      ...campaigns.map(({ row }) => row.templates.get(row.voucher_version)!.discount),
      ...tiers.map(({ row }) => row.action.discount),
    ],
  };
}

const NOTHING: DraftRows = {
  ...{ campaigns: [], categories: [], promotion_tiers: [], validation_rules: [], assignments: [] },
  ...{ rules_of: new Map(), stacking_rules: null },
};

/** 400 when an id comes twice. */
function requireOnce(rows: readonly { id: string }[], path: string): void {
  const ids = new Set<string>();
  for (const { id } of rows) {
    if (ids.has(id)) throw invalid(`Property ${path} must not hold the id ${id} twice`);
    ids.add(id);
  }
}

type CategoryNamed = { category?: string | null; category_id?: string | null };

/** By its id, or by its name: one that nobody made is made up, as saving would make it. */
function categoryIn(c: Moment, { categories }: Catalog, drafted: CategoryRow[], named: CategoryNamed): string | null {
  const { category: name, category_id: id } = named;
  if (id) {
    if (!categories.has(id)) throw notFound("category", id);
    return id;
  }
  if (!name) return null;
  const known = [...categories.values(), ...drafted].find((one) => one.name === name);
  if (known) return known.id;
  const made = {
    project_id: c.project.id,
    id: c.newId("cat"),
    name,
    hierarchy: 1,
    created_at: c.now,
    updated_at: null,
  };
  drafted.push(made);
  return made.id;
}

/** Codes that kept the settings of a version keep them, as they would if the draft were saved. */
function campaignRow(c: Moment, { campaigns, ...catalog }: Catalog, sent: CampaignDraft): Campaign {
  const { kind, settings, about } = requireNewCampaign(c, catalog, sent);
  const before = sent.id === undefined ? undefined : campaigns.get(sent.id);
  if (before && before.campaign_type !== kind.campaign_type)
    throw invalid(`Property .options.draft.campaigns has ${before.id}, which is a ${before.campaign_type} campaign`);
  const voucher_version = (before?.voucher_version ?? 0) + 1;
  return {
    ...{ project_id: c.project.id, id: sent.id ?? c.newId("camp"), ...kind, ...about },
    ...{ active: sent.active ?? before?.active ?? true, protected: before?.protected ?? false },
    archived_at: sent.active ? null : (before?.archived_at ?? null),
    ...{ code_config: before?.code_config ?? null, category_id: null },
    // What referrals earn and what keeps a tier decides nothing about a cart.
    referral_program: before?.referral_program ?? null,
    loyalty_tiers_expiration: before?.loyalty_tiers_expiration ?? null,
    ...{ created_at: before?.created_at ?? c.now, updated_at: before?.updated_at ?? null, deleted_at: null },
    voucher_version,
    templates: new Map([...(before?.templates ?? []), [voucher_version, Object.freeze(settings)]]),
  };
}

function ruleRow(c: Moment, { validation_rules }: Catalog, sent: RuleDraft): ValidationRuleRow {
  const { id = c.newId("val"), name, type = "expression", context_type = "global" } = sent;
  const before = validation_rules.get(id);
  const { created_at = c.now, updated_at = null } = before ?? {};
  return {
    ...{ project_id: c.project.id, id, name, type, context_type, created_at, updated_at },
    ...requireDefinition(sent),
  };
}

function tierRow(c: Moment, catalog: Catalog, sent: TierDraft, place: number): PromotionTierRow {
  const { id = c.newId("promo") } = sent;
  const before = catalog.promotion_tiers.get(id);
  const campaign_id = sent.campaign_id ?? before?.campaign_id;
  if (campaign_id === undefined)
    throw invalid("Property .options.draft.promotion_tiers must have required property 'campaign_id'");
  const campaign = catalog.campaigns.get(campaign_id);
  if (!campaign) throw notFound("campaign", campaign_id);
  requirePromotion(campaign);
  return {
    ...requireNewTier(c, catalog, sent),
    ...{ project_id: c.project.id, id, campaign_id, category_id: null },
    active: sent.active ?? before?.active ?? true,
    hierarchy: sent.hierarchy ?? before?.hierarchy ?? place + 1,
    ...{ created_at: before?.created_at ?? c.now, updated_at: before?.updated_at ?? null },
  };
}

/** Undefined: the tier says nothing of rules, and has those that are saved. */
const rulesSent = (sent: TierDraft): readonly string[] | undefined =>
  sent.validation_rules == null && sent.validation_rule_assignments == null ? undefined : rulesIn(sent);

type RelatedObject = readonly [type: "campaign" | "promotion_tier", id: string];

/** What an object that names its rules has; one that does not keeps those that are saved. */
function assignedTo(
  c: Moment,
  catalog: Catalog,
  [type, id]: RelatedObject,
  ruleIds: readonly string[] | null | undefined,
): [string, ValidationRuleAssignmentRow[]][] {
  if (ruleIds == null) return [];
  const sorted = [...new Set(ruleIds)].sort();
  return [[id, sorted.map((rule_id) => assignedRow(c, catalog, [type, id], rule_id))]];
}

function assignedRow(
  c: Moment,
  { validation_rules }: Catalog,
  [related_object_type, related_object_id]: RelatedObject,
  rule_id: string,
): ValidationRuleAssignmentRow {
  if (!validation_rules.has(rule_id)) throw notFound("validation_rules", rule_id);
  const made = { project_id: c.project.id, id: c.newId("asgm"), created_at: c.now };
  return { ...made, rule_id, related_object_type, related_object_id };
}

function assignmentRow(c: Moment, catalog: Catalog, sent: AssignmentDraft): ValidationRuleAssignmentRow {
  const { rule_id, related_object_type: type, related_object_id: id } = sent;
  const objects = type === "campaign" ? catalog.campaigns : catalog.promotion_tiers;
  if (!objects.has(id)) throw notFound(type, id);
  return assignedRow(c, catalog, [type as RelatedObject[0], id], rule_id);
}

/** What is not sent keeps its value, and what is no setting is ignored. */
function stackingRow(c: Moment, catalog: Catalog, sent: NonNullable<Drafts["stacking_rules"]>) {
  const before = catalog.stacking_rules;
  const settings = Object.fromEntries(Object.entries(sent).filter(([name]) => name in DEFAULT_STACKING));
  const rules = { ...(before?.rules ?? DEFAULT_STACKING), ...settings };
  const named = categoriesIn(before?.rules ?? DEFAULT_STACKING);
  const details = stackingFault(rules, (id) => catalog.categories.has(id) || named.has(id));
  if (details !== null) throw invalid(details);
  const { id = c.newId("stk"), created_at = c.now, updated_at = null } = before ?? {};
  return { project_id: c.project.id, id, rules, created_at, updated_at };
}

/** The one code of a drafted campaign: the one it chooses, else the id of the campaign. */
function codeOf({ project, newId, now }: Moment, campaign: Campaign, { voucher }: CampaignDraft): VoucherRow | null {
  if (campaign.voucher_type === null) return null;
  const code = trimCode(voucher?.code || campaign.id);
  const details = voucher?.code ? codeFault(code) : null;
  if (details !== null) throw invalid(details);
  return {
    ...{ project_id: project.id, id: newId("v"), code, code_folded: foldCode(code, project.case_sensitive_codes) },
    ...{ campaign_id: campaign.id, template_version: null, type: campaign.voucher_type, settings: null },
    ...{ category_id: null, active: true, additional_info: null, redeemed_quantity: 0, uses: null, account: null },
    ...{ tier: null, due_at: null, published_count: 0, holder_id: null, referrer_id: null },
    ...{ created_at: now, updated_at: null, deleted_at: null },
  };
}

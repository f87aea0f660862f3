import type { Catalog } from "../../catalog/catalog.ts";
import { requireMetadata } from "../../catalog/metadata.ts";
import { type ApiError, invalid, notFound } from "../../core/errors.ts";
import { formulaFault } from "../../core/formula/parse.ts";
import {
  type CampaignPendingPoints,
  type Loyalty,
  type LoyaltySent,
  parseExpirationRules,
  parseLoyalty,
  RATIOS,
  ratioGoods,
  ratioOf,
} from "../../core/loyalty/campaign/shapes.ts";
import {
  type About,
  ANY_TIER,
  campaignTriggerNamed,
  campaignTriggersBringing,
  type TriggerFact,
  triggerOf,
} from "../../core/loyalty/earning/triggers.ts";
import { mergeMetadata } from "../../core/metadata/size.ts";
import type { CampaignEarningRuleRow } from "../../core/rows/campaign.ts";
import type { ValidityFields } from "../../core/time/validity.ts";
import type { WriteCtx } from "../../ctx.ts";
import { type EventKind, record } from "../../events/events.ts";
import {
  type CampaignEarningRule,
  type CampaignEarningRuleCreate,
  type CampaignEarningRuleUpdate,
  EARNING_RULES_MAX,
} from "../../resources/loyalty-v1/earning-rules/schema.ts";
import {
  campaignEarningRules,
  countEarningRules,
  ruleOfCampaign,
  view,
} from "../../resources/loyalty-v1/earning-rules/store.ts";
import { dropMappings } from "../../resources/loyalty-v1/tiers/store.ts";
import type { CampaignRow } from "../../resources/promotions/campaigns/store.ts";
import {
  view as assignmentView,
  removeAssignmentsOfObject,
} from "../../resources/promotions/validation-rule-assignments/store.ts";
import { takeStamps } from "../../resources/promotions/vouchers/store.ts";
import { lockLoyaltyCampaign } from "../../steps/points/loyalty-campaigns.ts";
import { requireTargets } from "../../steps/programs/loyalty-references.ts";
import { given } from "../../steps/promotions/promotion-tiers.ts";
import { assignRules } from "../../steps/promotions/rule-assignments.ts";
import { requireValidity } from "../../steps/promotions/settings.ts";

type Named = readonly [campaign: string, rule: string];
const NO_VALIDITY: ValidityFields = {
  start_date: null,
  expiration_date: null,
  validity_timeframe: null,
  validity_day_of_week: null,
  validity_hours: null,
};

/** Creates rules of a campaign: all of them, or none. */
export async function createEarningRules(
  c: WriteCtx,
  reference: string,
  sent: readonly CampaignEarningRuleCreate[],
): Promise<CampaignEarningRule[]> {
  const campaign = await lockLoyaltyCampaign(c.db, c.project.id, reference);
  const catalog = await c.catalog();
  const parts = sent.map((one, n) => ruleParts(c, catalog, one, `[${n}]`));
  await requireGoods(c, catalog, parts);
  // Whoever takes stamps waits for the others who do, so nobody else counts at the same time.
  const first = await takeStamps(c.db, c.project.id, { now: c.now, count: sent.length });
  const count = await countEarningRules(c.db, c.project.id);
  if (count + sent.length > EARNING_RULES_MAX)
    throw invalid(`A project has at most ${EARNING_RULES_MAX} earning rules, and has ${count}`);
  const rows: CampaignEarningRuleRow[] = [];
  for (const [n, part] of parts.entries()) {
    const id = c.newId("ern");
    const created_at = Temporal.Instant.from(first).add({ microseconds: n }).toString();
    const made = { project_id: c.project.id, id, campaign_id: campaign.id, created_at };
    rows.push(await campaignEarningRules.insert(c.db, { ...part, ...made }));
    c.changed("campaign_earning_rule", id);
  }
  // In order of the rules that are locked, as others lock them.
  for (const row of [...rows].sort((a, b) => ((a.validation_rule_id ?? "") < (b.validation_rule_id ?? "") ? -1 : 1)))
    await assign(c, row);
  await record(
    c,
    rows.map((row) => earningRuleEvent("campaign.earning_rule.assigned", campaign, row)),
  );
  return rows.map(view);
}

/** What is not sent keeps its value; metadata is merged. What starts a rule cannot change. */
export async function updateCampaignEarningRule(
  c: WriteCtx,
  [reference, id]: Named,
  sent: CampaignEarningRuleUpdate,
): Promise<CampaignEarningRule> {
  const { campaign, row } = await lockRule(c, [reference, id]);
  const catalog = await c.catalog();
  const { validation_rule_id, source, active, metadata } = sent;
  const loyalty = sent.loyalty && loyaltyOf(sent.loyalty, row.event, "");
  if (loyalty) await requireGoods(c, catalog, [{ loyalty }]);
  requireMetadata(catalog, "earning_rule", { metadata: metadata ?? {}, on: "update" });
  const isOther = validation_rule_id !== undefined && validation_rule_id !== row.validation_rule_id;
  if (isOther) await unassign(c, id);
  const saved = await campaignEarningRules.update(c.db, c.project.id, id, {
    ...requireValidity({ ...row, ...given(sent as Partial<ValidityFields>) }, c.project),
    ...waitingOf(sent, row.event, ""),
    loyalty,
    validation_rule_id,
    banner: source === null ? null : source?.banner,
    active: active ?? undefined,
    metadata: mergeMetadata(row.metadata, metadata),
    updated_at: c.now,
  });
  if (isOther) await assign(c, saved);
  return saveRule(c, campaign, saved, "campaign.earning_rule.updated");
}

export async function switchEarningRule(c: WriteCtx, named: Named, active: boolean): Promise<CampaignEarningRule> {
  const { campaign, row } = await lockRule(c, named);
  if (row.active === active) return view(row);
  const saved = await campaignEarningRules.update(c.db, c.project.id, row.id, { active, updated_at: c.now });
  return saveRule(c, campaign, saved, active ? "campaign.earning_rule.enabled" : "campaign.earning_rule.disabled");
}

/** Deletes a rule, also where tiers say what it gives there. Points that it gave stay, those that wait too. */
export async function removeCampaignEarningRule(c: WriteCtx, named: Named): Promise<null> {
  const { campaign, row } = await lockRule(c, named);
  await campaignEarningRules.remove(c.db, c.project.id, row.id);
  await unassign(c, row.id);
  for (const tier of await dropMappings(c.db, campaign, "earning_rules", row.id)) c.changed("campaign_tier", tier);
  await saveRule(c, campaign, row, "campaign.earning_rule.deleted");
  return null;
}

/** A rule and its campaign, which is locked: nobody else changes the rule until the transaction ends. */
async function lockRule(c: WriteCtx, [reference, id]: Named) {
  const campaign = await lockLoyaltyCampaign(c.db, c.project.id, reference);
  return { campaign, row: await ruleOfCampaign(c.db, c.project.id, [campaign.id, id]) };
}

async function saveRule(
  c: WriteCtx,
  campaign: CampaignRow,
  row: CampaignEarningRuleRow,
  kind: EventKind,
): Promise<CampaignEarningRule> {
  c.changed("campaign_earning_rule", row.id);
  await record(c, [earningRuleEvent(kind, campaign, row)]);
  return view(row);
}

const earningRuleEvent = (kind: EventKind, { id, name, campaign_type }: CampaignRow, row: CampaignEarningRuleRow) => ({
  kind,
  campaign_id: id,
  payload: { campaign: { id, name, campaign_type, object: "campaign" }, earning_rule: view(row) },
});

/** The validation rule of an earning rule is one that is assigned to it. */
async function assign(c: WriteCtx, { id, validation_rule_id }: CampaignEarningRuleRow): Promise<void> {
  if (validation_rule_id === null) return;
  const assigned = { related_object_type: "earning_rule", related_object_id: id } as const;
  const rows = await assignRules(c, [validation_rule_id], assigned);
  await record(
    c,
    rows.map((row) => ({
      kind: "business_validation_rule.assignment.created",
      payload: { assignment: assignmentView(row) },
    })),
  );
}

async function unassign(c: WriteCtx, id: string): Promise<void> {
  for (const assignment of await removeAssignmentsOfObject(c.db, c.project.id, id))
    c.changed("validation_rule_assignment", assignment);
}

/** A rule as it is stored, but for its id and its campaign. */
function ruleParts(c: WriteCtx, catalog: Catalog, sent: CampaignEarningRuleCreate, path: string) {
  const { event, validation_rule_id = null, source, active, metadata } = sent;
  requireMetadata(catalog, "earning_rule", { metadata: metadata ?? {}, on: "create" });
  return {
    event,
    ...startOf(catalog, sent, path),
    loyalty: loyaltyOf(sent.loyalty, event, path),
    ...requireValidity({ ...NO_VALIDITY, ...given(sent as Partial<ValidityFields>) }, c.project),
    ...waitingOf(sent, event, path),
    validation_rule_id,
    banner: source?.banner ?? null,
    active: active ?? true,
    metadata: metadata ?? {},
  };
}

/** How a rule names what its event is about: the field that is sent, and how it is looked up; 404 when it is not there. */
const SUBJECTS: Record<
  About,
  ((catalog: Catalog, sent: CampaignEarningRuleCreate, place: Place) => Partial<RuleStart>) | null
> = {
  order: null,
  redemption: null,
  segment: (catalog, { segment }, { required }) => {
    if (!segment) throw required("segment");
    if (!catalog.segments.has(segment.id)) throw notFound("segment", segment.id);
    return { segment_id: segment.id };
  },
  tier: (catalog, { loyalty_tier }, { required }) => {
    if (!loyalty_tier) throw required("loyalty_tier");
    if (loyalty_tier.id !== ANY_TIER && !catalog.campaign_tiers.has(loyalty_tier.id))
      throw notFound("loyalty_tier", loyalty_tier.id);
    return { loyalty_tier_id: loyalty_tier.id };
  },
  custom_event: (catalog, { event, custom_event }, { path, required }) => {
    if (!custom_event) throw required("custom_event");
    const schema = catalog.custom_event_schemas.values().find(({ id }) => id === custom_event.schema_id);
    if (!schema) throw notFound("custom_event_schema", custom_event.schema_id);
    if (schema.name !== event)
      throw invalid(`Property ${path}.event must be the name of the custom event, which is ${schema.name}`);
    return { custom_event_schema_id: schema.id };
  },
};
type RuleStart = Pick<CampaignEarningRuleRow, "segment_id" | "custom_event_schema_id" | "loyalty_tier_id">;
type Place = { path: string; required(field: string): ApiError };

/** What starts the rule, beside the name of the event; 400 when it is not sent, 404 when it is not there. */
function startOf(catalog: Catalog, sent: CampaignEarningRuleCreate, path: string): RuleStart {
  const { event } = sent;
  const required = (field: string) =>
    invalid(`${path ? `Property ${path}` : "Payload"} must have required property '${field}' for the event ${event}`);
  const subject = SUBJECTS[triggerOf(campaignTriggerNamed(event)).about]?.(catalog, sent, { path, required });
  return { segment_id: null, custom_event_schema_id: null, loyalty_tier_id: null, ...subject };
}

/** What a way to count looks at, by the group that its ratio stands in. */
const NEEDS = {
  order: "order",
  order_items: "order",
  customer: null,
  custom_event: "custom_event",
} as const satisfies Record<string, TriggerFact | null>;
const isBringing = (event: string, fact: TriggerFact): boolean =>
  triggerOf(campaignTriggerNamed(event)).brings === fact;
const eventsBringing = (fact: TriggerFact): string =>
  fact === "custom_event" ? "a custom event" : `the event ${campaignTriggersBringing(fact).join(" or ")}`;

function loyaltyOf(sent: LoyaltySent, event: string, path: string): Loyalty {
  const loyalty = parseLoyalty(sent, { path: `${path}.loyalty`, requireFormula });
  if (loyalty.type === "FIXED") return loyalty;
  const type = loyalty.calculation_type;
  const needs = NEEDS[RATIOS[type][0]];
  if (needs === null || isBringing(event, needs)) return loyalty;
  throw invalid(`Property ${path}.loyalty.calculation_type: ${type} needs ${eventsBringing(needs)}`);
}

function requireFormula(text: string, path: string): void {
  const fault = formulaFault(text);
  if (fault !== null) throw invalid(`Property ${path}: ${fault}`);
}

type Waiting = Pick<CampaignEarningRuleCreate, "pending_points" | "expiration_rules">;

/** When points can be spent, and until when. What is not sent is undefined. */
function waitingOf({ pending_points: pending, expiration_rules: rules }: Waiting, event: string, path: string) {
  if (pending && !isBringing(event, "order"))
    throw invalid(`Property ${path}.pending_points is for rules of ${eventsBringing("order")} only`);
  const { period_type, period_value } = pending ?? {};
  return {
    pending_points: pending && ({ period_type, period_value } as CampaignPendingPoints),
    expiration_rules: rules && parseExpirationRules(rules, `${path}.expiration_rules`),
  };
}

/** 404 for a product, a SKU or a collection that is not there. */
function requireGoods(c: WriteCtx, catalog: Catalog, rules: readonly { loyalty: Loyalty }[]): Promise<void> {
  const ratios = rules.flatMap(({ loyalty }) => ratioOf(loyalty) ?? []);
  const targets = ratios.flatMap(ratioGoods).map(({ object: type, id }) => ({ type, [type]: { id } }));
  return requireTargets(c, catalog, targets);
}

import { notFound } from "../../../core/errors.ts";
import { TIER_EVENTS } from "../../../core/loyalty/earning/triggers.ts";
import type { CampaignEarningRuleRow } from "../../../core/rows/campaign.ts";
import type { ValidityFields } from "../../../core/time/validity.ts";
import { crudStore } from "../../../db/crud-store.ts";
import type { Db, Fragment, Tx } from "../../../db/db.ts";
import type { CampaignEarningRule } from "./schema.ts";

export const campaignEarningRules = crudStore<CampaignEarningRuleRow>({
  table: "campaign_earning_rules",
  object: "earning_rule",
  columns: [
    ...["project_id", "id", "campaign_id", "active", "event", "loyalty", "segment_id", "custom_event_schema_id"],
    ...["loyalty_tier_id", "validation_rule_id", "banner", "start_date", "expiration_date", "validity_timeframe"],
    ...["validity_day_of_week", "validity_hours", "pending_points", "expiration_rules", "metadata"],
    ...["created_at", "updated_at"],
  ],
  sortable: [],
});

export function view(row: CampaignEarningRuleRow): CampaignEarningRule {
  const { id, loyalty, event, segment_id, custom_event_schema_id, loyalty_tier_id, active, metadata } = row;
  const { start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours } = row;
  const { pending_points, expiration_rules, validation_rule_id, created_at, updated_at } = row;
  return {
    ...{ id, loyalty, event },
    ...(segment_id !== null && { segment: { id: segment_id } }),
    ...(custom_event_schema_id !== null && { custom_event: { schema_id: custom_event_schema_id } }),
    ...(loyalty_tier_id !== null && { loyalty_tier: { id: loyalty_tier_id } }),
    source: { banner: row.banner, object_id: row.campaign_id, object_type: "campaign" },
    active,
    ...({ start_date, expiration_date, validity_timeframe, validity_day_of_week, validity_hours } as Pick<
      CampaignEarningRule,
      keyof ValidityFields
    >),
    ...{ pending_points, expiration_rules, validation_rule_id, metadata },
    // There are no automations here beside the rule itself.
    automation_id: id.replace(/^ern_/, "auto_"),
    ...{ created_at, updated_at, object: "earning_rule" },
  };
}

/** The rules of a campaign, which the caller has locked. */
export const rulesOfCampaign = (db: Db, projectId: string, campaignId: string) =>
  db<CampaignEarningRuleRow[]>`
    select * from campaign_earning_rules where project_id = ${projectId} and campaign_id = ${campaignId}
    order by created_at, id`;

/** One of a campaign, which the caller has locked. */
export async function ruleOfCampaign(
  db: Db,
  projectId: string,
  [campaignId, id]: readonly [string, string],
): Promise<CampaignEarningRuleRow> {
  const [row] = await db<CampaignEarningRuleRow[]>`
    select * from campaign_earning_rules
    where project_id = ${projectId} and campaign_id = ${campaignId} and id = ${id}`;
  if (!row) throw notFound("earning_rule", id);
  return row;
}

/** One whose campaign is not in the bin; nobody else changes or deletes it until the transaction ends. */
export async function lockEarningRule(tx: Tx, projectId: string, id: string): Promise<CampaignEarningRuleRow> {
  const [row] = await tx<CampaignEarningRuleRow[]>`
    select * from campaign_earning_rules where project_id = ${projectId} and id = ${id} order by id for no key update`;
  const campaigns = await tx`
    select 1 from campaigns where project_id = ${projectId} and id = ${row?.campaign_id ?? null} and deleted_at is null`;
  if (!row || campaigns.length === 0) throw notFound("earning_rule", id);
  return row;
}

/** How many rules a project has. Those of campaigns in the bin do not count. */
export async function countEarningRules(db: Db, projectId: string): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*) from campaign_earning_rules r where project_id = ${projectId} and exists (
      select from campaigns where project_id = ${projectId} and id = r.campaign_id and deleted_at is null)`;
  return row!.count;
}

/** Rules that start with a move into the tier or out of it. */
export async function rulesNamingTier(db: Db, projectId: string, tierId: string): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id from campaign_earning_rules r where project_id = ${projectId} and loyalty_tier_id = ${tierId} and exists (
      select from campaigns where project_id = ${projectId} and id = r.campaign_id and deleted_at is null)
    order by id`;
  return rows.map(({ id }) => id);
}

/** An earning rule shows the last of the validation rules that are assigned to it. */
const lastAssigned = (tx: Tx, projectId: string): Fragment => tx`
  select a.rule_id from validation_rule_assignments a
  where a.project_id = ${projectId} and a.related_object_id = r.id and a.related_object_type = 'earning_rule'
  order by a.created_at desc, a.id desc limit 1`;

/** After something was assigned to it or taken from it. */
export const showAssigned = (tx: Tx, projectId: string, id: string) =>
  tx`
    update campaign_earning_rules r set validation_rule_id = (${lastAssigned(tx, projectId)})
    where project_id = ${projectId} and id = ${id}`;

/** After a validation rule was taken from all that had it. Returns the ids of the earning rules that showed it. */
export async function forgetValidationRule(tx: Tx, projectId: string, validationRuleId: string): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    update campaign_earning_rules r set validation_rule_id = (${lastAssigned(tx, projectId)})
    where project_id = ${projectId} and validation_rule_id = ${validationRuleId} returning id`;
  return rows.map(({ id }) => id);
}

/** Whether a rule of a project waits for moves between tiers. */
export async function hasTierRules(db: Db, projectId: string): Promise<boolean> {
  const [row] = await db<[{ has: boolean }]>`
    select exists (select 1 from campaign_earning_rules
      where project_id = ${projectId} and active and event = any(${Object.values(TIER_EVENTS)})) as has`;
  return row.has;
}

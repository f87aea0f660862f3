import type { CampaignType, CodesType } from "../../../core/campaigns/kind.ts";
import type { CodeConfig } from "../../../core/codes/generate.ts";
import { notFound } from "../../../core/errors.ts";
import type { TiersExpiration } from "../../../core/loyalty/campaign/shapes.ts";
import type { ReferralProgram } from "../../../core/referrals/program.ts";
import type { VoucherSettings, VoucherType } from "../../../core/vouchers/settings.ts";
import { crudStore, pageSql } from "../../../db/crud-store.ts";
import type { Db, Fragment, Tx } from "../../../db/db.ts";
import { type FieldSql, whereOf } from "../../../db/filters.ts";
import { type CampaignQuery, type CampaignStatus, SORTABLE } from "./schema.ts";

export type { CampaignType };

/** What is in the bin is in the table, with `deleted_at`. Only the functions that say so see it. */
export type CampaignRow = {
  project_id: string;
  id: string;
  name: string;
  description: string | null;
  campaign_type: CampaignType;
  type: CodesType;
  voucher_type: VoucherType | null;
  code_config: CodeConfig | null;
  voucher_version: number;
  active: boolean;
  /** When it was put away; such a campaign is not active. */
  archived_at: string | null;
  protected: boolean;
  auto_join: boolean;
  join_once: boolean;
  use_voucher_metadata_schema: boolean;
  category_id: string | null;
  activity_duration_after_publishing: string | null;
  referral_program: ReferralProgram | null;
  loyalty_tiers_expiration: TiersExpiration | null;
  created_at: string;
  updated_at: string | null;
  deleted_at: string | null;
};

/** A campaign with every version of the template that its codes may follow. */
export type Campaign = CampaignRow & { templates: ReadonlyMap<number, VoucherSettings> };

/** Campaigns that are not in the bin: all, or those with these ids. The catalog snapshot reads them. */
export async function loadCampaigns(db: Db, projectId: string, ids: readonly string[] | null): Promise<Campaign[]> {
  const among = ids === null ? db`true` : db`id = any(${ids})`;
  const rows = await db<CampaignRow[]>`
    select * from campaigns where project_id = ${projectId} and deleted_at is null and ${among}`;
  const templates = await db<{ campaign_id: string; version: number; settings: VoucherSettings }[]>`
    select campaign_id, version, settings from voucher_templates
    where project_id = ${projectId} and campaign_id = any(${rows.map(({ id }) => id)})`;
  const by = Map.groupBy(templates, ({ campaign_id }) => campaign_id);
  return rows.map((row) => ({
    ...row,
    templates: new Map((by.get(row.id) ?? []).map(({ version, settings }) => [version, Object.freeze(settings)])),
  }));
}

/** By its id or its name; nobody else changes or deletes it until the transaction ends. */
export async function lockCampaign(tx: Tx, projectId: string, reference: string): Promise<CampaignRow> {
  const [row] = await tx<CampaignRow[]>`
    select * from campaigns where project_id = ${projectId} and deleted_at is null
      and (id = ${reference} or name = ${reference})
    order by id = ${reference} desc limit 1 for no key update`;
  if (!row) throw notFound("campaign", reference);
  return row;
}

/** Referral campaigns whose program names one of these: a campaign, an assignment of a reward, a custom event schema. */
export async function programsNaming(db: Db, projectId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id from campaigns
    where project_id = ${projectId} and deleted_at is null and campaign_type = 'REFERRAL_PROGRAM'
      and (referral_program #>> '{custom_event,id}' = any(${ids})
        or referral_program #>> '{referee_reward,related_object_parent,id}' = any(${ids})
        or jsonb_path_query_array(referral_program, '$.tiers[*].reward.assignment_id') ?| ${ids}::text[])
    order by id`;
  return rows.map(({ id }) => id);
}

/** The same for many campaigns. Who takes codes out of them, or back, has locked the campaigns. */
export async function addToVouchersCounts(tx: Tx, projectId: string, counts: ReadonlyMap<string, number>) {
  if (counts.size === 0) return;
  await tx`
    update campaign_codes c set vouchers_count = c.vouchers_count + x.by
    from unnest(${[...counts.keys()]}::text[], ${[...counts.values()]}::bigint[]) as x (campaign_id, by)
    where c.project_id = ${projectId} and c.campaign_id = x.campaign_id`;
}

/** Adds to the number of codes; a negative one takes away. */
export const addToVouchersCount = (tx: Tx, projectId: string, campaignId: string, by: number) => tx`
  update campaign_codes set vouchers_count = vouchers_count + ${by}
  where project_id = ${projectId} and campaign_id = ${campaignId}`;

export type CampaignCodes = {
  vouchers_count: number;
  creation_status: CampaignStatus;
  vouchers_generation_status: CampaignStatus;
};
/** A campaign with its newest template and how far its codes are. */
export type CurrentCampaign = CampaignRow & CampaignCodes & { settings: VoucherSettings };

const COLUMNS = [
  ...["project_id", "id", "name", "description", "campaign_type", "type", "voucher_type", "code_config"],
  ...["voucher_version", "active", "protected", "auto_join", "join_once", "use_voucher_metadata_schema"],
  ...["category_id", "activity_duration_after_publishing", "referral_program", "loyalty_tiers_expiration"],
  ...["archived_at", "created_at", "updated_at", "deleted_at"],
];
/** `update` is for a row that was locked before: it would find one in the bin too. */
const { insert, update } = crudStore<CampaignRow>({
  table: "campaigns",
  object: "campaign",
  columns: COLUMNS,
  sortable: SORTABLE,
});
export const updateCampaign = update;

type Later = "updated_at" | "deleted_at" | "archived_at" | "voucher_version" | "active" | "protected";
type Extra = "referral_program" | "loyalty_tiers_expiration";
type NewCampaign = Omit<CampaignRow, Later | Extra> & { [F in Extra | "active"]?: CampaignRow[F] | undefined };

export async function insertCampaign(
  tx: Tx,
  row: NewCampaign,
  { settings, status }: { settings: VoucherSettings; status: CampaignStatus },
): Promise<CampaignRow> {
  const saved = await insert(tx, row);
  await insertTemplate(tx, saved, settings);
  const statuses = { creation_status: status, vouchers_generation_status: status };
  await tx`insert into campaign_codes ${tx({ project_id: saved.project_id, campaign_id: saved.id, ...statuses })}`;
  return saved;
}

/** The template that the codes follow from now on: the version that stands in the row. */
export const insertTemplate = (
  tx: Tx,
  { project_id, id, voucher_version }: Pick<CampaignRow, "project_id" | "id" | "voucher_version">,
  settings: VoucherSettings,
) => tx`
  insert into voucher_templates ${tx({ project_id, campaign_id: id, version: voucher_version, settings } as never)}`;

/** Into the bin. Its codes, tiers and stacks are there with it, though their rows do not say so. */
export const binCampaign = (tx: Tx, projectId: string, id: string, now: string) =>
  tx`update campaigns set deleted_at = ${now} where project_id = ${projectId} and id = ${id}`;

/** Another campaign may have its name from now on, though its rows are still to be erased. */
export const freeName = (tx: Tx, projectId: string, id: string) =>
  tx`update campaigns set name = id where project_id = ${projectId} and id = ${id}`;

/** Campaigns that are not in the bin, with the columns that lists are filtered by. */
const current = (db: Db, projectId: string): Fragment => db`
  select c.*, k.vouchers_count, k.creation_status, k.vouchers_generation_status, t.settings,
    t.settings -> 'metadata' as metadata, g.id as known_category_id, g.name as category_name,
    (t.settings ->> 'start_date')::timestamptz as start_date,
    (t.settings ->> 'expiration_date')::timestamptz as expiration_date
  from campaigns c
  join voucher_templates t on t.project_id = c.project_id and t.campaign_id = c.id and t.version = c.voucher_version
  join campaign_codes k on k.project_id = c.project_id and k.campaign_id = c.id
  left join categories g on g.project_id = c.project_id and g.id = c.category_id
  where c.project_id = ${projectId} and c.deleted_at is null`;

/** By its id or, when no id is so, by its name. */
export async function getCampaign(db: Db, projectId: string, reference: string): Promise<CurrentCampaign> {
  const [row] = await db<CurrentCampaign[]>`
    ${current(db, projectId)} and (c.id = ${reference} or c.name = ${reference})
    order by c.id = ${reference} desc limit 1`;
  if (!row) throw notFound("campaign", reference);
  return row;
}

type EndingCampaign = Pick<CampaignRow, "id" | "name" | "campaign_type"> & { expiration_date: string };
/** Active campaigns that end between two moments, the next first. */
export const campaignsEnding = (
  db: Db,
  projectId: string,
  { from, to, limit }: { from: string; to: string; limit: number },
) => db<EndingCampaign[]>`
  select c.id, c.name, c.campaign_type, (t.settings ->> 'expiration_date')::timestamptz as expiration_date
  from campaigns c join voucher_templates t on t.project_id = c.project_id and t.campaign_id = c.id
    and t.version = c.voucher_version
  where c.project_id = ${projectId} and c.deleted_at is null and c.active
    and (t.settings ->> 'expiration_date')::timestamptz >= ${from} and (t.settings ->> 'expiration_date')::timestamptz < ${to}
  order by expiration_date, c.id limit ${limit}`;

/** The campaigns that exist, in the order of the ids. */
export async function currentCampaigns(db: Db, projectId: string, ids: readonly string[]): Promise<CurrentCampaign[]> {
  const rows = await db<CurrentCampaign[]>`${current(db, projectId)} and c.id = any(${ids})`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const FIELDS = {
  campaigns: "string",
  campaigns_id: "string",
  campaign_status: "string",
  status: ["$active", "$failed", "$in_progress", "$expired", "$before_start"],
  active: ["$enabled", "$disabled", "$expired", "$active"],
  is_referral_code: "boolean",
  validity_timeframe: "date",
  validity_day_of_week: "list",
  voucher_type: "string",
  categories: "string",
  category_ids: "string",
  type: "list",
  created_date: "date",
  updated_at: "date",
  start_date: "date",
  expiration_date: "date",
  "metadata.*": "metadata",
} as const;

const sqlAt = (now: string): FieldSql => {
  const isDone = (db: Db) => db`(creation_status = 'DONE' and vouchers_generation_status = 'DONE')`;
  const isOver = (db: Db) => db`coalesce(expiration_date < ${now}, false)`;
  const isAhead = (db: Db) => db`coalesce(start_date > ${now}, false)`;
  return {
    campaigns: (db) => db`name`,
    campaigns_id: (db) => db`id`,
    campaign_status: (db) => db`creation_status`,
    "status $active": isDone,
    "status $failed": (db) => db`'FAILED' in (creation_status, vouchers_generation_status)`,
    "status $in_progress": (db) =>
      db`array[creation_status, vouchers_generation_status] && array['IN_PROGRESS', 'MODIFYING']`,
    "status $expired": (db) => db`(${isDone(db)} and ${isOver(db)})`,
    "status $before_start": (db) => db`(${isDone(db)} and ${isAhead(db)})`,
    "active $enabled": (db) => db`active`,
    "active $disabled": (db) => db`not active`,
    "active $expired": isOver,
    "active $active": (db) => db`(active and not ${isOver(db)} and not ${isAhead(db)})`,
    is_referral_code: (db) => db`(campaign_type = 'REFERRAL_PROGRAM')`,
    // Contract is silent: dates of a timeframe. One begins when the campaign does.
    validity_timeframe: (db) => db`case when settings ->> 'validity_timeframe' is not null then start_date end`,
    validity_day_of_week: (db) => db`nullif(settings -> 'validity_day_of_week', 'null')`,
    categories: (db) => db`category_name`,
    category_ids: (db) => db`known_category_id`,
    // BULK is both of those that have many codes.
    type: (db) => db`case type when 'STANDALONE' then jsonb_build_array(type) else jsonb_build_array(type, 'BULK') end`,
    created_date: (db) => db`created_at`,
  };
};

const PAGE_LIMIT = 10;

type ListQuery = CampaignQuery & {
  now: string;
  /** Only these, and in this order where they are sorted by status; without: all. */
  among?: readonly string[] | null;
};

export async function listCampaigns(db: Db, projectId: string, query: ListQuery) {
  const { limit = PAGE_LIMIT, order = "-created_at", page = 1, now, filters, among = null } = query;
  const { campaign_type, campaign_status, is_referral_code, name } = query;
  const ofType = campaign_type === undefined ? db`true` : db`campaign_type = ${campaign_type}`;
  const inStatus = campaign_status === undefined ? db`true` : db`creation_status = ${campaign_status}`;
  const ofReferrals =
    is_referral_code === undefined ? db`true` : db`(campaign_type = 'REFERRAL_PROGRAM') = ${is_referral_code}`;
  const ofName = name === undefined ? db`true` : db`position(lower(${name}) in lower(name)) > 0`;
  const notArchived = query.status === "ARCHIVED" ? db`true` : db`archived_at is null`;
  const ofThese = among === null ? db`true` : db`id = any(${among})`;
  const wanted = whereOf(db, filters ? { filters } : {}, { fields: FIELDS, sql: sqlAt(now), now });
  const where = db`${ofType} and ${inStatus} and ${ofReferrals} and ${ofName} and ${notArchived} and ${ofThese} and ${wanted}`;
  const pages = /^-?status$/.test(order)
    ? db`order by array_position(${among!}::text[], id) ${order.startsWith("-") ? db`desc` : db`asc`}
      limit ${limit} offset ${(page - 1) * limit}`
    : pageSql(db, { limit, order, page }, SORTABLE);
  const [rows, counts] = await Promise.all([
    db<CurrentCampaign[]>`
      select * from (${current(db, projectId)}) as x where project_id = ${projectId} and ${where} ${pages}`,
    db<{ total: number }[]>`
      select count(*) as total from (${current(db, projectId)}) as x where project_id = ${projectId} and ${where}`,
  ]);
  return { rows, total: counts[0]!.total };
}

/** The bounds of a report, as instants and as days; without one, on that side everything. */
export type Between = {
  from: string | undefined;
  to: string | undefined;
  days: { from: string | undefined; to: string | undefined };
};
export type CampaignCodeTotals = {
  created: number;
  deleted: number;
  /** What the codes that were created are worth: credits of gift cards, points of loyalty cards. */
  value: number;
  redemptions: number;
  order_amount: number;
  discount_amount: number;
  gift_amount: number;
  validated: number;
  not_validated: number;
};
const MOST = Number.MAX_SAFE_INTEGER;

/** What is known of a campaign in a stretch of time: its codes one by one, its redemptions by day. */
export async function totalsOfCampaign(
  db: Db,
  row: CampaignRow,
  { from, to, days }: Between,
): Promise<CampaignCodeTotals> {
  const { project_id, id, voucher_version } = row;
  const within = (column: Fragment) => db`
    ${column} >= ${from ?? "-infinity"} and ${column} < ${to ?? "infinity"}`;
  const isAll = days.from === undefined && days.to === undefined;
  const [[codes], [counted], [validated]] = await Promise.all([
    db<Pick<CampaignCodeTotals, "created" | "deleted" | "value">[]>`
      select count(*) filter (where ${within(db`v.created_at`)}) as created,
        count(*) filter (where ${within(db`v.deleted_at`)}) as deleted,
        least(coalesce(sum(coalesce(s.own ->> 'amount', s.own ->> 'points')::numeric)
          filter (where ${within(db`v.created_at`)}), 0), ${MOST}::bigint)::bigint as value
      from vouchers v
      left join voucher_states u on u.project_id = v.project_id and u.voucher_id = v.id
      join voucher_templates t on t.project_id = v.project_id and t.campaign_id = v.campaign_id
        and t.version = coalesce(v.template_version, u.template_version, ${voucher_version})
      cross join lateral (select coalesce(nullif(coalesce(v.settings, t.settings) -> 'gift', 'null'),
        coalesce(v.settings, t.settings) -> 'loyalty_card') as own) as s
      where v.project_id = ${project_id} and v.campaign_id = ${id}`,
    db<Omit<CampaignCodeTotals, "created" | "deleted" | "value" | "validated" | "not_validated">[]>`
      select least(coalesce(sum(redemptions), 0), ${MOST}::bigint)::bigint as redemptions,
        least(coalesce(sum(order_amount), 0), ${MOST}::bigint)::bigint as order_amount,
        least(coalesce(sum(discount_amount), 0), ${MOST}::bigint)::bigint as discount_amount,
        least(coalesce(sum(gift_amount), 0), ${MOST}::bigint)::bigint as gift_amount
      from counters where project_id = ${project_id} and subject_kind = 'campaign' and subject_id = ${id}
        and period_kind = ${isAll ? "total" : "day"}
        and period_start between ${days.from ?? "0001-01-01"}::text::date and ${days.to ?? "9999-12-31"}::text::date`,
    db<Pick<CampaignCodeTotals, "validated" | "not_validated">[]>`
      select coalesce(sum(succeeded), 0)::bigint as validated, coalesce(sum(failed), 0)::bigint as not_validated
      from validation_tallies where project_id = ${project_id} and campaign_id = ${id}
        and day between ${days.from ?? "0001-01-01"}::text::date and ${days.to ?? "9999-12-31"}::text::date`,
  ]);
  return { ...codes!, ...counted!, ...validated! };
}

import { foldCode, trimCode } from "../../../core/codes/code.ts";
import type { VoucherRow } from "../../../core/rows/voucher.ts";
import { pageSql } from "../../../db/crud-store.ts";
import type { Db, Fragment } from "../../../db/db.ts";
import { type FieldSql, whereOf } from "../../../db/filters.ts";
import type { Project } from "../../../request.ts";
import type { VoucherQuery } from "./schema.ts";
import { vouchersOf } from "./state-store.ts";

const LIMIT = 10;
/** What lists of codes can be filtered by. */
export const VOUCHER_FILTERS = {
  id: "id",
  code: "code",
  active: { kind: "boolean", states: ["$active", "$expired", "$enabled", "$disabled"] },
  campaign_ids: "string",
  is_referral_code: "boolean",
  holder_id: "string",
  published_for_customer_id: "string",
  categories: "string",
  category_ids: "string",
  "redemption.redeemed_quantity": "number",
  redemption_status: ["$redeemed", "$redeemable"],
  start_date: "date",
  expiration_date: "date",
  validity_timeframe: "string",
  validity_day_of_week: "list",
  created_at: "date",
  updated_at: "date",
  "metadata.*": "metadata",
} as const;

const setting = (name: string) => (db: Db) => db`nullif(worth -> ${name}, 'null')`;
/** A moment among the settings of a code. */
export const moment = (name: string) => (db: Db) => db`(worth ->> ${name})::timestamptz`;
// Contract is silent: redeemed is a code that has been redeemed as often as it can be; redeemable is one that can be redeemed
// once more. A code with a limit of zero is neither. `used_quantity` is null for codes that nobody used, so PostgreSQL leaves
// those out before it looks at any limit.
const isRedeemed = (db: Db) => db`(used_quantity > 0 and used_quantity >= (worth ->> 'quantity')::bigint)`;
const isRedeemable = (db: Db) => db`coalesce(redeemed_quantity < (worth ->> 'quantity')::bigint, true)`;
export const voucherFilterSql = (now: string, projectId: string): FieldSql => {
  const isOver = (db: Db) => db`coalesce((worth ->> 'expiration_date')::timestamptz < ${now}, false)`;
  const isAhead = (db: Db) => db`coalesce((worth ->> 'start_date')::timestamptz > ${now}, false)`;
  return {
    ...SQL,
    categories: categoryName(projectId),
    "active $enabled": (db) => db`active`,
    "active $disabled": (db) => db`not active`,
    "active $expired": isOver,
    "active $active": (db) => db`(active and not ${isOver(db)} and not ${isAhead(db)})`,
  };
};
export const categoryName = (projectId: string) => (db: Db) =>
  db`
  (select k.name from categories k where k.project_id = ${projectId} and k.id = category_id)`;
export const isReferralCode = (db: Db) => db`(coalesce(of_type, '') = 'REFERRAL_PROGRAM')`;
const SQL: FieldSql = {
  code: (db) => db`code_folded`,
  campaign_ids: (db) => db`campaign_id`,
  is_referral_code: isReferralCode,
  // Publications are not kept yet; the holder is whom a code was published for.
  published_for_customer_id: (db) => db`holder_id`,
  category_ids: (db) => db`category_id`,
  "redemption.redeemed_quantity": (db) => db`redeemed_quantity`,
  "redemption_status $redeemed": isRedeemed,
  "redemption_status $redeemable": isRedeemable,
  start_date: moment("start_date"),
  expiration_date: moment("expiration_date"),
  validity_timeframe: (db) => db`${setting("validity_timeframe")(db)}::text`,
  validity_day_of_week: setting("validity_day_of_week"),
};

type Query = VoucherQuery & { now: string };

/**
 * The codes with what is asked about them, and the settings that hold for them. Other tables give only names that codes do
 * not have. It is narrow: where a project has a million codes, their states are joined to all of them. The database leaves out
 * what a statement does not name.
 */
export const voucherSource = (db: Db, projectId: string): Fragment => db`
  (select v.project_id, v.id, v.code, v.code_folded, v.type, v.campaign_id, v.settings, v.category_id, v.active,
      v.additional_info, v.holder_id, v.created_at, v.deleted_at, s.account, v.updated_at as edited_at, s.redeemed_quantity as used_quantity,
      coalesce(s.redeemed_quantity, 0) as redeemed_quantity,
      coalesce(v.template_version, s.template_version) as template_version,
      greatest(v.updated_at, s.updated_at) as updated_at
    from vouchers v left join voucher_states s on s.project_id = v.project_id and s.voucher_id = v.id) as vouchers
  left join (select c.id as of_campaign, c.name as campaign_name, c.campaign_type as of_type, c.voucher_version as newest
    from campaigns c where c.project_id = ${projectId} and c.deleted_at is null) as campaign
    on campaign.of_campaign = campaign_id
  left join (select t.campaign_id as of_template, t.version as of_version, t.settings as template
    from voucher_templates t where t.project_id = ${projectId}) as template
    on of_template = campaign_id and of_version = coalesce(template_version, newest)
  cross join lateral (select coalesce(settings, template) as worth) as w
  cross join lateral (select worth -> 'metadata' as metadata) as m`;

/** Not those in the bin, nor of a campaign in it. */
export const isListed = (db: Db, projectId: string): Fragment => db`
  project_id = ${projectId} and deleted_at is null and (campaign_id is null or of_campaign is not null)`;

function vouchersWhere(db: Db, project: Pick<Project, "id" | "case_sensitive_codes">, query: Query): Fragment {
  const { category, campaign, campaign_id, customer, code, ids, now } = query;
  const { id: projectId, case_sensitive_codes } = project;
  const any = db`true`;
  const parts = [
    category === undefined
      ? any
      : db`category_id in (select k.id from categories k
          where k.project_id = ${projectId} and (k.name = ${category} or k.id = ${category}))`,
    campaign === undefined ? any : db`campaign_name = ${campaign}`,
    campaign_id === undefined ? any : db`campaign_id = ${campaign_id}`,
    customer === undefined
      ? any
      : db`holder_id in (select k.id from customers k
          where k.project_id = ${projectId} and (k.id = ${customer} or k.source_id = ${customer}))`,
    code === undefined ? any : db`code_folded = ${foldCode(trimCode(code), case_sensitive_codes)}`,
    ids === undefined ? any : db`id = any(${ids})`,
  ];
  const all = parts.reduce((sum, part) => db`${sum} and ${part}`);
  return db`${isListed(db, projectId)}
    and ${all} and ${whereOf(db, query, { fields: VOUCHER_FILTERS, sql: voucherFilterSql(now, projectId), now, caseSensitiveCodes: case_sensitive_codes })}`;
}

type VoucherPage = { from: Fragment; where: Fragment; limit: number; page: number; order: string };

/** The ids of a page. */
function pageOf(db: Db, projectId: string, { from, where, limit, page, order }: VoucherPage): Fragment {
  const ids = db`select id from ${from} where project_id = ${projectId} and ${where}`;
  if (order !== "-updated_at")
    return db`${ids} ${pageSql(db, { limit, page, order }, ["created_at", "updated_at", "code"])}`;
  // What never changed comes first, by its id, and the key has that order: so the others are looked at only when a page needs
  // some of them. No index can have them in order, since a redemption would change it.
  const upTo = limit * page;
  return db`
    (${ids} and edited_at is null and not exists (select 1 from voucher_states u
        where u.project_id = ${projectId} and u.voucher_id = vouchers.id and u.updated_at is not null)
      order by id desc limit ${upTo})
    union all
    (${ids} and updated_at is not null order by updated_at desc, id desc limit ${upTo})
    limit ${limit} offset ${upTo - limit}`;
}

/** Newest first unless another order is asked for. Codes of a campaign in the bin are not among them. */
export async function listVouchers(
  db: Db,
  project: Pick<Project, "id" | "case_sensitive_codes">,
  query: Query,
): Promise<{ rows: VoucherRow[]; total: number }> {
  const { limit = LIMIT, page = 1, order = "-created_at" } = query;
  const [from, where] = [voucherSource(db, project.id), vouchersWhere(db, project, query)];
  const [rows, counts] = await Promise.all([
    db<(VoucherRow & { at: number })[]>`
      select u.*, page.at from (
        select id, row_number() over () as at from (${pageOf(db, project.id, { from, where, limit, page, order })}) as ids
      ) as page join ${vouchersOf(db, project.id)} as u on u.id = page.id
      order by page.at`,
    db<{ total: number }[]>`select count(*) as total from ${from} where project_id = ${project.id} and ${where}`,
  ]);
  return { rows: rows.map(({ at: _, ...row }) => row), total: counts[0]!.total };
}

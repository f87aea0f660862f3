import { foldCode } from "../../../core/codes/code.ts";
import { notFound } from "../../../core/errors.ts";
import { parseFilter } from "../../../core/filters/filter.ts";
import type { OrderRow } from "../../../core/rows/order.ts";
import type { RedemptionRow } from "../../../core/rows/redemption.ts";
import { pageSql } from "../../../db/crud-store.ts";
import type { Db, Fragment, Tx } from "../../../db/db.ts";
import { type FieldSql, whereOf } from "../../../db/filters.ts";
import type { Project } from "../../../request.ts";
import type { RedemptionQuery } from "./schema.ts";

/** A sum beyond it has no exact number in JSON. */
const LARGEST = `${Number.MAX_SAFE_INTEGER}`;

const LIMIT = 10;
const SORTABLE = ["created_at", "id", "voucher_code", "tracking_id", "customer_id"];
/** What lists of redemptions can be filtered by. */
export const REDEMPTION_FILTERS = {
  voucher_code: "code",
  related_object_id: "string",
  related_object_parent_id: "string",
  parent_redemption_id: "string",
  failure_code: "string",
  result: "string",
  object: "string",
  customer_id: "string",
  campaign_name: "string",
  user_login: "string",
  created_at: "date",
} as const;
export const redemptionFilterSql = (projectId: string): FieldSql => ({
  voucher_code: (db) => db`(
    select v.code_folded from vouchers v where v.project_id = ${projectId} and v.id = redemptions.related_object_id)`,
  related_object_parent_id: (db) => db`campaign_id`,
  parent_redemption_id: (db) => db`parent_id`,
  // Whoever redeems has a key; there are no users.
  user_login: (db) => db`null::text`,
});

/** A redemption, and its order as it is now where it shows that, as JSON. */
export type ShownRow = RedemptionRow & { order_now: OrderRow | null };

/**
 * In the statement that reads the redemption: an order that is changed between two statements would be shown by redemptions
 * that it was copied into meanwhile.
 */
const orderNow = (db: Db, projectId: string): Fragment => db`
  (select to_json(o) from orders o
    where o.project_id = ${projectId} and o.id = r.order_id and r.order_shown is null) as order_now`;

type Query = Omit<RedemptionQuery, "customer"> & { customer_id?: string; now: string };

/**
 * A page of redemptions and how many there are: redemptions only, unless a filter asks for rollbacks. Those of codes and
 * campaigns that were deleted are not among them.
 */
export async function listRedemptions(
  db: Db,
  { id: projectId, case_sensitive_codes }: Pick<Project, "id" | "case_sensitive_codes">,
  query: Query,
) {
  const { limit = LIMIT, page = 1, order = "-created_at", campaign, created_at, customer_id, filters } = query;
  const results = [...new Set(query.result ?? [])];
  const known = await readTallies(db, projectId, { campaign, results });
  const isTallied = customer_id === undefined && created_at === undefined && filters === undefined;
  if (isTallied && known.total <= (page - 1) * limit) return { rows: [], total: known.total };
  const parts = [
    ...askedParts(db, { id: projectId, case_sensitive_codes }, query),
    ...(campaign === undefined ? [] : [db`campaign_id = ${known.campaign_id}`]),
    ...shownParts(db, projectId, known),
  ];
  const where = parts.reduce((all, part) => db`${all} and ${part}`);
  const [rows, counts] = await Promise.all([
    db<ShownRow[]>`
      select r.*, ${orderNow(db, projectId)} from (
        select * from redemptions where project_id = ${projectId} and ${where}
        ${pageInOrder(db, { limit, page, order })}) r`,
    isTallied
      ? [known]
      : db<{ total: number }[]>`
          select count(*) as total from redemptions where project_id = ${projectId} and ${where}`,
  ]);
  return { rows, total: counts[0]!.total };
}

/** What the query asks for, but for the campaign: its name is looked up by whoever reads. */
function askedParts(
  db: Db,
  { id: projectId, case_sensitive_codes }: Pick<Project, "id" | "case_sensitive_codes">,
  query: Query,
): Fragment[] {
  const { customer_id, filters } = query;
  const results = [...new Set(query.result ?? [])];
  return [
    ...(filters && Object.hasOwn(filters, "object") ? [] : [db`object = 'redemption'`]),
    // Written out, so that the index of what failed serves it.
    ...(results.length !== 1 ? [] : [results[0] === "FAILURE" ? db`result = 'FAILURE'` : db`result = 'SUCCESS'`]),
    ...(customer_id === undefined ? [] : [db`customer_id = ${customer_id}`]),
    whereOf(db, query, {
      fields: REDEMPTION_FILTERS,
      sql: redemptionFilterSql(projectId),
      now: query.now,
      caseSensitiveCodes: case_sensitive_codes,
    }),
    ...(filters ? impliedBy(db, projectId, filters) : []),
  ];
}

/** How many redemptions are added up at most: each of them has to be read. */
export const TOTALS_ROWS_MAX = 50_000;
export type StatusTotals = {
  status: RedemptionRow["status"];
  count: number;
  orders: number;
  order_amount: number;
  discount_amount: number;
  gift_amount: number;
  points: number;
};

/**
 * What the newest redemptions of a list add up to, by status. The redemption of a whole stack is a row beside those of its
 * parts: it is counted, and the amounts are those of the parts. The order of a stack is added once.
 */
export function sumRedemptions(
  db: Db,
  project: Pick<Project, "id" | "case_sensitive_codes">,
  query: Query,
): PromiseLike<StatusTotals[]> {
  const parts = [
    ...askedParts(db, project, query),
    ...(query.campaign === undefined ? [] : [ofCampaigns(db, project.id, [query.campaign])]),
    isShown(db, project.id),
  ];
  const where = parts.reduce((all, part) => db`${all} and ${part}`);
  return db<StatusTotals[]>`
    select status, count(*),
      count(*) filter (where nth = 1 and order_amount > 0) as orders,
      least(coalesce(sum(order_amount) filter (where nth = 1), 0), ${LARGEST}::bigint)::bigint as order_amount,
      least(coalesce(sum(discount_amount - gift_amount), 0), ${LARGEST}::bigint)::bigint as discount_amount,
      least(coalesce(sum(gift_amount), 0), ${LARGEST}::bigint)::bigint as gift_amount,
      least(coalesce(sum(abs(amount)) filter (where kind = 'points'), 0), ${LARGEST}::bigint)::bigint as points
    from (
      select r.status, r.amount, x.*,
        row_number() over (partition by r.status, r.has_amounts, coalesce(r.parent_id, r.id) order by r.id) as nth
      from (
        select id, status, parent_id, amount, effect,
          related_object_type is distinct from 'redemption' and status <> 'FAILED' as has_amounts
        from redemptions where project_id = ${project.id} and ${where}
        order by created_at desc, id desc limit ${TOTALS_ROWS_MAX}) as r
      left join lateral json_to_record(case when r.has_amounts then r.effect end)
        as x (kind text, order_amount bigint, discount_amount bigint, gift_amount bigint) on true) as counted
    group by status`;
}

/** Redemptions of one customer come oldest first, as their index has them. */
function pageInOrder(db: Db, { limit, page, order }: { limit: number; page: number; order: string }): Fragment {
  if (!order.endsWith("customer_id")) return pageSql(db, { limit, page, order }, SORTABLE);
  const direction = order.startsWith("-") ? db`desc` : db`asc`;
  return db`
    order by customer_id ${direction}, created_at ${direction}, id ${direction}
    limit ${limit} offset ${(page - 1) * limit}`;
}

type ListFigures = {
  total: number;
  /** The campaign of the name that was asked for. */
  campaign_id: string | null;
  /** Campaigns that were redeemed and are deleted. */
  gone: string[];
  has_deleted_codes: boolean;
};

/** What the totals say: how many there are, and whether any of them are hidden. */
async function readTallies(
  db: Db,
  projectId: string,
  { campaign, results }: { campaign: string | undefined; results: readonly string[] },
): Promise<ListFigures> {
  const [row] = await db<ListFigures[]>`
    select coalesce(sum(case t.object when 'redemption' then t.count when 'deleted' then -t.count end) filter (
        where (t.campaign_id = '' or c.id is not null)
          and ${results.length === 0 ? db`true` : db`t.result = any(${results})`}
          and ${campaign === undefined ? db`true` : db`c.name = ${campaign}`}), 0)::bigint as total,
      max(c.id) filter (where c.name = ${campaign ?? ""}) as campaign_id,
      coalesce(array_agg(distinct t.campaign_id) filter (where t.campaign_id <> '' and c.id is null), '{}') as gone,
      coalesce(bool_or(t.object = 'deleted'), false) as has_deleted_codes
    from redemption_tallies t
    left join campaigns c on c.project_id = ${projectId} and c.id = t.campaign_id and c.deleted_at is null
    where t.project_id = ${projectId}`;
  return row!;
}

/** Nothing is asked while nothing was deleted. */
const shownParts = (db: Db, projectId: string, known: Pick<ListFigures, "gone" | "has_deleted_codes">): Fragment[] => [
  ...(known.gone.length > 0 ? [db`(campaign_id is null or campaign_id <> all(${known.gone}))`] : []),
  ...(known.has_deleted_codes ? [ofLivingCode(db, projectId)] : []),
];

const ofLivingCode = (db: Db, projectId: string): Fragment => db`
  (related_object_type is distinct from 'voucher' or exists (
    select 1 from vouchers v
    where v.project_id = ${projectId} and v.id = related_object_id and v.deleted_at is null))`;

/** The same where the totals were not read before. Codes are looked at only where some were deleted. */
export const isShown = (db: Db, projectId: string): Fragment => db`
  (campaign_id is null or campaign_id in (
    select c.id from campaigns c where c.project_id = ${projectId} and c.deleted_at is null))
  and (not (select exists (select 1 from redemption_tallies t where t.project_id = ${projectId} and t.object = 'deleted'))
    or ${ofLivingCode(db, projectId)})`;

const EQUAL: readonly string[] = ["$is", "$in"];

/**
 * What follows from filters, in words that an index has: codes and campaigns are found by their names, failures and
 * rollbacks among the few that there are of them.
 */
function impliedBy(db: Db, projectId: string, filters: Record<string, unknown>): Fragment[] {
  const { junction, fields } = parseFilter(filters, REDEMPTION_FILTERS);
  if (junction === "or") return [];
  return fields.flat().flatMap(({ field, operator, values }) => {
    if (field === "failure_code" && operator === "$has_value") return [db`result = 'FAILURE'`];
    if (!EQUAL.includes(operator)) return [];
    const all = (name: string, value: string) => field === name && values.every((one) => one === value);
    if (field === "failure_code" || all("result", "FAILURE")) return [db`result = 'FAILURE'`];
    if (all("object", "redemption_rollback")) return [db`object = 'redemption_rollback'`];
    if (field === "voucher_code") return [ofCodes(db, projectId, values)];
    if (field === "campaign_name") return [ofCampaigns(db, projectId, values)];
    return [];
  });
}

/** Codes are unique however they are folded, so both ways are looked up. */
function ofCodes(db: Db, projectId: string, codes: readonly string[]): Fragment {
  const folded = codes.flatMap((code) => [foldCode(code, true), foldCode(code, false)]);
  return db`related_object_id = any(array(
    select v.id from vouchers v where v.project_id = ${projectId} and v.code_folded = any(${folded}::text[])))`;
}

const ofCampaigns = (db: Db, projectId: string, names: readonly string[]): Fragment => db`
  campaign_id = any(array(
    select c.id from campaigns c where c.project_id = ${projectId} and c.name = any(${names}::text[])))`;

/** A redemption, a failed one or a rollback. */
export async function getRedemption(db: Db, projectId: string, id: string): Promise<ShownRow> {
  const [row] = await db<ShownRow[]>`
    select r.*, ${orderNow(db, projectId)} from redemptions r
    where r.project_id = ${projectId} and r.id = ${id} and ${ofLivingCode(db, projectId)}
      and (campaign_id is null or exists (
        select 1 from campaigns c
        where c.project_id = ${projectId} and c.id = r.campaign_id and c.deleted_at is null))`;
  if (!row) throw notFound("redemption", id);
  return row;
}

/** Redemptions as they were made, whatever became of their codes and campaigns. */
export const redemptionsById = (db: Db, projectId: string, ids: readonly string[]) =>
  db<ShownRow[]>`
    select r.*, ${orderNow(db, projectId)} from redemptions r where r.project_id = ${projectId} and r.id = any(${ids})`;

/** All that happened to a code, rollbacks too, newest first. */
export async function listRedemptionsOfVoucher(
  db: Db,
  projectId: string,
  voucherId: string,
  page: { limit: number; page: number },
) {
  const [rows, counts] = await Promise.all([
    db<ShownRow[]>`
      select r.*, ${orderNow(db, projectId)} from (
        select * from redemptions where project_id = ${projectId} and related_object_id = ${voucherId}
        ${pageSql(db, page, SORTABLE)}) r`,
    db<{ total: number }[]>`
      select count(*) as total from redemptions where project_id = ${projectId} and related_object_id = ${voucherId}`,
  ]);
  return { rows, total: counts[0]!.total };
}

export type RollbackNote = {
  redemption_id: string;
  id: string;
  date: string;
  rollback_order_mode: "WITH_ORDER" | "WITHOUT_ORDER";
};

/** The rollbacks of these redemptions that succeeded: what `related_redemptions` shows. */
export const loadRollbacksOf = (db: Db, projectId: string, ids: readonly string[]) =>
  db<RollbackNote[]>`
    select redemption_id, id, created_at as date, effect ->> 'rollback_order_mode' as rollback_order_mode
    from redemptions
    where project_id = ${projectId} and redemption_id = any(${ids}) and object = 'redemption_rollback'
      and result = 'SUCCESS'
    order by created_at, id`;

/** Takes what codes were redeemed for out of the totals, when they are deleted. They are locked: nobody adds to it. */
export async function hideRedemptionsOf(tx: Tx, projectId: string, voucherIds: readonly string[]): Promise<void> {
  await tx`
    insert into redemption_tallies (project_id, id, object, result, campaign_id, count)
    select ${projectId}, concat_ws(' ', related_object_id, result, campaign_id), 'deleted', result,
      coalesce(campaign_id, ''), count(*)
    from redemptions
    where project_id = ${projectId} and related_object_id = any(${voucherIds}) and object = 'redemption'
    group by related_object_id, result, campaign_id`;
}

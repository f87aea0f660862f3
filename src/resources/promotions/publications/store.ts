import { foldCode, trimCode } from "../../../core/codes/code.ts";
import { ApiError } from "../../../core/errors.ts";
import type { PublicationRow } from "../../../core/rows/publication.ts";
import { StartOver } from "../../../db/batches/commit.ts";
import { pageSql } from "../../../db/crud-store.ts";
import type { Db, Fragment, Tx } from "../../../db/db.ts";
import { type FieldSql, whereOf } from "../../../db/filters.ts";
import { insertOf } from "../../../db/records.ts";
import type { Project } from "../../../request.ts";
import type { PublicationQuery } from "./schema.ts";

const LIMIT = 10;
const PAGE_MAX = 1000;

/** Inserts the rows of a batch, in the order of their own names: two batches with the same ones wait in no circle. */
export async function insertPublications(tx: Tx, projectId: string, rows: readonly PublicationRow[]): Promise<void> {
  if (rows.length === 0) return;
  const named = ({ source_id }: PublicationRow) => source_id ?? "";
  const inOrder = rows.toSorted((a, b) => (named(a) < named(b) ? -1 : named(a) > named(b) ? 1 : 0));
  await tx`
    insert into publications ${insertOf(tx, "publications", projectId, inOrder)}`.catch((error) => {
    if ((error as { code?: string }).code === "23505")
      throw new StartOver("another publication with this source id was made meanwhile");
    throw error;
  });
}

/** The source ids that a publication has already. */
export async function takenSourceIds(db: Db, projectId: string, sourceIds: readonly string[]): Promise<Set<string>> {
  if (sourceIds.length === 0) return new Set();
  const rows = await db<{ source_id: string }[]>`
    select source_id from publications
    where project_id = ${projectId} and source_id = any(${sourceIds}) and result = 'SUCCESS'`;
  return new Set(rows.map(({ source_id }) => source_id));
}

/** Publications by their ids. */
export const publicationsById = (db: Db, projectId: string, ids: readonly string[]) =>
  db<PublicationRow[]>`select * from publications where project_id = ${projectId} and id = any(${ids})`;

/** The first publication of each of these customers in each of these campaigns whose code is still there. */
export const firstPublications = (
  db: Db,
  projectId: string,
  { customerIds, campaignIds }: { customerIds: readonly string[]; campaignIds: readonly string[] },
) => db<PublicationRow[]>`
  select distinct on (p.customer_id, p.campaign_id) p.* from publications p
  where p.project_id = ${projectId} and p.customer_id = any(${customerIds}) and p.campaign_id = any(${campaignIds})
    and p.result = 'SUCCESS' and exists (
      select 1 from vouchers v
      where v.project_id = p.project_id and v.id = p.voucher_ids ->> 0 and v.deleted_at is null)
  order by p.customer_id, p.campaign_id, p.created_at, p.id`;

const FIELDS = {
  failure_code: "string",
  result: "enum",
  customer_id: "string",
  campaign_name: "string",
  voucher_type: "list",
  is_referral_code: "boolean",
  parent_object_id: "string",
  related_object_id: "list",
  source_id: "string",
} as const;
const TYPES = { discount: "DISCOUNT_VOUCHER", gift: "GIFT_VOUCHER", loyalty: "LOYALTY_CARD" } as const;
const SQL: FieldSql = {
  // The query names types in lower case, vouchers have them in upper case: both are meant.
  voucher_type: (db) => db`case voucher_type
    when 'DISCOUNT_VOUCHER' then '["DISCOUNT_VOUCHER", "discount"]'::jsonb
    when 'GIFT_VOUCHER' then '["GIFT_VOUCHER", "gift"]'::jsonb
    when 'LOYALTY_CARD' then '["LOYALTY_CARD", "loyalty"]'::jsonb end`,
  parent_object_id: (db) => db`campaign_id`,
  related_object_id: (db) => db`voucher_ids`,
};

type Query = PublicationQuery & { now: string };
type Owner = Pick<Project, "id" | "case_sensitive_codes">;

function publicationsWhere(db: Db, { id, case_sensitive_codes }: Owner, query: Query): Fragment {
  const { campaign, customer, voucher, result, voucher_type, is_referral_code, source_id, filters, now } = query;
  const any = db`true`;
  const folded = voucher === undefined ? "" : foldCode(trimCode(voucher), case_sensitive_codes);
  const parts = [
    campaign === undefined
      ? any
      : db`(campaign_name = ${campaign} or campaign_id in (
          select c.id from campaigns c where c.project_id = ${id} and c.name = ${campaign}))`,
    customer === undefined
      ? any
      : db`customer_id in (select k.id from customers k
          where k.project_id = ${id} and (k.id = ${customer} or k.source_id = ${customer}))`,
    voucher === undefined
      ? any
      : // Found first: within the condition the order of the list would be preferred to the index of codes.
        db`(voucher_code = ${voucher} or id = any(array(
          select p.id from publications p where p.project_id = ${id} and p.voucher_ids ?| array(
            select v.id from vouchers v where v.project_id = ${id} and v.code_folded = ${folded}))))`,
    result === undefined ? any : db`result = ${result}`,
    voucher_type === undefined ? any : db`voucher_type = ${TYPES[voucher_type]}`,
    is_referral_code === true ? db`is_referral_code` : any,
    source_id === undefined ? any : db`source_id = ${source_id}`,
    whereOf(db, filters ? { filters } : {}, { fields: FIELDS, sql: SQL, now }),
  ];
  return parts.reduce((sum, part) => db`${sum} and ${part}`);
}

/** Newest first unless another order is asked for. */
export async function listPublications(
  db: Db,
  project: Owner,
  query: Query,
): Promise<{ rows: PublicationRow[]; total: number }> {
  const { limit = LIMIT, page = 1, order = "-created_at" } = query;
  if (page > PAGE_MAX)
    throw new ApiError("page_over_limit", { details: `Property .page cannot be higher than ${PAGE_MAX}` });
  const where = publicationsWhere(db, project, query);
  const sortable = ["id", "voucher_code", "tracking_id", "customer_id", "created_at", "channel"];
  const [rows, counts] = await Promise.all([
    db<PublicationRow[]>`
      select * from publications where project_id = ${project.id} and ${where}
      ${pageSql(db, { limit, page, order }, sortable)}`,
    db<{ total: number }[]>`select count(*) as total from publications where project_id = ${project.id} and ${where}`,
  ]);
  return { rows, total: counts[0]!.total };
}

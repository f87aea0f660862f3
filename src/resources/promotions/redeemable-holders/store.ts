import { ApiError, notFound } from "../../../core/errors.ts";
import type { HolderRow } from "../../../core/rows/publication.ts";
import { firstRows } from "../../../db/bounded.ts";
import type { Db, Fragment, IdList, Tx } from "../../../db/db.ts";
import { type FieldSql, whereOf } from "../../../db/filters.ts";
import { tenantOf } from "../../../db/records.ts";
import type { HolderQuery, RedeemableHolder } from "./schema.ts";

/** With what is known of the code and its campaign. */
export type HeldRow = HolderRow & Pick<RedeemableHolder, "campaign_type" | "voucher_type">;

const LIMIT = 10;
const FIELDS = {
  id: "string",
  created_at: "date",
  redeemable_id: "string",
  redeemable_object: "enum",
  holder_role: "enum",
  campaign_id: "string",
  campaign_type: "enum",
  voucher_type: "enum",
} as const;
const FIELDS_OF_CODE = { id: "string", created_at: "date", holder_role: "enum", customer_id: "string" } as const;
const SQL: FieldSql = { redeemable_id: (db) => db`voucher_id`, redeemable_object: (db) => db`'voucher'` };

type NewHolder = Omit<HolderRow, "project_id">;

/** A customer who holds a code in this role already stays its holder. Returns what was inserted. */
export async function insertHolders(tx: Tx, projectId: string, holders: readonly NewHolder[]) {
  if (holders.length === 0) return [];
  return tx<HolderRow[]>`
    insert into redeemable_holders ${holdersOf(tx, projectId, holders)}
    on conflict (project_id, voucher_id, customer_id, holder_role) do nothing returning *`;
}

/** The same of customers of whom it is known that they do not hold the code yet: where one does, the transaction fails. */
export async function insertFirstHolders(tx: Tx, projectId: string, holders: readonly NewHolder[]): Promise<void> {
  if (holders.length > 0) await tx`insert into redeemable_holders ${holdersOf(tx, projectId, holders)}`.execute();
}

const holdersOf = (tx: Tx, projectId: string, holders: readonly NewHolder[]): Fragment => tx`
    (project_id, id, voucher_id, campaign_id, customer_id, holder_role, metadata, created_at)
    select p.project_id, x.id, x.voucher_id, x.campaign_id, x.customer_id, x.holder_role, x.metadata, x.created_at
    from ${tenantOf(tx, projectId)} cross join unnest(
      ${holders.map((h) => h.id)}::text[], ${holders.map((h) => h.voucher_id)}::text[],
      ${holders.map((h) => h.campaign_id)}::text[], ${holders.map((h) => h.customer_id)}::text[],
      ${holders.map((h) => h.holder_role as string)}::text[],
      ${holders.map((h) => JSON.stringify(h.metadata))}::text[]::jsonb[],
      ${holders.map((h) => h.created_at)}::timestamptz[])
      as x (id, voucher_id, campaign_id, customer_id, holder_role, metadata, created_at)
    order by x.voucher_id, x.customer_id, x.holder_role`;

/** Codes in the bin, by themselves or with their campaign, are in nobody's wallet. */
const held = (db: Db, projectId: string): Fragment => db`
  redeemable_holders
  join (select v.id as of_voucher, v.type as voucher_type from vouchers v
    where v.project_id = ${projectId} and v.deleted_at is null) as voucher on of_voucher = voucher_id
  left join (select c.id as of_campaign, c.campaign_type from campaigns c
    where c.project_id = ${projectId} and c.deleted_at is null) as campaign on of_campaign = campaign_id`;

/** What a customer holds, or who holds a code. */
type Whose = { customerId: string } | { voucherId: string };
const ownedBy = (db: Db, whose: Whose): Fragment =>
  "voucherId" in whose ? db`voucher_id = ${whose.voucherId}` : db`customer_id = ${whose.customerId}`;

/** Newest first unless another order is asked for. Ids grow with time. */
export async function listHolders(db: Db, projectId: string, whose: Whose, query: HolderQuery & { now: string }) {
  const { limit = LIMIT, order = "-id", starting_after_id: last, filters, now } = query;
  const falls = order === "-id";
  if (last !== undefined) await requireHolder(db, projectId, { whose, id: last });
  const after = last === undefined ? db`true` : falls ? db`id < ${last}` : db`id > ${last}`;
  const fields = "voucherId" in whose ? FIELDS_OF_CODE : FIELDS;
  const where = db`project_id = ${projectId} and ${ownedBy(db, whose)}
    and (campaign_id is null or of_campaign is not null)
    and ${whereOf(db, filters ? { filters } : {}, { fields, sql: SQL, now })}`;
  const from = held(db, projectId);
  const holders = db<HeldRow[]>`
    select redeemable_holders.*, voucher_type, campaign_type from ${from}
    where project_id = ${projectId} and ${where} and ${after}
    order by id ${falls ? db`desc` : db`asc`} limit ${limit + 1}`;
  const [page, counts] = await Promise.all([
    firstRows(holders, limit),
    db<{ total: number }[]>`select count(*) as total from ${from} where project_id = ${projectId} and ${where}`,
  ]);
  return { ...page, total: counts[0]!.total };
}

async function requireHolder(db: Db, projectId: string, { whose, id }: { whose: Whose; id: string }) {
  const [found] = await db`
    select 1 from redeemable_holders where project_id = ${projectId} and ${ownedBy(db, whose)} and id = ${id}`;
  if (!found)
    throw new ApiError("invalid_query_params", { details: `Property .starting_after_id names no entry: ${id}` });
}

export const view = ({ project_id: _, voucher_id, ...row }: HeldRow): RedeemableHolder => ({
  ...row,
  redeemable_id: voucher_id,
  redeemable_object: "voucher",
  object: "redeemable_holder",
});

/** One who holds a code. It is locked. */
export async function lockHolder(
  tx: Tx,
  projectId: string,
  { voucherId, id }: { voucherId: string; id: string },
): Promise<HolderRow> {
  const [row] = await tx<HolderRow[]>`
    select * from redeemable_holders where project_id = ${projectId} and voucher_id = ${voucherId} and id = ${id}
    order by id for no key update`;
  if (!row) throw notFound("redeemable_holder", id);
  return row;
}

export const deleteHolder = (tx: Tx, projectId: string, id: string) =>
  tx`delete from redeemable_holders where project_id = ${projectId} and id = ${id}`;

export const loadHolders = (db: Db, projectId: string, voucherIds: IdList) =>
  db<Pick<HolderRow, "voucher_id" | "customer_id" | "holder_role">[]>`
    select voucher_id, customer_id, holder_role from redeemable_holders
    where project_id = ${projectId} and voucher_id = any(${voucherIds})`;

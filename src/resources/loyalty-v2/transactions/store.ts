import type { FilterFields } from "../../../core/filters/filter.ts";
import type { TransactionKind, TransactionRow } from "../../../core/rows/loyalty.ts";
import { type CursorAsked, type CursorKind, type CursorPage, cursorPage } from "../../../db/cursor.ts";
import type { Db, Tx } from "../../../db/db.ts";
import type { FieldSql } from "../../../db/filters.ts";
import { insertOf } from "../../../db/records.ts";
import type { BenefitTransaction, OrderTransaction, RewardTransaction, TierTransaction } from "./schema.ts";

export async function insertTransactions(tx: Tx, rows: readonly TransactionRow[]): Promise<void> {
  if (rows.length === 0) return;
  const inOrder = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const { project_id } = rows[0]!;
  await tx`insert into loyalty_transactions ${insertOf(tx, "loyalty_transactions", project_id, inOrder)}`;
}

export const loadTransactions = (db: Db, projectId: string, ids: readonly string[]): PromiseLike<TransactionRow[]> =>
  db<TransactionRow[]>`
    select * from loyalty_transactions where project_id = ${projectId} and id = any(${ids}) order by id`;

export const lockTransactions = (tx: Tx, projectId: string, ids: readonly string[]): PromiseLike<TransactionRow[]> =>
  tx<TransactionRow[]>`
    select * from loyalty_transactions where project_id = ${projectId} and id = any(${ids})
    order by id for no key update`;

/** Sets what can change of transactions that are locked. */
export async function saveTransactions(tx: Tx, projectId: string, rows: readonly TransactionRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx`
    update loyalty_transactions t set status = x.status, details = x.details, updated_at = x.updated_at
    from unnest(${rows.map((r) => r.id)}::text[], ${rows.map((r) => r.status as string)}::text[],
      ${rows.map((r) => JSON.stringify(r.details))}::text[]::jsonb[], ${rows.map((r) => r.updated_at)}::timestamptz[])
      as x (id, status, details, updated_at)
    where t.project_id = ${projectId} and t.id = x.id`;
}

/** How much of an order was paid with points. Who asks holds the order: nobody pays it meanwhile. */
export async function paidWithPoints(db: Db, projectId: string, orderId: string): Promise<number> {
  const [row] = await db<[{ paid: number }]>`
    select coalesce(sum((details->'payment'->>'amount')::bigint), 0)::bigint as paid from loyalty_transactions
    where project_id = ${projectId} and kind = 'order' and subject_id = ${orderId} and status = 'APPROVED'`;
  return row.paid;
}

type List = { prefix: CursorKind["prefix"]; types?: readonly string[]; fields: FilterFields };
const LISTS: Record<TransactionKind, List> = {
  // What was given back is seen by its purchase.
  reward: { prefix: "lcrstrx", types: ["PURCHASE"], fields: { id: "id", reward_id: "id", created_at: "date" } },
  order: { prefix: "lcrsotx", fields: { id: "id", created_at: "date" } },
  benefit: { prefix: "lcrsbtx", fields: { benefit_id: "id", created_at: "date" } },
  tier: { prefix: "lcrsttx", fields: { card_id: "id", created_at: "date" } },
};
const SQL: FieldSql = { reward_id: (db) => db`subject_id`, benefit_id: (db) => db`subject_id` };

/** The transactions of a member, of one kind. */
export const listTransactions = (
  db: Db,
  of: { project: { id: string; secret: string }; now: string },
  { memberId, kind }: { memberId: string; kind: TransactionKind },
  asked: CursorAsked,
): Promise<CursorPage<TransactionRow>> => {
  const { prefix, types, fields } = LISTS[kind];
  return cursorPage<TransactionRow>(
    db,
    of,
    {
      prefix,
      from: (db) => db`loyalty_transactions`,
      where: (db) => db`project_id = ${of.project.id} and member_id = ${memberId} and kind = ${kind}
        and ${types === undefined ? db`true` : db`type = any(${types as string[]})`}`,
      sortable: ["created_at"],
      fields,
      sql: SQL,
    },
    asked,
  );
};

const beside = (row: TransactionRow) => {
  const { card_transaction_id = null, earning_rule_id = null, tier_structure_id = "", ...details } = row.details;
  const { id, program_id, member_id, status, type, created_at, updated_at } = row;
  const common = { id, program_id, member_id, status, type, details, created_at, updated_at };
  return { common, card_transaction_id, earning_rule_id, tier_structure_id };
};

/** How each kind is shown. */
export const transactionViews = {
  reward: (row: TransactionRow) => {
    const { common, card_transaction_id } = beside(row);
    const { card_id, subject_id: reward_id } = row;
    return { ...common, card_id, card_transaction_id, reward_id, object: "reward_transaction" } as RewardTransaction;
  },
  order: (row: TransactionRow) => {
    const { common, card_transaction_id } = beside(row);
    const { card_id, card_definition_id, subject_id: order_id } = row;
    const card = { card_id, card_definition_id, card_transaction_id };
    return { ...common, ...card, order_id, object: "order_transaction" } as OrderTransaction;
  },
  benefit: (row: TransactionRow) => {
    const { common, earning_rule_id } = beside(row);
    return {
      ...common,
      benefit_id: row.subject_id,
      earning_rule_id,
      object: "benefit_transaction",
    } as BenefitTransaction;
  },
  tier: (row: TransactionRow) => {
    const { common, tier_structure_id } = beside(row);
    const { card_id, card_definition_id, subject_id: tier_id } = row;
    const card = { card_id, card_definition_id };
    return { ...common, ...card, tier_structure_id, tier_id, object: "tier_transaction" } as TierTransaction;
  },
};

import { CAMPAIGN_CAUSES, type CampaignCause } from "../../../core/loyalty/earning/triggers.ts";
import type { OutcomeRow } from "../../../core/rows/loyalty.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { insertOf, tenantOf } from "../../../db/records.ts";

export async function insertOutcomes(tx: Tx, projectId: string, rows: readonly OutcomeRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx`insert into earning_outcomes ${insertOf(tx, "earning_outcomes", projectId, rows)}`;
}

/** What moves points once, however often it is told. */
export type CauseRow = { kind: MemberCause | CampaignCause; id: string; created_at: string };
/** Loyalty cards of campaigns count for themselves: who becomes a member of a program later may still earn there. */
type MemberCause = `order.${string}`;

/** Notes causes, and returns those that are told for the first time. Their orders are locked. */
export const takeCauses = (tx: Tx, projectId: string, rows: readonly CauseRow[]) =>
  tx<Pick<CauseRow, "kind" | "id">[]>`
    insert into earning_causes (project_id, kind, id, created_at)
    select p.project_id, x.* from ${tenantOf(tx, projectId)} cross join unnest(
      ${rows.map((r) => r.kind as string)}::text[], ${rows.map((r) => r.id)}::text[],
      ${rows.map((r) => r.created_at)}::timestamptz[]) as x (kind, id, created_at) order by x.kind, x.id
    on conflict do nothing returning kind, id`;

/** Which of these orders have moved the points of loyalty cards. They are locked. */
export const cardCausesOf = (db: Db, projectId: string, orderIds: readonly string[]) =>
  db<{ kind: CampaignCause; id: string }[]>`
    select kind, id from earning_causes
    where project_id = ${projectId} and kind = any(${CAMPAIGN_CAUSES}) and id = any(${orderIds})`;

/** An order that was returned may earn again, and one that has earned again may be returned. They are locked. */
export const dropCauses = (tx: Tx, projectId: string, rows: readonly Pick<CauseRow, "kind" | "id">[]) =>
  tx`
    delete from earning_causes using unnest(${rows.map((r) => r.kind as string)}::text[], ${rows.map((r) => r.id)}::text[])
      as x (kind, id)
    where earning_causes.project_id = ${projectId} and earning_causes.kind = x.kind and earning_causes.id = x.id`;

/** The points that paid orders, by order and card. */
export const loadPayments = (db: Db, projectId: string, orderIds: readonly string[]) =>
  db<{ order_id: string; account_id: string; points: number }[]>`
    select order_id, account_id, (-sum(amount))::bigint as points from ledger_entries
    where project_id = ${projectId} and order_id = any(${orderIds}) and kind = 'order_spend'
    group by order_id, account_id order by order_id, account_id`;

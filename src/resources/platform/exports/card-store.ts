import type { Db } from "../../../db/db.ts";
import {
  byDate,
  byText,
  cents,
  date,
  type ExportObject,
  type ExportOwner,
  id,
  json,
  moving,
  number,
  personal,
  text,
} from "../../../db/exported-rows.ts";

/** What an entry is called, after `CREDITS_` or `POINTS_`: `steps/promotions/transaction-view.ts` in SQL. */
const typeOf = (db: Db) => db`case kind when 'activation_in' then 'PENDING_POINTS_ACTIVATION' else
  case voucher_type when 'GIFT_VOUCHER' then 'CREDITS_' else 'POINTS_' end || case kind
    when 'redemption' then 'REDEMPTION' when 'refund' then 'REFUND' when 'addition' then 'ADDITION'
    when 'removal' then 'REMOVAL' when 'accrual' then 'ACCRUAL' when 'expiration' then 'EXPIRATION'
    when 'transfer_in' then 'TRANSFER_IN' when 'transfer_out' then 'TRANSFER_OUT' when 'taken_back' then 'REMOVAL'
    else upper(kind) end end`;
const isGift = (db: Db) => db`voucher_type = 'GIFT_VOUCHER'`;

/** Credits are money, points are not. */
const moved = (name: "amount" | "balance") => ({
  ...number(name),
  inCsv: id((db: Db) => db`case when ${isGift(db)} then ${cents(db, db`${db(name)}`)} else ${db(name)}::text end`),
});

const detailsOf = (db: Db, owner: ExportOwner) => db`
  jsonb_build_object('balance', jsonb_build_object('type', case when ${isGift(db)} then 'gift_voucher' else 'loyalty_card' end,
      'total', total, case when ${isGift(db)} then 'amount' else 'points' end, amount, 'balance', balance,
      'operation_type', case when kind in ('addition', 'removal') or (kind = 'activation_in' and source = 'API')
        then 'MANUAL' else 'AUTOMATIC' end,
      'related_object', jsonb_build_object('type', 'voucher', 'id', voucher_id), 'object', 'balance'))
    || case when order_id is null then '{}' else jsonb_build_object('order', jsonb_build_object('id', order_id, 'source_id',
      (select o.source_id from orders o where o.project_id = ${owner.id} and o.id = order_id))) end
    || case when redemption_id is null then '{}'
      else jsonb_build_object('redemption', jsonb_build_object('id', redemption_id)) end
    || case when rollback_id is null then '{}'
      else jsonb_build_object('rollback', jsonb_build_object('id', rollback_id)) end
    || (coalesce(details, '{}') - 'related_transaction_id' - 'returned_lots')`;

/** What was moved on gift cards and on loyalty cards of v1, as their lists have it. */
export const exportedTransactions: ExportObject = {
  from: (db, { id: projectId }) => db`
    (select e.*, e.account_id as voucher_id, v.type as voucher_type from ledger_entries e
      join vouchers v on v.project_id = e.project_id and v.id = e.account_id and v.deleted_at is null
      where e.project_id = ${projectId} and e.pot = 'available' and e.kind <> 'opening') as x`,
  fields: {
    id: id("id"),
    type: id(typeOf),
    source_id: text("source_id"),
    // What is moved is moved: nothing waits for a decision.
    status: id((db) => db`null::text`),
    // Somebody wrote it about a customer, maybe.
    reason: personal("reason"),
    source: text("source"),
    balance: moved("balance"),
    amount: moved("amount"),
    created_at: date("created_at"),
    campaign_id: id("campaign_id"),
    voucher_id: id("voucher_id"),
    related_transaction_id: id((db) => db`details ->> 'related_transaction_id'`),
    details: { ...json(detailsOf), isPersonal: true },
  },
  defaults: ["id", "type", "source_id", "status", "reason", "source", "balance", "amount", "created_at"],
  orders: { created_at: byDate("created_at") },
  defaultOrder: "-created_at",
  filters: { id: "string", created_at: "date", voucher_id: "string", campaign_id: "string" },
};

/** Which points of loyalty cards of v1 expire when: those of one card and one day are one row, as in the list of a card. */
export const exportedPointsExpiration: ExportObject = {
  from: (db, { id: projectId }) => db`
    (select min(l.id) as id, v.campaign_id, v.id as voucher_id, l.bucket_date as expires_at,
        sum(l.remaining)::bigint as points
      from ledger_lots l join vouchers v on v.project_id = l.project_id and v.id = l.account_id
        and v.type = 'LOYALTY_CARD' and v.deleted_at is null
      where l.project_id = ${projectId} and l.pot = 'available' and l.bucket_date is not null and l.remaining > 0
      group by v.campaign_id, v.id, l.bucket_date) as x`,
  fields: {
    id: id("id"),
    campaign_id: id("campaign_id"),
    voucher_id: id("voucher_id"),
    points: number("points"),
    status: id((db) => db`'ACTIVE'::text`),
    expires_at: id("expires_at"),
  },
  defaults: ["id", "campaign_id", "voucher_id", "status", "expires_at", "points"],
  orders: { expires_at: moving(byText("expires_at")) },
  defaultOrder: "expires_at",
  filters: { campaign_id: "string", voucher_id: "string" },
};

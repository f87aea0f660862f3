import type { CounterRow } from "../../../core/rows/counter.ts";
import type { LotRow } from "../../../core/rows/ledger.ts";
import type { SessionLock } from "../../../core/rows/validation.ts";
import type { VoucherRow } from "../../../core/rows/voucher.ts";
import { toInstantText } from "../../../core/time/instant-text.ts";
import { type HeldAmounts, type HeldOfCode, heldOfCode, NOTHING_HELD } from "../../../core/validate/session-locks.ts";
import type { Db, Fragment } from "../../../db/db.ts";
import { compareTexts } from "../../../db/records.ts";

// What is stored of codes in other tables comes with their rows: who only reads waits once, and all parts are of one moment. Most
// codes have little of it, so each part stands behind a condition of the row: what does not hold costs no look into a table.

/** What is read beside codes. Their rules, and who holds them, always are. */
export type BesideAsked = {
  /** Until when locks of sessions are over; null: what sessions hold is not asked. */
  overBy: string | null;
  /** The campaigns with a limit on their codes; null: they are too many to be named, and those without one are asked as well. */
  limited: readonly string[] | null;
  /** The lots of loyalty cards. */
  lots: boolean;
  /** Who shares referral codes. */
  referrers: boolean;
  /** The first days of the periods of which it is asked what campaigns have counted. */
  days: readonly string[];
};

type Assigned = { id: string; rule_id: string; created_at: string };
/** What is stored beside a code; null is what was not read of it. */
export type Beside = {
  assigned: readonly Assigned[];
  holders: readonly string[];
  referrer: { id: string; email: string | null } | null;
  lots: readonly LotRow[] | null;
  counted: readonly CounterRow[];
  held: HeldOfCode | null;
};
export type FoundVoucher<R = VoucherRow> = { row: R; beside: Beside };

/** A part as JSON has it: null when there is nothing, or it was not read. */
type Parts = {
  assigned: Assigned[] | null;
  holders: string[] | null;
  referrer?: Beside["referrer"];
  lots?: LotRow[] | null;
  counted?: CounterRow[] | null;
  held?: { sum: HeldAmounts | null; locks: SessionLock[] | null } | null;
};

/** Sorted here: the database would set up a sort for each code, and most have one rule. */
const byId = (assigned: Assigned[]): Assigned[] => assigned.sort((a, b) => compareTexts(a.id, b.id));

// Parameters stand in a `select` of their own: so the planner makes one plan for all of them and keeps it. With their values it would
// plan each time anew.

/** Codes with what is stored beside them. `codes` selects rows of `vouchersOf`, and `order` is that of the result. */
export async function readBeside<R extends object>(
  db: Db,
  projectId: string,
  { codes, order, asked }: { codes: Fragment; order?: Fragment; asked: BesideAsked },
): Promise<FoundVoucher<R>[]> {
  const { days, lots, referrers, overBy } = asked;
  const rows = await db<(R & Parts)[]>`
    select t.*, (
      select json_agg(json_build_object('id', a.id, 'rule_id', a.rule_id, 'created_at', a.created_at::text))
      from validation_rule_assignments a
      where a.project_id = ${projectId} and a.related_object_id = t.id and a.related_object_type = 'voucher') as assigned,
      case when t.published_count > 0 or t.holder_id is not null then (
        select json_agg(h.customer_id) from redeemable_holders h
        where h.project_id = ${projectId} and h.voucher_id = t.id) end as holders
      ${referrers ? referrerOf(db, projectId) : db``}
      ${lots ? lotsOf(db, projectId) : db``}
      ${days.length > 0 ? countedOf(db, projectId, days) : db``}
      ${overBy === null ? db`` : heldOf(db, projectId, { overBy, limited: asked.limited })}
    from (${codes}) as t ${order ?? db``}`;
  return rows.map(({ assigned, holders, referrer, lots: own, counted, held, ...row }) => ({
    row: row as unknown as R,
    beside: {
      assigned: byId(assigned ?? []).map((one) => ({ ...one, created_at: toInstantText(one.created_at) })),
      holders: holders ?? [],
      referrer: referrer ?? null,
      lots: lots ? (own ?? []).map(lotOf) : null,
      counted: counted ?? [],
      held: held ? heldOfCode(held.sum ?? NOTHING_HELD, (held.locks ?? []).map(lockOf)) : null,
    },
  }));
}

const lockOf = (lock: SessionLock): SessionLock => ({ ...lock, expires_at: toInstantText(lock.expires_at) });

const referrerOf = (db: Db, projectId: string): Fragment => db`,
  case when t.referrer_id is not null then (
    select json_build_object('id', c.id, 'email', c.email) from customers c
    where c.project_id = ${projectId} and c.id = t.referrer_id) end as referrer`;

const lotsOf = (db: Db, projectId: string): Fragment => db`,
  case when t.type = 'LOYALTY_CARD' and t.account is not null then (
    select json_agg(json_build_object('id', l.id, 'account_id', l.account_id, 'pot', l.pot, 'amount', l.amount,
      'remaining', l.remaining, 'expires_at', l.expires_at::text, 'activates_at', l.activates_at::text,
      'created_at', l.created_at::text, 'bucket_id', l.bucket_id, 'bucket_date', l.bucket_date,
      'bucket_type', l.bucket_type, 'order_id', l.order_id, 'expiration', l.expiration, 'details', l.details) order by l.id)
    from ledger_lots l where l.project_id = ${projectId} and l.account_id = t.id and l.remaining > 0) end as lots`;

const instant = <T extends string | null>(text: T): T => (text === null ? text : (toInstantText(text) as T));
const lotOf = (lot: LotRow): LotRow => ({
  ...lot,
  expires_at: instant(lot.expires_at),
  activates_at: instant(lot.activates_at),
  created_at: instant(lot.created_at),
});

const countedOf = (db: Db, projectId: string, days: readonly string[]): Fragment => db`,
  case when t.campaign_id is not null then (
    select json_agg(json_build_object('subject_kind', k.subject_kind, 'subject_id', k.subject_id,
      'period_kind', k.period_kind, 'period_start', k.period_start::text, 'redemptions', k.redemptions,
      'order_amount', k.order_amount, 'discount_amount', k.discount_amount, 'gift_amount', k.gift_amount))
    from counters k
    where k.project_id = ${projectId} and k.subject_kind = 'campaign' and k.subject_id = t.campaign_id
      and k.period_start = any((select ${days}::text[])::date[])) end as counted`;

/** A sum and locks of two moments would not fit each other. Locks that are not over are in the sum, and not read. */
const heldOf = (
  db: Db,
  projectId: string,
  { overBy, limited }: { overBy: string; limited: readonly string[] | null },
): Fragment => db`,
  case when t.type <> 'DISCOUNT_VOUCHER' or t.settings->>'quantity' is not null
    or (t.settings is null and ${limited ? db`t.campaign_id = any((select ${limited}::text[])::text[])` : db`t.campaign_id is not null`})
  then json_build_object(
    'sum', (
      select json_build_object('quantity', s.quantity, 'credits', s.credits, 'points', s.points) from session_sums s
      where s.project_id = ${projectId} and s.redeemable_id = t.id),
    'locks', (
      select json_agg(json_build_object('redeemable_id', o.redeemable_id, 'session_key', o.session_key,
        'quantity', o.quantity, 'credits', o.credits, 'points', o.points, 'expires_at', o.expires_at::text))
      from session_locks o
      where o.project_id = ${projectId} and o.redeemable_id = t.id and o.expires_at <= (select ${overBy}::timestamptz))) end as held`;

import type { Db } from "./db.ts";
import { ROLLUP_LAWS } from "./rollups/law.ts";

const countedBy = (db: Db, kind: string) => db`
  (select * from counters where subject_kind = ${kind} and period_kind = 'total')`;

/** What the redemptions that were not rolled back say they did, by a column that names whose they are. */
const summedBy = (db: Db, column: string) => db`
  (select project_id, ${db(column)} as subject_id, count(*) as redemptions,
    coalesce(sum((effect->>'order_amount')::bigint), 0) as order_amount,
    coalesce(sum((effect->>'discount_amount')::bigint), 0) as discount_amount,
    coalesce(sum((effect->>'gift_amount')::bigint), 0) as gift_amount
  from redemptions
  where related_object_type in ('voucher', 'promotion_tier') and object = 'redemption' and status = 'SUCCEEDED'
  group by 1, 2)`;

const sumsDiffer = (db: Db) => db`
  (coalesce(k.order_amount, 0), coalesce(k.discount_amount, 0), coalesce(k.gift_amount, 0)) is distinct from
  (coalesce(r.order_amount, 0), coalesce(r.discount_amount, 0), coalesce(r.gift_amount, 0))`;

/** What must hold over the whole database at any moment. Each query finds what breaks it: `example` and `count`. */
export const INVARIANTS: Record<string, (db: Db) => PromiseLike<{ count: number; example: string | null }[]>> = {
  "every claimed idempotency key has its answer": (db) =>
    db`select count(*), min(project_id || ' ' || caller_id) as example from idempotency_keys where status is null`,
  "a catalog change is not newer than its project's revision": (db) =>
    db`select count(*), min(t.project_id) as example from catalog_changes c join tenants t on t.project_id = c.project_id
      where c.revision > t.catalog_revision`,
  "every project has the row that its inserts read": (db) =>
    db`select count(*), min(p.id) as example from projects p left join tenants t on t.project_id = p.id
      where t.project_id is null`,
  // A code that was erased meanwhile may leave a sum, which nobody reads.
  "what sessions hold of a code is the sum of their locks": (db) =>
    db`select count(*), min(v.project_id || ' ' || v.id) as example from vouchers v
      left join session_sums s on s.project_id = v.project_id and s.redeemable_id = v.id
      left join (select project_id, redeemable_id, sum(quantity) as quantity, sum(credits) as credits, sum(points) as points
        from session_locks group by 1, 2) as l on l.project_id = v.project_id and l.redeemable_id = v.id
      where (coalesce(s.quantity, 0), coalesce(s.credits, 0), coalesce(s.points, 0)) is distinct from
        (coalesce(l.quantity, 0), coalesce(l.credits, 0), coalesce(l.points, 0))`,
  "a file is as long as its chunks, and has all of them": (db) =>
    db`select count(*), min(f.project_id || ' ' || f.id) as example from files f
      left join (select project_id, file_id, count(*) as chunks, max(number) + 1 as numbers,
          sum(octet_length(content)) as bytes from file_chunks group by project_id, file_id) as c
        on c.project_id = f.project_id and c.file_id = f.id
      where (f.bytes, f.chunks, f.chunks) is distinct from
        (coalesce(c.bytes, 0), coalesce(c.chunks, 0), coalesce(c.numbers, 0))`,
  "what refusals take is the sum of what each takes": (db) =>
    db`select count(*), min(u.project_id) as example from refusal_usage u
      left join (select project_id, sum(bytes) as bytes from refusals group by project_id) as r on r.project_id = u.project_id
      where u.bytes <> coalesce(r.bytes, 0)`,
  "as many refusals are counted as were kept, or more": (db) =>
    db`select count(*), min(project_id || ' ' || id) as example from refusal_counts where kept > count`,
  // Files go when they expire, and an export stays a little longer.
  "an export is done when its file is complete, and not before": (db) =>
    db`select count(*), min(e.project_id || ' ' || e.id) as example from exports e
      join files f on f.project_id = e.project_id and f.id = e.id
      where (e.status = 'DONE') <> f.is_complete`,
  "a project has at most 1,000 access tokens": (db) =>
    db`select count(*), min(project_id) as example from
      (select project_id from oauth_tokens group by project_id having count(*) > 1000) as x`,
  "a project has at most one set of stacking rules, for categories of its own": (db) =>
    db`select count(*), min(s.project_id) as example from stacking_rules s cross join lateral jsonb_array_elements_text(
        jsonb_path_query_array(s.rules, '$.keyvalue() ? (@.key like_regex "_categories$").value[*]')
        || jsonb_path_query_array(s.rules, '$.applicable_redeemables_category_limits.keyvalue().key')) as named (id)
      where not exists (select 1 from categories c where c.project_id = s.project_id and c.id = named.id)`,
  "a SKU of a product in the bin is in the bin too": (db) =>
    db`select count(*), min(s.project_id || ' ' || s.id) as example from skus s
      join products p on p.project_id = s.project_id and p.id = s.product_id
      where s.deleted_at is null and p.deleted_at is not null`,
  "an order is of a customer who exists": (db) =>
    db`select count(*), min(o.project_id || ' ' || o.id) as example from orders o
      where o.customer_id is not null and not exists (
        select 1 from customers c where c.project_id = o.project_id and c.id = o.customer_id)`,
  "a code of a campaign belongs to a campaign that exists": (db) =>
    db`select count(*), min(v.project_id || ' ' || v.id) as example from vouchers v
      where v.campaign_id is not null and not exists (
        select 1 from campaigns c where c.project_id = v.project_id and c.id = v.campaign_id)`,
  // Those of a campaign that is deleted go in many steps.
  "a campaign counts its codes that are not deleted": (db) =>
    db`select count(*), min(k.project_id || ' ' || k.campaign_id) as example from campaign_codes k
      join campaigns c on c.project_id = k.project_id and c.id = k.campaign_id and c.deleted_at is null
      left join (
        select project_id, campaign_id, count(*) from vouchers
        where campaign_id is not null and deleted_at is null group by project_id, campaign_id
      ) as v on v.project_id = k.project_id and v.campaign_id = k.campaign_id
      where k.vouchers_count <> coalesce(v.count, 0)`,
  "an entry of the bin stands for something that is in it": (db) =>
    db`select count(*), min(b.project_id || ' ' || b.id) as example from trash_bin_entries b where not exists (
        select 1 from campaigns c where c.project_id = b.project_id and c.id = b.resource_id and c.deleted_at is not null
        union all
        select 1 from vouchers v where v.project_id = b.project_id and v.id = b.resource_id and v.deleted_at is not null
        union all
        select 1 from products p where p.project_id = b.project_id and p.id = b.resource_id and p.deleted_at is not null
        union all
        select 1 from skus s where s.project_id = b.project_id and s.id = b.resource_id and s.deleted_at is not null)`,
  "what a card holds is the sum of its entries and of what is left in its lots": (db) =>
    db`select count(*), min(v.project_id || ' ' || v.id) as example from vouchers v
      left join (select project_id, account_id, coalesce(sum(amount) filter (where pot = 'available'), 0) as available,
          coalesce(sum(amount) filter (where pot = 'pending'), 0) as pending
        from ledger_entries group by project_id, account_id) as e
        on e.project_id = v.project_id and e.account_id = v.id
      left join (select project_id, account_id, coalesce(sum(remaining) filter (where pot = 'available'), 0) as available,
          coalesce(sum(remaining) filter (where pot = 'pending'), 0) as pending
        from ledger_lots group by project_id, account_id) as l
        on l.project_id = v.project_id and l.account_id = v.id
      left join voucher_states s on s.project_id = v.project_id and s.voucher_id = v.id
      cross join lateral (select (s.account->>'available')::bigint as available, (s.account->>'pending')::bigint as pending,
          (s.account->>'received')::bigint - (s.account->>'subtracted')::bigint - (s.account->>'expired')::bigint
          - (s.account->>'spent')::bigint as left_over) as a
      where case when s.account is null then e.account_id is not null or l.account_id is not null
        else (coalesce(e.available, 0), coalesce(e.pending, 0)) is distinct from (a.available, a.pending)
          or (coalesce(l.available, 0), coalesce(l.pending, 0)) is distinct from (greatest(a.available, 0), a.pending)
          or a.left_over is distinct from a.available end`,
  "a code whose points expire or wait is due some day": (db) =>
    db`select count(*), min(v.project_id || ' ' || v.id) as example from vouchers v
      where v.type = 'LOYALTY_CARD' and v.due_at is null and v.deleted_at is null and exists (
        select 1 from ledger_lots l where l.project_id = v.project_id and l.account_id = v.id and l.remaining > 0
          and (l.expires_at is not null or l.activates_at is not null))`,
  "what a loyalty card holds is the sum of its entries and of what is left in its lots": (db) =>
    db`select count(*), min(c.project_id || ' ' || c.id) as example from loyalty_cards c
      left join (select project_id, account_id, coalesce(sum(amount) filter (where pot = 'available'), 0) as available,
          coalesce(sum(amount) filter (where pot = 'pending'), 0) as pending
        from ledger_entries group by project_id, account_id) as e
        on e.project_id = c.project_id and e.account_id = c.id
      left join (select project_id, account_id, coalesce(sum(remaining) filter (where pot = 'available'), 0) as available,
          coalesce(sum(remaining) filter (where pot = 'pending'), 0) as pending
        from ledger_lots group by project_id, account_id) as l
        on l.project_id = c.project_id and l.account_id = c.id
      cross join lateral (select c.account->'sums' as sums) as s
      cross join lateral (select (sums->>'available')::bigint as available, (sums->>'pending')::bigint as pending,
          (sums->>'received')::bigint - (sums->>'subtracted')::bigint - (sums->>'expired')::bigint
          - (sums->>'spent')::bigint - coalesce((sums->>'refunded')::bigint, 0) + coalesce((sums->>'returned')::bigint, 0)
          - coalesce((sums->>'locked')::bigint, 0) + coalesce((sums->>'unlocked')::bigint, 0)
          - coalesce((sums->>'purchased_reversed')::bigint, 0) as left_over) as a
      where (coalesce(e.available, 0), coalesce(e.pending, 0)) is distinct from (a.available, a.pending)
        or (coalesce(l.available, 0), coalesce(l.pending, 0)) is distinct from (greatest(a.available, 0), a.pending)
        or a.left_over is distinct from a.available`,
  "a loyalty card is of its member's program, and deleted with its member": (db) =>
    db`select count(*), min(m.project_id || ' ' || m.id) as example from loyalty_members m
      join loyalty_cards c on c.project_id = m.project_id and c.member_id = m.id
      where (m.status = 'DELETED') <> (c.deleted_at is not null) or c.program_id <> m.program_id`,
  "what a loyalty program uses is used by one that is not deleted": (db) =>
    db`select count(*), min(a.project_id || ' ' || a.program_id) as example from loyalty_assignments a
      join loyalty_programs p on p.project_id = a.project_id and p.id = a.program_id
      where p.status = 'DELETED'`,
  "a reward that was bought and an order that was paid took their points from the card": (db) =>
    db`select count(*), min(t.project_id || ' ' || t.id) as example from loyalty_transactions t
      left join ledger_entries e on e.project_id = t.project_id and e.id = t.details->>'card_transaction_id'
        and e.account_id = t.card_id
      where t.type in ('PURCHASE', 'PAY_WITH_POINTS') and t.kind in ('reward', 'order')
        and e.amount is distinct from case when t.status not in ('APPROVED', 'REFUNDED') then 0
          when t.kind = 'reward' then - (t.details->'points'->>'total')::bigint
          else - (t.details->'payment'->>'points_spent')::bigint end`,
  "a code was redeemed as often as it has redemptions that were not rolled back": (db) =>
    db`select count(*), min(v.project_id || ' ' || v.id) as example from vouchers v
      left join (select project_id, related_object_id, count(*) from redemptions
        where related_object_type = 'voucher' and object = 'redemption' and status = 'SUCCEEDED'
        group by project_id, related_object_id) as r
        on r.project_id = v.project_id and r.related_object_id = v.id
      left join voucher_states s on s.project_id = v.project_id and s.voucher_id = v.id
      where coalesce(s.redeemed_quantity - s.imported_quantity, 0) <> coalesce(r.count, 0)`,
  "what a code was used for belongs to a code that exists": (db) =>
    db`select count(*), min(s.project_id || ' ' || s.voucher_id) as example from voucher_states s
      where not exists (select 1 from vouchers v where v.project_id = s.project_id and v.id = s.voucher_id)`,
  "a campaign counts its redemptions that were not rolled back": (db) =>
    db`select count(*), min(c.project_id || ' ' || c.id) as example from campaigns c
      left join (select project_id, subject_id, redemptions from counters
        where subject_kind = 'campaign' and period_kind = 'total') as k
        on k.project_id = c.project_id and k.subject_id = c.id
      left join (select project_id, campaign_id, count(*) from redemptions
        where related_object_type in ('voucher', 'promotion_tier') and object = 'redemption' and status = 'SUCCEEDED'
        group by project_id, campaign_id) as r
        on r.project_id = c.project_id and r.campaign_id = c.id
      where coalesce(k.redemptions, 0) <> coalesce(r.count, 0)`,
  "a campaign sums up its redemptions that were not rolled back": (db) =>
    db`select count(*), min(c.project_id || ' ' || c.id) as example from campaigns c
      left join ${countedBy(db, "campaign")} as k on k.project_id = c.project_id and k.subject_id = c.id
      left join ${summedBy(db, "campaign_id")} as r on r.project_id = c.project_id and r.subject_id = c.id
      where ${sumsDiffer(db)}`,
  "a promotion tier counts and sums up its redemptions that were not rolled back": (db) =>
    db`select count(*), min(t.project_id || ' ' || t.id) as example from promotion_tiers t
      left join ${countedBy(db, "promotion_tier")} as k on k.project_id = t.project_id and k.subject_id = t.id
      left join ${summedBy(db, "related_object_id")} as r on r.project_id = t.project_id and r.subject_id = t.id
      where coalesce(k.redemptions, 0) <> coalesce(r.redemptions, 0) or ${sumsDiffer(db)}`,
  "the totals of redemptions are how many there are": (db) =>
    db`select count(*), min(project_id || ' ' || coalesce(nullif(campaign_id, ''), 'without campaign')) as example
      from (select project_id, object, result, campaign_id, sum(count) as total from redemption_tallies
        where object <> 'deleted' group by project_id, object, result, campaign_id) as t
      full join (select project_id, object, result, coalesce(campaign_id, '') as campaign_id, count(*) as total
        from redemptions group by 1, 2, 3, 4) as r using (project_id, object, result, campaign_id)
      where coalesce(t.total, 0) <> coalesce(r.total, 0)`,
  // Whoever changes an order copies it into these, and finds them by their names.
  "an order names the redemptions that show it as it is": (db) =>
    db`select count(*), min(r.project_id || ' ' || r.id) as example from redemptions r
      join orders o on o.project_id = r.project_id and o.id = r.order_id
      where r.order_shown is null and position('"' || r.id || '"' in o.redemptions::text) = 0`,
  // Who was erased holds nothing; a friend who was removed from a code stays referred.
  "nobody is referred by themselves, and what referred them is there": (db) =>
    db`select count(*), min(f.project_id || ' ' || f.referee_id) as example from referral_conversions f
      where f.referee_id = f.referrer_id or (f.related_object_type = 'redemption' and not exists (
        select 1 from redemptions r where r.project_id = f.project_id and r.id = f.related_object_id))`,
  "who was referred was told of it once": (db) =>
    db`select count(*), min(f.project_id || ' ' || f.referee_id) as example from referral_conversions f
      join customers c on c.project_id = f.project_id and c.id = f.referee_id
      left join (select project_id, customer_id, campaign_id, count(*) from events
        where kind = 'customer.referred' group by project_id, customer_id, campaign_id) as e
        on e.project_id = f.project_id and e.customer_id = f.referee_id and e.campaign_id = f.campaign_id
      where coalesce(e.count, 0) <> 1`,
  "a code was published as often as it is in publications": (db) =>
    db`select count(*), min(v.project_id || ' ' || v.id) as example from vouchers v
      left join (select p.project_id, x.id, count(*) from publications p
        cross join lateral jsonb_array_elements_text(p.voucher_ids) as x (id)
        where p.result = 'SUCCESS' group by p.project_id, x.id) as p on p.project_id = v.project_id and p.id = v.id
      where v.published_count <> coalesce(p.count, 0)`,
  ...ROLLUP_LAWS,
};

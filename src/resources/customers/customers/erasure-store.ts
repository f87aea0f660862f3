import { refusal } from "../../../core/answer.ts";
import type { CustomerRow } from "../../../core/rows/customer.ts";
import type { Fragment, Tx } from "../../../db/db.ts";
import { insertOf } from "../../../db/records.ts";
import { unfolded } from "../../../db/unfolded.ts";
import {
  deleteNamedExports,
  endNamedExports,
  eraseEnrolments,
  eraseEntries,
  eraseFailed,
  restartExports,
} from "./long-work-erasure-store.ts";
import { requestHashesOf } from "./personal-data-store.ts";
import type { PermanentDeletion } from "./schema.ts";

type Counted = keyof PermanentDeletion["data_json"];
type Erasure = {
  /** Where its rows are counted in the answer; null: nowhere. */
  counted: Counted | null;
  /** Only a permanent deletion reaches it. */
  isPermanent?: true;
  run(tx: Tx, customer: CustomerRow, now: string): PromiseLike<{ count: number }>;
};

/**
 * Everything that is kept of a customer, in the order in which it goes. Whoever stores something more of a customer adds
 * a line; the test of permanent deletion looks into every table.
 */
const ERASURES: readonly Erasure[] = [
  {
    counted: "segments",
    run: (tx, { project_id, id }) => tx`
      delete from segment_members where project_id = ${project_id} and customer_id = ${id}`,
  },
  {
    counted: "order_events",
    run: (tx, customer) => countEvents(tx, customer, tx`kind like 'customer.order.%'`),
  },
  {
    counted: "customer_events",
    run: (tx, customer) => countEvents(tx, customer, tx`kind not like 'customer.order.%'`),
  },
  {
    counted: null,
    run: (tx, { project_id, id }) => tx`
      delete from events where project_id = ${project_id} and customer_id = ${id}`,
  },
  // What webhooks were told. What happened before is told still, unless nothing at all may be left of the customer.
  { counted: null, run: (tx, customer) => eraseDeliveries(tx, customer, tx`due_at is null`) },
  { counted: null, isPermanent: true, run: (tx, customer) => eraseDeliveries(tx, customer, tx`true`) },
  // What was decided on goes with either deletion, and comes first: it is found by who redeemed.
  {
    counted: null,
    run: (tx, { project_id, id, tracking_id }) => tx`
      update redemptions set receipt = 'false'
      where project_id = ${project_id} and (customer_id = ${id} or tracking_id = ${tracking_id}) and receipt is not null`,
  },
  // Before the redemptions, which answers are found by.
  { counted: null, isPermanent: true, run: eraseAnswers },
  // Redemptions stay, for the counters and the ledger; who it was goes. After that the orders: they lead to the rest.
  { counted: null, isPermanent: true, run: eraseRedemptions },
  { counted: null, isPermanent: true, run: eraseOwnOrders },
  { counted: null, run: keepOrders },
  { counted: null, isPermanent: true, run: eraseReferredOrders },
  {
    counted: "orders",
    run: (tx, { project_id, id }) => tx`delete from orders where project_id = ${project_id} and customer_id = ${id}`,
  },
  {
    counted: null,
    run: (tx, { project_id, id }) => tx`
      update orders set referrer_id = null where project_id = ${project_id} and referrer_id = ${id}`,
  },
  {
    // Told of the friends whom the customer brought.
    counted: null,
    isPermanent: true,
    run: (tx, { project_id, id }) => tx`
      update events set payload = payload::jsonb - 'referrer'
      where project_id = ${project_id} and kind = 'customer.referred' and customer_id in (
        select r.referee_id from referral_conversions r where r.project_id = ${project_id} and r.referrer_id = ${id})`,
  },
  {
    // Events that named the customer's referral codes.
    counted: null,
    isPermanent: true,
    run: (tx, { project_id, id }) => tx`
      update events set payload = payload::jsonb #- '{referral,referrer}'
      where project_id = ${project_id} and kind = 'customer.custom_event' and voucher_id in (
        select h.voucher_id from redeemable_holders h where h.project_id = ${project_id} and h.customer_id = ${id})`,
  },
  {
    counted: null,
    run: (tx, { project_id, id }) => tx`
      update referral_conversions set referrer_id = null where project_id = ${project_id} and referrer_id = ${id}`,
  },
  {
    // Who brought the customer has brought somebody.
    counted: null,
    run: (tx, { project_id, id }) => tx`
      update referral_conversions set referee_id =
        'erased ' || related_object_id || ' ' || extract(epoch from created_at at time zone 'UTC')::text
      where project_id = ${project_id} and referee_id = ${id}`,
  },
  // Before the holders, whom the cards are found by.
  { counted: null, run: eraseReasons },
  // Requests and refusals that name the customer or a card, and a note for those that are written in this moment.
  { counted: null, isPermanent: true, run: eraseRequests },
  {
    counted: null,
    run: (tx, { project_id, id }) => tx`
      delete from redeemable_holders where project_id = ${project_id} and customer_id = ${id}`,
  },
  {
    counted: null,
    run: (tx, { project_id, id }, now) => tx`
      update vouchers set holder_id = null, updated_at = ${now}
      where project_id = ${project_id} and holder_id = ${id}`,
  },
  {
    counted: null,
    run: (tx, { project_id, id }, now) => tx`
      update vouchers set referrer_id = null, updated_at = ${now}
      where project_id = ${project_id} and referrer_id = ${id}`,
  },
  {
    counted: null,
    run: (tx, { project_id, id }) => tx`
      delete from validations where project_id = ${project_id} and customer_id = ${id}`,
  },
  {
    counted: null,
    run: (tx, { project_id, tracking_id }) => tx`
      delete from validations where project_id = ${project_id} and tracking_id = ${tracking_id}`,
  },
  {
    counted: null,
    run: (tx, { project_id, tracking_id }) => tx`
      delete from unconfirmed_customers where project_id = ${project_id} and tracking_id = ${tracking_id}`,
  },
  {
    counted: null,
    run: (tx, { project_id, id }) => tx`
      delete from unit_counters where project_id = ${project_id} and customer_id = ${id}`,
  },
  {
    // Told of the codes that the customer was given.
    counted: null,
    isPermanent: true,
    run: (tx, { project_id, id }) => tx`
      update events set payload = payload::jsonb - 'customer_id'
      where project_id = ${project_id} and payload ->> 'customer_id' = ${id} and voucher_id in (
        select jsonb_array_elements_text(p.voucher_ids) from publications p
        where p.project_id = ${project_id} and p.customer_id = ${id})`,
  },
  {
    counted: null,
    run: (tx, { project_id, id }) => tx`
      update publications set customer_id = null, tracking_id = null, metadata = '{}'
      where project_id = ${project_id} and customer_id = ${id}`,
  },
  {
    counted: null,
    run: (tx, { project_id, id }) => tx`
      delete from events where project_id = ${project_id} and subject_id in (
        select m.id from loyalty_members m where m.project_id = ${project_id} and m.customer_id = ${id}
        union all
        select c.id from loyalty_cards c join loyalty_members m on m.project_id = c.project_id and m.id = c.member_id
        where m.project_id = ${project_id} and m.customer_id = ${id})`,
  },
  {
    // The flow has deleted them. What happened with their points stays, of nobody.
    counted: null,
    run: (tx, { project_id, id }) => tx`
      update loyalty_members set customer_id = null, metadata = '{}', uses = '{}'
      where project_id = ${project_id} and customer_id = ${id}`,
  },
  { counted: null, isPermanent: true, run: eraseEnrolments },
  {
    // Looking for somebody in all files would take longer than a request may: those that can tell of customers end, and
    // `jobs/purge-expired.ts` removes them.
    counted: null,
    isPermanent: true,
    run: (tx, { project_id }, now) => tx`
      update files set expires_at = ${now} where project_id = ${project_id} and is_personal and expires_at > ${now}`,
  },
  { counted: null, isPermanent: true, run: endNamedExports },
  { counted: null, isPermanent: true, run: restartExports },
  { counted: null, isPermanent: true, run: deleteNamedExports },
  // What is still to be done with them in bulk, and what was told of that.
  { counted: null, isPermanent: true, run: eraseEntries },
  { counted: null, isPermanent: true, run: (tx, customer, now) => eraseFailed(tx, customer, { list: "errors", now }) },
  { counted: null, isPermanent: true, run: (tx, customer, now) => eraseFailed(tx, customer, { list: "failed", now }) },
  {
    counted: "customer",
    run: (tx, { project_id, id }) => tx`delete from customers where project_id = ${project_id} and id = ${id}`,
  },
];

/** What somebody wrote when they moved points or credits by hand, on cards of members and on codes that the customer holds. */
function eraseReasons(tx: Tx, { project_id, id }: CustomerRow) {
  return tx`
    update ledger_entries set reason = null
    where project_id = ${project_id} and reason is not null
      and kind in ('addition', 'removal', 'transfer_in', 'transfer_out', 'manual_expiration') and account_id in (
        select c.id from loyalty_cards c join loyalty_members m on m.project_id = c.project_id and m.id = c.member_id
        where m.project_id = ${project_id} and m.customer_id = ${id}
        union all
        select v.id from vouchers v where v.project_id = ${project_id} and v.holder_id = ${id}
        union all
        select h.voucher_id from redeemable_holders h where h.project_id = ${project_id} and h.customer_id = ${id})`;
}

/** How many events there are, not rows: a row may hold some of both kinds. */
async function countEvents(tx: Tx, { project_id, id }: CustomerRow, which: Fragment): Promise<{ count: number }> {
  const [row] = await tx<[{ count: number }]>`
    select count(*) from ${unfolded(tx, tx`r.project_id = ${project_id} and r.customer_id = ${id}`)} as e where ${which}`;
  return row;
}

/** What they redeemed: units that count against limits of theirs have no counter any more. */
function eraseRedemptions(tx: Tx, { project_id, id, tracking_id }: CustomerRow) {
  return tx`
  update redemptions r set customer_id = null, tracking_id = null, metadata = '{}', order_shown = 'false', effect = x.effect
  from (
    select id, jsonb_set(effect::jsonb, '{units}', coalesce(
      (select jsonb_agg(unit) from json_array_elements(effect -> 'units') unit where unit ->> 1 <> ${id}), '[]')) as effect
    from redemptions where project_id = ${project_id} and (customer_id = ${id} or tracking_id = ${tracking_id})) x
  where r.project_id = ${project_id} and r.id = x.id`;
}

/** What others redeemed with an order that is the customer's, or that the customer referred. */
function redeemedWith(tx: Tx, { project_id, id }: CustomerRow, role: "customer_id" | "referrer_id") {
  return tx`
    with named as (
      select r.key as id, r.value -> 'stacked' as stacked from orders o, json_each(o.redemptions) r
      where o.project_id = ${project_id} and o.${tx(role)} = ${id}
    )
    select id from named union select json_array_elements_text(stacked) from named`;
}

function eraseOwnOrders(tx: Tx, customer: CustomerRow) {
  const ids = redeemedWith(tx, customer, "customer_id");
  return tx`
    update redemptions set order_shown = 'false', receipt = case when receipt is not null then 'false'::json end
    where project_id = ${customer.project_id} and (id in (${ids}) or redemption_id in (${ids}))`;
}

/** Redemptions that show an order as it is show it still when it is gone, or has lost who referred it. */
function keepOrders(tx: Tx, customer: CustomerRow) {
  const { project_id, id } = customer;
  return tx`
    update redemptions r set order_shown = o.shown
    from (select id, json_build_object('was', to_json(w)) as shown from orders w
      where w.project_id = ${project_id} and (w.customer_id = ${id} or w.referrer_id = ${id}) offset 0) o
    where r.project_id = ${project_id} and o.id = r.order_id and r.order_shown is null
      and r.id = any(array(${redeemedWith(tx, customer, "customer_id")})
        || array(${redeemedWith(tx, customer, "referrer_id")}))`;
}

function eraseReferredOrders(tx: Tx, customer: CustomerRow) {
  const ids = redeemedWith(tx, customer, "referrer_id");
  return tx`
    update redemptions set order_shown = case
      when order_shown -> 'was' is null then order_shown::jsonb - array['referrer', 'referrer_id']
      else jsonb_set(order_shown::jsonb, '{was,referrer_id}', 'null') end
    where project_id = ${customer.project_id} and json_typeof(order_shown) = 'object'
      and (id in (${ids}) or redemption_id in (${ids}))`;
}

/**
 * Answers that were stored for a repeated request. The key stays taken, so that a repetition does not do the work again:
 * it is told that the answer is no longer there. What is made again from redemptions is found by them.
 */
function eraseAnswers(tx: Tx, customer: CustomerRow) {
  const { project_id, id, source_id, tracking_id, email } = customer;
  const traces = [
    id,
    ...(tracking_id === null ? [] : [tracking_id]),
    ...(source_id === null ? [] : [`"source_id":${JSON.stringify(source_id)}`]),
    ...(email === null ? [] : [JSON.stringify(email)]),
  ];
  const { status, body } = refusal("not_found", {
    details: "The answer was erased together with its customer",
    resource_type: "customer",
    request_id: "erased",
  });
  return tx`
    update idempotency_keys set status = ${status}, body = ${body}, made_of = null, bytes = null, sha256 = null
    where project_id = ${project_id} and (
      exists (select 1 from unnest(${traces}::text[]) as x (trace)
        where position(x.trace in coalesce(body, made_of::text)) > 0)
      or exists (select 1 from json_array_elements_text(made_of -> 'ids') as x (id) where x.id = any(array(
          select id from redemptions
          where project_id = ${project_id} and (customer_id = ${id} or tracking_id = ${tracking_id}))
        || array(${redeemedWith(tx, customer, "customer_id")})
        || array(${redeemedWith(tx, customer, "referrer_id")}))))`;
}

/**
 * Requests and refusals that name the customer or a code of theirs: somebody may have written a reason about them. What is logged after this is
 * found by the hashes that are left here (`jobs/purge-expired.ts`).
 */
async function eraseRequests(tx: Tx, customer: CustomerRow, now: string) {
  const { project_id, id } = customer;
  const held = await tx<{ hash: string }[]>`
    select encode(sha256(convert_to(v.code_folded, 'UTF8')), 'hex') as hash from vouchers v
    where v.project_id = ${project_id} and v.holder_id = ${id}
    union all
    select encode(sha256(convert_to(c.code_folded, 'UTF8')), 'hex') from loyalty_members m
      join loyalty_cards c on c.project_id = ${project_id} and c.member_id = m.id
    where m.project_id = ${project_id} and m.customer_id = ${id}`;
  const hashes = [...requestHashesOf(customer), ...held.map(({ hash }) => hash)];
  const rows = hashes.map((hash) => ({ kind: "erased", hash, request_id: "", created_at: now }));
  await tx`
    insert into request_log_names ${insertOf(tx, "request_log_names", project_id, rows)} on conflict do nothing`;
  const named = await tx<{ request_id: string }[]>`
    select distinct request_id from request_log_names
    where project_id = ${project_id} and kind in ('customer', 'code') and hash = any(${hashes})`;
  const ids = named.map(({ request_id }) => request_id);
  await eraseRefusals(tx, project_id, hashes);
  await tx`delete from request_log_names where project_id = ${project_id} and request_id = any(${ids})`;
  return tx`delete from request_log where project_id = ${project_id} and id = any(${ids})`;
}

/** The same for refusals. What the project's refusals take is counted in one row, and whoever changes it locks it first. */
async function eraseRefusals(tx: Tx, project_id: string, hashes: readonly string[]): Promise<void> {
  await tx`select 1 from refusal_usage where project_id = ${project_id} order by project_id for no key update`;
  const named = await tx<{ refusal_id: string }[]>`
    select distinct refusal_id from refusal_names
    where project_id = ${project_id} and kind in ('customer', 'code') and hash = any(${hashes})`;
  const ids = named.map(({ refusal_id }) => refusal_id);
  await tx`delete from refusal_names where project_id = ${project_id} and refusal_id = any(${ids})`;
  const gone = await tx<{ bytes: number }[]>`
    delete from refusals where project_id = ${project_id} and id = any(${ids}) returning bytes`;
  const bytes = gone.reduce((sum, row) => sum + row.bytes, 0);
  await tx`update refusal_usage set bytes = bytes - ${bytes}::bigint where project_id = ${project_id}`;
}

/** Erases a customer whose row is locked, and counts what there was. */
export async function eraseCustomerRows(
  tx: Tx,
  customer: CustomerRow,
  { isPermanent, now }: { isPermanent: boolean; now: string },
): Promise<PermanentDeletion["data_json"]> {
  const counts = {
    events: 0,
    customer_events: 0,
    daily_events: 0,
    segments: 0,
    orders: 0,
    order_events: 0,
    customer: 0,
  };
  for (const erasure of ERASURES) {
    if (erasure.isPermanent && !isPermanent) continue;
    const { count } = await erasure.run(tx, customer, now);
    if (erasure.counted !== null) counts[erasure.counted] += count;
  }
  return counts;
}

/** Deliveries are found by whom they name. They are locked in the order of their ids, as whoever writes attempts does it. */
async function eraseDeliveries(tx: Tx, { project_id, id }: CustomerRow, which: Fragment) {
  const gone = await tx<{ id: string }[]>`
    delete from webhook_deliveries
    where project_id = ${project_id} and id in (
      select id from webhook_deliveries
      where project_id = ${project_id} and ${which}
        and (customer_id = ${id} or holder_id = ${id} or people @> ${[id]})
      order by id for no key update)
    returning id`;
  return tx`
    delete from webhook_attempts where project_id = ${project_id} and delivery_id = any(${gone.map((row) => row.id)})`;
}

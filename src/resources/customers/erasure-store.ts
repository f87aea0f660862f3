import { refusal } from "../../core/answer.ts";
import type { Tx } from "../../db/db.ts";
import type { CustomerRow, PermanentDeletion } from "./schema.ts";

type Counted = keyof PermanentDeletion["data_json"];
type Erasure = {
  /** Where its rows are counted in the answer; null: nowhere. */
  counted: Counted | null;
  /** Only a permanent deletion reaches it. */
  isPermanent?: true;
  run(tx: Tx, customer: CustomerRow): PromiseLike<{ count: number }>;
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
    run: (tx, { project_id, id }) => tx`
      delete from events where project_id = ${project_id} and customer_id = ${id} and kind like 'customer.order.%'`,
  },
  {
    counted: "customer_events",
    run: (tx, { project_id, id }) => tx`
      delete from events where project_id = ${project_id} and customer_id = ${id}`,
  },
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
    counted: null,
    run: (tx, { project_id, id }) => tx`
      delete from redeemable_holders where project_id = ${project_id} and customer_id = ${id}`,
  },
  {
    counted: null,
    run: (tx, { project_id, id }) => tx`
      update vouchers set holder_id = null where project_id = ${project_id} and holder_id = ${id}`,
  },
  {
    counted: null,
    run: (tx, { project_id, id }) => tx`
      update vouchers set referrer_id = null where project_id = ${project_id} and referrer_id = ${id}`,
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
    run: (tx, { project_id, id, tracking_id }) => tx`
      update receipts set receipt = null, customer_id = null, tracking_id = null
      where project_id = ${project_id} and (customer_id = ${id} or tracking_id = ${tracking_id})`,
  },
  {
    counted: null,
    run: (tx, { project_id, id }) => tx`
      delete from unit_counters where project_id = ${project_id} and customer_id = ${id}`,
  },
  {
    counted: null,
    run: (tx, { project_id, id }) => tx`
      update publications set customer_id = null, tracking_id = null, metadata = '{}'
      where project_id = ${project_id} and customer_id = ${id}`,
  },
  { counted: null, isPermanent: true, run: eraseAnswers },
  {
    counted: "customer",
    run: (tx, { project_id, id }) => tx`delete from customers where project_id = ${project_id} and id = ${id}`,
  },
];

/**
 * Answers that were stored for a repeated request. The key stays taken, so that a repetition does not do the work again:
 * it is told that the answer is no longer there.
 */
function eraseAnswers(tx: Tx, { project_id, id, source_id, tracking_id, email }: CustomerRow) {
  const traces = [
    id,
    ...(tracking_id === null ? [] : [tracking_id]),
    ...(source_id === null ? [] : [`"source_id":${JSON.stringify(source_id)}`]),
    ...(email === null ? [] : [`"email":${JSON.stringify(email)}`]),
  ];
  const { status, body } = refusal("not_found", {
    details: "The answer was erased together with its customer",
    resource_type: "customer",
    request_id: "erased",
  });
  return tx`
    update idempotency_keys set status = ${status}, body = ${body}
    where project_id = ${project_id} and body is not null
      and exists (select 1 from unnest(${traces}::text[]) as x (trace) where position(x.trace in body) > 0)`;
}

/** Erases a customer whose row is locked, and counts what there was. */
export async function eraseCustomerRows(
  tx: Tx,
  customer: CustomerRow,
  { isPermanent }: { isPermanent: boolean },
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
    const { count } = await erasure.run(tx, customer);
    if (erasure.counted !== null) counts[erasure.counted] += count;
  }
  return counts;
}

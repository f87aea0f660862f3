import { notFound } from "../../../core/errors.ts";
import type { CustomerRow } from "../../../core/rows/customer.ts";
import type { Fragment, Tx } from "../../../db/db.ts";

// What is still to be done, and what became of it. A customer is found by the fields that name one, and never by text that is
// somewhere: a source id may be the code of a voucher, a word, or `1001`.

/** What requests call a customer. */
const referencesOf = ({ id, source_id, tracking_id }: CustomerRow): string[] =>
  [id, source_id, tracking_id].filter((name) => name !== null);

const person = (path: string): string[] => [path, `${path}_id`, `${path}.id`, `${path}.source_id`];
/** Where an entry of an action names customers. Actions that are not here name none. */
const NAMED_IN: Readonly<Record<string, readonly string[]>> = {
  // The key is that of an entry whose shape was wrong.
  "CUSTOMERS.BULK_UPDATE": ["value.id", "value.source_id", "key"],
  "CUSTOMERS.METADATA_UPDATE": ["value", "key"],
  "ORDERS.IMPORT": [...person("value.customer"), ...person("value.referrer")],
};
const ENROLLED_IN = [
  "customer_id",
  "customer_identification.customer_id",
  "customer_identification.customer_source_id",
];

/** Whether one of the fields of an entry has one of the values. */
const hasAny = (tx: Tx, entry: Fragment, paths: Fragment, values: readonly string[]): Fragment => tx`
  exists (select 1 from (${paths}) as f (path) where ${entry} #>> string_to_array(f.path, '.') = any(${values}))`;

/** Entries of async actions that name the customer. One that is left says only that it is gone, so that their numbers stay. */
export function eraseEntries(tx: Tx, customer: CustomerRow) {
  const rows = Object.entries(NAMED_IN).flatMap(([type, paths]) => paths.map((path) => ({ type, path })));
  const [types, paths] = [rows.map(({ type }) => type), rows.map(({ path }) => path)];
  const ofType = tx`
    select n.path from unnest(${types}::text[], ${paths}::text[]) as n (type, path) where n.type = a.type`;
  const isNamed = hasAny(tx, tx`x.entry`, ofType, referencesOf(customer));
  return tx`
    update async_action_parts p set entries = (
      select json_agg(case when ${isNamed}
        then json_build_object('fault', 'The customer was erased', 'key', null) else x.entry end order by x.n)
      from json_array_elements(p.entries) with ordinality as x (entry, n))
    from async_actions a
    where p.project_id = ${customer.project_id} and a.project_id = ${customer.project_id} and a.id = p.async_action_id
      and a.type = any(${Object.keys(NAMED_IN)})
      and exists (select 1 from json_array_elements(p.entries) as x (entry) where ${isNamed})`;
}

/** Who waits to be enrolled: the entry keeps its place, and fails. */
export function eraseEnrolments(tx: Tx, customer: CustomerRow) {
  const isNamed = hasAny(tx, tx`e.entry`, tx`select unnest(${ENROLLED_IN}::text[])`, referencesOf(customer));
  return tx`
    update loyalty_enrolments set entries = (
      select jsonb_agg(case when ${isNamed} then '{}' else e.entry end order by e.n)
      from jsonb_array_elements(entries) with ordinality as e (entry, n))
    where project_id = ${customer.project_id}
      and exists (select 1 from jsonb_array_elements(entries) as e (entry) where ${isNamed})`;
}

/** After 30 days `jobs/purge-expired.ts` has emptied what an action could not do; a day more, since it may be late. */
const TOLD_MS = 31 * 86_400_000;

/** Why something could not be done with the customer, in the results of async actions and in those under way. */
export function eraseFailed(tx: Tx, customer: CustomerRow, { list, now }: { list: "errors" | "failed"; now: string }) {
  const names = referencesOf(customer);
  const reasons = names.map((name) => notFound("customer", name).body.details!);
  // The source id of an order, of a product or of a code is nobody's.
  const isNamed = tx`
    ((type like 'CUSTOMERS.%' and coalesce(e ->> 'source_id' = any(${names}), false))
      or coalesce(coalesce(e ->> 'reason', e ->> 'details') = any(${reasons}), false))`;
  const listIn = (column: "result" | "work") => tx`
    case when jsonb_typeof(${tx(column)} -> ${list}) = 'array' then ${tx(column)} -> ${list} else '[]' end`;
  const isIn = (column: "result" | "work") => tx`
    exists (select 1 from jsonb_array_elements(${listIn(column)}) e where ${isNamed})`;
  const without = (column: "result" | "work") => tx`
    case when ${isIn(column)} then jsonb_set(${tx(column)}, array[${list}], coalesce(
      (select jsonb_agg(e) from jsonb_array_elements(${listIn(column)}) e where not ${isNamed}), '[]'))
    else ${tx(column)} end`;
  return tx`
    update async_actions set result = ${without("result")}, work = ${without("work")}
    where project_id = ${customer.project_id} and (type like 'CUSTOMERS.%' or type = 'ORDERS.IMPORT')
      and (status in ('ENQUEUED', 'IN_PROGRESS')
        or updated_at > ${new Date(Date.parse(now) - TOLD_MS).toISOString()} or updated_at is null)
      and (${isIn("result")} or ${isIn("work")})`;
}

/**
 * Whether the filters of an export look for the customer: an id or an address of e-mail in any field, and all else that a customer
 * is called in the fields that are about one.
 */
function filtersName(tx: Tx, { id, source_id, tracking_id, email, phone, name }: CustomerRow): Fragment {
  const [anywhere, called] = [
    [id, tracking_id, email],
    [source_id, phone, name],
  ].map((list) => list.filter((one) => one !== null));
  return tx`exists (
    select 1
    from jsonb_each(case when json_typeof(e.parameters -> 'filters') = 'object' then (e.parameters -> 'filters')::jsonb
      else '{}' end) as f (field, condition),
      jsonb_path_query(f.condition, '$.**') as v (value)
    where jsonb_typeof(v.value) = 'string' and (v.value #>> '{}' = any(${anywhere!}) or (
      v.value #>> '{}' = any(${called!}) and (e.exported_object = 'customer' or f.field ~ 'customer|holder|referrer'))))`;
}

/** Whether an export came to the customer: the row itself, or one that is ordered by whose it is. */
const standsAt = (tx: Tx, customer: CustomerRow): Fragment => tx`
  (e.last_row ->> 'id' = ${customer.id} or e.last_row ->> 'value' = any(${referencesOf(customer)}))`;

export const endNamedExports = (tx: Tx, customer: CustomerRow, now: string) => tx`
  update files set expires_at = ${now} where project_id = ${customer.project_id} and expires_at > ${now} and id in (
    select e.id from exports e
    where e.project_id = ${customer.project_id}
      and (${filtersName(tx, customer)} or coalesce(${standsAt(tx, customer)}, false)))`;

/** An export that came to the customer begins anew, as its file has ended. */
export const restartExports = (tx: Tx, customer: CustomerRow) => tx`
  update exports e set last_row = null where e.project_id = ${customer.project_id} and ${standsAt(tx, customer)}`;

export const deleteNamedExports = (tx: Tx, customer: CustomerRow) => tx`
  delete from exports e where e.project_id = ${customer.project_id} and ${filtersName(tx, customer)}`;

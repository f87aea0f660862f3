import { foldCode } from "../../../core/codes/code.ts";
import { RESULTS_MAX, type SearchHit, type SearchType } from "../../../core/search/results.ts";
import type { Db, Fragment } from "../../../db/db.ts";
import { between, startsWith } from "../../../db/filters.ts";
import type { Project } from "../../../request.ts";

type SearchQuestion = { project: Pick<Project, "id" | "case_sensitive_codes">; q: string };
type Part = (db: Db, asked: SearchQuestion) => readonly Fragment[];

const CUSTOMER_COLUMNS = ["name", "source_id", "phone"] as const;

/** Each part reads one index, and few rows of it. */
const PARTS: Partial<Record<SearchType, Part>> = {
  voucher: (db, { project: { id, case_sensitive_codes }, q }) => [
    db`select 'voucher', code, code, type, array[code, id] from vouchers
      where project_id = ${id} and ${between(db, db`code_folded`, foldCode(q, case_sensitive_codes))} and deleted_at is null
      order by code_folded limit ${RESULTS_MAX}`,
    db`select 'voucher', code, code, type, array[code, id] from vouchers
      where project_id = ${id} and id = ${q} and deleted_at is null`,
  ],
  customer: (db, { project: { id }, q }) => {
    const columns = db`select 'customer', id, coalesce(name, email, source_id, id), coalesce(email, source_id, phone, ''),
      array[id, name, email, source_id, phone] from customers where project_id = ${id}`;
    const lower = q.toLowerCase();
    return [
      ...CUSTOMER_COLUMNS.map(
        (name) => db`${columns} and ${startsWith(db, db`lower(${db(name)})`, lower)}
          order by lower(${db(name)}) using ~<~ limit ${RESULTS_MAX}`,
      ),
      db`${columns} and ${between(db, db`lower(email)`, lower)} order by lower(email) limit ${RESULTS_MAX}`,
      db`${columns} and id = ${q}`,
    ];
  },
  order: (db, { project: { id }, q }) => {
    const columns = db`select 'order', id, coalesce(source_id, id), status, array[id, source_id] from orders where project_id = ${id}`;
    return [
      db`${columns} and ${between(db, db`source_id`, q)} order by source_id limit ${RESULTS_MAX}`,
      db`${columns} and ${between(db, db`id`, q)} order by id limit ${RESULTS_MAX}`,
    ];
  },
  redemption: (db, { project: { id }, q }) => [
    db`select 'redemption', id, coalesce(voucher_code, related_object_id, id), status, array[id] from redemptions
      where project_id = ${id} and ${between(db, db`id`, q)} order by id limit ${RESULTS_MAX}`,
  ],
  refusal: (db, { project: { id }, q }) => {
    const columns = db`select 'refusal', id, reason, request_id, array[id, request_id] from refusals where project_id = ${id}`;
    return [
      db`${columns} and ${startsWith(db, db`request_id`, q)} order by request_id using ~<~ limit ${RESULTS_MAX}`,
      db`${columns} and id = ${q}`,
    ];
  },
  request: (db, { project: { id }, q }) => [
    db`select 'request', id, method || ' ' || route, status::text, array[id] from request_log
      where project_id = ${id} and ${between(db, db`id`, q)} order by id limit ${RESULTS_MAX}`,
  ],
};

/** The statement that finds rows of these types; null: none of them is in a table. */
export function searchStatement(db: Db, asked: SearchQuestion, types: readonly SearchType[]): Fragment | null {
  const parts = types.flatMap((type) => PARTS[type]?.(db, asked) ?? []);
  if (parts.length === 0) return null;
  // The columns are named here: whichever part comes first would name them otherwise.
  return db`select * from (${parts.map((part, n) => db`${n > 0 ? db`union all` : db``} (${part})`)})
    as found (type, id, title, detail, texts)`;
}

/** Everything that is found in tables, each once, in one round trip. */
export async function searchRows(db: Db, asked: SearchQuestion, types: readonly SearchType[]): Promise<SearchHit[]> {
  const statement = searchStatement(db, asked, types);
  if (!statement) return [];
  const rows = (await db`${statement}`) as unknown as SearchHit[];
  return [...new Map(rows.map((row) => [`${row.type} ${row.id}`, row])).values()];
}

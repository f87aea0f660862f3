import { foldCode, trimCode } from "../../../core/codes/code.ts";
import { notFound } from "../../../core/errors.ts";
import type { VoucherRow, VoucherUse } from "../../../core/rows/voucher.ts";
import { crudStore } from "../../../db/crud-store.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { heldRows } from "../../../db/held-rows.ts";
import { tenantOf } from "../../../db/records.ts";
import type { Project } from "../../../request.ts";

type Folding = Pick<Project, "id" | "case_sensitive_codes">;
const folded = ({ case_sensitive_codes }: Folding, code: string) => foldCode(trimCode(code), case_sensitive_codes);

/** For a row that was locked before: it would find one in the bin too. */
export const { update: updateVoucher } = crudStore<VoucherRow>({
  table: "vouchers",
  object: "voucher",
  columns: ["settings", "category_id", "active", "additional_info", "updated_at"],
  sortable: [],
});

/** All that the references name, by id or by code. A code cannot look like an id, so each names one at most. */
export function findVouchers(db: Db, project: Folding, references: readonly string[]) {
  const ids = references.filter((one) => one.startsWith("v_"));
  const codes = [...new Set(references.map((one) => folded(project, one)))];
  return db<VoucherRow[]>`
    select t.* from unnest((select ${ids}::text[])) as x (ref) join vouchers t on t.project_id = ${project.id} and t.id = ref
    where t.deleted_at is null
    union all
    select t.* from unnest((select ${codes}::text[])) as x (ref)
      join vouchers t on t.project_id = ${project.id} and t.code_folded = ref
    where t.deleted_at is null and t.id <> all(${ids})`;
}

/** By its id or its code. Whether its campaign is in the bin is not asked here. */
export async function getVoucher(db: Db, project: Folding, reference: string): Promise<VoucherRow> {
  const [row] = await findVouchers(db, project, [reference]);
  if (!row) throw notFound("voucher", reference);
  return row;
}

export const vouchersById = (db: Db, projectId: string, ids: readonly string[]) =>
  db<VoucherRow[]>`
    select * from vouchers where project_id = ${projectId} and id = any(${ids}) and deleted_at is null`;

/** The vouchers that are still there, locked, each with its newest values. */
export const lockVouchers = (tx: Tx, projectId: string, ids: readonly string[]) =>
  tx<VoucherRow[]>`
    select * from vouchers where project_id = ${projectId} and id = any(${ids}) and deleted_at is null
    order by id for no key update`.execute();

/** The ids and folded codes of those that another transaction holds. */
export async function heldVouchers(tx: Tx, project: Folding, references: readonly string[]): Promise<Set<string>> {
  if (references.length === 0) return new Set();
  const ids = (await findVouchers(tx, project, references)).map(({ id }) => id);
  const rows = await heldRows<{ id: string; code_folded: string }>(
    tx,
    { table: "vouchers", key: "id", projectId: project.id },
    () => tx`id = any(${ids})`,
  );
  return new Set(rows.flatMap(({ id, code_folded }) => [id, code_folded]));
}

/** By its id or its code; nobody else changes or deletes it until the transaction ends. */
export async function lockVoucher(tx: Tx, project: Folding, reference: string): Promise<VoucherRow> {
  const [row] = await tx<VoucherRow[]>`
    select * from vouchers where project_id = ${project.id} and deleted_at is null
      and (id = ${reference} or code_folded = ${folded(project, reference)})
    order by id for no key update`;
  if (!row) throw notFound("voucher", reference);
  return row;
}

/** What a new code is made of. What is left out is as the table has it. */
export type NewVoucher = Pick<VoucherRow, "id" | "code" | "campaign_id" | "type" | "settings"> &
  Partial<Pick<VoucherRow, "category_id" | "active" | "additional_info" | "template_version">>;

/**
 * Inserts codes sorted as the unique key is, so that two who insert the same ones do not wait for each other in a
 * circle. Those that are taken, in the bin too, are left out: what comes back is what was inserted.
 */
export async function insertVouchers(
  tx: Tx,
  project: Folding,
  vouchers: readonly NewVoucher[],
  firstStamp: string,
): Promise<VoucherRow[]> {
  const rows = vouchers.map((one) => ({ ...one, code_folded: folded(project, one.code) }));
  return tx<VoucherRow[]>`
    insert into vouchers (project_id, id, code, code_folded, campaign_id, template_version, type, settings, category_id,
      active, additional_info, created_at)
    select p.project_id, x.id, x.code, x.code_folded, x.campaign_id, x.template_version, x.type, x.settings,
      x.category_id, x.active, x.additional_info, ${firstStamp}::timestamptz + (x.n - 1) * interval '1 microsecond'
    from ${tenantOf(tx, project.id)} cross join unnest(
      ${rows.map((r) => r.id)}::text[], ${rows.map((r) => r.code)}::text[], ${rows.map((r) => r.code_folded)}::text[], ${rows.map((r) => r.campaign_id)}::text[],
      ${rows.map((r) => r.template_version ?? null)}::integer[], ${rows.map((r) => r.type as string)}::text[],
      ${rows.map((r) => (r.settings === null ? null : JSON.stringify(r.settings)))}::text[]::jsonb[],
      ${rows.map((r) => r.category_id ?? null)}::text[], ${rows.map((r) => String(r.active ?? true))}::text[]::boolean[],
      ${rows.map((r) => r.additional_info ?? null)}::text[]) with ordinality
      as x (id, code, code_folded, campaign_id, template_version, type, settings, category_id, active,
        additional_info, n)
    order by x.code_folded
    on conflict (project_id, code_folded) do nothing returning *`;
}

/**
 * Reserves `count` moments, a microsecond apart, none before `now` and none that another redeemable of the project has.
 * Returns the first; the row is locked until the transaction ends.
 */
export async function takeStamps(
  tx: Tx,
  projectId: string,
  { now, count = 1 }: { now: string; count?: number },
): Promise<string> {
  // In UTC a moment and an interval have one sum, whatever the session's zone: some databases take no other here.
  const [row] = await tx<{ first_at: string }[]>`
    insert into redeemable_stamps (project_id, last_at)
    values (${projectId}, ${now}::timestamptz + ${count - 1}::bigint * interval '1 microsecond')
    on conflict (project_id) do update set last_at = greatest(excluded.last_at,
      (redeemable_stamps.last_at at time zone 'UTC' + ${count}::bigint * interval '1 microsecond') at time zone 'UTC')
    returning (last_at at time zone 'UTC' - ${count - 1}::bigint * interval '1 microsecond') at time zone 'UTC' as first_at`;
  return row!.first_at;
}

export const binVouchers = (tx: Tx, projectId: string, codes: readonly { id: string; now: string }[]) => tx`
  update vouchers v set deleted_at = x.now
  from unnest(${codes.map(({ id }) => id)}::text[], ${codes.map(({ now }) => now)}::timestamptz[]) as x (id, now)
  where v.project_id = ${projectId} and v.id = x.id`;

/** A code with the secret of its project: what the address of a picture is checked with. */
export async function findPicturedCode(db: Db, projectId: string, id: string) {
  const [row] = await db<{ code: string; secret: string }[]>`
    select v.code, p.secret from vouchers v join projects p on p.id = v.project_id and p.deleted_at is null
    where v.project_id = ${projectId} and v.id = ${id} and v.deleted_at is null and not exists (
      select 1 from campaigns c
      where c.project_id = v.project_id and c.id = v.campaign_id and c.deleted_at is not null)`;
  return row ?? null;
}

/** Guarded: a code whose limit would not hold, or whose balance is not what was decided on, stays as it is. */
export async function saveUses(tx: Tx, projectId: string, uses: readonly VoucherUse[]): Promise<number> {
  if (uses.length === 0) return 0;
  const json = (value: object | null) => (value === null ? null : JSON.stringify(value));
  const { count } = await tx`
    update vouchers v set redeemed_quantity = v.redeemed_quantity + x.by, uses = x.uses, account = x.account,
      template_version = coalesce(v.template_version, x.template_version),
      updated_at = greatest(v.updated_at, x.updated_at)
    from unnest(${uses.map((u) => u.id)}::text[], ${uses.map((u) => u.by)}::bigint[],
      ${uses.map((u) => u.quantity)}::bigint[], ${uses.map((u) => json(u.uses))}::text[]::jsonb[],
      ${uses.map((u) => json(u.account))}::text[]::jsonb[], ${uses.map((u) => u.available)}::bigint[],
      ${uses.map((u) => u.template_version)}::integer[], ${uses.map((u) => u.updated_at)}::timestamptz[])
      as x (id, by, quantity, uses, account, available, template_version, updated_at)
    where v.project_id = ${projectId} and v.id = x.id
      and (x.quantity is null or x.by <= 0 or v.redeemed_quantity + x.by <= x.quantity)
      and (v.account->>'available')::bigint is not distinct from x.available`;
  return count;
}

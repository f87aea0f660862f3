import { foldCode, trimCode } from "../../../core/codes/code.ts";
import { notFound } from "../../../core/errors.ts";
import type { VoucherRow } from "../../../core/rows/voucher.ts";
import type { VoucherSettings } from "../../../core/vouchers/settings.ts";
import { crudStore } from "../../../db/crud-store.ts";
import type { Db, Fragment, IdList, Tx } from "../../../db/db.ts";
import { heldRows } from "../../../db/held-rows.ts";
import { idsWith, namedBy, takeMoments, tenantOf } from "../../../db/records.ts";
import type { Project } from "../../../request.ts";
import { type BesideAsked, readBeside } from "./beside-store.ts";
import { type ConfiguredRow, loadStates, lockedWithStates, vouchersOf, withStates } from "./state-store.ts";

type Folding = Pick<Project, "id" | "case_sensitive_codes">;
const folded = ({ case_sensitive_codes }: Folding, code: string) => foldCode(trimCode(code), case_sensitive_codes);

const { update } = crudStore<ConfiguredRow>({
  table: "vouchers",
  object: "voucher",
  columns: ["settings", "category_id", "active", "additional_info", "updated_at"],
  sortable: [],
});

/** For a row that was locked before: it would find one in the bin too. */
export async function updateVoucher(
  tx: Tx,
  { project_id, id }: VoucherRow,
  patch: Parameters<typeof update>[3],
): Promise<VoucherRow> {
  const [row] = await lockedWithStates(tx, project_id, [await update(tx, project_id, id, patch)]);
  return row!;
}

/** Writes what is configured of codes that are locked. */
export async function updateVouchers(tx: Tx, projectId: string, rows: readonly VoucherRow[]): Promise<void> {
  if (rows.length === 0) return;
  const texts = rows.map(({ settings }) => settings && JSON.stringify(settings));
  await tx`
    update vouchers v set settings = x.settings, category_id = x.category_id, active = x.active,
      additional_info = x.additional_info, updated_at = x.updated_at
    from unnest(${rows.map(({ id }) => id)}::text[], ${texts}::text[]::jsonb[],
      ${rows.map(({ category_id }) => category_id)}::text[], ${rows.map(({ active }) => String(active))}::text[]::boolean[],
      ${rows.map((row) => row.additional_info)}::text[], ${rows.map((row) => row.updated_at)}::timestamptz[])
      as x (id, settings, category_id, active, additional_info, updated_at)
    where v.project_id = ${projectId} and v.id = x.id`;
}

/** Gives settings of their own to codes that are locked. */
export async function saveSettings(
  tx: Tx,
  projectId: string,
  { settings, now }: { settings: ReadonlyMap<string, VoucherSettings>; now: string },
): Promise<void> {
  if (settings.size === 0) return;
  const texts = [...settings.values()].map((one) => JSON.stringify(one));
  await tx`
    update vouchers v set settings = x.settings, updated_at = ${now}
    from unnest(${[...settings.keys()]}::text[], ${texts}::text[]::jsonb[]) as x (id, settings)
    where v.project_id = ${projectId} and v.id = x.id`;
}

/** All that the references name, by id or by code. A code cannot look like an id, so each names one at most. */
export function findVouchers(db: Db, project: Folding, references: readonly string[]) {
  const ids = references.filter((one) => one.startsWith("v_"));
  const codes = [...new Set(references.map((one) => folded(project, one)))];
  return db<VoucherRow[]>`
    select t.* from unnest((select ${ids}::text[])) as x (ref) join ${vouchersOf(db, project.id)} as t on t.id = ref
    where t.deleted_at is null
    union all
    select t.* from unnest((select ${codes}::text[])) as x (ref)
      join ${vouchersOf(db, project.id)} as t on t.code_folded = ref
    where t.deleted_at is null and t.id <> all(${ids})`;
}

/** The same with what is stored beside them: who decides about codes does not wait twice. */
export const findWithBeside = (db: Db, project: Folding, references: readonly string[], asked: BesideAsked) =>
  readBeside<VoucherRow>(db, project.id, { codes: db`${findVouchers(db, project, references)}`, asked });

/** By its id or its code. Whether its campaign is in the bin is not asked here. */
export async function getVoucher(db: Db, project: Folding, reference: string): Promise<VoucherRow> {
  const [row] = await findVouchers(db, project, [reference]);
  if (!row) throw notFound("voucher", reference);
  return row;
}

export const vouchersById = (db: Db, projectId: string, ids: readonly string[]) =>
  db<VoucherRow[]>`
    select * from ${vouchersOf(db, projectId)} as v where id = any(${ids}) and deleted_at is null`;

/** The vouchers that are still there, locked, each with its newest values. Both statements are sent as it is called. */
export async function lockVouchers(tx: Tx, projectId: string, ids: readonly string[]): Promise<VoucherRow[]> {
  const [rows, states] = await Promise.all([
    tx<ConfiguredRow[]>`
      select * from vouchers where project_id = ${projectId} and id = any(${ids}) and deleted_at is null
      order by id for no key update`.execute(),
    loadStates(tx, projectId, ids),
  ]);
  return withStates(rows, states);
}

/** Locks codes, those in the bin too: they may come back, and then what they hold must be right. */
export async function lockRedeemedVouchers(tx: Tx, projectId: string, ids: IdList): Promise<VoucherRow[]> {
  const [rows, states] = await Promise.all([
    tx<ConfiguredRow[]>`
      select * from vouchers where project_id = ${projectId} and id = any(${ids}) order by id for no key update`.execute(),
    loadStates(tx, projectId, ids),
  ]);
  return withStates(rows, states);
}

/**
 * The same by what they are called. What a row is called is looked at again when it was waited for, but a row that has
 * got its name meanwhile is not seen: who is not there has to be looked for again.
 */
export async function lockNamedVouchers(
  tx: Tx,
  project: Folding,
  references: readonly string[],
): Promise<VoucherRow[]> {
  const [rows, states] = await Promise.all([
    tx<ConfiguredRow[]>`
      select * from vouchers where project_id = ${project.id} and ${called(tx, project, references)} and deleted_at is null
      order by id for no key update`.execute(),
    loadStates(tx, project.id, ofNamedVouchers(tx, project, "id", references)),
  ]);
  return withStates(rows, states);
}

/** The same for very many, of which few may be there. */
export async function lockManyVouchers(tx: Tx, project: Folding, references: readonly string[]): Promise<VoucherRow[]> {
  const codes = [...new Set(references.map((one) => folded(project, one)))];
  const found = await idsWith(tx, { table: "vouchers", column: "code_folded", projectId: project.id }, codes);
  const ids = [...found, ...references.filter((one) => one.startsWith("v_"))];
  return ids.length === 0 ? [] : lockVouchers(tx, project.id, ids);
}

/** A field of the vouchers that the references name, for a statement behind the one that locks them. */
export const ofNamedVouchers = (
  db: Db,
  project: Folding,
  field: "id" | "campaign_id",
  references: readonly string[],
): Fragment => db`array(
  select ${db(field)} from vouchers
  where project_id = ${project.id} and ${called(db, project, references)} and deleted_at is null)`;

/** Who holds those of the vouchers that are of these campaigns, for the statement that locks the holders. */
export const holdersOfNamed = (
  db: Db,
  project: Folding,
  { references, campaignIds }: { references: readonly string[]; campaignIds: readonly string[] },
): Fragment => db`array(
  select holder_id from vouchers
  where project_id = ${project.id} and ${called(db, project, references)} and campaign_id = any(${campaignIds})
    and holder_id is not null and deleted_at is null)`;

const called = (db: Db, project: Folding, references: readonly string[]) =>
  namedBy(db, {
    id: references.filter((one) => one.startsWith("v_")),
    code_folded: [...new Set(references.map((one) => folded(project, one)))],
  });

/** Finds among vouchers the one that a reference names. */
export function voucherNamed(
  project: Folding,
  vouchers: readonly VoucherRow[],
): (reference: string) => VoucherRow | undefined {
  const names = new Map(vouchers.flatMap((row) => [[row.id, row] as const, [row.code_folded, row] as const]));
  return (reference) => names.get(reference) ?? names.get(folded(project, reference));
}

/** Those of the references that none of the vouchers has. */
export function unnamedBy(project: Folding, vouchers: readonly VoucherRow[], references: readonly string[]): string[] {
  const names = new Set(vouchers.flatMap(({ id, code_folded }) => [id, code_folded]));
  return references.filter((one) => !names.has(one) && !names.has(folded(project, one)));
}

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
  const locked = await tx<ConfiguredRow[]>`
    select * from vouchers where project_id = ${project.id} and deleted_at is null
      and (id = ${reference} or code_folded = ${folded(project, reference)})
    order by id for no key update`;
  const [row] = await lockedWithStates(tx, project.id, locked);
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
  const made = await tx<ConfiguredRow[]>`
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
  return withStates(made, []);
}

/**
 * Reserves `count` moments, a microsecond apart, none before `now` and none that another redeemable of the project has.
 * Returns the first; the row is locked until the transaction ends.
 */
export const takeStamps = (tx: Tx, projectId: string, { now, count = 1 }: { now: string; count?: number }) =>
  takeMoments(tx, "redeemable_stamps", projectId, { now, count });

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

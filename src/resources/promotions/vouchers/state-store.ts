import type { VoucherRow, VoucherUse } from "../../../core/rows/voucher.ts";
import type { Db, Fragment, IdList, Tx } from "../../../db/db.ts";
import { tenantOf } from "../../../db/records.ts";

// What a code is stands in `vouchers`, what it was used for in `voucher_states`: so a redemption changes one small row that
// no index but the key knows. Nobody writes a state without the lock of its code. All other code sees one row.

/** What is in both: a template that the first redemption keeps, and when it changed. */
type Both = "template_version" | "updated_at";
type OfState = "redeemed_quantity" | "uses" | "account" | "tier";
type StateRow = Pick<VoucherRow, OfState | Both> & { voucher_id: string };
export type ConfiguredRow = Omit<VoucherRow, OfState>;

/** What a code has while nobody used it. */
const UNUSED: Pick<VoucherRow, OfState> = { redeemed_quantity: 0, uses: null, account: null, tier: null };

/** The codes of a project, each with what it was used for: what to select from. */
export const vouchersOf = (db: Db, projectId: string): Fragment => db`(
  select v.project_id, v.id, v.code, v.code_folded, v.campaign_id, v.type, v.settings, v.category_id, v.active,
    v.additional_info, v.due_at, v.published_count, v.holder_id, v.referrer_id, v.created_at, v.deleted_at,
    coalesce(s.redeemed_quantity, 0) as redeemed_quantity, s.uses, s.account, s.tier,
    coalesce(v.template_version, s.template_version) as template_version,
    greatest(v.updated_at, s.updated_at) as updated_at
  from vouchers v left join voucher_states s on s.project_id = v.project_id and s.voucher_id = v.id
  where v.project_id = ${projectId} )`;

/** The states of codes. Read in a statement behind the one that locked the codes, they hold until the transaction ends. */
export const loadStates = (db: Db, projectId: string, ids: IdList) => db<StateRow[]>`
  select voucher_id, template_version, updated_at, redeemed_quantity, uses, account, tier from voucher_states
  where project_id = ${projectId} and voucher_id = any(${ids})`;

/** Moments of the database have three digits behind the second or six: without the Z they compare as texts. */
const laterOf = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && other.slice(0, -1) > one.slice(0, -1)) ? other : one;

/** Rows of codes with their states, in their order. */
export function withStates(rows: readonly ConfiguredRow[], states: readonly StateRow[]): VoucherRow[] {
  const byId = new Map(states.map((state) => [state.voucher_id, state]));
  return rows.map((row) => {
    const state = byId.get(row.id);
    if (!state) return { ...row, ...UNUSED };
    const { voucher_id: _, template_version, updated_at, ...used } = state;
    return {
      ...row,
      ...used,
      template_version: row.template_version ?? template_version,
      updated_at: laterOf(row.updated_at, updated_at),
    };
  });
}

/** The same for rows that are locked by now. */
export async function lockedWithStates(
  tx: Tx,
  projectId: string,
  rows: readonly ConfiguredRow[],
): Promise<VoucherRow[]> {
  const ids = rows.map(({ id }) => id);
  return ids.length === 0 ? [] : withStates(rows, await loadStates(tx, projectId, ids));
}

export type SavedSums = Pick<VoucherRow, "id" | "account" | "tier" | "updated_at">;

/**
 * Guarded: where the limit of a code would not hold, or its balance is not what was decided on, its number is divided by
 * zero, and the transaction fails. A condition of the statement would only leave the row out, and COMMIT may follow at once.
 */
export async function saveUses(tx: Tx, projectId: string, uses: readonly VoucherUse[]): Promise<void> {
  if (uses.length === 0) return;
  const json = (value: object | null) => (value === null ? null : JSON.stringify(value));
  // Its code is locked, so a state that this statement does not find is not there. Looked up one by one: joined, they would be
  // compared with all states of the project as long as the database has no statistics.
  await tx`
    insert into voucher_states as s (project_id, voucher_id, redeemed_quantity, uses, account, template_version, updated_at)
    select p.project_id, x.id, coalesce(b.redeemed_quantity, 0) + x.by / (case when
        (x.quantity is null or x.by <= 0 or coalesce(b.redeemed_quantity, 0) + x.by <= x.quantity)
        and (b.account->>'available')::bigint is not distinct from x.available then 1 else 0 end),
      x.uses, x.account, x.template_version, x.updated_at
    from ${tenantOf(tx, projectId)} cross join unnest((select ${uses.map((u) => u.id)}::text[]), ${uses.map((u) => u.by)}::bigint[],
      ${uses.map((u) => u.quantity)}::bigint[], ${uses.map((u) => json(u.uses))}::text[]::jsonb[],
      ${uses.map((u) => json(u.account))}::text[]::jsonb[], ${uses.map((u) => u.available)}::bigint[],
      ${uses.map((u) => u.template_version)}::integer[], ${uses.map((u) => u.updated_at)}::timestamptz[])
      as x (id, by, quantity, uses, account, available, template_version, updated_at)
    left join lateral (
      select * from voucher_states w where w.project_id = ${projectId} and w.voucher_id = x.id limit 1) b on true
    on conflict (project_id, voucher_id) do update set redeemed_quantity = excluded.redeemed_quantity,
      uses = excluded.uses, account = excluded.account,
      template_version = coalesce(s.template_version, excluded.template_version),
      updated_at = greatest(s.updated_at, excluded.updated_at)`;
}

/** How often new codes had been redeemed before they came here. */
export async function saveImportedQuantities(
  tx: Tx,
  projectId: string,
  quantities: ReadonlyMap<string, number>,
): Promise<void> {
  if (quantities.size === 0) return;
  await tx`
    insert into voucher_states as s (project_id, voucher_id, redeemed_quantity, imported_quantity)
    select p.project_id, x.id, x.quantity, x.quantity from ${tenantOf(tx, projectId)}
      cross join unnest(${[...quantities.keys()]}::text[], ${[...quantities.values()]}::bigint[]) as x (id, quantity)
    on conflict (project_id, voucher_id) do update set redeemed_quantity = excluded.redeemed_quantity,
      imported_quantity = excluded.imported_quantity`;
}

/**
 * What codes hold, and in which tier they are. They are locked. A late sweep saves what happened before the last use of a
 * code: its `updated_at` never goes back.
 */
export const saveSums = (tx: Tx, projectId: string, cards: readonly SavedSums[]) => tx`
  insert into voucher_states as s (project_id, voucher_id, account, tier, updated_at)
  select p.project_id, x.* from ${tenantOf(tx, projectId)} cross join unnest(${cards.map(({ id }) => id)}::text[],
    ${cards.map(({ account }) => JSON.stringify(account))}::text[]::jsonb[],
    ${cards.map(({ tier }) => tier && JSON.stringify(tier))}::text[]::jsonb[],
    ${cards.map(({ updated_at }) => updated_at)}::timestamptz[]) as x (id, account, tier, updated_at)
  on conflict (project_id, voucher_id) do update set account = excluded.account, tier = excluded.tier,
    updated_at = greatest(s.updated_at, excluded.updated_at)`;

import type { Db, Fragment, Tx } from "../db/db.ts";
import type { ConfigKind } from "../request.ts";

/** Goods, locations and codes are in no log: the version of one is what it is made of. */
type GoodsKind = "location" | "product" | "sku" | "voucher";
export type VersionedKind = ConfigKind | GoodsKind;
/**
 * A configured object as a path names it: by its id, or by another name that it has. `reference` is what a path says. `folded` is how a
 * code is looked for: in most projects `Spring` finds `SPRING`. `id` is the object that the reference named a moment ago.
 */
export type Versioned = { project_id: string; kind: VersionedKind; reference: string; folded?: string; id?: string };
export type Version = { version: string };

type Rows = (db: Db, projectId: string, reference: string) => Fragment;
/** The tables of goods, and which of their rows a path means. */
const GOODS: Readonly<Record<GoodsKind, Rows>> = {
  location: (db, projectId, id) => db`locations t where t.project_id = ${projectId} and t.id = ${id}`,
  product: (db, projectId, ref) => db`
    products t where t.project_id = ${projectId} and t.deleted_at is null and (t.id = ${ref} or t.source_id = ${ref})`,
  sku: (db, projectId, ref) => db`
    skus t where t.project_id = ${projectId} and t.deleted_at is null and (t.id = ${ref} or t.source_id = ${ref})`,
  voucher: (db, projectId, ref) => db`
    vouchers t where t.project_id = ${projectId} and t.deleted_at is null and (t.id = ${ref} or t.code_folded = ${ref})`,
};
/** A write locks them before it looks at their version. */
export const isGoods = (kind: VersionedKind): kind is GoodsKind => kind in GOODS;

/** The ids of what may be called by another name too. */
const IDS: Readonly<Partial<Record<VersionedKind, Rows>>> = {
  campaign: (db, projectId, ref) => db`(
    select c.id from campaigns c
    where c.project_id = ${projectId} and c.deleted_at is null and (c.id = ${ref} or c.name = ${ref})
    order by c.id = ${ref} desc limit 1)`,
  metadata_schema: (db, projectId, ref) => db`(
    select m.id from metadata_schemas m
    where m.project_id = ${projectId} and (m.id = ${ref} or m.related_object = ${ref})
    order by m.id = ${ref} desc limit 1)`,
  user: (db, _, ref) => db`(
    select u.id from users u where u.id = ${ref} or u.login = ${ref.toLowerCase()} order by u.id = ${ref} desc limit 1)`,
};

/** Of a code only what is configured: who has it, and what was redeemed or published, changes with use. */
const contentOf = (db: Db, kind: GoodsKind): Fragment =>
  kind === "voucher"
    ? db`jsonb_build_array(t.code, t.campaign_id, t.settings, t.category_id, t.active, t.additional_info)`
    : db`to_jsonb(t) - '{project_id,updated_at}'::text[]`;
const contentHash = (db: Db, kind: GoodsKind): Fragment =>
  db`left(encode(sha256(convert_to((${contentOf(db, kind)})::text, 'UTF8')), 'hex'), 16)`;

/** A deleted object has no version: its last entry has no content. */
function versionSql(db: Db, { project_id, kind, reference, folded = reference, id }: Versioned): Fragment {
  if (isGoods(kind))
    return db`
      select ${contentHash(db, kind)} as version from ${GOODS[kind](db, project_id, folded)}
      order by t.id = ${reference} desc limit 1`;
  const named = IDS[kind]?.(db, project_id, reference) ?? db`${reference}`;
  const found = id === undefined ? named : db`coalesce(${named}, ${id})`;
  return db`
    select v.version from (
      select e.number::text as version, e.hash from audit_log e
      where e.project_id = ${project_id} and e.kind = ${kind} and e.object_id = ${found}
      order by e.number desc limit 1) v
    where v.hash is not null`;
}

/** The object with the id that its name stands for now. */
export async function withId(db: Db, versioned: Versioned): Promise<Versioned> {
  const named = IDS[versioned.kind]?.(db, versioned.project_id, versioned.reference);
  const [row] = named ? await db<{ id: string | null }[]>`select ${named} as id` : [];
  return row?.id ? { ...versioned, id: row.id } : versioned;
}

/** The version of an object; none when it is not there, or when nothing has logged it. */
export async function loadVersion(db: Db, versioned: Versioned): Promise<string | null> {
  const [row] = await db<Version[]>`${versionSql(db, versioned)}`;
  return row?.version ?? null;
}

/** The same, with a revision of the project that has it. It is sent at once: what is sent after it sees this or more. */
export function sendForVersion(db: Db, versioned: Versioned, projectId: string | null) {
  return db<{ version: string | null; revision: number | null }[]>`
    select (${versionSql(db, versioned)}) as version, (
      select catalog_revision from tenants where project_id = ${projectId}) as revision`.execute();
}

/**
 * What a write finds, before it has changed anything. Goods are locked, since their version changes with their row. What is logged is
 * not: its version is read again when the write holds its row.
 */
export async function versionBefore(tx: Tx, versioned: Versioned): Promise<string | null> {
  const { kind, project_id, reference, folded = reference } = versioned;
  if (!isGoods(kind)) return loadVersion(tx, versioned);
  const [row] = await tx<Version[]>`
    select ${contentHash(tx, kind)} as version from ${GOODS[kind](tx, project_id, folded)}
    order by t.id = ${reference} desc limit 1 for no key update`;
  return row?.version ?? null;
}

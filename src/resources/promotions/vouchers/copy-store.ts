import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { VoucherSettings, VoucherType } from "../../../core/vouchers/settings.ts";
import { constraintOf, type Db, type Tx } from "../../../db/db.ts";
import { compareTexts, tenantOf } from "../../../db/records.ts";

/** What all codes of a copy have in common. */
type CopiedFields = {
  project_id: string;
  campaign_id: string;
  type: VoucherType;
  settings: VoucherSettings | null;
  category_id: string | null;
  active: boolean;
  additional_info: string | null;
};
type CopiedCode = { id: string; code: string; code_folded: string };

/** Rows in one piece of data. Requests are served between two pieces. */
const PIECE = 500;

/**
 * Inserts codes by COPY, a microsecond apart. They come sorted by their folded form, so that two who copy the same ones
 * do not wait for each other in a circle. False when one of them is taken: then none is inserted.
 */
export async function copyVouchers(
  tx: Tx,
  common: CopiedFields,
  codes: Iterable<CopiedCode>,
  firstStamp: string,
): Promise<boolean> {
  return copied(tx, () => pieces(common, codes, firstStamp));
}

async function copied(tx: Tx, rows: () => AsyncIterable<string>): Promise<boolean> {
  try {
    await tx.savepoint(async (inner) => {
      const target = await inner`
        copy vouchers (project_id, campaign_id, type, settings, category_id, active, additional_info, id, code,
          code_folded, created_at) from stdin`.writable();
      await pipeline(Readable.from(rows()), target);
    });
    return true;
  } catch (error) {
    if (constraintOf(error) === "vouchers_unique_code") return false;
    throw error;
  }
}

async function* pieces(common: CopiedFields, codes: Iterable<CopiedCode>, firstStamp: string) {
  const { project_id, campaign_id, type, settings, category_id, active, additional_info } = common;
  const json = settings === null ? null : JSON.stringify(settings);
  const same = [project_id, campaign_id, type, json, category_id, String(active), additional_info]
    .map(field)
    .join("\t");
  const stamp = stampsFrom(firstStamp);
  let [text, rows] = ["", 0];
  for (const { id, code, code_folded } of codes) {
    text += `${same}\t${id}\t${field(code)}\t${field(code_folded)}\t${stamp()}\n`;
    rows += 1;
    if (rows % PIECE > 0) continue;
    yield text;
    text = "";
    await nextTurn();
  }
  if (text !== "") yield text;
}

const ESCAPES: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const field = (text: string | null): string =>
  text === null ? "\\N" : text.replace(/[\\\t\n\r]/g, (one) => ESCAPES[one]!);

/** The moments from the first one on, a microsecond apart. */
function stampsFrom(first: string): () => string {
  let [ms, micros] = [Date.parse(first), Number(/\.\d{3}(\d{3})Z$/.exec(first)?.[1] ?? 0)];
  let head = "";
  return () => {
    if (micros === 1000) [ms, micros, head] = [ms + 1, 0, ""];
    if (head === "") head = new Date(ms).toISOString().slice(0, -1);
    const text = `${head}${String(micros).padStart(3, "0")}Z`;
    micros += 1;
    return text;
  };
}

type ImportedCode = Omit<CopiedFields, "project_id" | "campaign_id"> & CopiedCode & { campaign_id: string | null };

/**
 * Inserts very many codes, each with fields of its own, sorted as the unique key is. Those that are taken, in the bin too, are
 * left out. Returns the ids of those that were inserted. Mostly all are free, and COPY takes half the time.
 */
export async function insertImportedVouchers(
  tx: Tx,
  projectId: string,
  codes: readonly ImportedCode[],
  firstStamp: string,
): Promise<Set<string>> {
  const stamp = stampsFrom(firstStamp);
  const rows = codes
    .map((one): StampedCode => ({ ...one, created_at: stamp() }))
    .toSorted((a, b) => compareTexts(a.code_folded, b.code_folded));
  const isFree = await copied(tx, () => importedPieces(projectId, rows));
  return isFree ? new Set(rows.map(({ id }) => id)) : insertFreeVouchers(tx, projectId, rows);
}

type StampedCode = ImportedCode & { created_at: string };

async function* importedPieces(projectId: string, rows: readonly StampedCode[]) {
  // Codes that are alike have the same settings, which are written once.
  const written = new Map<VoucherSettings | null, string>();
  const settingsOf = (settings: VoucherSettings | null) =>
    written.getOrInsertComputed(settings, () => field(settings && JSON.stringify(settings)));
  for (let at = 0; at < rows.length; at += PIECE) {
    let text = "";
    for (const row of rows.slice(at, at + PIECE)) {
      const { campaign_id, type, settings, category_id, active, additional_info, id, code, code_folded } = row;
      const own = [projectId, campaign_id, type].map(field).join("\t");
      const rest = [category_id, String(active), additional_info, id, code, code_folded].map(field).join("\t");
      text += `${own}\t${settingsOf(settings)}\t${rest}\t${row.created_at}\n`;
    }
    yield text;
    await nextTurn();
  }
}

async function insertFreeVouchers(tx: Tx, projectId: string, codes: readonly StampedCode[]): Promise<Set<string>> {
  const texts = codes.map(({ settings }) => (settings === null ? null : JSON.stringify(settings)));
  const places = new Map([...new Set(texts)].filter((text) => text !== null).map((text, n) => [text, n + 1]));
  const made = await tx<{ id: string }[]>`
    insert into vouchers (project_id, id, code, code_folded, campaign_id, type, settings, category_id, active,
      additional_info, created_at)
    select p.project_id, x.id, x.code, x.code_folded, x.campaign_id, x.type, s.all_settings[x.place], x.category_id, x.active,
      x.additional_info, x.created_at
    from ${tenantOf(tx, projectId)} cross join (select ${[...places.keys()]}::text[]::jsonb[] as all_settings offset 0) as s
      cross join unnest(
        ${codes.map((one) => one.id)}::text[], ${codes.map((one) => one.code)}::text[],
        ${codes.map((one) => one.code_folded)}::text[], ${codes.map((one) => one.campaign_id)}::text[],
        ${codes.map((one) => one.type as string)}::text[],
        ${texts.map((text) => (text === null ? null : places.get(text)!))}::integer[],
        ${codes.map((one) => one.category_id)}::text[], ${codes.map((one) => String(one.active))}::text[]::boolean[],
        ${codes.map((one) => one.additional_info)}::text[], ${codes.map((one) => one.created_at)}::timestamptz[])
        as x (id, code, code_folded, campaign_id, type, place, category_id, active, additional_info, created_at)
    order by x.code_folded
    on conflict (project_id, code_folded) do nothing returning id`;
  return new Set(made.map(({ id }) => id));
}

/** The folded codes that are taken already, also by vouchers in the bin. */
export async function takenCodes(db: Db, projectId: string, folded: readonly string[]): Promise<string[]> {
  const rows = await db<{ code_folded: string }[]>`
    select code_folded from vouchers where project_id = ${projectId} and code_folded = any(${folded})`;
  return rows.map(({ code_folded }) => code_folded);
}

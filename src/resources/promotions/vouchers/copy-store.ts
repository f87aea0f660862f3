import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { VoucherSettings, VoucherType } from "../../../core/vouchers/settings.ts";
import { constraintOf, type Db, type Tx } from "../../../db/db.ts";

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
  try {
    await tx.savepoint(async (inner) => {
      const target = await inner`
        copy vouchers (project_id, campaign_id, type, settings, category_id, active, additional_info, id, code,
          code_folded, created_at) from stdin`.writable();
      await pipeline(Readable.from(pieces(common, codes, firstStamp)), target);
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

/** The folded codes that are taken already, also by vouchers in the bin. */
export async function takenCodes(db: Db, projectId: string, folded: readonly string[]): Promise<string[]> {
  const rows = await db<{ code_folded: string }[]>`
    select code_folded from vouchers where project_id = ${projectId} and code_folded = any(${folded})`;
  return rows.map(({ code_folded }) => code_folded);
}

import { timingSafeEqual } from "node:crypto";
import type { Db } from "../../db/db.ts";
import { type AssetKind, pictureSeal } from "../../resources/promotions/vouchers/picture-store.ts";
import { findPicturedCode } from "../../resources/promotions/vouchers/store.ts";

export type { AssetKind };

/** The code that an address of a picture stands for; null for one that was not made here, or whose code is gone. */
export async function codeOfAsset(db: Db, kind: AssetKind, token: string): Promise<string | null> {
  const [name = "", seal = ""] = token.split(".");
  const [projectId, voucherId] = namesIn(name);
  if (!projectId || !voucherId) return null;
  const found = await findPicturedCode(db, projectId, voucherId);
  if (!found) return null;
  const [made, sent] = [Buffer.from(pictureSeal(found.secret, kind, voucherId)), Buffer.from(seal)];
  return made.length === sent.length && timingSafeEqual(made, sent) ? found.code : null;
}

function namesIn(name: string): string[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(name, "base64url").toString());
    const isPair = Array.isArray(parsed) && parsed.length === 2;
    return isPair && parsed.every((one) => typeof one === "string" && !one.includes("\0")) ? (parsed as string[]) : [];
  } catch {
    return [];
  }
}

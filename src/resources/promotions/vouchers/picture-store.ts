import { createHash, createHmac } from "node:crypto";
import type { Db, Fragment } from "../../../db/db.ts";

export type AssetKind = "qr" | "barcode";

// The pictures of a code need no credentials, so their addresses cannot be guessed: they name the project and the code,
// and carry a seal that only this project's secret makes. They are made here for one code, and in SQL for many.

const pathOf = (kind: AssetKind) => `/v1/assets/${kind}/`;
const sealed = (kind: AssetKind) => `asset ${kind} `;

export const pictureSeal = (secret: string, kind: AssetKind, voucherId: string): string =>
  createHmac("sha256", secret)
    .update(`${sealed(kind)}${voucherId}`)
    .digest("base64url");

type PictureOwner = { id: string; secret: string };

export function pictureOf({ id, secret }: PictureOwner, kind: AssetKind, voucherId: string) {
  const name = Buffer.from(JSON.stringify([id, voucherId])).toString("base64url");
  const token = `${name}.${pictureSeal(secret, kind, voucherId)}`;
  return { id: token, url: `${pathOf(kind)}${token}` };
}

const SHA_BLOCK = 64;
/** The two keys that HMAC makes of one. */
function padded(secret: string, byte: number): string {
  const given = Buffer.from(secret);
  const key = given.length > SHA_BLOCK ? createHash("sha256").update(given).digest() : given;
  const block = Buffer.concat([key, Buffer.alloc(SHA_BLOCK - key.length)]);
  return Buffer.from(block.map((one) => one ^ byte)).toString("hex");
}
const base64Url = (db: Db, bytes: Fragment) => db`translate(encode(${bytes}, 'base64'), ${"+/=\n"}, '-_')`;

/** The url of `pictureOf`, of rows that have `project_id` and `id`. */
export function pictureUrlSql(db: Db, secret: string, kind: AssetKind): Fragment {
  const [inner, outer] = [padded(secret, 0x36), padded(secret, 0x5c)];
  const name = base64Url(db, db`convert_to('["' || project_id || '","' || id || '"]', 'UTF8')`);
  const message = db`convert_to(${sealed(kind)}::text || id, 'UTF8')`;
  const seal = base64Url(db, db`sha256(decode(${outer}, 'hex') || sha256(decode(${inner}, 'hex') || ${message}))`);
  return db`${pathOf(kind)}::text || ${name} || '.' || ${seal}`;
}

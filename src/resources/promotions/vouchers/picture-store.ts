import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Db, Fragment } from "../../../db/db.ts";

export type AssetKind = "qr" | "barcode";

// The pictures of a code need no credentials, so their addresses cannot be guessed: they name the project and the code,
// and carry a seal that only this project's secret makes. They are made here for one code, and in SQL for many.

const pathOf = (kind: AssetKind) => `/v1/assets/${kind}/`;
const sealed = (kind: AssetKind) => `asset ${kind} `;

const SHA_BLOCK = 64;
/** The two keys that HMAC makes of one. */
function padded(secret: string): { inner: Buffer; outer: Buffer } {
  const given = Buffer.from(secret);
  const key = given.length > SHA_BLOCK ? hash("sha256", given, "buffer") : given;
  const block = Buffer.concat([key, Buffer.alloc(SHA_BLOCK - key.length)]);
  const [inner, outer] = [0x36, 0x5c].map((byte) => Buffer.from(block.map((one) => one ^ byte)));
  return { inner: inner!, outer: outer! };
}
const paddedOf = new LRUCache<string, ReturnType<typeof padded>>({ max: 1_000, memoMethod: padded });

/** HMAC in two steps, with its keys at hand: every redemption makes two, and Node's own takes five times as long. */
export function pictureSeal(secret: string, kind: AssetKind, voucherId: string): string {
  const { inner, outer } = paddedOf.memo(secret);
  const message = hash("sha256", Buffer.concat([inner, Buffer.from(`${sealed(kind)}${voucherId}`)]), "buffer");
  return hash("sha256", Buffer.concat([outer, message]), "base64url");
}

type PictureOwner = { id: string; secret: string };

/** Where the pictures of a code are. The addresses are relative: a server does not know how the world calls it. */
export function picturesOf({ id, secret }: PictureOwner, voucherId: string) {
  const name = Buffer.from(JSON.stringify([id, voucherId])).toString("base64url");
  const picture = (kind: AssetKind) => {
    const token = `${name}.${pictureSeal(secret, kind, voucherId)}`;
    return { id: token, url: `${pathOf(kind)}${token}` };
  };
  return { qr: picture("qr"), barcode: picture("barcode") };
}
const base64Url = (db: Db, bytes: Fragment) => db`translate(encode(${bytes}, 'base64'), ${"+/=\n"}, '-_')`;

/** The url of `picturesOf`, of rows that have `project_id` and `id`. */
export function pictureUrlSql(db: Db, secret: string, kind: AssetKind): Fragment {
  const { inner, outer } = padded(secret);
  const name = base64Url(db, db`convert_to('["' || project_id || '","' || id || '"]', 'UTF8')`);
  const message = db`convert_to(${sealed(kind)}::text || id, 'UTF8')`;
  const seal = base64Url(
    db,
    db`sha256(decode(${outer.toString("hex")}, 'hex') || sha256(decode(${inner.toString("hex")}, 'hex') || ${message}))`,
  );
  return db`${pathOf(kind)}::text || ${name} || '.' || ${seal}`;
}

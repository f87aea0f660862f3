import { argon2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { ApiError } from "../../../core/errors.ts";
import type { Tx } from "../../../db/db.ts";
import { endSessions } from "./session-store.ts";

const argon2Hash = promisify(argon2);
/** So many hashes at once: strangers may ask for them, and each takes a core and 46 MiB. The others wait, up to a number. */
const [HASHES_MAX, WAITING_MAX] = [2, 100];
const waiting: (() => void)[] = [];
let underWay = 0;

async function derive(...[algorithm, parameters]: Parameters<typeof argon2Hash>): Promise<Buffer> {
  if (underWay >= HASHES_MAX) {
    if (waiting.length >= WAITING_MAX)
      throw new ApiError("overloaded", { details: "Too many people sign in at this moment" });
    await new Promise<void>((resolve) => void waiting.push(resolve));
  } else underWay += 1;
  // Whoever is done hands its place on, so nobody comes in between.
  return argon2Hash(algorithm, parameters).finally(() => {
    const next = waiting.shift();
    if (next) next();
    else underWay -= 1;
  });
}
/** 46 MiB and one pass: what OWASP recommends. A hash carries its own numbers, so these may grow. */
const COST = { memory: 47_104, passes: 1, parallelism: 1 } as const;
const [SALT_BYTES, TAG_BYTES] = [16, 32];

// Two ways to type one letter are one password.
const bytesOf = (password: string) => Buffer.from(password.normalize("NFC"));
const plain = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");

/** The hash that is stored of a password, in PHC format. `secret` is random hex, which the salt is taken from. */
export async function hashPassword(password: string, secret: string): Promise<string> {
  const nonce = Buffer.from(secret, "hex").subarray(0, SALT_BYTES);
  const tag = await derive("argon2id", { message: bytesOf(password), nonce, tagLength: TAG_BYTES, ...COST });
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${plain(nonce)}$${plain(tag)}`;
}

const STORED = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/;

/** Whether a password is the one that a stored hash was made of. */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const parts = STORED.exec(stored);
  if (!parts) return false;
  const [memory, passes, parallelism] = parts.slice(1, 4).map(Number) as [number, number, number];
  const [nonce, tag] = parts.slice(4).map((text) => Buffer.from(text, "base64")) as [Buffer, Buffer];
  const cost = { memory, passes, parallelism, tagLength: tag.length };
  return timingSafeEqual(await derive("argon2id", { message: bytesOf(password), nonce, ...cost }), tag);
}

/** A hash that no password is known of. */
const NOBODY = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${"A".repeat(22)}$${"A".repeat(43)}`;

/** The same of somebody who may have none. It takes as long: the time of an answer says nothing. */
export const isPasswordOrNobody = async (password: string, stored: string | null): Promise<boolean> =>
  (await isPassword(password, stored ?? NOBODY)) && stored !== null;

/** Sets the password of a user. An invitation that was not accepted is over with it, and so is every session. */
export async function setPassword(
  tx: Tx,
  userId: string,
  password_hash: string,
  now: string,
  /** The hash of the token of a session that stays: the one that sets it. */
  keep?: string,
): Promise<void> {
  await tx`
    update users set password_hash = ${password_hash}, invitation_hash = null, invitation_until = null,
      updated_at = ${now} where id = ${userId}`;
  await endSessions(tx, userId, keep);
}

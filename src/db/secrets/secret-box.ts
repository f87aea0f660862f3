import { createCipheriv, createDecipheriv } from "node:crypto";
import { ApiError } from "../../core/errors.ts";

/** Where a secret is stored: its table and the id of its row. A stored text that is moved to another row cannot be opened. */
export type SecretPlace = readonly [table: "projects" | "webhook_secrets" | "user_totp", id: string];

/** Secrets that have to be read again, as they are stored. Without a key they are stored as they are. */
export type SecretBox = {
  hasKey: boolean;
  seal(place: SecretPlace, secret: string): string;
  /** What was stored before there was a key is returned as it is. */
  open(place: SecretPlace, stored: string): string;
  canOpen(place: SecretPlace, stored: string): boolean;
  /** Whether it should be sealed anew: it is not encrypted, or with the key before. */
  isOld(place: SecretPlace, stored: string): boolean;
};

/** AES-256-GCM: the nonce, the tag and what was encrypted. Another method would have another number. */
const SEALED = "v1:";
const [NONCE_BYTES, TAG_BYTES] = [12, 16];

/** No secret of ours begins so: they are hexadecimal or Base32. */
export const isSealed = (stored: string): boolean => stored.startsWith(SEALED);

const associated = ([table, id]: SecretPlace) => Buffer.from(`laurel ${table} ${id}`);

function openWith(key: Buffer, place: SecretPlace, stored: string): string | null {
  const bytes = Buffer.from(stored.slice(SEALED.length), "base64");
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(associated(place)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return null;
  }
}

/** `secretKey`: 32 bytes in hexadecimal, or null. `previousKey` opens what is not sealed anew yet, and seals nothing. */
export function createSecretBox(
  secretKey: string | null,
  random: (bytes: number) => Uint8Array,
  previousKey: string | null = null,
): SecretBox {
  const [key, previous] = [secretKey, previousKey].map((hex) => (hex === null ? null : Buffer.from(hex, "hex"))) as [
    Buffer | null,
    Buffer | null,
  ];
  const openedWith = (one: Buffer | null, place: SecretPlace, stored: string) => one && openWith(one, place, stored);
  const opened = (place: SecretPlace, stored: string): string | null =>
    isSealed(stored) ? (openedWith(key, place, stored) ?? openedWith(previous, place, stored)) : stored;
  return {
    hasKey: key !== null,
    seal: (place, secret) => {
      if (key === null) return secret;
      const nonce = random(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES }).setAAD(associated(place));
      const encrypted = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return `${SEALED}${Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString("base64")}`;
    },
    open: (place, stored) => {
      const secret = opened(place, stored);
      if (secret === null)
        throw new ApiError("secret_key_wrong", {
          details: `The secret of ${place.join(" ")} was encrypted with another LAUREL_SECRET_KEY`,
        });
      return secret;
    },
    canOpen: (place, stored) => opened(place, stored) !== null,
    isOld: (place, stored) =>
      key !== null && opened(place, stored) !== null && !(isSealed(stored) && openWith(key, place, stored) !== null),
  };
}

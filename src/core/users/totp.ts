/** How codes are made that authenticator apps show (RFC 6238): all apps take these values, and some take no others. */
const STEP_S = 30;
const DIGITS = 6;
/** So many steps a clock may be ahead or behind. */
const DRIFT = 1;

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Bytes in Base32 without padding (RFC 4648). */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}

/** The bytes of Base32 that we wrote. */
export function parseBase32(text: string): Uint8Array {
  const bits = [...text].map((digit) => BASE32.indexOf(digit).toString(2).padStart(5, "0")).join("");
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}

/** The step of 30 seconds that a moment is in. */
export const stepAt = (now: string): number => Math.floor(Date.parse(now) / 1000 / STEP_S);

/** What the HMAC is made of. */
export function counterOf(step: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(step));
  return bytes;
}

/** The digits of an HMAC (RFC 4226, 5.3). */
export function digitsOf(hmac: Uint8Array): string {
  const offset = hmac.at(-1)! & 0xf;
  const number = new DataView(hmac.buffer, hmac.byteOffset).getUint32(offset) & 0x7f_ff_ff_ff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

/** The steps whose code is good now, and was not used: a code works once, and none before it works any more. */
export const openSteps = (now: string, lastStep: number): number[] =>
  Array.from({ length: 2 * DRIFT + 1 }, (_, n) => stepAt(now) - DRIFT + n).filter((step) => step > lastStep);

/** What an app reads from a QR code. */
export function totpUri({ login, secret }: { login: string; secret: string }): string {
  const query = `secret=${secret}&issuer=Laurel&algorithm=SHA1&digits=${DIGITS}&period=${STEP_S}`;
  return `otpauth://totp/Laurel:${encodeURIComponent(login)}?${query}`;
}

export const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;
const GROUP = /.{4}/g;

/** Sixteen letters and digits in groups of four, from random bytes. */
export const recoveryCodeOf = (random: Uint8Array): string =>
  base32(random.subarray(0, RECOVERY_BYTES)).toLowerCase().match(GROUP)!.join("-");

/** A code as it is compared, however it was typed. */
export const plainCode = (sent: string): string => sent.replace(/[\s-]/g, "").toLowerCase();

export const isTotpCode = (plain: string): boolean => plain.length === DIGITS && /^\d+$/.test(plain);

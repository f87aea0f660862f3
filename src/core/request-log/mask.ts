// What the request log must not hold: secrets, e-mail addresses and phone numbers.

/** Stands in place of what is masked. */
export const MASK = "***";
/** Stands where something was left out for its length. */
export const CUT = "…";

const SECRET_FIELDS =
  /token|secret|pass(?:word|phrase|wd)|authorization|(?:api|access|private)_?-?key|signature|cookie|credential|(?:^|[^a-z])(?:auth|pin|pwd|otp|cvv|cvc)(?:$|[^a-z])/i;
const PERSONAL_FIELDS = /e-?mail|phone|mobile|msisdn|(?:^|[^a-z])(?:tel|fax)(?:$|[^a-z])/i;

/** Fields of whoever is called: their values are theirs to know. */
const HEADER_FIELDS = /headers$/i;
const URL_FIELDS = /(?:^|[a-z]_?)ur[il]s?$/i;

export const isHeaderField = (field: string): boolean => HEADER_FIELDS.test(field);
export const isUrlField = (field: string): boolean => URL_FIELDS.test(field);
export const isSecretField = (field: string): boolean => SECRET_FIELDS.test(field);
export const isPersonalField = (field: string): boolean => PERSONAL_FIELDS.test(field);

const SECRET_LENGTH = 64;

type Rule = {
  /** A text without it has nothing to mask, which is seen much faster than by the pattern. */
  hint: string | number;
  pattern: RegExp;
  by?: string;
};

/**
 * What is masked wherever it stands. Digits alone are no phone number: codes and numbers of orders look the same. One that is
 * written with a `+`, with brackets or in groups of 3, 3 and 4 is. A hint that is a number is the shortest length.
 */
const RULES: readonly Rule[] = [
  // From where a word begins: otherwise a long word would be looked through once for each of its letters.
  { hint: "@", pattern: /(?<![^\s@<>"(),;:\\[\]])[^\s@<>"(),;:\\[\]]+@[^\s@<>"(),;:\\[\]&?#/=]+/g },
  { hint: "+", pattern: /(?<!\w)\+\d[\d\s()./-]{5,}\d/g },
  { hint: "(", pattern: /\(\d{2,5}\)[\s-]?\d[\d\s-]{4,}\d/g },
  { hint: 12, pattern: /(?<![\w-])\d{3}[-. ]\d{3}[-. ]\d{4}(?![\w-])/g },
  // The same here: a token begins with its word, or a few characters behind that.
  { hint: "eyJ", pattern: /(?<![\w-])[\w-]{0,20}?eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g },
  { hint: " ", pattern: /\bBearer\s+\S+/gi },
  // Secrets of ours are hexadecimal digits.
  { hint: SECRET_LENGTH, pattern: /(?<![\w-])[0-9a-f]{64}(?![\w-])/gi },
  // The address of a file, and that of the picture of a code, open it to whoever has them.
  {
    hint: "=",
    pattern: /([?&#](?:\w*token|\w*secret|password|[\w-]*signature|key|\w*_key|apikey|sig|auth)=)[^&#\s"]+/gi,
    by: `$1${MASK}`,
  },
  { hint: "/assets/", pattern: /(\/assets\/(?:qr|barcode)\/)[^?#\s"]+/gi, by: `$1${MASK}` },
];

/** An address without its query, where those who are called put their secrets. */
export const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, `?${MASK}`);

/** One of these stands in every text that a rule changes, unless the text is as long as a secret. */
const SUSPECT = /[@+(= ]|eyJ|\/assets\/|\d{3}[-.]\d{3}/;

/** A text without secrets, e-mail addresses and phone numbers. Most texts are ids, dates and words, and are seen through at once. */
export function maskedText(text: string): string {
  if (text.length < SECRET_LENGTH && !SUSPECT.test(text)) return text;
  let masked = text;
  for (const { hint, pattern, by = MASK } of RULES)
    if (typeof hint === "string" ? masked.includes(hint) : masked.length >= hint) masked = masked.replace(pattern, by);
  return masked;
}

type Mask = (text: string) => string;

/** No e-mail address and no phone number is longer. */
const MASKED_MAX = 320;

/**
 * The start of a text, masked. However long the text is, `mask` sees a bounded part of it. What stands at the end of that part goes:
 * it may be half of an address, and nothing shows that it is one.
 */
export function maskedStart(text: string, lengthMax: number, mask: Mask = maskedText): string {
  const readMax = 2 * lengthMax + MASKED_MAX;
  const isRead = text.length <= readMax;
  const masked = mask(text.slice(0, readMax).toWellFormed()).slice(0, isRead ? undefined : -MASKED_MAX);
  return isRead && masked.length <= lengthMax ? masked : `${masked.slice(0, lengthMax).toWellFormed()}${CUT}`;
}

const DECODED_MAX = 3;

function decodedOnce(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** A part of an address as it is meant; null: it cannot be read. What is encoded twice is decoded twice. */
function decoded(part: string): string | null {
  let text: string | null = part;
  let last: string | null = null;
  for (let n = 0; n < DECODED_MAX && text?.includes("%"); n += 1) {
    text = decodedOnce(text);
    last = text ?? last;
  }
  return text ?? last;
}

/** Masked before each decoding as well: an address may hold what looks like an encoded character. */
function maskedPart(part: string, mask: Mask): string {
  if (decoded(part) === null) return MASK;
  let text = mask(part);
  let isMasked = text !== part;
  for (let n = 0; n < DECODED_MAX && text.includes("%"); n += 1) {
    const plain = decodedOnce(text);
    if (plain === null) break;
    text = mask(plain);
    isMasked ||= text !== plain;
  }
  return isMasked ? encodeURIComponent(text.toWellFormed()) : part;
}

function maskedPair(pair: string, mask: Mask): string {
  const [name = "", ...value] = pair.split("=");
  const field = decoded(name);
  if (field === null) return MASK;
  if (isSecretField(field) || isPersonalField(field)) return `${maskedPart(name, mask)}=${MASK}`;
  return [name, ...value].map((part) => maskedPart(part, mask)).join("=");
}

/** The path and the query of a request, masked: fields by their names, everything else by what it looks like. */
export function maskedUrl(url: string, mask: Mask = maskedText): string {
  const [path = "", ...query] = url.split("?");
  const segments = path.split("/").map((part) => maskedPart(part, mask));
  const pairs = query
    .join("?")
    .split("&")
    .map((pair) => maskedPair(pair, mask));
  return query.length === 0 ? segments.join("/") : `${segments.join("/")}?${pairs.join("&")}`;
}

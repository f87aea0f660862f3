// What the request log must not hold: secrets, e-mail addresses and phone numbers.

/** Stands in place of what is masked. */
export const MASK = "***";

const SECRET_FIELDS = /token|secret|pass(?:word|phrase|wd)|authorization|api_?-?key|signature|cookie|credential/i;
const PERSONAL_FIELDS = /e-?mail|phone|mobile|msisdn|(?:^|[^a-z])(?:tel|fax)(?:$|[^a-z])/i;

export const isSecretField = (field: string): boolean => SECRET_FIELDS.test(field);
export const isPersonalField = (field: string): boolean => PERSONAL_FIELDS.test(field);

/**
 * What is masked wherever it stands. Digits alone are no phone number: codes and numbers of orders look the same. One that is
 * written with a `+`, with brackets or in groups of 3, 3 and 4 is.
 */
const MASKED: readonly (readonly [pattern: RegExp, by: string])[] = [
  // From where a word begins: otherwise a long word would be looked through once for each of its letters.
  [/(?<![^\s@<>"(),;:\\[\]])[^\s@<>"(),;:\\[\]]+@[^\s@<>"(),;:\\[\]&?#/=]+/g, MASK],
  [/(?<!\w)\+\d[\d\s()./-]{5,}\d/g, MASK],
  [/\(\d{2,5}\)[\s-]?\d[\d\s-]{4,}\d/g, MASK],
  [/(?<![\w-])\d{3}[-. ]\d{3}[-. ]\d{4}(?![\w-])/g, MASK],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, MASK],
  [/\bBearer\s+\S+/gi, MASK],
  // Secrets of ours have 64 digits.
  [/(?<![\w-])[0-9a-f]{64}(?![\w-])/gi, MASK],
  // The address of a file, and that of the picture of a code, open it to whoever has them.
  [/([?&#](?:\w*token|secret|password|signature)=)[^&#\s"]+/gi, `$1${MASK}`],
  [/(\/assets\/(?:qr|barcode)\/)[^?#\s"]+/gi, `$1${MASK}`],
];
/** A text without any of these has nothing to mask, which is quickly seen. */
const SUSPECT = /[@+(]|\d[-. ]\d{3}[-. ]|eyJ|bearer|[?&#]\w+=|\/assets\/|[0-9a-f]{64}/i;

/** A text without secrets, e-mail addresses and phone numbers. */
export const maskedText = (text: string): string =>
  SUSPECT.test(text) ? MASKED.reduce((masked, [pattern, by]) => masked.replace(pattern, by), text) : text;

const DECODED_MAX = 3;

/** A part of an address as it is meant; null: it cannot be read. What is encoded twice is decoded twice. */
function decoded(part: string): string | null {
  let text = part;
  try {
    for (let n = 0; n < DECODED_MAX && text.includes("%"); n += 1) text = decodeURIComponent(text);
    return text;
  } catch {
    return text === part ? null : text;
  }
}

type Mask = (text: string) => string;

function maskedPart(part: string, mask: Mask): string {
  const text = decoded(part);
  if (text === null) return MASK;
  const masked = mask(text);
  return masked === text ? part : encodeURIComponent(masked.toWellFormed());
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

import { LRUCache } from "lru-cache";
import {
  CUT,
  isHeaderField,
  isPersonalField,
  isSecretField,
  isUrlField,
  MASK,
  maskedStart,
  maskedText,
  withoutQuery,
} from "./mask.ts";

/** What a request is about: codes, and ids of customers, as they were written. */
export type RequestNames = { codes: Set<string>; customers: Set<string>; countMax: number };

/** How long a body is kept at most, in characters of JSON. */
export const BODY_MAX = 8_000;
/** So many times as long as it may be. */
const TOO_LONG = 3;
const TEXT_MAX = 1_000;
const LIST_MAX = 50;
const DEPTH_MAX = 20;
const [MASKED_JSON, CUT_JSON] = [JSON.stringify(MASK), JSON.stringify(CUT)];
const VISITS_MAX = 5_000;
const NAMES_MAX = 100;
/** So many are noted of a list: each is a row. */
export const LIST_NAMES_MAX = 20;
const NAME_MAX = 500;
/** What is longer is no phone number: its start is masked elsewhere. */
const PERSONAL_MAX = 200;

const CODE_FIELDS = /^(?:code|codes|coupon|voucher|vouchers|voucher_codes?)$/;
const REDEEMABLES = /redeemables$/;
/** What holds a customer: its `id` and its `source_id` are names of one. */
const PEOPLE = /^(?:customers?|holders?|referrers?|referees?|profile)$/;
const CUSTOMER_FIELDS = /^(?:customer_id|customer_source_id|tracking_id|holder_id|referrer_id)$/;
/** Parts of filters: what is in them stands in the field around them. */
const AROUND = /^(?:filters|conditions|\$\w+)$/;
const CUSTOMER_ID = /^cust_[0-9a-f]{24}$/;

/** What the name of a field says of what it holds. */
type Field = {
  shown: string;
  /** The same as it begins in JSON. */
  json: string;
  isSecret: boolean;
  isPersonal: boolean;
  isUrl: boolean;
  holdsHeaders: boolean;
  isCode: boolean;
  isCustomer: boolean;
  holdsRedeemables: boolean;
  holdsPeople: boolean;
  isId: boolean;
  isName: boolean;
  isAround: boolean;
};

/** Fields have few names, and each body has many fields. */
const fields = new LRUCache<string, Field>({ max: 2_000 });

function fieldOf(name: string): Field {
  const known = fields.get(name);
  if (known) return known;
  const shown = maskedStart(name, TEXT_MAX);
  const field = {
    shown,
    json: `${JSON.stringify(shown)}:`,
    isSecret: isSecretField(name),
    isPersonal: isPersonalField(name),
    isUrl: isUrlField(name),
    holdsHeaders: isHeaderField(name),
    isCode: CODE_FIELDS.test(name),
    isCustomer: CUSTOMER_FIELDS.test(name) || PEOPLE.test(name),
    holdsRedeemables: REDEEMABLES.test(name),
    holdsPeople: PEOPLE.test(name),
    isId: name === "id",
    isName: name === "id" || name === "source_id",
    isAround: AROUND.test(name),
  };
  if (name.length <= TEXT_MAX) fields.set(name, field);
  return field;
}

/** Where a value stands: the field that holds it, the field that holds that, and whether it is in one for something personal. */
type Place = { field: Field; parent: Field; depth: number; isPersonal: boolean; isHeader: boolean };
type Redaction = {
  names: RequestNames;
  /** What was met in personal fields, and what of it is masked elsewhere. */
  personal: Set<string>;
  masked: ReadonlySet<string>;
  /** How many characters are shown at most, and how many values are looked at for names. */
  left: number;
  visits: number;
  /** It holds a customer who was not noted. Erasing that customer would not find it, so it must not be shown. */
  isUnnamed: boolean;
  /** It had one at all. */
  hadUnnamed: boolean;
};

export const noNames = (countMax = NAMES_MAX): RequestNames => ({ codes: new Set(), customers: new Set(), countMax });

/** Notes a name, and returns whether it is noted. One that is too long or cannot be stored is not. */
export function addName({ countMax, ...names }: RequestNames, kind: "codes" | "customers", name: string): boolean {
  const text = name.toWellFormed();
  const isNew = !names[kind].has(text);
  if (isNew && (name.length > NAME_MAX || names[kind].size >= countMax || name.includes("\0"))) return false;
  if (text !== "") names[kind].add(text);
  return true;
}

const UNNAMED = { isUnnamed: true, hadUnnamed: true };

function noteNames(text: string, { field, parent }: Place, redaction: Redaction): void {
  if (field.isCode || (field.isId && parent.holdsRedeemables)) addName(redaction.names, "codes", text);
  const isPerson = field.isCustomer || (field.isName && parent.holdsPeople);
  if (isPerson || (text.startsWith("cust_") && CUSTOMER_ID.test(text)))
    if (!addName(redaction.names, "customers", text)) Object.assign(redaction, UNNAMED);
}

/** Shorter ones are words that stand everywhere. */
const PERSONAL_MIN = 5;
/** So many are looked for in each text. Whoever sends more is shown no text at all. */
export const PERSONAL_COUNT_MAX = 50;

function notePersonal(text: string, { personal }: Redaction): void {
  const start = text.slice(0, PERSONAL_MAX);
  if (start.length < PERSONAL_MIN || personal.size > PERSONAL_COUNT_MAX) return;
  // What shows by itself what it is, is masked everywhere anyway.
  if (maskedText(start) !== MASK) personal.add(start);
}

/** A text without others. */
export function withoutTexts(text: string, others: ReadonlySet<string>): string {
  if (others.size > PERSONAL_COUNT_MAX) return text.length < PERSONAL_MIN ? text : MASK;
  let left = text;
  for (const one of others) left = left.replaceAll(one, MASK);
  return left;
}

/** What begins as an object or a list of JSON does. */
const JSON_START = /^\s*(?:\{\s*["}]|\[\s*["[{\]\d-])/;

/** JSON in a text, masked as it would be outside of it; what cannot be read may hold anything. */
function redactedJson(text: string, place: Place, redaction: Redaction): string {
  try {
    const shown = redact(JSON.parse(text), { ...place, depth: place.depth + 1 }, redaction);
    return shown.length > TEXT_MAX ? `${shown.slice(0, TEXT_MAX).toWellFormed()}${CUT}` : shown;
  } catch {
    return MASK;
  }
}

function redactedText(text: string, place: Place, redaction: Redaction): string {
  if (place.field.isSecret || place.isHeader) return MASK;
  if (JSON_START.test(text)) return redactedJson(text, place, redaction);
  noteNames(text, place, redaction);
  if (place.isPersonal) {
    notePersonal(text, redaction);
    return MASK;
  }
  if (redaction.left <= 0) return CUT;
  const shown = place.field.isUrl ? withoutQuery(text) : text;
  return maskedStart(shown, TEXT_MAX, (one) => withoutTexts(maskedText(one), redaction.masked));
}

function redactedNumber(value: number, place: Place, redaction: Redaction): number | string {
  if (place.isPersonal) notePersonal(String(value), redaction);
  const isHidden = place.isPersonal || place.isHeader || place.field.isSecret || redaction.masked.has(String(value));
  return isHidden ? MASK : value;
}

/**
 * A value as it is shown, as JSON. Text is written at once: to build the value first and to write it afterwards took twice as long,
 * and a redemption shows 400 values.
 */
function redact(value: unknown, place: Place, redaction: Redaction): string {
  redaction.visits -= 1;
  if (typeof value === "string" || typeof value === "number") {
    const shown =
      typeof value === "string" ? redactedText(value, place, redaction) : redactedNumber(value, place, redaction);
    redaction.left -= typeof shown === "string" ? shown.length + 3 : 8;
    return JSON.stringify(shown);
  }
  redaction.left -= 3;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (place.field.isSecret) return MASKED_JSON;
  if (place.depth >= DEPTH_MAX) return CUT_JSON;
  return Array.isArray(value)
    ? redactList(value, place, redaction)
    : redactObject(value as Readonly<Record<string, unknown>>, place, redaction);
}

/**
 * What is in a list stands in the field of the list. What is not shown may hold names all the same. What holds a customer who is not
 * noted is left out, and the rest of the list is shown.
 */
function redactList(list: readonly unknown[], place: Place, redaction: Redaction): string {
  const shown: string[] = [];
  const inside = { ...place, depth: place.depth + 1 };
  for (const one of list) {
    if (redaction.visits <= 0) break;
    const { left } = redaction;
    const isShown = left > 0 && shown.length < LIST_MAX;
    if (!isShown) redaction.left = 0;
    const redacted = redact(one ?? null, inside, redaction);
    if (isShown && !redaction.isUnnamed) shown.push(redacted);
    else redaction.left = left;
    redaction.isUnnamed = false;
  }
  if (shown.length < list.length) shown.push(CUT_JSON);
  return `[${shown.join()}]`;
}

const [NO_FIELD, CUSTOMER] = ["", "customer"].map(fieldOf) as [Field, Field];

const NOWHERE: Place = { field: NO_FIELD, parent: NO_FIELD, depth: 0, isPersonal: false, isHeader: false };

/** A customer that says that it is one need not stand in a field of that name. */
const parentOf = (object: object, { field }: Place): Field =>
  "object" in object && object.object === "customer" ? CUSTOMER : field;

function redactObject(object: Readonly<Record<string, unknown>>, place: Place, redaction: Redaction): string {
  // One place for all fields: none is needed once its value is written.
  const inside = { ...place, depth: place.depth + 1 };
  const parent = parentOf(object, place);
  let shown = "";
  let isCut = false;
  for (const name in object) {
    const value = object[name];
    if (value === undefined) continue;
    const field = fieldOf(name);
    const isShown = redaction.left > 0 && redaction.visits > 0;
    isCut ||= !isShown;
    if (redaction.visits <= 0) break;
    redaction.left -= field.shown.length + 4;
    [inside.field, inside.parent] = field.isAround ? [place.field, place.parent] : [field, parent];
    inside.isPersonal = place.isPersonal || (!field.isAround && field.isPersonal);
    inside.isHeader = place.isHeader || (!field.isAround && field.holdsHeaders);
    const redacted = redact(value, inside, redaction);
    if (isShown) shown += `${shown && ","}${field.json}${redacted}`;
  }
  return `{${shown}${isCut ? `${shown && ","}${CUT_JSON}:${CUT_JSON}` : ""}}`;
}

/**
 * A body of a request or of an answer. `about` is the field that it could stand in: `customer` of a path of customers. All or nothing:
 * the text of one that has more names than are noted is null.
 */
export type LoggedBody = {
  value: unknown;
  about: string;
  allOrNothing?: true;
  /** How long it may be; `BODY_MAX` unless told. */
  lengthMax?: number;
};
const UNREAD = { visits: VISITS_MAX, isUnnamed: false, hadUnnamed: false };

/**
 * Bodies as they are logged: as JSON, without secrets, e-mail addresses and phone numbers, and each of bounded length. What
 * stands in a field for such a thing is masked wherever else it stands. The names that were met are added to `names`.
 */
export function redactBodies(
  bodies: readonly (LoggedBody | null)[],
  names: RequestNames,
): { texts: (string | null)[]; personal: ReadonlySet<string> } {
  const personal = new Set<string>();
  const redactAll = (masked: ReadonlySet<string>) =>
    bodies.map((body) => {
      if (body === null || body.value === undefined) return null;
      const place = { ...NOWHERE, field: fieldOf(body.about) };
      const { lengthMax = BODY_MAX } = body;
      const redaction = { ...UNREAD, left: lengthMax, names, personal, masked };
      const text = redact(body.value, place, redaction);
      if (body.allOrNothing && (redaction.hadUnnamed || redaction.visits <= 0)) return null;
      if (redaction.isUnnamed) return CUT_JSON;
      // Characters that JSON writes with six are counted as one: what is made of them is no body to look at.
      return text.length > TOO_LONG * lengthMax ? CUT_JSON : text;
    });
  const texts = redactAll(new Set());
  // Once more, now that it is known what is personal: it may have stood somewhere before its own field.
  return { texts: personal.size > 0 ? redactAll(personal) : texts, personal };
}

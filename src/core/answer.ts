import { type ErrorBody, type ErrorExtra, type ErrorKey, errorBody } from "./errors.ts";
import type { RefusalNote } from "./refusals/refusal.ts";

/** An answer in its final form. A flow makes it, the idempotency table keeps it, `mount` sends it byte for byte. */
export type Answer = {
  readonly status: number;
  readonly body: string;
  readonly replayed?: true;
  /** The version of the configured object that was read or changed. */
  readonly etag?: string;
  /** What the body can be made again from: then that is kept for a repetition, and not the body. */
  readonly madeOf?: object;
  /** It was repeated, and what was made again is not what was sent. */
  readonly isMismatch?: true;
  /** The session that the cookie of the caller names from now on; null: it names none any more. */
  readonly session?: OpenSession | null;
  /** The same of the cookie for a sign-in at another provider. */
  readonly signOn?: OpenSession | null;
  /** What it refuses, for whoever asks later why. */
  readonly refusal?: RefusalNote;
};

/** What a browser keeps of a session. */
export type OpenSession = { token: string; ends_at: string };

export const success = (body: unknown, status = 200): Answer =>
  body === null ? { status: 204, body: "" } : { status, body: JSON.stringify(body) };

/** What a page of a list may have, in bytes: each statement that reads it, and its text. */
export const PAGE_BYTES_MAX = 33_554_432;

/** How many rows are written at once: one by one, small rows take longer. */
const ROWS_AT_ONCE = 10;

/**
 * A list, written in pieces, in the order of its fields. `tooLarge` ends it as soon as its rows pass the limit, and the
 * rest is never written.
 */
export function listed(body: object, bytesMax: number, tooLarge: () => Error): Answer {
  let bytes = 0;
  const written = (value: unknown): string => {
    const text = JSON.stringify(value);
    bytes += Buffer.byteLength(text);
    if (bytes > bytesMax) throw tooLarge();
    return text;
  };
  const isLong = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > ROWS_AT_ONCE;
  if (!Object.values(body).some(isLong)) return { status: 200, body: written(body) };
  let text = "";
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    text += `${text === "" ? "{" : ","}"${name}":`;
    if (!isLong(value)) {
      text += written(value);
      continue;
    }
    for (let at = 0; at < value.length; at += ROWS_AT_ONCE)
      text += `${at === 0 ? "[" : ","}${written(value.slice(at, at + ROWS_AT_ONCE)).slice(1, -1)}`;
    text += "]";
  }
  return { status: 200, body: `${text}}` };
}

const WRITTEN = Symbol("JSON already");
type Written = { readonly [WRITTEN]: string };
/** A part of an answer that is JSON already. */
export const written = (text: string): Written => ({ [WRITTEN]: text });

const texts = new WeakMap<object, string>();
/** A value that never changes and that many answers show: its text is made once. */
export function remembered<T extends object>(value: T): T {
  if (!texts.has(value)) texts.set(value, JSON.stringify(value));
  return value;
}

/** A success of which parts are written already: they stand in it, or in one of the things that a list of it holds. */
export const writtenSuccess = (body: object): Answer => ({ status: 200, body: jsonOf(body, 3) });

function jsonOf(value: unknown, depth: number): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (WRITTEN in value) return (value as Written)[WRITTEN];
  const known = texts.get(value);
  if (known !== undefined) return known;
  if (depth === 0) return JSON.stringify(value);
  let text = "";
  if (Array.isArray(value)) {
    for (const one of value) text += `${text === "" ? "" : ","}${jsonOf(one, depth - 1)}`;
    return `[${text}]`;
  }
  for (const name of Object.keys(value)) {
    const one = (value as Record<string, unknown>)[name];
    if (one !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${jsonOf(one, depth - 1)}`;
  }
  return `{${text}}`;
}

export function refusal(key: ErrorKey, extra: ErrorExtra & { request_id: string }): Answer {
  const body = errorBody(key, extra);
  return { status: body.code, body: JSON.stringify(body) };
}

/** A refusal that was decided as a value. */
export const refusedAnswer = (body: ErrorBody, request_id: string): Answer => ({
  status: body.code,
  body: JSON.stringify({ ...body, request_id }),
});

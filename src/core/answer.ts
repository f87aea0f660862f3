import { type ErrorBody, type ErrorExtra, type ErrorKey, errorBody } from "./errors.ts";

/** An answer in its final form. A flow makes it, the idempotency table keeps it, `mount` sends it byte for byte. */
export type Answer = { readonly status: number; readonly body: string; readonly replayed?: true };

export const success = (body: unknown, status = 200): Answer =>
  body === null ? { status: 204, body: "" } : { status, body: JSON.stringify(body) };

export function refusal(key: ErrorKey, extra: ErrorExtra & { request_id: string }): Answer {
  const body = errorBody(key, extra);
  return { status: body.code, body: JSON.stringify(body) };
}

/** A refusal that was decided as a value. */
export const refused = (body: ErrorBody, request_id: string): Answer => ({
  status: body.code,
  body: JSON.stringify({ ...body, request_id }),
});

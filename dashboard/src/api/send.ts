import { refusalTexts } from "../text/text.ts";
import { connectionLost } from "./connection.ts";
import { type Refusal, RequestError } from "./errors.ts";
import type { AnswerOf, AnyOp, BodyOf, Op, ParamsOf, Shape } from "./op.ts";
import { sessionState, signedInAgain } from "./session.ts";

export type SendOptions<O extends AnyOp> = {
  body?: BodyOf<O>;
  /** The same for each try of one press of a button, so that a lost answer is not done twice. */
  idempotencyKey?: string;
  /** The version that was read: the write is refused when somebody else was faster. */
  ifMatch?: string;
  signal?: AbortSignal;
};
export type Answer<T> = { body: T; etag: string | null };

/** Query parameters as the server reads them: lists repeat, objects have brackets. Nothing for what is empty. */
export function queryOf(params: Record<string, unknown>): string {
  const query = new URLSearchParams();
  const add = (name: string, value: unknown): void => {
    if (value === undefined || value === null || value === "") return;
    if (Array.isArray(value)) for (const one of value) add(name, one);
    else if (typeof value === "object") for (const [key, one] of Object.entries(value)) add(`${name}[${key}]`, one);
    else query.append(name, String(value));
  };
  for (const [name, value] of Object.entries(params)) add(name, value);
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** The address of an operation: what its path names goes there, the rest into the query. */
export function addressOf<S extends Shape>({ path }: Op<S>, params: S["params"]): string {
  const rest = { ...(params as Record<string, unknown>) };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  return filled + queryOf(rest);
}

const isForm = (body: unknown): body is FormData => body instanceof FormData;

export function headersOf<O extends AnyOp>({ method, path }: O, options: SendOptions<O>): Record<string, string> {
  const { session, project } = sessionState();
  return {
    Accept: "application/json",
    // The browser itself names the type of a form with files, with the boundary between its parts.
    ...(options.body !== undefined && !isForm(options.body) && { "Content-Type": "application/json" }),
    ...(method !== "GET" && session && { "X-Laurel-CSRF": session.csrf_token }),
    ...(/^\/v\d/.test(path) && project && { "X-Laurel-Project": project.id }),
    ...(options.idempotencyKey && { "Idempotency-Key": options.idempotencyKey }),
    ...(options.ifMatch && { "If-Match": options.ifMatch }),
  };
}

async function exchange<O extends AnyOp>(
  operation: O,
  params: ParamsOf<O>,
  options: SendOptions<O>,
): Promise<Response> {
  try {
    return await fetch(addressOf(operation, params), {
      method: operation.method,
      headers: headersOf(operation, options),
      credentials: "same-origin",
      ...(options.body !== undefined && { body: isForm(options.body) ? options.body : JSON.stringify(options.body) }),
      ...(options.signal && { signal: options.signal }),
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    connectionLost();
    throw new RequestError(0, { key: "no_answer" });
  }
}

async function refusalOf(response: Response): Promise<RequestError> {
  const refusal = (await response.json().catch(() => ({}))) as Refusal;
  const requestId = response.headers.get("X-Request-Id") ?? "";
  await refusalTexts();
  return new RequestError(response.status, { request_id: requestId, ...refusal });
}

const ENDED = ["session_expired", "unauthorized"];
/** These say with `unauthorized` that a password or a code is wrong. */
const CHECKS_PASSWORDS = ["updateOwnPassword", "removeTotp", "unlinkSingleSignOn"];
const hasEnded = ({ id }: AnyOp, { status, key }: RequestError): boolean =>
  status === 401 && ENDED.includes(key) && (key === "session_expired" || !CHECKS_PASSWORDS.includes(id));

/** Sends a request as who is signed in. Throws a `RequestError` for every refusal. */
export async function sendFor<O extends AnyOp>(
  operation: O,
  params: ParamsOf<O>,
  options: SendOptions<O> = {},
): Promise<Answer<AnswerOf<O>>> {
  const response = await exchange(operation, params, options);
  if (response.ok) {
    const body = response.status === 204 ? null : await response.json();
    return { body, etag: response.headers.get("ETag") };
  }
  const refusal = await refusalOf(response);
  // Somebody was signed in, so the session has ended: they sign in over the page, and the request goes on.
  if (hasEnded(operation, refusal) && sessionState().session !== null) {
    await signedInAgain();
    return sendFor(operation, params, options);
  }
  throw refusal;
}

export const send = async <O extends AnyOp>(
  operation: O,
  params: ParamsOf<O>,
  options: SendOptions<O> = {},
): Promise<AnswerOf<O>> => (await sendFor(operation, params, options)).body;

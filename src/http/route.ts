import { type Static, type TSchema, Type } from "typebox";
import type { Answer } from "../core/answer.ts";
import type { Ctx, HotCtx, WriteCtx } from "../ctx.ts";
import type { Db, Pool } from "../db/db.ts";
import type { Project } from "../request.ts";

type Method = "GET" | "POST" | "PUT" | "DELETE";
type Part<S> = S extends TSchema ? Static<S> : undefined;
type ClientSetting = Extract<keyof Project, `client_${string}_enabled`>;

type Spec<P, Q, B, O> = {
  id: string;
  summary: string;
  description?: string;
  params?: P;
  query?: Q;
  body?: B;
  /** The body is form-encoded and not JSON. */
  form?: true;
  /**
   * The body is a form with a file, which is stored as it comes in: the operation gets an `Upload`. Personal: it may tell of
   * customers.
   */
  upload?: { isPersonal: boolean };
  /** The interface asks for a body, though none of its fields is required. */
  bodyRequired?: true;
  ok: O;
  /** The status of success, where it is not 200 or, without an answer, 204. */
  status?: 202;
  /** The answer with 202 in place of `ok`: it has an `async_action_id`, or its status is `TRANSACTION_CREATED`. */
  accepted?: TSchema;
  /** The answer holds a secret: it is stored sealed, and for ten minutes only. */
  secret?: true;
  /** The setting of the project that a client-side operation needs. */
  setting?: ClientSetting;
  /** A client-side operation that tells whether a code exists: the wrong codes of an address are limited. */
  findsCodes?: true;
  /** It tells whether a password is right: the wrong ones of an address are limited. */
  findsPasswords?: true;
  /** A client-side operation that takes a server-side key pair as well, and then gives this answer. */
  orServerKey?: TSchema;
  /** It only reads, and what it stores comes behind its answer: it may begin while its credentials are checked. */
  mayBeginEarly?: true;
  bodyLimitBytes?: number;
};
type Input<P, Q, B> = {
  params: Part<P>;
  query: Part<Q>;
  body: Part<B>;
  /** Codes that one request may have made. */
  vouchersCountMax: number;
  /** What the files of a project may have together; undefined: as much as the store says. */
  filesBytesMax: number | undefined;
};
type Result<O extends TSchema> = Promise<Static<O>>;

/** Who may call: derived from the path, so that no operation can forget it. The first line that fits counts. */
export type Access = "app" | "v2" | "client" | "management" | "session" | "none";
const ACCESS: readonly (readonly [line: RegExp, access: Access])[] = [
  // Whoever signs in has nothing to show yet, but a password or the token of a link.
  [/^POST \/management\/v1\/(?:session(?:\/link)?|password-reset(?:\/accept)?)$/, "none"],
  [/ \/management\/v1\/single-sign-on(?:\/|$)/, "none"],
  [/ \/management\/v1\/sessions?(?:\/|$)/, "session"],
  [/ \/v1\//, "app"],
  [/ \/v2\//, "v2"],
  [/ \/client\/v1\//, "client"],
  [/ \/management\/v1\//, "management"],
];
const accessOf = (line: string): Access => ACCESS.find(([lines]) => lines.test(line))?.[1] ?? "none";

/**
 * The scope that opens a path to a token, beside the umbrella scope: the first segment, as the interface has it.
 * Management operations and the token operations themselves are not for tokens.
 */
function scopeOf(path: string, access: Access): string | null {
  const segment = path.split("/")[access === "client" ? 3 : 2] ?? "";
  if (["none", "management", "session"].includes(access) || segment === "oauth") return null;
  return access === "client" ? `client_${segment}` : segment;
}

export type Route = Spec<TSchema, TSchema, TSchema, TSchema> & {
  method: Method;
  path: string;
  access: Access;
  scope: string | null;
  /** No field of the body is required, and so it may be left out. */
  bodyOptional: boolean;
  /** It answers a page of a list, whose size is bounded. */
  isList: boolean;
  /** It takes many objects at once, and counts in the rate limit of such operations. */
  isBulk: boolean;
  /** `read`: no transaction. `write`: one transaction, opened by `mount`. `hot`: a command for the lanes. */
  runs: "read" | "write" | "hot";
  run(input: never): Promise<unknown>;
  /** What a write does before its transaction, as slow as it may be: it keeps no connection meanwhile. */
  before?(input: never): Promise<unknown>;
  /** What happened behind a position, and the position behind that; null: from now on. `event-stream.ts` sends it. */
  follow?(input: FollowCtx): Promise<{ from: string; events: readonly StreamedEvent[]; position: string }>;
  /** The file that a token in the query opens; `documents/download.ts` sends it. */
  fileOf?(input: FileCtx): Promise<Download>;
};

/** What is known of a request that has a token in place of keys. */
type FileCtx<P = unknown, Q = unknown> = { db: Pool; params: P; query: Q; now: string };

/** A file that is sent in pieces, as the client takes them. */
export type Download = {
  name: string;
  contentType: string;
  bytes: number;
  chunks: number;
  /** A chunk by its number, from 0; null when it is gone. */
  readChunk(db: Db, number: number): Promise<Uint8Array | null>;
};

type FollowCtx<Q = unknown> = { db: Pool; project: Project; query: Q; position: string | null; now: string };
/** An event of a stream: a client that connects again says the id of the last one. */
export type StreamedEvent = { id: string; type: string; data: object };

/** Without a body a POST or PUT is sent the empty object, where that is enough. */
function isBodyOptional(method: Method, spec: object): boolean {
  const { body, bodyRequired, upload } = spec as {
    body?: { type?: unknown; required?: readonly string[] };
    bodyRequired?: true;
    upload?: object;
  };
  if (bodyRequired || upload) return false;
  return (method === "POST" || method === "PUT") && body?.type === "object" && (body.required ?? []).length === 0;
}

/** Imports and updates in bulk: the interface names them by the end of their paths. */
const BULK = /\/(async|import|importCSV)$/;

const define = (runs: Route["runs"]) => (line: string, spec: object, run: unknown) => {
  const [method, path] = line.split(" ") as [Method, string];
  const access = accessOf(line);
  const bodyOptional = isBodyOptional(method, spec);
  const { properties } = (spec as { ok: { properties?: { object?: { const?: unknown } } } }).ok;
  const isList = method === "GET" && properties?.object?.const === "list";
  return {
    ...spec,
    bodyOptional,
    isList,
    isBulk: method === "POST" && BULK.test(path),
    method,
    path,
    access,
    scope: scopeOf(path, access),
    runs,
    run,
  } as unknown as Route;
};

/** An operation that changes nothing, as data. */
export const read: <O extends TSchema, P = undefined, Q = undefined, B = undefined>(
  line: `${Method} /${string}`,
  spec: Spec<P, Q, B, O>,
  run: (input: Ctx & Input<P, Q, B>) => Result<O>,
) => Route = define("read");

/**
 * An operation that changes something. Its handler gets the transaction as `c.db` and nothing else to query with; the
 * idempotent answer and the catalog's revision are written in that same transaction.
 */
export const write: <
  O extends TSchema,
  P = undefined,
  Q = undefined,
  B = undefined,
  A extends TSchema = ReturnType<typeof Type.Never>,
  K = undefined,
>(
  line: `${Exclude<Method, "GET">} /${string}`,
  spec: Spec<P, Q, B, O> & { accepted?: A; before?: (input: Ctx & Input<P, Q, B>) => Promise<K> },
  run: (input: WriteCtx & Input<P, Q, B> & { checked: K }) => Result<O> | Promise<Static<O> | Static<A>>,
) => Route = define("write");

/** An operation whose flow takes batches. It hands a command to the lanes and returns the answer as it is. */
export const hot: <O extends TSchema, P = undefined, Q = undefined, B = undefined>(
  line: `${Method} /${string}`,
  spec: Spec<P, Q, B, O>,
  run: (input: HotCtx & Input<P, Q, B>) => Promise<Answer>,
) => Route = define("hot");

/** An operation that tells what happens as it happens. `ok` is what each event holds. */
export const stream = <O extends TSchema, Q extends TSchema>(
  line: `GET /${string}`,
  spec: Spec<undefined, Q, undefined, O>,
  follow: (input: FollowCtx<Static<Q>>) => ReturnType<NonNullable<Route["follow"]>>,
): Route => ({ ...define("read")(line, spec, null), follow: follow as NonNullable<Route["follow"]> });

/**
 * An operation that reads, and that sends a file to whoever has the token of its address: then `fileOf` is asked, which
 * throws 401 for a token that opens nothing, and no keys are.
 */
export const download = <O extends TSchema, P extends TSchema, Q extends TSchema>(
  line: `GET /${string}`,
  spec: Spec<P, Q, undefined, O>,
  run: (input: Ctx & Input<P, Q, undefined>) => Result<O>,
  fileOf: (input: FileCtx<Static<P>, Static<Q> & { token: string }>) => Promise<Download>,
): Route => ({ ...read(line, spec, run), fileOf: fileOf as NonNullable<Route["fileOf"]> });

/** The answer of an operation, whoever calls. */
export const answerSchema = ({ ok, orServerKey }: Pick<Route, "ok" | "orServerKey">): TSchema =>
  orServerKey ? Type.Union([ok, orServerKey]) : ok;

/** The v1 list envelope. */
export const list = <Row, View, R extends string = "data">(
  page: { rows: readonly Row[]; total: number },
  view: (row: Row) => View,
  ref: R = "data" as R,
) =>
  ({ object: "list", data_ref: ref, [ref]: page.rows.map(view), total: page.total }) as {
    object: "list";
    data_ref: R;
    total: number;
  } & Record<R, View[]>;

/** The v2 list envelope. */
export const cursorList = <Row, View>(
  { rows, cursor }: { rows: readonly Row[]; cursor: { next: string; expires_at: string } | null },
  view: (row: Row) => View,
) => ({ object: "list" as const, data: rows.map(view), cursor });

/** What an operation takes and answers. `params` are those of the path and of the query. */
export type Shape = { params: object; body: unknown; answer: unknown };
export type Method = "GET" | "POST" | "PUT" | "DELETE" | "PATCH";
/** An operation of the interface as data. `shape` is there for the compiler only. */
export type Op<S extends Shape = Shape> = { id: string; method: Method; path: string; shape?: S };

export type ParamsOf<O> = O extends Op<infer S> ? S["params"] : never;
export type BodyOf<O> = O extends Op<infer S> ? S["body"] : never;
export type AnswerOf<O> = O extends Op<infer S> ? S["answer"] : never;

// biome-ignore lint/suspicious/noExplicitAny: some operation, whatever it takes.
export type AnyOp = Op<any>;

/** A request as data, to be shown. */
export type Call = {
  operation: AnyOp;
  params: object;
  body?: unknown;
  /** The name of a file that is uploaded in place of a body. */
  file?: string;
};

/** The rows of a list: below the name that `data_ref` has, or below `data`. */
export type RowOf<O> =
  AnswerOf<O> extends { data_ref: infer K extends string }
    ? AnswerOf<O> extends Record<K, (infer R)[]>
      ? R
      : never
    : AnswerOf<O> extends { data: (infer R)[] }
      ? R
      : never;

export const op = <S extends Shape>(id: string, method: Method, path: string): Op<S> => ({ id, method, path });

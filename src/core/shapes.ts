import { type Static, type TOptional, type TSchema, Type } from "typebox";
import { METADATA_BYTES_MAX } from "./metadata/size.ts";

/** The schema, or null. Written as a union of types and not of schemas, so that an error names the field at fault. */
export const Nullable = <S extends TSchema>(schema: S) => {
  const { type, enum: values } = schema as { type?: string | string[]; enum?: unknown[] };
  return Type.Unsafe<Static<S> | null>({
    ...schema,
    ...(type && { type: [type, "null"].flat() }),
    ...(values && { enum: [...values, null] }),
  });
};
export const Choice = <const V extends readonly string[]>(values: V, options: object = {}) =>
  Type.Unsafe<V[number]>({ type: "string", enum: [...values], ...options });

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const SAFE = Number.MAX_SAFE_INTEGER;
/** What is said of money that is not in whole minor units: shops that think in 49.99 see what to send. */
export const CENTS_SAY = "must be a whole number of cents (4999 for 49.99)";
/** Whether a value of a rule or a filter is money. Numbers in texts are taken, but "4999.00" may be meant as 4999 or as 499900. */
export const isCents = (value: unknown): boolean =>
  typeof value === "number" ? Number.isInteger(value) : /^-?\d+$/.test(String(value));
/** Money as it is sent, in 1/100 of the major unit. The format is what a refusal is worded by. */
export const Cents = (
  limits: { minimum?: number; maximum?: number; description?: string; format?: "cents-or-points" } = {},
) => Type.Integer({ minimum: 0, maximum: SAFE, format: "cents", ...limits });

export type Props = Record<string, TSchema>;
/** A body that refuses unknown fields: v2 and management. `routes.test.ts` checks that every body chose. */
export const strict = <P extends Props>(props: P, options: object = {}) =>
  Type.Object(props, { additionalProperties: false, ...options });
/** A body that ignores unknown fields: v1 and client. They go no further: a store writes only its own columns. */
export const open = <P extends Props>(props: P, options: object = {}) =>
  Type.Object(props, { additionalProperties: true, ...options });
export const optional = <P extends Props>(props: P) =>
  Object.fromEntries(Object.entries(props).map(([k, s]) => [k, Type.Optional(s)])) as {
    [K in keyof P]: TOptional<P[K]>;
  };

/** An object whose fields Laurel does not define. It has a name in the OpenAPI document, so that nobody takes it for a gap. */
export const FreeMap = <T extends object = Record<string, unknown>>(title: string, description: string) =>
  Type.Unsafe<T>({ type: "object", additionalProperties: true, title, description });
/**
 * A value that is checked after its schema, in words of its own. `shown` is what the OpenAPI document says of it, and what
 * its unknown fields are found by.
 */
export const CheckedLater = <T>(checked: object, shown: object) => Type.Unsafe<T>({ ...checked, "x-shown": shown });
export const Metadata = Type.Unsafe<Record<string, unknown>>({
  ...FreeMap("Metadata", "Fields of your own. A metadata schema of the project may limit them."),
  "x-max-bytes": METADATA_BYTES_MAX,
});

import { type Static, type TSchema, Type } from "typebox";
import { Cents, Nullable } from "../shapes.ts";

/** The fields of a discount by name. One whose name ends in `_formula` holds a formula. */
export type Fields = Readonly<Record<string, TSchema>>;
/** What fields hold when each of them may be left out. */
export type Values<F extends Fields> = { -readonly [Field in keyof F]?: Static<F[Field]> };

const nullable = (type: string, limits: object = {}) => ({ type: [type, "null"], ...limits });

export const DiscountAmount = Nullable(Cents());
export const Limit = Nullable(Cents({ minimum: 1 }));
export const Percentage = Type.Unsafe<number | null>(nullable("number", { minimum: 0, maximum: 100 }));
export const Formula = Type.Unsafe<string | null>(nullable("string", { maxLength: 4096 }));
export const Text = Type.Unsafe<string | null>(nullable("string", { maxLength: 200 }));
const UNITS_OFF_MAX = 1_000_000;
export const Units = Type.Unsafe<number | null>(nullable("integer", { minimum: 0, maximum: UNITS_OFF_MAX }));

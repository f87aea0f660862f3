import { type Static, type TSchema, Type } from "typebox";
import { CODE_MAX } from "../codes/code.ts";
import { ExpirationRulesSchema } from "../loyalty/campaign/shapes.ts";
import { Cents, Nullable } from "../shapes.ts";

const nullable = <T>(schema: object, type: string) => Type.Unsafe<T | null>({ ...schema, type: [type, "null"] });
const text = (maxLength: number, description: string) => nullable<string>({ maxLength, description }, "string");
const oneOf = <const V extends readonly string[]>(values: V) =>
  Type.Unsafe<V[number]>({ type: "string", enum: [...values] });
const open = <P extends Record<string, TSchema>>(props: P) => Type.Object(props, { additionalProperties: true });
const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** How codes are made, as it is sent. What fits together is said by `codeTemplate`. */
export const CodeConfigSchema = open({
  length: Type.Optional(nullable<number>({ minimum: 1, maximum: CODE_MAX }, "integer")),
  charset: Type.Optional(text(2000, "The characters that stand for `#`.")),
  prefix: Type.Optional(text(CODE_MAX, "Before the random characters.")),
  postfix: Type.Optional(text(CODE_MAX, "After the random characters.")),
  pattern: Type.Optional(text(CODE_MAX, "Each `#` becomes a random character. It says everything but the charset.")),
});

export const GiftSchema = open({
  amount: Cents(),
  effect: Type.Optional(oneOf(["APPLY_TO_ORDER", "APPLY_TO_ITEMS"])),
});
export type GiftSent = Static<typeof GiftSchema>;

export const LoyaltyCardSchema = open({
  points: Amount,
  expiration_rules: Type.Optional(Nullable(ExpirationRulesSchema)),
});
export type LoyaltyCardSent = Static<typeof LoyaltyCardSchema>;

/** How often a code can be redeemed; null: without a limit. */
export const QuantitySchema = nullable<number>({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, "integer");

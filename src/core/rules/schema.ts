import { Type } from "typebox";
import { Nullable, type Props } from "../shapes.ts";
import type { RuleMap } from "./rule.ts";

export const Message = Type.Object({ message: Type.String() });

// Beside `logic` and `limit` every key stands for a rule. As a pattern: TypeScript has no type for "all other keys".
const RULES_BY_KEY = { "^(?!logic$|limit$)": { $ref: "#/$defs/RuleNode" } };

/** A rule as it is stored. Rules about the lines that it picks stand below it. */
export const RuleNode = Type.Object(
  {
    name: Type.String(),
    property: Nullable(Type.String({ description: "The property of metadata, for rules that look at one." })),
    conditions: Type.Unsafe<Record<string, unknown[]>>({
      type: "object",
      additionalProperties: { type: "array" },
      description: "Values by operator; all operators have to hold.",
    }),
    rules: Type.Unsafe<RuleMap>({
      type: "object",
      properties: { logic: { type: "string" } },
      patternProperties: RULES_BY_KEY,
      additionalProperties: false,
      description: "Rules about the lines that this one picks, in the same form.",
    }),
    error: Type.Optional(Message),
  },
  { title: "RuleNode" },
);
export const ruleMap = <T>(properties: Props, description: string) =>
  Type.Unsafe<T>({
    type: "object",
    properties,
    patternProperties: RULES_BY_KEY,
    additionalProperties: false,
    description,
  });

import { RuleNode, RuleNodeInBody } from "./rules/schema.ts";
import { RuleTrace } from "./validate/schema.ts";

/** Schemas that hold themselves. Others refer to them as `#/$defs/<name>`. */
export const RECURSIVE_SCHEMAS = { RuleNode, RuleNodeInBody, RuleTrace };

/** The schema that a reference names. */
export const recursiveSchema = (ref: string): object =>
  RECURSIVE_SCHEMAS[ref.replace("#/$defs/", "") as keyof typeof RECURSIVE_SCHEMAS];

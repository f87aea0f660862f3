import { RuleNode } from "./rules/schema.ts";
import { RuleTrace } from "./validate/schema.ts";

/** Schemas that hold themselves. Others refer to them as `#/$defs/<name>`. */
export const RECURSIVE_SCHEMAS = { RuleNode, RuleTrace };

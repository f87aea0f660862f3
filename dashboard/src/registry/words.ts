import type { Text, TextKey } from "../text/text.ts";
import type { Registered } from "./use-registry.ts";

// Words for what the server names. What has none yet is shown with the help of the registry, or by its name.

const found = (t: Text, key: string, values?: Record<string, unknown>): string | null => {
  const text = t(key as TextKey, values);
  return text === key ? null : text;
};

/** `order.amount` is "Order before this discount". */
export function ruleWord(t: Text, registry: Registered, name: string, property?: string | null): string {
  const rule = registry.rules.get(name);
  const word = found(t, `registry.rules.${(rule?.name ?? name).replaceAll(".", "_")}`, { property: property || "…" });
  if (word !== null) return word;
  const help = rule?.help.replace(/\.$/, "") ?? name;
  return property ? `${help}: ${property}` : help;
}

/** `$more_than_or_equal` is "is at least". */
export function operatorWord(t: Text, registry: Registered, name: string): string {
  const operator = registry.operators.get(name);
  return found(t, `registry.operators.${(operator?.name ?? name).replace("$", "")}`) ?? operator?.help ?? name;
}

export const checkWord = (t: Text, check: string): string => found(t, `registry.checks.${check}`) ?? check;
export const skipWord = (t: Text, skip: string): string => found(t, `registry.skipped.${skip}`) ?? skip;
export const needWord = (t: Text, need: string): string => found(t, `registry.needs.${need}`) ?? need;
/** Why something was refused, in words that a customer understands; null where only the server has words. */
export const reasonWord = (t: Text, reason: string): string | null => found(t, `why.reasons.${reason}`);

import { refusalTexts, type Text, type TextKey } from "../text/text.ts";
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

/** What a role is called: a built-in one in the language of the page, one of the shop's own as the shop named it. */
export const roleWord = (t: Text, role: { id: string; name: string; is_built_in: boolean } | string): string =>
  typeof role === "string"
    ? (found(t, `names.roles.${role}`) ?? role)
    : role.is_built_in
      ? (found(t, `names.roles.${role.id}`) ?? role.id)
      : role.name;
export const roleSays = (t: Text, role: { id: string; name: string }): string =>
  found(t, `names.roleSays.${role.id}`) ?? role.name;
/** `validation_rule` is "Rule": the kind of a thing in the audit log. */
export const kindWord = (t: Text, kind: string): string => found(t, `names.kinds.${kind}`) ?? kind.replaceAll("_", " ");
/** These have no name, and are never gone. */
const NAMELESS = ["cli", "engine"];
type Actor = { type: string; id: string; name: string | null };
/** A person by name, a key by its name and kind. Who is gone has none. */
export function actorWord(t: Text, { type, name }: Actor): string {
  const kind = found(t, `names.actors.${type}`) ?? type;
  if (name === null) return NAMELESS.includes(type) ? kind : t("names.gone", { who: kind });
  return type === "user" ? name : `${kind} ${name}`;
}
export const resourceWord = (t: Text, resource: string): string => found(t, `names.resources.${resource}`) ?? resource;
export const orderStatusWord = (t: Text, status: string): string => found(t, `names.orders.${status}`) ?? status;
export const checkWord = (t: Text, check: string): string => found(t, `registry.checks.${check}`) ?? check;
export const skipWord = (t: Text, skip: string): string => found(t, `registry.skipped.${skip}`) ?? skip;
export const needWord = (t: Text, need: string): string => found(t, `registry.needs.${need}`) ?? need;
/** Why something was refused, in words that a customer understands; null where only the server has words. */
export function reasonWord(t: Text, reason: string): string | null {
  const word = found(t, `why.reasons.${reason}`) ?? found(t, `errors.${reason}`);
  // The texts of refusals may not have come: the page is written again when they do.
  if (word === null) void refusalTexts();
  return word;
}

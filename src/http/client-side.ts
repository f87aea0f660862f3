import type { Static } from "typebox";
import type { Answer } from "../core/answer.ts";
import { ApiError } from "../core/errors.ts";
import type { Project } from "../ctx.ts";
import type { CustomerInBody, cartFields } from "./schemas.ts";

export type ClientCart = { [F in keyof typeof cartFields]?: Static<(typeof cartFields)[F]> | undefined };
type CustomerSent = (CustomerInBody & { isThere?: true }) | string | null | undefined;

/**
 * Whom a client application may speak of. Where it may not write customers it names one who is there, and what it says
 * of them does not count; one without a name is nobody.
 */
export function customerFromClient(project: Project, customer: CustomerSent): CustomerSent {
  if (project.client_create_customer_enabled || typeof customer !== "object" || customer === null) return customer;
  const { id, source_id } = customer;
  return id && source_id ? { id, source_id, isThere: true } : id || source_id || null;
}

/** The same where an operation is about a customer: it has to be somebody. */
export function requiredFromClient<C extends CustomerInBody | string>(project: Project, customer: C): C | string {
  const meant = customerFromClient(project, customer);
  if (meant) return meant as C | string;
  throw new ApiError("invalid_payload", {
    details: "Property .customer must have id or source_id while client_create_customer_enabled is off",
  });
}

/** The cart that a client application sends. It never changes the catalogue, whatever its lines say. */
export function cartFromClient<C extends ClientCart>(project: Project, sent: C): C {
  const plain = <P extends object>(one: P | null | undefined) => one && { ...one, override: null };
  const { order } = sent;
  const items = order?.items?.map((item) => ({ ...item, product: plain(item.product), sku: plain(item.sku) }));
  return {
    ...sent,
    customer: customerFromClient(project, sent.customer),
    ...(order && { order: { ...order, items, referrer: customerFromClient(project, order.referrer) } }),
  };
}

const HIDDEN: ReadonlySet<string> = new Set([
  "holder_id",
  "referrer",
  "referrer_id",
  "summary",
  "validation_rule_assignments",
  "validation_rules_assignments",
]);

/** What a client application is not shown: other customers, rules, turnover. Of its own customer it sees who they are. */
export function narrowed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(narrowed);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => !HIDDEN.has(name));
  return Object.fromEntries(fields.map(([name, one]) => [name, shown(name, one)]));
}

const RULES_NAMED = /: val_\w+(?:, val_\w+)*$/;

function shown(name: string, value: unknown): unknown {
  if (name === "metadata") return value;
  if (name === "details" && typeof value === "string") return value.replace(RULES_NAMED, "");
  if (name !== "customer" || typeof value !== "object" || value === null) return narrowed(value);
  const { id, source_id, object } = value as Record<string, unknown>;
  return { id, ...(source_id !== undefined && { source_id }), object };
}

/** The same of an answer that is written already. */
export const narrowedAnswer = (answer: Answer): Answer =>
  answer.body === "" ? answer : { ...answer, body: JSON.stringify(narrowed(JSON.parse(answer.body))) };

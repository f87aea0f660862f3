import type { Static } from "typebox";
import type { Answer } from "../core/answer.ts";
import { only } from "../core/client/fields.ts";
import { REFUSAL } from "../core/client/parts.ts";
import { projection, type Texts } from "../core/client/projection.ts";
import { invalid } from "../core/errors.ts";
import { oncePer } from "../core/once-per.ts";
import { Refusal } from "../core/validate/schema.ts";
import type { ForCaller, Project } from "../request.ts";
import type { CustomerInBody, cartFields } from "./schemas.ts";

export type ClientCart = { [F in keyof typeof cartFields]?: Static<(typeof cartFields)[F]> | undefined };
type CustomerSent = (CustomerInBody & { isThere?: true }) | string | null | undefined;

/**
 * Whom a client application may speak of. Where it may not write customers it names one who is there, and what it says
 * of them does not count; one without a name is nobody.
 */
function customerFromClient(project: Project, customer: CustomerSent): CustomerSent {
  if (project.client_create_customer_enabled || typeof customer !== "object" || customer === null) return customer;
  const { id, source_id } = customer;
  return id && source_id ? { id, source_id, isThere: true } : id || source_id || null;
}

/** The same where an operation is about a customer: it has to be somebody. */
export function requiredFromClient<C extends CustomerInBody | string>(project: Project, customer: C): C | string {
  const meant = customerFromClient(project, customer);
  if (meant) return meant as C | string;
  throw invalid("Property .customer must have id or source_id while client_create_customer_enabled is off");
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

const RULES_NAMED = /: val_\w+(?:, val_\w+)*$/;
/** A client application learns that rules are not met, and not which. */
const TEXTS: Texts = { details: (text) => text.replace(RULES_NAMED, "") };

/** What a client application sees of an answer: what the schema of the operation names, and nothing else. */
export const forClient = oncePer((schema: object) => projection(schema, TEXTS) as ForCaller);

/** The body of a refusal, as a client application sees it. */
export const refusalForClient = forClient(only(Refusal, REFUSAL));

const rewritten = (answer: Answer, show: ForCaller): Answer => ({
  ...answer,
  body: JSON.stringify(show(JSON.parse(answer.body))),
});

/** An answer that is repeated was cut when it was made. One that an older version has stored was not. */
export const repeatedFor = <V extends object>(forCaller: (shown: V) => object, answer: Answer): Answer =>
  answer.replayed && answer.status === 200 ? rewritten(answer, forCaller as ForCaller) : answer;

/** An answer in its final form, as a client application sees it: flows write refusals without asking who calls. */
export const answerForClient = (forCaller: ForCaller, answer: Answer): Answer =>
  answer.status >= 400 ? rewritten(answer, refusalForClient) : repeatedFor(forCaller, answer);

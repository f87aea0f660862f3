import type { FastifyRequest } from "fastify";

const MASK = "…";
/** A body with more texts than that is not looked through. */
const TEXTS_MAX = 10_000;

/** What the log says of a refusal: its key, and its details without anything that the client sent. */
export function refusalLogged(request: FastifyRequest): { key?: string; details?: string } {
  const { key, details } = request.refused ?? {};
  if (key === undefined) return {};
  // Where there is no operation, the details name the path, and that may be anything.
  if (details === undefined || !request.routeOptions.config.operation) return { key };
  const sent = textsSent(request);
  return sent.size > TEXTS_MAX ? { key } : { key, details: masked(details, sent) };
}

/** Every text of a request, without the names of its fields. */
function textsSent({ headers, params, query, body, url }: FastifyRequest): Set<string> {
  const texts = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === "string" && value !== "") texts.add(value);
    else if (typeof value === "object" && value !== null) for (const one of Object.values(value)) collect(one);
  };
  collect([headers, params, query, body]);
  // Also where the query could not be read.
  for (const [, value] of new URLSearchParams(url.split("?")[1] ?? "")) collect(value);
  return texts;
}

/** The text without these parts, where they stand for themselves. Codes may come back in another case. */
export function masked(text: string, parts: Iterable<string>): string {
  const lower = text.toLowerCase();
  const found = [...new Set([...parts].map((part) => part.trim()))].filter(
    (part) => part !== "" && lower.includes(part.toLowerCase()),
  );
  // The longest first: one may be part of another.
  const patterns = found.sort((a, b) => b.length - a.length).map((part) => `(?<!\\w)${RegExp.escape(part)}(?!\\w)`);
  return patterns.length === 0 ? text : text.replace(new RegExp(patterns.join("|"), "giu"), MASK);
}

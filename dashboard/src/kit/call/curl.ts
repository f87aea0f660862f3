import type { AnyOp } from "../../api/op.ts";
import { addressOf } from "../../api/send.ts";

/** A shell takes `?` and `&` for something else. */
const quoted = (text: string) => (/^[\w./:@=%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** A call as a line for a terminal. The keys come from a file, so that no secret is ever copied. */
export function curlOf(operation: AnyOp, params: object, { body, origin }: { body?: unknown; origin: string }): string {
  const { method, path } = operation;
  const file = path.startsWith("/management/") ? "management" : "app";
  const parts = [
    "curl",
    ...(method === "GET" ? [] : [`-X ${method}`]),
    `-H @data/credentials/${file}.headers`,
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(body))}`]),
    quoted(origin + addressOf(operation, params)),
  ];
  return parts.join(" ");
}

import type { AnyOp } from "../../api/op.ts";
import { addressOf } from "../../api/send.ts";

export type CallOptions = {
  origin: string;
  body?: unknown;
  file?: string | undefined;
  /** Of several calls. */
  place?: number | undefined;
};

/** What a call shows who makes it: a key of the project, one of the whole server, or the session of a person. */
export const credentialOf = ({ path }: AnyOp): "app" | "management" | "session" => {
  if (/^\/management\/v1\/sessions?(?:\/|$)/.test(path)) return "session";
  return path.startsWith("/management/") ? "management" : "app";
};

/** A shell takes `?` and `&` for something else. */
const quoted = (text: string) => (/^[\w./:@=%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** A call as a line for a terminal. The keys come from a file, so that no secret is ever copied. */
export function curlOf(operation: AnyOp, params: object, { body, file, origin }: CallOptions): string {
  const { method } = operation;
  const kind = credentialOf(operation);
  const parts = [
    "curl",
    ...(method === "GET" ? [] : [`-X ${method}`]),
    // Who signs in with `curl -c session.cookies` has the session in that file.
    kind === "session" ? "-b session.cookies" : `-H @data/credentials/${kind}.headers`,
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(body))}`]),
    ...(file === undefined ? [] : [`-F ${quoted(`file=@${file}`)}`]),
    quoted(origin + addressOf(operation, params)),
  ];
  return parts.join(" ");
}

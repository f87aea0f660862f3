import type { FastifyInstance } from "fastify";
import type { Reply, TestProject } from "./engine.ts";

const BOUNDARY = "----laurel-test-boundary";

/** A form with a file, as browsers and clients send one. */
export function formWithFile(content: string | Uint8Array, fields: Record<string, string> = {}, name = "file") {
  const parts = Object.entries(fields).map(
    ([field, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n`;
  const payload = Buffer.concat([
    Buffer.from(parts.join("") + head),
    Buffer.from(content as string),
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);
  return { payload, type: `multipart/form-data; boundary=${BOUNDARY}` };
}

type Uploaded = { fields?: Record<string, string>; headers?: Record<string, string>; name?: string };

/** Sends a file to an operation of a server. */
export async function uploadTo(
  { app, project }: { app: FastifyInstance; project: TestProject },
  line: string,
  content: string | Uint8Array,
  { fields, headers = {}, name }: Uploaded = {},
): Promise<Reply> {
  const [method, url] = line.split(" ") as ["POST", string];
  const { payload, type } = formWithFile(content, fields, name);
  const sent = { ...project.headers, "content-type": type, ...headers };
  const reply = await app.inject({ method, url, headers: sent, payload });
  const isJson = String(reply.headers["content-type"]).startsWith("application/json");
  const text = reply.body;
  return { status: reply.statusCode, body: isJson && text ? JSON.parse(text) : null, text, headers: reply.headers };
}

/** What says that a body is such a form. */
export const UPLOAD = { "content-type": `multipart/form-data; boundary=${BOUNDARY}` };

/** The form of a body that a test has made: its `file` is the content of the file. */
export function uploadText(body: unknown): string {
  // A value made at random may have a `toString` that is no function.
  const textOf = (value: unknown): string =>
    (typeof value === "object" ? JSON.stringify(value) : String(value)).toWellFormed();
  if (typeof body !== "object" || body === null) return textOf(body);
  const { file = "", ...fields } = body as Record<string, unknown>;
  const texts = Object.entries(fields).map(([name, value]) => [name.toWellFormed(), textOf(value)]);
  return formWithFile(textOf(file), Object.fromEntries(texts)).payload.toString();
}

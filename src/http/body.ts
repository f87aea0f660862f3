import { isUtf8 } from "node:buffer";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError, invalid } from "../core/errors.ts";
import { parseJson } from "../core/json.ts";
import { parseQuery } from "./query.ts";

/** The two content types a body may have, each where its route asks for it. The raw bytes are kept: see idempotency. */
export function parseBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.decorateRequest("rawBody", "");
  const add = (type: string, form: boolean, parse: (text: string) => unknown) =>
    app.addContentTypeParser(type, { parseAs: "buffer" }, async (request: FastifyRequest, bytes: Buffer) => {
      if (Boolean(request.routeOptions.config.form) !== form) return withoutBody(request);
      requireKnownCoding(request);
      if (!isUtf8(bytes)) throw invalid("The body is not valid UTF-8");
      request.rawBody = bytes.toString("utf8");
      return request.rawBody === "" ? undefined : parse(request.rawBody);
    });
  add("application/json", false, parseJson);
  add("application/x-www-form-urlencoded", true, parseQuery);
  // A body of any other type, or of none.
  app.addContentTypeParser("*", async (request: FastifyRequest) => withoutBody(request));
}

export const isEmptyBody = (headers: FastifyRequest["headers"]): boolean =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;

/** Clients name a type also where they send nothing. What an operation takes no body for is not looked at then. */
function withoutBody({ headers, routeOptions: { config } }: FastifyRequest): undefined {
  const { body, bodyOptional } = config.operation ?? {};
  if (isEmptyBody(headers) && (body === undefined || bodyOptional)) return undefined;
  throw wrongType(Boolean(config.form));
}

/** Bytes are taken as they are and as UTF-8: what says that it is something else would be misread. */
function requireKnownCoding({ headers }: FastifyRequest): void {
  const coding = headers["content-encoding"] ?? "identity";
  const charset = /;\s*charset="?([^";\s]+)/i.exec(headers["content-type"] ?? "")?.[1] ?? "utf-8";
  if (coding.toLowerCase() === "identity" && /^utf-?8$/i.test(charset)) return;
  throw new ApiError("unsupported_media_type", { details: "Send the body without compression, in UTF-8" });
}

const wrongType = (form: boolean) =>
  new ApiError("unsupported_media_type", {
    details: `Send the body as ${form ? "application/x-www-form-urlencoded" : "application/json"}`,
  });

import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { ApiError, type ErrorKey } from "../core/errors.ts";
import { ClaimHeld } from "../db/batches/batch.ts";
import { apiErrorOf } from "../db/db.ts";
import { SECURITY_HEADERS } from "./answers/security-headers.ts";
import { refusalForClient } from "./client-side.ts";
import { RateLimited } from "./limits/rate-limit.ts";

const RETRY_AFTER_S = 1;

// What the server refuses before a route runs, by the code of the framework.
const BY_CODE: Record<string, ErrorKey> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "payload_too_large",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupported_media_type",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "invalid_payload",
  FST_ERR_BAD_URL: "invalid_payload",
  FST_ERR_ASYNC_CONSTRAINT: "not_found",
  FST_ERR_MAX_PARAM_LENGTH: "not_found",
};

/** Turns every failure into the one error body. What we do not know is a 500, and only the log says more. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = apiErrorOf(error) ?? fromFramework(error);
  if (!known) request.log.error({ err: error }, "a request failed with an unknown error");
  const { body } = known ?? new ApiError("internal_server_error");
  if (error instanceof RateLimited) reply.headers(error.headers);
  if (body.code === 503) reply.header("Retry-After", RETRY_AFTER_S);
  // Bytes that were not read would be taken for the next request.
  if (body.code === 413) reply.header("Connection", "close");
  request.refused = body;
  const told = { ...body, request_id: request.id };
  const isClient = request.routeOptions?.config?.operation?.access === "client";
  reply
    // Again: what fails before the first hook has no headers yet.
    .headers(SECURITY_HEADERS)
    .header("X-Request-Id", request.id)
    .code(body.code)
    .type("application/json")
    .send(JSON.stringify(isClient ? refusalForClient(told) : told));
}

function fromFramework(error: unknown): ApiError | undefined {
  if (error instanceof ClaimHeld) return new ApiError("idempotency_in_progress");
  const { code = "", message, statusCode } = error as FastifyError;
  const key = BY_CODE[code] ?? (statusCode === 400 ? "invalid_payload" : undefined);
  return (
    key && new ApiError(key, code === "FST_ERR_BAD_URL" ? { details: "The path is not valid" } : { details: message })
  );
}

/** What Node refuses before there is a request, by its code. */
const BY_NODE_CODE: Record<string, ErrorKey> = {
  HPE_HEADER_OVERFLOW: "header_fields_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "payload_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};
export const keyOfSocketError = ({ code = "" }: NodeJS.ErrnoException): ErrorKey =>
  BY_NODE_CODE[code] ?? "invalid_payload";

/** Written to the socket by hand. */
export function errorResponse(key: ErrorKey, request_id: string): string {
  const { body } = new ApiError(key, { request_id });
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${body.code} ${body.message}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${request_id}`,
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
    "Connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${text}`;
}

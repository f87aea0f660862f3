import type { FastifyRequest } from "fastify";

const LOOPBACK_IP = /^(?:127\.|::1$|::ffff:127\.)/;
const FORWARDED = ["forwarded", "x-forwarded-for", "x-real-ip"];

/**
 * Whether the caller sits on this machine. The address of the connection decides, not the one that a header claims;
 * what a proxy on this machine passes on comes from somewhere else.
 */
export const isFromThisMachine = (request: FastifyRequest): boolean =>
  LOOPBACK_IP.test(request.raw.socket.remoteAddress ?? "") && isDirect(request);

/** Whether no proxy passed it on. */
export const isDirect = ({ headers }: FastifyRequest): boolean =>
  FORWARDED.every((name) => headers[name] === undefined);

const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

/**
 * Whether a page of ours asks for a reader on this machine: the address must be loopback, and so must the name in the
 * address bar. Another site's page on this machine may ask too, and is told apart by what its browser says.
 */
export const isOurPageOnThisMachine = (request: FastifyRequest): boolean =>
  isFromThisMachine(request) &&
  LOOPBACK_HOST.test(request.headers.host ?? "") &&
  request.headers["sec-fetch-site"] === "same-origin";

import type { FastifyRequest } from "fastify";

const LOOPBACK_IP = /^(?:127\.|::1$|::ffff:127\.)/;
const FORWARDED = ["forwarded", "x-forwarded-for", "x-real-ip"];

/**
 * Whether the caller sits on this machine. The address of the connection decides, not the one that a header claims;
 * what a proxy on this machine passes on comes from somewhere else.
 */
export const isFromThisMachine = ({ raw, headers }: FastifyRequest): boolean =>
  LOOPBACK_IP.test(raw.socket.remoteAddress ?? "") && FORWARDED.every((name) => headers[name] === undefined);

import pino, { type DestinationStream, type Logger } from "pino";

/** PostgreSQL quotes the value that it could not read, in the errors of class 22. */
const withoutValues = ({ code = "", message }: { code?: string; message: string }, text: string): string =>
  /^22...$/.test(code) ? text.replace(message, () => message.replace(/".*"/s, '"…"')) : text;

/** Errors keep what helps and lose what they may carry: the values of a statement. */
const serializers = {
  err: (error: Error & { code?: string; constraint_name?: string }) => ({
    type: error.name,
    message: withoutValues(error, error.message),
    code: error.code,
    constraint: error.constraint_name,
    stack: withoutValues(error, error.stack ?? ""),
  }),
};
const redact = ["authorization", "cookie", "token", "secret", "password", "*.token", "*.secret", "*.password"];

const BUFFERED = 8_192;
const FLUSH_MS = 1_000;

/**
 * The line of each request. Its fields are chosen one by one and hold no secret, so nothing is looked for in them. It is
 * written in pieces of 8 kB, after a second at the latest and when the process exits.
 */
export const createRequestLog = (level: string, to: DestinationStream = buffered()): Logger =>
  pino({ level, base: { pid: process.pid } }, to);

function buffered(): DestinationStream {
  const to = pino.destination({ dest: 2, minLength: BUFFERED, sync: true });
  setInterval(() => to.flushSync(), FLUSH_MS).unref();
  process.once("exit", () => to.flushSync());
  return to;
}

export const createLogger = (level: string, to: DestinationStream = pino.destination(2)): Logger =>
  pino({ level, base: { pid: process.pid }, serializers, redact }, to);

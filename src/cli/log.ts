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

export const createLogger = (level: string, to: DestinationStream = pino.destination(2)): Logger =>
  pino({ level, base: { pid: process.pid }, serializers, redact }, to);

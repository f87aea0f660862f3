import { type IncomingMessage, ServerResponse } from "node:http";

/**
 * Writes an answer that is ASCII as Latin-1: it has the same bytes as in UTF-8, and Node writes them without looking at each
 * character. An answer that is as long as its bytes is ASCII, and Fastify has counted the bytes already.
 */
export class AsciiResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
  #bytes: number | undefined;

  override writeHead(status: number, ...given: unknown[]): this {
    const headers = given.at(-1) as { "content-length"?: unknown } | undefined;
    this.#bytes = Number(headers?.["content-length"]);
    return (super.writeHead as (...all: unknown[]) => this).call(this, status, ...given);
  }

  override end(...given: unknown[]): this {
    const [text, ...rest] = given;
    const isAscii = typeof text === "string" && this.#bytes === text.length;
    const end = super.end as (...all: unknown[]) => this;
    const done = rest.findLast((one) => typeof one === "function");
    return isAscii ? end.call(this, text, "latin1", done) : end.call(this, ...given);
  }
}

import { type IncomingMessage, ServerResponse } from "node:http";

/** From this length on a copy of an answer costs more than a piece of its own for its head. */
const LONG = 4_096;

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
    if (!isAscii) return end.call(this, ...given);
    // Node puts the head before a text, and copies both. Sent before it, the head leaves with it all the same: in one write.
    if (text.length > LONG && this.socket) {
      this.socket.cork();
      this.flushHeaders();
    }
    return end.call(this, text, "latin1", done);
  }
}

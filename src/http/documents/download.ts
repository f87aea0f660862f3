import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../../core/errors.ts";
import { withinTime } from "../../db/batches/commit.ts";
import type { Engine } from "../engine.ts";
import type { Download, Route } from "../route.ts";

/** A client that takes nothing for so long is gone. */
const STALL_MS = 60_000;

/** Whether a request asks for the file itself, with a token that the operation looks at in place of keys. */
export const asksForFile = ({ fileOf }: Route, { query }: FastifyRequest): boolean =>
  fileOf !== undefined && (query as { token?: unknown }).token !== undefined;

/**
 * Sends a file that a token opens. It is read chunk by chunk as the client takes it, each with a connection of its own: a slow
 * client holds one chunk in memory, and nobody's connection.
 */
export async function sendFileOf(engine: Engine, route: Route, request: FastifyRequest, reply: FastifyReply) {
  const { params, query } = request;
  const opened = engine.share("", (db) => route.fileOf!({ db, params, query, now: engine.now() }));
  const file = await withinTime(engine.requestTimeoutMs, opened);
  if (!file) throw new ApiError("overloaded", { details: "The request took too long" });
  reply.raw.setTimeout(STALL_MS, () => reply.raw.destroy());
  return reply
    .type(file.contentType)
    .headers({ "Content-Length": file.bytes, "Content-Disposition": dispositionOf(file.name) })
    .send(Readable.from(chunksOf(engine, file), { highWaterMark: 1 }));
}

async function* chunksOf({ share }: Engine, file: Download): AsyncGenerator<Uint8Array> {
  for (let number = 0; number < file.chunks; number += 1) {
    const chunk = await share("", (db) => file.readChunk(db, number));
    // It was deleted meanwhile. The client has fewer bytes than it was told, and so it knows.
    if (!chunk) throw new Error("the file is gone");
    yield chunk;
  }
}

/** Names of files are ours, but for what a client called its upload. */
const dispositionOf = (name: string) =>
  `attachment; filename="${name.replace(/[^\w .-]/g, "_")}"; filename*=UTF-8''${encodeURIComponent(name)}`;

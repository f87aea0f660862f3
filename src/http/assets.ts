import type { FastifyReply, FastifyRequest } from "fastify";
import { type AssetKind, codeOfAsset } from "../catalog/assets.ts";
import { ApiError } from "../core/errors.ts";
import type { Pool } from "../db/db.ts";
import { draw, FORMATS, type Format } from "./pictures.ts";

// Contract is silent: how large a picture is without a size, and what a size means. It is the pixels of a module.
const SIZE = 5;
const SIZE_MAX = 100;
// A picture of a code never changes; it goes when the code is deleted.
const KEEP_SECONDS = 3600;

const refuse = (details: string) => new ApiError("invalid_query_params", { details });

function wanted(query: unknown): { size: number; format: Format } {
  const { size = String(SIZE), format = "png" } = query as { size?: unknown; format?: unknown };
  if (typeof size !== "string" || !/^\d{1,3}$/.test(size) || Number(size) < 1 || Number(size) > SIZE_MAX)
    throw refuse(`Property .size must be a whole number from 1 to ${SIZE_MAX}`);
  if (format !== "png" && format !== "svg")
    throw refuse("Property .format must be equal to one of the allowed values [ png, svg ]");
  return { size: Number(size), format };
}

/** Sends the picture that an address stands for. Nobody is told why there is none. */
export async function sendPicture(db: Pool, kind: AssetKind, request: FastifyRequest, reply: FastifyReply) {
  const { token } = request.params as { token: string };
  const how = wanted(request.query);
  const code = await codeOfAsset(db, kind, token);
  if (code === null) throw new ApiError("not_found", { details: "There is no such picture", resource_type: "asset" });
  const picture = await draw(kind, code, how);
  if (picture === null)
    throw new ApiError("not_found", {
      details: "A bar code cannot show the characters of this code; its QR code can",
      resource_type: "asset",
    });
  return (
    reply
      .type(FORMATS[how.format])
      .header("Cache-Control", `public, max-age=${KEEP_SECONDS}`)
      // A shop shows it on its own pages.
      .header("Cross-Origin-Resource-Policy", "cross-origin")
      .send(picture)
  );
}

import type { FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import { ApiError } from "../../core/errors.ts";
import type { Pool } from "../../db/db.ts";
import { type AssetKind, codeOfAsset } from "../../steps/promotions/assets.ts";
import { createAddressLimit } from "../limits/address-limit.ts";
import { drawPicture, FORMATS, type Format } from "./pictures.ts";

// Contract is silent: how large a picture is without a size, and what a size means. It is the pixels of a module.
const SIZE = 5;
const SIZE_MAX = 100;
// A picture of a code never changes; it goes when the code is deleted.
const KEEP_SECONDS = 3600;

const invalidQuery = (details: string) => new ApiError("invalid_query_params", { details });

function wanted(query: unknown): { size: number; format: Format } {
  const { size = String(SIZE), format = "png" } = query as { size?: unknown; format?: unknown };
  if (typeof size !== "string" || !/^\d{1,3}$/.test(size) || Number(size) < 1 || Number(size) > SIZE_MAX)
    throw invalidQuery(`Property .size must be a whole number from 1 to ${SIZE_MAX}`);
  if (format !== "png" && format !== "svg")
    throw invalidQuery("Property .format must be equal to one of the allowed values [ png, svg ]");
  return { size: Number(size), format };
}

/** Pictures that one address may have drawn in a minute. Those that are kept cost nothing and are not counted. */
const DRAWN_MAX = 600;
const MINUTE_MS = 60_000;
/** A large picture costs as much as many small ones: 4,096 x 4,096 pixels take 65 ms, and count as 17. */
const MEGAPIXEL = 1_000_000;
/** Its width and its height stand at the beginning of a PNG. */
const pixelsOf = (png: Buffer): number => png.readUInt32BE(16) * png.readUInt32BE(20);
const KEPT_BYTES_MAX = 16 * 2 ** 20;

type Settings = { db: Pool; processes: number; nowMs(): number; drawnMax?: number; keptBytesMax?: number };

/** Sends the picture that an address stands for. Nobody is told why there is none. */
export function createPictureSender({
  db,
  processes,
  nowMs,
  drawnMax = DRAWN_MAX,
  keptBytesMax = KEPT_BYTES_MAX,
}: Settings) {
  // The pictures that were used last.
  const kept = new LRUCache<string, Buffer>({ maxSize: keptBytesMax, sizeCalculation: ({ length }) => length });
  const drawn = createAddressLimit({
    max: drawnMax,
    windowMs: MINUTE_MS,
    processes,
    nowMs,
    details: "Too many pictures of codes for this address",
  });

  const pictureOf = async (ip: string, kind: AssetKind, code: string, how: { size: number; format: Format }) => {
    const name = `${kind} ${how.size} ${how.format} ${code}`;
    const known = kept.get(name);
    if (known) return known;
    const refused = drawn(ip, 0);
    if (refused) throw refused;
    drawn(ip, 1);
    const picture = await drawPicture(kind, code, how);
    if (picture) kept.set(name, picture);
    if (picture && how.format === "png") drawn(ip, Math.floor(pixelsOf(picture) / MEGAPIXEL));
    return picture;
  };

  return async (kind: AssetKind, request: FastifyRequest, reply: FastifyReply) => {
    const { token } = request.params as { token: string };
    const how = wanted(request.query);
    const code = await codeOfAsset(db, kind, token);
    if (code === null) throw new ApiError("not_found", { details: "There is no such picture", resource_type: "asset" });
    const picture = await pictureOf(request.ip, kind, code, how);
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
  };
}

import { promisify } from "node:util";
import { crc32, deflate } from "node:zlib";
import type { AssetKind } from "../../steps/promotions/assets.ts";

export const FORMATS = { png: "image/png", svg: "image/svg+xml" } as const;
export type Format = keyof typeof FORMATS;

/** Black and white squares, with the white border that scanners need. */
type Modules = { width: number; height: number; isBlack(x: number, y: number): boolean };

/** What Code 128 can show and every scanner reads. */
const BARCODE_TEXT = /^[ -~]+$/;
const QR_BORDER = 4;
const BARCODE_BORDER = 10;
const BARCODE_HEIGHT = 60;
/** Pixels of a side. A larger picture is drawn as large as this: it must not cost more than others. */
const SIDE_MAX = 4096;

const compress = promisify(deflate);

/** A picture of a code, each of its modules `size` pixels wide; null when it has characters that a bar code cannot show. */
export async function drawPicture(kind: AssetKind, code: string, { size, format }: { size: number; format: Format }) {
  if (kind === "barcode" && !BARCODE_TEXT.test(code)) return null;
  // Loaded here: it is as large as all the rest of Laurel together.
  const { default: bwip } = await import("bwip-js/node");
  const modules = kind === "qr" ? qrOf(bwip, code) : barcodeOf(bwip, code);
  const side = Math.max(modules.width, modules.height);
  const scale = Math.max(1, Math.min(size, Math.floor(SIDE_MAX / side)));
  return format === "png" ? png(modules, scale) : Buffer.from(svg(modules, scale));
}

type Bwip = typeof import("bwip-js/node");

function qrOf(bwip: Bwip, text: string): Modules {
  const [symbol] = bwip.raw("qrcode", text, "eclevel=M");
  const { pixs, pixx, pixy } = symbol as { pixs: number[]; pixx: number; pixy: number };
  const within = (n: number, most: number) => n >= QR_BORDER && n < QR_BORDER + most;
  return {
    width: pixx + 2 * QR_BORDER,
    height: pixy + 2 * QR_BORDER,
    isBlack: (x, y) => within(x, pixx) && within(y, pixy) && pixs[(y - QR_BORDER) * pixx + (x - QR_BORDER)] === 1,
  };
}

/** The widths of bars and spaces by turns, drawn as one row that is repeated. */
function barcodeOf(bwip: Bwip, text: string): Modules {
  const [symbol] = bwip.raw("code128", text, "");
  const row = (symbol as { sbs: number[] }).sbs.flatMap((width, n) => Array<boolean>(width).fill(n % 2 === 0));
  const isInside = (y: number) => y >= BARCODE_BORDER / 2 && y < BARCODE_HEIGHT - BARCODE_BORDER / 2;
  return {
    width: row.length + 2 * BARCODE_BORDER,
    height: BARCODE_HEIGHT,
    isBlack: (x, y) => isInside(y) && (row[x - BARCODE_BORDER] ?? false),
  };
}

function svg({ width, height, isBlack }: Modules, scale: number): string {
  const runs: string[] = [];
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      if (!isBlack(x, y)) continue;
      const start = x;
      while (isBlack(x + 1, y)) x += 1;
      runs.push(`M${start} ${y}h${x + 1 - start}v1h-${x + 1 - start}z`);
    }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width * scale}" ` +
    `height="${height * scale}" shape-rendering="crispEdges"><rect width="100%" height="100%" fill="#fff"/>` +
    `<path d="${runs.join("")}" fill="#000"/></svg>\n`
  );
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** One bit for each pixel: a large picture stays small in memory, and quick to make. */
async function png({ width, height, isBlack }: Modules, scale: number): Promise<Buffer> {
  const rowBytes = Math.ceil((width * scale) / 8);
  // Each row begins with its filter: none.
  const pixels = Buffer.alloc((1 + rowBytes) * height * scale);
  for (let y = 0; y < height; y += 1) {
    const row = Buffer.alloc(1 + rowBytes);
    for (let x = 0; x < width * scale; x += 1)
      if (!isBlack(Math.floor(x / scale), y)) row[1 + (x >> 3)]! |= 0x80 >> (x & 7);
    for (let n = 0; n < scale; n += 1) row.copy(pixels, (y * scale + n) * row.length);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width * scale, 0);
  header.writeUInt32BE(height * scale, 4);
  // One bit of grey: 0 is black, 1 is white. The other bytes are the only compression and filters there are.
  header.set([1, 0, 0, 0, 0], 8);
  const parts = [chunk("IHDR", header), chunk("IDAT", await compress(pixels)), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([SIGNATURE, ...parts]);
}

function chunk(type: string, data: Buffer): Buffer {
  const [body, ends] = [Buffer.concat([Buffer.from(type), data]), Buffer.alloc(8)];
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

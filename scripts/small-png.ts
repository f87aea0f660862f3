import zlib from "node:zlib";
import { PNG } from "pngjs";

// pngjs reads pictures with a palette and writes none. A page has few colours: with one it is a third of the size.

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const [INDEX_BITS, PALETTE] = [8, 3];
const COLOURS = 256;

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(zlib.crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** The colours that a picture has most of. What is rarer, such as the edges of letters, becomes the nearest of them. */
function paletteOf(pixels: readonly number[]) {
  const counts = new Map<number, number>();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const colours = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)!).slice(0, COLOURS);
  const numbers = new Map(colours.map((colour, number) => [colour, number]));
  const distance = (a: number, b: number) =>
    [16, 8, 0].reduce((sum, bits) => sum + (((a >> bits) & 255) - ((b >> bits) & 255)) ** 2, 0);
  const numberOf = (colour: number): number => {
    const known = numbers.get(colour);
    if (known !== undefined) return known;
    const nearest = colours.reduce((a, b) => (distance(b, colour) < distance(a, colour) ? b : a));
    numbers.set(colour, numbers.get(nearest)!);
    return numbers.get(colour)!;
  };
  return { colours, numberOf };
}

/** The numbers of the colours, line by line; before each line stands that no filter is used. */
function linesOf(pixels: readonly number[], width: number, numberOf: (colour: number) => number): Buffer {
  const lines = Buffer.alloc(pixels.length + pixels.length / width);
  for (const [pixel, colour] of pixels.entries()) lines[pixel + Math.floor(pixel / width) + 1] = numberOf(colour);
  return lines;
}

/** A picture with at most 256 colours, and nothing that shines through. */
export function smallPng(bytes: Buffer): Buffer {
  const { data, width, height } = PNG.sync.read(bytes);
  const pixels = Array.from({ length: width * height }, (_, pixel) => data.readUInt32BE(pixel * 4) >>> 8);
  const { colours, numberOf } = paletteOf(pixels);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([INDEX_BITS, PALETTE], 8);
  const palette = Buffer.from(colours.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    ...[SIGNATURE, chunk("IHDR", head), chunk("PLTE", palette)],
    ...[
      chunk("IDAT", zlib.deflateSync(linesOf(pixels, width, numberOf), { level: 9 })),
      chunk("IEND", Buffer.alloc(0)),
    ],
  ]);
}

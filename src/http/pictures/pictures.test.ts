import assert from "node:assert/strict";
import { test } from "node:test";
import jsQR from "jsqr";
import { PNG } from "pngjs";
import { drawPicture, type Format } from "./pictures.ts";

const picture = async (code: string, size = 5, format: Format = "png") =>
  (await drawPicture("qr", code, { size, format }))!;
/** jsQR is a CommonJS module that says it is none. */
const decode = jsQR as unknown as { default: typeof jsQR.default };
const textIn = (png: Buffer) => {
  const { data, width, height } = PNG.sync.read(png);
  const found = decode.default(new Uint8ClampedArray(data), width, height);
  return found && Buffer.from(found.binaryData).toString();
};

for (const code of ["SUMMER", "a", "100% ^ \\ (01) %()", "żółw ☀️ 夏 🎁", "x".repeat(200), "🎁".repeat(200)])
  test(`a QR code reads as the code that it was made of: ${code.slice(0, 20)}`, async () => {
    assert.equal(textIn(await picture(code)), code);
  });

test("a picture grows with its size, a module by a pixel, up to 4096 pixels", async () => {
  const sideOf = async (code: string, size: number) => (await picture(code, size)).readUInt32BE(16);
  assert.equal(await sideOf("SUMMER", 1), 29);
  for (const size of [2, 10, 100]) assert.equal(await sideOf("SUMMER", size), 29 * size);
  const large = await sideOf("🎁".repeat(200), 100);
  assert.ok(large > 3900 && large <= 4096, `${large}`);
});

/** The widths of bars and spaces in a row of pixels, without the border. */
function widths({ data, width, height }: PNG): number[] {
  const row = Array.from({ length: width }, (_, x) => data[(Math.floor(height / 2) * width + x) * 4] === 0);
  const runs: number[] = [];
  for (const [x, black] of row.entries())
    if (x > 0 && black === row[x - 1]) runs.push(runs.pop()! + 1);
    else runs.push(1);
  return runs.slice(1, -1);
}

test("a bar code is Code 128: start, characters, checksum and stop, with white on both sides", async () => {
  const png = PNG.sync.read((await drawPicture("barcode", "AB", { size: 1, format: "png" }))!);
  // Start B, A, B, the checksum (104 + 33 + 2 × 34) mod 103 = 102, stop.
  const expected = "211214" + "111323" + "131123" + "411131" + "2331112";
  assert.equal(widths(png).join(""), expected);
  assert.equal(png.width, 4 * 11 + 13 + 20);
  const twice = PNG.sync.read((await drawPicture("barcode", "AB", { size: 2, format: "png" }))!);
  assert.deepEqual([twice.width, twice.height], [2 * png.width, 2 * png.height]);
});

test("a bar code shows what can be typed in ASCII, and nothing else", async () => {
  const all = Array.from({ length: 95 }, (_, n) => String.fromCharCode(32 + n)).join("");
  assert.ok(await drawPicture("barcode", all, { size: 1, format: "png" }));
  for (const code of ["é", "☀", "a\u0007"])
    assert.equal(await drawPicture("barcode", code, { size: 1, format: "png" }), null, code);
});

test("as SVG it has the same black squares, and nothing of the code as text", async () => {
  const text = (await picture("<script>alert(1)</script>", 3, "svg")).toString();
  assert.match(
    text,
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 (\d+) \1" [^<>]*>(<[^<>]+\/>){2}<\/svg>\n$/,
  );
  assert.doesNotMatch(text, /script|alert/);
  const png = PNG.sync.read(await picture("<script>alert(1)</script>", 1));
  const black = new Set<string>();
  for (const [, x, y, width] of text.matchAll(/M(\d+) (\d+)h(\d+)v1/g))
    for (let n = 0; n < Number(width); n += 1) black.add(`${Number(x) + n} ${y}`);
  for (let y = 0; y < png.height; y += 1)
    for (let x = 0; x < png.width; x += 1)
      assert.equal(black.has(`${x} ${y}`), png.data[(y * png.width + x) * 4] === 0, `${x} ${y}`);
});

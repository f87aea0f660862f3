import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { csvCell, csvLine, labelOf } from "./csv.ts";

/** Reads one line of CSV as RFC 4180 has it. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\n\r]*))(,|\n)/y;
  for (let match = cell.exec(line); match; match = cell.exec(line)) {
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2]!);
    if (match[3] === "\n") return cell.lastIndex === line.length ? cells : ["it goes on"];
  }
  return ["it does not end"];
}

test("whatever cells hold, a reader of CSV finds them again; a formula has an apostrophe before it", () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('"', ",", "\n", "\r", "=", "@", "a", " ") }));
  const guarded = (one: string) =>
    /^[=+\-@\t\r\n＝＋－＠]/.test(one) && !/^-\d+(\.\d+)?$/.test(one) ? `'${one}` : one;
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (cells) => {
      assert.deepEqual(cellsOf(csvLine(cells)), cells.map(guarded));
    }),
  );
});

test("plain text stays as it is, and what a spreadsheet would run does not", () => {
  for (const plain of ["", "a", "a=b", "1-2", "O'Neill", "a;b", " =1", "-4", "-4.5"])
    assert.equal(csvCell(plain), plain);
  assert.equal(csvCell("=1+1"), `"'=1+1"`);
  assert.equal(csvCell("+48 123"), `"'+48 123"`);
  assert.equal(csvCell('@a,"b"'), `"'@a,""b"""`);
  assert.equal(csvCell("-1+1"), `"'-1+1"`);
});

test("labels are words; fields of metadata keep their names", () => {
  const labels = ["id", "voucher_type", "qr_code", "image_url", "customer_source_id", "metadata.favourite_color"];
  assert.deepEqual(labels.map(labelOf), [
    "ID",
    "Voucher Type",
    "QR Code",
    "Image URL",
    "Customer Source ID",
    "favourite_color",
  ]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { readHead, withColumns, withFixed } from "./csv-file.ts";

test("a file gets a column with one value in all rows, whatever its cells hold", async () => {
  const text = 'my code;note\r\nA;"two\nlines; and ""more"""\r\n\r\nB;\r\n';
  const named = withColumns(new Blob([text]), text, readHead(text), ["Code", "note"]);
  const filled = await withFixed(named, ";", { "Voucher Type": "GIFT_VOUCHER" });
  assert.equal(
    await filled.text(),
    'Voucher Type;Code;note\nGIFT_VOUCHER;A;"two\nlines; and ""more"""\r\n\r\nGIFT_VOUCHER;B;\r\n',
  );
  assert.equal(await withFixed(named, ";", {}), named);
});

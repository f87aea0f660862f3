import assert from "node:assert/strict";
import { test } from "node:test";
import { en } from "../../text/en.ts";
import { createText } from "../../text/text.ts";
import { csvOf } from "./csv.ts";

// Columns themselves draw pictures, which no program but a browser reads; what they write into a file is here.
test("a file has plain numbers, their unit in the first line, and no formula", () => {
  const look = { t: createText(en, "en-GB"), currency: "EUR", zone: "UTC" };
  const column = (title: "codes.code" | "codes.worth", more: object) =>
    ({ id: title, title, cell: () => null, ...more }) as never;
  const columns = [
    column("codes.code", { csv: ({ code }: { code: string }) => code }),
    column("codes.worth", { csv: ({ cents }: { cents: number }) => cents / 100, unit: "money" }),
  ];
  const rows = [
    { code: "=A1", cents: 4990 },
    { code: 'say "hi"', cents: 5 },
  ];
  assert.equal(csvOf(rows, columns, look), 'Code,Worth (EUR)\r\n\'=A1,49.9\r\n"say ""hi""",0.05');
});

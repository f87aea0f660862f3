import assert from "node:assert/strict";
import { test } from "node:test";
import { listed, success } from "./answer.ts";

const tooLarge = () => new Error("too large");
const row = (text: string) => ({ id: "x", text, nothing: undefined, more: [1, null, { a: "ü" }] });

test("a list that is written in pieces has the text that it has as a whole", () => {
  for (const rows of [[], [row("a")], [row("ä"), row('"'), row("\u2028")], Array(31).fill(row("b"))]) {
    const body = { object: "list", data_ref: "data", data: rows, total: rows.length, cursor: null, more: undefined };
    assert.deepEqual(listed(body, 1_000_000, tooLarge), success(body));
  }
});

test("a list may have so many bytes and not one more, and what is behind them is not written", () => {
  const body = { data: ["ä", "b"] };
  assert.equal(listed(body, 19, tooLarge).body, '{"data":["ä","b"]}');
  assert.throws(() => listed(body, 18, tooLarge), /too large/);
  let written = 0;
  const counted = Array.from({ length: 100 }, () => ({ toJSON: () => `${++written}`.padEnd(8, "x") }));
  assert.throws(() => listed({ data: counted }, 300, tooLarge), /too large/);
  assert.equal(written, 30, "ten rows of 11 bytes at a time");
});

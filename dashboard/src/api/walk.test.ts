import assert from "node:assert/strict";
import { test } from "node:test";
import { walk } from "./walk.ts";

test("a list is read to its end, by its last row or by its cursor", async () => {
  const asked: (string | undefined)[] = [];
  const rows = await walk(async (at) => {
    asked.push(at);
    const from = Number(at ?? 0);
    return { data: [from, from + 1], ...(from < 4 && { more_starting_after: String(from + 2) }) };
  });
  assert.deepEqual(
    [rows, asked],
    [
      [0, 1, 2, 3, 4, 5],
      [undefined, "2", "4"],
    ],
  );
  const more: Record<string, string> = { "": "b", b: "c" };
  const names = await walk(async (at = "") => ({ data: [at], cursor: more[at] ? { next: more[at] } : null }));
  assert.deepEqual(names, ["", "b", "c"]);
});

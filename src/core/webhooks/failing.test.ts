import assert from "node:assert/strict";
import { test } from "node:test";
import { failedIn } from "./failing.ts";

test("a webhook fails while its newest tried delivery has not arrived", () => {
  const of = (...all: [string, number][]) => failedIn(all.map(([status, attempts]) => ({ status, attempts })));
  assert.equal(of(["WAITING", 0], ["WAITING", 2], ["FAILED", 7], ["DELIVERED", 1]), 2);
  assert.equal(of(["WAITING", 0], ["DELIVERED", 1], ["FAILED", 7]), 0);
  assert.equal(of(), 0);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { createRateLimiter, RateLimited } from "./rate-limit.ts";

test("a key that calls is counted on, however many other keys call meanwhile", () => {
  const count = createRateLimiter({ app: 3, client: 0, management: 0, bulk: 0 }, 1);
  const call = (key_id: string) => count({ kind: "app", key_id }, 0);
  for (let n = 0; n < 3; n += 1) {
    call("mine");
    for (let other = 0; other < 9_000; other += 1) call(`${n} ${other}`);
  }
  assert.throws(() => call("mine"), RateLimited);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../src/core/errors.ts";
import { takeTurns } from "../../src/jobs/take-turns.ts";

const failure = (code: string) => Object.assign(new Error(code), { code });
const unknown = new ApiError("outcome_unknown");

test("what takes too long is counted as a failure, and so is a bug; a database that is away is not", async () => {
  const counted: unknown[] = [];
  const fails = [
    failure("57014"),
    failure("23514"),
    failure("57P01"),
    failure("ECONNREFUSED"),
    unknown,
    new Error("bug"),
  ];
  const turns = takeTurns({
    list: async () => fails,
    take: async (one) => {
      throw one;
    },
    note: async (_, error) => counted.push(error),
  });
  await assert.rejects(turns, (error: AggregateError) => {
    assert.deepEqual(error.errors, fails);
    return true;
  });
  assert.deepEqual(counted, [fails[0], fails[1], fails[5]]);
});

test("a failure that cannot be counted keeps nobody from their turn, and is told", async () => {
  const taken: string[] = [];
  const [bug, note] = [new Error("bug"), new Error("cannot be counted")];
  const turns = takeTurns({
    list: async () => ["a", "b", "c"],
    take: async (one) => {
      taken.push(one);
      if (one === "b") throw bug;
      return true;
    },
    note: () => Promise.reject(note),
  });
  await assert.rejects(turns, (error: AggregateError) => {
    assert.deepEqual(error.errors, [bug, note]);
    return true;
  });
  assert.deepEqual(taken, ["a", "b", "c"]);
});

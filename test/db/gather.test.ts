import assert from "node:assert/strict";
import { test } from "node:test";
import { createGather } from "../../src/db/gather.ts";

/** Answers twice the number, when it is let; a negative number breaks the whole statement. */
function doubling({ inFlightMax = 2, held = false } = {}) {
  const asked: number[][] = [];
  const waiting: (() => void)[] = [];
  const broken = Object.assign(new Error("invalid byte sequence"), { code: "22021" });
  const load = async (questions: readonly number[]) => {
    asked.push([...questions]);
    if (held) await new Promise<void>((resolve) => void waiting.push(resolve));
    if (questions.some((n) => n < 0)) throw broken;
    return questions.map((n) => n * 2);
  };
  return { ask: createGather(load, inFlightMax), asked, broken, letOneGo: () => waiting.shift()!() };
}
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

test("what is asked in one turn is asked with one statement, and each gets its own answer", async () => {
  const { ask, asked } = doubling();
  assert.deepEqual(await Promise.all([3, 1, 2, 1].map(ask)), [6, 2, 4, 2]);
  assert.deepEqual(asked, [[3, 1, 2, 1]]);
});

test("a lone question is asked in the same turn", async () => {
  const { ask, asked } = doubling();
  const answer = ask(5);
  await Promise.resolve();
  assert.deepEqual(asked, [[5]]);
  assert.equal(await answer, 10);
});

test("while as many statements are out as may be, questions gather for the next one", async () => {
  const { ask, asked, letOneGo } = doubling({ held: true });
  const answers = [];
  for (const n of [1, 2, 3, 4, 5]) {
    answers.push(ask(n));
    await turn();
  }
  assert.deepEqual(asked, [[1], [2]]);
  letOneGo();
  await turn();
  assert.deepEqual(asked, [[1], [2], [3, 4, 5]]);
  letOneGo();
  letOneGo();
  assert.deepEqual(await Promise.all(answers), [2, 4, 6, 8, 10]);
});

test("a question that breaks the statement fails alone, and its neighbours are answered", async () => {
  const { ask, broken } = doubling();
  const answers = await Promise.allSettled([1, 2, -3, 4, 5, 6, 7].map(ask));
  assert.deepEqual(
    answers.map((answer) => (answer.status === "fulfilled" ? answer.value : answer.reason)),
    [2, 4, broken, 8, 10, 12, 14],
  );
  assert.equal(await ask(8), 16, "and the next one too");
});

test("a passing failure of the database is told to all who asked, after one statement", async () => {
  let calls = 0;
  const lost = Object.assign(new Error("gone"), { code: "CONNECTION_CLOSED" });
  const ask = createGather(async (questions: readonly number[]) => {
    calls += 1;
    if (calls === 1) throw lost;
    return questions;
  });
  const answers = await Promise.allSettled([1, 2, 3].map(ask));
  assert.deepEqual(
    answers.map((answer) => (answer as PromiseRejectedResult).reason),
    [lost, lost, lost],
  );
  assert.equal(calls, 1);
  assert.equal(await ask(4), 4);
});

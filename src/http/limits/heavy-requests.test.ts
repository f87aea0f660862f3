import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../core/errors.ts";
import { createHeavyRequests, type Turn } from "./heavy-requests.ts";

/** With the 250 steps of a body of 1,000 bytes, 80,000. */
const HEAVY = { steps: 79_750, bytesOut: 0 };
const LIGHT = { steps: 100, bytesOut: 400 };

/** A clock that is moved by hand. */
function clock() {
  const timers: { at: number; run: () => void }[] = [];
  let time = 0;
  return {
    now: () => time,
    after: (ms: number, run: () => void) => void timers.push({ at: time + ms, run }),
    move: async (ms: number) => {
      time += ms;
      for (const { run } of timers
        .splice(0, timers.length, ...timers.filter(({ at }) => at > time))
        .filter(({ at }) => at <= time))
        run();
      await settled();
    },
  };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A process that knows what a cart of project `a` costs. */
async function process() {
  const time = clock();
  const takeTurn = createHeavyRequests(time);
  const under: Turn[] = [];
  const refused: unknown[] = [];
  (await takeTurn("a", "validate", 1_000)).end(HEAVY);
  const send = async (count: number, project = "a", operation = "validate") => {
    for (let n = 0; n < count; n += 1)
      void takeTurn(project, operation, 1_000).then(
        (turn) => under.push(turn),
        (error) => refused.push(error),
      );
    await settled();
  };
  /** Another project calls, and is answered. */
  const other = async () => (await takeTurn("b", "redeem", 200)).end(LIGHT);
  return { time, under, refused, send, other };
}

test("heavy requests of a project that is alone wait for nobody", async () => {
  const { under, send } = await process();
  await send(16);
  assert.equal(under.length, 16);
});

test("while another project calls, heavy requests come one at a time, with a pause as long as each took", async () => {
  const { time, under, send, other } = await process();
  await other();
  await send(3);
  assert.equal(under.length, 1);
  under[0]!.end(HEAVY);
  await time.move(7.9);
  assert.equal(under.length, 1, "80,000 steps are 8 ms");
  await time.move(0.1);
  assert.equal(under.length, 2);
  await time.move(10);
  assert.equal(under.length, 2, "the second is still under way");
});

test("requests that are not heavy never wait, of the same project neither", async () => {
  const { under, send, other } = await process();
  await other();
  await send(3);
  await send(5, "a", "redeem");
  await send(5, "b", "redeem");
  assert.equal(under.length, 11);
});

test("what is known of a cart says nothing about bodies of another size", async () => {
  const { time, under, send } = await process();
  const takeTurn = createHeavyRequests(time);
  (await takeTurn("a", "validate", 100_000)).end(HEAVY);
  (await takeTurn("b", "redeem", 200)).end(LIGHT);
  const small = await Promise.all([1, 2, 3].map(() => takeTurn("a", "validate", 1_000)));
  assert.equal(small.length, 3);
  await send(1);
  assert.equal(under.length, 1);
});

test("a body that is large is heavy before anything is known of its operation", async () => {
  const { time } = await process();
  const takeTurn = createHeavyRequests(time);
  (await takeTurn("b", "redeem", 200)).end(LIGHT);
  let begun = 0;
  for (const _ of [1, 2]) void takeTurn("a", "import", 250_000).then(() => (begun += 1));
  await settled();
  assert.equal(begun, 1);
});

test("a heavy request that waits for a lock keeps the next one for a quarter of a second", async () => {
  const { time, under, send, other } = await process();
  await other();
  await send(2);
  await time.move(249);
  assert.equal(under.length, 1);
  await time.move(1);
  await time.move(8);
  assert.equal(under.length, 2);
});

test("operations that became cheap are forgiven after a while", async () => {
  const { time, under, send, other } = await process();
  for (let n = 0; n < 14; n += 1) {
    await other();
    await send(1);
    under.at(-1)!.end(LIGHT);
    await time.move(10);
  }
  await other();
  under.length = 0;
  await send(4);
  assert.equal(under.length, 4, "80,000 times 0.9 to the power of 14 is 18,302");
});

test("whoever would wait for longer than five seconds is refused", async () => {
  const { time, under, refused, send, other } = await process();
  await other();
  await send(30);
  // None ends; each gives way after a quarter of a second and its pause.
  for (let waited = 0; waited < 5_100; waited += 50) {
    await other();
    await time.move(50);
  }
  await send(1);
  assert.ok(under.length < 30);
  assert.equal(refused.length, 1);
  assert.ok(refused[0] instanceof ApiError);
  assert.equal(refused[0].body.key, "overloaded");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { seeded } from "../../src/demo/requests.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { testDatabase } from "../support/engine.ts";
import { credits, sender, twoServers, voucher, worldOf } from "../support/two-servers.ts";
import { type Card, type CardInput, type CardOutput, cardModel, linearize, type Operation } from "./linearizability.ts";

type History = Operation<CardInput, CardOutput>[];
const at = (start: number, end: number, input: CardInput, output: CardOutput | null) => ({ input, output, start, end });
const redeem = (amount = 0): CardInput => ({ kind: "redeem", credits: amount });
const read: CardInput = { kind: "read" };
const code = (quantity: number): Card => ({ redeemed: 0, quantity, balance: null });
const card = (balance: number): Card => ({ redeemed: 0, quantity: null, balance });
const seen = (redeemed: number, balance: number | null = null): CardOutput => ({ redeemed, balance });

const RIGHT: [string, Card, History][] = [
  ["nothing", code(1), []],
  ["one after the other", code(1), [at(0, 1, redeem(), "done"), at(2, 3, redeem(), "refused")]],
  ["the later call was first", code(1), [at(0, 9, redeem(), "refused"), at(1, 2, redeem(), "done")]],
  [
    "a read between two that overlap",
    card(100),
    [at(0, 9, redeem(10), "done"), at(1, 2, read, seen(0, 100)), at(3, 4, read, seen(1, 90))],
  ],
  ["an unknown outcome that happened", code(1), [at(0, 0, redeem(), null), at(1, 2, redeem(), "refused")]],
  ["an unknown outcome that never did", code(1), [at(0, 0, redeem(), null), at(1, 2, redeem(), "done")]],
  [
    "an unknown outcome that happened late",
    card(100),
    [at(0, 0, redeem(10), null), at(1, 2, read, seen(0, 100)), at(3, 4, read, seen(1, 90))],
  ],
  [
    "taken back",
    card(10),
    [at(0, 1, redeem(10), "done"), at(2, 5, { kind: "roll back", credits: 10 }, "done"), at(3, 4, redeem(10), "done")],
  ],
];
const WRONG: [string, Card, History][] = [
  ["redeemed too often", code(1), [at(0, 9, redeem(), "done"), at(0, 9, redeem(), "done")]],
  ["spent twice", card(100), [at(0, 9, redeem(60), "done"), at(0, 9, redeem(60), "done")]],
  [
    "a lost update",
    card(100),
    [at(0, 5, redeem(10), "done"), at(0, 5, redeem(10), "done"), at(6, 7, read, seen(2, 90))],
  ],
  ["a stale balance", card(100), [at(0, 1, redeem(10), "done"), at(2, 3, read, seen(0, 100))]],
  [
    "a balance that goes back",
    card(100),
    [at(0, 9, redeem(10), "done"), at(1, 2, read, seen(1, 90)), at(3, 4, read, seen(0, 100))],
  ],
  ["refused though it was there", code(2), [at(0, 1, redeem(), "done"), at(2, 3, redeem(), "refused")]],
  [
    "an unknown outcome cannot be two",
    code(3),
    [at(0, 0, redeem(), null), at(1, 2, read, seen(0)), at(3, 4, read, seen(2))],
  ],
  ["half of it happened", card(100), [at(0, 1, redeem(10), "done"), at(2, 3, read, seen(1, 100))]],
];

for (const [name, initial, history] of RIGHT)
  test(`the checker accepts: ${name}`, () => assert.notEqual(linearize(cardModel(initial), history), null));
for (const [name, initial, history] of WRONG)
  test(`the checker catches: ${name}`, () => assert.equal(linearize(cardModel(initial), history), null));

/** A history that is right: calls of several clients, each of which happens somewhere between its ends. */
function rightHistory(seed: number, calls: number): { initial: Card; history: History } {
  const { integer, next } = seeded(seed);
  const initial = { redeemed: 0, quantity: integer(5, 40), balance: integer(100, 1500) };
  let now = initial as Card;
  const model = cardModel(initial);
  const history = Array.from({ length: calls }, (_, n) => {
    const input: CardInput = integer(0, 3) === 0 ? read : redeem(integer(1, 60));
    const can = input.kind === "redeem" && model.step(now, input, "done");
    const output: CardOutput = input.kind === "read" ? seen(now.redeemed, now.balance) : can ? "done" : "refused";
    now = model.step(now, input, output)!;
    return at(n - 4 * next(), n + 4 * next(), input, integer(0, 15) === 0 ? null : output);
  });
  return { initial, history };
}

test("the checker accepts what happened in an order, and catches most of what is changed afterwards", () => {
  let caught = 0;
  const ROUNDS = 60;
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    const { initial, history } = rightHistory(seed, 60);
    assert.notEqual(linearize(cardModel(initial), history), null, `seed ${seed}`);
    const { integer } = seeded(seed + 1000);
    const reads = history.flatMap(({ input, output }, n) => (input.kind === "read" && output ? [n] : []));
    const n = reads[integer(0, reads.length - 1)]!;
    const { redeemed, balance } = history[n]!.output as { redeemed: number; balance: number };
    const changed = history.with(n, { ...history[n]!, output: seen(redeemed, balance + 1) });
    if (linearize(cardModel(initial), changed) === null) caught += 1;
  }
  assert.equal(caught, ROUNDS);
});

test("long histories are checked in reasonable time", () => {
  const { initial, history } = rightHistory(7, 2000);
  const before = process.cpuUsage();
  assert.notEqual(linearize(cardModel(initial), history), null);
  assert.ok(process.cpuUsage(before).user < 10_000_000, "ten seconds of CPU, whoever else uses the machine");
});

const SEED = Number(process.env.LINEAR_SEED ?? 1);
const CALLS = Number(process.env.LINEAR_CALLS ?? 600);
const CLIENTS = 8;
const canRollBack = ALL_ROUTES.some(
  ({ method, path }) => method === "POST" && /^\/v1\/redemptions\/\{\w+\}\/rollback$/.test(path),
);

test(`${CALLS} calls over two processes, some of whose answers are lost: each code and card has one history`, async (t) => {
  t.diagnostic(`LINEAR_SEED=${SEED} LINEAR_CALLS=${CALLS}`);
  const database = await testDatabase();
  const servers = await twoServers(database);
  const world = await worldOf(database.db, (project) => sender(servers, project));
  const objects: Record<string, Card> = { ONE: code(40), FEW: code(8), CARD: card(3000), SMALL: card(200) };
  for (const [name, { quantity, balance }] of Object.entries(objects))
    await (balance === null ? world.code(name, { redemption: { quantity } }) : world.gift(name, balance));
  const histories = new Map<string, History>(Object.keys(objects).map((name) => [name, []]));
  const mine: { name: string; id: string; credits: number }[][] = Array.from({ length: CLIENTS }, () => []);
  let left = CALLS;

  /** An answer that is lost is asked for again with its key, at the other server: the call ends when that is known. */
  const keyed = async (
    line: string,
    body: unknown,
    { key, isLost, by }: { key: string; isLost: boolean; by: number },
  ) => {
    const request = { line, body, headers: { "idempotency-key": key } };
    const first = world.send(request, by);
    if (!isLost) return first;
    first.catch(() => {});
    await wait(by % 3);
    return world.send(request, by + 1);
  };

  const client = async (by: number) => {
    const { integer, pick } = seeded(SEED * 100 + by);
    for (let n = 0; left-- > 0; n += 1) {
      const name = pick(Object.keys(objects));
      const isCard = objects[name]!.balance !== null;
      const amount = isCard ? integer(1, 40) : 0;
      const start = performance.now();
      const note = (input: CardInput, output: CardOutput, of = name) =>
        histories.get(of)!.push(at(start, performance.now(), input, output));
      const kind = integer(0, 9);
      const how = { key: `${by} ${n}`, isLost: integer(0, 5) === 0, by: integer(0, 1) };
      const undone = kind >= 8 && canRollBack ? mine[by]!.shift() : undefined;
      if (undone) {
        const { status, text } = await keyed(`POST /v1/redemptions/${undone.id}/rollback`, {}, how);
        assert.equal(status, 200, text);
        note({ kind: "roll back", credits: undone.credits }, "done", undone.name);
      } else if (kind < 3) {
        const { body } = await world.send({ line: `GET /v1/vouchers/${name}` }, how.by);
        note(read, seen(body.redemption.redeemed_quantity, isCard ? body.gift.balance : null));
      } else {
        const one = isCard ? credits(name, amount) : voucher(name);
        const { status, body, text } = await keyed("POST /v1/redemptions", world.redeeming([one]).body, how);
        assert.ok(status === 200 || /^(quantity|gift_amount)_exceeded$/.test(body.key), text);
        note(redeem(amount), status === 200 ? "done" : "refused");
        if (status === 200) mine[by]!.push({ name, id: body.redemptions[0].id, credits: amount });
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, by) => client(by)));
  for (const [name, history] of histories) {
    const order = linearize(cardModel(objects[name]!), history);
    assert.notEqual(order, null, `${name}: ${JSON.stringify(history)}`);
    const overlapping = history.filter(({ start, end }) => history.some((one) => one.start < end && start < one.end));
    assert.ok(overlapping.length > history.length / 2, "the calls were parallel");
  }
});

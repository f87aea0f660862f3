import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, refusal, success } from "../src/core/answer.ts";
import { createLanes, type Flow } from "../src/db/batch.ts";
import { StartOver } from "../src/db/commit.ts";
import { answerAll, type Claim, claimKeys } from "../src/idempotency/claim.ts";
import { startProxy, until } from "./storage.ts";
import { NOW, testDatabase } from "./support.ts";

const { db, open, url } = await testDatabase();
await db`create table done (n integer primary key)`;

type Fault = "bug" | "data" | "deadlock" | "start over";
type Command = { n: number; fault?: Fault; times?: number };
let next = 0;
const numbers = (count: number) => Array.from({ length: count }, () => ++next);

/** Stores the number of each command and answers with it. A command with a fault breaks its whole transaction. */
function storing({ gate }: { gate?: Promise<void> } = {}) {
  const runs: number[][] = [];
  const failures = new Map<number, number>();
  const flow: Flow<Command, number | string> = {
    name: "store",
    failed: (_, key) => key,
    run: async (tx, _, commands) => {
      runs.push(commands.map(({ n }) => n));
      await tx`insert into done select * from unnest(${commands.map(({ n }) => n)}::int[])`;
      await gate;
      for (const { n, fault, times = Number.POSITIVE_INFINITY } of commands) {
        const failed = failures.get(n) ?? 0;
        if (!fault || failed >= times) continue;
        failures.set(n, failed + 1);
        if (fault === "bug") throw new TypeError("a bug in the decision");
        if (fault === "data") await tx`select 1 / 0`;
        if (fault === "deadlock") await tx`do $$ begin raise sqlstate '40P01'; end $$`;
        if (fault === "start over") throw new StartOver();
      }
      return commands.map(({ n }) => n);
    },
  };
  return { flow, runs };
}

function lanes(limits: Partial<Parameters<typeof createLanes>[1]> = {}, pool = db) {
  const reported: unknown[] = [];
  const started: number[] = [];
  const report = (error: unknown) => void reported.push(error);
  const observe = (_: string, size: number) => void started.push(size);
  return { reported, started, submit: createLanes(pool, { lanes: 1, report, observe, ...limits }) };
}
const stored = async (asked: readonly number[]) =>
  (await db<{ n: number }[]>`select n from done where n = any(${asked}) order by n`).map(({ n }) => n);

test("a lone command is run at once: its batch starts before `submit` returns", async () => {
  const [{ flow }, { submit, started }] = [storing(), lanes()];
  const [n] = numbers(1) as [number];
  const answer = submit(flow, "p", { n });
  assert.deepEqual(started, [1]);
  assert.equal(await answer, n);
  assert.deepEqual(await stored([n]), [n]);
});

test("what comes while the lanes are busy runs together, in order, at most as many as a batch may have", async () => {
  const [{ flow, runs }, { submit }] = [storing(), lanes({ sizeMax: 4 })];
  const all = numbers(8);
  assert.deepEqual(await Promise.all(all.map((n) => submit(flow, "p", { n }))), all);
  assert.deepEqual(runs, [all.slice(0, 1), all.slice(1, 5), all.slice(5)]);
  assert.deepEqual(await stored(all), all);
});

test("as many batches run at once as there are lanes", async () => {
  const gate = Promise.withResolvers<void>();
  const [{ flow, runs }, { submit }] = [storing({ gate: gate.promise }), lanes({ lanes: 2 })];
  const all = numbers(6);
  const send = (some: readonly number[]) => some.map((n) => submit(flow, "p", { n }));
  const answers = send(all.slice(0, 4));
  await until("two batches run", () => runs.length === 2);
  answers.push(...send(all.slice(4)));
  gate.resolve();
  assert.deepEqual(await Promise.all(answers), all);
  assert.deepEqual(
    runs.map(({ length }) => length),
    [1, 3, 2],
    "the first alone, those that arrived with it together, and the others when a lane is free",
  );
});

test("beside a large batch the next one starts with as many commands, or after a moment", async () => {
  const { submit, started } = lanes({ lanes: 2 });
  const [first, large] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const send = ({ flow }: ReturnType<typeof storing>, count: number) =>
    numbers(count).map((n) => submit(flow, "p", { n }));
  const single = send(storing({ gate: first.promise }), 1);
  const three = send(storing({ gate: large.promise }), 3);
  await until("both run", () => started.length === 2);
  first.resolve();
  await Promise.all(single);
  assert.deepEqual(started, [1, 3]);
  const asMany = send(storing(), 4);
  await Promise.all(asMany);
  assert.deepEqual(started.slice(2), [4], "as many as it and more: they start with all that arrived");
  const alone = send(storing(), 1);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(started.slice(3), [], "more may come");
  await Promise.all(alone);
  assert.deepEqual(started.slice(3), [1], "nobody came, and the large one is still under way");
  large.resolve();
  await Promise.all(three);
});

test("projects take turns: a busy one does not keep the others waiting", async () => {
  const [{ flow }, { submit }] = [storing(), lanes({ sizeMax: 2 })];
  const order: string[] = [];
  const send = async (project: string) => {
    await submit(flow, project, { n: ++next });
    order.push(project);
  };
  await Promise.all([...Array.from({ length: 7 }, () => send("busy")), send("quiet")]);
  assert.deepEqual(order, ["busy", "busy", "busy", "quiet", "busy", "busy", "busy", "busy"]);
});

test("above the bound of waiting commands the answer is overloaded at once, and nothing is stored", async () => {
  const gate = Promise.withResolvers<void>();
  const [{ flow }, { submit }] = [storing({ gate: gate.promise }), lanes({ waitingMax: 2 })];
  const all = numbers(5);
  const answers = all.map((n) => submit(flow, "p", { n }));
  assert.deepEqual(await Promise.all(answers.slice(3)), ["overloaded", "overloaded"], "while the lane is still held");
  gate.resolve();
  assert.deepEqual(await Promise.all(answers.slice(0, 3)), all.slice(0, 3));
  assert.deepEqual(await stored(all), all.slice(0, 3));
  const [n] = numbers(1) as [number];
  assert.equal(await submit(flow, "p", { n }), n, "there is room again");
});

for (const fault of ["bug", "data"] as const) {
  test(`one command with a ${fault} error fails alone, and its neighbours are stored once`, async () => {
    const [{ flow, runs }, { submit, reported }] = [storing(), lanes()];
    const all = numbers(10);
    const bad = all[6]!;
    const answers = await Promise.all(all.map((n) => submit(flow, "p", n === bad ? { n, fault } : { n })));
    assert.deepEqual(
      answers,
      all.map((n) => (n === bad ? "internal_server_error" : n)),
    );
    assert.deepEqual(
      await stored(all),
      all.filter((n) => n !== bad),
    );
    assert.ok(reported.length > 0, "the log hears of it");
    assert.ok(runs.length <= 9, "halving, not one by one");
  });
}

for (const [fault, most] of [
  ["deadlock", 3],
  ["start over", 20],
] as const) {
  test(`a passing error (${fault}) is run again, ${most} times at most`, async () => {
    const [{ flow, runs }, { submit, reported }] = [storing(), lanes()];
    const [once, thrice, always] = numbers(3) as [number, number, number];
    assert.equal(await submit(flow, "p", { n: once, fault, times: 1 }), once);
    assert.equal(await submit(flow, "p", { n: thrice, fault, times: 3 }), thrice);
    assert.equal(reported.length, 0, "what passed is no news");
    assert.equal(await submit(flow, "p", { n: always, fault }), "overloaded");
    const count = (n: number) => runs.flat().filter((one) => one === n).length;
    assert.deepEqual([once, thrice, always].map(count), [2, 4, most + 1]);
    assert.deepEqual(await stored([once, thrice, always]), [once, thrice]);
    assert.equal(reported.length, 1);
  });
}

test("a command that always meets a passing error does not take its neighbours with it", async () => {
  const [{ flow }, { submit }] = [storing(), lanes()];
  const all = numbers(9);
  const bad = all[4]!;
  const send = (n: number) => submit(flow, "p", n === bad ? { n, fault: "deadlock" as const } : { n });
  const answers = await Promise.all(all.map(send));
  assert.deepEqual(
    answers,
    all.map((n) => (n === bad ? "overloaded" : n)),
  );
});

test("a flow that does not answer every command is a bug, and stores nothing", async () => {
  const { submit, reported } = lanes();
  const [n] = numbers(1) as [number];
  const silent: Flow<Command, string> = {
    name: "silent",
    failed: (_, key) => key,
    run: async (tx, _, [command]) => {
      await tx`insert into done values (${command!.n})`;
      return [];
    },
  };
  assert.equal(await submit(silent, "p", { n }), "internal_server_error");
  assert.deepEqual(await stored([n]), []);
  assert.match(String(reported[0]), /silent answers every command/);
});

test("a command that waited longer than it may is answered overloaded and never run", async () => {
  const gate = Promise.withResolvers<void>();
  const [{ flow, runs }, { submit }] = [storing({ gate: gate.promise }), lanes({ timeoutMs: 300 })];
  const [first, late] = numbers(2) as [number, number];
  const answers = [submit(flow, "p", { n: first }), submit(flow, "p", { n: late })];
  assert.deepEqual(await Promise.all(answers), ["overloaded", "overloaded"]);
  gate.resolve();
  await until("the late transaction is undone", async () => {
    const [{ count }] = await db<[{ count: number }]>`
      select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;
    return count === 0;
  });
  assert.deepEqual(runs, [[first]]);
  assert.deepEqual(await stored([first, late]), [], "what was answered as not done is not done later");
});

test("a database that falls silent in the middle of a batch holds no lane for longer than a command may wait", async () => {
  const proxy = await startProxy(url);
  const [{ flow, runs }, { submit }] = [storing(), lanes({ timeoutMs: 500 }, open({ max: 2 }, proxy.url))];
  const [warm, lost, after] = numbers(3) as [number, number, number];
  assert.equal(await submit(flow, "p", { n: warm }), warm);
  proxy.mode = "silent";
  assert.equal(await submit(flow, "p", { n: lost }), "overloaded");
  proxy.cutAll();
  proxy.mode = "open";
  await until("the lane works again", async () => (await submit(flow, "p", { n: after })) === after);
  assert.deepEqual(await stored([warm, lost, after]), [warm, after]);
  assert.ok(runs.length >= 2);
});

type Claiming = { n: number; claim: Claim | null; request_id: string };
/** As `storing`, with idempotency keys. */
const claiming: Flow<Claiming, Answer> = {
  name: "claim",
  failed: ({ request_id }, key) => refusal(key, { request_id }),
  run: async (tx, projectId, commands) => {
    const { fresh, stored } = await claimKeys(tx, projectId, commands);
    await tx`insert into done select * from unnest(${fresh.map(({ n }) => n)}::int[])`;
    const answers = new Map(fresh.map((command) => [command, success({ n: command.n })]));
    return answerAll(tx, projectId, { commands, answers, stored });
  },
};
const withKey = (n: number, key: string, input_hash = "same"): Claiming => ({
  n,
  request_id: `v-${n}`,
  claim: { caller_id: "app key_1", key, input_hash, sealed_with: null, received_at: NOW },
});

test("of a batch, only the command whose key another transaction holds is told so; the others are stored", async () => {
  const { submit, reported } = lanes({}, open({ max: 2, statementTimeoutMs: 150 }));
  const all = numbers(7);
  const held = all[4]!;
  const release = Promise.withResolvers<void>();
  const holding = Promise.withResolvers<void>();
  const holder = db.begin(async (tx) => {
    await claimKeys(tx, "p", [withKey(held, `key ${held}`)]);
    holding.resolve();
    await release.promise;
  });
  await holding.promise;
  const answers = await Promise.all(all.map((n) => submit(claiming, "p", withKey(n, `key ${n}`))));
  release.resolve();
  await holder;
  assert.deepEqual(
    answers.map(({ status, body }) => [status, JSON.parse(body).n ?? JSON.parse(body).key]),
    all.map((n) => (n === held ? [409, "idempotency_in_progress"] : [200, n])),
  );
  assert.deepEqual(
    await stored(all),
    all.filter((n) => n !== held),
  );
  assert.deepEqual(reported, [], "a held key is the client's doing");
});

test("the same key twice in one batch: the second is answered from the first, or refused for another input", async () => {
  const { submit, started } = lanes();
  const [blocker, first, again, other] = numbers(4) as [number, number, number, number];
  const [, ...answers] = await Promise.all([
    submit(claiming, "p", withKey(blocker, `key ${blocker}`)),
    submit(claiming, "p", withKey(first, "twice")),
    submit(claiming, "p", withKey(again, "twice")),
    submit(claiming, "p", withKey(other, "twice", "other")),
  ]);
  assert.deepEqual(started, [1, 3]);
  assert.deepEqual(answers.slice(0, 2), [success({ n: first }), { ...success({ n: first }), replayed: true }]);
  assert.equal(JSON.parse(answers[2]!.body).key, "idempotency_key_reused");
  assert.deepEqual(await stored([first, again, other]), [first]);
});

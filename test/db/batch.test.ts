import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, refusal, success } from "../../src/core/answer.ts";
import { createLanes, type Flow } from "../../src/db/batches/batch.ts";
import { StartOver } from "../../src/db/batches/commit.ts";
import { answerAll, type Claim, claimKeys } from "../../src/idempotency/claim.ts";
import { NOW, testDatabase, testProject } from "../support/engine.ts";
import { hold } from "../support/hold.ts";
import { startProxy, until } from "../support/storage.ts";

const { db, open, url } = await testDatabase();
const { id: projectId } = await testProject(db);
await db`create table done (n integer primary key)`;
await db`create table locked (n integer primary key)`;

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
  const gate = Promise.withResolvers<void>();
  const [{ flow: stores }, { submit, started }] = [storing(), lanes({ sizeMax: 2 })];
  const order: string[] = [];
  const flow: typeof stores = {
    ...stores,
    run: (tx, project, commands) => {
      order.push(...commands.map(() => project));
      return stores.run(tx, project, commands);
    },
  };
  const others = ["first", "second"].map((project) =>
    submit(storing({ gate: gate.promise }).flow, project, { n: ++next }),
  );
  await until("the lane and the reserve are held", () => started.length === 2);
  const send = (project: string) => submit(flow, project, { n: ++next });
  const sent = [...Array.from({ length: 7 }, () => send("busy")), send("quiet")];
  gate.resolve();
  await Promise.all([...others, ...sent]);
  assert.ok(order.indexOf("quiet") <= 4, `after two batches of the busy one at most: ${order}`);
});

test("while a project holds all lanes, the reserve lane serves the others; alone, a project never has it", async () => {
  const gate = Promise.withResolvers<void>();
  const [stuck, { flow }] = [storing({ gate: gate.promise }), storing()];
  const { submit } = lanes({ lanes: 2, sizeMax: 1 });
  const [own, [other, another]] = [numbers(5), numbers(2) as [number, number]];
  const answers = own.map((n) => submit(stuck.flow, "stuck", { n }));
  await until("both lanes are held", () => stuck.runs.length === 2);
  assert.equal(await submit(flow, "other", { n: other }), other);
  assert.equal(await submit(flow, "another", { n: another }), another);
  assert.equal(stuck.runs.length, 2, "its next batches wait, although the reserve is free");
  gate.resolve();
  assert.deepEqual(await Promise.all(answers), own);
});

/** Locks the row of each command, as a redemption locks its code. */
function locking(knows: "who waits" | "nothing") {
  const runs: number[][] = [];
  const flow: Flow<Command, number | string> = {
    name: "lock",
    failed: (_, key) => key,
    run: async (tx, _, commands) => {
      const all = commands.map(({ n }) => n);
      runs.push(all);
      await tx`select n from locked where n = any(${all}) order by n for no key update`;
      await tx`insert into done select * from unnest(${all}::int[])`;
      return all;
    },
  };
  const held: Flow<Command, number | string>["held"] = async (tx, _, commands) => {
    const rows = await tx<{ n: number }[]>`
      select n from locked where n = any(${commands.map(({ n }) => n)}) order by n for no key update skip locked`;
    const free = new Set(rows.map(({ n }) => n));
    return new Map(commands.filter(({ n }) => !free.has(n)).map((one) => [one, "overloaded"]));
  };
  return { runs, flow: knows === "nothing" ? flow : { ...flow, held } };
}

/** Rows to lock, of which another connection holds some until it is told. */
async function rowsHeld(all: readonly number[], some: readonly number[]) {
  await db`insert into locked select * from unnest(${all}::int[])`;
  return hold(db, (tx) => tx`select n from locked where n = any(${some}) order by n for no key update`);
}

for (const knows of ["who waits", "nothing"] as const)
  test(`of a batch that meets a held row only those that need it wait, and later they are run (the flow knows ${knows})`, async () => {
    const setAside: number[] = [];
    const { flow, runs } = locking(knows);
    const { submit, reported } = lanes({
      lockMs: 5,
      pauseMs: 1,
      observeSetAside: (_, count) => void setAside.push(count),
    });
    const all = numbers(12);
    const held = [all[3]!, all[4]!, all[9]!];
    const release = await rowsHeld(all, held);
    const answers = all.map((n) => submit(flow, "p", { n }));
    const free = all.filter((n) => !held.includes(n));
    assert.deepEqual(
      await Promise.all(answers.filter((_, i) => !held.includes(all[i]!))),
      free,
      "before it is released",
    );
    assert.deepEqual(await stored(all), free);
    const [later] = numbers(1) as [number];
    await db`insert into locked values (${later})`;
    assert.equal(await submit(flow, "p", { n: later }), later, "the lane is not held either");
    await release();
    assert.deepEqual(await Promise.all(answers), all);
    assert.deepEqual(await stored(all), all);
    assert.ok(setAside.length > 0);
    assert.deepEqual(reported, [], "a lock is no failure");
    if (knows === "who waits")
      assert.deepEqual(runs.slice(0, 3), [
        all.slice(0, 1),
        all.slice(1),
        all.slice(1).filter((n) => !held.includes(n)),
      ]);
  });

test("a command whose row is held until its time is over is overloaded, and is not run later", async () => {
  let clock = 0;
  const { flow, runs } = locking("who waits");
  const { submit } = lanes({ lockMs: 5, pauseMs: 1, timeoutMs: 10_000, now: () => clock });
  const [n] = numbers(1) as [number];
  const release = await rowsHeld([n], [n]);
  const answer = submit(flow, "p", { n });
  await until("it was tried again", () => runs.length > 1);
  clock = 10_000;
  assert.equal(await answer, "overloaded");
  await release();
  assert.deepEqual(await stored([n]), []);
});

test("a queue whose oldest command has waited for half of its time takes no more; those of others do", async () => {
  let clock = 0;
  const gate = Promise.withResolvers<void>();
  const [stuck, quick] = [storing({ gate: gate.promise }), storing()];
  const { submit } = lanes({ timeoutMs: 10_000, now: () => clock });
  const [running, waiting, more, late, other] = numbers(5) as [number, number, number, number, number];
  const answers = [running, waiting].map((n) => submit(stuck.flow, "p", { n }));
  clock = 5_000;
  answers.push(submit(stuck.flow, "p", { n: more }));
  clock = 5_001;
  assert.equal(await submit(stuck.flow, "p", { n: late }), "overloaded", "the first of the queue waits since 0");
  assert.equal(await submit(quick.flow, "q", { n: other }), other);
  gate.resolve();
  assert.deepEqual(await Promise.all(answers), [running, waiting, more]);
});

test("a project that fills all the room for waiting commands leaves some to the others", async () => {
  const gate = Promise.withResolvers<void>();
  const [first, { flow }] = [storing({ gate: gate.promise }), storing({ gate: gate.promise })];
  const { submit, started } = lanes({ waitingMax: 8 });
  const [busy, quiet] = [numbers(9), numbers(3)];
  const reserve = submit(first.flow, "other", { n: ++next });
  const lane = submit(first.flow, "busy", { n: busy[0]! });
  await until("the lane and the reserve are held", () => started.length === 2);
  const waiting = busy.slice(1).map((n) => submit(flow, "busy", { n }));
  assert.equal(await submit(flow, "busy", { n: ++next }), "overloaded");
  const answers = quiet.map((n) => submit(flow, "quiet", { n }));
  assert.deepEqual(
    await Promise.all(answers.slice(1)),
    ["overloaded", "overloaded"],
    "an eighth of the room is its own",
  );
  gate.resolve();
  assert.equal(await answers[0], quiet[0]);
  assert.deepEqual(await Promise.all([lane, ...waiting]), busy);
  await reserve;
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
  const { submit, reported } = lanes({ lockMs: 5, pauseMs: 1 });
  const all = numbers(7);
  const held = all[4]!;
  const release = Promise.withResolvers<void>();
  const holding = Promise.withResolvers<void>();
  const holder = db.begin(async (tx) => {
    await claimKeys(tx, projectId, [withKey(held, `key ${held}`)]);
    holding.resolve();
    await release.promise;
  });
  await holding.promise;
  const answers = await Promise.all(all.map((n) => submit(claiming, projectId, withKey(n, `key ${n}`))));
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
    submit(claiming, projectId, withKey(blocker, `key ${blocker}`)),
    submit(claiming, projectId, withKey(first, "twice")),
    submit(claiming, projectId, withKey(again, "twice")),
    submit(claiming, projectId, withKey(other, "twice", "other")),
  ]);
  assert.deepEqual(started, [1, 3]);
  assert.deepEqual(answers.slice(0, 2), [success({ n: first }), { ...success({ n: first }), replayed: true }]);
  assert.equal(JSON.parse(answers[2]!.body).key, "idempotency_key_reused");
  assert.deepEqual(await stored([first, again, other]), [first]);
});

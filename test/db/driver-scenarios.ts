import assert from "node:assert/strict";
import net from "node:net";
import { setFlagsFromString } from "node:v8";
import { withinTime } from "../../src/db/batches/commit.ts";
import { boundedDb, firstRows } from "../../src/db/bounded.ts";
import { openDb, type Pool } from "../../src/db/db.ts";
import { loadDriver, postgres } from "../../src/db/driver.ts";
import { CORRECTIONS } from "../../src/db/driver-corrections.ts";
import { FAILURES } from "./driver-failures.ts";
import { QUERIES } from "./driver-queries.ts";

/** What a scenario works with: pools of the driver that is looked at, and one to watch them. */
export type Stage = {
  url: string;
  open(options?: Parameters<typeof openDb>[1], via?: string): Pool;
  other: Pool;
};
type Scenario = (stage: Stage) => Promise<unknown>;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A query gives the same after a failure on its connection as before. */
const follows =
  (query: string, ...failures: (string | [name: string, row: number])[]): Scenario =>
  async ({ open, other }) => {
    const pool = open({ max: 1 });
    const before = await QUERIES[query]!(pool);
    for (const failure of failures) {
      const [name, row] = typeof failure === "string" ? [failure, 3] : failure;
      await FAILURES[name]!(pool, row, other);
      assert.deepEqual(await QUERIES[query]!(pool), before, name);
    }
  };

/** Runs something and gives the sockets that were connected meanwhile, with how often each was written to. */
async function watchSockets<T>(run: (sockets: Map<net.Socket, number>) => Promise<T>): Promise<T> {
  const sockets = new Map<net.Socket, number>();
  const { connect, write } = net.Socket.prototype;
  net.Socket.prototype.connect = function (this: net.Socket, ...args: Parameters<typeof connect>) {
    sockets.set(this, 0);
    return connect.apply(this, args);
  } as typeof connect;
  net.Socket.prototype.write = function (this: net.Socket, ...args: Parameters<typeof write>) {
    if (sockets.has(this)) sockets.set(this, sockets.get(this)! + 1);
    return write.apply(this, args);
  } as typeof write;
  try {
    return await run(sockets);
  } finally {
    Object.assign(net.Socket.prototype, { connect, write });
  }
}

/** The address of a relay to the database. It takes everything and passes nothing on while `passes` says no. */
async function relay(url: string, passes: (chunk: Buffer, cut: () => void) => boolean): Promise<string> {
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(new URL(url).port), "127.0.0.1");
    const cut = () => {
      server.close();
      for (const socket of [client, upstream]) socket.destroy();
    };
    for (const socket of [client, upstream]) socket.on("error", cut).on("close", cut);
    client.on("data", (chunk: Buffer) => passes(chunk, cut) && upstream.write(chunk));
    upstream.on("data", (chunk: Buffer) => passes(chunk, cut) && client.write(chunk));
  });
  server.unref();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return url.replace(/:\d+\//, `:${(server.address() as net.AddressInfo).port}/`);
}

/** A statement is sent when its connection has failed, and has not come to its end. */
const dying: Scenario = ({ open }) =>
  watchSockets(async (sockets) => {
    const pool = open({ max: 1 });
    await pool`select 1`;
    const [socket] = [...sockets.keys()];
    const failing = pool`select pg_sleep(100)`.execute();
    const next = failing.catch(() =>
      pool`select 2`.then(
        () => "answered",
        ({ code }) => code,
      ),
    );
    // Written in the first turn, or the next.
    await nextTurn();
    await nextTurn();
    socket!.destroy(Object.assign(new Error("cut"), { code: "ECONNRESET" }));
    assert.match(String(await next), /^answered$|^CONNECTION_CLOSED$/);
    assert.equal((await pool`select 3 as n`)[0]!.n, 3);
  });

/** For each correction what goes wrong without it, and holds with it. */
export const SCENARIOS: Record<string, Scenario> = {
  "the rows of a statement are counted from zero after one that failed": follows(
    "plain",
    "an error in a row",
    "a cancel in a row",
  ),
  "an array is read from its beginning after one that could not be read": follows(
    "plain",
    "a value in an array that cannot be read",
  ),
  "a statement that cannot be written fails alone, and sends nothing": follows(
    "plain",
    "parameters that cannot be written, beside statements that can",
  ),
  "a statement that is sent again has its own parameters": follows(
    "plain",
    "a prepared statement whose columns have changed",
  ),
  "a statement that is sent again changes places with no other": async (stage) => {
    await follows("plain", "a prepared statement that the server has forgotten")(stage);
    // Both connections have the statement, with a plan that is too old.
    const pool = stage.open({ max: 2 });
    const name = `old_${process.hrtime.bigint()}`;
    await stage.other`create table ${stage.other(name)} (n int)`;
    const read = (db: Pool) => db`select * from ${db(name)} where n = ${1}`;
    const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await Promise.all(
      both.map((own, n) =>
        pool.begin(async (tx) => {
          await read(tx as unknown as Pool);
          own.resolve();
          await both[1 - n]!.promise;
        }),
      ),
    );
    await stage.other`alter table ${stage.other(name)} add column more int`;
    assert.equal((await read(pool)).columns.length, 2);
  },
  "a cancel of a statement that was sent already leaves the next one its own answer": follows(
    "plain",
    "a cancel of a statement between two others",
  ),
  "a cancel of a statement that was not sent yet does not stop its transaction": follows(
    "plain",
    "a cancel of a statement that waits in a transaction",
  ),
  "a cursor that failed is ended once and asks for no more rows": follows(
    "several statements",
    "a value of a cursor that cannot be read",
    "a value of a cursor that cannot be read, before an error",
    "a value of the last rows of a cursor that cannot be read",
    ["a session that ends while the function of a cursor is at work", 2],
    ["a session that ends while the function of a cursor is at work", 3],
  ),
  "bytes that a lost connection did not send are not sent on the next one": dying,
  "an error that ended a session is not told to the next one": follows(
    "plain",
    "a session that the server ends in a row",
  ),
  "whatever waits for a lost connection is told": dying,
  "small pieces are sent at once": async ({ open }) => {
    const { setNoDelay } = net.Socket.prototype;
    const told = new Set<net.Socket>();
    net.Socket.prototype.setNoDelay = function (on) {
      if (on) told.add(this);
      return setNoDelay.call(this, on);
    };
    try {
      await watchSockets(async (sockets) => {
        await open({ max: 1 })`select 1`;
        assert.deepEqual([sockets.size, told], [1, new Set(sockets.keys())]);
      });
    } finally {
      net.Socket.prototype.setNoDelay = setNoDelay;
    }
  },
  "a server that is silent for twice the limit of a statement is given up": async ({ open, url }) => {
    let isSilent = false;
    const pool = open({ max: 1, statementTimeoutMs: 200 }, await relay(url, () => !isSilent));
    while ((await pool`select 1 as n`.catch(() => [])).length === 0);
    isSilent = true;
    await assert.rejects(
      pool`select 2`.then((rows) => rows),
      { code: "ETIMEDOUT" },
    );
  },
  "statements that are asked for together are sent in one piece": ({ open }) =>
    watchSockets(async (sockets) => {
      const pool = open({ max: 1 });
      const ask = (n: number) => pool`select ${n}::int as n, ${"x".repeat(500)} as text`.execute();
      await ask(0);
      const [[socket, before]] = [...sockets] as [[net.Socket, number]];
      await Promise.all(Array.from({ length: 50 }, (_, n) => ask(n)));
      assert.equal(sockets.get(socket)! - before, 1);
    }),
  "a COPY that fails after its last byte fails, instead of never ending": follows(
    "plain",
    "a COPY in that breaks a constraint",
  ),
  "a COPY that nobody reads any more lets the next statement through": async (stage) => {
    await follows("plain", "a COPY out that nobody reads to its end")(stage);
    const pool = stage.open({ max: 1 });
    for (const kilobytes of [1, 64, 65, 1000]) {
      const source = await pool`copy (select repeat('x', 1024 * ${pool.unsafe(`${kilobytes}`)})) to stdout`.readable();
      let length = 0;
      for await (const chunk of source) length += chunk.length;
      assert.equal(length, 1024 * kilobytes + 1);
      assert.equal((await pool`select 1 as n`)[0]!.n, 1);
    }
  },
  "a COPY that fails at once ends no process": follows(
    "plain",
    "a COPY in that loses its session",
    // Often, because only an error that comes in the same piece as the beginning comes too early.
    ...Array<string>(20).fill("a COPY out that fails in a row"),
  ),
  "a server that goes while the driver asks for types ends no process": async ({ open, url }) => {
    let isGone = false;
    const via = await relay(url, (chunk, cut) => {
      isGone ||= chunk.includes("typcategory");
      if (isGone) cut();
      return !isGone;
    });
    await assert.rejects(
      open({ max: 1 }, via)`select 1`.then((rows) => rows),
      /ECONNREFUSED/,
    );
    // A rejection that nobody handles ends the process at the end of a turn.
    await nextTurn();
    await nextTurn();
  },
  "a row is made from a literal with its columns": async ({ open }) => {
    setFlagsFromString("--allow-natives-syntax");
    const isFast = new Function("row", "return %HasFastProperties(row)");
    setFlagsFromString("--no-allow-natives-syntax");
    const pool = open({ max: 1 });
    const wide = () => pool.unsafe(`select ${Array.from({ length: 60 }, (_, n) => `${n} as c${n}`).join()}`);
    const [row] = await wide();
    assert.deepEqual(row, Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`c${n}`, n])));
    assert.equal(isFast(row), true, "it is no dictionary");
    assert.deepEqual(
      (await wide().values())[0],
      Array.from({ length: 60 }, (_, n) => n),
    );
  },
  "a result has what is told of it from its class": async ({ open }) => {
    const found = await open({ max: 1 })`select n from generate_series(1, 2) n`;
    assert.deepEqual(Object.getOwnPropertyNames(found), ["0", "1", "length"]);
    assert.deepEqual([found.count, found.command, found.columns.map(({ name }) => name)], [2, "SELECT", ["n"]]);
    assert.deepEqual([...found], [{ n: 1 }, { n: 2 }]);
  },
  "a statement with a bound keeps no row beyond it, and leaves the next one its own rows": async (stage) => {
    await follows("plain", "rows beyond a bound", "rows beyond a bound, before an error")(stage);
    const pool = boundedDb(stage.open({ max: 1 }), { bytesMax: 40_000, error: () => new Error("too large") });
    const rows = (count: number) => pool`select n, repeat('x', 1000) as text from generate_series(1, ${count}) n`;
    // 39 rows of 1,000 bytes and what is around each fit in 40,000, and 9 in the quarter of it.
    assert.equal((await rows(39)).length, 39);
    await assert.rejects(rows(40).execute(), /too large/);
    const [early, next] = await Promise.all([firstRows(rows(1000), 99), pool`select 1 as n`]);
    assert.deepEqual([early.rows.map(({ n }) => n), early.has_more], [[1, 2, 3, 4, 5, 6, 7, 8, 9], true]);
    assert.deepEqual([...next], [{ n: 1 }]);
    const large = pool<{ n: number }[]>`select n, repeat('x', 50000) as text from generate_series(1, 3) n`;
    const { rows: one, has_more } = await firstRows(large, 10);
    assert.deepEqual([one.map(({ n }) => n), has_more], [[1], true], "one row at least");
  },
  "BEGIN always keeps its connection": ({ open }) =>
    watchSockets(async (sockets) => {
      const pool = open({ max: 1 });
      await pool`select 1`;
      const [[socket, before]] = [...sockets] as [[net.Socket, number]];
      await Promise.all(Array.from({ length: 50 }, () => pool`select 1`.execute()));
      assert.equal(sockets.get(socket)! - before, 1, "other statements are still sent together");
      // The driver sends a hundred statements on a connection before it waits.
      for (const count of [0, 99, 100, 101]) {
        const reads = Array.from({ length: count }, () => pool`select 1`.execute());
        const xids = await pool.begin(async (tx) => [
          (await tx`select pg_current_xact_id() as xid`)[0]!.xid,
          (await tx`select pg_current_xact_id() as xid`)[0]!.xid,
        ]);
        assert.equal(xids[0], xids[1], `behind ${count} statements`);
        await Promise.all(reads);
      }
    }),
  "a transaction that lost its connection runs nothing any more": async ({ open, other }) => {
    const pool = open({ max: 1 });
    const isLost = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const codeOf = (query: Promise<unknown>) =>
      query.then(
        () => "it ran",
        (error) => error.code,
      );
    const lost = pool.begin(async (tx) => {
      const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
      // The second waits for the description of the first: it is still in the queue when the connection is lost.
      const running = [codeOf(tx`select pg_sleep(${100})`), codeOf(tx`insert into copied values (1, 'queued')`)];
      while ((await other`select from pg_stat_activity where pid = ${row!.pid} and wait_event = 'PgSleep'`).length < 1);
      await other`select pg_terminate_backend(${row!.pid}::int)`;
      const codes = await Promise.all(running);
      assert.ok(!codes.includes("it ran"), String(codes));
      isLost.resolve();
      await goOn.promise;
      late.resolve(await codeOf(tx`insert into copied values (1, 'late')`));
    });
    lost.catch(() => {});
    await assert.rejects(lost);
    await isLost.promise;
    await pool.begin(async (tx) => {
      await tx`select 1`;
      goOn.resolve();
      assert.equal(await late.promise, "CONNECTION_CLOSED");
    });
    assert.equal((await other`select from copied`).length, 0);
  },
  "a transaction that is begun at once sends BEGIN with its first statements": async ({ open, url }) => {
    const pieces: string[] = [];
    let [isBroken, isWatched] = [false, false];
    const via = await relay(url, (chunk) => {
      if (isWatched) pieces.push(chunk.toString("latin1"));
      const at = isBroken ? chunk.indexOf("begin") : -1;
      // A BEGIN that the server refuses, and the connection stays.
      if (at >= 0) chunk.write("begun", at, "latin1");
      return true;
    });
    const pool = open({ max: 1 }, via);
    await pool`select 1 as n`;
    isWatched = true;
    await pool.begin("at once", (tx) => tx`select 1 as n`);
    assert.ok(pieces[0]!.includes("begin") && /\0E\0\0\0\t/.test(pieces[0]!), "one piece has both");
    isBroken = true;
    let late: unknown;
    const refused = pool.begin("at once", async (tx) => {
      await tx`select 1 as n`;
      late = await tx`insert into copied values (1, 'late')`.catch((error) => error.code);
    });
    await assert.rejects(refused, { code: "42601" });
    assert.equal(late, "42601", "nothing is run outside of a transaction");
    isBroken = false;
    assert.equal((await pool`select 1 as n`).length, 1);
  },
  "COMMIT is sent behind the last statements, and nothing behind it": async ({ open, other }) => {
    type Ending = { commitBehind(): Promise<{ command: string }> | null };
    const pool = open({ max: 1 });
    const ends = async (n: number, divisor: number) => {
      let [command, late]: unknown[] = [];
      const ended = pool.begin(async (tx) => {
        await tx`select 1`;
        const insert = tx`insert into copied values (${n}::int / ${divisor}::int, 'behind')`.execute();
        insert.catch(() => {});
        await new Promise<void>((resolve) => process.nextTick(resolve));
        const out = (tx as unknown as Ending).commitBehind();
        // A statement that has to be described first may still fail here: then COMMIT waits.
        if (out === null) return void (await insert);
        late = await tx`select 1`.catch((error) => error.code);
        command = (await out).command;
        await insert;
      });
      const error = await ended.then(
        () => null,
        (failed) => failed.code,
      );
      return { command, late, error };
    };
    const plain = { command: undefined, late: undefined, error: null };
    assert.deepEqual(await ends(901, 1), plain, "it is described");
    assert.deepEqual(await ends(902, 1), { command: "COMMIT", late: "LATE_STATEMENT", error: "LATE_STATEMENT" });
    assert.deepEqual(await ends(903, 0), { command: "ROLLBACK", late: "LATE_STATEMENT", error: "22012" });
    assert.equal((await other`delete from copied where n > 900`).count, 2);
  },
};

/** Runs a scenario with a driver of all corrections, or without one edit of the one that the scenario is about. */
export async function play(name: string, url: string, limitMs: number, without?: number): Promise<void> {
  const less = (edit: number) =>
    CORRECTIONS.map((one) => (one.name === name ? { ...one, edits: one.edits.toSpliced(edit, 1) } : one));
  const driver = without === undefined ? postgres : await loadDriver(less(without), "incomplete");
  const pools: Pool[] = [];
  const open: Stage["open"] = (options, via = url) => {
    pools.push(openDb(via, { statementTimeoutMs: 60_000, ...options }, driver));
    return pools.at(-1)!;
  };
  const other = openDb(url, { max: 1 });
  const ended = withinTime(
    limitMs,
    SCENARIOS[name]!({ url, open, other }).then(() => true),
  );
  try {
    assert.ok(await ended, `it takes more than ${limitMs} ms`);
  } finally {
    await Promise.all([other, ...pools].map((pool) => pool.end({ timeout: 0 })));
  }
}

// As a process of its own, for drivers that end it.
if (import.meta.main) {
  const [url, name, without] = process.argv.slice(2) as [string, string, string];
  await play(name, url, 1500, Number(without));
  process.exit(0);
}

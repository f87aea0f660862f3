import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { boundedDb } from "../../src/db/bounded.ts";
import type { Pool, Tx } from "../../src/db/db.ts";
import { copyIn, seen, textOf, Undone } from "./driver-queries.ts";

/** What a failure is told with: the code, or the message where there is none. */
const failsWith = async (query: Promise<unknown>, code: string | RegExp): Promise<void> => {
  const told = await query.then(
    () => "it did not fail",
    (error) => String(error?.code ?? error?.message ?? error),
  );
  if (typeof code === "string") assert.equal(told, code);
  else assert.match(told, code);
};

const CLOSED = /^CONNECTION_CLOSED$|^57P01$|^ECONNRESET$|^EPIPE$/;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const isSettled = (promise: Promise<unknown>) => {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  promise.then(end, end);
  return () => isOver;
};

/** Fails on the one connection of the pool, where it has rows in row `n` of twelve. `other` may be used to watch it. */
export type Failure = (pool: Pool, n: number, other: Pool) => Promise<unknown>;

/** Every way in which a query fails. The rows are not sorted, so those before the failure are sent. */
export const FAILURES: Record<string, Failure> = {
  "an error in a row": (pool, n) => failsWith(pool`select 1 / (n - ${n}::int) from generate_series(1, 12) n`, "22012"),
  "rows beyond a bound": (pool, n) =>
    failsWith(
      boundedDb(pool, { bytesMax: (n - 1) * 1000, error: () => new Error("too large") })`
        select repeat('x', 970 + 0 * ${n}::int) from generate_series(1, 12) n`,
      "too large",
    ),
  "rows beyond a bound, before an error": (pool, n) =>
    failsWith(
      boundedDb(pool, { bytesMax: 100, error: () => new Error("too large") })`
        select repeat('x', 970), 1 / (n - 12 - 0 * ${n}::int) from generate_series(1, 12) n`,
      // The server may send both in one piece; the rows come first.
      "too large",
    ),
  "an error in a row, unprepared": (pool, n) =>
    failsWith(pool.unsafe(`select n, 1 / (n - ${n}) from generate_series(1, 12) n`), "22012"),
  "an error in a row of the second of three statements": (pool, n) =>
    failsWith(
      pool.unsafe(
        `select n from generate_series(1, 12) n; select n, 1 / (n - ${n}) from generate_series(1, 12) n; select 3`,
      ),
      "22012",
    ),
  "an error in a row, as values": (pool, n) =>
    failsWith(pool`select n, 1 / (n - ${n}::int) from generate_series(1, 12) n`.values(), "22012"),
  "an error in a row, for each": (pool, n) =>
    failsWith(
      pool`select n, 1 / (n - ${n}::int) from generate_series(1, 12) n`.forEach(() => {}),
      "22012",
    ),
  "an error in a row of a cursor": (pool, n) =>
    failsWith(
      pool`select n, 1 / (n - ${n}::int) from generate_series(1, 12) n`.cursor(5, () => {}),
      "22012",
    ),
  "an error in a row of a cursor in a loop": (pool, n) =>
    failsWith(
      (async () => {
        for await (const _ of pool`select n, 1 / (n - ${n}::int) from generate_series(1, 12) n`.cursor(5))
          await nextTurn();
      })(),
      "22012",
    ),
  "a function of a cursor that throws": (pool) =>
    failsWith(
      pool`select n from generate_series(1, 12) n`.cursor(5, () => {
        throw new Error("thrown");
      }),
      "thrown",
    ),
  "a function of a cursor that throws at its end": (pool) =>
    failsWith(
      pool`select n from generate_series(1, 12) n`.cursor(5, (rows) => {
        if (rows.length < 5) throw new Error("thrown");
      }),
      "thrown",
    ),
  "a function for each row that throws": (pool, n) =>
    failsWith(
      pool`select n from generate_series(1, 12) n`.forEach((row) => {
        if (row.n === n) throw new Error("thrown");
      }),
      "thrown",
    ),
  "a value that cannot be read": (pool, n) =>
    failsWith(
      pool`select n, case n when ${n}::int then 9007199254740993 else n end::bigint as big from generate_series(1, 12) n`,
      /does not fit/,
    ),
  "a value of a cursor that cannot be read": (pool, n) =>
    failsWith(
      pool`select n, case when n >= ${n}::int then 9007199254740993 else n end::bigint as big from generate_series(1, 12) n`.cursor(
        5,
        () => {},
      ),
      /does not fit/,
    ),
  "a value of the last rows of a cursor that cannot be read": (pool, n) =>
    failsWith(
      pool`select n, case n when ${n}::int then 9007199254740993 else n end::bigint as big from generate_series(1, 12) n`.cursor(
        20,
        () => {},
      ),
      /does not fit/,
    ),
  "a value of a cursor that cannot be read, before an error": (pool) =>
    failsWith(
      pool`select case n when 2 then 9007199254740993 else 1 / (n - 4) end::bigint from generate_series(1, 12) n`.cursor(
        5,
        () => {},
      ),
      /does not fit/,
    ),
  "a value in an array that cannot be read": (pool, n) =>
    failsWith(
      pool`select array[now(), case n when ${n}::int then '0044-03-15 BC'::timestamptz else now() end] from generate_series(1, 12) n`,
      /Invalid time/,
    ),
  "a cancel in a row": (pool, n) =>
    failsWith(
      pool`select n, case n when ${n}::int then pg_cancel_backend(pg_backend_pid()) end from generate_series(1, 12) n`,
      "57014",
    ),
  "a cancel by the driver": async (pool, _, other) => {
    const mark = `/* ${process.hrtime.bigint()} */`;
    const query = pool.unsafe(`select n, pg_sleep(n * 100) from generate_series(1, 12) n ${mark}`);
    const failed = failsWith(query, "57014");
    const running = () =>
      other`select from pg_stat_activity where wait_event = 'PgSleep' and position(${mark} in query) > 0`;
    const isOver = isSettled(failed);
    while (!isOver() && (await running()).length === 0);
    query.cancel();
    await failed;
  },
  "a cancel of a statement between two others": async (pool) => {
    const before = pool`select 'before' as whose`.execute();
    const query = pool`select n, case n when 1 then pg_sleep(5) end from generate_series(1, 12) n`.execute();
    const after = pool`select 'after' as whose`.execute();
    // On a very busy machine the cancel may come before the statement has begun: then it succeeds.
    const ended = query.then(
      (rows) => String(rows.length),
      (error) => error.code,
    );
    while ((query as any).state === null) await nextTurn();
    query.cancel();
    assert.match(await ended, /^57014$|^12$/);
    assert.deepEqual([...(await before), ...(await after)], [{ whose: "before" }, { whose: "after" }]);
  },
  "a cancel of a statement that waits in a transaction": (pool) =>
    failsWith(
      pool.begin(async (tx) => {
        // The driver asks what this one is before it sends anything else, so the next ones wait.
        const text = `select n from things where n <= $1 /* ${process.hrtime.bigint()} */`;
        const before = tx.unsafe(text, [5], { prepare: true }).execute();
        const query = tx`select n, pg_sleep(100) from generate_series(1, 12) n`.execute();
        const after = tx`select n from generate_series(1, 12) n`.execute();
        const failed = failsWith(query, "57014");
        await null;
        query.cancel();
        await failed;
        assert.deepEqual([(await before).length, (await after).length], [5, 12]);
        throw new Undone("undone");
      }),
      "undone",
    ),
  "a statement timeout in a transaction": (pool, n) =>
    failsWith(
      pool.begin(async (tx) => {
        await tx.unsafe("set local statement_timeout = 50");
        await tx`select n, case n when ${n}::int then pg_sleep(100) end from generate_series(1, 12) n`;
      }),
      "57014",
    ),
  "a statement that is none": (pool) => failsWith(pool`selekt 1`, "42601"),
  "a statement that is none, with parameters": (pool) => failsWith(pool`selekt ${1}`, "42601"),
  "a statement that is none, unprepared": (pool) => failsWith(pool.unsafe("select $1::int selekt x", [1]), "42601"),
  "a parameter that is refused": (pool) => failsWith(pool`select n from things where n = ${"x"}::int`, "22P02"),
  "a parameter that cannot be written": (pool) =>
    failsWith(pool`select n, ${undefined as never} from things`, "UNDEFINED_VALUE"),
  "a parameter that has no JSON": (pool) => failsWith(pool`select ${pool.json(1n as never)}::jsonb`, /BigInt/),
  "too many parameters": (pool) => failsWith(pool.unsafe("select 1", Array(65_535).fill(1)), "MAX_PARAMETERS_EXCEEDED"),
  "parameters that cannot be written, beside statements that can": async (pool) => {
    const [before, wrong, after] = [
      pool`select 'before' as whose`.execute(),
      pool`select ${undefined as never}`.execute(),
      pool`select 'after' as whose`.execute(),
    ];
    await failsWith(wrong, "UNDEFINED_VALUE");
    assert.deepEqual([...(await before), ...(await after)], [{ whose: "before" }, { whose: "after" }]);
  },
  "an error beside statements that succeed": async (pool, n) => {
    const sent = [
      pool`select 'before' as whose`.execute(),
      pool`select 1 / (n - 3) from generate_series(1, 12) n`.execute(),
      pool`select n from things where n = ${n}`.execute(),
      pool`select 1 / (n - 5) from generate_series(1, 12) n`.execute(),
      pool`select 'after' as whose`.execute(),
    ];
    const ended = await Promise.allSettled(sent);
    assert.deepEqual(
      ended.map((one) => (one.status === "fulfilled" ? [...one.value] : one.reason.code)),
      [[{ whose: "before" }], "22012", [{ n }], "22012", [{ whose: "after" }]],
    );
  },
  "a session that ends while the function of a cursor is at work": async (pool, n, other) => {
    const next = Promise.withResolvers<unknown>();
    await failsWith(
      pool`select n, pg_backend_pid() as pid from generate_series(1, 12) n`.cursor(5, async ([row]) => {
        const { pid } = row as unknown as { pid: number };
        await other`select pg_terminate_backend(${pid}::int, 10000)`;
        // The pool has connected again, and is busy with something else.
        const query = pool`select n, pg_sleep(0.01) from generate_series(1, 3) n`.execute();
        const isOver = isSettled(query);
        while (!(query as any).active && !isOver()) await nextTurn();
        next.resolve(query);
        if (n % 2) throw new Error("thrown");
      }),
      CLOSED,
    );
    assert.equal(((await next.promise) as unknown[]).length, 3);
  },
  "a session that the server ends in a row": (pool, n) =>
    failsWith(
      pool`select n, case n when ${n}::int then pg_terminate_backend(pg_backend_pid()) end from generate_series(1, 12) n`,
      CLOSED,
    ),
  "a session that ends in a transaction": (pool, n) =>
    failsWith(
      pool.begin(async (tx) => {
        await tx`select n from generate_series(1, 12) n`;
        await tx`select n, case n when ${n}::int then pg_terminate_backend(pg_backend_pid()) end from generate_series(1, 12) n`;
      }),
      CLOSED,
    ),
  "a prepared statement whose columns have changed": async (pool, n) => {
    // Not in one of the shared tables: others read those at the same time.
    const table = pool(`changing_${process.hrtime.bigint()}`);
    await pool`create table ${table} (n int, is_true boolean, data jsonb)`;
    const read = () => pool`select * from ${table} where n = ${n} and is_true = ${true} and data = ${pool.json(["x"])}`;
    await pool`insert into ${table} values (${n}, true, ${pool.json(["x"])})`;
    assert.equal((await read()).length, 1);
    await pool`alter table ${table} add column more int`;
    const [again, neighbour] = await Promise.all([read(), pool`select 'neighbour' as whose`]);
    const later = await pool`select 'later' as whose`;
    assert.deepEqual([again, neighbour, later].map(seen), [
      { ...(seen(again) as object), length: 1 },
      seen(neighbour),
      seen(later),
    ]);
    assert.deepEqual({ ...again[0] }, { n, is_true: true, data: ["x"], more: null });
    assert.equal(neighbour[0]!.whose, "neighbour");
    assert.equal(later[0]!.whose, "later");
    await pool`drop table ${table}`;
  },
  "a prepared statement that the server has forgotten": async (pool) => {
    const text = `select n from things where n = $1 /* ${process.hrtime.bigint()} */`;
    const read = (n: number) => pool.unsafe<{ n: number }[]>(text, [n], { prepare: true }).execute();
    const forget = async ({ statement }: { statement: { name: string } }) => {
      const forgotten = pool.unsafe(`deallocate "${statement.name}"`);
      // A failure beside this one may have ended the session, which has forgotten it by then.
      await forgotten.catch((error) => assert.equal(error.code, "26000"));
    };
    await forget(await read(1));
    const reads = await Promise.all([1, 2, 3].map(read));
    assert.deepEqual(
      reads.map(([row]) => row!.n),
      [1, 2, 3],
    );
    const division = `select 1 / $1::int as n /* ${process.hrtime.bigint()} */`;
    const divide = (by: number) => pool.unsafe(division, [by], { prepare: true }).execute();
    await forget(await divide(1));
    await failsWith(divide(0), "22012");
  },
  "a COPY in of a row that is none": (pool, n) =>
    failsWith(
      pool.begin((tx) => copyIn(tx as Tx, `${n}\tx\nnone\tx\n`)),
      "22P02",
    ),
  "a COPY in that breaks a constraint": (pool, n) =>
    failsWith(
      pool.begin((tx) => copyIn(tx as Tx, `${n}\tx\n${n}\tx\n`)),
      "23505",
    ),
  "a COPY in of which the source fails": (pool) =>
    failsWith(
      pool.begin(async (tx) => {
        const target = await tx`copy copied (n, name) from stdin`.writable();
        const source = async function* () {
          yield "1\tx\n";
          throw new Error("the source failed");
        };
        await pipeline(Readable.from(source()), target);
      }),
      /the source failed|57014/,
    ),
  "a COPY in that fails within a savepoint": (pool, n) =>
    failsWith(
      pool.begin(async (tx) => {
        const told = await tx
          .savepoint((inner) => copyIn(inner as Tx, `${n}\tx\n${n}\tx\n`))
          .catch((error) => (error as { code: string }).code);
        assert.equal(told, "23505");
        assert.equal((await tx`select n from copied`).length, 0);
        throw new Undone("undone");
      }),
      "undone",
    ),
  "a COPY in that loses its session": (pool, _, other) =>
    failsWith(
      pool.begin(async (tx) => {
        const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
        const target = await tx`copy copied (n, name) from stdin`.writable();
        await other`select pg_terminate_backend(${row!.pid}::int, 10000)`;
        while (!target.destroyed) await nextTurn(); // The news of it is on the way.
        await pipeline(Readable.from(["1\tx\n"]), target);
      }),
      CLOSED,
    ),
  "a COPY out that fails in a row": (pool, n) =>
    failsWith(
      pool.begin(async (tx) =>
        textOf(await tx.unsafe(`copy (select 1 / (n - ${n}) from generate_series(1, 12) n) to stdout`).readable()),
      ),
      "22012",
    ),
  "a COPY out that nobody reads to its end": (pool) =>
    failsWith(
      pool.begin(async (tx) => {
        const source =
          await tx`copy (select n, repeat('x', 1000) from generate_series(1, 2000) n) to stdout`.readable();
        for await (const _ of source) throw new Error("the reader failed");
      }),
      "the reader failed",
    ),
  "a statement in a transaction": (pool, n) =>
    failsWith(
      pool.begin(async (tx) => {
        await tx`insert into copied values (${n}, 'x')`;
        await tx`select 1 / (n - ${n}::int) from generate_series(1, 12) n`;
      }),
      "22012",
    ),
  "statements sent together in a transaction": (pool, n) =>
    failsWith(
      pool.begin((tx) =>
        Promise.all([
          tx`insert into copied values (${n}, 'x')`,
          tx`select 1 / (n - ${n}::int) from generate_series(1, 12) n`,
          tx`select n from copied`,
        ]),
      ),
      "22012",
    ),
  "a transaction whose function throws": (pool) =>
    failsWith(
      pool.begin(async (tx) => {
        tx`select n from generate_series(1, 12) n`.execute();
        throw new Error("thrown");
      }),
      "thrown",
    ),
  "a COMMIT": (pool, n) =>
    failsWith(
      pool.begin((tx) => tx`insert into late values (${n}), (${n})`),
      "23505",
    ),
};

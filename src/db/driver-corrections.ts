/** A fault of the driver, and the passages of its source that are replaced to mend it. */
export type Correction = {
  /** What holds with the correction. `test/db/driver-corrections.test.ts` has a test of this name that fails without it. */
  name: string;
  file: "connection.js" | "index.js" | "result.js" | "types.js";
  /** Each `from` is in the file exactly once. */
  edits: readonly (readonly [from: string, to: string])[];
};

const IF_INITIAL = "    if (initial)\n      return reconnect()\n";

/**
 * The faults of postgres 3.4.9 that Laurel has met, five passages that make it faster, and one that bounds what a statement
 * reads. Unchanged, it gives rows of one statement to another after some failures, and ends the process or never answers
 * after others.
 */
export const CORRECTIONS: readonly Correction[] = [
  {
    // The rows of the next statement would begin behind those of the failed one: holes in front, and its first rows not
    // where they are looked for. (porsager/postgres#1119, #1181)
    name: "the rows of a statement are counted from zero after one that failed",
    file: "connection.js",
    edits: [["query = results = errorResponse = null\n", "query = results = errorResponse = null\n    rows = 0\n"]],
  },
  {
    // The parser's state is shared by all connections. A text that it was reading when it threw would become the
    // beginning of the next array, whoever reads that one.
    name: "an array is read from its beginning after one that could not be read",
    file: "types.js",
    edits: [
      [
        "arrayParserState.i = arrayParserState.last = 0\n",
        "arrayParserState.i = arrayParserState.last = 0\n  arrayParserState.str = ''\n  arrayParserState.quoted = false\n",
      ],
    ],
  },
  {
    // The driver would have queued the statement, sent nothing for it, and told its error to the one that is running:
    // from then on each statement would be given the answer of the one before it.
    name: "a statement that cannot be written fails alone, and sends nothing",
    file: "connection.js",
    edits: [
      [
        "sent.length === 0 && write(Sync)\n      errored(error)\n",
        "q === query ? write(Sync) : sent.remove(q)\n      queryError(q, error)\n",
      ],
    ],
  },
  {
    // A statement whose plan is no longer valid is sent again. Its parameters were text already, and would be written a
    // second time: true became false, and JSON became text in JSON.
    name: "a statement that is sent again has its own parameters",
    file: "connection.js",
    edits: [["    q.retried = error\n", "    q.retried = error\n    q.parameters = null\n"]],
  },
  {
    // Sent again, it is described first, and nothing may be sent until it is bound: the pool must know. Otherwise the
    // answers change places, or never come. Another connection may be chosen, on which the plan is just as old. When it
    // fails for another reason then, that is its error, and not that it had to be sent again.
    name: "a statement that is sent again changes places with no other",
    file: "connection.js",
    edits: [
      [
        "    execute(q)\n  }\n\n  function NotificationResponse",
        "    q.handler(q)\n  }\n\n  function NotificationResponse",
      ],
      [
        `        query.retried
          ? errored(query.retried)
          : query.prepared && retryRoutines.has(errorResponse.routine)
            ? retry(query, errorResponse)
            : errored(errorResponse)
`,
        `        query.prepared && retryRoutines.has(errorResponse.routine)
          ? retry(query, errorResponse)
          : errored(errorResponse)
`,
      ],
    ],
  },
  {
    // The driver would forget the cancelled statement and give its answer to the next one.
    name: "a cancel of a statement that was sent already leaves the next one its own answer",
    file: "connection.js",
    edits: [
      [
        "while (sent.length && (query = sent.shift()) && (query.active = true, query.cancelled))\n",
        "if (sent.length && (query = sent.shift()) && (query.active = true, query.cancelled))\n",
      ],
    ],
  },
  {
    name: "a cancel of a statement that was not sent yet does not stop its transaction",
    file: "connection.js",
    edits: [
      [
        "if (q.cancelled)\n      return\n",
        "if (q.cancelled)\n      return query || !connection.reserved || connection.reserved()\n",
      ],
    ],
  },
  {
    // Each Sync is answered: one too many would be the answer of the next statement. And the function of a cursor may
    // still be at work when its connection is gone.
    name: "a cursor that failed is ended once and asks for no more rows",
    file: "connection.js",
    edits: [
      [
        "query && (query.cursorFn || query.describeFirst) && write(Sync)\n        errored(e)",
        "query && query.active && (query.cursorFn || query.describeFirst) && write(Sync)\n        errored(e)",
      ],
      [
        "(query.cursorFn || query.describeFirst) && write(Sync)\n      errorResponse",
        "query.active && (query.cursorFn || query.describeFirst) && write(Sync)\n      errorResponse",
      ],
      ["if (query.cursorFn) {\n", "if (query.cursorFn && query.active) {\n"],
      ["async function PortalSuspended() {\n", "async function PortalSuspended() {\n    const own = query\n"],
      ["const x = await ", "if (!own.active)\n        return\n      const x = await "],
      [
        "Promise.resolve(query.cursorFn(result))\n",
        "Promise.resolve(query.cursorFn(result))\n      if (query !== own)\n        return\n",
      ],
      [
        "    } catch (err) {\n      write(Sync)\n",
        "    } catch (err) {\n      if (query !== own)\n        return\n      write(Sync)\n",
      ],
    ],
  },
  {
    name: "bytes that a lost connection did not send are not sent on the next one",
    file: "connection.js",
    edits: [[IF_INITIAL, `    chunk = nextWriteTimer = null\n${IF_INITIAL}`]],
  },
  {
    name: "an error that ended a session is not told to the next one",
    file: "connection.js",
    edits: [[IF_INITIAL, `    errorResponse = null\n${IF_INITIAL}`]],
  },
  {
    // Also what was sent between the error of the socket and its end.
    name: "whatever waits for a lost connection is told",
    file: "connection.js",
    edits: [
      [
        "!hadError && (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))",
        ";(query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))\n    query = null",
      ],
    ],
  },
  {
    // As libpq does. Otherwise each COPY waits 40 ms for an acknowledgement.
    name: "small pieces are sent at once",
    file: "connection.js",
    edits: [
      [
        "keep_alive && socket.setKeepAlive &&",
        "socket.setNoDelay && socket.setNoDelay(true)\n      keep_alive && socket.setKeepAlive &&",
      ],
    ],
  },
  {
    // A live server answers within the limit of a statement. TCP alone would wait for a quarter of an hour.
    name: "a server that is silent for twice the limit of a statement is given up",
    file: "connection.js",
    edits: [
      [
        "keep_alive && socket.setKeepAlive &&",
        `const limit = 2 * options.connection.statement_timeout
      limit > 0 && socket.setTimeout(limit).on('timeout', () => (query || sent.length) && socket.destroy(
        Object.assign(new Error('the database fell silent'), { code: 'ETIMEDOUT' })))
      keep_alive && socket.setKeepAlive &&`,
      ],
    ],
  },
  {
    // Every piece that is sent wakes the server.
    name: "statements that are asked for together are sent in one piece",
    file: "connection.js",
    edits: [["if (fn || chunk.length >= 1024)", "if (fn || chunk.length >= 131072)"]],
  },
  {
    name: "a COPY that fails after its last byte fails, instead of never ending",
    file: "connection.js",
    edits: [["function errored(err) {\n", "function errored(err) {\n    final && (final(err), final = null)\n"]],
  },
  {
    // Whether it was read to its end or not. An ended stream asks for nothing: if its last bytes filled the buffer, the
    // socket would stay paused. When the reader stopped early, the rest is thrown away; otherwise the ROLLBACK behind it
    // would be refused, and its transaction stay open.
    name: "a COPY that nobody reads any more lets the next statement through",
    file: "connection.js",
    edits: [
      [
        "stream = new Stream.Readable({\n      read() { socket.resume() }\n    })\n",
        `const own = stream = new Stream.Readable({
      read() { socket.resume() },
      destroy(error, callback) {
        stream === own && (stream = null)
        socket && socket.resume()
        callback(error)
      }
    })
`,
      ],
    ],
  },
  {
    // It may fail before anybody could listen: then its error would end the process. Whoever reads it later is told.
    name: "a COPY that fails at once ends no process",
    file: "connection.js",
    edits: [
      [
        "query.resolve(stream)\n  }\n\n  function CopyOutResponse",
        "query.resolve(stream.on('error', noop))\n  }\n\n  function CopyOutResponse",
      ],
      [
        "query.resolve(stream)\n  }\n\n  /* c8 ignore next 3 */\n  function CopyBothResponse",
        "query.resolve(stream.on('error', noop))\n  }\n\n  function CopyBothResponse",
      ],
    ],
  },
  {
    // The driver asks for types by itself, so nobody catches its failure: it would end the process.
    name: "a server that goes while the driver asks for types ends no process",
    file: "connection.js",
    edits: [["return fetchArrayTypes()", "return fetchArrayTypes().catch(() => {})"]],
  },
  {
    // Filled name by name, an object of more than some twenty names becomes a dictionary: copying it takes 9 us instead
    // of 0.06, writing it as JSON 2.6 instead of 0.7.
    name: "a row is made from a literal with its columns",
    file: "connection.js",
    edits: [
      [
        "const row = query.isRaw ? new Array(query.statement.columns.length) : {}",
        "let row = new Array(query.statement.columns.length)",
      ],
      [": (row[column.name] = transform.value.from", ": (row[i] = transform.value.from"],
      [
        "    query.forEachFn\n",
        `    if (!query.isRaw) {
      const columns = query.statement.columns
      columns.toRow ||= globalThis[Symbol.for('laurel.rows')](columns)
      row = columns.toRow(row)
    }
    query.forEachFn\n`,
      ],
    ],
  },
  {
    // To define five properties takes 2 us, ten times as long as all else of a result. A lone redemption has 24 of them.
    name: "a result has what is told of it from its class",
    file: "result.js",
    edits: [
      [
        `    super()
    Object.defineProperties(this, {
      count: { value: null, writable: true },
      state: { value: null, writable: true },
      command: { value: null, writable: true },
      columns: { value: null, writable: true },
      statement: { value: null, writable: true }
    })
  }
`,
        `    super()
  }
  ${["count", "state", "command", "columns", "statement"]
    .map((name) => `#${name} = null; get ${name}() { return this.#${name} } set ${name}(x) { this.#${name} = x }`)
    .join("\n  ")}
`,
      ],
    ],
  },
  {
    // A row is looked at before it is parsed (`bounded.ts`). A page of a list would otherwise be in memory as a whole,
    // however large, before anybody could refuse it.
    name: "a statement with a bound keeps no row beyond it, and leaves the next one its own rows",
    file: "connection.js",
    edits: [
      [
        "function DataRow(x) {\n",
        "function DataRow(x) {\n    if (query.bound && !query.bound.takes(query, x.length, rows))\n      return\n",
      ],
    ],
  },
  {
    // Also at the end of a full pipeline.
    name: "BEGIN always keeps its connection",
    file: "connection.js",
    edits: [
      [
        "        && (!q.options.onexecute || q.options.onexecute(connection))",
        "\n      return q.options.onexecute ? q.options.onexecute(connection) : roomy",
      ],
      ["return write(toBuffer(q))\n", "const roomy = write(toBuffer(q))\n"],
    ],
  },
  {
    name: "a transaction that lost its connection runs nothing any more",
    file: "index.js",
    edits: [
      ["let savepoints = 0\n      , connection", "let savepoints = 0\n      , lost = null\n      , connection"],
      [
        "connection.onclose = reject)",
        "connection.onclose = e => {\n          lost = e\n          reject(e)\n          while (queries.length)\n            queries.shift().reject(e)\n        })",
      ],
      [
        "q.catch(e => uncaughtError || (uncaughtError = e))\n",
        "q.catch(e => uncaughtError || (uncaughtError = e))\n        if (lost)\n          return q.reject(lost)\n",
      ],
    ],
  },
  {
    // The driver waits for the answer to BEGIN. Without that, what follows goes out in the same piece. While the pool takes
    // the connection for full, statements would wait for that answer, too. When BEGIN fails, nothing more is run.
    name: "a transaction that is begun at once sends BEGIN with its first statements",
    file: "index.js",
    edits: [
      [
        "await sql.unsafe('begin ' + options.replace(/[^a-z ]/ig, ''), [], { onexecute }).execute()\n",
        `const isAtOnce = options === 'at once'
      const begun = sql.unsafe('begin ' + (isAtOnce ? '' : options.replace(/[^a-z ]/ig, '')), [], { onexecute }).execute()
      const failed = begun.then(() => new Promise(() => {}), e => {
        started.failed = e
        throw e
      })
      failed.catch(() => {})
      await Promise.race(isAtOnce ? [started.promise, failed] : [begun])
      isAtOnce && move(connection, reserved)
`,
      ],
      [
        "function onexecute(c) {\n      connection = c\n",
        "function onexecute(c) {\n      connection = c\n      started.resolve()\n",
      ],
      [
        "c.queue === full\n          ? queries.push(q)\n",
        "if (started.failed)\n          return q.reject(started.failed)\n        c.queue === full\n          ? queries.push(q)\n",
      ],
      [
        "const queries = Queue()\n    let savepoints",
        "const queries = Queue()\n    const started = Promise.withResolvers()\n    let savepoints",
      ],
    ],
  },
  {
    // `commitBehind` sends COMMIT without waiting for the statements before it: when one of them fails, the server undoes
    // all of them and says ROLLBACK. What was not sent, or waits to be described, could fail here without the server
    // knowing; then it sends nothing and gives null, and COMMIT comes at the end as always. No statement may come later.
    name: "COMMIT is sent behind the last statements, and nothing behind it",
    file: "index.js",
    edits: [
      [
        "let uncaughtError\n        , result\n",
        `let uncaughtError
        , committed = null
        , result
      sql.commitBehind = () => name || uncaughtError || c.queue === full || queries.length
        ? null
        : (committed = sql\`commit\`.execute())
`,
      ],
      [
        "      } catch (e) {\n        await (name\n",
        `      } catch (e) {
        if (committed) {
          await committed.catch(() => {})
          throw e instanceof PostgresError && e.code === '25P02' && uncaughtError || e
        }
        await (name
`,
      ],
      [": await sql`commit`\n", ": await (committed || sql`commit`)\n"],
      [
        "q.catch(e => uncaughtError || (uncaughtError = e))\n",
        `q.catch(e => uncaughtError || (uncaughtError = e))
        if (committed && q !== committed)
          return q.reject(q.retried || Errors.generic('LATE_STATEMENT', 'a statement behind COMMIT'))
`,
      ],
    ],
  },
];

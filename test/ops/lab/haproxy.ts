import { join } from "node:path";
import { type Lab, ROOT, until } from "./lab.ts";
import { statusOf } from "./laurel.ts";
import { logOf, type Started, start } from "./processes.ts";

/** HAProxy before Laurel, with the configuration that operators are given. */
export async function startHaproxy(lab: Lab, listen: string, servers: readonly string[]): Promise<Started> {
  const env = {
    LAUREL_LISTEN: listen,
    ...Object.fromEntries(servers.map((server, at) => [`LAUREL_${at + 1}`, new URL(server).host])),
  };
  const proxy = startConfigured(lab, "haproxy", "ops/haproxy/haproxy.cfg", env);
  await until("HAProxy passes requests on", async () => {
    if (proxy.isGone()) throw new Error(`HAProxy ended:\n${logOf(lab, "haproxy")}`);
    return (await statusOf(`http://${listen}/health/ready`)) === 200;
  });
  return proxy;
}

/** HAProxy before the machines of a PostgreSQL cluster: connections go to its primary. */
export const startPostgresProxy = (lab: Lab, listen: string, addresses: readonly string[]): Started =>
  startConfigured(lab, "haproxy-postgres", "ops/haproxy/postgres.cfg", {
    POSTGRES_LISTEN: listen,
    ...Object.fromEntries(addresses.map((address, at) => [`POSTGRES_${at + 1}`, address])),
  });

const startConfigured = (lab: Lab, name: string, file: string, env: Record<string, string>): Started =>
  start(lab, { name, command: ["/usr/sbin/haproxy", "-db", "-f", join(ROOT, file)], env });

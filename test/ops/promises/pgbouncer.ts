import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Lab, ROOT, until } from "../lab/lab.ts";
import { headersOf, laurelMachine, openAdmin, startDatabase, tellDoctor } from "../lab/laurel.ts";
import { createClient, ok, type Reply, startLoad } from "../lab/load.ts";
import { freePorts, logOf, run as runCommand, type Started, start } from "../lab/processes.ts";
import { audit, createLedger, openShop, redeeming, settle, validating } from "../lab/shop.ts";

const CLIENTS = 12;
const PAUSE_MS = 10;
const CODES = 20_000;
const POOL_SIZE = 30;
const ROLE = "pooled";

/** What the guide tells operators to do, once in the database. */
const SETTINGS = [
  "search_path = laurel",
  "statement_timeout = '5s'",
  "idle_in_transaction_session_timeout = '30s'",
  "jit = off",
];

function startPooler(lab: Lab, target: URL, port: number, password: string): () => Started {
  const dir = join(lab.dir, "pgbouncer");
  fs.mkdirSync(dir);
  fs.writeFileSync(join(dir, "userlist.txt"), `"${ROLE}" "${password}"\n`);
  // What is of this run in place of what operators fill in; all else as it is shipped.
  const own: Record<string, string> = {
    laurel: `host=${target.hostname} port=${target.port} dbname=laurel`,
    listen_addr: "127.0.0.1",
    listen_port: `${port}`,
    auth_file: join(dir, "userlist.txt"),
  };
  const shipped = fs.readFileSync(join(ROOT, "ops/pgbouncer/pgbouncer.ini"), "utf8");
  const filled = shipped.replace(/^(\w+) = .*$/gm, (line, name: string) =>
    own[name] ? `${name} = ${own[name]}` : line,
  );
  fs.writeFileSync(join(dir, "pgbouncer.ini"), `${filled}unix_socket_dir =\n`);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) runCommand(["chown", "-R", "postgres:postgres", dir]);
  const asUser = isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] : [];
  return () =>
    start(lab, { name: "pgbouncer", command: [...asUser, "/usr/sbin/pgbouncer", join(dir, "pgbouncer.ini")] });
}

/** Everything through a pooler in transaction mode, which is restarted once under load. */
export async function run(lab: Lab): Promise<void> {
  const database = await startDatabase(lab);
  const admin = openAdmin(lab, database.url);
  const password = randomBytes(12).toString("hex");
  await admin.unsafe(`create role ${ROLE} login password '${password}'`);
  await admin.unsafe(`create database laurel owner ${ROLE}`);
  for (const setting of SETTINGS) await admin.unsafe(`alter role ${ROLE} set ${setting}`);
  const [port, own] = await freePorts(2);
  const startIt = startPooler(lab, new URL(database.url), port!, password);
  let pooler = startIt();
  const url = `postgres://${ROLE}:${password}@127.0.0.1:${port}/laurel`;
  const machine = laurelMachine(lab, {
    name: "laurel-1",
    port: own!,
    databaseUrl: url,
    env: { LAUREL_PREPARE: "off" },
  });
  await until("the pooler listens", () => /process up/i.test(logOf(lab, "pgbouncer")));
  await machine.up();
  lab.say("Laurel runs behind PgBouncer");
  const clients = Array.from({ length: CLIENTS }, () => createClient(machine.url, headersOf(lab, machine)));
  await openShop(clients[0]!);
  const ledger = createLedger();
  const refused: string[] = [];
  let [requests, isDown, connections] = [0, false, 0];
  const note = ({ status, text }: Reply) => {
    requests += 1;
    if (status !== 200 && !isDown) refused.push(`${status} ${text.slice(0, 200)}`);
  };
  const load = startLoad(clients, {
    pauseMs: PAUSE_MS,
    one: async (client, at) => {
      const n = ledger.next();
      const reply = await client.send(at % 3 === 2 ? validating(n) : redeeming(n));
      if (at % 3 !== 2) ledger.note(n, reply);
      note(reply);
    },
  });
  const campaign = await ok(clients[0]!, "POST /v1/campaigns", {
    ...{ name: "codes", vouchers_count: CODES },
    voucher: { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } },
  });
  const exported = await ok(clients[0]!, "POST /v1/exports", { exported_object: "redemption" });
  const seen = async (path: string) => ok<{ total?: number; status?: string }>(clients[0]!, `GET ${path}`);
  await until(
    "codes are made and an export is done",
    async () => {
      const [row] = await admin<{ count: number }[]>`select count(*) from pg_stat_activity where usename = ${ROLE}`;
      connections = Math.max(connections, row!.count);
      const { total } = await seen(`/v1/vouchers?campaign_id=${campaign.id}&limit=1`);
      return total === CODES && (await seen(`/v1/exports/${exported.id}`)).status === "DONE";
    },
    300_000,
  );
  lab.say("jobs have made codes and an export");
  isDown = true;
  await pooler.stop("SIGTERM");
  pooler = startIt();
  await until("requests are answered again", async () => (await clients[0]!.send(validating(0))).status === 200);
  await wait(2_000);
  isDown = false;
  await wait(5_000);
  await load.stop();
  const refusals = await settle(clients[0]!, ledger);
  for (const line of [...refused, ...refusals].slice(0, 10)) lab.say(line);
  const log = logOf(lab, "laurel-1", 10_000_000);
  lab.figure("requests", requests, { atLeast: 500 });
  lab.figure("requests refused, but while the pooler was down", refused.length, { is: 0 });
  lab.figure("repeated writes that were refused", refusals.length, { is: 0 });
  lab.figure("codes made by jobs", CODES);
  lab.figure("connections of PostgreSQL, most", connections, { atMost: POOL_SIZE });
  lab.figure("lines of the log about prepared statements", log.match(/prepared statement/g)?.length ?? 0, { is: 0 });
  await audit(lab, clients[0]!, ledger, openAdmin(lab, database.url.replace(/\/\w+$/, "/laurel")));
  tellDoctor(lab, url);
  for (const client of clients) client.close();
}

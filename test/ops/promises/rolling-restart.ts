import { setTimeout as wait } from "node:timers/promises";
import { startHaproxy } from "../lab/haproxy.ts";
import { inSeconds, type Lab, percentile } from "../lab/lab.ts";
import { headersOf, laurelMachine, openAdmin, startDatabase, tellDoctor } from "../lab/laurel.ts";
import { createClient, type Reply, startLoad } from "../lab/load.ts";
import { freePorts } from "../lab/processes.ts";
import { audit, createLedger, openShop, redeeming, validating } from "../lab/shop.ts";

const CLIENTS = 8;
const PAUSE_MS = 10;

/** Restarts two servers in turn behind HAProxy, while clients redeem and validate over connections that they keep. */
export async function run(lab: Lab, { restarts = 20 }: { restarts?: number }): Promise<void> {
  const database = await startDatabase(lab);
  const [first, second, port] = await freePorts(3);
  const machines = [first!, second!].map((own, at) =>
    laurelMachine(lab, { name: `laurel-${at + 1}`, port: own, databaseUrl: database.url }),
  );
  for (const machine of machines) await machine.up();
  const listen = `127.0.0.1:${port}`;
  await startHaproxy(
    lab,
    listen,
    machines.map(({ url }) => url),
  );
  const clients = Array.from({ length: CLIENTS }, () => createClient(`http://${listen}`, headersOf(lab, machines[0]!)));
  await openShop(clients[0]!);
  lab.say(`two servers behind HAProxy, ${CLIENTS} clients`);

  const ledger = createLedger();
  const failed: string[] = [];
  const times: number[] = [];
  let [resets, validations] = [0, 0];
  const note = (what: string, { status, text, sentAt, doneAt }: Reply) => {
    times.push(doneAt - sentAt);
    if (status === 0) resets += 1;
    if (status !== 200) failed.push(`${what}: ${status} ${text.slice(0, 200)}`);
  };
  const load = startLoad(clients, {
    pauseMs: PAUSE_MS,
    one: async (client, at) => {
      const n = ledger.next();
      if (at % 2 === 1) {
        validations += 1;
        return note(`validation ${n}`, await client.send(validating(n)));
      }
      const reply = await client.send(redeeming(n));
      ledger.note(n, reply);
      note(`redemption ${n}`, reply);
    },
  });
  let uncleanExits = 0;
  const took: number[] = [];
  for (let n = 1; n <= restarts; n += 1) {
    const machine = machines[n % 2]!;
    const began = performance.now();
    if ((await machine.down()) !== 0) uncleanExits += 1;
    await machine.up();
    took.push(performance.now() - began);
    // HAProxy has seen that it is back.
    await wait(2_500);
    lab.say(`restart ${n} of ${restarts}: ${machine.name} in ${inSeconds(took.at(-1)!)} s, ${failed.length} failed`);
  }
  await load.stop();
  for (const line of failed.slice(0, 10)) lab.say(line);
  lab.figure("restarts", restarts);
  lab.figure("requests", times.length, { atLeast: restarts * 50 });
  lab.figure("validations among them", validations);
  lab.figure("requests that failed", failed.length, { is: 0 });
  lab.figure("connections that were reset", resets, { is: 0 });
  lab.figure("servers that did not end with 0", uncleanExits, { is: 0 });
  lab.figure("restart, p50, s", inSeconds(percentile(took, 0.5)));
  lab.figure("request, p99, ms", Math.round(percentile(times, 0.99)));
  await audit(lab, clients[0]!, ledger, openAdmin(lab, database.url));
  tellDoctor(lab, database.url);
  for (const client of clients) client.close();
}

import { setTimeout as wait } from "node:timers/promises";
import { placeOf, startCitus } from "../lab/citus.ts";
import { inSeconds, type Lab, percentile } from "../lab/lab.ts";
import { headersOf, laurel, laurelMachine, tellDoctor } from "../lab/laurel.ts";
import { createClient, type Reply, startLoad } from "../lab/load.ts";
import { freePorts } from "../lab/processes.ts";
import { audit, createLedger, openShop, redeeming, settle } from "../lab/shop.ts";

const CLIENTS = 6;
const PAUSE_MS = 10;
const MOVES = 4;
const BETWEEN_MS = 3_000;

/** A project moves to another machine and back again while its codes are redeemed. */
export async function run(lab: Lab, { rounds = MOVES }: { rounds?: number } = {}): Promise<void> {
  const { url, admin, workers } = await startCitus(lab);
  lab.say(laurel(["migrate", "--distribute"], url).trim().split("\n").at(-1)!);
  const [port] = await freePorts(1);
  const machine = laurelMachine(lab, { name: "laurel-1", port: port!, databaseUrl: url });
  await machine.up();
  const clients = Array.from({ length: CLIENTS }, () => createClient(machine.url, headersOf(lab, machine)));
  await openShop(clients[0]!);
  const [project] = await admin<{ id: string }[]>`select project_id as id from laurel.vouchers where code = 'CODE'`;

  const ledger = createLedger();
  const [took, others]: [number[], string[]] = [[], []];
  let unavailable = 0;
  const note = ({ status, text, headers, sentAt, doneAt }: Reply) => {
    if (status === 200) return void took.push(doneAt - sentAt);
    if (status === 503 && headers["retry-after"] !== undefined) unavailable += 1;
    else others.push(`${status} ${text.slice(0, 200)}`);
  };
  const load = startLoad(clients, {
    pauseMs: PAUSE_MS,
    one: async (client) => {
      const n = ledger.next();
      const reply = await client.send(redeeming(n));
      ledger.note(n, reply);
      note(reply);
    },
  });
  const moves: number[] = [];
  for (let n = 0; n < rounds; n += 1) {
    await wait(BETWEEN_MS);
    const from = await placeOf(admin, project!.id);
    const to = workers.find((one) => one !== from.port)!;
    const began = performance.now();
    await admin`
      select citus_move_shard_placement(${from.shard}::bigint, '127.0.0.1', ${from.port}::int, '127.0.0.1', ${to}::int,
        shard_transfer_mode => 'force_logical')`;
    moves.push(performance.now() - began);
    if ((await placeOf(admin, project!.id)).port !== to) throw new Error("the project did not move");
    lab.say(`the project moved from ${from.port} to ${to}`);
  }
  await wait(BETWEEN_MS);
  await load.stop();
  const refusals = await settle(clients[0]!, ledger);
  for (const line of [...others, ...refusals].slice(0, 10)) lab.say(line);
  lab.figure("moves to another machine", moves.length, { is: rounds });
  lab.figure("seconds of a move (p50)", inSeconds(percentile(moves, 0.5)));
  lab.figure("redemptions", took.length, { atLeast: 100 });
  lab.figure("slowest redemption, in seconds", inSeconds(Math.max(...took)));
  lab.figure("answers 503 with Retry-After", unavailable);
  lab.figure("other refusals", others.length, { is: 0 });
  lab.figure("repeated writes that were refused", refusals.length, { is: 0 });
  await audit(lab, clients[0]!, ledger, admin);
  tellDoctor(lab, url);
  for (const client of clients) client.close();
}

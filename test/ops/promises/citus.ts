import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { placeOf, startCitus } from "../lab/citus.ts";
import { inSeconds, type Lab, percentile } from "../lab/lab.ts";
import { headersOf, laurel, laurelMachine, type Machine, tellDoctor } from "../lab/laurel.ts";
import { type Client, createClient, ok, type Reply, startLoad } from "../lab/load.ts";
import { createPostgres } from "../lab/postgres.ts";
import { freePorts } from "../lab/processes.ts";
import { audit, createLedger, openShop, redeeming, settle } from "../lab/shop.ts";

const CLIENTS = 6;
const PAUSE_MS = 10;
const MOVES = 4;
const BETWEEN_MS = 3_000;

const CODES = 100;
const MEASURED_CLIENTS = 32;
const MEASURED_MS = 8_000;
const LONE = 60;
const TURNS = 3;

const redeemingOne = (n: number) => ({
  line: "POST /v1/redemptions",
  key: `measured ${n}`,
  body: { redeemables: [{ object: "voucher", id: `CODE-${n % CODES}` }], order: { amount: 5000 } },
});

/** What one project can do at most, and what a lone request takes. */
async function measure(clients: readonly Client[], next: () => number) {
  let done = 0;
  const began = performance.now();
  const one = async (client: Client) => {
    const { status, text } = await client.send(redeemingOne(next()));
    if (status !== 200) throw new Error(`a redemption answered ${status}: ${text}`);
    done += 1;
  };
  const load = startLoad(clients, { pauseMs: 0, one });
  await wait(MEASURED_MS);
  await load.stop();
  const perSecond = (done * 1000) / (performance.now() - began);
  const lone: number[] = [];
  for (let n = 0; n < LONE; n += 1) {
    const at = performance.now();
    await one(clients[0]!);
    lone.push(performance.now() - at);
  }
  return { perSecond, loneMs: percentile(lone, 0.5) };
}

/** The same redemptions on one PostgreSQL and on the cluster, in turns: all of it shares the cores of this machine. */
async function compare(lab: Lab, spread: Machine): Promise<void> {
  const folder = join(lab.dir, "plain");
  fs.mkdirSync(folder);
  const settings = { max_connections: "200", shared_buffers: "256MB", fsync: "off", full_page_writes: "off" };
  const plain = await createPostgres(lab, folder, settings);
  plain.start();
  const [port] = await freePorts(1);
  const alone = laurelMachine(lab, { name: "laurel-plain", port: port!, databaseUrl: plain.url });
  await alone.up();
  const sides = [alone, spread].map((machine) => ({
    clients: Array.from({ length: MEASURED_CLIENTS }, () => createClient(machine.url, headersOf(lab, machine))),
    rates: [] as number[],
    lone: [] as number[],
  }));
  let count = 0;
  for (const { clients } of sides)
    for (let n = 0; n < CODES; n += 1)
      await ok(clients[0]!, `POST /v1/vouchers/CODE-${n}`, {
        type: "DISCOUNT_VOUCHER",
        discount: { type: "AMOUNT", amount_off: 100 },
        redemption: { quantity: null },
      });
  for (let turn = 0; turn <= TURNS; turn += 1)
    for (const { clients, rates, lone } of sides) {
      const { perSecond, loneMs } = await measure(clients, () => ++count);
      // The first turn is for compilers and plans.
      if (turn > 0) rates.push(perSecond);
      if (turn > 0) lone.push(loneMs);
    }
  for (const [n, name] of ["one PostgreSQL", "the cluster"].entries()) {
    const { rates, lone, clients } = sides[n]!;
    lab.figure(`redemptions per second of one project on ${name}`, Math.round(percentile(rates, 0.5)));
    lab.figure(`a lone redemption on ${name}, in milliseconds`, Math.round(percentile(lone, 0.5)));
    for (const client of clients) client.close();
  }
  await alone.down();
}

/** A project moves to another machine and back again while its codes are redeemed. */
export async function run(lab: Lab, { rounds = MOVES }: { rounds?: number } = {}): Promise<void> {
  const { url, admin, workers } = await startCitus(lab);
  lab.say(laurel(["migrate", "--distribute"], url).trim().split("\n").at(-1)!);
  const [port] = await freePorts(1);
  const machine = laurelMachine(lab, { name: "laurel-1", port: port!, databaseUrl: url });
  await machine.up();
  await compare(lab, machine);
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

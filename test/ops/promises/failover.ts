import { setTimeout as wait } from "node:timers/promises";
import { seeded } from "../../../src/demo/requests.ts";
import { startHaproxy, startPostgresProxy } from "../lab/haproxy.ts";
import { inSeconds, type Lab, percentile, until } from "../lab/lab.ts";
import { headersOf, laurelMachine, type Machine, openAdmin, statusOf, tellDoctor } from "../lab/laurel.ts";
import { createClient, type Reply, startLoad } from "../lab/load.ts";
import { HUB } from "../lab/network.ts";
import { type Cluster, type Node, startCluster } from "../lab/patroni.ts";
import { audit, createLedger, openShop, redeeming, settle } from "../lab/shop.ts";

const POSTGRES_PORT = 5432;
const LISTEN = `${HUB}:8080`;
const CLIENTS = 8;
const PAUSE_MS = 25;
/** LAUREL_REQUEST_TIMEOUT_MS, and what a busy machine takes to send an answer. */
const IN_TIME_MS = 15_000 + 2_000;
const QUIET_MS = 3_000;
const AGAIN_MS = 250;
/** How long after a round a server may take until it is ready, and until a client that asks it directly has written. */
const READY_MS = 10_000;
const OWN_WRITE_MS = IN_TIME_MS + 3_000;

type Fault = {
  /** What is done to the primary. */
  begin(cluster: Cluster, node: Node): Promise<void> | void;
  /** How it is undone, once another machine is the primary. */
  end(cluster: Cluster, node: Node): void;
  /** Whether the old primary is there to be asked for a write. */
  isAlive?: true;
  isPlanned?: true;
};
const FAULTS: Record<string, Fault> = {
  "kill -9 the machine": { begin: (_, node) => node.signal("SIGKILL"), end: (_, node) => node.revive() },
  "kill -9 PostgreSQL": { begin: (_, node) => node.signal("SIGKILL", "postgres"), end: () => {} },
  freeze: { begin: (_, node) => node.signal("SIGSTOP"), end: (_, node) => node.signal("SIGCONT"), isAlive: true },
  "cut the network": { begin: (_, node) => node.cut(), end: (_, node) => node.mend(), isAlive: true },
  switchover: { begin: (cluster, node) => cluster.switchOver(node), end: () => {}, isPlanned: true },
};

type Options = { rounds?: number; seed?: number; only?: string };

/** When writes were acknowledged, and what else was answered. */
function createWatch() {
  const acknowledgedAt: number[] = [];
  const late: string[] = [];
  const bare: string[] = [];
  const odd: string[] = [];
  const wroteAt = new Map<Machine, number>();
  let [refused, held] = [0, 0];
  const watch = {
    /** The server that was killed: until the database notices, its sessions hold the keys of its requests. */
    victim: null as Machine | null,
    acknowledgedAt,
    /** When each server last acknowledged a write to a client that asked it directly. */
    wroteAt,
    late,
    bare,
    odd,
    refused: () => refused,
    held: () => held,
    /** `asked` is the server that was asked directly, null where HAProxy was. */
    note: ({ status, text, headers, sentAt, doneAt }: Reply, asked: Machine | null) => {
      if (status === 200) {
        if (asked) wroteAt.set(asked, doneAt);
        return void acknowledgedAt.push(doneAt);
      }
      if (doneAt - sentAt > IN_TIME_MS)
        late.push(`${status} after ${inSeconds(doneAt - sentAt)} s: ${text.slice(0, 200)}`);
      if (status === 503) {
        refused += 1;
        // `outcome_unknown` is repeated with its key, at once.
        if (headers["retry-after"] === undefined) bare.push(text.slice(0, 200));
      } else if (watch.victim && text.includes('"idempotency_in_progress"')) held += 1;
      // Nobody is there for a while after a kill, and only then.
      else if (asked && (status !== 0 || asked !== watch.victim))
        odd.push(`${asked.name}: ${status} ${text.slice(0, 200)}`);
    },
    /** The longest time without an acknowledged write since a moment, in milliseconds. */
    gapSince: (from: number): number => {
      const at = acknowledgedAt.findLastIndex((one) => one <= from);
      const times = acknowledgedAt.slice(Math.max(0, at));
      return Math.max(0, ...times.slice(1).map((one, n) => one - times[n]!));
    },
  };
  return watch;
}

async function startLaurel(lab: Lab, cluster: Cluster): Promise<Machine[]> {
  startPostgresProxy(
    lab,
    `${HUB}:${POSTGRES_PORT}`,
    cluster.nodes.map(({ address }) => address),
  );
  const admin = openAdmin(lab, cluster.urlThrough(POSTGRES_PORT));
  // Until its first checks HAProxy takes all of them for the primary.
  await until("the proxy has found the primary", () =>
    admin<{ is: boolean }[]>`select not pg_is_in_recovery() as is`.then(
      ([row]) => row!.is,
      () => false,
    ),
  );
  await admin`create database laurel`;
  await admin`create table public.probes (marker text primary key)`;
  const machines = [3001, 3002].map((port, at) =>
    laurelMachine(lab, {
      name: `laurel-${at + 1}`,
      ...{ host: HUB, port, databaseUrl: cluster.urlThrough(POSTGRES_PORT, "laurel") },
    }),
  );
  for (const machine of machines) await machine.up();
  await startHaproxy(
    lab,
    LISTEN,
    machines.map(({ url }) => url),
  );
  return machines;
}

/** As a supervisor does: while there is no database, a start ends at once. */
async function upAgain(machine: Machine): Promise<void> {
  for (;;) {
    try {
      return await machine.up();
    } catch {
      await wait(1_000);
    }
  }
}

/** Adds what each server does not do by itself after a round: be ready, and acknowledge a write. */
async function noteStuck(
  machines: readonly Machine[],
  watch: ReturnType<typeof createWatch>,
  stuck: Record<"unready" | "mute", string[]>,
): Promise<void> {
  const from = performance.now();
  const within = (ms: number, holds: () => unknown, late: () => unknown) => until("in time", holds, ms).catch(late);
  await Promise.all(
    machines.flatMap((machine) => [
      within(
        READY_MS,
        async () => (await statusOf(`${machine.url}/health/ready`)) === 200,
        () => stuck.unready.push(machine.name),
      ),
      within(
        OWN_WRITE_MS,
        () => (watch.wroteAt.get(machine) ?? 0) > from,
        () => stuck.mute.push(machine.name),
      ),
    ]),
  );
}

/**
 * Something happens to the primary in each round, now and then to a server of Laurel at the same time. Clients write on; what
 * they got no answer to they send again with its key.
 */
export async function run(lab: Lab, { rounds = 50, seed = 1, only }: Options): Promise<void> {
  const names = Object.keys(FAULTS).filter((name) => only === undefined || name === only);
  if (names.length === 0) throw new Error(`--only is one of: ${Object.keys(FAULTS).join(", ")}`);
  const { pick, integer } = seeded(seed);
  const cluster = await startCluster(lab);
  lab.say("three machines with Patroni, one of them the primary");
  const machines = await startLaurel(lab, cluster);
  // Otherwise no answer of an old primary would mean anything.
  const primary = (await cluster.primary())!;
  await until("the primary takes a probe", () => cluster.acceptsWrite(primary, `first-${performance.now()}`));
  const headers = headersOf(lab, machines[0]!);
  // Half of the clients ask a server directly: what they see is what Laurel answers.
  const asked = [null, machines[0]!, null, machines[1]!];
  const askedBy = (at: number) => asked[at % asked.length]!;
  const clients = Array.from({ length: CLIENTS }, (_, at) =>
    createClient(askedBy(at)?.url ?? `http://${LISTEN}`, headers),
  );
  await openShop(clients[0]!);
  const [ledger, watch] = [createLedger(), createWatch()];
  let [isOver, repeats] = [false, 0];
  const load = startLoad(clients, {
    pauseMs: PAUSE_MS,
    // What was not acknowledged is sent again with its key, until it is.
    one: async (client, at) => {
      const n = ledger.next();
      for (;;) {
        const reply = await client.send(redeeming(n));
        ledger.note(n, reply);
        watch.note(reply, askedBy(at));
        if (reply.status === 200 || isOver) return;
        repeats += 1;
        await wait(AGAIN_MS);
      }
    },
  });
  const settler = createClient(`http://${LISTEN}`, headers);
  const outages: Record<"lost" | "planned" | "restarted", number[]> = { lost: [], planned: [], restarted: [] };
  const stuck = { unready: [] as string[], mute: [] as string[] };
  let [splitWrites, lostLaurel] = [0, 0];
  for (let round = 1; round <= rounds; round += 1) {
    await until("the cluster is whole", () => cluster.isWhole(), 300_000);
    await wait(QUIET_MS);
    // Each kind comes as often as the others.
    const name = round <= names.length ? names[round - 1]! : pick(names);
    const fault = FAULTS[name]!;
    const before = (await cluster.primary())!;
    const victim = !fault.isPlanned && integer(1, 3) === 1 ? pick(machines) : null;
    const began = performance.now();
    const begun = fault.begin(cluster, before);
    watch.victim = victim;
    victim?.kill("SIGKILL");
    if (victim) lostLaurel += 1;
    const back = victim && upAgain(victim);
    await begun;
    await until("there is a primary", () => cluster.primary(), 180_000);
    // Before that moment the old one may have acknowledged some more.
    const seen = Math.max(performance.now(), began + AGAIN_MS);
    await until("another write is acknowledged", () => (watch.acknowledgedAt.at(-1) ?? 0) > seen, 180_000);
    const after = (await cluster.primary())!;
    if (fault.isAlive)
      for (let n = 0; n < 3; n += 1) splitWrites += (await cluster.acceptsWrite(before, `${round}-${n}`)) ? 1 : 0;
    fault.end(cluster, before);
    // What was frozen wakes up and takes itself for the primary.
    if (fault.isAlive)
      for (let n = 3; n < 6; n += 1) splitWrites += (await cluster.acceptsWrite(before, `${round}-${n}`)) ? 1 : 0;
    await back;
    await wait(1_000);
    const outage = watch.gapSince(began);
    outages[fault.isPlanned ? "planned" : after === before ? "restarted" : "lost"].push(outage);
    lab.say(
      `round ${round} of ${rounds}: ${name}${victim ? `, kill -9 ${victim.name}` : ""}; ${before.name} → ${after.name}, ` +
        `${inSeconds(outage)} s without a write, ${repeats} repeated by key so far`,
    );
    await noteStuck(machines, watch, stuck);
    for (const [how, all] of Object.entries(stuck)) if (all.length > 0) lab.say(`${how} so far: ${all.join(", ")}`);
  }
  // Before the run itself ends them.
  const ended = machines.reduce((sum, machine) => sum + machine.endedByItself(), 0);
  isOver = true;
  await load.stop();
  const refusals = (await settle(settler, ledger)).length;
  for (const line of [...watch.late, ...watch.bare, ...watch.odd].slice(0, 10)) lab.say(line);
  tell(lab, { rounds, lostLaurel, outages, watch, stuck, ended, splitWrites, repeats, refusals });
  await until("the cluster is whole", () => cluster.isWhole(), 300_000);
  const url = cluster.urlThrough(POSTGRES_PORT, "laurel");
  await audit(lab, settler, ledger, openAdmin(lab, url));
  tellDoctor(lab, url);
  for (const client of [...clients, settler]) client.close();
}

type Summary = {
  rounds: number;
  lostLaurel: number;
  outages: Record<"lost" | "planned" | "restarted", number[]>;
  watch: ReturnType<typeof createWatch>;
  stuck: Record<"unready" | "mute", string[]>;
  ended: number;
  splitWrites: number;
  repeats: number;
  refusals: number;
};
function tell(lab: Lab, summary: Summary): void {
  const { rounds, lostLaurel, outages, watch, stuck, ended, splitWrites, repeats, refusals } = summary;
  const { lost, planned, restarted } = outages;
  lab.figure("rounds", rounds);
  lab.figure("rounds with kill -9 of a Laurel server as well", lostLaurel);
  lab.figure("primary lost: rounds", lost.length);
  lab.figure("primary lost: without a write, p50, s", inSeconds(percentile(lost, 0.5)), { atMost: 25 });
  lab.figure("primary lost: without a write, p99, s", inSeconds(percentile(lost, 0.99)), { atMost: 45 });
  lab.figure("primary restarted in place: rounds", restarted.length);
  lab.figure("primary restarted in place: p50, s", inSeconds(percentile(restarted, 0.5)), { atMost: 25 });
  lab.figure("planned switchover: rounds", planned.length);
  lab.figure("planned switchover: without a write, worst, s", inSeconds(Math.max(0, ...planned)), { atMost: 5 });
  lab.figure("writes accepted by an old primary", splitWrites, { is: 0 });
  lab.figure(`servers that were not ready ${inSeconds(READY_MS)} s after a round`, stuck.unready.length, { is: 0 });
  lab.figure(
    `servers that acknowledged no write themselves ${inSeconds(OWN_WRITE_MS)} s after a round`,
    stuck.mute.length,
    { is: 0 },
  );
  lab.figure("servers that ended though nobody killed them", ended, { is: 0 });
  lab.figure("answers 503", watch.refused());
  lab.figure("answers 409, while a server that was killed holds the key", watch.held());
  lab.figure("writes repeated by key", repeats);
  lab.figure("503 without Retry-After", watch.bare.length, { is: 0 });
  lab.figure("other refusals by Laurel", watch.odd.length, { is: 0 });
  lab.figure("answers after the time limit of a request", watch.late.length, { is: 0 });
  lab.figure("repeated writes that were refused", refusals, { is: 0 });
}

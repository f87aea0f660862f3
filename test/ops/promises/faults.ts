import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openDb, type Pool } from "../../../src/db/db.ts";
import { startHaproxy } from "../lab/haproxy.ts";
import { inSeconds, type Lab, percentile, ROOT, until } from "../lab/lab.ts";
import { headersOf, laurelMachine, openAdmin, tellDoctor } from "../lab/laurel.ts";
import { type Client, createClient, ok, type Reply, type Request, startLoad } from "../lab/load.ts";
import { createPostgres } from "../lab/postgres.ts";
import { freePorts, run as runProgram } from "../lab/processes.ts";
import { audit, createLedger, type Ledger, openShop, redeeming, settle } from "../lab/shop.ts";

const [DISK, DISK_MB] = ["disk", 2_000];
const FAULT_MS = 12_000;
/** How long each scene is measured before its fault, and by how much its p99 may grow for those who must not suffer. */
const [BEFORE_MS, GROWS_MS] = [4_000, 1_000];
/** A request takes LAUREL_REQUEST_TIMEOUT_MS (15 s) at most, and its answer a moment on a busy machine. */
const ANSWER_MAX_S = 17;
const CLIENTS = 6;
const LOG_SEGMENTS = 4;
/** Who takes the connections, and how many there are for all. */
const [OTHERS, CONNECTIONS] = [80, 60];

/** What is at hand while something is broken. */
type Place = {
  db: Pool;
  databaseUrl: string;
  disk: string;
  slow: string;
  clock: string;
  /** Of the server itself. */
  url: string;
  /** By how many milliseconds its clock was where it had been moved to. */
  skews: number[];
};
type What = "the code" | "writes" | "reads";
type Answered = { what: What; reply: Reply };
type Scene = {
  name: string;
  /** Breaks it; what this gives mends it. */
  breaks(place: Place): Promise<() => Promise<void>>;
  /** Whether redemptions of the hot code may be refused meanwhile. Reads and others never may, unless `all` says so. */
  suffers: "the code" | "writes" | "all" | "nobody";
  /** Who is not to notice it at all: neither refused nor kept waiting. */
  unharmed?: readonly What[];
  /** What shows that something was broken, measured while it was. */
  proof: { figure: string; atLeast: number; of(during: readonly Answered[], place: Place): number };
  /** Its clients come through HAProxy, which asks who is ready. */
  behindProxy?: true;
};

const timesOf = (during: readonly Answered[], what?: What): number[] =>
  during.filter((one) => !what || one.what === what).map(({ reply }) => reply.doneAt - reply.sentAt);
/** Somebody is refused: otherwise nothing was broken. */
const REFUSES: Scene["proof"] = {
  figure: "refused in all",
  atLeast: 1,
  of: (during) => during.filter(({ reply }) => reply.status !== 200).length,
};

const SCENES: readonly Scene[] = [
  {
    name: "a row that somebody holds",
    suffers: "the code",
    unharmed: ["writes", "reads"],
    proof: {
      figure: "slowest redemption of the code, s",
      atLeast: 5,
      of: (during) => inSeconds(Math.max(...timesOf(during, "the code"))),
    },
    breaks: async ({ databaseUrl }) => {
      const own = openDb(databaseUrl, { max: 1, statementTimeoutMs: 0 });
      const released = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      const holder = own.begin(async (tx) => {
        await tx`set local idle_in_transaction_session_timeout = 0`;
        await tx`select id from vouchers where code = 'CODE' order by id for no key update`;
        await tx`select voucher_id from voucher_states where voucher_id in (select id from vouchers where code = 'CODE') for no key update`;
        held.resolve();
        await released.promise;
      });
      await held.promise;
      return async () => {
        released.resolve();
        await holder;
        await own.end();
      };
    },
  },
  {
    name: "a disk that takes 100 ms for each write",
    suffers: "nobody",
    unharmed: ["reads"],
    proof: {
      figure: "p50 of other redemptions, ms",
      atLeast: 100,
      of: (during) => Math.round(percentile(timesOf(during, "writes"), 0.5)),
    },
    breaks: async ({ slow }) => {
      fs.writeFileSync(slow, "100");
      return async () => fs.writeFileSync(slow, "0");
    },
  },
  {
    name: "a full disk",
    suffers: "writes",
    unharmed: ["reads"],
    proof: REFUSES,
    breaks: async ({ db, disk }) => {
      // Segments of the log that were used are kept for later: without room for its log PostgreSQL ends, and nobody reads.
      for (let n = 0; n < LOG_SEGMENTS; n += 1) {
        await db`select pg_switch_wal()`;
        await wait(200);
      }
      await db`checkpoint`;
      const filler = join(disk, "filler");
      // It ends when there is no room left.
      spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=64K"]);
      return async () => fs.rmSync(filler);
    },
  },
  {
    name: "no connection left",
    suffers: "all",
    proof: REFUSES,
    breaks: async ({ db, databaseUrl }) => {
      // Connected before the others are.
      await db`select 1`;
      const own = openDb(databaseUrl, { max: OTHERS, statementTimeoutMs: 0 });
      let isOver = false;
      // They are more than there are connections: whatever becomes free, one of them takes.
      const taken = Array.from({ length: OTHERS }, async () => {
        while (!isOver) await own`select pg_sleep(60)`.catch(() => wait(100));
      });
      // Whoever is connected is cut off, until others have every place.
      await until("Laurel has no connection left", async () => {
        const ended = await db`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'laurel' and pid <> pg_backend_pid() and query not like '%pg_sleep%'`;
        const [all] = await db`select count(*) from pg_stat_activity where backend_type = 'client backend'`;
        return ended.length === 0 && all!.count >= CONNECTIONS;
      });
      return async () => {
        isOver = true;
        await own.end({ timeout: 0 });
        // A backend that sleeps does not see that its client has gone.
        await until("nobody sleeps any more", async () => {
          const asleep = await db`select pg_terminate_backend(pid) from pg_stat_activity
            where query like '%pg_sleep%' and pid <> pg_backend_pid()`;
          return asleep.length === 0;
        });
        await Promise.all(taken);
      };
    },
  },
  {
    name: "a clock that jumps by an hour, forward and back",
    suffers: "nobody",
    behindProxy: true,
    proof: {
      figure: "least that the clocks were apart, s",
      atLeast: 3_590,
      of: (_, { skews }) => Math.min(...skews) / 1000,
    },
    breaks: async ({ clock, url, skews }) => {
      for (const moved of [1, -1]) {
        fs.writeFileSync(clock, `${moved < 0 ? "-" : "+"}3600s`);
        await wait(FAULT_MS / 3);
        // Ahead of the database first, then behind it.
        skews.push(moved * (await skewOf(url)));
      }
      return async () => fs.writeFileSync(clock, "+0s");
    },
  },
];

/** How far a server says that its clock is ahead of the database's, in milliseconds. */
async function skewOf(url: string): Promise<number> {
  const { clock_skew_ms } = (await (await fetch(`${url}/health/ready`)).json()) as { clock_skew_ms: number };
  return clock_skew_ms;
}

/** Breaks one thing after the other under load: only what needs it suffers, errors are 503, nothing is lost, it mends itself. */
export async function run(lab: Lab): Promise<void> {
  const laid = await lay(lab);
  const [port, proxyPort] = (await freePorts(2)) as [number, number];
  const library = runProgram(["sh", "-c", "ls /usr/lib/*/faketime/libfaketime.so.1"]).trim();
  const laurel = laurelMachine(lab, {
    ...{ name: "laurel", port, databaseUrl: laid.databaseUrl },
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: laid.clock,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
  });
  await laurel.up();
  const place: Place = { ...laid, url: laurel.url, skews: [] };
  const proxy = `127.0.0.1:${proxyPort}`;
  // Both of its servers are this one.
  await startHaproxy(lab, proxy, [laurel.url, laurel.url]);
  const clientsOf = (url: string) => Array.from({ length: CLIENTS }, () => createClient(url, headersOf(lab, laurel)));
  const [clients, proxied] = [clientsOf(laurel.url), clientsOf(`http://${proxy}`)];
  await openShop(clients[0]!);
  await ok(clients[0]!, "POST /v1/vouchers/OTHER", {
    type: "DISCOUNT_VOUCHER",
    discount: { type: "AMOUNT", amount_off: 1 },
  });
  const [ledger, others] = [createLedger(), createLedger()];
  for (const scene of SCENES)
    await play(lab, { scene, place, clients: scene.behindProxy ? proxied : clients, ledger, others });
  const refused = [...(await settle(clients[0]!, ledger)), ...(await settle(clients[0]!, others, redeemingOther))];
  lab.figure("redemptions refused for good", refused.length, { is: 0 });
  await audit(lab, clients[0]!, ledger, place.db);
  await auditOthers(lab, others, place.db);
  tellDoctor(lab, place.databaseUrl);
  for (const client of [...clients, ...proxied]) client.close();
}

const redeemingOther = (n: number): Request => ({
  line: "POST /v1/redemptions",
  key: `other ${n}`,
  body: {
    redeemables: [{ object: "voucher", id: "OTHER" }],
    order: { source_id: `other ${n}`, amount: 1000 },
  },
});

/** Holds the redemptions of the other code that are stored against those that clients were told of. */
async function auditOthers(lab: Lab, { acknowledged, unknown }: Ledger, db: Pool): Promise<void> {
  const stored = await db<{ source_id: string; count: number }[]>`
    select o.source_id, count(*)::int as count
    from redemptions r join orders o on o.project_id = r.project_id and o.id = r.order_id
    where r.voucher_code = 'OTHER' and r.object = 'redemption' and r.result = 'SUCCESS'
    group by o.source_id`;
  const times = new Map(stored.map(({ source_id, count }) => [source_id, count]));
  const lost = [...acknowledged.keys()].filter((n) => !times.has(`other ${n}`));
  lab.figure("other redemptions acknowledged", acknowledged.size, { atLeast: 1 });
  lab.figure("other redemptions never answered, even by key", unknown.size, { is: 0 });
  lab.figure("other redemptions acknowledged and lost", lost.length, { is: 0 });
  lab.figure("other redemptions stored more than once", stored.filter(({ count }) => count > 1).length, { is: 0 });
  lab.figure("other redemptions stored that nobody was told of", times.size + lost.length - acknowledged.size, {
    is: 0,
  });
}

/** A PostgreSQL on a small disk of its own that can be made slow. */
async function lay(lab: Lab): Promise<Omit<Place, "url" | "skews">> {
  const disk = join(lab.dir, DISK);
  fs.mkdirSync(disk);
  runProgram(["mount", "-t", "tmpfs", "-o", `size=${DISK_MB}m,mode=755`, "laurel-ops", disk]);
  lab.atEnd(() => runProgram(["umount", "--lazy", disk]));
  const library = join(lab.dir, "slow-disk.so");
  runProgram(["gcc", "-shared", "-fPIC", "-o", library, join(ROOT, "test/ops/lab/slow-disk.c"), "-ldl"]);
  const [slow, clock] = [join(lab.dir, "slow"), join(lab.dir, "clock")];
  fs.writeFileSync(slow, "0");
  fs.writeFileSync(clock, "+0s");
  const postgres = await createPostgres(
    lab,
    disk,
    { max_connections: `${CONNECTIONS}` },
    { LD_PRELOAD: library, SLOW_DISK: slow },
  );
  postgres.start();
  return { db: openAdmin(lab, postgres.url), databaseUrl: postgres.url, disk, slow, clock };
}

type Played = { scene: Scene; place: Place; clients: readonly Client[]; ledger: Ledger; others: Ledger };

async function play(lab: Lab, { scene, place, clients, ledger, others }: Played): Promise<void> {
  lab.say(scene.name);
  const replies: Answered[] = [];
  const load = startLoad(clients, {
    pauseMs: 20,
    one: async (client, at) => {
      const note = (what: What, reply: Reply) => replies.push({ what, reply });
      if (at % 3 === 0) return note("reads", await client.send({ line: "GET /v1/vouchers/OTHER" }));
      const [own, requestOf] = at % 3 === 1 ? [others, redeemingOther] : [ledger, redeeming];
      const n = own.next();
      const reply = await client.send(requestOf(n));
      own.note(n, reply);
      return note(own === others ? "writes" : "the code", reply);
    },
  });
  await wait(BEFORE_MS);
  const from = performance.now();
  const mend = await scene.breaks(place);
  await wait(FAULT_MS);
  await mend();
  const mended = performance.now();
  await until("it is well again", async () => {
    const late = replies.filter(({ reply }) => reply.sentAt > mended + 500).slice(-30);
    return late.length >= 30 && late.every(({ reply }) => reply.status === 200);
  });
  const recovery = performance.now() - mended;
  await load.stop();
  const before = replies.filter(({ reply }) => reply.doneAt <= from);
  const during = replies.filter(({ reply }) => reply.doneAt > from && reply.sentAt < mended + 2_000);
  const bad = (what: string) => during.filter((one) => one.what === what && one.reply.status !== 200);
  const not503 = during.filter(
    ({ reply }) => reply.status !== 200 && !(reply.status === 503 && reply.headers["retry-after"]),
  );
  for (const { what, reply } of not503.slice(0, 5)) lab.say(`${what}: ${reply.status} ${reply.text.slice(0, 200)}`);
  const suffering = {
    "the code": ["the code"],
    writes: ["the code", "writes"],
    all: ["the code", "writes", "reads"],
    nobody: [],
  }[scene.suffers] as string[];
  for (const what of ["the code", "writes", "reads"]) {
    const bound = suffering.includes(what) ? {} : { is: 0 };
    lab.figure(`${scene.name}: ${what} refused`, bad(what).length, bound);
  }
  const { figure, atLeast, of } = scene.proof;
  lab.figure(`${scene.name}: ${figure}`, of(during, place), { atLeast });
  lab.figure(`${scene.name}: answers that are neither 200 nor 503 with Retry-After`, not503.length, { is: 0 });
  lab.figure(`${scene.name}: slowest answer, s`, inSeconds(Math.max(...timesOf(during))), { atMost: ANSWER_MAX_S });
  const p99 = (all: readonly Answered[], what: What) => Math.round(percentile(timesOf(all, what), 0.99));
  for (const what of ["writes", "reads"] as const) {
    const calm = p99(before, what);
    lab.figure(`${scene.name}: p99 of ${what} before, ms`, calm);
    const bound = scene.unharmed?.includes(what) ? { atMost: calm + GROWS_MS } : {};
    lab.figure(`${scene.name}: p99 of ${what}, ms`, p99(during, what), bound);
  }
  lab.figure(`${scene.name}: recovery, s`, inSeconds(recovery), { atMost: 15 });
}

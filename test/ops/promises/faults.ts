import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openDb, type Pool } from "../../../src/db/db.ts";
import { type Lab, percentile, ROOT, until } from "../lab/lab.ts";
import { headersOf, laurelMachine, openAdmin, tellDoctor } from "../lab/laurel.ts";
import { type Client, createClient, ok, type Reply, startLoad } from "../lab/load.ts";
import { createPostgres } from "../lab/postgres.ts";
import { freePorts, run as runProgram } from "../lab/processes.ts";
import { audit, createLedger, openShop, redeeming, settle } from "../lab/shop.ts";

const [DISK, DISK_MB] = ["disk", 2_000];
const FAULT_MS = 12_000;
const CLIENTS = 6;
/** Who takes the connections, and how many there are for all. */
const [OTHERS, CONNECTIONS] = [80, 60];

/** What is at hand while something is broken. */
type Place = { db: Pool; databaseUrl: string; disk: string; slow: string; clock: string };
type Scene = {
  name: string;
  /** Breaks it; what this gives mends it. */
  breaks(place: Place): Promise<() => Promise<void>>;
  /** Whether redemptions of the hot code may be refused meanwhile. Reads and others never may, unless `all` says so. */
  suffers: "the code" | "writes" | "all" | "nobody";
  /** Somebody is refused: otherwise nothing was broken. */
  refuses?: true;
};

const SCENES: readonly Scene[] = [
  {
    name: "a row that somebody holds",
    suffers: "the code",
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
    breaks: async ({ slow }) => {
      fs.writeFileSync(slow, "100");
      return async () => fs.writeFileSync(slow, "0");
    },
  },
  {
    name: "a full disk",
    suffers: "writes",
    refuses: true,
    breaks: async ({ disk }) => {
      const filler = join(disk, "filler");
      // It ends when there is no room left.
      spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=64K"]);
      return async () => fs.rmSync(filler);
    },
  },
  {
    name: "no connection left",
    suffers: "all",
    refuses: true,
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
    breaks: async ({ clock }) => {
      fs.writeFileSync(clock, "+3600s");
      await wait(FAULT_MS / 3);
      fs.writeFileSync(clock, "-3600s");
      await wait(FAULT_MS / 3);
      return async () => fs.writeFileSync(clock, "+0s");
    },
  },
];

/** Breaks one thing after the other under load: only what needs it suffers, errors are 503, nothing is lost, it mends itself. */
export async function run(lab: Lab): Promise<void> {
  const place = await lay(lab);
  const [port] = (await freePorts(1)) as [number];
  const library = runProgram(["sh", "-c", "ls /usr/lib/*/faketime/libfaketime.so.1"]).trim();
  const laurel = laurelMachine(lab, {
    ...{ name: "laurel", port, databaseUrl: place.databaseUrl },
    env: {
      ...{
        LD_PRELOAD: library,
        FAKETIME_TIMESTAMP_FILE: place.clock,
        FAKETIME_NO_CACHE: "1",
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
      },
    },
  });
  await laurel.up();
  const clients = Array.from({ length: CLIENTS }, () => createClient(laurel.url, headersOf(lab, laurel)));
  await openShop(clients[0]!);
  await ok(clients[0]!, "POST /v1/vouchers/OTHER", {
    type: "DISCOUNT_VOUCHER",
    discount: { type: "AMOUNT", amount_off: 1 },
  });
  const ledger = createLedger();
  for (const scene of SCENES) await play(lab, { scene, place, clients, ledger });
  const refused = await settle(clients[0]!, ledger);
  lab.figure("redemptions refused for good", refused.length, { is: 0 });
  await audit(lab, clients[0]!, ledger, place.db);
  tellDoctor(lab, place.databaseUrl);
  for (const client of clients) client.close();
}

/** A PostgreSQL on a small disk of its own that can be made slow. */
async function lay(lab: Lab): Promise<Place> {
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

type Played = { scene: Scene; place: Place; clients: readonly Client[]; ledger: ReturnType<typeof createLedger> };

async function play(lab: Lab, { scene, place, clients, ledger }: Played): Promise<void> {
  lab.say(scene.name);
  const replies: { what: "the code" | "writes" | "reads"; reply: Reply }[] = [];
  const load = startLoad(clients, {
    pauseMs: 20,
    one: async (client, at) => {
      const n = ledger.next();
      const note = (what: "the code" | "writes" | "reads", reply: Reply) => replies.push({ what, reply });
      if (at % 3 === 0) return note("reads", await client.send({ line: "GET /v1/vouchers/OTHER" }));
      if (at % 3 === 1)
        return note(
          "writes",
          await client.send({
            line: "POST /v1/redemptions",
            key: `other ${n}`,
            body: { redeemables: [{ object: "voucher", id: "OTHER" }], order: { amount: 1000 } },
          }),
        );
      const reply = await client.send(redeeming(n));
      ledger.note(n, reply);
      return note("the code", reply);
    },
  });
  await wait(1_000);
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
  const refused = during.filter(({ reply }) => reply.status !== 200).length;
  lab.figure(`${scene.name}: refused in all`, refused, scene.refuses ? { atLeast: 1 } : {});
  lab.figure(`${scene.name}: answers that are neither 200 nor 503 with Retry-After`, not503.length, { is: 0 });
  lab.figure(
    `${scene.name}: slowest answer, s`,
    Math.round(Math.max(...during.map(({ reply }) => reply.doneAt - reply.sentAt)) / 100) / 10,
    { atMost: 20 },
  );
  lab.figure(
    `${scene.name}: p99 of reads, ms`,
    Math.round(
      percentile(
        during.filter(({ what }) => what === "reads").map(({ reply }) => reply.doneAt - reply.sentAt),
        0.99,
      ),
    ),
  );
  lab.figure(`${scene.name}: recovery, s`, Math.round(recovery / 100) / 10, { atMost: 15 });
}

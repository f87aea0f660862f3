import fs from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { drive } from "../../../bench/load.ts";
import { type Lab, percentile } from "../lab/lab.ts";
import { headersOf, laurelMachine, openAdmin, startDatabase, tellDoctor } from "../lab/laurel.ts";
import { createClient } from "../lab/load.ts";
import { openLoop } from "../lab/open-loop.ts";
import { freePorts } from "../lab/processes.ts";
import { redemptionShop, tellStored } from "../lab/redemption-shop.ts";

const WINDOW_S = 30;
const NOTICE_MS = 1_000;
/** The heap of a server that was just started grows to its size for seven minutes: 430 MB at first, 469 after five, 480 from then on. */
const SETTLE_WINDOWS = 14;
/** How often the server and a new one take turns at the end. */
const TURNS = 9;

type Sample = { hour: number; rssMb: number; descriptors: number; p99: number };

const rssMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;
const descriptors = (pid: number): number => fs.readdirSync(`/proc/${pid}/fd`).length;

/**
 * How much a value grows in an hour, by the line of least squares (100 MB now and 101 MB an hour later is 1), and the standard error
 * of that. Memory goes up and down by 3 MB with every collection: ten minutes of it tell the growth of an hour to 10 MB, an hour to 1 MB.
 */
function slope(samples: readonly Sample[], measureOf: (sample: Sample) => number): { growth: number; error: number } {
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
  const [hours, values] = [samples.map(({ hour }) => hour), samples.map(measureOf)];
  const [x, y] = [sum(hours) / hours.length, sum(values) / values.length];
  const spread = sum(hours.map((hour) => (hour - x) ** 2));
  const growth = sum(hours.map((hour, n) => (hour - x) * (values[n]! - y))) / spread;
  const rest = sum(hours.map((hour, n) => (values[n]! - y - growth * (hour - x)) ** 2));
  return { growth, error: Math.sqrt(rest / Math.max(1, samples.length - 2) / spread) };
}

/** A server with a database and a shop of its own, and what it can do. */
async function serverOf(lab: Lab, name: string) {
  const database = await startDatabase(lab, [], `database of ${name}`);
  const [port] = (await freePorts(1)) as [number];
  const laurel = laurelMachine(lab, { name, port, databaseUrl: database.url });
  await laurel.up();
  const headers = headersOf(lab, laurel);
  const client = createClient(laurel.url, headers);
  lab.atEnd(() => client.close());
  const next = await redemptionShop(client, laurel.url, headers);
  const first = await drive(laurel.url, next, { seconds: 20 });
  const { count, seconds } = await drive(laurel.url, next, { seconds: 15 });
  return { laurel, database, next, peak: count / seconds, acknowledged: first.count + count };
}
type Server = Awaited<ReturnType<typeof serverOf>>;

/** Half of what a server can do, for an hour: it takes no more memory, opens nothing that it does not close, and slows down by nothing. */
export async function run(lab: Lab, { minutes = 10 }: { minutes?: number }): Promise<void> {
  const server = await serverOf(lab, "laurel");
  const db = openAdmin(lab, server.database.url);
  const perSecond = server.peak / 2;
  lab.figure("redemptions a second, half of the peak", Math.round(perSecond));
  const samples: Sample[] = [];
  const bad: string[] = [];
  let [windows, { acknowledged }] = [0, server];
  const watch = async (watched: Server): Promise<Sample> => {
    const { laurel, next } = watched;
    const { good, refused, failed } = await openLoop({ url: laurel.url, perSecond, seconds: WINDOW_S, next });
    if (watched === server) acknowledged += good.length;
    if (refused.length > 0 || Object.keys(failed).length > 0)
      bad.push(`${refused.length} refused, ${JSON.stringify(failed)}`);
    // The connections of the load are closed, and the server has to notice.
    await wait(NOTICE_MS);
    const sample = {
      hour: (windows * (WINDOW_S + NOTICE_MS / 1000)) / 3600,
      rssMb: rssMb(laurel.pid()),
      descriptors: descriptors(laurel.pid()),
      p99: percentile(good, 0.99),
    };
    windows += 1;
    const { rssMb: size, descriptors: files, p99 } = sample;
    lab.say(`${laurel.name}: ${Math.round(size)} MB, ${files} descriptors, p99 ${p99.toFixed(1)} ms`);
    return sample;
  };
  for (let n = 0; n < SETTLE_WINDOWS + (minutes * 60) / WINDOW_S; n += 1) samples.push(await watch(server));
  const settled = samples.slice(SETTLE_WINDOWS);
  const first = settled[0]!;
  const third = Math.ceil(settled.length / 3);
  const middle = (part: readonly Sample[]) =>
    percentile(
      part.map(({ p99 }) => p99),
      0.5,
    );
  const [early, late] = [middle(settled.slice(0, third)), middle(settled.slice(-third))];
  const [rows] = await db<{ count: number }[]>`select count(*)::int as count from redemptions`;
  lab.figure("minutes", minutes);
  lab.figure("redemptions stored", rows!.count);
  lab.figure("memory at the end, MB", Math.round(samples.at(-1)!.rssMb));
  const { growth, error } = slope(settled, (one) => one.rssMb);
  const percent = (megabytes: number) => Math.round((megabytes / first.rssMb) * 1000) / 10;
  // An hour tells the growth itself. Ten minutes tell no more than that it is surely too much.
  lab.figure("growth of memory, % an hour", percent(growth), minutes >= 60 ? { atMost: 1 } : {});
  lab.figure("the same, twice the standard error taken off", percent(growth - 2 * error), { atMost: 1 });
  lab.figure("growth of descriptors", Math.max(...settled.map((one) => one.descriptors)) - first.descriptors, {
    atMost: 5,
  });
  lab.figure("p99 at the end, part of that at the beginning", Math.round((late / early) * 100) / 100);
  const slower = await slowerThanNew(lab, server, watch);
  lab.figure("p99, part of that of a server that was just started", Math.round(slower * 100) / 100, { atMost: 1.2 });
  lab.figure("windows with a refusal or a failure", bad.length, { is: 0 });
  await tellStored(lab, db, acknowledged);
  tellDoctor(lab, server.database.url);
}

/**
 * A machine that others share may become slower meanwhile. So a second server with an empty database is started, its heap grows to
 * its size, and both have the same load in turns: the median of how much slower the first one is.
 */
async function slowerThanNew(lab: Lab, server: Server, watch: (server: Server) => Promise<Sample>): Promise<number> {
  const fresh = await serverOf(lab, "new");
  for (let n = 0; n < SETTLE_WINDOWS; n += 1) await watch(fresh);
  const ratios: number[] = [];
  for (let n = 0; n < TURNS; n += 1) {
    const [old, young] = [await watch(server), await watch(fresh)];
    ratios.push(old.p99 / young.p99);
  }
  return percentile(ratios, 0.5);
}

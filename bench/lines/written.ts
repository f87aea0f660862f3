import { makeClub } from "../clubs.ts";
import { codeOf, makeRedeemableCodes, redemptionRequests } from "../codes.ts";
import type { BenchProject, Lab, Server } from "../lab.ts";
import type { Line } from "../line.ts";
import { numbers } from "../shop.ts";
import { canReadWal, meanOf, type Wal, walOf, walOfEach } from "../wal.ts";
import { startWire, type WireCounts } from "../wire.ts";

// What one operation writes and how often it asks, sent one at a time. None of it depends on how fast the machine is.

// "November" is revision 0702576, before the lines of an order were written once.

type Form = {
  name: string;
  table: "redemptions" | "events";
  send(n: number): Promise<unknown>;
};

const order = (lines: number) => ({
  items: numbers(lines).map((n) => ({ product: { name: `Tee ${n}`, price: 2500 }, quantity: 2 })),
});

let keys = 0;
/** As a shop sends them: each with a key of its own. */
const withKey = ({ id, headers }: BenchProject): BenchProject => {
  keys += 1;
  return { id, headers: { ...headers, "Idempotency-Key": `written ${keys}` } };
};

/** The operations that are counted, each on a code or a member that was not used before. */
function formsOf(server: Server, shop: BenchProject, club: BenchProject): Form[] {
  const redeem = (codes: readonly number[], lines: number) =>
    server.call<{ redemptions: { id: string }[] }>(withKey(shop), "POST /v1/redemptions", {
      redeemables: codes.map((n) => ({
        object: "voucher",
        id: codeOf(n),
        ...(n % 2 === 1 && { gift: { credits: 100 } }),
      })),
      customer: { source_id: `customer-${codes[0]! % 20}` },
      order: order(lines),
    });
  return [
    { name: "redemption", table: "redemptions", send: (n) => redeem([n], 1) },
    { name: "redemption of 10 lines", table: "redemptions", send: (n) => redeem([1_000 + n], 10) },
    {
      name: "stack of 5",
      table: "redemptions",
      send: (n) =>
        redeem(
          numbers(5).map((k) => 2_000 + 10 * n + 2 * k),
          1,
        ),
    },
    {
      name: "event with points",
      table: "events",
      send: (n) =>
        server.call(withKey(club), "POST /v1/events", { event: "visit", customer: { source_id: `member-${n}` } }),
    },
  ];
}

const IN_A_BATCH = "redemption in a batch";
const TEN_LINES_IN_A_BATCH = "redemption of 10 lines in a batch";

/** Where the rows are that an operation makes: they name its transaction. */
type Place = { table: Form["table"]; project: BenchProject };
type Counted = { name: string; wal: Wal | null; asked?: WireCounts };

/** Counts each operation: what it asked, one at a time, and what its transactions wrote. */
async function count(lab: Lab, quick: boolean): Promise<Counted[]> {
  const wire = await startWire(lab.url);
  // What is logged behind the answers belongs to no operation: it is written for a hundred requests a second at most.
  const server = await lab.startServer([], wire.url, { LAUREL_REQUEST_LOG_DAYS: "0" });
  const [shop, club] = [await makeRedeemableCodes(lab, server, 7_000), await makeClub(lab, server, 500)];
  const times = quick ? 4 : 100;
  const isReadable = await canReadWal(lab.db);
  const counted: Counted[] = [];
  const countOne = async (name: string, { table, project }: Place, runs: readonly (() => Promise<unknown>)[]) => {
    const work = async () => {
      for (const run of runs) await run();
    };
    const known = await xidsOf(lab, table, project);
    const made = async () => [...(await xidsOf(lab, table, project))].filter((xid) => !known.has(xid));
    wire.take();
    const wal = isReadable ? meanOf(await walOf(lab.db, work, made)) : null;
    if (!isReadable) await work();
    counted.push({ name, wal, asked: each(wire.take(), runs.length) });
  };
  const redeemed: string[] = [];
  for (const { name, table, send } of formsOf(server, shop, club)) {
    // The first ones prepare statements, and find customers who are not there yet.
    for (const n of numbers(25)) await send(n);
    const place: Place = { table, project: table === "redemptions" ? shop : club };
    await countOne(
      name,
      place,
      numbers(times).map((n) => async () => {
        const made = (await send(50 + n)) as { redemptions?: { id: string }[] };
        if (name === "redemption") redeemed.push(made.redemptions![0]!.id);
      }),
    );
  }
  const rollBack = (id: string) => server.call(withKey(shop), `POST /v1/redemptions/${id}/rollback`, {});
  for (const id of redeemed.slice(0, 2)) await rollBack(id);
  await countOne(
    "rollback",
    { table: "redemptions", project: shop },
    redeemed.slice(2).map((id) => () => rollBack(id)),
  );
  // The customers of the batches are there by then: a new one is one more row with its indexes.
  await server.measure(
    redemptionRequests(
      server,
      shop,
      numbers(1_000).map((n) => 6_000 + n),
    ),
    { count: 1_000 },
  );
  if (isReadable)
    for (const [name, lines] of [
      [IN_A_BATCH, 1],
      [TEN_LINES_IN_A_BATCH, 10],
    ] as const) {
      // Codes that were not used before, as most are.
      const from = lines === 1 ? 3_000 : 4_500;
      const requests = redemptionRequests(
        server,
        shop,
        numbers(1_500).map((n) => from + n),
        { lines },
      );
      const count = quick ? 100 : 1_500;
      counted.push({ name, wal: await walOfEach(lab.db, count, () => server.measure(requests, { count })) });
    }
  await server.stop();
  wire.close();
  return counted;
}

const each = ({ trips, statements }: WireCounts, times: number): WireCounts => ({
  trips: Math.round((10 * trips) / times) / 10,
  statements: Math.round((10 * statements) / times) / 10,
});

/** The numbers of the transactions that made the rows of a project. */
async function xidsOf({ db }: Lab, table: Form["table"], { id }: BenchProject): Promise<Set<string>> {
  const rows = await db<
    { xid: string }[]
  >`select distinct xmin::text as xid from ${db(table)} where project_id = ${id}`;
  return new Set(rows.map(({ xid }) => xid));
}

/** The lines of the table are read from one count. */
let counting: Promise<Counted[]> | null = null;
const countOnce = (lab: Lab, quick: boolean) => {
  counting ??= count(lab, quick);
  return counting;
};

const shown = ({ name, wal, asked }: Counted): string =>
  `${name}: ${[
    asked && `${asked.trips} round trips, ${asked.statements} statements`,
    wal && `${wal.bytes} bytes of log in ${wal.records} records`,
  ]
    .filter(Boolean)
    .join(", ")}`;

type Counting = { name: string; title: string; unit: string; before: number; floor: number; aim: number };

/** A line that holds what was counted against November. Its floor and its aim are counts, too. */
const lineOf = (
  { name, title, unit, before, floor, aim }: Counting,
  figureOf: (all: readonly Counted[]) => number | undefined,
): Line => ({
  name,
  floor: floor / before,
  aim: aim / before,
  better: "lower",
  run: async (lab, { quick }) => {
    const all = await countOnce(lab, quick);
    const engine = figureOf(all);
    return {
      title: `${title}, against November`,
      unit,
      baseline: engine === undefined ? null : before,
      engine: engine ?? 0,
      ratio: engine === undefined ? null : engine / before,
      ...(name === "wal" && { notes: all.map(shown) }),
    };
  },
});
const named = (all: readonly Counted[], name: string) => all.find((one) => one.name === name);

export const wal = lineOf(
  {
    ...{ name: "wal", title: "log of a redemption without full pages, 64 connections", unit: "bytes" },
    ...{ before: 14_900, floor: 8_000, aim: 6_000 },
  },
  (all) => named(all, IN_A_BATCH)?.wal?.bytes,
);
export const walRecords = lineOf(
  {
    ...{ name: "wal-records", title: "records of the log of a redemption, 64 connections", unit: "records" },
    ...{ before: 50, floor: 32, aim: 26 },
  },
  (all) => named(all, IN_A_BATCH)?.wal?.records,
);
export const walOfTenLines = lineOf(
  {
    ...{ name: "wal-10-lines", title: "log of a redemption of an order of 10 lines, 64 connections", unit: "bytes" },
    ...{ before: 32_000, floor: 16_000, aim: 12_000 },
  },
  (all) => named(all, TEN_LINES_IN_A_BATCH)?.wal?.bytes,
);
export const walRecordsOfTenLines = lineOf(
  {
    ...{
      name: "wal-records-10-lines",
      title: "records of the log of an order of 10 lines, 64 connections",
      unit: "records",
    },
    ...{ before: 55, floor: 36, aim: 30 },
  },
  (all) => named(all, TEN_LINES_IN_A_BATCH)?.wal?.records,
);
export const roundTrips = lineOf(
  {
    ...{ name: "round-trips", title: "round trips of a lone redemption", unit: "trips" },
    ...{ before: 7, floor: 3, aim: 2 },
  },
  (all) => named(all, "redemption")?.asked?.trips,
);

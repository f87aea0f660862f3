import { makeClub } from "../clubs.ts";
import { codeOf, makeRedeemableCodes, redemptionRequests } from "../codes.ts";
import type { BenchProject, Lab, Server } from "../lab.ts";
import type { Line, Measured } from "../line.ts";
import { numbers } from "../shop.ts";
import { canReadWal, meanOf, type Wal, walOf, walOfEach } from "../wal.ts";
import { startWire, type WireCounts } from "../wire.ts";

// What one operation writes and how often it asks, sent one at a time. None of it depends on how fast the machine is.

/** What was measured before each redemption was stored once (revision 0702576, November 2026). */
const BEFORE = { bytes: 14_900, bytesOfTenLines: 32_000, trips: 7 };

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

type Counted = { name: string; wal: Wal | null; asked?: WireCounts };

/** Counts each operation: what it asked, one at a time, and what its transactions wrote. */
async function count(lab: Lab, quick: boolean): Promise<Counted[]> {
  const wire = await startWire(lab.url);
  const server = await lab.startServer([], wire.url);
  const [shop, club] = [await makeRedeemableCodes(lab, server, 7_000), await makeClub(lab, server, 500)];
  const times = quick ? 4 : 100;
  const isReadable = await canReadWal(lab.db);
  const counted: Counted[] = [];
  const rollBacks: string[] = [];
  for (const { name, table, send } of formsOf(server, shop, club)) {
    // The first ones prepare statements, and find customers who are not there yet.
    for (const n of numbers(25)) await send(n);
    wire.take();
    const project = table === "redemptions" ? shop : club;
    const known = await xidsOf(lab, table, project);
    const work = async () => {
      for (const n of numbers(times)) {
        const made = (await send(50 + n)) as { redemptions?: { id: string }[] };
        if (name === "redemption") rollBacks.push(made.redemptions![0]!.id);
      }
    };
    const wal = await walOf(lab.db, work, async () => {
      const all = await xidsOf(lab, table, project);
      return [...all].filter((xid) => !known.has(xid));
    }).catch(() => []);
    counted.push({ name, wal: isReadable && wal.length > 0 ? meanOf(wal) : null, asked: each(wire.take(), times) });
  }
  for (const id of rollBacks.slice(0, 2)) await server.call(withKey(shop), `POST /v1/redemptions/${id}/rollback`, {});
  wire.take();
  const known = await xidsOf(lab, "redemptions", shop);
  const rest = rollBacks.slice(2);
  const wal = await walOf(
    lab.db,
    async () => {
      for (const id of rest) await server.call(withKey(shop), `POST /v1/redemptions/${id}/rollback`, {});
    },
    async () => [...(await xidsOf(lab, "redemptions", shop))].filter((xid) => !known.has(xid)),
  ).catch(() => []);
  counted.push({ name: "rollback", wal: wal.length > 0 ? meanOf(wal) : null, asked: each(wire.take(), rest.length) });
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
      ["redemption in a batch", 1],
      ["redemption of 10 lines in a batch", 10],
    ] as const) {
      // Codes that were not used before, as most are.
      const from = lines === 1 ? 3_000 : 4_500;
      const requests = redemptionRequests(
        server,
        shop,
        numbers(1_500).map((n) => from + n),
        lines,
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

/** The two lines of the table are read from one count. */
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

const against = (
  title: string,
  unit: string,
  before: number,
  engine: number | null,
  all: readonly Counted[],
): Measured => ({
  title,
  unit,
  baseline: engine === null ? null : before,
  engine: engine ?? 0,
  ratio: engine === null ? null : engine / before,
  notes: all.map(shown),
});

export const wal: Line = {
  name: "wal",
  floor: 8_000 / BEFORE.bytes,
  aim: 6_000 / BEFORE.bytes,
  better: "lower",
  run: async (lab, { quick }) => {
    const all = await countOnce(lab, quick);
    const bytes = all.find(({ name }) => name === "redemption in a batch")?.wal?.bytes ?? null;
    return against(
      "log of a redemption without full pages, 64 connections, against November",
      "bytes",
      BEFORE.bytes,
      bytes,
      all,
    );
  },
};

export const walOfTenLines: Line = {
  name: "wal-10-lines",
  floor: 16_000 / BEFORE.bytesOfTenLines,
  aim: 12_000 / BEFORE.bytesOfTenLines,
  better: "lower",
  run: async (lab, { quick }) => {
    const all = await countOnce(lab, quick);
    const bytes = all.find(({ name }) => name === "redemption of 10 lines in a batch")?.wal?.bytes ?? null;
    const title = "log of a redemption of an order of 10 lines, against November";
    return against(title, "bytes", BEFORE.bytesOfTenLines, bytes, []);
  },
};

export const roundTrips: Line = {
  name: "round-trips",
  floor: 3 / BEFORE.trips,
  aim: 2 / BEFORE.trips,
  better: "lower",
  run: async (lab, { quick }) => {
    const all = await countOnce(lab, quick);
    const { trips } = all.find(({ name }) => name === "redemption")!.asked!;
    return against("round trips of a lone redemption, against November", "trips", BEFORE.trips, trips, []);
  },
};

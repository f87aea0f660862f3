import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Pool } from "../../../src/db/db.ts";
import { type Lab, ROOT, until } from "../lab/lab.ts";
import { headersOf, laurelMachine, type Machine, openAdmin, startDatabase, tellDoctor } from "../lab/laurel.ts";
import { type Client, createClient, ok, type Request } from "../lab/load.ts";
import { freePorts, logOf, run as runProgram, type Started, start } from "../lab/processes.ts";
import { checkOut } from "../lab/release.ts";

/** 0.2.0, the last release that stored an order five times. */
const RELEASE = "8d0a760a";
const UNKNOWN_THEN = { LAUREL_DASHBOARD: undefined, LAUREL_SECRET_KEY: undefined };
/** Requests that are really sent: the rows that they leave are multiplied. */
const SENT = 200;
/** How many times they are copied by one statement. */
const COPIES = 20;
const CUSTOMERS = 11;

/** A fifth each: a discount, a gift card, both together, and the first and the third of these rolled back afterwards. */
const kindOf = (n: number) => (["discount", "card", "stack", "discount back", "stack back"] as const)[n % 5]!;

const redeeming = (n: number): Request => {
  const kind = kindOf(n);
  const discount = { object: "voucher", id: "copied-1" };
  const card = { object: "voucher", id: "copied-2", gift: { credits: 100 } };
  return {
    line: "POST /v1/redemptions",
    key: `key ${n}`,
    body: {
      redeemables: kind === "card" ? [card] : kind.startsWith("stack") ? [discount, card] : [discount],
      order: {
        source_id: `shop-${n}`,
        items: [
          { product: { name: "Tee", price: 2500 }, quantity: 2 },
          { product: { name: "Cap", price: 1200 }, quantity: 1 },
        ],
      },
      customer: { source_id: `customer ${n % CUSTOMERS}` },
      metadata: { till: n % 3 },
    },
  };
};

type Redeemed = { redemptions: { id: string }[]; parent_redemption?: { id: string }; order: { id: string } };

/** Fills the project of a server. Gives the answers by number, and the ids of what they made. */
async function fill(client: Client) {
  await ok(client, "POST /v1/vouchers/copied-1", {
    type: "DISCOUNT_VOUCHER",
    discount: { type: "PERCENT", percent_off: 10 },
    redemption: { quantity: 1_000_000 },
  });
  await ok(client, "POST /v1/vouchers/copied-2", { type: "GIFT_VOUCHER", gift: { amount: 1e9, balance: 1e9 } });
  const answers = new Map<number, string>();
  const paths = new Set(["/v1/vouchers/copied-1", "/v1/vouchers/copied-2", "/v1/vouchers/copied-2/transactions"]);
  for (let n = 0; n < SENT; n += 1) {
    const { status, text } = await client.send(redeeming(n));
    if (status !== 200) throw new Error(`redemption ${n} answered ${status}: ${text}`);
    answers.set(n, text);
    const { redemptions, parent_redemption, order } = JSON.parse(text) as Redeemed;
    const whole = (parent_redemption ?? redemptions[0]!).id;
    for (const { id } of [...redemptions, ...(parent_redemption ? [parent_redemption] : [])])
      paths.add(`/v1/redemptions/${id}`);
    paths.add(`/v1/orders/${order.id}`).add(`/v1/redemptions/${whole}/receipt`);
    if (kindOf(n).endsWith("back")) await ok(client, `POST /v1/redemptions/${whole}/rollbacks`, {});
  }
  return { answers, paths: [...paths] };
}

/** What a redemption leaves. All of it belongs to its code, so a copy of all of it is as right as the first. */
const TABLES = [
  "vouchers",
  "orders",
  "redemptions",
  "receipts",
  "events",
  "ledger_entries",
  "ledger_lots",
  "redemption_tallies",
];

/** Ids of 2026 begin with this. In a copy they begin with its number, counted from 2000: the digits of a time that is far away. */
const BEGIN = "_01a1";
const FIRST = 0x2000;
const hexOf = (copy: number): string => `_${(FIRST + copy).toString(16)}`;
/** Names of the shop, which a copy has with its number: `copied-1` is `copied-7x1` in the seventh. */
const NAMES = ["copied-", "shop-"];
const copyOf = (text: string, copy: number): string =>
  NAMES.reduce((all, name) => all.replaceAll(name, `${name}${copy}x`), text.replaceAll(BEGIN, hexOf(copy)));

/** A row as JSON text, as it is in copy `k`. What all copies share keeps its id. */
function copiedRow(shared: readonly string[]): string {
  const begin = `'_' || to_hex(${FIRST} + k)`;
  const names = NAMES.reduce(
    (text, name) => `replace(${text}, '${name}', '${name}' || k || 'x')`,
    `replace(to_json(x)::text, '${BEGIN}', ${begin})`,
  );
  return shared.reduce((text, id) => {
    const [kind, rest] = id.split(BEGIN);
    return `replace(${text}, '${kind}' || ${begin} || '${rest}', '${id}')`;
  }, names);
}

/** Copies the rows of all requests until there are so many redemptions. */
async function multiply(lab: Lab, db: Pool, rows: number): Promise<{ stored: number; last: number }> {
  const count = async () => (await db<{ n: number }[]>`select count(*)::int as n from redemptions`)[0]!.n;
  const each = await count();
  const copies = Math.ceil(rows / each) - 1;
  const shared = await db<{ id: string }[]>`
    select id from projects union all select id from keys union all select id from customers`;
  const row = copiedRow(shared.flatMap(({ id }) => (id.includes(BEGIN) ? id : [])));
  for (const table of TABLES) await db.unsafe(`create table public.${table}_first as select * from laurel.${table}`);
  for (let from = 1; from <= copies; from += COPIES) {
    const until = Math.min(from + COPIES - 1, copies);
    await db.begin(async (tx) => {
      for (const table of TABLES)
        await tx.unsafe(`
          insert into laurel.${table} select r.* from generate_series(${from}, ${until}) as k, public.${table}_first x,
            json_populate_record(null::laurel.${table}, ${row}::json) r`);
      // The moment at which a code was made is its own in a project.
      await tx.unsafe(`
        update laurel.vouchers v set created_at = f.created_at + k * interval '1 microsecond'
        from generate_series(${from}, ${until}) as k, public.vouchers_first f
        where v.code = replace(f.code, '-', '-' || k || 'x')`);
    });
    if ((from - 1) % (COPIES * 10) === 0) lab.say(`${from + COPIES - 1} of ${copies} copies`);
  }
  for (const table of TABLES) await db.unsafe(`drop table public.${table}_first`);
  await db.unsafe("analyze");
  return { stored: await count(), last: copies };
}

/** Answers by their path. */
async function ask(client: Client, paths: readonly string[]): Promise<Map<string, unknown>> {
  const answers = new Map<string, unknown>();
  for (const path of paths) answers.set(path, await ok<unknown>(client, `GET ${path}`));
  return answers;
}

/** What a release after 0.2.0 changed: the links of a code led to paths that no operation has. */
const MENDED = /\.(?:redemption|publish)\.url$/;

/** The places of an answer where something else stands than before. What is new in it does not count. */
function changesIn(before: unknown, now: unknown, place = ""): string[] {
  if (MENDED.test(place)) return [];
  if (typeof before !== "object" || before === null) return before === now ? [] : [place];
  if (typeof now !== "object" || now === null) return [place];
  return Object.entries(before).flatMap(([name, value]) =>
    changesIn(value, (now as Record<string, unknown>)[name], `${place}.${name}`),
  );
}

function compare(lab: Lab, before: ReadonlyMap<string, unknown>, now: ReadonlyMap<string, unknown>, name: string) {
  let changed = 0;
  for (const [path, answer] of before) {
    const places = changesIn(answer, now.get(path));
    if (places.length === 0) continue;
    changed += 1;
    if (changed <= 5) lab.say(`${path} is another: ${places.slice(0, 5).join(", ")}`);
  }
  lab.figure(`${name}: answers that changed, of ${before.size}`, changed, { is: 0 });
}

/** How many receipts are not converted yet. The table goes when none is left. */
const receiptsLeft = async (db: Pool): Promise<number> => {
  const count = db<{ n: number }[]>`select count(*)::int as n from receipts`;
  const [row] = await count.catch((error) => {
    if (error.code !== "42P01") throw error;
    return [{ n: 0 }];
  });
  return row!.n;
};

const migrating = (lab: Lab, databaseUrl: string): Started =>
  start(lab, {
    name: "migrate",
    command: [process.execPath, join(ROOT, "src/cli/laurel.ts"), "migrate"],
    env: { DATABASE_URL: databaseUrl },
  });

/** Converts, killed whenever only that share is left, and says how often it was killed and how long all of it took. */
async function convert(lab: Lab, db: Pool, { databaseUrl, left }: { databaseUrl: string; left: readonly number[] }) {
  const receipts = await receiptsLeft(db);
  const began = performance.now();
  let kills = 0;
  for (const share of left) {
    const migration = migrating(lab, databaseUrl);
    const isThere = async () => migration.isGone() || (await receiptsLeft(db)) <= share * receipts;
    await until(`${share * 100} % of the receipts are left`, isThere, 3_600_000);
    if (migration.isGone()) break;
    migration.kill("SIGKILL");
    await migration.ended;
    kills += 1;
    lab.say(`killed with ${await receiptsLeft(db)} of ${receipts} receipts left`);
  }
  const code = await migrating(lab, databaseUrl).ended;
  if (code !== 0) throw new Error(`laurel migrate ended with ${code}: ${logOf(lab, "migrate")}`);
  return { seconds: (performance.now() - began) / 1000, receipts, kills };
}

/** A database of 0.2.0 with many redemptions becomes one of this release: killed, gone on with, and nothing is lost or done twice. */
export async function run(lab: Lab, { rows = 1_000_000 }: { rows?: number }): Promise<void> {
  const before = checkOut(lab, RELEASE);
  const database = await startDatabase(lab, ["max_wal_size=4GB"]);
  const db = openAdmin(lab, database.url);
  const [port] = (await freePorts(1)) as [number];
  const own = { name: "laurel", port, databaseUrl: database.url };
  const [older, server] = [laurelMachine(lab, { ...own, env: UNKNOWN_THEN }), laurelMachine(lab, own)];
  await older.up(before);
  const client = createClient(older.url, headersOf(lab, older));
  lab.atEnd(() => client.close());
  const { answers, paths } = await fill(client);
  const file = join(lab.dir, "backup-of-0.2.0");
  runProgram([process.execPath, join(before, "src/cli/laurel.ts"), "backup", file], {
    env: { DATABASE_URL: database.url },
  });
  const first = await ask(client, paths);
  await older.down();

  const { stored, last } = await multiply(lab, db, rows);
  lab.say(`${stored} redemptions are stored`);
  await older.up(before);
  // The answers of some copies, the last one among them.
  const copies = [1, 2, last].flatMap((copy) => paths.filter((_, n) => n % 7 === 0).map((path) => copyOf(path, copy)));
  const lists = [
    "/v1/redemptions?limit=100",
    "/v1/redemptions?limit=100&page=7&order=voucher_code",
    "/v1/orders?limit=100",
  ];
  const shown = await ask(client, [...paths, ...copies, ...lists]);
  await older.down();

  const { seconds, receipts, kills } = await convert(lab, db, { databaseUrl: database.url, left: [0.8, 0.4] });
  lab.figure("redemptions", stored, { atLeast: rows });
  lab.figure("kills of laurel migrate with -9", kills, { is: 2 });
  lab.figure("redemptions converted per second", Math.round(stored / seconds));
  lab.figure("minutes for 10,000,000, computed", Math.round(10_000_000 / (stored / seconds) / 60));
  const [kept] = await db<{ receipts: number; redemptions: number; states: number; used: number }[]>`
    select count(*)::int as redemptions, count(receipt)::int as receipts,
      (select count(*)::int from voucher_states) as states, (select count(distinct related_object_id)::int from redemptions
        where related_object_type = 'voucher') as used from redemptions`;
  lab.figure("redemptions lost or doubled", kept!.redemptions - stored, { is: 0 });
  lab.figure("receipts lost or doubled", kept!.receipts - receipts, { is: 0 });
  lab.figure("states of codes lost or doubled", kept!.states - kept!.used, { is: 0 });
  await server.up();
  compare(lab, shown, await ask(client, [...shown.keys()]), "after the conversion");
  await repeat(lab, client, answers);
  tellDoctor(lab, database.url);
  await server.down();
  await restore(lab, db, { file, first, server: database.url });
}

/** Requests that are sent again with their keys get what they got, to the byte. */
async function repeat(lab: Lab, client: Client, answers: ReadonlyMap<number, string>): Promise<void> {
  let changed = 0;
  for (const [n, text] of answers) if ((await client.send(redeeming(n))).text !== text) changed += 1;
  lab.figure("answers that changed when their requests were repeated", changed, { is: 0 });
}

type Backup = { file: string; first: ReadonlyMap<string, unknown>; server: string };

/** A file that `laurel backup` of 0.2.0 wrote fills an empty database of this release. */
async function restore(lab: Lab, db: Pool, { file, first, server }: Backup): Promise<void> {
  await db`create database restored`;
  const url = new URL(server);
  url.pathname = "/restored";
  runProgram([process.execPath, join(ROOT, "src/cli/laurel.ts"), "restore", file], { env: { DATABASE_URL: url.href } });
  const [port] = (await freePorts(1)) as [number];
  const machine: Machine = laurelMachine(lab, { name: "laurel", port, databaseUrl: url.href });
  await machine.up();
  await wait(500);
  const client = createClient(machine.url, headersOf(lab, machine));
  compare(lab, first, await ask(client, [...first.keys()]), "restored from a backup of 0.2.0");
  client.close();
  tellDoctor(lab, url.href);
  await machine.down();
}

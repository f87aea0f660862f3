import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readBackup, writeBackup } from "../../src/db/backup.ts";
import type { Pool } from "../../src/db/db.ts";
import { INVARIANTS } from "../../src/db/invariants.ts";
import { type Migration, migrate, readMigrations } from "../../src/db/migrate.ts";
import { vouchersOf } from "../../src/resources/promotions/vouchers/state-store.ts";
import { NOW, type TestProject, testDatabase, testEngine } from "../support/engine.ts";
import { countOnNodes } from "../support/nodes.ts";
import { testShop } from "../support/shop.ts";
import { emptyDatabase, testDir, until } from "../support/storage.ts";

// What codes are stands in `vouchers`, what they were used for in `voucher_states`.
const { db, url } = await testDatabase();
const order = { amount: 5000 };
const discount = { type: "PERCENT", percent_off: 10 };
const DIR = testDir();

/** A shop with a code, a gift card, and a loyalty card whose points pay. Each can be redeemed often. */
async function start() {
  let minutes = 0;
  const later = () => new Date(Date.parse(NOW) + ++minutes * 60_000).toISOString();
  const shop = await testShop(db, {}, { now: later });
  const { ok } = shop;
  const voucher = { discount, redemption: { quantity: null } };
  const campaign = await ok("POST /v1/campaigns", { name: "Codes", voucher, vouchers_count: 0 });
  await ok(`POST /v1/campaigns/${campaign.id}/vouchers/TEN`, {});
  await ok("POST /v1/vouchers/CARD", { type: "GIFT_VOUCHER", gift: { amount: 100_000 } });
  const loyalty_card = { points: 1000, expiration_rules: { period_type: "MONTH", period_value: 6 } };
  const club = await ok("POST /v1/loyalties", { name: "Club", voucher: { type: "LOYALTY_CARD", loyalty_card } });
  await ok(`POST /v1/campaigns/${club.id}/vouchers/POINTS`, {});
  await ok(`POST /v1/loyalties/${club.id}/members`, { voucher: "POINTS", customer: { source_id: "ada" } });
  const pay = await ok("POST /v1/rewards", { name: "Pay", parameters: { coin: { exchange_ratio: 1 } } });
  await ok(`POST /v1/loyalties/${club.id}/rewards`, [{ reward: pay.id }]);
  const kinds: Record<string, object> = {
    TEN: { object: "voucher", id: "TEN" },
    CARD: { object: "voucher", id: "CARD", gift: { credits: 100 } },
    POINTS: { object: "loyalty_card", id: "POINTS", reward: { id: pay.id, points: 10 } },
  };
  const redeem = (code: string) => ok("POST /v1/redemptions", { redeemables: [kinds[code]], order });
  return { ...shop, campaign, redeem };
}

const holdsAll = async (pool: Pool) => {
  for (const [name, find] of Object.entries(INVARIANTS)) assert.equal((await find(pool))[0]!.count, 0, name);
};

test("a redemption changes one row on its page, and no row of a code", async () => {
  const { redeem, ok } = await start();
  /** What was made, changed, and changed on its page. A table that is spread over machines is counted in its parts. */
  const countsOf = (table: string) =>
    Promise.all(
      ["n_tup_ins", "n_tup_upd", "n_tup_hot_upd"].map((name) =>
        countOnNodes(
          db,
          `select coalesce(sum(${name}), 0)::bigint as count from pg_stat_all_tables where relname ~ '^${table}(_\\d+)?$'`,
        ),
      ),
    );
  const counted = () => Promise.all(["vouchers", "voucher_states"].map(countsOf));
  // A published card is due at once, and with its first use on the day when its points expire: the one date that an index has.
  await redeem("POINTS");
  // A server process tells what it has counted when it likes. The card has a state since it was published.
  await until("all that was made is counted", async () => (await counted())[1]!.join() === "1,2,2");
  const [before] = await counted();
  // 11 versions of at most 520 bytes fit on a page of 8 kB: so it does not matter when the server takes old ones away.
  const TIMES = 2;
  for (let n = 0; n < TIMES; n += 1) for (const code of ["TEN", "CARD", "POINTS"]) await redeem(code);
  // The first use of the two others makes their rows. A card of points is written twice: its sums, and that it was used.
  const changes = 2 + 2 * (TIMES - 1) + 2 * TIMES;
  await until("all uses are counted", async () => (await counted())[1]![1]! >= changes);
  const [codes, states] = await counted();
  const [largest] = await db<{ bytes: number }[]>`select max(pg_column_size(s.*)) as bytes from voucher_states s`;
  assert.ok((3 + changes) * largest!.bytes < 0.9 * 8192, `all versions fit on a page, of ${largest!.bytes} bytes each`);
  assert.deepEqual(states, [3, changes, changes], "as many stayed on their page as there were");
  assert.deepEqual(codes, before, "no code was changed");
  assert.equal((await ok("GET /v1/vouchers/TEN")).redemption.redeemed_quantity, TIMES);
});

test("no index names a column that a redemption changes", async () => {
  const { redeem, project } = await start();
  const indexed = await db<{ name: string; columns: string[] }[]>`
    select c.relname as name, array(
      select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and exists (
        select 1 from pg_index i left join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
          and d.refobjid = c.oid
        where i.indrelid = c.oid and (a.attnum = any(i.indkey::int2[]) or a.attnum = d.refobjsubid))) as columns
    from pg_class c where c.relnamespace = 'laurel'::regnamespace and c.relname in ('vouchers', 'voucher_states')`;
  const columnsOf = new Map(indexed.map(({ name, columns }) => [name, columns]));
  assert.deepEqual(columnsOf.get("voucher_states")!.sort(), ["project_id", "voucher_id"]);
  assert.ok(columnsOf.get("vouchers")!.includes("published_count"), "what a predicate names counts");
  const rows = async (table: string) => {
    const all = await db<{ row: Record<string, unknown> }[]>`
      select to_jsonb(t) as row from ${db(table)} t where project_id = ${project.id} order by 1`;
    return all.map(({ row }) => row);
  };
  for (const code of ["TEN", "CARD", "POINTS"]) await redeem(code);
  const before = [await rows("vouchers"), await rows("voucher_states")];
  for (const code of ["TEN", "CARD", "POINTS"]) await redeem(code);
  const changed = (await Promise.all(["vouchers", "voucher_states"].map(rows))).map((all, t) => {
    const fields = all.flatMap((row, n) =>
      Object.keys(row).filter((field) => JSON.stringify(row[field]) !== JSON.stringify(before[t]![n]![field])),
    );
    return [...new Set(fields)].sort();
  });
  assert.deepEqual(changed, [[], ["account", "redeemed_quantity", "updated_at", "uses"]]);
  const names = changed[1]!.filter((field) => columnsOf.get("voucher_states")!.includes(field));
  assert.deepEqual(names, []);
});

test("a code keeps the template that it was first redeemed with, and shows the later of its two moments", async () => {
  const { redeem, ok, campaign } = await start();
  const { updated_at: unused } = await ok("GET /v1/vouchers/TEN");
  await redeem("TEN");
  const used = await ok("GET /v1/vouchers/TEN");
  const edited = await ok("PUT /v1/vouchers/TEN", { additional_info: "later" });
  assert.equal((await ok("GET /v1/vouchers/TEN")).updated_at, edited.updated_at);
  await redeem("TEN");
  const again = await ok("GET /v1/vouchers/TEN");
  const moments = [used.updated_at, edited.updated_at, again.updated_at];
  assert.equal(unused, null);
  assert.deepEqual(moments, moments.toSorted());
  assert.equal(new Set(moments).size, 3);
  const more = { ...discount, percent_off: 50 };
  await ok(`PUT /v1/campaigns/${campaign.id}`, { discount: more });
  await ok(`POST /v1/campaigns/${campaign.id}/vouchers/NEW`, {});
  const worth = async (code: string) => (await ok(`GET /v1/vouchers/${code}`)).discount.percent_off;
  assert.deepEqual([await worth("TEN"), await worth("NEW")], [10, 50]);
});

const FIRST = "0041_voucher_states.sql";
/** What the tables of an older version had of a project's codes. */
const TABLES = ["projects", "tenants", "keys", "customers", "campaigns", "campaign_codes", "voucher_templates"];
const OWN = ["categories", "validation_rules", "ledger_entries", "ledger_lots", "redemptions", "counters"];

/** A database before the conversion, with the codes of the project as that version kept them. */
async function older(project: TestProject) {
  const target = await emptyDatabase(db, url);
  const all = readMigrations();
  const before = all.slice(
    0,
    all.findIndex(({ name }) => name === FIRST),
  );
  await migrate(target.db, before);
  const copy = async (table: string, rows: readonly { row: object }[]) => {
    const json = target.db.json(rows.map(({ row }) => row) as never);
    await target.db`
      insert into ${target.db(table)} select * from jsonb_populate_recordset(null::${target.db(table)}, ${json})`;
  };
  for (const table of [...TABLES, ...OWN]) {
    const key = table === "projects" ? "id" : "project_id";
    await copy(table, await db`select to_jsonb(t) as row from ${db(table)} t where ${db(key)} = ${project.id}`);
  }
  await copy("vouchers", await db`select to_jsonb(t) as row from ${vouchersOf(db, project.id)} t`);
  const { call } = await testEngine(target.db, project, {});
  return { ...target, before, call };
}

/** Lists of codes in every order and by what states decide, and the codes one by one. */
async function answersOf(call: Awaited<ReturnType<typeof older>>["call"]): Promise<string[]> {
  const lists = ["created_at", "updated_at", "code"].flatMap((one) => [
    `order=${one}`,
    `order=-${one}`,
    `order=-${one}&limit=4&page=2`,
  ]);
  const filters = [
    "filters[redemption_status][conditions][$redeemed][0]=true",
    "filters[redemption_status][conditions][$redeemable][0]=true&order=-updated_at",
    "filters[redemption.redeemed_quantity][conditions][$more_than][0]=0",
    "filters[updated_at][conditions][$has_value][0]=true&order=-updated_at",
    "updated_at[after]=2026-01-01T12:20:00Z&order=-updated_at",
  ];
  const paths = [...lists, ...filters].map((query) => `/v1/vouchers?${query}`);
  const texts: string[] = [];
  for (const path of [...paths, "/v1/vouchers/TEN", "/v1/vouchers/CARD", "/v1/vouchers/POINTS"]) {
    const { status, text } = await call(`GET ${path}`);
    assert.equal(status, 200, `${path}: ${text}`);
    texts.push(text);
  }
  return texts;
}

/** The same migrations, which convert three codes at a time. */
const inThrees = (migrations: readonly Migration[]) =>
  migrations.map((one) => ({ ...one, sql: one.sql.replace("limit 2000", "limit 3") }));

async function usedShop() {
  const shop = await start();
  const { ok, redeem } = shop;
  for (const code of ["TEN", "CARD", "POINTS", "TEN"]) await redeem(code);
  for (let n = 0; n < 5; n += 1) {
    await ok(`POST /v1/vouchers/ONCE-${n}`, { discount, redemption: { quantity: 1 } });
    if (n % 2 === 0) await ok("POST /v1/redemptions", { redeemables: [{ object: "voucher", id: `ONCE-${n}` }], order });
    if (n > 2) await ok(`PUT /v1/vouchers/ONCE-${n}`, { additional_info: "edited" });
  }
  await ok("POST /v1/vouchers/CARD/balance", { amount: 50 });
  await ok("DELETE /v1/vouchers/ONCE-0");
  return shop;
}

test("codes of the version before are converted in chunks, go on after a failure, and answer as before", async () => {
  const { call, project } = await usedShop();
  const wanted = await answersOf(call);
  const old = await older(project);
  const all = inThrees(readMigrations());
  const upTo = all.findIndex(({ name }) => name === FIRST) + 1;
  await migrate(old.db, all.slice(0, upTo));
  const [{ id }] = (await old.db`select id from vouchers where redeemed_quantity > 0 order by id desc limit 1`) as [
    any,
  ];
  await old.db`alter table voucher_states add constraint planted check (voucher_id <> ${old.db.unsafe(`'${id}'`)})`;
  await assert.rejects(migrate(old.db, all), /planted/);
  const count = async () => (await old.db`select count(*) from voucher_states`)[0]!.count;
  assert.equal(await count(), 3, "one chunk is kept, the second is not");
  await old.db`alter table voucher_states drop constraint planted`;
  const seen: [number, number][] = [];
  const ofStates = (name: string) => name.includes("voucher_states");
  await migrate(old.db, all, { progress: (name, done, left) => void (ofStates(name) && seen.push([done, left])) });
  assert.deepEqual([seen.at(-1), await count()], [[3, 3], 6], "six codes were used, each is converted once");
  assert.deepEqual(await answersOf(old.call), wanted);
});

test("a backup of the version before is restored with what its codes were used for", async () => {
  const { call, project } = await usedShop();
  const wanted = await answersOf(call);
  const old = await older(project);
  const file = join(DIR, "older");
  await writeBackup(old.db, { file, now: NOW });
  const target = await emptyDatabase(db, url);
  await readBackup(target.db, { file });
  const restored = await testEngine(target.db, project, {});
  assert.deepEqual(await answersOf(restored.call), wanted);
  const again = join(DIR, "newer");
  await writeBackup(target.db, { file: again, now: NOW });
  const other = await emptyDatabase(db, url);
  await readBackup(other.db, { file: again });
  assert.deepEqual(
    await answersOf((await testEngine(other.db, project, {})).call),
    wanted,
    "and so is one of this version",
  );
});

test("a code that is deleted for good leaves no state", async () => {
  const { redeem, ok, project } = await start();
  await redeem("TEN");
  await ok("DELETE /v1/vouchers/TEN?force=true");
  assert.deepEqual(
    [...(await db`select * from voucher_states where project_id = ${project.id} and account is null`)],
    [],
  );
  await holdsAll(db);
});

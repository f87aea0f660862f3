import assert from "node:assert/strict";
import { test } from "node:test";
import { checkServer } from "../../src/cli/database.ts";
import { examine } from "../../src/cli/doctor.ts";
import { DEFAULT_STACKING } from "../../src/core/stacking/settings.ts";
import type { Pool, Tx } from "../../src/db/db.ts";
import { INVARIANTS } from "../../src/db/invariants.ts";
import { migrate, readMigrations } from "../../src/db/migrate.ts";
import { NOW, testDatabase, testProject } from "../support/engine.ts";
import { NODES } from "../support/nodes.ts";
import { testShop } from "../support/shop.ts";
import { emptyDatabase } from "../support/storage.ts";

const { db, url, open } = await testDatabase();
const bad = async (pool: Pool) => (await examine(pool)).filter(({ ok }) => !ok);

test("on a fresh database, and after ordinary use, nothing is wrong", async () => {
  assert.deepEqual(await bad(db), []);
  const { call, project } = await testShop(db);
  const { id } = (await call("POST /v1/categories", { name: "Summer", hierarchy: 1 }, { "idempotency-key": "k" })).body;
  await call(`POST /management/v1/projects/${project.id}/stacking-rules`, {
    exclusive_categories: [id],
    applicable_redeemables_category_limits: { [id]: 2 },
  });
  assert.deepEqual(await bad(db), []);
  const names = (await examine(db)).map(({ name }) => name);
  const places = NODES.length > 0 ? ["every table is on the machines that it belongs on"] : [];
  assert.deepEqual(names, ["database", "clocks", "migrations", ...places, ...Object.keys(INVARIANTS)]);
});

type Plant = (tx: Tx, projectId: string) => Promise<unknown>;
const inserted =
  (table: string, row: object): Plant =>
  async (tx, project_id) =>
    tx`insert into ${tx(table)} ${tx({ project_id, ...row } as never)}`;

const NO_SUMS = {
  ...{ redemptions: 0, rollbacks: 0, discount: 0, gift_credits: 0, points_issued: 0, points_spent: 0 },
  ...{ revenue: 0, orders: 0, refusals: 0 },
};
/** A project whose figures are counted, with rows that nothing adds up to. */
const counted =
  (...rows: [table: string, row: object][]): Plant =>
  async (tx, project_id) => {
    const [{ cluster }] = await tx<[{ cluster: string }]>`
      select to_hex(system_identifier) as cluster from pg_control_system()`;
    const position = { cluster, transaction_id: 1, zone: "UTC", zone_minutes: 0, is_cleared: true };
    await inserted("rollup_positions", position)(tx, project_id);
    for (const [table, row] of rows) await inserted(table, row)(tx, project_id);
  };
const TIER = { subject: "tier", subject_id: "promo_1" };
const DAY = { subject: "project", subject_id: "", day: "2026-01-01", ...NO_SUMS };
/** Stacking rules that name a category which is another project's. */
const naming =
  (rules: object): Plant =>
  async (tx, project_id) => {
    const [other] = await tx<{ id: string }[]>`select id from projects where id <> ${project_id} limit 1`;
    const category = { id: "cat_other", name: "Other", hierarchy: 1, created_at: NOW };
    await tx`insert into categories ${tx({ ...category, project_id: other!.id })}`;
    const row = { project_id, id: "stk_1", rules: tx.json({ ...DEFAULT_STACKING, ...rules }), created_at: NOW };
    await tx`insert into stacking_rules ${tx(row as never)}`;
  };

/** A campaign with one code, which may be in the bin, that counts so many. */
const counting =
  (vouchers_count: number, isBinned: boolean): Plant =>
  async (tx, id) => {
    await insertCampaignAndCode(tx, id, isBinned);
    await tx`update campaign_codes set vouchers_count = ${vouchers_count} where project_id = ${id}`;
  };

/** An entry of the bin for something that is not in it. */
const binnedAs =
  (resource_type: string, resource_id: string): Plant =>
  async (tx, project_id) => {
    await insertCampaignAndCode(tx, project_id, false);
    const names = { resource_type, resource_id, resource_name: "A", created_at: NOW };
    await tx`insert into trash_bin_entries ${tx({ project_id, id: "tbe_1", ...names })}`;
  };

async function insertCampaignAndCode(tx: Tx, project_id: string, isBinned: boolean): Promise<void> {
  const campaign = { id: "camp_1", name: "A", campaign_type: "GIFT_VOUCHERS", type: "STATIC", created_at: NOW };
  await tx`insert into campaigns ${tx({ project_id, ...campaign })}`;
  const done = { creation_status: "DONE", vouchers_generation_status: "DONE", vouchers_count: 1 };
  await tx`insert into campaign_codes ${tx({ project_id, campaign_id: "camp_1", ...done })}`;
  const voucher = { id: "v_1", code: "A", code_folded: "a", campaign_id: "camp_1", type: "GIFT_VOUCHER" };
  const deleted_at = isBinned ? NOW : null;
  await tx`insert into vouchers ${tx({ project_id, ...voucher, created_at: NOW, deleted_at })}`;
}

const SUMS = { available: 10, pending: 0, received: 10, subtracted: 0, expired: 0, spent: 0 };
/** A card with 10 credits, of which one of the three that must agree is another. */
const holding =
  ({ account = SUMS, entry = 10, lot = 10 }: { account?: object | null; entry?: number; lot?: number }): Plant =>
  async (tx, project_id) => {
    await insertCampaignAndCode(tx, project_id, false);
    const text = account && JSON.stringify(account);
    await tx`insert into voucher_states (project_id, voucher_id, account) values (${project_id}, 'v_1', ${text}::text::jsonb)`;
    await tx`
      insert into ledger_entries (project_id, id, account_id, pot, kind, amount, balance, total, lots, created_at)
      values (${project_id}, 'vtx_1', 'v_1', 'available', 'opening', ${entry}, ${entry}, ${entry}, '[]', now())`;
    if (lot > 0)
      await tx`
        insert into ledger_lots (project_id, id, account_id, pot, amount, remaining, created_at)
        values (${project_id}, 'lopb_1', 'v_1', 'available', ${lot}, ${lot}, now())`;
  };

/** A member of a program. */
async function insertMember(tx: Tx, project_id: string, status = "ACTIVE"): Promise<void> {
  const member = { id: "lmbr_1", program_id: "lprg_1", customer_id: "cust_1", status, created_at: NOW };
  await tx`insert into loyalty_members ${tx({ project_id, ...member })}`;
}
async function insertCard(tx: Tx, project_id: string, given: object = {}): Promise<void> {
  const account = { sums: { ...SUMS, available: 0, received: 0 }, earned: null, spent: null };
  const of = { program_id: "lprg_1", member_id: "lmbr_1", card_definition_id: "lcdef_1" };
  const card = { id: "lcrd_1", ...of, code: "A", code_folded: "a", account, created_at: NOW, ...given };
  await tx`insert into loyalty_cards ${tx({ project_id, ...card } as never)}`;
}
/** A loyalty card with 10 points, of which one of the three that must agree is another. */
const earning =
  ({ sums = SUMS, entry = 10, lot = 10 }: { sums?: object; entry?: number; lot?: number }): Plant =>
  async (tx, project_id) => {
    await insertMember(tx, project_id);
    await insertCard(tx, project_id, { account: { sums, earned: null, spent: null } });
    await tx`
      insert into ledger_entries (project_id, id, account_id, pot, kind, amount, balance, total, lots, created_at)
      values (${project_id}, 'lctx_1', 'lcrd_1', 'available', 'accrual', ${entry}, ${entry}, ${entry}, '[]', now())`;
    await tx`
      insert into ledger_lots (project_id, id, account_id, pot, amount, remaining, created_at)
      values (${project_id}, 'lopb_1', 'lcrd_1', 'available', 10, ${lot}, now())`;
  };

/** A purchase of 5 points, of which the ledger says something else. */
const spending =
  ({ status, entry }: { status: string; entry: number }): Plant =>
  async (tx, project_id) => {
    const about = { program_id: "lprg_1", member_id: "lmbr_1", card_id: "lcrd_1", subject_id: "lrew_1" };
    const details = { points: { total: 5 }, card_transaction_id: "lctx_2" };
    const row = { id: "lrtx_1", kind: "reward", type: "PURCHASE", ...about, status, details, created_at: NOW };
    await tx`insert into loyalty_transactions ${tx({ project_id, ...row } as never)}`;
    await insertMember(tx, project_id);
    const sums = { ...SUMS, available: 0, received: -entry, spent: -entry, locked: 5, unlocked: 5 };
    await insertCard(tx, project_id, { account: { sums, earned: null, spent: null } });
    await tx`
      insert into ledger_entries (project_id, id, account_id, pot, kind, amount, balance, total, lots, created_at)
      values (${project_id}, 'lctx_1', 'lcrd_1', 'available', 'addition', ${-entry}, ${-entry}, ${-entry}, '[]', now()),
        (${project_id}, 'lctx_2', 'lcrd_1', 'available', 'reward_spend', ${entry}, 0, ${-entry}, '[]', now())`;
  };

/** A file that says it is so long, and the numbers of its chunks of one byte each. */
const filing =
  (bytes: number, numbers: number[]): Plant =>
  async (tx, project_id) => {
    const about = { kind: "report", name: "a.csv", content_type: "text/csv", is_personal: false };
    const row = { project_id, id: "file_1", ...about, bytes, chunks: numbers.length, created_at: NOW, expires_at: NOW };
    await tx`insert into files ${tx(row as never)}`;
    for (const number of numbers)
      await tx`insert into file_chunks (project_id, file_id, number, content) values (${project_id}, 'file_1', ${number}, 'a')`;
  };

/** An export, and whether its file, which is empty, is complete. */
const exporting =
  (status: string, is_complete: boolean): Plant =>
  async (tx, project_id) => {
    await filing(0, [])(tx, project_id);
    await tx`update files set id = 'exp_1', is_complete = ${is_complete} where project_id = ${project_id}`;
    const asked = { exported_object: "order", channel: "API", parameters: {}, plan: {} };
    const row = { project_id, id: "exp_1", status, ...asked, created_at: NOW };
    await tx`insert into exports ${tx(row as never)}`;
  };

/** A friend who came through a code; with the number of times that it was told, they are there. */
const referring =
  (given: object, told?: number): Plant =>
  async (tx, project_id) => {
    const by = { related_object_type: "order", related_object_id: "ord_1" };
    const row = { campaign_id: "camp_1", referee_id: "cust_1", referrer_id: "cust_2", voucher_id: "v_1", ...by };
    await tx`insert into referral_conversions ${tx({ project_id, ...row, created_at: NOW, ...given } as never)}`;
    if (told === undefined) return;
    await tx`insert into customers ${tx({ project_id, id: "cust_1", created_at: NOW, metadata: {} } as never)}`;
    for (let n = 0; n < told; n += 1) {
      const event = { id: `ev_${n}`, kind: "customer.referred", customer_id: "cust_1", campaign_id: "camp_1" };
      await tx`insert into events ${tx({ project_id, ...event, group_id: "v-1", created_at: NOW } as never)}`;
    }
  };

const NOTHING = { order_amount: 0, discount_amount: 0, gift_amount: 0 };
const SPENT = { order_amount: 10, discount_amount: 3, gift_amount: 5 };
/** One redemption of a tier, counted and summed up by the tier. */
const redeemedTier =
  ({ counted = 1, status = "SUCCEEDED", sums = SPENT }): Plant =>
  async (tx, project_id) => {
    await insertCampaignAndCode(tx, project_id, false);
    const tier = { id: "promo_1", campaign_id: "camp_1", name: "A", action: {}, hierarchy: 1, created_at: NOW };
    await tx`insert into promotion_tiers ${tx({ project_id, ...tier } as never)}`;
    const of = { related_object_type: "promotion_tier", related_object_id: "promo_1", effect: SPENT };
    const row = { id: "r_1", object: "redemption", result: "SUCCESS", status, ...of, metadata: {}, channel: {} };
    await tx`insert into redemptions ${tx({ project_id, ...row, created_at: NOW } as never)}`;
    const counter = { subject_kind: "promotion_tier", subject_id: "promo_1", period_kind: "total" };
    const total = { period_start: "1970-01-01", redemptions: counted, ...sums };
    await tx`insert into counters ${tx({ project_id, ...counter, ...total })}`;
    const tally = { id: "r_1", object: "redemption", result: "SUCCESS", campaign_id: "", count: 1 };
    await tx`insert into redemption_tallies ${tx({ project_id, ...tally })}`;
  };

/** One redemption of the code of a campaign, counted by the code, by the campaign and in the totals. */
const redeemed =
  ({ quantity = 1, counted = 1, tallied = 1, status = "SUCCEEDED", sums = SPENT }): Plant =>
  async (tx, project_id) => {
    await insertCampaignAndCode(tx, project_id, false);
    await tx`insert into voucher_states ${tx({ project_id, voucher_id: "v_1", redeemed_quantity: quantity })}`;
    const of = { related_object_type: "voucher", related_object_id: "v_1", campaign_id: "camp_1" };
    const what = { object: "redemption", result: "SUCCESS", status, ...of };
    const row = { project_id, id: "r_1", ...what, metadata: {}, channel: {}, effect: SPENT, created_at: NOW };
    await tx`insert into redemptions ${tx(row as never)}`;
    await tx`
        insert into counters (project_id, subject_kind, subject_id, period_kind, period_start, redemptions,
          order_amount, discount_amount, gift_amount)
        values (${project_id}, 'campaign', 'camp_1', 'total', '1970-01-01', ${counted},
          ${sums.order_amount}, ${sums.discount_amount}, ${sums.gift_amount})`;
    if (tallied > 0)
      await tx`
        insert into redemption_tallies (project_id, id, object, result, campaign_id, count)
        values (${project_id}, 'r_1', 'redemption', 'SUCCESS', 'camp_1', ${tallied})`;
  };

/** A code of a campaign that counts so many publications, with a publication of that result. */
const publishedTo =
  (published_count: number, result: "SUCCESS" | "FAILURE"): Plant =>
  async (tx, project_id) => {
    await insertCampaignAndCode(tx, project_id, false);
    await tx`update vouchers set published_count = ${published_count} where project_id = ${project_id}`;
    const row = { project_id, id: "pub_1", voucher_ids: ["v_1"], channel: "API", result, created_at: NOW };
    await tx`insert into publications ${tx(row as never)}`;
  };

/** For each invariant, ways to break it. The transaction is undone afterwards. */
const PLANTED: Record<string, Plant[]> = {
  "an export is done when its file is complete, and not before": [
    exporting("DONE", false),
    exporting("IN_PROGRESS", true),
  ],
  "a file is as long as its chunks, and has all of them": [filing(3, [0, 1]), filing(2, [0, 2]), filing(1, [])],
  "every claimed idempotency key has its answer": [
    (tx, id) => tx`insert into idempotency_keys values (${id}, 'app a', 'k', 'h', null, null, now(), now())`,
  ],
  "a catalog change is not newer than its project's revision": [
    (tx, id) => tx`insert into catalog_changes values (${id}, 1000, 'category', 'cat_1')`,
  ],
  "every project has the row that its inserts read": [(tx, id) => tx`delete from tenants where project_id = ${id}`],
  "what sessions hold of a code is the sum of their locks": [
    async (tx, id) => {
      await insertCampaignAndCode(tx, id, false);
      await tx`insert into session_sums values (${id}, 'v_1', 1, 0, 0)`;
    },
    async (tx, id) => {
      await insertCampaignAndCode(tx, id, false);
      await tx`
        insert into session_locks (project_id, redeemable_id, session_key, quantity, expires_at)
        values (${id}, 'v_1', 's', 1, now())`;
    },
  ],
  "a project has at most 1,000 access tokens": [
    async (tx, id) => {
      await tx`insert into signing_keys values ('s', 'secret', ${NOW})`;
      await tx`
        insert into oauth_tokens (project_id, id, key_id, signing_key_id, scope, created_at, expires_at)
        select ${id}, 'tok_' || n, 'k', 's', 'api', now(), now() from generate_series(1, 1001) n`;
    },
  ],
  "a project has at most one set of stacking rules, for categories of its own": [
    naming({ exclusive_categories: ["cat_other"] }),
    naming({ no_effect_skip_categories: ["cat_other"] }),
    naming({ applicable_redeemables_category_limits: { cat_other: 2 } }),
  ],
  "a SKU of a product in the bin is in the bin too": [
    async (tx, id) => {
      await tx`insert into products (project_id, id, created_at, deleted_at) values (${id}, 'prod_1', now(), now())`;
      await tx`insert into skus (project_id, id, product_id, created_at) values (${id}, 'sku_1', 'prod_1', now())`;
    },
  ],
  "a code of a campaign belongs to a campaign that exists": [
    (tx, id) => tx`
      insert into vouchers (project_id, id, code, code_folded, campaign_id, type, created_at)
      values (${id}, 'v_1', 'A', 'a', 'camp_1', 'GIFT_VOUCHER', now())`,
  ],
  "a campaign counts its codes that are not deleted": [counting(0, false), counting(2, false), counting(1, true)],
  "an entry of the bin stands for something that is in it": [
    binnedAs("campaign", "camp_1"),
    binnedAs("voucher", "v_1"),
    async (tx, id) => {
      await tx`insert into products (project_id, id, created_at) values (${id}, 'prod_1', now())`;
      await tx`
        insert into trash_bin_entries (project_id, id, resource_type, resource_id, resource_name, created_at)
        values (${id}, 'tbe_1', 'product', 'prod_1', 'A', now())`;
    },
  ],
  "what a card holds is the sum of its entries and of what is left in its lots": [
    holding({ entry: 9 }),
    holding({ lot: 9 }),
    holding({ lot: 0 }),
    holding({ account: null }),
    holding({ account: { ...SUMS, received: 11 } }),
    holding({ account: { ...SUMS, pending: 1 } }),
  ],
  "a code whose points expire or wait is due some day": [
    ...["expires_at", "activates_at"].map(
      (field): Plant =>
        async (tx, id) => {
          await holding({})(tx, id);
          await tx`update vouchers set type = 'LOYALTY_CARD' where project_id = ${id}`;
          await tx`update ledger_lots set ${tx(field)} = now() where project_id = ${id}`;
        },
    ),
  ],
  "what a code was used for belongs to a code that exists": [
    (tx, project_id) => tx`insert into voucher_states (project_id, voucher_id) values (${project_id}, 'v_none')`,
  ],
  "an order is of a customer who exists": [
    (tx, id) =>
      tx`insert into orders ${tx({ project_id: id, id: "ord_1", status: "PAID", customer_id: "c", created_at: NOW })}`,
  ],
  "an order names the redemptions that show it as it is": [
    async (tx, id) => {
      await redeemed({})(tx, id);
      await tx`insert into orders ${tx({ project_id: id, id: "ord_1", status: "PAID", created_at: NOW })}`;
      await tx`update redemptions set order_id = 'ord_1' where project_id = ${id}`;
    },
  ],
  "what a loyalty card holds is the sum of its entries and of what is left in its lots": [
    earning({ entry: 9 }),
    earning({ lot: 9 }),
    earning({ lot: 0 }),
    earning({ sums: { ...SUMS, received: 11 } }),
    earning({ sums: { ...SUMS, pending: 1 } }),
    earning({ sums: { ...SUMS, returned: 1 } }),
    earning({ sums: { ...SUMS, locked: 2, unlocked: 1 } }),
  ],
  "a loyalty card is of its member's program, and deleted with its member": [
    async (tx, id) => {
      await insertMember(tx, id, "DELETED");
      await insertCard(tx, id);
    },
    async (tx, id) => {
      await insertMember(tx, id);
      await insertCard(tx, id, { deleted_at: NOW });
    },
    async (tx, id) => {
      await insertMember(tx, id);
      await insertCard(tx, id, { program_id: "lprg_2" });
    },
  ],
  "what a loyalty program uses is used by one that is not deleted": [
    async (tx, id) => {
      const program = { id: "lprg_1", name: "A", status: "DELETED", validity_hours: {}, created_at: NOW };
      await tx`insert into loyalty_programs ${tx({ project_id: id, ...program } as never)}`;
      await tx`
        insert into loyalty_assignments (project_id, program_id, kind, component_id, created_at)
        values (${id}, 'lprg_1', 'reward', 'lrew_1', now())`;
    },
  ],
  "a reward that was bought and an order that was paid took their points from the card": [
    spending({ status: "APPROVED", entry: -4 }),
    spending({ status: "APPROVED", entry: 0 }),
    spending({ status: "REJECTED", entry: -5 }),
  ],
  "a code was redeemed as often as it has redemptions that were not rolled back": [
    redeemed({ quantity: 0 }),
    redeemed({ quantity: 2 }),
    redeemed({ status: "ROLLED_BACK", counted: 0, sums: NOTHING }),
  ],
  "a campaign counts its redemptions that were not rolled back": [
    redeemed({ counted: 0 }),
    redeemed({ counted: 2 }),
    redeemed({ status: "ROLLED_BACK", quantity: 0, sums: NOTHING }),
  ],
  "a campaign sums up its redemptions that were not rolled back": [
    redeemed({ sums: { ...SPENT, order_amount: 9 } }),
    redeemed({ sums: { ...SPENT, discount_amount: 4 } }),
    redeemed({ sums: { ...SPENT, gift_amount: 0 } }),
    redeemed({ status: "ROLLED_BACK", quantity: 0, counted: 0 }),
  ],
  "a promotion tier counts and sums up its redemptions that were not rolled back": [
    redeemedTier({ counted: 0 }),
    redeemedTier({ counted: 2 }),
    redeemedTier({ sums: { ...SPENT, order_amount: 11 } }),
    redeemedTier({ sums: { ...SPENT, discount_amount: 0 } }),
    redeemedTier({ sums: { ...SPENT, gift_amount: 6 } }),
    redeemedTier({ status: "ROLLED_BACK" }),
  ],
  "the totals of redemptions are how many there are": [redeemed({ tallied: 0 }), redeemed({ tallied: 2 })],
  "nobody is referred by themselves, and what referred them is there": [
    referring({ referrer_id: "cust_1" }),
    referring({ related_object_type: "redemption" }),
  ],
  "what refusals take is the sum of what each takes": [
    inserted("refusal_usage", { bytes: 5, minute: NOW, in_minute: 0 }),
  ],
  "as many refusals are counted as were kept, or more": [
    inserted("refusal_counts", { id: "rfc_1", hour: NOW, campaign_id: "", reason: "not_found", count: 1, kept: 2 }),
  ],
  "the figures of an hour are what its rows add up to": [
    counted(["rollup_hours", { ...TIER, hour: NOW, ...NO_SUMS, redemptions: 1 }]),
  ],
  "the figures of a day are what its rows add up to": [
    counted(["rollup_days", { ...DAY, ...TIER, discount: 5, unique_customers: 0 }]),
  ],
  "who redeemed on a day is counted for it once": [
    counted(
      ["rollup_days", { ...DAY, unique_customers: 1 }],
      ["rollup_customers", { campaign_id: "", day: DAY.day, customer_id: "cust_1", is_sampled: false }],
    ),
  ],
  "a day has as many customers as are noted for it": [counted(["rollup_days", { ...DAY, unique_customers: 1 }])],
  "who was referred was told of it once": [referring({}, 0), referring({}, 2)],
  "a code was published as often as it is in publications": [
    publishedTo(0, "SUCCESS"),
    publishedTo(2, "SUCCESS"),
    publishedTo(1, "FAILURE"),
  ],
};

test("there is a planted fault for every invariant", () => {
  assert.deepEqual(Object.keys(PLANTED).sort(), Object.keys(INVARIANTS).sort());
});

const planted = Object.entries(PLANTED).flatMap(([name, ways]) => ways.map((plant, n) => ({ name, plant, n })));
for (const { name, plant, n } of planted) {
  test(`it is found when it does not hold: ${name} (${n + 1})`, async () => {
    await testProject(db);
    const { id } = await testProject(db);
    const undo = new Error("undo");
    const found = db.begin(async (tx) => {
      await plant(tx, id);
      const wrong = await bad(tx as unknown as Pool);
      assert.deepEqual(
        wrong.map((finding) => finding.name),
        [name],
      );
      assert.match(wrong[0]!.says, /^1 break it, for example \S+/);
      assert.ok(wrong[0]!.says.includes(id), "it says whose it is");
      throw undo;
    });
    await assert.rejects(found, (error) => {
      if (error !== undo) throw error;
      return true;
    });
  });
}

test("a changed, a missing and an unknown migration are found, and so is a database without any", async () => {
  const other = await emptyDatabase(db, url);
  const says = async () => (await bad(other.db)).map((finding) => `${finding.name}: ${finding.says}`);
  assert.deepEqual(await says(), ["migrations: none applied; run `laurel migrate`"]);
  const all = readMigrations();
  const last = all.at(-1)!.name;
  await migrate(other.db, all.slice(0, -1));
  assert.deepEqual(await says(), ["migrations: 1 not applied; run `laurel migrate`"]);
  await migrate(other.db);
  assert.deepEqual(await says(), []);
  await other.db`update migrations set checksum = 'changed' where name = ${last}`;
  assert.match((await says())[0]!, new RegExp(`^migrations: The migration ${last} was changed after it ran`));
  await other.db`update migrations set checksum = ${all.at(-1)!.checksum} where name = ${last}`;
  await other.db`insert into migrations values ('9999_new.sql', '', now())`;
  assert.match((await says())[0]!, /^migrations: The database has the migration 9999_new\.sql, which this version/);
  await other.db`update migrations set runs_from = '0.0' where name = '9999_new.sql'`;
  assert.deepEqual(await says(), [], "a newer version has added something, and this one runs on");
  const { says: told } = (await examine(other.db)).find(({ name }) => name === "migrations")!;
  assert.equal(told, `${all.length} applied; 1 more of a newer version, which this one runs on with`);
});

test("a connection whose schema is another, as behind a pooler, is refused with the way out", async () => {
  const pool = open({ max: 1 });
  await checkServer(pool);
  await pool`set search_path = public`;
  await assert.rejects(checkServer(pool), /use the schema public and not laurel.*alter role "laurel" set search_path/);
});

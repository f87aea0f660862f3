import assert from "node:assert/strict";
import { test } from "node:test";
import { purgeExpired } from "../../src/jobs/purge-expired.ts";
import { newId } from "../../src/sources.ts";
import { NOW, testDatabase, testEngine } from "../support/engine.ts";
import { NODES } from "../support/nodes.ts";
import { okOf, testShop } from "../support/shop.ts";

// An index of a table that every redemption writes to costs each of them. So each one has an operation that reads by it.
const { db, open } = await testDatabase();
const HOT = ["redemptions", "orders", "events", "ledger_entries", "idempotency_keys"];

const statements: { text: string; parameters: readonly unknown[] }[] = [];
const heard = open({ max: 1, onQuery: (text, parameters) => statements.push({ text, parameters }) });
const { ok: make, call, project } = await testShop(db);
const ok = okOf((await testEngine(heard, project, { hot: heard })).call);

/** Each table has many rows like the ones that were made, under other names: then an index is worth it. */
async function fill(): Promise<void> {
  const named: Record<string, string> = {
    customers: "id source_id tracking_id",
    redemptions:
      "id voucher_code tracking_id order_id customer_id related_object_id campaign_id parent_id redemption_id",
    orders: "id source_id customer_id referrer_id",
    events: "id customer_id voucher_id campaign_id",
    ledger_entries: "id account_id campaign_id",
    idempotency_keys: "key",
  };
  for (const [table, columns] of Object.entries(named)) {
    const names = columns
      .split(" ")
      .map((column) => `'${column}', t.${column} || n`)
      .join(", ");
    await db.unsafe(`
      insert into ${table} select (jsonb_populate_record(t, jsonb_build_object(${names}))).*
      from ${table} t cross join generate_series(1, 300) n`);
    await db.unsafe(`analyze ${table}`);
  }
}

/** How the statements of an operation are run when no table is read as a whole. */
async function plansOf(run: () => Promise<unknown>): Promise<string> {
  statements.length = 0;
  await run();
  const plans: string[] = [];
  for (const { text, parameters } of [...statements].filter((one) =>
    /^\s*(?:select|with|delete|update)/i.test(one.text),
  ))
    await db.begin(async (tx) => {
      // On Citus a setting goes along with the statement only when it is told so.
      if (NODES.length > 0) await tx`set local citus.propagate_set_commands = 'local'`;
      await tx`set local enable_seqscan = off`;
      const rows = await tx.unsafe<{ "QUERY PLAN": string }[]>(`explain ${text}`, parameters as never);
      plans.push(...rows.map((row) => row["QUERY PLAN"]));
    });
  // Parts of a table that is spread over machines have a number behind their names.
  return plans.join("\n").replaceAll(/_\d{6,}\b/g, "");
}

const voucher = (id: string, more: object = {}) => ({ object: "voucher", id, ...more });
const customer = { source_id: "anna" };
const campaign = await make("POST /v1/campaigns", {
  name: "Gifts",
  campaign_type: "GIFT_VOUCHERS",
  voucher: { type: "GIFT_VOUCHER", gift: { amount: 1000 } },
});
await make(`POST /v1/campaigns/${campaign.id}/vouchers/GIFT`, {});
await make("POST /v1/vouchers/CODE", { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } });
const redeem = (redeemables: readonly object[], key: string) =>
  make(
    "POST /v1/redemptions",
    { redeemables, customer, order: { source_id: key, amount: 5_000, referrer: { source_id: "bob" } } },
    { "idempotency-key": key },
  );
const one = (await redeem([voucher("GIFT", { gift: { credits: 10 } })], "o-1")).redemptions[0];
const stack = await redeem([voucher("CODE"), voucher("GIFT", { gift: { credits: 10 } })], "o-2");
await make("POST /v1/redemptions", { redeemables: [voucher("CODE")], customer: { source_id: "bob" } });
const undone = (await redeem([voucher("CODE")], "o-3")).redemptions[0];
await make(`POST /v1/redemptions/${undone.id}/rollback`, {});
await call("POST /v1/redemptions", {
  redeemables: [voucher("GIFT", { gift: { credits: 5_000 } })],
  order: { amount: 9_000 },
});
await fill();

/** Those that a redemption of a code writes nothing to, or a few bytes for many. */
const CHEAP = {
  events_by_subject: "events of loyalty cards and members",
  events_by_transaction: "a summary of pages (BRIN), for the feed",
  ledger_entries_by_order: "points that paid an order",
  ledger_entries_by_transaction: "a summary of pages (BRIN), for the rollups",
};
/** The operation that reads by an index. */
const READ_BY: Record<string, () => Promise<unknown>> = {
  redemptions_by_age: () => ok("GET /v1/redemptions"),
  redemptions_failed_or_undone: () => ok("GET /v1/redemptions?result=FAILURE"),
  redemptions_by_customer: () => ok(`GET /v1/redemptions?customer=${one.customer_id}`),
  redemptions_by_redeemable: () => ok("GET /v1/vouchers/GIFT/redemption"),
  redemptions_by_campaign: () => ok("GET /v1/redemptions?campaign=Gifts"),
  redemptions_by_parent: () => ok(`POST /v1/redemptions/${stack.parent_redemption.id}/rollbacks`, {}),
  redemptions_by_redemption: () => ok(`GET /v1/redemptions/${undone.id}`),
  redemptions_by_code: () => ok("GET /v1/redemptions?order=voucher_code"),
  redemptions_by_tracking_id: () => ok("GET /v1/redemptions?order=tracking_id"),
  orders_by_age: () => ok("GET /v1/orders"),
  orders_by_customer: () => ok("GET /v1/customers/anna"),
  orders_by_referrer: () => ok("DELETE /v1/customers/bob"),
  orders_unique_source_id: () => ok("GET /v1/orders/o-1"),
  events_by_customer: () => ok("GET /v1/customers/anna/activities"),
  events_by_voucher: () => ok(`GET /v1/events?voucher_id=${one.voucher.id}`),
  ledger_entries_by_account: () => ok("GET /v1/vouchers/GIFT/transactions"),
  ledger_entries_told: () => ok(`GET /v1/campaigns/${campaign.id}/transactions`),
  idempotency_keys_expired: () =>
    purgeExpired.run({ db: heard, now: () => NOW, newId, random: Buffer.alloc } as never) as Promise<unknown>,
};

for (const [index, run] of Object.entries(READ_BY))
  test(`an operation reads by ${index}`, async () => {
    const plans = await plansOf(run);
    assert.match(plans, new RegExp(`\\b${index}\\b`), plans);
  });

test("every index of a table that redemptions write to is read by something", async () => {
  const rows = await db<{ name: string }[]>`
    select i.indexname as name from pg_indexes i
    where i.schemaname = current_schema() and i.tablename = any(${HOT}) and i.indexname not like '%\\_pkey'
    order by 1`;
  assert.deepEqual(rows.map(({ name }) => name).sort(), Object.keys({ ...READ_BY, ...CHEAP }).sort());
});

test("customers are found as somebody types by one index for each part", async () => {
  const plans = await plansOf(() => ok("GET /v1/customers?q=ann&limit=1"));
  for (const index of ["name_typed", "source_id_typed", "phone_typed", "email"])
    assert.match(plans, new RegExp(`\\bcustomers_by_${index}\\b`), plans);
});

test("the audit log is read by its time", async () => {
  const plans = await plansOf(() => ok("GET /v1/audit-log"));
  assert.match(plans, /\baudit_log_by_time\b/, plans);
});

test("what one person changed is read by person", async () => {
  const plans = await plansOf(() => ok(`GET /v1/audit-log?actor_id=${project.management.id}`));
  assert.match(plans, /\baudit_log_by_actor\b/, plans);
});

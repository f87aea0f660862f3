import assert from "node:assert/strict";
import { test } from "node:test";
import { advanceCards } from "../../src/jobs/advance-cards.ts";
import { purgeExpired } from "../../src/jobs/purge-expired.ts";
import { runAsyncActions } from "../../src/jobs/run-async-actions.ts";
import { runExports } from "../../src/jobs/run-exports.ts";
import { FORM, form, NOW, newId, testDatabase, testEngine } from "../support/engine.ts";
import { makeOneOfEverything } from "../support/one-of-everything.ts";
import { assertReadBy, fill, indexesOf, listening, WRITTEN_MOST } from "../support/plans.ts";
import { okOf, testShop } from "../support/shop.ts";

// What `index-use.test.ts` is for the tables that most is written to, for all others: an index costs whoever writes, so each has an
// operation that looks rows up by it.
const { db, open } = await testDatabase();
// An export asks by the way who else waits, on a connection of its own.
const { heard, plansOf } = listening(db, open, 2);
const { ok: make, call: first, project } = await testShop(db);
const it = await makeOneOfEverything(first, project);

const customer = { source_id: "anna" };
const redeemables = [{ object: "voucher", id: it.code! }];
const order = { amount: 500 };
const { id: anna } = await make("POST /v1/customers", customer);
await make("POST /v1/publications", { campaign: it.campaignId, customer, source_id: "given" });
await make("POST /v1/validations", { redeemables, order, tracking_id: "guest" });
await make("POST /v1/validations", { redeemables, order, customer, session: { type: "LOCK", key: "held" } });

const [wallet] = (await make(`GET /v2/loyalties/programs/${it.programId}/card-definitions`)).data;
const pay_with_points = { exchange_ratio: { formula: 1 } };
await make(`PUT /v2/loyalties/card-definitions/${wallet.card_definition_id}`, { pay_with_points });

/** What would take many steps to come to be stands there at once. */
const put = (table: string, row: object) => db`
  insert into ${db(table)} select r.* from jsonb_populate_record(null::${db(table)},
    ${db.json({ project_id: project.id, created_at: NOW, ...row } as never)}) r`;
const day = "2026-01-01";
const inCampaign = { campaign_id: it.campaignId };
const member = { program_id: it.programId, member_id: it.memberId };
await put("unit_counters", { subject_id: it.campaignId, customer_id: anna, name: "n", units: 1 });
const brought = { related_object_type: "redemption", related_object_id: it.redemptionId, voucher_id: it.code };
await put("referral_conversions", { ...inCampaign, ...brought, referee_id: anna, referrer_id: it.customerId });
await put("validation_tallies", { ...inCampaign, id: "t", day, succeeded: 1, failed: 0 });
const attempt = { target_url: "https://shop.example", headers: {}, answer: "", latency_ms: 1, number: 1 };
await put("webhook_attempts", { ...attempt, delivery_id: it.deliveryId, webhook_id: it.webhookId });
const SUMS = [
  ...["redemptions", "rollbacks", "discount", "gift_credits", "points_issued", "points_spent", "revenue", "orders"],
  ...["refusals", "unique_customers"],
];
const ones = Object.fromEntries(SUMS.map((sum) => [sum, 1]));
await put("rollup_days", { subject: "campaign", subject_id: it.campaignId, day, ...ones });
const counted = { cluster: "", zone: "UTC", zone_minutes: 0, is_cleared: true, transaction_id: 1 };
await put("rollup_positions", { ...counted, redemptions_from: "-infinity", entries_from: "" });
const outcome = { outcome: "success", points: 1, pending_points: 0, local_date: day, cause: "c" };
const earned = { earning_rule_id: it.earningRuleId, card_definition_id: it.cardDefinitionId };
await put("earning_outcomes", { id: "o", ...member, ...earned, ...outcome });
for (const [kind, type, subject_id] of [
  ["order", "PAY_WITH_POINTS", it.orderId],
  ["tier", "JOINED", it.tierId],
])
  await put("loyalty_transactions", { id: kind, ...member, kind, type, subject_id, status: "APPROVED", details: {} });
const user = { user_id: it.userId };
await put("user_identities", { ...user, issuer: "i", subject: "s" });
await put("user_sessions", { ...user, token_hash: "t", last_used_at: NOW, ends_at: "2027-01-01" });
await put("single_sign_ons", { token_hash: "t", return_to: "/", ends_at: "2027-01-01" });

/** The columns that tell the copies of a row apart. What others refer to comes before them. */
const NAMED = {
  ...{ async_actions: "id", audit_log: "id object_id", exports: "id", files: "id", keys: "id", oauth_tokens: "id" },
  ...{ customers: "id source_id", segments: "id name", segment_members: "segment_id customer_id" },
  ...{ campaigns: "id name", voucher_templates: "campaign_id", campaign_codes: "campaign_id" },
  ...{ campaign_earning_rules: "id campaign_id", campaign_tiers: "id campaign_id" },
  ...{ rewards: "id name", reward_assignments: "id reward_id campaign_id" },
  ...{ promotion_tiers: "id campaign_id", promotion_stacks: "id campaign_id" },
  ...{ loyalty_programs: "id name", loyalty_assignments: "program_id component_id", loyalty_benefits: "id name" },
  loyalty_members: "id program_id customer_id",
  loyalty_cards: "id program_id member_id code code_folded",
  ...{ loyalty_reviews: "id program_id", loyalty_tier_structures: "id name", loyalty_tiers: "id tier_structure_id" },
  loyalty_transactions: "id program_id member_id subject_id",
  earning_outcomes: "id member_id program_id earning_rule_id",
  ...{ products: "id source_id", skus: "id source_id product_id" },
  publications: "id customer_id campaign_id voucher_code source_id",
  ...{ vouchers: "id code code_folded", redeemable_holders: "id voucher_id customer_id" },
  referral_conversions: "campaign_id referee_id referrer_id",
  ...{ refusals: "id request_id", refusal_names: "hash refusal_id", refusal_counts: "id campaign_id reason" },
  ...{ request_log: "id key_id route", request_log_names: "hash request_id" },
  ...{ rollup_days: "subject_id", unit_counters: "subject_id customer_id", validation_tallies: "id campaign_id" },
  ...{ sessions: "key", session_locks: "redeemable_id session_key", single_sign_ons: "token_hash" },
  ...{ trash_bin_entries: "id resource_parent_id", unconfirmed_customers: "tracking_id id" },
  ...{ users: "id login invitation_hash", user_projects: "user_id role", user_identities: "subject user_id" },
  user_sessions: "token_hash user_id",
  ...{ validation_rules: "id name", validation_rule_assignments: "id rule_id related_object_id" },
  webhook_attempts: "delivery_id",
};
await fill(db, NAMED);
// From so many customers on the audience of a campaign is estimated.
await db`
  insert into rollup_customers (project_id, campaign_id, day, customer_id, is_sampled)
  select ${project.id}, ${it.campaignId!}, ${day}::text::date, 'cust_' || n, n % 64 = 0 from generate_series(1, 20001) n`;
// Of what is to be done, most is done, or to be done later; of what ends, much has ended.
await db`update async_actions set status = 'DONE' where id <> ${it.asyncActionId!}`;
await db`update exports set status = 'DONE' where id <> ${it.exportId!}`;
await db`update loyalty_reviews set asked_at = '2027-01-01' where program_id <> ${it.campaignId!}`;
await db`update loyalty_cards set due_at = '2027-01-01' where id <> ${it.cardId!}`;
await db`update session_locks set expires_at = '2025-12-31' where session_key > 'held2'`;
for (const table of [
  "async_actions",
  "exports",
  "loyalty_reviews",
  "loyalty_cards",
  "session_locks",
  "rollup_customers",
])
  await db.unsafe(`analyze ${table}`);

// Copies are read that no operation would have made: the shape of the answers is not looked at.
const { call } = await testEngine(heard, project, { hot: heard, onAnswer: () => {} });
const ok = okOf(call);
const get = (path: string) => () => ok(`GET ${path}`);
const job = (one: { run(c: never): Promise<unknown> }) => () =>
  one.run({ db: heard, now: () => NOW, newId, random: Buffer.alloc } as never);
const [purge, advance] = [job(purgeExpired), job(advanceCards)];
const PROJECT = `/management/v1/projects/${project.id}`;
const PROGRAM = `/v2/loyalties/programs/${it.programId}`;
const MEMBER = `${PROGRAM}/members/${it.memberId}`;
const daily = "daily?start_date=2026-01-01&end_date=2026-01-02&resolution=day";
const report = (of: string) => get(`${PROGRAM}/reports/${of}/${daily}`);
const promotion = (await make(`GET /v1/promotions/tiers/${it.promotionTierId}`)).campaign_id;
const showCustomer = get("/v1/customers/anna");
const listPublications = get(`/v1/publications?voucher=${it.code}`);
const erase = () => ok(`POST /v1/customers/${it.customerId}/permanent-deletion`);
const removeProduct = () => ok(`DELETE /v1/products/${it.productId}?force=true`);
/** The operation that reads by an index. */
const READ_BY: Record<string, () => Promise<unknown>> = {
  session_locks_by_code: () => ok("POST /v1/validations", { redeemables, order }),
  async_actions_by_age: get("/v1/async-actions"),
  async_actions_to_do: job(runAsyncActions),
  audit_log_by_actor: get(`/v1/audit-log?actor_id=${project.app.id}`),
  audit_log_by_time: get("/v1/audit-log"),
  campaign_earning_rules_by_campaign: () =>
    ok(`PUT /v1/loyalties/${it.campaignId}/tiers/${it.loyaltyTierId}`, {
      ...{ name: "t", points: { from: 0 } },
      earning_rules: { [it.campaignEarningRuleId!]: { type: "CUSTOM", points: 1 } },
    }),
  campaign_tiers_by_campaign: advance,
  campaigns_by_age: get("/v1/campaigns?order=created_at&limit=5"),
  earning_outcomes_by_day: report("points-earnings"),
  earning_outcomes_by_member: get(`${MEMBER}/earning-rules/${it.earningRuleId}/reports/${daily}`),
  exports_by_age: get("/v1/exports"),
  exports_to_do: job(runExports),
  files_by_expiry: purge,
  keys_by_project: get(`${PROJECT}/keys`),
  loyalty_assignments_by_component: async () => {
    const filter = { junction: "and", name: { conditions: { $is: ["Bob"] } } };
    await ok("POST /v1/segments", { name: "Bobs", type: "auto-update", filter });
    await ok("POST /v1/customers", { source_id: "bob", name: "Bob" });
  },
  loyalty_cards_due: advance,
  loyalty_members_by_age: get(`${PROGRAM}/members`),
  loyalty_members_by_customer: get(`/v2/loyalties/memberships/${it.customerId}`),
  loyalty_reviews_asked: advance,
  loyalty_tier_moves_by_day: report("tiers"),
  loyalty_tiers_by_structure: get(`/v2/loyalties/tier-structures/${it.tierStructureId}/tiers`),
  loyalty_transactions_by_member: get(`${MEMBER}/orders/payments`),
  loyalty_transactions_by_order: () =>
    ok(`POST ${MEMBER}/orders/payments`, { card_id: it.cardId, order: { id: it.orderId } }),
  loyalty_transactions_by_program: report("spending"),
  oauth_tokens_by_age: () => ok("POST /v1/oauth/token", form({ grant_type: "client_credentials", scope: "api" }), FORM),
  products_by_age: get("/v1/products?order=created_at&limit=5"),
  products_unique_source_id: get("/v1/products/product-of-project-a"),
  promotion_stacks_by_campaign: get(`/v1/promotions/${promotion}/stacks`),
  promotion_tiers_by_campaign: get(`/v1/campaigns/${promotion}`),
  publications_by_age: get("/v1/publications?limit=5"),
  publications_by_code: listPublications,
  publications_by_voucher: listPublications,
  publications_by_customer: get("/v1/publications?customer=anna"),
  publications_unique_source_id: () =>
    ok("POST /v1/publications", { campaign: it.campaignId, customer, source_id: "again" }),
  redeemable_holders_by_customer: get("/v1/customers/anna/redeemables"),
  referral_conversions_by_referee: showCustomer,
  referral_conversions_by_referrer: showCustomer,
  refusal_counts_by_hour: get("/v1/refusals/summary"),
  refusals_by_request: get("/v1/search?q=v-019"),
  refusals_by_time: get("/v1/refusals"),
  request_log_by_key: get("/v1/request-log?key_id=k"),
  request_log_by_route: get("/v1/request-log?route=/v1/vouchers"),
  request_log_by_time: get("/v1/request-log"),
  request_log_refused: get("/v1/request-log?status=4xx"),
  reward_assignments_by_reward: get(`/v1/rewards/${it.campaignRewardId}/assignments`),
  rollup_customers_sampled: get(`/v1/campaigns/${it.campaignId}/audience?from=2025-12-31&to=2026-01-02`),
  rollup_days_by_day: get("/v1/project-summary"),
  segment_members_by_customer: get("/v1/customers/anna/segments"),
  session_locks_by_expiry: purge,
  sessions_by_end: purge,
  single_sign_ons_by_end: purge,
  skus_by_age: async () => {
    await ok("POST /v1/exports", { exported_object: "sku" });
    await job(runExports)();
  },
  skus_by_product: get(`/v1/products/${it.productId}/skus`),
  skus_unique_source_id: get("/v1/skus/sku-of-project-a"),
  unconfirmed_customers_by_age: purge,
  user_identities_by_user: get(`${PROJECT}/users/${it.userId}`),
  user_projects_by_project: get(`${PROJECT}/users`),
  user_projects_by_role: () => call(`DELETE /management/v1/roles/${it.roleId}`),
  user_sessions_by_user: () => ok(`POST ${PROJECT}/users/${it.userId}/disable`),
  validation_rule_assignments_by_rule: get(`/v1/validation-rules/${it.validationRuleId}/assignments`),
  validation_tallies_by_campaign: get(`/v1/campaigns/${it.campaignId}/summary`),
  webhook_attempts_by_time: purge,
  // They take away what the others read.
  skus_by_any_product: removeProduct,
  trash_bin_entries_by_parent: removeProduct,
  refusal_names_by_refusal: erase,
  request_log_names_by_request: erase,
  rollup_customers_by_customer: erase,
  unit_counters_by_customer: erase,
};
/** They stand for constraints, which cannot leave rows out as these do. */
const ONLY_UNIQUE = ["loyalty_benefits_unique_name", "loyalty_members_unique_customer_id"];
/** Kept, though nothing reads it: sessions that are over are found by either of two times, and the other one has no index. */
const NOT_READ = ["user_sessions_by_end"];

const INDEXES = (await indexesOf(db)).filter(
  ({ table, isConstraint }) => !isConstraint && !WRITTEN_MOST.includes(table),
);
const indexNamed = (name: string) => INDEXES.find((one) => one.name === name) ?? assert.fail(`no index ${name}`);
const rows = await Promise.all(
  [...new Set(INDEXES.map(({ table }) => table))].map(async (table) => {
    const [row] = await db<[{ count: number }]>`select count(*) from ${db(table)}`;
    return { table, count: row.count };
  }),
);

test("each of the tables has so many rows that an index is worth it", () => {
  const few = rows.filter(({ count }) => count < 300);
  assert.deepEqual(few, []);
});

const heardPlans: string[] = [];
for (const [index, run] of Object.entries(READ_BY))
  test(`an operation reads by ${index}`, async () => {
    const plans = await plansOf(run);
    heardPlans.push(plans);
    assertReadBy(plans, indexNamed(index));
  });

test("every index of the other tables is read by something, or it is said why not", () => {
  const known = [...Object.keys(READ_BY), ...ONLY_UNIQUE, ...NOT_READ];
  assert.deepEqual(INDEXES.map(({ name }) => name).sort(), known.sort());
  for (const name of ONLY_UNIQUE) assert.ok(indexNamed(name).isUnique, name);
});

test("nothing that was asked here is looked up by the indexes that nothing reads", () => {
  for (const name of NOT_READ)
    assert.throws(() => assertReadBy(heardPlans.join("\n"), indexNamed(name)), /nothing is looked up/);
});

test("an index helps where it finds more than a project, or the first rows of it", () => {
  const index = { name: "x_by_age", columns: 2 };
  const scan = (more: string) => ["Index Scan using x_by_age on x  (cost=1)", `      Index Cond: (${more})`];
  const own = "project_id = 'p'::text";
  const below = (...nodes: string[]) =>
    [...nodes.map((node, n) => `${"  ".repeat(n)}->  ${node}  (cost=1)`), `${"  ".repeat(nodes.length)}->  `].join(
      "\n",
    );
  for (const plan of [
    scan(`(${own}) AND (age > 5)`).join("\n"),
    below("Limit") + scan(own).join("\n"),
    below("Limit", "Incremental Sort", "Nested Loop") + scan(own).join("\n"),
  ])
    assertReadBy(plan, index);
  for (const plan of [
    scan(own).join("\n"),
    below("Sort") + scan(own).join("\n"),
    below("Limit", "Sort", "Nested Loop") + scan(own).join("\n"),
    scan(`(${own}) AND (age > 5)`).join("\n").replace("x_by_age", "x_by_agent"),
  ])
    assert.throws(() => assertReadBy(plan, index), /nothing is looked up/);
});

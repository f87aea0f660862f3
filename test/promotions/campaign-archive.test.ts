import assert from "node:assert/strict";
import { test } from "node:test";
import { type Reply, testDatabase } from "../support/engine.ts";
import { allShown } from "../support/events.ts";
import { assertErrorBody, assertRefused } from "../support/http.ts";
import { followAll } from "../support/rollups.ts";
import { type Ok, testShop } from "../support/shop.ts";

const { db } = await testDatabase();

const AT = "2026-03-10T12:00:00.000Z";
const discount = { type: "AMOUNT", amount_off: 100 };
const start = () => testShop(db, {}, { now: () => AT });
const refused = (reply: Reply, code: number, key: string, details = /./) => {
  assert.deepEqual([reply.status, reply.body.key], [code, key], reply.text);
  assertErrorBody(reply);
  assert.match(reply.body.details ?? "", details);
};
const codes = (ok: Ok, name: string, more: object = {}) =>
  ok("POST /v1/campaigns", {
    ...{ name, type: "STANDALONE" },
    voucher: { type: "DISCOUNT_VOUCHER", discount, code: name.toUpperCase() },
    ...more,
  });
const names = ({ campaigns }: any) => campaigns.map(({ name }: any) => name);
const validate = async (ok: Ok, id: string) =>
  (await ok("POST /v1/validations", { redeemables: [{ object: "voucher", id }], order: { amount: 1000 } })).valid;
const kinds = async (ok: Ok, campaignId: string) =>
  (await ok(`GET /v1/events?campaign_id=${campaignId}&limit=100`)).events.map(({ type }: any) => type);

test("an archived campaign is out of the lists, nothing of it applies, and its id still finds it", async () => {
  const { ok } = await start();
  const { id } = await codes(ok, "old");
  await codes(ok, "other");
  assert.equal(await validate(ok, "OLD"), true);
  const archived = await ok(`POST /v1/campaigns/${id}/archive`);
  assert.deepEqual([archived.archived_at, archived.active], [AT, false]);
  assert.equal(await validate(ok, "OLD"), false);
  for (const query of ["", "?order=status", "?name=o", "?campaign_type=DISCOUNT_COUPONS", "?status=DISABLED"]) {
    const { campaigns, total } = await ok(`GET /v1/campaigns${query}`);
    const expected = query === "?status=DISABLED" ? [] : ["other"];
    assert.deepEqual([names({ campaigns }), total], [expected, expected.length], query);
  }
  const listed = await ok("GET /v1/campaigns?status=ARCHIVED&expand=counters");
  assert.deepEqual([names(listed), listed.total, listed.campaigns[0].status], [["old"], 1, "ARCHIVED"]);
  assert.equal((await ok(`GET /v1/campaigns/${id}`)).status, "ARCHIVED");
  assert.equal((await ok("GET /v1/vouchers/OLD")).code, "OLD");
});

test("an archived campaign comes back disabled, or by enabling it; both may be asked twice", async () => {
  const { ok, project } = await start();
  const { id } = await codes(ok, "old");
  const read = async () => {
    const { status, active, archived_at } = await ok(`GET /v1/campaigns/${id}`);
    return [status, active, archived_at];
  };
  for (let round = 0; round < 2; round += 1) await ok(`POST /v1/campaigns/${id}/archive`);
  assert.deepEqual(await read(), ["ARCHIVED", false, AT]);
  for (let round = 0; round < 2; round += 1) await ok(`POST /v1/campaigns/${id}/unarchive`);
  assert.deepEqual(await read(), ["DISABLED", false, undefined]);
  await ok(`POST /v1/campaigns/${id}/archive`);
  await ok(`POST /v1/campaigns/${id}/enable`);
  assert.deepEqual(await read(), ["ACTIVE", true, undefined]);
  assert.equal(await validate(ok, "OLD"), true);
  await allShown(db, project.id);
  const told = (await kinds(ok, id)).filter((kind: string) => kind.startsWith("campaign.")).sort();
  assert.deepEqual(told, [
    ...["campaign.created", "campaign.disabled", "campaign.enabled", "campaign.updated", "campaign.updated"],
  ]);
});

test("tiers of an archived promotion are archived with it, and it conflicts with nothing", async () => {
  const { ok } = await start();
  const tiers = [{ name: "T", action: { discount } }];
  const made = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION", promotion: { tiers } });
  await codes(ok, "code");
  assert.equal((await ok("GET /v1/conflicts")).total, 1);
  await ok(`POST /v1/campaigns/${made.id}/archive`);
  assert.equal((await ok(`GET /v1/promotions/tiers/${made.promotion.tiers[0].id}`)).status, "ARCHIVED");
  assert.equal((await ok("GET /v1/conflicts")).total, 0);
});

test("archive, duplicate and the figures of a campaign are refused to strangers, and of nothing", async () => {
  const { call, ok } = await start();
  const { id } = await codes(ok, "mine");
  const other = await start();
  const lines = ["POST archive", "POST unarchive", "POST duplicate", "GET forecast", "GET audience"];
  for (const line of lines) {
    const [method, step] = line.split(" ") as [string, string];
    const body = step === "duplicate" ? { name: "Copy" } : undefined;
    const path = (campaign: string) => `${method} /v1/campaigns/${campaign}/${step}`;
    assertRefused(await call(path(id), body, { "x-app-token": "" }), "unauthorized");
    refused(await call(path("camp_none"), body), 404, "not_found", /campaign/);
    refused(await other.call(path(id), body), 404, "not_found", /campaign/);
  }
  refused(await call(`GET /v1/campaigns/${id}/forecast?days=0`), 400, "invalid_query_params");
  refused(await call(`GET /v1/campaigns/${id}/audience?from=soon`), 400, "invalid_query_params");
  refused(await call(`GET /v1/campaigns/${id}?expand=nothing`), 400, "invalid_query_params");
  refused(await call(`POST /v1/campaigns/${id}/duplicate`, {}), 400, "invalid_payload", /name/);
});

test("a duplicate has the settings of the first, codes of its own, and is disabled", async () => {
  const { ok, call } = await start();
  const { id: category_id } = await ok("POST /v1/categories", { name: "Sales", hierarchy: 1 });
  const first = await codes(ok, "spring", {
    ...{ description: "Once a year", metadata: { season: "spring" }, category_id, join_once: true },
    ...{ start_date: "2026-03-01T00:00:00.000Z", expiration_date: "2026-06-01T00:00:00.000Z" },
    ...{ validity_day_of_week: [1, 2], type: "STATIC", vouchers_count: 1 },
    voucher: { type: "DISCOUNT_VOUCHER", discount, redemption: { quantity: 3 }, code_config: { pattern: "S-####" } },
  });
  const made = await ok(`POST /v1/campaigns/${first.id}/duplicate`, { name: "spring again" });
  const comparable = ({ id: _, name, voucher, active, created_at, updated_at, ...rest }: any) => rest;
  assert.deepEqual(comparable(made), comparable(await ok(`GET /v1/campaigns/${first.id}`).then(withoutStatus)));
  assert.deepEqual([made.name, made.active, made.voucher], ["spring again", false, first.voucher]);
  const { vouchers } = await ok(`GET /v1/vouchers?campaign_id=${made.id}`);
  assert.match(vouchers[0].code, /^S-\w{4}$/);
  refused(await call(`POST /v1/campaigns/${first.id}/duplicate`, { name: "spring again" }), 409, "duplicate_found");
});
const withoutStatus = ({ status: _, ...rest }: any) => rest;

test("a duplicate of one code for everybody takes another code", async () => {
  const { ok, call } = await start();
  const { id } = await codes(ok, "one");
  refused(await call(`POST /v1/campaigns/${id}/duplicate`, { name: "two", code: "ONE" }), 409, "duplicate_found");
  const made = await ok(`POST /v1/campaigns/${id}/duplicate`, { name: "two", code: "TWO" });
  assert.equal(await validate(ok, "TWO"), false);
  await ok(`POST /v1/campaigns/${made.id}/enable`);
  assert.equal(await validate(ok, "TWO"), true);
});

test("a duplicate of a promotion has tiers of its own; only rules that others have too are shared", async () => {
  const { ok } = await start();
  const rule = async (name: string) =>
    (
      await ok("POST /v1/validation-rules", {
        name,
        rules: { 1: { name: "order.amount", conditions: { $more_than: [10] } } },
      })
    ).id as string;
  const [own, shared] = [await rule("P"), await rule("shared")];
  const tiers = [
    { name: "A", action: { discount }, validation_rules: [own, shared], metadata: { n: 1 } },
    { name: "B", action: { discount: { type: "PERCENT", percent_off: 5 } }, active: false, validation_rules: [own] },
  ];
  const first = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION", promotion: { tiers } });
  await codes(ok, "also", { validation_rules: [shared] });
  const made = await ok(`POST /v1/campaigns/${first.id}/duplicate`, { name: "P2" });
  const rulesOf = ({ validation_rule_assignments }: any) =>
    validation_rule_assignments.data.map(({ rule_id }: any) => rule_id).sort();
  const shown = ({ promotion }: any) =>
    promotion.tiers.map(({ name, action, active, hierarchy, metadata }: any) => [
      name,
      action,
      active,
      hierarchy,
      metadata,
    ]);
  assert.deepEqual(shown(made), shown(first));
  const [a, b] = made.promotion.tiers.map(rulesOf);
  assert.equal(a.length, 2);
  assert.ok(a.includes(shared) && !a.includes(own));
  assert.deepEqual(
    b,
    a.filter((id: string) => id !== shared),
  );
  const copied = await ok(`GET /v1/validation-rules/${b[0]}`);
  const { rules } = await ok(`GET /v1/validation-rules/${own}`);
  assert.deepEqual([copied.name, copied.rules], ["P2", rules]);
});

test("a duplicate of a referral program promises the same; a loyalty program has none", async () => {
  const { ok, call } = await start();
  const voucher = { type: "DISCOUNT_VOUCHER", discount };
  const friends = await ok("POST /v1/campaigns", {
    ...{ name: "Friends", campaign_type: "REFERRAL_PROGRAM", type: "AUTO_UPDATE", voucher },
    referral_program: { conversion_event_type: "order.paid" },
  });
  const made = await ok(`POST /v1/campaigns/${friends.id}/duplicate`, { name: "More friends" });
  assert.deepEqual(made.referral_program, friends.referral_program);
  const club = await ok("POST /v1/campaigns", {
    ...{ name: "Club", campaign_type: "LOYALTY_PROGRAM", type: "AUTO_UPDATE" },
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 0 } },
  });
  const reply = await call(`POST /v1/campaigns/${club.id}/duplicate`, { name: "Club 2" });
  refused(reply, 400, "invalid_campaign", /loyalty program/);
});

test("a forecast says what is left by day, and when it is used up at the speed of the last days", async () => {
  const clock = { now: "2026-03-01T12:00:00.000Z" };
  const { ok, project } = await testShop(db, { timezone: "Europe/Warsaw" }, { now: () => clock.now });
  const rules = { 1: { name: "campaign.orders.amount_discounted", conditions: { $less_than_or_equal: [5000] } } };
  const { id: rule } = await ok("POST /v1/validation-rules", { name: "budget", rules });
  const voucher = { type: "DISCOUNT_VOUCHER", discount, code: "BURN", redemption: { quantity: 40 } };
  const body = { name: "burns", type: "STANDALONE", voucher, validation_rules: [rule] };
  const { id } = await ok("POST /v1/campaigns", body);
  const redeem = () =>
    ok("POST /v1/redemptions", { redeemables: [{ object: "voucher", id: "BURN" }], order: { amount: 1000 } });
  const read = async (days = 3) => {
    await followAll(db, project.id);
    return ok(`GET /v1/campaigns/${id}/forecast?days=${days}`);
  };
  const first = await redeem();
  const early = await read();
  assert.deepEqual([early.object, early.campaign_id, early.timezone], ["campaign_forecast", id, "Europe/Warsaw"]);
  assert.deepEqual([early.budget.left, early.budget.per_day, early.budget.runs_out_at], [4900, null, null]);
  for (let day = 2; day <= 8; day += 1) {
    clock.now = `2026-03-0${day}T12:00:00.000Z`;
    await redeem();
  }
  const { budget, uses } = await read();
  assert.deepEqual(budget.rows, [
    { at: "2026-03-06T00:00:00+01:00", left: 4400 },
    { at: "2026-03-07T00:00:00+01:00", left: 4300 },
    { at: "2026-03-08T00:00:00+01:00", left: 4200 },
  ]);
  const { rows: _, ...told } = budget;
  assert.deepEqual(told, {
    ...{ limit: 5000, used: 800, left: 4200, per_day: 100 },
    runs_out_at: "2026-04-19T12:00:00.000Z",
  });
  assert.deepEqual([uses.limit, uses.used, uses.left, uses.per_day], [40, 8, 32, 1]);
  assert.equal((await read(90)).uses.rows.length, 90);
  // What is rolled back comes back on that day, and the days before it stay as they were.
  clock.now = "2026-03-09T12:00:00.000Z";
  await ok(`POST /v1/redemptions/${first.redemptions[0].id}/rollback`, { reason: "late" });
  const after = await read();
  const leftOf = ({ rows }: { rows: { left: number }[] }) => rows.map(({ left }) => left);
  assert.deepEqual([leftOf(after.budget), after.budget.left], [[4300, 4200, 4300], 4300]);
  assert.deepEqual([leftOf(after.uses), after.uses.left], [[33, 32, 33], 33]);
  const free = await codes(ok, "free");
  const none = await ok(`GET /v1/campaigns/${free.id}/forecast`);
  assert.deepEqual([none.budget, none.uses], [null, null]);
});

test("one campaign is read with its counters, as the list has them", async () => {
  const { ok } = await start();
  const { id } = await codes(ok, "counted");
  await ok("POST /v1/redemptions", { redeemables: [{ object: "voucher", id: "COUNTED" }], order: { amount: 1000 } });
  const { counters } = await ok(`GET /v1/campaigns/${id}?expand=counters`);
  assert.deepEqual([counters.redemptions, counters.discount, counters.codes_used], [1, 100, 1]);
  assert.deepEqual((await ok("GET /v1/campaigns?expand=counters")).campaigns[0].counters, counters);
  assert.equal((await ok(`GET /v1/campaigns/${id}`)).counters, undefined);
});

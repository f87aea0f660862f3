import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, testDatabase, type testProject } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

const percent = (percent_off: number, more: object = {}) => ({ type: "PERCENT", percent_off, ...more });
const amount = (amount_off: number, more: object = {}) => ({ type: "AMOUNT", amount_off, ...more });

async function world(given: Parameters<typeof testProject>[1] = {}) {
  const { project, call, ok } = await testShop(db, given);
  const rule = async (rules: object, more: object = {}): Promise<string> =>
    (await ok("POST /v1/validation-rules", { name: "rule", rules, ...more })).id;
  const code = (name: string, discount: object, more: object = {}) =>
    ok(`POST /v1/vouchers/${name}`, { type: "DISCOUNT_VOUCHER", discount, ...more });
  const gift = (name: string, credits: number, more: object = {}) =>
    ok(`POST /v1/vouchers/${name}`, { type: "GIFT_VOUCHER", gift: { amount: credits, balance: credits }, ...more });
  const redeem = (ids: readonly (string | object)[], order: object | null, more: object = {}) =>
    call("POST /v1/redemptions", { redeemables: ids.map(redeemable), ...(order && { order }), ...more });
  const rows = (table: string) => db`select * from ${db(table)} where project_id = ${project.id}`;
  return { project, call, ok, rule, code, gift, redeem, rows };
}
const redeemable = (id: string | object) =>
  typeof id === "string" ? { object: id.startsWith("promo_") ? "promotion_tier" : "voucher", id } : id;

test("one code: the redemption, the order, the customer and the counters, all in one", async () => {
  const { project, ok, code, redeem, rows } = await world();
  const made = await code("TEN", percent(10), { redemption: { quantity: 2 } });
  const { status, body } = await redeem(
    ["ten"],
    { source_id: "o-1", amount: 2000, metadata: { gift: true } },
    {
      customer: { source_id: "anna", name: "Anna" },
      metadata: { store: "Berlin" },
    },
  );
  assert.equal(status, 200, JSON.stringify(body));
  const [redemption] = body.redemptions;
  const customer = await ok("GET /v1/customers/anna");
  const order = await ok("GET /v1/orders/o-1");
  const { validation_rules_assignments: _, ...record } = await ok("GET /v1/vouchers/TEN");
  assert.match(redemption.id, /^r_[0-9a-f]{24}$/);
  const { tracking_id } = redemption;
  assert.match(tracking_id, /^track_/);
  assert.deepEqual(redemption, {
    id: redemption.id,
    object: "redemption",
    date: NOW,
    customer_id: customer.id,
    tracking_id,
    metadata: { store: "Berlin" },
    redemption: null,
    result: "SUCCESS",
    status: "SUCCEEDED",
    order: {
      id: order.id,
      source_id: "o-1",
      amount: 2000,
      initial_amount: 2000,
      discount_amount: 200,
      total_discount_amount: 200,
      total_amount: 1800,
      applied_discount_amount: 200,
      total_applied_discount_amount: 200,
      metadata: { gift: true },
      customer_id: customer.id,
      referrer_id: null,
      object: "order",
      status: "PAID",
      redemptions: {
        [redemption.id]: {
          date: NOW,
          related_object_type: "voucher",
          related_object_id: made.id,
          related_object_parent_id: null,
        },
      },
    },
    channel: { channel_id: project.app.id, channel_type: "API" },
    customer: { id: customer.id, name: "Anna", email: null, source_id: "anna", metadata: {}, object: "customer" },
    related_object_type: "voucher",
    related_object_id: made.id,
    voucher: record,
  });
  assert.equal("parent_redemption" in body, false);
  assert.deepEqual([body.inapplicable_redeemables, body.skipped_redeemables], [[], []]);
  assert.equal(body.order.total_amount, 1800);
  assert.equal(order.status, "PAID");
  assert.equal((await ok("GET /v1/vouchers/TEN")).redemption.redeemed_quantity, 1);
  assert.equal((await redeem(["TEN"], { amount: 100 })).status, 200);
  const third = await redeem(["TEN"], { amount: 100 });
  assert.deepEqual(
    [third.status, third.body.key, third.body.resource_type, third.body.details],
    [400, "quantity_exceeded", "redemption", "TEN"],
  );
  const kept = await rows("redemptions");
  assert.deepEqual(kept.map(({ result }) => result).sort(), ["FAILURE", "SUCCESS", "SUCCESS"]);
  const failure = kept.find(({ id }) => id === third.body.resource_id)!;
  assert.deepEqual(
    [failure.failure_code, failure.failure_message, failure.status, failure.voucher_code, failure.order_shown],
    ["quantity_exceeded", "quantity exceeded", "FAILED", "TEN", null],
  );
});

test("a stack: a parent, its children in the order of application, and running totals", async () => {
  const { ok, code, gift, redeem, rows } = await world();
  await gift("CARD", 100);
  await code("TWENTY", percent(20));
  await code("EIGHTY", amount(8000));
  const { body } = await redeem([{ object: "voucher", id: "CARD", gift: { credits: 100 } }, "TWENTY", "EIGHTY"], {
    amount: 200_000,
  });
  const { parent_redemption: parent, redemptions, order } = body;
  assert.deepEqual(
    redemptions.map((one: any) => [
      one.redemption,
      one.amount ?? null,
      one.order.applied_discount_amount,
      one.order.total_amount,
    ]),
    [
      [parent.id, 100, 100, 199_900],
      [parent.id, null, 39_980, 159_920],
      [parent.id, null, 8000, 151_920],
    ],
  );
  assert.deepEqual(redemptions[0].gift, { amount: 100 });
  assert.deepEqual([parent.related_object_type, parent.related_object_id], ["redemption", parent.id]);
  assert.deepEqual(order.redemptions, {
    [parent.id]: {
      date: NOW,
      related_object_type: "redemption",
      related_object_id: parent.id,
      stacked: redemptions.map(({ id }: any) => id),
    },
  });
  const card = await ok("GET /v1/vouchers/CARD");
  assert.deepEqual([card.gift.amount, card.gift.balance, card.redemption.redeemed_amount], [100, 0, 100]);
  const entries = await rows("ledger_entries");
  assert.deepEqual(
    entries.map(({ kind, amount: moved, balance }) => [kind, moved, balance]),
    [
      ["opening", 100, 100],
      ["redemption", -100, 0],
    ],
  );
  assert.deepEqual(
    (await rows("ledger_lots")).map(({ remaining }) => remaining),
    [0],
  );
});

test("what fails changes nothing but that it is listed", async () => {
  const { call, code, redeem, rows } = await world();
  await code("A", percent(10), { redemption: { quantity: 1 } });
  const reply = await redeem(["A", "nobody"], { source_id: "o", amount: 100 }, { customer: { source_id: "new" } });
  assert.deepEqual([reply.status, reply.body.key], [404, "not_found"]);
  assert.equal((await call("GET /v1/customers/new")).status, 404);
  assert.equal((await call("GET /v1/orders/o")).status, 404);
  assert.equal((await call("GET /v1/vouchers/A")).body.redemption.redeemed_quantity, 0);
  const [row, ...others] = await rows("redemptions");
  assert.deepEqual(
    [row!.id, row!.failure_code, row!.related_object_id, others.length],
    [reply.body.resource_id, "not_found", "nobody", 0],
  );
});

test("a limit of a customer holds in a project whose only rule has the older name, with underscores", async () => {
  const { rule, code, redeem } = await world();
  const once = { name: "redemption_count_per_customer", conditions: { $less_than_or_equal: [1] } };
  await code("OLDER", percent(10), { validation_rules: [await rule({ 1: once, logic: "1" })] });
  const key = async () =>
    (await redeem(["OLDER"], { amount: 1000 }, { customer: { source_id: "a" } })).body.key ?? null;
  assert.deepEqual([await key(), await key()], [null, "redemption_rules_violated"]);
});

test("limits of a customer, of a campaign and of a key count what was redeemed before", async () => {
  const { ok, rule, code, redeem } = await world();
  const at_most = (name: string, n: number) => ({ 1: { name, conditions: { $less_than_or_equal: [n] } }, logic: "1" });
  await code("ONCE", percent(10), { validation_rules: [await rule(at_most("redemption.count.per_customer", 1))] });
  const key = async (customer: object | null, id = "ONCE") =>
    (await redeem([id], { amount: 1000 }, customer ? { customer } : {})).body.key ?? null;
  assert.equal(await key(null), "missing_customer");
  assert.equal(await key({ source_id: "a" }), null);
  assert.equal(await key({ source_id: "a" }), "redemption_rules_violated");
  assert.equal(await key({ source_id: "b" }), null);
  const budget = await rule(at_most("campaign.orders.amount_discounted", 250));
  const campaign = await ok("POST /v1/campaigns", {
    name: "Budget",
    voucher: { type: "DISCOUNT_VOUCHER", discount: percent(10) },
    validation_rules: [budget],
  });
  for (const one of ["B1", "B2", "B3"]) await ok(`POST /v1/campaigns/${campaign.id}/vouchers/${one}`, {});
  assert.deepEqual(
    [await key(null, "B1"), await key(null, "B2"), await key(null, "B3")],
    [null, null, "redemption_rules_violated"],
  );
  await code("KEY", percent(10), { validation_rules: [await rule(at_most("redemption.count.per_api_key", 2))] });
  assert.deepEqual(
    [await key(null, "KEY"), await key(null, "KEY"), await key(null, "KEY")],
    [null, null, "redemption_rules_violated"],
  );
  const validated = await ok("POST /v1/validations", {
    redeemables: [{ object: "voucher", id: "KEY" }],
    order: { amount: 1 },
  });
  assert.equal(validated.valid, false, "a validation sees the same");
});

test("a session is honoured and released, and others see what it held", async () => {
  const { call, code, redeem } = await world();
  await code("ONE", percent(10), { redemption: { quantity: 1 } });
  const session = { type: "LOCK", key: "mine" };
  await call("POST /v1/validations", {
    redeemables: [{ object: "voucher", id: "ONE" }],
    order: { amount: 100 },
    session,
  });
  assert.equal((await redeem(["ONE"], { amount: 100 })).body.key, "quantity_exceeded");
  assert.equal((await redeem(["ONE"], { amount: 100 }, { session })).status, 200);
  assert.equal((await db`select count(*) from session_locks where session_key = 'mine'`)[0]!.count, 0);
});

test("a promised price is kept, or the redemption is refused with both amounts", async () => {
  const { ok, code, redeem, rows } = await world();
  await code("TEN", percent(10));
  const asked = { redeemables: [{ object: "voucher", id: "TEN" }], order: { amount: 1000 } };
  const { id: validation_id } = await ok("POST /v1/validations", asked);
  assert.equal((await redeem(["TEN"], { amount: 1000 }, { options: { validation_id } })).status, 200);
  await ok("PUT /v1/vouchers/TEN", { discount: percent(5) });
  const changed = await redeem(["TEN"], { amount: 1000 }, { options: { validation_id } });
  assert.deepEqual(
    [changed.status, changed.body.key, changed.body.details],
    [409, "promised_price_changed", "The validation promised a total of 900, it would now be 950"],
  );
  assert.equal((await redeem(["TEN"], { amount: 1000 }, { options: { validation_id: "valid_x" } })).status, 404);
  assert.equal((await rows("redemptions")).length, 2);
});

test("what is refused now is refused with its reason, promised or not", async () => {
  const { project, ok, code, redeem, rows } = await world();
  const ten = await code("TEN", percent(10), { redemption: { quantity: 1 } });
  const other = await code("OTHER", amount(100));
  const promiseOf = async (...ids: string[]) =>
    (await ok("POST /v1/validations", { redeemables: ids.map(redeemable), order: { amount: 1000 } })).id;
  const [one, both] = [await promiseOf("TEN"), await promiseOf("TEN", "OTHER")];
  assert.equal((await redeem(["TEN"], { amount: 1000 }, { options: { validation_id: one } })).status, 200);
  const used = await redeem(["TEN"], { amount: 1000 }, { options: { validation_id: one } });
  assert.deepEqual([used.status, used.body.key, used.body.details], [400, "quantity_exceeded", "TEN"]);
  const partially = { redeemables_application_mode: "PARTIAL" };
  await ok(`POST /management/v1/projects/${project.id}/stacking-rules`, partially);
  const partial = await redeem(["TEN", "OTHER"], { amount: 1000 }, { options: { validation_id: both } });
  assert.deepEqual(
    [partial.status, partial.body.key],
    [400, "quantity_exceeded"],
    "the others are not taken without it",
  );
  assert.equal((await redeem(["TEN", "OTHER"], { amount: 1000 })).status, 200);
  await ok("POST /v1/vouchers/OTHER/disable");
  const invalid = await promiseOf("OTHER");
  await ok("POST /v1/vouchers/OTHER/enable");
  const nothing = await redeem(["OTHER"], { amount: 1000 }, { options: { validation_id: invalid } });
  assert.deepEqual(
    [nothing.status, nothing.body.key, nothing.body.details],
    [409, "promised_price_changed", `Validation ${invalid} was not valid: it promised no price`],
  );
  const failed = (await rows("redemptions")).filter((row) => row.result === "FAILURE");
  assert.deepEqual(
    failed
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map((row) => [row.failure_code, row.related_object_id, row.voucher_code]),
    [
      ["quantity_exceeded", ten.id, "TEN"],
      ["quantity_exceeded", ten.id, "TEN"],
      ["promised_price_changed", other.id, "OTHER"],
    ],
  );
});

test("a redemption under PARTIAL where nothing applies says the first reason, and records every one with its own", async () => {
  const { project, ok, call, code, redeem } = await world();
  await ok(`POST /management/v1/projects/${project.id}/stacking-rules`, {
    redeemables_application_mode: "PARTIAL",
    redeemables_no_effect_rule: "SKIP",
  });
  await code("USED", percent(10), { redemption: { quantity: 0 } });
  const off = await code("OFF", percent(10), { active: false });
  await code("IDLE", percent(0));
  const refused = await redeem(["NONE", "IDLE", "OFF", "USED"], { amount: 1000 });
  assert.deepEqual(
    [refused.status, refused.body.key, refused.body.details],
    [400, "no_applicable_redeemables", "Cannot find voucher with id NONE"],
  );
  const { redemptions, total } = (await call("GET /v1/redemptions?result=FAILURE")).body;
  const request = redemptions.find((one: any) => one.id === refused.body.resource_id);
  assert.equal(request.failure_code, "no_applicable_redeemables");
  assert.equal(total, 5);
  const own = redemptions.filter((one: any) => one !== request);
  assert.deepEqual(own.map((one: any) => [one.voucher?.code ?? one.related_object_id, one.failure_code]).sort(), [
    ["IDLE", "no_effect"],
    ["NONE", "not_found"],
    ["OFF", "voucher_disabled"],
    ["USED", "quantity_exceeded"],
  ]);
  for (const one of own) assert.equal(one.redemption, request.id);
  assert.equal((await call(`GET /v1/vouchers/${off.code}`)).body.redemption.redeemed_quantity, 0);
});

test("a promise that is broken names what differs, and the code or tier it is about", async () => {
  const { ok, code, gift, redeem, rows } = await world();
  await code("A", amount(300));
  await code("B", amount(100));
  await gift("CARD", 5000);
  const promise = async (redeemables: object[], order: object | null) =>
    (await ok("POST /v1/validations", { redeemables, ...(order && { order }) })).id;
  const stack = ["A", "B"].map(redeemable);
  const credits = (count: number) => [{ object: "voucher", id: "CARD", gift: { credits: count } }];
  const [two, same, paid, single] = [
    await promise(stack, { amount: 1000 }),
    await promise(stack, { amount: 300 }),
    await promise(credits(500), null),
    await promise([redeemable("B")], { amount: 1000 }),
  ];
  const says = async (ids: (string | object)[], order: object | null, validation_id: string) => {
    const { status, body } = await redeem(ids, order, { options: { validation_id } });
    assert.deepEqual([status, body.key], [409, "promised_price_changed"]);
    const row = (await rows("redemptions")).find(({ id }) => id === body.resource_id)!;
    return [body.details, row.voucher_code];
  };
  const total = "The total is the one that the validation promised, but not the";
  assert.deepEqual(await says(credits(300), null, paid), [
    `${total} credits of voucher CARD: promised 500, now 300`,
    "CARD",
  ]);
  assert.deepEqual(await says(["A"], { amount: 900 }, single), [
    "The validation promised a total of 900, it would now be 600",
    "A",
  ]);
  assert.deepEqual(await says(["A"], { amount: 1200 }, single), ["The validation promised nothing of voucher A", "A"]);
  assert.deepEqual(await says(["A"], { amount: 300 }, same), [
    "The validation promised it with voucher B, which is left out now",
    "A",
  ]);
  assert.deepEqual(await says(["B", "A"], { amount: 1000 }, two), [
    "The validation promised it with the redeemables in another order",
    null,
  ]);
  await ok("PUT /v1/vouchers/A", { discount: amount(350) });
  assert.deepEqual(await says(["A", "B"], { amount: 1000 }, two), [
    "The validation promised a total of 600, it would now be 550",
    "A",
  ]);
  await ok("PUT /v1/vouchers/A", { discount: amount(250) });
  assert.deepEqual(await says(["A", "B"], { amount: 300 }, same), [
    `${total} discount of voucher A: promised 300, now 250`,
    "A",
  ]);
  const tier = await tierOf(ok, amount(100));
  const promised = await promise([redeemable(tier.id)], { amount: 1000 });
  await redeem([tier.id], { amount: 1100 }, { options: { validation_id: promised } });
  const [last] = (await rows("redemptions")).filter((row) => row.related_object_id === tier.id);
  assert.deepEqual([last?.failure_code, last?.campaign_id], ["promised_price_changed", tier.campaign_id]);
});

const tierOf = async (ok: (request: string, body?: unknown) => Promise<any>, discount: object) => {
  const campaign = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  return ok(`POST /v1/promotions/${campaign.id}/tiers`, { name: "T", action: { discount } });
};

test("the older redemptions keep a promise, too", async () => {
  const { call, ok, code } = await world();
  await code("TEN", percent(10));
  const tier = await tierOf(ok, percent(10));
  for (const [id, path] of [
    ["TEN", "/v1/vouchers/TEN/redemption"],
    [tier.id, `/v1/promotions/tiers/${tier.id}/redemption`],
  ]) {
    const promised = await ok("POST /v1/validations", { redeemables: [redeemable(id)], order: { amount: 1000 } });
    const ask = (total: number, validation_id: string) =>
      call(`POST ${path}`, { order: { amount: total }, options: { validation_id } });
    const changed = await ask(2000, promised.id);
    assert.deepEqual([changed.status, changed.body.key], [409, "promised_price_changed"]);
    assert.equal((await ask(1000, "valid_x")).status, 404);
    assert.equal((await ask(1000, promised.id)).status, 200);
  }
});

test("the older redemptions answer with the whole code or tier, as it is after them", async () => {
  const { call, ok, code, gift, rule } = await world();
  const many = { name: "order.amount", conditions: { $more_than: [10] } };
  const validation_rules = [await rule({ 1: many, logic: "1" })];
  await code("TEN", percent(10), { redemption: { quantity: 2 }, metadata: { a: 1 }, validation_rules });
  await gift("CARD", 5000);
  const campaign = await ok("POST /v1/campaigns", { name: "C", voucher: { discount: percent(10) } });
  await ok(`POST /v1/campaigns/${campaign.id}/vouchers/OF-C`, {});
  for (const name of ["TEN", "CARD", "OF-C"]) {
    const { body } = await call(`POST /v1/vouchers/${name}/redemption`, { order: { amount: 1000 } });
    assert.deepEqual(body.voucher, await ok(`GET /v1/vouchers/${name}`));
    assert.equal(body.voucher.redemption.redeemed_quantity, 1);
  }
  const tier = await tierOf(ok, amount(100));
  await call(`POST /v1/promotions/tiers/${tier.id}/redemption`, { order: { amount: 1000 } });
  const { body } = await call(`POST /v1/promotions/tiers/${tier.id}/redemption`, { order: { amount: 1000 } });
  // The status is of the moment in which it is read.
  const { status: _, ...read } = await ok(`GET /v1/promotions/tiers/${tier.id}`);
  assert.deepEqual(body.promotion_tier, read);
  assert.equal(body.promotion_tier.summary.orders.total_discount_amount, 200);
});

const MOST = Number.MAX_SAFE_INTEGER;

test("a redemption with which a campaign or a tier would count too much is refused, and all can be read after it", async () => {
  const { call, ok, redeem, rows } = await world();
  const campaign = await ok("POST /v1/campaigns", { name: "C", voucher: { discount: percent(100) } });
  for (const name of ["C1", "C2"]) await ok(`POST /v1/campaigns/${campaign.id}/vouchers/${name}`, {});
  assert.equal((await redeem(["C1"], { amount: MOST - 1 })).status, 200);
  const refused = await redeem(["C2"], { amount: 2 });
  assert.deepEqual([refused.status, refused.body.key], [400, "invalid_payload"]);
  assert.match(refused.body.details, /^The order is too large: .* Discount Coupon C2 .* more than 9007199254740991$/);
  const kept = await ok(`GET /v1/redemptions/${refused.body.resource_id}`);
  assert.deepEqual([kept.result, kept.failure_code, kept.voucher.code], ["FAILURE", "invalid_payload", "C2"]);
  assert.equal((await redeem(["C2"], { amount: 1 })).status, 200, "it is full to the last");
  const tier = await tierOf(ok, percent(1));
  assert.equal((await redeem([tier.id], { amount: MOST })).status, 200);
  const older = await call(`POST /v1/promotions/tiers/${tier.id}/redemption`, { order: { amount: 1 } });
  assert.deepEqual([older.status, older.body.key], [400, "invalid_payload"]);
  assert.equal((await ok(`GET /v1/promotions/tiers/${tier.id}`)).summary.orders.total_amount, MOST);
  const order = { amount: 1000 };
  await ok("POST /v1/validations", { redeemables: [redeemable("C1")], order });
  await ok("POST /v1/qualifications", { order });
  for (const row of await rows("redemptions"))
    if (row.result === "SUCCESS") await ok(`POST /v1/redemptions/${row.id}/rollback`, {});
  assert.equal((await redeem(["C1"], { amount: MOST })).status, 200, "what was rolled back made room");
});

test("what a campaign counts has its bound within a stack and among redemptions at once, credits too", async () => {
  const { ok, redeem, rows } = await world();
  const gift = { type: "GIFT_VOUCHER", gift: { amount: MOST, balance: MOST } };
  const campaign = await ok("POST /v1/campaigns", { name: "G", campaign_type: "GIFT_VOUCHERS", voucher: gift });
  for (const name of ["G1", "G2", "G3"]) await ok(`POST /v1/campaigns/${campaign.id}/vouchers/${name}`, {});
  const asking = (id: string, credits: number) => ({ object: "voucher", id, gift: { credits } });
  const stack = await redeem([asking("G1", MOST), asking("G2", 1)], null);
  assert.deepEqual([stack.status, stack.body.key], [400, "invalid_payload"]);
  const [failure, ...more] = await rows("redemptions");
  assert.deepEqual([failure?.voucher_code, more.length, (await rows("ledger_entries")).length], ["G2", 0, 0]);
  const replies = await Promise.all(["G1", "G2", "G3"].map((id) => redeem([asking(id, MOST - 1)], null)));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400, 400]);
  const sums = (await rows("counters")).map(({ gift_amount }) => gift_amount);
  assert.deepEqual(
    sums,
    sums.map(() => MOST - 1),
  );
});

test("older redemptions: one code, one tier", async () => {
  const { call, ok, code } = await world();
  await code("TEN", percent(10));
  const one = await call("POST /v1/vouchers/TEN/redemption?tracking_id=x", { order: { amount: 1000 } });
  assert.deepEqual([one.status, one.body.voucher.code, one.body.order.total_amount], [200, "TEN", 900]);
  const campaign = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  const tier = await ok(`POST /v1/promotions/${campaign.id}/tiers`, { name: "T", action: { discount: amount(100) } });
  const two = await call(`POST /v1/promotions/tiers/${tier.id}/redemption`, { order: { amount: 1000 } });
  assert.deepEqual(
    [two.body.promotion_tier.id, two.body.promotion_tier.campaign.id, two.body.order.total_amount],
    [tier.id, campaign.id, 900],
  );
  assert.deepEqual((await ok(`GET /v1/promotions/tiers/${tier.id}`)).summary, {
    redemptions: { total_redeemed: 1 },
    orders: { total_amount: 1000, total_discount_amount: 100 },
  });
  const none = await call("POST /v1/vouchers/nobody/redemption", {});
  assert.deepEqual([none.status, none.body.key, none.body.resource_type], [404, "not_found", "redemption"]);
});

test("a repeated request with its key redeems once", async () => {
  const { call, code, rows } = await world();
  await code("TEN", percent(10));
  const body = { redeemables: [{ object: "voucher", id: "TEN" }], order: { amount: 1000 } };
  const send = () => call("POST /v1/redemptions", body, { "idempotency-key": "once" });
  const [first, second] = [await send(), await send()];
  assert.equal(first.text, second.text);
  assert.equal((await rows("redemptions")).length, 1);
});

test("an SDK says what it is, and that is the channel of what it redeems, rolls back and publishes", async () => {
  const shop = await testShop(db);
  const sdk = { "x-voucherify-channel": "Ruby-SDK" };
  const ok = (request: string, body?: unknown, headers: Record<string, string> = sdk) =>
    shop.ok(request, body, headers);
  await ok("POST /v1/vouchers/SDK", { discount: { type: "AMOUNT", amount_off: 1 } });
  const redeem = (headers: Record<string, string>) => ok("POST /v1/vouchers/SDK/redemption", {}, headers);
  const made = await redeem(sdk);
  assert.equal(made.channel.channel_type, "Ruby-SDK");
  assert.equal((await ok(`GET /v1/redemptions/${made.id}`)).channel.channel_type, "Ruby-SDK");
  for (const channel of ["", "x".repeat(201)])
    assert.equal((await redeem({ "x-voucherify-channel": channel })).channel.channel_type, "API", "left out");
  const undone = await ok(`POST /v1/redemptions/${made.id}/rollback`);
  assert.equal((await ok(`GET /v1/redemptions/${undone.id}`)).channel.channel_type, "Ruby-SDK");
  const publish = (more: object) =>
    ok("POST /v1/publications", { voucher: "SDK", customer: { source_id: "a" }, ...more });
  assert.equal((await publish({})).channel, "Ruby-SDK");
  assert.equal((await publish({ channel: "shop" })).channel, "shop", "the body comes first");
});

test("a code that is not there is known by what was asked for, in the record of its failure", async () => {
  const { ok, redeem } = await world();
  const { status, body } = await redeem(["NOPE"], { amount: 1000 });
  assert.equal(status, 404);
  const [failed] = (await ok("GET /v1/redemptions")).redemptions;
  assert.deepEqual(
    [failed.id, failed.related_object_type, failed.related_object_id, failed.voucher],
    [body.resource_id, "voucher", "NOPE", null],
  );
  const tier = await redeem(["promo_nope"], { amount: 1000 });
  const shown = await ok(`GET /v1/redemptions/${tier.body.resource_id}`);
  assert.deepEqual([shown.related_object_type, shown.related_object_id], ["promotion_tier", "promo_nope"]);
});

test("the list takes moments without an offset as UTC, and whole numbers in digits only", async () => {
  const { call, ok, code, redeem } = await world();
  await code("TEN", percent(10));
  await redeem(["TEN"], { amount: 1000 });
  const moment = (by: number) => new Date(Date.parse(NOW) + by).toISOString().slice(0, 19);
  const since = async (text: string) => (await ok(`GET /v1/redemptions?created_at[after]=${text}`)).total;
  assert.deepEqual([await since(moment(-2000)), await since(moment(2000))], [1, 0]);
  for (const limit of ["0x10", "1e1", "10.0", "%2010", "%2B5"]) {
    const { status, body } = await call(`GET /v1/redemptions?limit=${limit}`);
    assert.deepEqual([status, body.key], [400, "invalid_query_params"], limit);
  }
  assert.equal((await ok("GET /v1/redemptions?limit=10")).redemptions.length, 1);
});

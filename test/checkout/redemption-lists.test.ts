import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_EFFECT, type RedemptionRow } from "../../src/core/rows/redemption.ts";
import { NO_SETTINGS } from "../../src/core/vouchers/settings.ts";
import { readMigrations } from "../../src/db/migrate.ts";
import { insertRedemptions, tally } from "../../src/resources/checkout/redemptions/store.ts";
import { insertHolders } from "../../src/resources/promotions/redeemable-holders/store.ts";
import { NOW, newId, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { holdsFields, holdsRows } from "../support/interface-rows.ts";
import { okOf } from "../support/shop.ts";

const { db } = await testDatabase();

const percent = (percent_off: number) => ({ type: "PERCENT", percent_off });
const redeemable = (id: string) => ({ object: id.startsWith("promo_") ? "promotion_tier" : "voucher", id });

async function world() {
  const project = await testProject(db);
  const clock = { now: NOW };
  const { call } = await testEngine(db, project, { now: () => clock.now });
  const ok = okOf(call);
  const code = (name: string, more: object = {}) =>
    ok(`POST /v1/vouchers/${name}`, { type: "DISCOUNT_VOUCHER", discount: percent(10), ...more });
  const gift = (name: string, amount: number) => ok(`POST /v1/vouchers/${name}`, { gift: { amount } });
  const campaign = async (name: string, codes: readonly string[]) => {
    const made = await ok("POST /v1/campaigns", { name, voucher: { discount: percent(10) } });
    for (const one of codes) await ok(`POST /v1/campaigns/${made.id}/vouchers/${one}`, {});
    return made;
  };
  const tier = async (name: string) => {
    const made = await ok("POST /v1/campaigns", { name, campaign_type: "PROMOTION" });
    return ok(`POST /v1/promotions/${made.id}/tiers`, { name: `${name} tier`, action: { discount: percent(20) } });
  };
  const redeem = (ids: readonly (string | object)[], more: object = {}) =>
    call("POST /v1/redemptions", {
      redeemables: ids.map((id) => (typeof id === "string" ? redeemable(id) : id)),
      order: { amount: 1000 },
      ...more,
    });
  const list = (query = "") => ok(`GET /v1/redemptions?${query}`);
  /** The codes of a page, or the reason of what failed without one. */
  const codes = async (query = "") => shown(await list(query));
  return { project, clock, call, ok, code, gift, campaign, tier, redeem, list, codes };
}
const nameOf = (one: any) => one.voucher?.code ?? one.promotion_tier?.name ?? one.failure_code ?? one.object;
const shown = (page: any) => page.redemptions.map(nameOf).join(" ");
const filter = (field: string, operator: string, value: string) =>
  `filters[${field}][conditions][${operator}][0]=${encodeURIComponent(value)}`;

/** Four redemptions and two failures, a second apart. */
async function six() {
  const w = await world();
  const { clock, ok, code, campaign, redeem } = w;
  const summer = await campaign("Summer", ["S1", "S2"]);
  await code("A");
  await code("ONCE", { redemption: { quantity: 1 } });
  const anna = await ok("POST /v1/customers", { source_id: "anna" });
  const attempts: [string, object][] = [
    ["A", { customer: { id: anna.id } }],
    ["S1", {}],
    ["ONCE", { customer: { source_id: "bob" } }],
    ["ONCE", { customer: { id: anna.id } }],
    ["S2", { customer: { id: anna.id } }],
    ["nobody", {}],
  ];
  for (const [second, [id, more]] of attempts.entries()) {
    clock.now = `2026-01-01T12:00:0${second}.000Z`;
    await redeem([id], more);
  }
  return { ...w, summer, anna };
}

test("the list has successes and failures, newest first, ten unless another number is asked for, with an exact total", async (t) => {
  const { ok, code, redeem, list, codes } = await six();
  const inOrder = await codes();
  const { redemptions, ...envelope } = await list();
  await holdsRows(t, "redemptions.list", {
    path: () => assert.equal(inOrder, "not_found S2 ONCE ONCE S1 A"),
    answer: () => assert.deepEqual(envelope, { object: "list", data_ref: "redemptions", total: 6 }),
  });
  assert.deepEqual(
    redemptions.map((one: any) => one.result),
    ["FAILURE", "SUCCESS", "FAILURE", "SUCCESS", "SUCCESS", "SUCCESS"],
  );
  await code("MANY");
  for (let n = 0; n < 6; n += 1) await redeem(["MANY"]);
  const first = await ok("GET /v1/redemptions");
  assert.deepEqual([first.redemptions.length, first.total], [10, 12]);
  assert.equal((await list("limit=100")).redemptions.length, 12);
});

test("pages follow each other without a gap, and one past the end is an empty list with the same total", async (t) => {
  const { call, list, codes } = await six();
  assert.deepEqual(
    [await codes("limit=4"), await codes("limit=4&page=2"), await codes("limit=4&page=3"), await codes("page=99")],
    ["not_found S2 ONCE ONCE", "S1 A", "", ""],
  );
  const empty = await list("limit=4&page=3");
  await holdsRows(t, "redemptions.list", {
    past_the_end: () => assert.deepEqual(empty, { object: "list", data_ref: "redemptions", redemptions: [], total: 6 }),
  });
  assert.equal((await list("limit=4&page=3&customer=anna")).total, 3, "counted where nothing is tallied");
  const refuses =
    (...queries: string[]) =>
    async () => {
      for (const query of queries) {
        const reply = await call(`GET /v1/redemptions?${query}`);
        assert.deepEqual([reply.status, reply.body.key], [400, "invalid_query_params"], query);
      }
    };
  await holdsRows(t, "redemptions.list", {
    limit: refuses("limit=x", "limit=1.5"),
    page: refuses("page=x", "page=-1"),
  });
  await holdsRows(t, "limit", {
    redemptions_limit: refuses("limit=0", "limit=101"),
    redemptions_page: refuses("page=0", "page=100"),
  });
});

test("by result, once or repeated, in every way that lists are written", async (t) => {
  const { call, list, codes } = await six();
  assert.equal(await codes("result=FAILURE"), "not_found ONCE");
  assert.equal(await codes("result=SUCCESS"), "S2 ONCE S1 A");
  const totals = await Promise.all(
    [
      "result=FAILURE",
      "result=SUCCESS",
      "result=SUCCESS&result=FAILURE",
      "result[]=FAILURE",
      "result[0]=FAILURE&result[1]=FAILURE",
      "result=FAILURE&customer=anna",
    ].map(async (query) => (await list(query)).total),
  );
  await holdsRows(t, "redemptions.list", { result: () => assert.deepEqual(totals, [2, 4, 6, 2, 2, 1]) });
  for (const query of ["result=x", "result=success", "result=SUCCESS&result=x"])
    assert.equal((await call(`GET /v1/redemptions?${query}`)).status, 400, query);
});

test("by the name of a campaign, also together with a result; an unknown one has none", async () => {
  const { list, codes, redeem, campaign } = await six();
  assert.deepEqual([await codes("campaign=Summer"), (await list("campaign=Summer")).total], ["S2 S1", 2]);
  assert.deepEqual((await list("campaign=Summer&result=SUCCESS")).total, 2);
  assert.deepEqual((await list("campaign=Summer&result=FAILURE")).total, 0);
  assert.deepEqual(await list("campaign=Winter"), {
    object: "list",
    data_ref: "redemptions",
    redemptions: [],
    total: 0,
  });
  assert.equal((await list("campaign=")).total, 0);
  await campaign("Both parts", ["B1"]);
  await redeem(["B1", "S1"]);
  assert.deepEqual(
    [
      await codes("campaign=Both%20parts"),
      await codes("campaign=Summer&customer=anna"),
      await codes("campaign=camp_x"),
    ],
    ["B1", "S2", ""],
  );
});

test("by a customer's id or source id; a customer who does not exist has an empty list", async (t) => {
  const { call, anna, list, codes } = await six();
  await holdsRows(t, "redemptions.list", {
    customer: async () => {
      for (const name of ["anna", anna.id]) {
        assert.equal(await codes(`customer=${name}`), "S2 ONCE A");
        assert.equal((await list(`customer=${name}&limit=1`)).total, 3);
      }
      assert.equal(await codes("customer=bob"), "ONCE");
    },
    unknown_customer: async () => {
      const none = { object: "list", data_ref: "redemptions", redemptions: [], total: 0 };
      for (const name of ["nobody", "cust_000000000000000000000000", ""])
        assert.deepEqual(await list(`customer=${name}`), none);
    },
  });
  assert.equal((await call("GET /v1/redemptions?customer=%00")).status, 400);
});

test("ten orders, each with the id as the tie breaker, and of one customer by age first", async () => {
  const { list, call, code, redeem } = await six();
  await code("TIE");
  for (let n = 0; n < 4; n += 1) await redeem(["TIE"], n % 2 === 0 ? { customer: "anna" } : {});
  const all = (await list()).redemptions;
  const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  const columns: Record<string, (one: any) => string | null> = {
    created_at: (one) => one.date,
    id: (one) => one.id,
    voucher_code: (one) => one.voucher?.code ?? null,
    tracking_id: (one) => one.tracking_id,
    customer_id: (one) => one.customer_id,
  };
  for (const [column, value] of Object.entries(columns)) {
    // What has no value is after all that have one.
    const expected = all
      .toSorted((a: any, b: any) => {
        const [x, y] = [value(a), value(b)];
        if (x !== y) return x === null ? 1 : y === null ? -1 : byText(x, y);
        return (column === "customer_id" && byText(a.date, b.date)) || byText(a.id, b.id);
      })
      .map(({ id }: any) => id);
    const ids = async (order: string, limit = 3) => {
      const found: string[] = [];
      for (let page = 1; found.length < all.length; page += 1)
        found.push(...(await list(`order=${order}&limit=${limit}&page=${page}`)).redemptions.map(({ id }: any) => id));
      return found;
    };
    assert.deepEqual(await ids(column), expected, column);
    assert.deepEqual(await ids(`-${column}`), expected.toReversed(), `-${column}`);
  }
  for (const order of ["result", "-", "created_at,id", "%2Bid"])
    assert.equal((await call(`GET /v1/redemptions?order=${order}`)).status, 400, order);
});

test("by time of creation: a day or an instant, both bounds exclusive", async () => {
  const { call, list, codes } = await six();
  assert.equal(await codes("created_at[after]=2026-01-01T12:00:03.000Z"), "not_found S2");
  assert.equal(await codes("created_at[before]=2026-01-01T12:00:01Z"), "A");
  const between = "created_at[after]=2026-01-01T13:00:00%2B01:00&created_at[before]=2026-01-01T12:00:02Z";
  assert.deepEqual([await codes(between), (await list(between)).total], ["S1", 1]);
  assert.equal(await codes("[created_at][before]=2026-01-01T12:00:01Z"), "A");
  const filtered = (bound: string, value: string) => codes(`filters[created_at][${bound}]=${value}`);
  assert.equal(await filtered("before", "2026-01-01T12:00:01Z"), "A");
  assert.equal(await filtered("after", "2026-01-01T12:00:03.000Z"), "not_found S2");
  assert.equal(await filtered("conditions][$before", "2026-01-01T12:00:01Z"), "A");
  const days = ["created_at[after]=2026-01-01", "created_at[before]=2026-01-01", "created_at[before]=2026-01-02"];
  assert.deepEqual(await Promise.all(days.map(async (one) => (await list(one)).total)), [6, 0, 6]);
  for (const query of [
    "filters[created_at][before]=x",
    "filters[created_at][since]=2026-01-01",
    "created_at[before]=x",
    "created_at[after]=2026-13-01",
    "created_at=2026-01-01",
  ])
    assert.equal((await call(`GET /v1/redemptions?${query}`)).status, 400, query);
});

test("every filter: code, related object, its campaign, stack, failure, result, object, customer, campaign, user; and, or", async () => {
  const { clock, call, ok, summer, anna, redeem, list, codes } = await six();
  clock.now = "2026-01-01T12:00:09.000Z";
  const s1 = await ok("GET /v1/vouchers/S1");
  const stack = (await redeem(["A", "S1"])).body;
  const cases: [query: string, codes: string][] = [
    [filter("voucher_code", "$is", "ONCE"), "ONCE ONCE"],
    [filter("voucher_code", "$is", "once"), "ONCE ONCE"],
    [`filters[voucher_code][conditions][$in][0]=ONCE&filters[voucher_code][conditions][$in][1]=S2`, "S2 ONCE ONCE"],
    [filter("voucher_code", "$starts_with", "s"), "S1 S2 S1"],
    [filter("voucher_code", "$is_unknown", ""), "redemption not_found"],
    [filter("related_object_id", "$is", s1.id), "S1 S1"],
    [filter("related_object_parent_id", "$is", summer.id), "S1 S2 S1"],
    [filter("parent_redemption_id", "$is", stack.parent_redemption.id), "S1 A"],
    [filter("parent_redemption_id", "$has_value", ""), "S1 A"],
    [filter("failure_code", "$is", "quantity_exceeded"), "ONCE"],
    [filter("failure_code", "$has_value", ""), "not_found ONCE"],
    [filter("failure_code", "$is_not", "quantity_exceeded"), "S1 A redemption not_found S2 ONCE S1 A"],
    [filter("result", "$is", "FAILURE"), "not_found ONCE"],
    [filter("result", "$not_in", "FAILURE"), "S1 A redemption S2 ONCE S1 A"],
    [filter("object", "$is", "redemption"), "S1 A redemption not_found S2 ONCE ONCE S1 A"],
    [filter("object", "$is", "redemption_rollback"), ""],
    [filter("customer_id", "$is", anna.id), "S2 ONCE A"],
    [filter("campaign_name", "$is", "Summer"), "S1 S2 S1"],
    [filter("campaign_name", "$ends_with", "MER"), "S1 S2 S1"],
    [filter("user_login", "$is", "someone"), ""],
    [filter("user_login", "$is_unknown", ""), "S1 A redemption not_found S2 ONCE ONCE S1 A"],
    [`${filter("voucher_code", "$is", "ONCE")}&${filter("result", "$is", "FAILURE")}`, "ONCE"],
    [
      `filters[junction]=or&${filter("voucher_code", "$is", "ONCE")}&${filter("failure_code", "$is", "not_found")}`,
      "not_found ONCE ONCE",
    ],
    [
      `filters[junction]=OR&${filter("object", "$is", "redemption_rollback")}&${filter("campaign_name", "$is", "Summer")}`,
      "S1 S2 S1",
    ],
    [`${filter("campaign_name", "$is", "Summer")}&customer=anna&result=SUCCESS`, "S2"],
  ];
  for (const [query, expected] of cases) {
    const page = await list(query);
    assert.equal(shown(page), expected, query);
    assert.equal(page.total, page.redemptions.length, query);
  }
  assert.equal(await codes(`[filters][voucher_code][conditions][$is]=S2`), "S2");
  for (const query of [
    filter("nothing", "$is", "x"),
    filter("voucher_code", "$more_than", "1"),
    "filters[voucher_code]=x",
    "filters[junction]=xor",
    filter("voucher_code", "$is", "\u0000"),
  ])
    assert.equal((await call(`GET /v1/redemptions?${query}`)).status, 400, query);
});

test("rollbacks are listed when a filter asks for them, and a redemption that was rolled back names its rollbacks", async () => {
  const { ok, code, redeem, list } = await world();
  await code("A");
  await code("B");
  const [one] = (await redeem(["A"])).body.redemptions;
  const stack = (await redeem(["A", "B"])).body;
  const rollback = await ok(`POST /v1/redemptions/${one.id}/rollback`, { reason: "returned" });
  assert.equal((await list()).total, 4, "rollbacks are not among them");
  const only = await list(filter("object", "$is", "redemption_rollback"));
  assert.deepEqual([only.total, only.redemptions[0].id], [1, rollback.id]);
  const both = "filters[object][conditions][$in][0]=redemption_rollback&filters[object][conditions][$in][1]=redemption";
  assert.equal((await list(both)).total, 5);
  const read = await ok(`GET /v1/redemptions/${one.id}`);
  const note = { id: rollback.id, date: NOW, rollback_order_mode: "WITH_ORDER" };
  assert.deepEqual([read.status, read.related_redemptions], ["ROLLED_BACK", { rollbacks: [note] }]);
  const readBack = await ok(`GET /v1/redemptions/${rollback.id}`);
  assert.deepEqual(
    [readBack.object, readBack.redemption, readBack.reason, readBack.result],
    ["redemption_rollback", one.id, "returned", "SUCCESS"],
  );
  assert.equal("related_redemptions" in (await ok(`GET /v1/redemptions/${stack.parent_redemption.id}`)), false);
  await ok(`POST /v1/redemptions/${stack.parent_redemption.id}/rollbacks`, {});
  const parts = (await list(filter("parent_redemption_id", "$is", stack.parent_redemption.id))).redemptions;
  assert.deepEqual(
    parts.map((part: any) => part.related_redemptions.rollbacks.length),
    [1, 1],
  );
  const entries = await ok("GET /v1/vouchers/A/redemption");
  assert.deepEqual(
    [entries.redeemed_quantity, entries.total, entries.redemption_entries.map((entry: any) => entry.object).sort()],
    [0, 4, ["redemption", "redemption", "redemption_rollback", "redemption_rollback"]],
  );
});

const CHANNEL = (project: { app: { id: string } }) => ({ channel_id: project.app.id, channel_type: "API" });

test("a success of each kind has every field, in the list and by its id", async (t) => {
  const { project, ok, code, gift, campaign, tier, redeem, list } = await world();
  await code("ALONE");
  const summer = await campaign("Summer", ["S1"]);
  await gift("CARD", 500);
  const promotion = await tier("Promo");
  const more = {
    customer: { source_id: "anna", name: "Anna", email: "a@example.com", metadata: { vip: true } },
    metadata: { store: "Berlin" },
  };
  const made: any = {};
  for (const id of ["ALONE", "S1", promotion.id]) made[id] = (await redeem([id], more)).body.redemptions[0];
  made.CARD = (await redeem([{ object: "gift_card", id: "CARD", gift: { credits: 300 } }], more)).body.redemptions[0];
  const listed = Object.fromEntries((await list("customer=anna")).redemptions.map((one: any) => [one.id, one]));
  for (const one of Object.values<any>(made)) {
    assert.deepEqual(await ok(`GET /v1/redemptions/${one.id}`), one, "by its id");
    assert.deepEqual(listed[one.id], one, "in the list");
  }
  const customer = await ok("GET /v1/customers/anna");
  const tracking_id = made.ALONE.tracking_id;
  assert.match(tracking_id, /^track_/);
  const common = (one: any) => ({
    id: one.id,
    object: "redemption",
    date: NOW,
    customer_id: customer.id,
    tracking_id,
    metadata: { store: "Berlin" },
    redemption: null,
    result: "SUCCESS",
    status: "SUCCEEDED",
    order: one.order,
    channel: CHANNEL(project),
    customer: {
      id: customer.id,
      name: "Anna",
      email: "a@example.com",
      source_id: "anna",
      metadata: { vip: true },
      object: "customer",
    },
  });
  // Each was redeemed once: its record is the code as it is now.
  const voucher = async (name: string, more: object) => {
    const { validation_rules_assignments: _, ...record } = await ok(`GET /v1/vouchers/${name}`);
    for (const [field, value] of Object.entries(more)) assert.deepEqual(record[field], value, field);
    return { related_object_type: "voucher", related_object_id: record.id, voucher: record };
  };
  const discount = { type: "DISCOUNT_VOUCHER", discount: percent(10) };
  assert.deepEqual(made.ALONE, { ...common(made.ALONE), ...(await voucher("ALONE", discount)) });
  assert.deepEqual(made.S1, {
    ...common(made.S1),
    ...(await voucher("S1", { campaign: "Summer", campaign_id: summer.id, ...discount })),
  });
  const card = {
    ...common(made.CARD),
    amount: 300,
    gift: { amount: 300 },
    ...(await voucher("CARD", {
      type: "GIFT_VOUCHER",
      gift: { amount: 500, subtracted_amount: 0, balance: 200, effect: "APPLY_TO_ORDER" },
    })),
  };
  assert.deepEqual(made.CARD, card);
  await holdsFields(t, "redemption", made.CARD, card);
  const { promotion_tier, ...rest } = made[promotion.id];
  assert.deepEqual(rest, {
    ...common(made[promotion.id]),
    related_object_type: "promotion_tier",
    related_object_id: promotion.id,
  });
  const { campaign_id } = promotion_tier;
  // The status is of the moment in which it is read.
  const { status: _, ...tierNow } = await ok(`GET /v1/promotions/tiers/${promotion.id}`);
  const holdsMap = (one: any, type: string, id: string) => {
    const parent = one === made.S1 ? summer.id : campaign_id;
    assert.deepEqual(one.order.redemptions, {
      [one.id]: {
        date: NOW,
        related_object_type: type,
        related_object_id: id,
        related_object_parent_id: parent,
      },
    });
    assert.deepEqual(
      [one.order.object, one.order.status, one.order.customer_id, one.order.amount],
      ["order", "PAID", customer.id, 1000],
    );
  };
  await holdsRows(t, "redemption", {
    promotion_tier: () =>
      assert.deepEqual(promotion_tier, { ...tierNow, campaign: { ...tierNow.campaign, name: "Promo" } }),
    order_redemptions: () => {
      holdsMap(made.S1, "voucher", made.S1.voucher.id);
      holdsMap(made[promotion.id], "promotion_tier", promotion.id);
    },
  });
  const guest = (await redeem(["ALONE"], { order: undefined })).body.redemptions[0];
  assert.deepEqual(
    [guest.customer_id, guest.customer, guest.tracking_id, guest.order, guest.metadata],
    [null, null, null, null, {}],
  );
});

test("a failure of each named code has every field, its reason, and no order", async () => {
  const { project, ok, code, redeem, list } = await world();
  const rule = await ok("POST /v1/validation-rules", {
    name: "vip",
    rules: { 1: { name: "customer.metadata", property: "vip", conditions: { $is: [true] } }, logic: "1" },
  });
  const vip = await code("VIP", { validation_rules: [rule.id] });
  const { validation_rules_assignments: _, ...record } = await ok("GET /v1/vouchers/VIP");
  const anna = await ok("POST /v1/customers", { source_id: "anna", name: "Anna" });
  const attempts: [object, string][] = [
    [{}, "missing_customer"],
    [{ customer: { source_id: "anna" } }, "customer_rules_violated"],
  ];
  for (const [more, key] of attempts) {
    const reply = await redeem(["VIP"], { ...more, metadata: { store: "Berlin" } });
    assert.deepEqual([reply.status, reply.body.key, reply.body.resource_type], [400, key, "redemption"]);
    const failed = await ok(`GET /v1/redemptions/${reply.body.resource_id}`);
    const known = "customer" in more;
    assert.match(failed.id, /^rf_[0-9a-f]{24}$/);
    assert.deepEqual(failed, {
      id: reply.body.resource_id,
      object: "redemption",
      date: NOW,
      customer_id: known ? anna.id : null,
      tracking_id: failed.tracking_id,
      metadata: { store: "Berlin" },
      redemption: null,
      result: "FAILURE",
      status: "FAILED",
      failure_code: key,
      failure_message: reply.body.message,
      order: null,
      channel: CHANNEL(project),
      customer: known
        ? { id: anna.id, name: "Anna", email: null, source_id: "anna", metadata: {}, object: "customer" }
        : null,
      related_object_type: "voucher",
      related_object_id: vip.id,
      voucher: record,
    });
    assert.equal(failed.tracking_id === null, !known);
    assert.ok(failed.failure_message.length > 0);
    assert.deepEqual((await list(filter("failure_code", "$is", key))).redemptions, [failed]);
  }
  const unknown = await redeem(["nobody"]);
  const none = await ok(`GET /v1/redemptions/${unknown.body.resource_id}`);
  assert.deepEqual([none.voucher, none.failure_code, none.related_object_id], [null, "not_found", "nobody"]);
});

/** Points are spent on rewards, which no operation makes yet: the rows are as the engine writes them. */
test("redemptions of loyalty cards show their points, and a balance that is too small its code", async (t) => {
  const { project, ok, list } = await world();
  const card = { id: newId("v"), code: "MEMBER", campaign: "Club", campaign_id: null, object: "voucher" };
  await db`insert into vouchers (project_id, id, code, code_folded, type, settings, created_at)
    values (${project.id}, ${card.id}, 'MEMBER', 'member', 'LOYALTY_CARD', ${NO_SETTINGS as never}, ${NOW})`;
  const effect = { ...NO_EFFECT, shown: { ...card, type: "LOYALTY_CARD" }, kind: "points" };
  const row = (given: Partial<RedemptionRow>) =>
    ({
      ...{ project_id: project.id, object: "redemption", parent_id: null, redemption_id: null },
      ...{ related_object_type: "voucher", related_object_id: card.id, campaign_id: null, campaign_name: null },
      ...{ voucher_code: "MEMBER", customer_id: null, tracking_id: null, order_id: null, reason: null, metadata: {} },
      ...{ channel: CHANNEL(project), order_shown: null, created_at: NOW, effect },
      ...{ amount: null, failure_code: null, failure_message: null },
      ...given,
    }) as RedemptionRow;
  const rows = [
    row({ id: newId("r"), result: "SUCCESS", status: "SUCCEEDED", amount: 40 }),
    row({
      id: newId("rf"),
      result: "FAILURE",
      status: "FAILED",
      failure_code: "loyalty_card_points_exceeded",
      failure_message: "loyalty card points exceeded",
    }),
  ];
  await db.begin(async (tx) => {
    await insertRedemptions(tx, project.id, rows);
    await tally(tx, project.id, rows);
  });
  const spent = await ok(`GET /v1/redemptions/${rows[0]!.id}`);
  assert.deepEqual([spent.amount, "gift" in spent], [40, false]);
  await holdsFields(t, "redemption", spent, { loyalty_card: { points: 40 } });
  assert.deepEqual([spent.voucher.id, spent.voucher.code, spent.voucher.type], [card.id, "MEMBER", "LOYALTY_CARD"]);
  const [failed] = (await list("result=FAILURE")).redemptions;
  await holdsFields(t, "redemption", failed, {
    failure_code: "loyalty_card_points_exceeded",
    failure_message: "loyalty card points exceeded",
  });
  assert.deepEqual([failed.voucher.code, "loyalty_card" in failed, "amount" in failed], ["MEMBER", false, false]);
});

test("a stack lists its parts and the redemption of the whole, with the order's map of redemptions", async () => {
  const { project, ok, code, gift, redeem, list } = await world();
  await gift("CARD", 100);
  await code("TEN");
  const { body } = await redeem(["CARD", "TEN"], { customer: { source_id: "anna" }, metadata: { a: 1 } });
  const { parent_redemption: parent, redemptions } = body;
  const page = await list("order=id");
  assert.deepEqual([page.total, page.redemptions.length], [3, 3]);
  const byId = new Map(page.redemptions.map((one: any) => [one.id, one]));
  for (const one of [...redemptions, parent]) assert.deepEqual(byId.get(one.id), one);
  const customer = await ok("GET /v1/customers/anna");
  assert.deepEqual(parent, {
    id: parent.id,
    object: "redemption",
    date: NOW,
    customer_id: customer.id,
    tracking_id: parent.tracking_id,
    metadata: { a: 1 },
    redemption: null,
    result: "SUCCESS",
    status: "SUCCEEDED",
    order: parent.order,
    channel: CHANNEL(project),
    customer: { id: customer.id, name: null, email: null, source_id: "anna", metadata: {}, object: "customer" },
    related_object_type: "redemption",
    related_object_id: parent.id,
  });
  const map = {
    [parent.id]: {
      date: NOW,
      related_object_type: "redemption",
      related_object_id: parent.id,
      stacked: redemptions.map(({ id }: any) => id),
    },
  };
  for (const one of [...redemptions, parent]) assert.deepEqual(one.order.redemptions, map);
  assert.deepEqual(
    redemptions.map((one: any) => [one.redemption, one.order.total_amount, one.amount ?? null]),
    [
      [parent.id, 900, 100],
      [parent.id, 810, null],
    ],
  );
});

test("a redemption is read by its id; unknown ones and those of another project are not found", async () => {
  const { call, code, redeem } = await world();
  await code("A");
  const [{ id }] = (await redeem(["A"])).body.redemptions;
  assert.equal((await call(`GET /v1/redemptions/${id}`)).status, 200);
  const other = await world();
  for (const [ask, of] of [
    [call, "r_000000000000000000000000"],
    [call, "%00"],
    [other.call, id],
  ] as const) {
    const reply = await ask(`GET /v1/redemptions/${of}`);
    assert.ok([400, 404].includes(reply.status), reply.text);
    if (of !== "%00")
      assert.deepEqual(
        [reply.status, reply.body.key, reply.body.resource_id, reply.body.resource_type],
        [404, "not_found", of, "redemption"],
      );
  }
  assert.equal((await other.list()).total, 0);
});

test("what happened to a code: its numbers and its entries, newest first, in pages", async () => {
  const { clock, call, ok, code, gift, redeem } = await world();
  await code("TWICE", { redemption: { quantity: 2 } });
  for (const second of [0, 1, 2]) {
    clock.now = `2026-01-01T12:00:0${second}.000Z`;
    await redeem(["TWICE"]);
  }
  const { redemption_entries, ...numbers } = await ok("GET /v1/vouchers/twice/redemption");
  assert.deepEqual(numbers, {
    quantity: 2,
    redeemed_quantity: 2,
    object: "list",
    url: (await ok("GET /v1/vouchers/TWICE")).redemption.url,
    data_ref: "redemption_entries",
    total: 3,
  });
  assert.deepEqual(
    redemption_entries.map((one: any) => [one.date.slice(17, 19), one.result]),
    [
      ["02", "FAILURE"],
      ["01", "SUCCESS"],
      ["00", "SUCCESS"],
    ],
  );
  const second = await ok("GET /v1/vouchers/TWICE/redemption?limit=1&page=2");
  assert.deepEqual([second.redemption_entries, second.total], [[redemption_entries[1]], 3]);
  await gift("CARD", 500);
  await redeem([{ object: "voucher", id: "CARD", gift: { credits: 200 } }]);
  const card = await ok("GET /v1/vouchers/CARD/redemption");
  assert.deepEqual(
    [card.quantity, card.redeemed_quantity, card.redeemed_amount, card.redemption_entries[0].amount],
    [null, 1, 200, 200],
  );
  await code("NEVER");
  assert.deepEqual((await ok("GET /v1/vouchers/NEVER/redemption")).redemption_entries, []);
  const missing = await call("GET /v1/vouchers/nobody/redemption");
  assert.deepEqual([missing.status, missing.body.resource_type], [404, "voucher"]);
  assert.equal((await call("GET /v1/vouchers/TWICE/redemption?limit=101")).status, 400);
});

test("redemptions of deleted codes and campaigns are in no list, no total and under no id; all others stay", async () => {
  const { call, ok, code, campaign, tier, redeem, list, codes } = await world();
  for (const one of ["KEPT", "BINNED", "ERASED", "PURGED"]) await code(one, { redemption: { quantity: 2 } });
  await campaign("Alive", ["A1", "A2"]);
  await campaign("Gone", ["G1", "G2"]);
  const promotion = await tier("Promo");
  for (const one of ["KEPT", "BINNED", "ERASED", "ERASED", "ERASED", "PURGED", "A1", "A2", "G1", "G2", promotion.id])
    await redeem([one], { customer: { source_id: "anna" } });
  const { body: stack } = await redeem(["KEPT", "G1"]);
  const ids = Object.fromEntries((await list("limit=100")).redemptions.map((one: any) => [nameOf(one), one.id]));
  assert.equal((await list()).total, 14);
  const totals = async () => [
    (await list()).total,
    (await list("limit=100")).redemptions.length,
    (await list("limit=100&customer=anna")).redemptions.length,
    (await list("customer=anna")).total,
    (await list("result=FAILURE")).total,
    (await list("campaign=Alive")).total,
    (await list("campaign=Gone")).total,
  ];
  assert.deepEqual(await totals(), [14, 14, 11, 11, 1, 2, 3]);
  assert.equal((await call("DELETE /v1/vouchers/BINNED")).status, 204);
  assert.deepEqual(await totals(), [13, 13, 10, 10, 1, 2, 3]);
  assert.equal((await call("DELETE /v1/vouchers/ERASED?force=true")).status, 204);
  assert.deepEqual(await totals(), [10, 10, 7, 7, 0, 2, 3]);
  await call("DELETE /v1/vouchers/A1");
  assert.deepEqual(await totals(), [9, 9, 6, 6, 0, 1, 3]);
  await call("DELETE /v1/vouchers/G2");
  assert.deepEqual(await totals(), [8, 8, 5, 5, 0, 1, 2]);
  await call("DELETE /v1/campaigns/Gone");
  assert.deepEqual(await totals(), [6, 6, 4, 4, 0, 1, 0]);
  await call("DELETE /v1/vouchers/PURGED");
  const entry = (await ok("GET /v1/trash-bin?limit=100")).data.find((one: any) => one.resource_name === "PURGED");
  assert.equal((await call(`DELETE /v1/trash-bin/${entry.id}`)).status, 204);
  assert.deepEqual(await totals(), [5, 5, 3, 3, 0, 1, 0], "purging takes nothing twice");
  assert.equal((await codes("limit=100")).split(" ").sort().join(" "), "A2 KEPT KEPT Promo redemption tier");
  for (const gone of ["BINNED", "ERASED", "PURGED", "A1", "G1", "G2"])
    assert.equal((await call(`GET /v1/redemptions/${ids[gone]}`)).status, 404, gone);
  for (const kept of ["KEPT", "A2"]) assert.equal((await call(`GET /v1/redemptions/${ids[kept]}`)).status, 200, kept);
  assert.equal((await call(`GET /v1/redemptions/${stack.parent_redemption.id}`)).status, 200);
  assert.equal((await call("GET /v1/vouchers/G1/redemption")).status, 404);
  await call(`DELETE /v1/promotions/tiers/${promotion.id}`);
  assert.equal((await list()).total, 5, "a tier is a part of its campaign, which is there");
});

test("a code that is deleted while it is redeemed takes all its redemptions along, and the total stays exact", async () => {
  const { call, code, redeem, list } = await world();
  await code("KEPT");
  await code("HOT");
  const both = () => Promise.all([redeem(["HOT"]), redeem(["KEPT"])]);
  const before = await Promise.all(Array.from({ length: 5 }, both));
  const during = [...Array.from({ length: 10 }, both), call("DELETE /v1/vouchers/HOT")];
  const replies = [...before, ...(await Promise.all(during))].flat();
  assert.ok(replies.every(({ status }) => [200, 204, 404].includes(status)));
  const page = await list("limit=100");
  const refused = replies.filter(({ status }) => status === 404).length;
  assert.deepEqual(
    [page.total, page.redemptions.length, page.redemptions.filter((one: any) => one.voucher?.code === "KEPT").length],
    [15 + refused, 15 + refused, 15],
  );
});

test("a redemption of a deleted customer stays, without the customer", async () => {
  const { call, ok, code, redeem, list } = await world();
  await code("A");
  const [{ id, customer_id }] = (await redeem(["A"], { customer: { source_id: "anna" } })).body.redemptions;
  await call("DELETE /v1/customers/anna");
  const read = await ok(`GET /v1/redemptions/${id}`);
  assert.deepEqual([read.customer, (await list()).total, (await list(`customer=${customer_id}`)).total], [null, 1, 0]);
});

test("a customer's summary counts redemptions, failures, rollbacks, credits and points", async () => {
  const { project, ok, code, gift, redeem } = await world();
  await code("ONCE", { redemption: { quantity: 1 } });
  const card = await gift("CARD", 1000);
  const spare = await gift("SPARE", 70);
  const loyalty = await ok("POST /v1/campaigns", {
    name: "Club",
    campaign_type: "LOYALTY_PROGRAM",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 50 } },
  });
  const member = await ok(`POST /v1/campaigns/${loyalty.id}/vouchers/MEMBER`, {});
  const customer = { source_id: "anna" };
  const credits = (n: number) => [{ object: "voucher", id: "CARD", gift: { credits: n } }];
  await redeem(["ONCE", ...credits(100)], { customer });
  await redeem(["ONCE"], { customer });
  const [{ id, customer_id }] = (await redeem(credits(300), { customer })).body.redemptions;
  const held = [card, spare, member].map((voucher: any) => ({
    ...{ id: newId("rh"), voucher_id: voucher.id, campaign_id: voucher.campaign_id, customer_id },
    ...{ holder_role: "OWNER" as const, metadata: {}, created_at: NOW },
  }));
  await db.begin((tx) => insertHolders(tx, project.id, held));
  const read = async () => {
    const { summary, loyalty: of } = await ok("GET /v1/customers/anna");
    return { ...summary.redemptions, loyalty: of };
  };
  const before = {
    total_redeemed: 4,
    total_failed: 1,
    total_succeeded: 3,
    total_rolled_back: 0,
    total_rollback_failed: 0,
    total_rollback_succeeded: 0,
    gift: { redeemed_amount: 400, amount_to_go: 670 },
    loyalty_card: { redeemed_points: 0, points_to_go: 50 },
    loyalty: { points: 50, referred_customers: 0, campaigns: { Club: { points: 50, referred_customers: 0 } } },
  };
  assert.deepEqual(await read(), before);
  await ok(`POST /v1/redemptions/${id}/rollback`, {});
  const after = {
    ...before,
    total_rolled_back: 1,
    total_rollback_succeeded: 1,
    gift: { redeemed_amount: 100, amount_to_go: 970 },
  };
  assert.deepEqual(await read(), after);
  await ok("DELETE /v1/vouchers/SPARE");
  assert.equal((await read()).gift.amount_to_go, 900, "what is deleted is in nobody's wallet");
  const [listed] = (await ok("GET /v1/customers")).customers;
  assert.equal(listed.summary.redemptions.gift.redeemed_amount, 100, "the list of customers says the same");
});

test("a segment of those who redeemed has a customer in it right after the redemption", async () => {
  const { ok, code, redeem } = await world();
  await code("A");
  const segment = (type: string, field: string, n: number) =>
    ok("POST /v1/segments", {
      ...{ name: `${type} ${field}`, type },
      filter: { junction: "and", [field]: { conditions: { $more_than: [n] } } },
    });
  await segment("auto-update", "summary.redemptions.total_succeeded", 1);
  await segment("passive", "summary.redemptions.total_redeemed", 0);
  const names = async () => (await ok("GET /v1/customers/anna/segments")).data.map(({ name }: any) => name);
  await redeem(["A"], { customer: { source_id: "anna" } });
  assert.deepEqual(await names(), ["passive summary.redemptions.total_redeemed"]);
  await redeem(["A"], { customer: { source_id: "anna" } });
  assert.deepEqual(await names(), [
    "auto-update summary.redemptions.total_succeeded",
    "passive summary.redemptions.total_redeemed",
  ]);
});

test("a customer's activity has what they redeemed and what failed", async () => {
  const { ok, code, redeem } = await world();
  await code("ONCE", { redemption: { quantity: 1 } });
  const customer = { source_id: "anna" };
  const [{ id }] = (await redeem(["ONCE"], { customer })).body.redemptions;
  const failed = (await redeem(["ONCE"], { customer })).body.resource_id;
  const activity = async (type: string) => (await ok(`GET /v1/customers/anna/activity?type=${type}`)).data;
  const [succeeded, ...others] = await activity("customer.redemption.succeeded");
  assert.deepEqual([succeeded.data, others], [{ redemption_id: id }, []]);
  assert.deepEqual(
    (await activity("customer.redemption.failed")).map(({ data }: any) => data),
    [{ redemption_id: failed, failure_code: "quantity_exceeded" }],
  );
  const actions = (await ok("GET /v1/customers/anna/activity?category=ACTION&limit=100")).data;
  assert.ok(actions.some(({ type }: any) => type === "customer.redemption.succeeded"));
});

test("the failure of a code or tier that is not there is found by the related_object_id that it shows", async () => {
  const { redeem, list } = await world();
  for (const id of ["NO-SUCH-CODE", "promo_none"]) {
    assert.equal((await redeem([id])).status, 404);
    const { redemptions, total } = await list(filter("related_object_id", "$is", id));
    assert.deepEqual([total, redemptions.map((one: any) => one.related_object_id)], [1, [id]]);
    assert.equal((await list(filter("related_object_id", "$starts_with", id.slice(0, 5)))).total, 1);
  }
  assert.equal((await list(filter("related_object_id", "$is", "OTHER"))).total, 0);
});

test("a failed redemption of an unknown code is found under what it shows, also one from before that was kept", async () => {
  const { ok, redeem } = await world();
  const { body } = await redeem(["NOBODY-HAS-IT"]);
  const found = async () => {
    const filter = "filters[related_object_id][conditions][$is]=NOBODY-HAS-IT";
    return (await ok(`GET /v1/redemptions?${filter}`)).redemptions.map(({ id }: { id: string }) => id);
  };
  assert.deepEqual(await found(), [body.resource_id]);
  // As it was written before.
  await db`update redemptions set related_object_id = null where id = ${body.resource_id}`;
  assert.deepEqual(await found(), []);
  assert.equal((await ok(`GET /v1/redemptions/${body.resource_id}`)).related_object_id, "NOBODY-HAS-IT");
  await db.unsafe(readMigrations().find(({ name }) => name === "0035_unknown_codes.sql")!.sql);
  assert.deepEqual(await found(), [body.resource_id]);
});

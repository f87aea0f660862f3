import assert from "node:assert/strict";
import { test } from "node:test";
import { type Call, NOW, type TestProject, testDatabase } from "../support/engine.ts";
import { ok, testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const voucher = { loyalty_card: { points: 0 }, code_config: { pattern: "CLUB-######" } };
const FIXED = { type: "FIXED", points: 5 };
const PAID = { event: "order.paid", loyalty: FIXED };

async function start(given: object = {}) {
  const { call, project } = await testShop(db, given);
  const campaign = (await ok(call, "POST /v1/loyalties", { name: "Club", voucher })).id;
  return { project, call, campaign, of: `/v1/loyalties/${campaign}/earning-rules` };
}
async function refused(call: Call, request: string, body: unknown, details: string) {
  const reply = await call(request, body as object);
  assert.deepEqual([reply.status, reply.body.key], [400, "invalid_payload"], `${JSON.stringify(body)} ${reply.text}`);
  assert.ok(reply.body.details.includes(details), `${details}: ${reply.text}`);
}
const eventsOf = async ({ id }: TestProject) =>
  (await db`select kind from events where project_id = ${id} and kind like 'campaign.earning_rule%' order by id`).map(
    ({ kind }) => kind.replace("campaign.earning_rule.", ""),
  );

test("earning rules: create a list, list, read, update, switch, delete", async () => {
  const { project, call, campaign, of } = await start();
  const [first, second] = await ok(call, `POST ${of}`, [
    { ...PAID, source: { banner: "Five points" }, metadata: { a: 1 }, colour: "ignored" },
    { ...PAID, active: false, loyalty: { type: "FIXED", points: "7" } },
  ]);
  assert.match(first.id, /^ern_[0-9a-f]{24}$/);
  assert.match(first.automation_id, /^auto_[0-9a-f]{24}$/);
  const expected = {
    ...{ id: first.id, loyalty: FIXED, event: "order.paid", active: true, metadata: { a: 1 } },
    source: { banner: "Five points", object_id: campaign, object_type: "campaign" },
    ...{ start_date: null, expiration_date: null, validity_timeframe: null, validity_day_of_week: null },
    ...{ validity_hours: null, pending_points: null, expiration_rules: null, validation_rule_id: null },
    automation_id: first.id.replace("ern", "auto"),
    ...{ created_at: first.created_at, updated_at: null, object: "earning_rule" },
  };
  assert.deepEqual(first, expected);
  assert.deepEqual([second.active, second.loyalty, second.source.banner], [false, { type: "FIXED", points: 7 }, null]);
  assert.deepEqual((await call(`GET ${of}`)).body, {
    ...{ object: "list", data_ref: "data", data: [second, first], total: 2 },
  });
  for (const reference of [campaign, "Club"])
    assert.deepEqual((await call(`GET /v1/loyalties/${reference}/earning-rules/${first.id}`)).body, first);

  const one = `${of}/${first.id}`;
  const changed = await ok(call, `PUT ${one}`, { loyalty: { type: "FIXED", points: "8" }, metadata: { b: 2 } });
  const after = { ...expected, loyalty: { type: "FIXED", points: 8 }, metadata: { a: 1, b: 2 }, updated_at: NOW };
  assert.deepEqual(changed, after);
  assert.deepEqual(await ok(call, `PUT ${one}`, { event: "ignored", segment: { id: "ignored" } }), after);
  assert.equal((await ok(call, `PUT ${one}`, { source: { banner: "New" } })).source.banner, "New");
  assert.equal((await ok(call, `PUT ${one}`, { source: null })).source.banner, null);
  assert.equal((await ok(call, `POST ${one}/disable`)).active, false);
  assert.equal((await ok(call, `POST ${one}/disable`)).active, false);
  assert.equal((await ok(call, `GET ${one}`)).active, false);
  assert.equal((await ok(call, `POST ${one}/enable`)).active, true);
  const deleted = await call(`DELETE ${one}`);
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  for (const [request, body] of [["GET"], ["PUT", {}], ["DELETE"]] as [string, object?][]) {
    const reply = await call(`${request} ${one}`, body);
    assert.deepEqual([reply.status, reply.body.resource_type, reply.body.resource_id], [404, "earning_rule", first.id]);
  }
  assert.equal((await call(`POST ${one}/enable`)).status, 404);
  const made = ["assigned", "assigned", "updated", "updated", "updated", "updated"];
  assert.deepEqual(await eventsOf(project), [...made, "disabled", "enabled", "deleted"]);
});

test("earning rules: lists have pages and orders", async () => {
  const { call, of } = await start();
  const rules = await ok(call, `POST ${of}`, Array(12).fill(PAID));
  const ids = rules.map(({ id }: { id: string }) => id);
  const list = async (query: string) => {
    const { data, total } = await ok(call, `GET ${of}${query}`);
    return [data.map(({ id }: { id: string }) => ids.indexOf(id)), total];
  };
  assert.deepEqual(await list(""), [[11, 10, 9, 8, 7, 6, 5, 4, 3, 2], 12]);
  assert.deepEqual(await list("?page=2"), [[1, 0], 12]);
  assert.deepEqual(await list("?order=created_at&limit=3"), [[0, 1, 2], 12]);
  await ok(call, `PUT ${of}/${ids[4]}`, {});
  assert.deepEqual(await list("?order=updated_at&limit=1"), [[4], 12]);
  for (const query of ["?order=event", "?limit=0", "?page=0"])
    assert.equal((await call(`GET ${of}${query}`)).body.key, "invalid_query_params");
});

test("earning rules: each event names what it needs, and that has to be there", async () => {
  const { project, call, campaign, of } = await start();
  const schema = { name: "review", schema: { properties: {} } };
  const review = (await ok(call, `POST /management/v1/projects/${project.id}/custom-event-schemas`, schema)).id;
  const customer = (await ok(call, "POST /v1/customers", { source_id: "ann" })).id;
  const segment = (await ok(call, "POST /v1/segments", { name: "VIP", customers: [customer] })).id;
  const tiers = [{ name: "Gold", points: { from: 100 } }];
  const [{ id: tier }] = await ok(call, `POST /v1/loyalties/${campaign}/tiers`, tiers);
  const other = (await ok(call, "POST /v1/loyalties", { name: "Other", voucher })).id;

  const taken: [rule: object, shown: object][] = [
    [{ event: "order.paid", segment: { id: segment } }, {}],
    [{ event: "customer.segment.entered", segment: { id: segment } }, { segment: { id: segment } }],
    [{ event: "review", custom_event: { schema_id: review } }, { custom_event: { schema_id: review } }],
    ...["joined", "left", "upgraded", "downgraded", "prolonged"].map((move): [object, object] => [
      { event: `customer.loyalty.tier.${move}`, loyalty_tier: { id: tier } },
      { loyalty_tier: { id: tier } },
    ]),
    [{ event: "customer.loyalty.tier.joined", loyalty_tier: { id: "__ANY__" } }, { loyalty_tier: { id: "__ANY__" } }],
  ];
  for (const [rule, shown] of taken) {
    const [{ segment, custom_event, loyalty_tier }] = await ok(call, `POST ${of}`, [{ ...rule, loyalty: FIXED }]);
    const named = { ...(segment && { segment }), ...(custom_event && { custom_event }) };
    assert.deepEqual({ ...named, ...(loyalty_tier && { loyalty_tier }) }, shown);
  }
  const move = { event: "customer.loyalty.tier.left", loyalty_tier: { id: tier }, loyalty: FIXED };
  await ok(call, `POST /v1/loyalties/${other}/earning-rules`, [move]);

  const before = (await ok(call, `GET ${of}`)).total;
  const faulty: [rule: object, details: string][] = [
    [{ event: "customer.segment.entered" }, "must have required property 'segment'"],
    [{ event: "customer.segment.entered", segment: {} }, "'id'"],
    [{ event: "customer.loyalty.tier.joined" }, "must have required property 'loyalty_tier'"],
    [{ event: "review" }, "must have required property 'custom_event'"],
    [{ event: "other", custom_event: { schema_id: review } }, "[1].event must be the name of the custom event"],
    [{ event: "" }, "[1].event"],
    [{ event: 5 }, "[1].event must be string"],
    [{}, "must have required property 'event'"],
  ];
  for (const [rule, details] of faulty) await refused(call, `POST ${of}`, [PAID, { ...rule, loyalty: FIXED }], details);
  const missing: [rule: object, type: string, id: string][] = [
    [{ event: "customer.segment.entered", segment: { id: "seg_none" } }, "segment", "seg_none"],
    [{ event: "customer.loyalty.tier.left", loyalty_tier: { id: "ltr_none" } }, "loyalty_tier", "ltr_none"],
    [{ event: "review", custom_event: { schema_id: "ms_none" } }, "custom_event_schema", "ms_none"],
    [{ event: "order.paid", validation_rule_id: "val_none" }, "validation_rules", "val_none"],
  ];
  for (const [rule, type, id] of missing) {
    const reply = await call(`POST ${of}`, [PAID, { ...rule, loyalty: FIXED }]);
    assert.deepEqual([reply.status, reply.body.resource_type, reply.body.resource_id], [404, type, id], reply.text);
  }
  for (const body of [[], {}, null, [5]]) await refused(call, `POST ${of}`, body, "");
  assert.equal((await ok(call, `GET ${of}`)).total, before, "all of a list, or nothing");
});

test("earning rules: points in proportion, with the ratio where its way to count has it", async () => {
  const { project, call, of } = await start();
  const schema = { name: "review", schema: { properties: {} } };
  const schema_id = (await ok(call, `POST /management/v1/projects/${project.id}/custom-event-schemas`, schema)).id;
  const product = (await ok(call, "POST /v1/products", { name: "Shirt", source_id: "shirt" })).id;
  const sku = (await ok(call, `POST /v1/products/${product}/skus`, { sku: "Blue" })).id;
  const goods = { type: "STATIC", name: "All", products: [{ id: product, object: "product" }] };
  const collection = (await ok(call, "POST /v1/product-collections", goods)).id;
  const ratio = { every: 100, points: 2 };
  const named = { ...ratio, property: "size" };
  const applicable_to = [
    { object: "product", id: product },
    { object: "sku", id: sku },
    { object: "products_collection", id: collection },
  ];
  const of_ = (calculation_type: string, fields: object) => ({ type: "PROPORTIONAL", calculation_type, ...fields });
  const custom = { event: "review", custom_event: { schema_id } };
  const taken: [loyalty: object, rule?: object][] = [
    [of_("ORDER_AMOUNT", { order: { amount: ratio } })],
    [of_("ORDER_TOTAL_AMOUNT", { order: { total_amount: { ...ratio, points_formula: "ORDER_AMOUNT / 100" } } })],
    [of_("ORDER_METADATA", { order: { metadata: named } })],
    [of_("ORDER_ITEMS_QUANTITY", { order_items: { quantity: { ...ratio, object: "product", id: product } } })],
    [of_("ORDER_ITEMS_AMOUNT", { order_items: { amount: { ...ratio, applicable_to } } })],
    [of_("ORDER_ITEMS_SUBTOTAL_AMOUNT", { order_items: { subtotal_amount: { ...ratio, object: "sku", id: sku } } })],
    [of_("CUSTOMER_METADATA", { customer: { metadata: named } })],
    [of_("CUSTOMER_METADATA", { customer: { metadata: named } }), custom],
    [of_("CUSTOM_EVENT_METADATA", { custom_event: { metadata: named } }), custom],
    [{ type: "FIXED", points: 5, points_formula: "ORDER_AMOUNT / 100" }],
  ];
  for (const [loyalty, rule = {}] of taken) {
    const [made] = await ok(call, `POST ${of}`, [{ ...PAID, ...rule, loyalty }]);
    assert.deepEqual(made.loyalty, loyalty);
    assert.deepEqual((await ok(call, `PUT ${of}/${made.id}`, { loyalty })).loyalty, loyalty);
  }
  const [texts] = await ok(call, `POST ${of}`, [
    { ...PAID, loyalty: of_("ORDER_AMOUNT", { order: { amount: { every: "10", points: "1", colour: "ignored" } } }) },
  ]);
  assert.deepEqual(texts.loyalty.order, { amount: { every: 10, points: 1 } });

  const one = `${of}/${texts.id}`;
  const faulty: [loyalty: unknown, details: string][] = [
    [undefined, "'loyalty'"],
    [{ type: "GIFT" }, ".loyalty.type"],
    [{ type: "FIXED" }, ".loyalty must have required property 'points'"],
    [{ type: "FIXED", points: -1 }, ".loyalty.points must be >= 0"],
    [{ type: "FIXED", points: 1.5 }, ".loyalty.points"],
    [{ type: "FIXED", points: "many" }, ".loyalty.points"],
    [{ type: "FIXED", points: "9007199254740993" }, ".loyalty.points must be <="],
    [{ type: "FIXED", points: 1e20 }, ".loyalty.points"],
    [{ type: "FIXED", points: 1, points_formula: "1 +" }, ".loyalty.points_formula: "],
    [{ type: "PROPORTIONAL" }, "'calculation_type'"],
    [of_("LUCK", {}), ".calculation_type"],
    [
      of_("ORDER_TOTAL_AMOUNT", {}),
      "Loyalty order rules must contain one of the following properties - 'total_amount'",
    ],
    [of_("ORDER_TOTAL_AMOUNT", { order: { amount: ratio } }), "'total_amount'"],
    [of_("ORDER_AMOUNT", { order: { amount: { points: 1 } } }), "'every'"],
    [of_("ORDER_AMOUNT", { order: { amount: { every: 0, points: 1 } } }), ".every must be >= 1"],
    [of_("ORDER_AMOUNT", { order: { amount: { every: "0", points: 1 } } }), ".order.amount.every must be >= 1"],
    [of_("ORDER_METADATA", { order: { metadata: ratio } }), "'property'"],
    [of_("ORDER_ITEMS_AMOUNT", { order_items: { amount: ratio } }), ".order_items.amount must name the lines"],
    [of_("ORDER_ITEMS_AMOUNT", { order_items: { amount: { ...ratio, object: "sku" } } }), "must name the lines"],
    [of_("ORDER_ITEMS_AMOUNT", { order_items: { amount: { ...ratio, applicable_to: [] } } }), "must name the lines"],
    [
      of_("ORDER_ITEMS_AMOUNT", { order_items: { amount: { ...ratio, applicable_to: [{ object: "cat", id: "1" }] } } }),
      ".object",
    ],
    [of_("CUSTOM_EVENT_METADATA", { custom_event: { metadata: named } }), "needs a custom event"],
  ];
  for (const [loyalty, details] of faulty) {
    await refused(call, `POST ${of}`, [{ event: "order.paid", loyalty }], details);
    if (loyalty !== undefined) await refused(call, `PUT ${one}`, { loyalty }, details);
  }
  const elsewhere = { ...custom, loyalty: of_("ORDER_AMOUNT", { order: { amount: ratio } }) };
  await refused(call, `POST ${of}`, [elsewhere], "ORDER_AMOUNT needs the event order.paid");
  for (const [object, id, type] of [
    ["product", "shirt", "product"],
    ["sku", "sku_none", "sku"],
    ["products_collection", "pc_none", "product_collection"],
  ]) {
    const loyalty = of_("ORDER_ITEMS_QUANTITY", { order_items: { quantity: { ...ratio, object, id } } });
    for (const reply of [await call(`POST ${of}`, [{ ...PAID, loyalty }]), await call(`PUT ${one}`, { loyalty })])
      assert.deepEqual([reply.status, reply.body.resource_type], [404, type], reply.text);
  }
});

test("earning rules: when they hold, when points can be spent and until when", async () => {
  const { call, of } = await start();
  const when = {
    start_date: "2026-01-01T00:00:00.000Z",
    expiration_date: "2027-01-01T00:00:00.000Z",
    validity_timeframe: { interval: "P1D", duration: "PT2H" },
    validity_day_of_week: [1, 2],
    validity_hours: { daily: [{ start_time: "09:00", expiration_time: "10:00", days_of_week: [1] }] },
  };
  const pending_points = { period_type: "DAY", period_value: 90 };
  const expiration_rules = { period_type: "MONTH", period_value: 12, rounding_type: "END_OF_YEAR" };
  const [made] = await ok(call, `POST ${of}`, [{ ...PAID, ...when, pending_points, expiration_rules }]);
  for (const [field, value] of Object.entries({ ...when, pending_points, expiration_rules }))
    assert.deepEqual(made[field], value, field);
  const one = `${of}/${made.id}`;
  const none = { ...Object.fromEntries(Object.keys(when).map((field) => [field, null])), pending_points: null };
  const cleared = await ok(call, `PUT ${one}`, { ...none, expiration_rules: null });
  for (const field of [...Object.keys(none), "expiration_rules"]) assert.equal(cleared[field], null, field);

  const faulty: [rule: object, details: string][] = [
    [{ validity_timeframe: when.validity_timeframe }, "validity_timeframe requires start_date"],
    [{ start_date: "2027-01-01T00:00:00Z", expiration_date: "2026-01-01T00:00:00Z" }, "expiration_date must be after"],
    [{ start_date: "tomorrow" }, ".start_date"],
    [{ start_date: "+012026-01-01T00:00:00Z" }, ".start_date"],
    [{ validity_day_of_week: [7] }, ".validity_day_of_week"],
    [{ pending_points: { period_type: "MONTH", period_value: 1 } }, ".pending_points.period_type"],
    [{ pending_points: { period_type: "DAY", period_value: 0 } }, ".pending_points.period_value must be >= 1"],
    [{ pending_points: { period_type: "DAY", period_value: 91 } }, ".pending_points.period_value must be <= 90"],
    [{ pending_points: { period_type: "DAY" } }, "'period_value'"],
    [{ expiration_rules: { period_type: "MONTH" } }, ".expiration_rules must have required property 'period_value'"],
    [{ expiration_rules: { period_type: "FIXED_DAY_OF_YEAR", fixed_month: 4, fixed_day: 31 } }, ".fixed_day must be"],
    [{ metadata: 5 }, ".metadata"],
    [{ source: { banner: 5 } }, ".source.banner"],
    [{ active: "yes" }, ".active"],
  ];
  for (const [rule, details] of faulty) {
    await refused(call, `POST ${of}`, [{ ...PAID, ...rule }], details);
    await refused(call, `PUT ${one}`, rule, details);
  }
  const move = { event: "customer.loyalty.tier.joined", loyalty_tier: { id: "__ANY__" }, loyalty: FIXED };
  const says = ".pending_points is for rules of the event order.paid only";
  await refused(call, `POST ${of}`, [{ ...move, pending_points }], says);
  const [{ id }] = await ok(call, `POST ${of}`, [move]);
  await refused(call, `PUT ${of}/${id}`, { pending_points }, says);
});

test("earning rules: the validation rule of one is assigned to it, and goes with it", async () => {
  const { call, of } = await start();
  const make = async (name: string) => (await ok(call, "POST /v1/validation-rules", { name })).id;
  const [first, second] = [await make("A"), await make("B")];
  const assigned = async (id: string) =>
    (await ok(call, `GET /v1/validation-rules-assignments?related_object_id=${id}`)).data.map(
      ({ rule_id, related_object_type }: Record<string, string>) => [rule_id, related_object_type],
    );
  const [{ id, validation_rule_id }] = await ok(call, `POST ${of}`, [{ ...PAID, validation_rule_id: first }]);
  const shown = async () => (await ok(call, `GET ${of}/${id}`)).validation_rule_id;
  assert.equal(validation_rule_id, first);
  assert.deepEqual(await assigned(id), [[first, "earning_rule"]]);
  assert.equal((await ok(call, `PUT ${of}/${id}`, { metadata: {} })).validation_rule_id, first);
  assert.equal((await ok(call, `PUT ${of}/${id}`, { validation_rule_id: second })).validation_rule_id, second);
  assert.deepEqual(await assigned(id), [[second, "earning_rule"]]);
  const none = await call(`PUT ${of}/${id}`, { validation_rule_id: "val_none" });
  assert.deepEqual([none.status, none.body.resource_type, await shown()], [404, "validation_rules", second]);
  assert.equal((await ok(call, `PUT ${of}/${id}`, { validation_rule_id: null })).validation_rule_id, null);
  assert.deepEqual(await assigned(id), []);

  const body = { related_object_type: "earning_rule", related_object_id: id };
  const made = await ok(call, `POST /v1/validation-rules/${first}/assignments`, body);
  assert.equal(await shown(), first, "assigned there, it is shown here");
  assert.equal((await call(`DELETE /v1/validation-rules/${first}/assignments/${made.id}`)).status, 204);
  assert.equal(await shown(), null);
  const unknown = { related_object_type: "earning_rule", related_object_id: "ern_none" };
  assert.equal((await call(`POST /v1/validation-rules/${first}/assignments`, unknown)).status, 404);

  await ok(call, `PUT ${of}/${id}`, { validation_rule_id: second });
  assert.equal((await call(`DELETE /v1/validation-rules/${second}`)).status, 204);
  assert.equal(await shown(), null, "a rule that is deleted asks for nothing");
  await ok(call, `PUT ${of}/${id}`, { validation_rule_id: first });
  await call(`DELETE ${of}/${id}`);
  assert.deepEqual(await assigned(id), []);
});

test("earning rules: metadata is checked with the schema of earning rules", async () => {
  const { project, call, of } = await start();
  const properties = { size: { type: "number", optional: false, array: false } };
  const schema = { related_object: "earning_rule", properties };
  await ok(call, `POST /management/v1/projects/${project.id}/metadata-schemas`, schema);
  for (const metadata of [{}, { size: "big" }, undefined])
    assert.equal((await call(`POST ${of}`, [{ ...PAID, metadata }])).body.key, "metadata_validation_failed");
  const [{ id }] = await ok(call, `POST ${of}`, [{ ...PAID, metadata: { size: 1 } }]);
  assert.equal((await call(`PUT ${of}/${id}`, { metadata: { size: "big" } })).body.key, "metadata_validation_failed");
  assert.equal((await ok(call, `PUT ${of}/${id}`, { active: false })).metadata.size, 1);
});

test("earning rules: a project has at most a hundred; those of deleted campaigns do not count", async () => {
  const { call, campaign, of } = await start();
  const other = (await ok(call, "POST /v1/loyalties", { name: "Other", voucher })).id;
  await ok(call, `POST ${of}`, Array(60).fill(PAID));
  const others = `/v1/loyalties/${other}/earning-rules`;
  await refused(call, `POST ${others}`, Array(101).fill(PAID), "must NOT have more than 100 items");
  await refused(call, `POST ${others}`, Array(41).fill(PAID), "A project has at most 100 earning rules, and has 60");
  assert.equal((await ok(call, `GET ${others}`)).total, 0);
  const both = await Promise.all([1, 2].map(() => call(`POST ${others}`, Array(40).fill(PAID))));
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400]);
  await call(`DELETE /v1/loyalties/${campaign}`);
  await ok(call, `POST ${others}`, Array(60).fill(PAID));
});

test("earning rules: those of a campaign of another type, in the bin or of another project are not found", async () => {
  const { call, campaign, of } = await start();
  const [{ id }] = await ok(call, `POST ${of}`, [PAID]);
  const body = { name: "Codes", voucher: { discount: { type: "PERCENT", percent_off: 10 } } };
  const codes = (await ok(call, "POST /v1/campaigns", body)).id;
  const other = (await ok(call, "POST /v1/loyalties", { name: "Other", voucher })).id;
  const stranger = await testShop(db);
  const everything = (of: string): [string, object?][] => [
    [`GET ${of}`],
    [`POST ${of}`, [PAID]],
    [`GET ${of}/${id}`],
    [`PUT ${of}/${id}`, {}],
    [`DELETE ${of}/${id}`],
    [`POST ${of}/${id}/enable`],
    [`POST ${of}/${id}/disable`],
  ];
  const missing = async (call: Call, requests: readonly [string, object?][], type: string) => {
    for (const [request, sent] of requests) {
      const reply = await call(request, sent);
      assert.deepEqual([reply.status, reply.body.resource_type], [404, type], `${request} ${reply.text}`);
    }
  };
  await missing(call, everything(`/v1/loyalties/${codes}/earning-rules`).slice(0, 2), "campaign");
  await missing(call, everything(`/v1/loyalties/${other}/earning-rules`).slice(2), "earning_rule");
  await missing(stranger.call, everything(of).slice(0, 2), "campaign");
  for (const [request, sent] of everything(of)) assert.equal((await stranger.call(request, sent)).status, 404);
  assert.equal((await ok(call, `GET ${of}/${id}`)).active, true);
  await call(`DELETE /v1/loyalties/${campaign}`);
  for (const [request, sent] of everything(of)) assert.equal((await call(request, sent)).status, 404, request);
});

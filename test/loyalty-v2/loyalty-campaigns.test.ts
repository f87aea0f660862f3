import assert from "node:assert/strict";
import { test } from "node:test";
import { type Call, NOW, testDatabase } from "../support/engine.ts";
import { ok, testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const OF = "/v1/loyalties";
const voucher = { type: "LOYALTY_CARD", loyalty_card: { points: 100 }, code_config: { pattern: "CLUB-######" } };

const create = (call: Call, body: object = {}) => ok(call, `POST ${OF}`, { name: "Club", voucher, ...body });

test("loyalty campaigns: create, list, read by id and name, update, delete; the same rows as campaigns", async () => {
  const { call } = await testShop(db);
  const expiration_rules = { period_type: "MONTH", period_value: 3, rounding_type: "END_OF_MONTH" };
  const loyalty_tiers_expiration = {
    qualification_type: "POINTS_IN_PERIOD",
    qualification_period: "QUARTER",
    start_date: { type: "NEXT_PERIOD" },
    expiration_date: { type: "END_OF_NEXT_PERIOD", extend: "P7D" },
  };
  const created = await create(call, {
    ...{ auto_join: true, join_once: false, description: "For friends", metadata: { a: 1 }, colour: "ignored" },
    voucher: { ...voucher, loyalty_card: { points: 5, expiration_rules } },
    loyalty_tiers_expiration,
  });
  assert.match(created.id, /^camp_/);
  const { campaign_type, type, auto_join, join_once, metadata, object, created_at } = created;
  assert.deepEqual(
    { campaign_type, type, auto_join, join_once, metadata, object, created_at },
    {
      ...{ campaign_type: "LOYALTY_PROGRAM", type: "AUTO_UPDATE", auto_join: true, join_once: true },
      ...{ metadata: { a: 1 }, object: "campaign", created_at: NOW },
    },
  );
  assert.deepEqual(created.voucher.loyalty_card, { points: 5, expiration_rules });
  assert.deepEqual(created.loyalty_tiers_expiration, loyalty_tiers_expiration);
  for (const path of [`${OF}/${created.id}`, `${OF}/Club`]) assert.deepEqual((await call(`GET ${path}`)).body, created);
  assert.deepEqual((await call(`GET /v1/campaigns/${created.id}`)).body, { ...created, status: "ACTIVE" });

  const updated = await call(`PUT ${OF}/Club`, {
    ...{ join_once: false, auto_join: false, metadata: { b: 2 }, description: null, loyalty_tiers_expiration: null },
    loyalty_card: { points: 7, expiration_rules: null },
    options: { recalculate_tiers: true },
  });
  assert.equal(updated.status, 200, updated.text);
  assert.deepEqual(updated.body.voucher.loyalty_card, { points: 7, expiration_rules: null });
  assert.deepEqual(
    [updated.body.join_once, updated.body.auto_join, updated.body.metadata, updated.body.loyalty_tiers_expiration],
    [true, false, { a: 1, b: 2 }, null],
  );
  assert.equal((await call(`PUT ${OF}/Club`, {})).status, 200);
  const deleted = await call(`DELETE ${OF}/${created.id}`);
  assert.equal(deleted.status, 200);
  assert.match(deleted.body.async_action_id, /^aa_/);
  for (const request of ["GET", "PUT", "DELETE"])
    assert.equal((await call(`${request} ${OF}/${created.id}`, request === "PUT" ? {} : undefined)).status, 404);
  assert.equal((await call(`GET ${OF}`)).body.total, 0);
});

test("loyalty campaigns: the list has programs only, in pages and orders", async () => {
  const { call } = await testShop(db);
  const discount = { discount: { type: "PERCENT", percent_off: 10 } };
  await call("POST /v1/campaigns", { name: "Other", voucher: discount });
  const ids = [];
  for (const name of ["A", "B", "C"]) ids.push((await create(call, { name })).id);
  const list = async (query = "") => {
    const { status, body } = await call(`GET ${OF}${query}`);
    assert.deepEqual([status, body.object, body.data_ref], [200, "list", "campaigns"]);
    return [body.campaigns.map(({ name }: { name: string }) => name).join(""), body.total];
  };
  assert.deepEqual(await list(), ["CBA", 3]);
  assert.deepEqual(await list("?order=created_at&limit=2"), ["AB", 3]);
  assert.deepEqual(await list("?order=created_at&limit=2&page=2"), ["C", 3]);
  for (const query of ["?order=colour", "?limit=0", "?limit=101", "?page=0"])
    assert.equal((await call(`GET ${OF}${query}`)).body.key, "invalid_query_params", query);
});

test("loyalty campaigns: a campaign of another type is not found", async () => {
  const { call } = await testShop(db);
  const body = { name: "Other", voucher: { discount: { type: "PERCENT", percent_off: 10 } } };
  const { id } = (await call("POST /v1/campaigns", body)).body;
  for (const reference of [id, "Other"])
    for (const [request, sent] of [["GET"], ["PUT", {}], ["DELETE"]] as [string, object?][]) {
      const reply = await call(`${request} ${OF}/${reference}`, sent);
      assert.deepEqual([reply.status, reply.body.key, reply.body.resource_type], [404, "not_found", "campaign"]);
    }
  assert.equal((await call("GET /v1/campaigns/Other")).status, 200);
});

test("loyalty campaigns: a taken name is refused, and so is what is no loyalty program", async () => {
  const { call } = await testShop(db);
  await create(call);
  const twice = await call(`POST ${OF}`, { name: "Club", voucher });
  assert.deepEqual([twice.status, twice.body.key], [409, "duplicate_found"]);
  const cases: [body: object, details: RegExp][] = [
    [{ voucher }, /'name'/],
    [{ name: "A" }, /'voucher'/],
    [{ name: "A", voucher: {} }, /'loyalty_card'/],
    [{ name: "A", voucher: { discount: { type: "PERCENT", percent_off: 10 } } }, /'loyalty_card'/],
    [{ name: "A", voucher: { loyalty_card: {} } }, /\.voucher\.loyalty_card.*'points'/],
    [{ name: "A", voucher: { loyalty_card: { points: -1 } } }, /points must be >= 0/],
    [{ name: "A", voucher: { loyalty_card: { points: 1e16 } } }, /points/],
    [{ name: "A", voucher, campaign_type: "GIFT_VOUCHERS" }, /\.campaign_type/],
    [{ name: "A", voucher, type: "STANDALONE" }, /STANDALONE/],
    [{ name: "A", voucher, auto_join: "yes" }, /\.auto_join/],
    [{ name: "A\u0000", voucher }, /U\+0000/],
  ];
  for (const [body, details] of cases) {
    const reply = await call(`POST ${OF}`, body);
    assert.deepEqual([reply.status, reply.body.key], [400, "invalid_payload"], `${JSON.stringify(body)} ${reply.text}`);
    assert.match(reply.body.details, details);
  }
  assert.equal((await call(`GET ${OF}`)).body.total, 1);
});

const FAULTY_RULES: [rules: object, details: string][] = [
  [{ period_type: "MONTH" }, "must have required property 'period_value'"],
  [{ period_type: "MONTH", period_value: -1 }, ".period_value must be >= 0"],
  [{ period_type: "MONTH", period_value: 1.5 }, ".period_value must be integer"],
  [{ period_type: "MONTH", period_value: 1201 }, ".period_value must be <= 1200"],
  [{ period_type: "DAY", period_value: 1 }, ".period_type must be equal to one of the allowed values"],
  [{ period_type: "MONTH", period_value: 1, rounding_type: "END_OF_WEEK" }, ".rounding_type must be equal"],
  [{ period_type: "MONTH", period_value: 1, rounding_type: "PARTICULAR_MONTH" }, ".rounding_value must be a month"],
  [
    { period_type: "MONTH", period_value: 1, rounding_type: "PARTICULAR_MONTH", rounding_value: 0 },
    ".rounding_value must be a month from 1 to 12",
  ],
  [{ period_type: "FIXED_DAY_OF_YEAR", fixed_day: 1 }, "must have required property 'fixed_month'"],
  [{ period_type: "FIXED_DAY_OF_YEAR", fixed_month: 1 }, "must have required property 'fixed_day'"],
  [{ period_type: "FIXED_DAY_OF_YEAR", fixed_month: 13, fixed_day: 1 }, ".fixed_month must be <= 12"],
  [{ period_type: "FIXED_DAY_OF_YEAR", fixed_month: 2, fixed_day: 30 }, ".fixed_day must be <= 29 when the month is 2"],
];

test("loyalty campaigns: how points expire has to fit together, wherever it is sent", async () => {
  const { call } = await testShop(db);
  const { id } = await create(call);
  for (const [expiration_rules, details] of FAULTY_RULES) {
    const loyalty_card = { points: 1, expiration_rules };
    const replies = [
      await call(`POST ${OF}`, { name: "Other", voucher: { loyalty_card } }),
      await call(`PUT ${OF}/${id}`, { loyalty_card }),
      await call(`POST /v1/campaigns/${id}/vouchers/ONE`, { loyalty_card }),
    ];
    for (const reply of replies) {
      assert.deepEqual([reply.status, reply.body.key], [400, "invalid_payload"], reply.text);
      assert.ok(reply.body.details.includes(`loyalty_card.expiration_rules`), reply.text);
      assert.ok(reply.body.details.includes(details), `${details}: ${reply.text}`);
    }
  }
  const fitting = [
    { period_type: "MONTH", period_value: 0 },
    { period_type: "MONTH", period_value: 12, rounding_type: "END_OF_HALF_YEAR" },
    { period_type: "MONTH", period_value: 12, rounding_type: "PARTICULAR_MONTH", rounding_value: 12 },
    { period_type: "FIXED_DAY_OF_YEAR", fixed_month: 2, fixed_day: 29 },
  ];
  for (const expiration_rules of fitting) {
    const sent = { ...expiration_rules, ignored: 1, fixed_hour: 5 };
    const reply = await call(`PUT ${OF}/${id}`, { loyalty_card: { points: 1, expiration_rules: sent } });
    assert.deepEqual(reply.body.voucher?.loyalty_card, { points: 1, expiration_rules }, reply.text);
  }
  const beside = { period_type: "MONTH", period_value: 1, rounding_value: 5, fixed_day: 3 };
  const reply = await call(`PUT ${OF}/${id}`, { loyalty_card: { points: 1, expiration_rules: beside } });
  const kept = { period_type: "MONTH", period_value: 1 };
  assert.deepEqual(reply.body.voucher.loyalty_card.expiration_rules, kept, "what has no meaning is left out");
});

test("loyalty campaigns: how tiers are kept has to fit together", async () => {
  const { call } = await testShop(db);
  const { id } = await create(call);
  const [immediately, next] = [{ type: "IMMEDIATE" }, { type: "NEXT_PERIOD" }];
  const balance = (expiration_date: object, start_date: object = immediately) => ({
    ...{ qualification_type: "BALANCE", start_date, expiration_date },
  });
  const inPeriod = (expiration_date: object, start_date: object = immediately) => ({
    ...{ qualification_type: "POINTS_IN_PERIOD", qualification_period: "MONTH", start_date, expiration_date },
  });
  const refused: [sent: object, details: string][] = [
    [{}, "'qualification_type'"],
    [{ ...balance({ type: "BALANCE_DROP" }), qualification_type: "LUCK" }, ".qualification_type"],
    [{ ...inPeriod({ type: "END_OF_PERIOD" }), qualification_period: null }, "'qualification_period'"],
    [{ ...inPeriod({ type: "END_OF_PERIOD" }), qualification_period: "WEEK" }, ".qualification_period"],
    [balance({ type: "BALANCE_DROP" }, next), ".start_date.type must be IMMEDIATE"],
    [balance({ type: "END_OF_PERIOD" }), ".expiration_date.type must be equal to one of the allowed values [ BALANCE_"],
    [inPeriod({ type: "BALANCE_DROP" }), ".expiration_date.type must be equal to one of the allowed values [ END_OF_"],
    [balance({ type: "CUSTOM" }), "'extend'"],
    [balance({ type: "CUSTOM", extend: "P0D" }), "'extend'"],
    [balance({ type: "CUSTOM", extend: "soon" }), ".extend must be an ISO 8601 duration"],
    [balance({ type: "CUSTOM", extend: "PT5H" }), ".extend must be an ISO 8601 duration"],
    [balance({ type: "CUSTOM", extend: "P999999Y" }), ".extend must be an ISO 8601 duration"],
    [balance({ type: "CUSTOM", extend: "P1M", rounding: { type: "CUSTOM" } }), "'value'"],
    [balance({ type: "CUSTOM", extend: "P1M", rounding: { type: "CUSTOM", value: 12 } }), ".value must be <= 11"],
    [balance({ type: "CUSTOM", extend: "P1M", rounding: { type: "WEEK" } }), ".rounding.type"],
  ];
  for (const [loyalty_tiers_expiration, details] of refused)
    for (const request of [`POST ${OF}`, `PUT ${OF}/${id}`]) {
      const reply = await call(request, { name: "Other", voucher, loyalty_tiers_expiration });
      assert.deepEqual([reply.status, reply.body.key], [400, "invalid_payload"], reply.text);
      assert.ok(reply.body.details.includes(details), `${details}: ${reply.text}`);
    }
  const rounded = { type: "CUSTOM", extend: "P1Y", rounding: { type: "CUSTOM", strategy: "START", value: 0 } };
  const taken: [sent: object, shown: object][] = [
    [balance({ type: "BALANCE_DROP" }), balance({ type: "BALANCE_DROP" })],
    [balance({ type: "BALANCE_DROP", extend: "P0D", rounding: null }), balance({ type: "BALANCE_DROP" })],
    [inPeriod({ type: "END_OF_PERIOD" }, next), inPeriod({ type: "END_OF_PERIOD" }, next)],
    [inPeriod({ type: "CUSTOM", extend: "P3M", ignored: 1 }), inPeriod({ type: "CUSTOM", extend: "P3M" })],
    [balance(rounded), balance({ ...rounded, rounding: { ...rounded.rounding, unit: "MONTH" } })],
    [
      balance({ type: "CUSTOM", extend: "P1M", rounding: { type: "QUARTER" } }),
      balance({ type: "CUSTOM", extend: "P1M", rounding: { type: "QUARTER", strategy: "END" } }),
    ],
  ];
  for (const [sent, shown] of taken) {
    const reply = await call(`PUT ${OF}/${id}`, { loyalty_tiers_expiration: sent });
    assert.deepEqual(reply.body.loyalty_tiers_expiration, shown, reply.text);
  }
});

test("loyalty campaigns: another project finds nothing", async () => {
  const [a, b] = [await testShop(db), await testShop(db)];
  const { id } = await create(a.call);
  for (const [request, body] of [["GET"], ["PUT", {}], ["DELETE"]] as [string, object?][])
    assert.equal((await b.call(`${request} ${OF}/${id}`, body)).status, 404);
  assert.equal((await b.call(`GET ${OF}`)).body.total, 0);
  assert.equal((await a.call(`GET ${OF}/${id}`)).status, 200);
});

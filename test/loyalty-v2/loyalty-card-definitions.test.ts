import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, type Reply, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertErrorBody, assertRefused } from "../support/http.ts";
import { holdsFields } from "../support/interface-rows.ts";
import { ok } from "../support/shop.ts";

const { db } = await testDatabase();
const PATH = "/v2/loyalties/card-definitions";
const UNKNOWN = "lcdef_000000000000000000";
const LATER = "2026-01-01T12:05:00.000Z";

async function world() {
  const project = await testProject(db);
  const clock = { now: NOW };
  const { call } = await testEngine(db, project, { now: () => clock.now });
  const create = (body: object = {}) => ok(call, `POST ${PATH}`, { name: "Points", type: "INDIVIDUAL", ...body });
  return { project, clock, call, create };
}

const PLAIN = {
  code_config: {
    pattern: "##########",
    length: 10,
    charset: "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    prefix: "",
    postfix: "",
  },
  points_expiration: { type: "NO_EXPIRATION" },
  pending_points: { type: "IMMEDIATE" },
  earning_limits: { global: { type: "NO_LIMIT", limits: [] }, transactions: { type: "NO_LIMIT", limits: [] } },
  spending_limits: { global: { type: "NO_LIMIT", limits: [] }, transactions: { type: "NO_LIMIT", limits: [] } },
  refunds: { spent_points: { type: "NONE", methods: [] }, earned_points: { type: "NONE", methods: [] } },
  balance_settings: { allow_negative: false },
  pay_with_points: { type: "NO_PAYMENTS" },
};

test("a card definition is created with every section, read, listed, updated and deleted", async (t) => {
  const { clock, call, create } = await world();
  const made = await create({ metadata: { colour: "gold" } });
  assert.match(made.id, /^lcdef_[0-9a-f]{24}$/);
  const expected = {
    id: made.id,
    name: "Points",
    type: "INDIVIDUAL",
    status: "DRAFT",
    ...PLAIN,
    metadata: { colour: "gold" },
    created_at: NOW,
    updated_at: null,
    object: "card_definition",
  };
  assert.deepEqual(made, expected);
  await holdsFields(t, "card_definition", made, expected);
  assert.deepEqual((await call(`GET ${PATH}/${made.id}`)).body, expected);
  assert.deepEqual((await call(`GET ${PATH}`)).body, { object: "list", data: [expected], cursor: null });
  clock.now = LATER;
  const updated = await call(`PUT ${PATH}/${made.id}`, { name: "Stars", metadata: null });
  assert.deepEqual(updated.body, { ...expected, name: "Stars", metadata: {}, updated_at: LATER });
  const deleted = await call(`DELETE ${PATH}/${made.id}`);
  assert.deepEqual(deleted.body, { ...updated.body, status: "DELETED" });
  for (const request of ["GET", "PUT", "DELETE"])
    assertRefused(
      await call(`${request} ${PATH}/${made.id}`, request === "PUT" ? { name: "x" } : undefined),
      "not_found",
    );
  assert.deepEqual((await call(`GET ${PATH}`)).body.data, []);
});

test("reading a card definition takes any id and any query parameter, and answers 404 for what is not there", async () => {
  const { call, create } = await world();
  const { id } = await create();
  assert.equal((await call(`GET ${PATH}/${id}?colour=red&limit=0`)).body.id, id);
  const other = await (await world()).create();
  for (const missing of [UNKNOWN, "nonsense", "lts_000000000000000000", other.id, "a%20b"]) {
    const reply = await call(`GET ${PATH}/${missing}`);
    assertRefused(reply, "not_found");
    assert.equal(reply.body.resource_type, "card_definition");
    assert.equal(reply.body.resource_id, decodeURIComponent(missing));
  }
});

/** A section as it is sent, and as it is returned when that differs. */
const TAKEN: [name: string, sent: object, shown?: object][] = [
  ["points_expiration", { type: "NO_EXPIRATION" }],
  ["points_expiration", { type: "NO_EXPIRATION", rolling_expiration: null }, { type: "NO_EXPIRATION" }],
  ["points_expiration", { type: "ROLLING_EXPIRATION", rolling_expiration: { period: { value: 90, unit: "DAY" } } }],
  [
    "points_expiration",
    { rolling_expiration: { period: { value: 12, unit: "MONTH" }, rounding: { type: "END_OF_MONTH", value: null } } },
    {
      type: "ROLLING_EXPIRATION",
      rolling_expiration: { period: { value: 12, unit: "MONTH" }, rounding: { type: "END_OF_MONTH" } },
    },
  ],
  [
    "points_expiration",
    {
      type: "ROLLING_EXPIRATION",
      rolling_expiration: {
        period: { value: 5, unit: "YEAR" },
        rounding: { type: "END_OF_PARTICULAR_MONTH", value: 12 },
      },
    },
  ],
  [
    "points_expiration",
    {
      type: "CALENDAR_EXPIRATION",
      calendar_expiration: { expiration_dates: [{ day: 29, month: 2 }, ...Array(19).fill({ day: 31, month: 12 })] },
    },
  ],
  [
    "points_expiration",
    { sliding_expiration: { earning_activity: true, period: { value: 1, unit: "YEAR" } } },
    {
      type: "SLIDING_EXPIRATION",
      sliding_expiration: {
        earning_activity: true,
        spending_activity: false,
        custom_activity: false,
        custom_activity_types: [],
        period: { value: 1, unit: "YEAR" },
      },
    },
  ],
  [
    "points_expiration",
    {
      type: "SLIDING_EXPIRATION",
      sliding_expiration: {
        earning_activity: false,
        spending_activity: false,
        custom_activity: true,
        custom_activity_types: ["ms_1", "ms_2"],
        period: { value: 12, unit: "MONTH" },
      },
    },
  ],
  ["pending_points", { type: "IMMEDIATE" }],
  ["pending_points", { type: "PERIOD_BASED", period_based: { period: { value: 1, unit: "YEAR" } } }],
  [
    "pending_points",
    { fixed_dates: { dates: [{ day: 1, month: 6 }] } },
    { type: "FIXED_DATES", fixed_dates: { dates: [{ day: 1, month: 6 }] } },
  ],
  [
    "pending_points",
    { type: "EVENT_BASED", event_based: { event_types: ["ms_1"], cancel_period: { value: 90, unit: "DAY" } } },
  ],
  [
    "earning_limits",
    {
      global: { type: "LIMITED", limits: [{ type: "BALANCE_BASED", max: 1 }] },
      transactions: {
        type: "LIMITED",
        limits: [
          { type: "POINTS", max: 100 },
          { type: "SPENDING", min_amount: 1000 },
        ],
      },
    },
  ],
  [
    "earning_limits",
    {
      global: { limits: [{ period: { current_period: { unit: "QUARTER" } }, points: { max: 9007199254740991 } }] },
      transactions: { type: "NO_LIMIT", limits: null },
    },
    {
      global: {
        type: "LIMITED",
        limits: [
          {
            type: "TIME_BASED",
            period: { type: "CURRENT_PERIOD", current_period: { unit: "QUARTER" } },
            points: { max: 9007199254740991 },
          },
        ],
      },
      transactions: { type: "NO_LIMIT", limits: [] },
    },
  ],
  [
    "spending_limits",
    {
      global: { type: "LIMITED", limits: [{ type: "SPENDING_BASED", max: 5 }] },
      transactions: { type: "LIMITED", limits: [{ type: "POINTS", max: 5 }] },
    },
  ],
  [
    "spending_limits",
    { global: { limits: [{ max: 5 }] }, transactions: { limits: [{ max: 5 }] } },
    {
      global: { type: "LIMITED", limits: [{ type: "SPENDING_BASED", max: 5 }] },
      transactions: { type: "LIMITED", limits: [{ type: "POINTS", max: 5 }] },
    },
  ],
  [
    "refunds",
    {
      spent_points: { type: "REFUNDABLE", methods: [{ type: "RETURN_POINTS", mode: "REFUND_ITEM" }] },
      earned_points: { type: "REFUNDABLE", methods: [{ type: "REVOKE_FROM_BALANCE", mode: "REVOKE_TO_ZERO" }] },
    },
  ],
  ["balance_settings", { allow_negative: true }],
  ["pay_with_points", { type: "EXCHANGE_RATIO", exchange_ratio: { formula: 'ORDER_METADATA("ratio") * 2' } }],
  [
    "pay_with_points",
    { exchange_ratio: { formula: 0.5 } },
    { type: "EXCHANGE_RATIO", exchange_ratio: { formula: "0.5" } },
  ],
  ["code_config", { pattern: "AB-###", length: 3, charset: "xyz", prefix: "P-", postfix: "-Z" }],
  ["code_config", { length: 4, charset: null, prefix: null }, { ...PLAIN.code_config, pattern: "####", length: 4 }],
  ["code_config", { pattern: "A-##" }, { ...PLAIN.code_config, pattern: "A-##", length: 2 }],
];

test("every section is taken in each of its forms, and a type that is left out is returned", async () => {
  const { call, create } = await world();
  const { id } = await create();
  for (const [name, sent, shown = sent] of TAKEN) {
    const reply = await call(`PUT ${PATH}/${id}`, { [name]: sent });
    assert.equal(reply.status, 200, `${JSON.stringify(sent)} ${reply.text}`);
    assert.deepEqual(reply.body[name], shown);
    assert.deepEqual((await create({ [name]: sent }))[name], shown);
    const reset = await call(`PUT ${PATH}/${id}`, { [name]: null });
    assert.deepEqual(reset.body[name], PLAIN[name as keyof typeof PLAIN], "null is the default");
  }
});

const rolling = (rolling_expiration: object) => ({ type: "ROLLING_EXPIRATION", rolling_expiration });
const sliding = (more: object) => ({
  type: "SLIDING_EXPIRATION",
  sliding_expiration: { earning_activity: true, period: { value: 1, unit: "DAY" }, ...more },
});
const dates = (...expiration_dates: object[]) => ({ calendar_expiration: { expiration_dates } });
const global = (limit: object) => ({
  global: { type: "LIMITED", limits: [limit] },
  transactions: { type: "NO_LIMIT" },
});
const transactions = (...limits: object[]) => ({
  global: { type: "NO_LIMIT" },
  transactions: { type: "LIMITED", limits },
});
const day = { value: 1, unit: "DAY" };
const REFUSED: [name: string, sent: unknown, details: string | RegExp][] = [
  ["name", "", "Property .name must NOT have fewer than 1 characters"],
  ["name", "x".repeat(201), "Property .name must NOT have more than 200 characters"],
  ["name", 5, "Property .name must be string"],
  ["name", null, /must be string/],
  ["colour", 1, "Payload must NOT have additional property 'colour'"],
  ["metadata", [1], /must be object/],
  ["points_expiration", 5, /must be object/],
  ["points_expiration", {}, "Property .points_expiration must have required property 'type'"],
  ["points_expiration", { type: "NO_RETENTION" }, /allowed values/],
  ["points_expiration", { type: "FIXED_DURATION", fixed_duration: { period: day } }, /allowed values|additional/],
  ["points_expiration", { type: "NO_EXPIRATION", rolling_expiration: { period: day } }, /NOT have/],
  ["points_expiration", { type: "ROLLING_EXPIRATION" }, /required property 'rolling_expiration'/],
  ["points_expiration", { type: "ROLLING_EXPIRATION", rolling_expiration: null }, /required property/],
  ["points_expiration", { ...rolling({ period: day }), ...dates({ day: 1, month: 1 }) }, /NOT have/],
  ["points_expiration", rolling({}), /required property 'period'/],
  ["points_expiration", rolling({ period: { value: 1 } }), /required property 'unit'/],
  ["points_expiration", rolling({ period: { unit: "DAY" } }), /required property 'value'/],
  ["points_expiration", rolling({ period: { value: 91, unit: "DAY" } }), /value must be <= 90/],
  ["points_expiration", rolling({ period: { value: 13, unit: "MONTH" } }), /value must be <= 12/],
  ["points_expiration", rolling({ period: { value: 6, unit: "YEAR" } }), /value must be <= 5/],
  ["points_expiration", rolling({ period: { value: 0, unit: "DAY" } }), /value must be >= 1/],
  ["points_expiration", rolling({ period: { value: 1.5, unit: "DAY" } }), /value must be integer/],
  ["points_expiration", rolling({ period: { value: "1", unit: "DAY" } }), /value must be integer/],
  ["points_expiration", rolling({ period: { value: 1, unit: "WEEK" } }), /allowed values \[ DAY, MONTH, YEAR \]/],
  ["points_expiration", rolling({ period: { ...day, colour: 1 } }), /additional property 'colour'/],
  ["points_expiration", rolling({ period: day, colour: 1 }), /additional property 'colour'/],
  ["points_expiration", rolling({ period: day, rounding: { type: "END_OF_YEAR", value: 3 } }), /NOT have/],
  ["points_expiration", rolling({ period: day, rounding: { type: "END_OF_PARTICULAR_MONTH" } }), /property 'value'/],
  ["points_expiration", rolling({ period: day, rounding: { type: "END_OF_WEEK" } }), /allowed values/],
  ["points_expiration", rolling({ period: day, rounding: { value: 3 } }), /required property 'type'/],
  [
    "points_expiration",
    rolling({ period: day, rounding: { type: "END_OF_PARTICULAR_MONTH", value: 13 } }),
    /must be <= 12/,
  ],
  ["points_expiration", dates(), /fewer than 1 items/],
  ["points_expiration", dates(...Array(21).fill({ day: 1, month: 1 })), /more than 20 items/],
  ["points_expiration", dates({ day: 30, month: 2 }), /expiration_dates\[0\]\.day must be <= 29/],
  ["points_expiration", dates({ day: 1, month: 1 }, { day: 31, month: 4 }), /expiration_dates\[1\]\.day must be <= 30/],
  ["points_expiration", dates({ day: 32, month: 1 }), /must be <= 31/],
  ["points_expiration", dates({ day: 1, month: 13 }), /must be <= 12/],
  ["points_expiration", dates({ day: 1 }), /required property 'month'/],
  ["points_expiration", { calendar_expiration: { calendar_dates: [{ day: 1, month: 1 }] } }, /expiration_dates/],
  ["points_expiration", sliding({ earning_activity: false }), /at least one of/],
  ["points_expiration", sliding({ custom_activity: true }), /custom_activity_types must NOT have fewer than 1/],
  ["points_expiration", sliding({ custom_activity_types: ["ms_1", "ms_1"] }), /duplicate items/],
  [
    "points_expiration",
    sliding({ custom_activity_types: Array.from({ length: 11 }, (_, n) => `ms_${n}`) }),
    /more than 10 items/,
  ],
  ["points_expiration", sliding({ period: { value: 2, unit: "YEAR" } }), /value must be <= 1 /],
  ["points_expiration", sliding({ period: null }), /must be object/],
  ["pending_points", { type: "LATER" }, /allowed values/],
  ["pending_points", { type: "IMMEDIATE", period_based: { period: day } }, /NOT have/],
  ["pending_points", { type: "PERIOD_BASED" }, /required property 'period_based'/],
  ["pending_points", { period_based: { period: { value: 2, unit: "YEAR" } } }, /value must be <= 1 /],
  ["pending_points", { fixed_dates: { dates: [{ day: 31, month: 9 }] } }, /day must be <= 30/],
  ["pending_points", { event_based: { event_types: [], cancel_period: day } }, /fewer than 1 items/],
  ["pending_points", { event_based: { event_types: ["ms_1"] } }, /required property 'cancel_period'/],
  ["pending_points", { event_based: { event_types: ["ms_1", "ms_1"], cancel_period: day } }, /duplicate items/],
  ["earning_limits", { global: { type: "NO_LIMIT" } }, /required property 'transactions'/],
  ["earning_limits", global({ type: "SPENDING_BASED", max: 1 }), /allowed values/],
  ["earning_limits", global({ max: 0 }), /must be >= 1/],
  ["earning_limits", global({}), /required property 'type'/],
  ["earning_limits", global({ type: "BALANCE_BASED" }), /required property 'max'/],
  ["earning_limits", global({ type: "TIME_BASED", points: { max: 1 } }), /required property 'period'/],
  ["earning_limits", global({ max: 1, points: { max: 1 } }), /required property 'type'/],
  [
    "earning_limits",
    global({ type: "BALANCE_BASED", max: 1, period: { current_period: { unit: "DAY" } } }),
    /NOT have property 'period'/,
  ],
  ["earning_limits", global({ period: { current_period: {} }, points: { max: 1 } }), /required property 'unit'/],
  ["earning_limits", global({ period: { current_period: { unit: "HOUR" } }, points: { max: 1 } }), /allowed values/],
  ["earning_limits", { ...global({ max: 1 }), global: { type: "LIMITED", limits: [] } }, /fewer than 1 items/],
  ["earning_limits", { ...global({ max: 1 }), global: { type: "NO_LIMIT", limits: [{ max: 1 }] } }, /more than 0/],
  ["earning_limits", { ...global({ max: 1 }), global: { limits: [{ max: 1 }, { max: 2 }] } }, /more than 1 items/],
  ["earning_limits", { ...global({ max: 1 }), global: {} }, /required property 'type'/],
  ["earning_limits", transactions({ type: "POINTS", max: 1 }, { type: "POINTS", max: 2 }), /two limits of one type/],
  ["earning_limits", transactions({ type: "SPENDING", max: 1 }), /NOT have/],
  ["spending_limits", transactions({ type: "SPENDING", max: 1 }), /allowed values/],
  ["spending_limits", transactions({ min_amount: 1 }), /required property 'max'|additional property/],
  ["spending_limits", transactions({ max: 1 }, { max: 1 }), /more than 1 items/],
  ["refunds", { spent_points: { type: "NONE" } }, /required property 'earned_points'/],
  [
    "refunds",
    { spent_points: { type: "REFUNDABLE", methods: [] }, earned_points: { type: "NONE" } },
    /fewer than 1 items/,
  ],
  [
    "refunds",
    { spent_points: { methods: [{ type: "RETURN_POINTS" }] }, earned_points: { type: "NONE" } },
    /required property 'mode'/,
  ],
  [
    "refunds",
    { spent_points: { type: "NONE" }, earned_points: { methods: [{ type: "REVOKE_FROM_BALANCE" }] } },
    /required property 'mode'/,
  ],
  [
    "refunds",
    {
      spent_points: { type: "NONE" },
      earned_points: { methods: [{ type: "REVOKE_FROM_PENDING", mode: "REVOKE_TO_ZERO" }] },
    },
    /NOT have property 'mode'/,
  ],
  ["balance_settings", {}, /required property 'allow_negative'/],
  ["balance_settings", { allow_negative: "yes" }, /must be boolean/],
  ["pay_with_points", { type: "EXCHANGE_RATIO" }, /required property 'exchange_ratio'/],
  ["pay_with_points", { type: "NO_PAYMENTS", exchange_ratio: { formula: "1" } }, /NOT have/],
  ["pay_with_points", { exchange_ratio: { formula: "" } }, /fewer than 1 characters/],
  ["pay_with_points", { exchange_ratio: { formula: "1".repeat(2001) } }, /more than 2000 characters/],
  ["pay_with_points", { exchange_ratio: { formula: "1 +" } }, /\.pay_with_points\.exchange_ratio\.formula/],
  ["code_config", { length: 0 }, /must be >= 1/],
  ["code_config", { charset: "" }, /fewer than 1 characters/],
  ["code_config", { pattern: "no-place" }, /at least one #/],
  ["code_config", { prefix: "x".repeat(195) }, /1 to 200 characters/],
  ["code_config", { prefix: "a\nb" }, /must not hold control/],
  ["code_config", { prefix: "a\u202eb" }, /bidirectional/],
  ["code_config", { charset: "ab\u200b" }, /zero-width/],
  ["code_config", { colour: 1 }, /additional property 'colour'/],
];

test("whatever does not fit a section is refused with the field at fault, on create and on update, and nothing changes", async () => {
  const { call, create } = await world();
  const made = await create();
  for (const [name, sent, details] of REFUSED) {
    assertRefused(await call(`PUT ${PATH}/${made.id}`, { [name]: sent }), "invalid_payload", details);
    const body = { name: "Points", type: "INDIVIDUAL", [name]: sent };
    assertRefused(await call(`POST ${PATH}`, body), "invalid_payload", details);
  }
  for (const body of [{ name: "x" }, { type: "INDIVIDUAL" }, { name: "x", type: "SHARED" }, [], "[", undefined])
    assertRefused(await call(`POST ${PATH}`, body), "invalid_payload");
  for (const body of [{}, { type: "INDIVIDUAL" }, { status: "ACTIVE" }, { id: made.id }, { object: "card_definition" }])
    assertRefused(await call(`PUT ${PATH}/${made.id}`, body), "invalid_payload");
  assertRefused(await call(`POST ${PATH}`, { name: "x", type: "INDIVIDUAL", status: "INACTIVE" }), "invalid_payload");
  assert.deepEqual((await call(`GET ${PATH}`)).body.data, [made]);
});

test("sections that contradict each other are refused, whichever of them is sent", async () => {
  const { call, create } = await world();
  const revoke = (method: object) => ({
    spent_points: { type: "NONE" },
    earned_points: { type: "REFUNDABLE", methods: [method] },
  });
  const expires = { points_expiration: rolling({ period: day }) };
  const negative = { balance_settings: { allow_negative: true } };
  const belowZero = { refunds: revoke({ type: "REVOKE_FROM_BALANCE", mode: "REVOKE_BELOW_ZERO" }) };
  const fromPending = { refunds: revoke({ type: "REVOKE_FROM_PENDING" }) };
  const pending = { pending_points: { period_based: { period: day } } };
  for (const [stored, sent] of [
    [expires, negative],
    [negative, expires],
    [{}, belowZero],
    [{ ...negative, ...belowZero }, { balance_settings: null }],
    [{}, fromPending],
    [{ ...pending, ...fromPending }, { pending_points: null }],
  ] as const) {
    const { id } = await create(stored);
    const reply = await call(`PUT ${PATH}/${id}`, sent);
    assertRefused(reply, "invalid_payload", /must (?:NOT )?be/);
    const body = { name: "x", type: "INDIVIDUAL", ...stored, ...sent };
    assert.equal((await call(`POST ${PATH}`, body)).status, 400);
  }
  await create({ ...negative, ...belowZero });
  await create({ ...pending, ...fromPending });
});

const statusOf = ({ body }: Reply) => body.status;

test("a card definition moves between DRAFT and ACTIVE, and from nowhere else", async () => {
  const { clock, call, create } = await world();
  const { id } = await create({ status: null });
  assertRefused(await call(`POST ${PATH}/${id}/draft`), "invalid_state_transition");
  clock.now = LATER;
  const active = await call(`POST ${PATH}/${id}/activate`);
  assert.deepEqual([statusOf(active), active.body.updated_at], ["ACTIVE", LATER]);
  const again = await call(`POST ${PATH}/${id}/activate`);
  assertErrorBody(again);
  assert.deepEqual([again.status, again.body.key], [409, "invalid_state_transition"]);
  assert.equal(again.body.details, "Cannot activate card definition from current state: 'ACTIVE'");
  assert.equal(statusOf(await call(`POST ${PATH}/${id}/draft`)), "DRAFT");
  const drafted = await call(`POST ${PATH}/${id}/draft`);
  assert.deepEqual([drafted.status, drafted.body.key], [409, "invalid_state_transition"]);
  assert.equal((await create({ status: "ACTIVE" })).status, "ACTIVE");
  for (const move of ["activate", "draft"])
    assertRefused(
      await call(`POST ${PATH}/${UNKNOWN}/${move}`),
      "not_found",
      `Cannot find card_definition with id ${UNKNOWN}`,
    );
});

test("not in DRAFT only name, metadata and paying with points change; in use the rest is locked", async () => {
  const { call, create } = await world();
  const { id } = await create({ status: "ACTIVE" });
  const free = { name: "x", metadata: { a: 1 }, pay_with_points: { exchange_ratio: { formula: "2" } } };
  const updated = await call(`PUT ${PATH}/${id}`, free);
  assert.equal(updated.status, 200, updated.text);
  for (const section of Object.keys(PLAIN).filter((name) => name !== "pay_with_points"))
    assertRefused(await call(`PUT ${PATH}/${id}`, { [section]: null }), "invalid_payload", /not DRAFT/);
  const structure = { name: "Tiers", type: "POINT_BALANCE", card_definition_id: id };
  assert.equal((await call("POST /v2/loyalties/tier-structures", structure)).status, 200);
  for (const section of Object.keys(PLAIN).filter((name) => name !== "pay_with_points"))
    assertRefused(await call(`PUT ${PATH}/${id}`, { [section]: null }), "resource_locked", /tier_structure/);
  assert.equal((await call(`PUT ${PATH}/${id}`, free)).status, 200);
});

test("what is in use is not deleted, and not made a draft while what uses it is live", async () => {
  const { call, create } = await world();
  const { id } = await create({ status: "ACTIVE" });
  const structure = { name: "Tiers", type: "POINT_BALANCE", card_definition_id: id };
  const { id: tiers } = (await call("POST /v2/loyalties/tier-structures", structure)).body;
  const refused = await call(`DELETE ${PATH}/${id}`);
  assertErrorBody(refused);
  assert.deepEqual(
    [refused.status, refused.body.key, refused.body.related_object_type, refused.body.related_object_ids],
    [409, "resource_in_use", "tier_structure", [tiers]],
  );
  assert.equal(statusOf(await call(`POST ${PATH}/${id}/draft`)), "DRAFT", "a draft may use a draft");
  await call(`POST ${PATH}/${id}/activate`);
  await call(`POST /v2/loyalties/tier-structures/${tiers}/activate`);
  assertRefused(await call(`POST ${PATH}/${id}/draft`), "resource_locked", new RegExp(tiers));
  await call(`DELETE /v2/loyalties/tier-structures/${tiers}`);
  assert.equal(statusOf(await call(`DELETE ${PATH}/${id}`)), "DELETED");
});

test("a card definition that rules, benefits, rewards or programs use is told by what uses it", async () => {
  const { call, create } = await world();
  const post = async (path: string, body: object) => {
    const reply = await call(`POST /v2/loyalties/${path}`, body);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.id as string;
  };
  const { id } = await create({ status: "ACTIVE" });
  const product = (await call("POST /v1/products", { name: "Mug" })).body.id;
  const users: [type: string, id: string, path: string][] = [];
  const rule = {
    name: "Rule",
    trigger: { event: "customer.order.paid" },
    earnings: [{ effects: [{ type: "POINTS", points: { value: 1, card_definition_id: id } }] }],
  };
  users.push(["program", await post("programs", { name: "P", card_definitions: [{ id }] }), "programs"]);
  users.push(["earning_rule", await post("earning-rules", rule), "earning-rules"]);
  const benefit = { name: "B", type: "POINTS", points: { value: 1, card_definition_id: id } };
  users.push(["benefit", await post("benefits", benefit), "benefits"]);
  const reward = {
    name: "R",
    type: "MATERIAL",
    material: { type: "PRODUCT", product: { id: product } },
    costs: [{ spending: [{ points: 1, card_definition_id: id }] }],
  };
  users.push(["reward", await post("rewards", reward), "rewards"]);
  for (const [type, user, path] of users) {
    const { status, body } = await call(`DELETE ${PATH}/${id}`);
    assert.deepEqual(
      [status, body.key, body.related_object_type, body.related_object_ids],
      [409, "resource_in_use", type, [user]],
    );
    if (type === "program") assertRefused(await call(`POST ${PATH}/${id}/draft`), "resource_locked", /program/);
    const gone = await call(`DELETE /v2/loyalties/${path}/${user}`);
    assert.ok(gone.status < 300, gone.text);
  }
  assert.equal(statusOf(await call(`DELETE ${PATH}/${id}`)), "DELETED");
});

test("metadata of card definitions follows the project's schema for them", async () => {
  const { project, call, create } = await world();
  const properties = { size: { type: "number", optional: true, array: false } };
  const schema = { related_object: "vl_card_definition", properties };
  assert.equal((await call(`POST /management/v1/projects/${project.id}/metadata-schemas`, schema)).status, 200);
  const { id } = await create({ metadata: { size: 5 } });
  const wrong = { metadata: { size: "large" } };
  assertRefused(await call(`PUT ${PATH}/${id}`, wrong), "metadata_validation_failed");
  assertRefused(await call(`POST ${PATH}`, { name: "x", type: "INDIVIDUAL", ...wrong }), "metadata_validation_failed");
});

test("the list of card definitions is ordered, filtered and paged by a cursor that lives ten minutes", async () => {
  const { clock, call, create } = await world();
  for (const [n, name] of ["Coins", "Stars", "Apples", "Dots"].entries()) {
    clock.now = `2026-01-0${n + 1}T12:00:00.000Z`;
    await create({ name, ...(n === 1 && { status: "ACTIVE" }) });
  }
  const names = async (query: string) => {
    const { status, text, body } = await call(`GET ${PATH}?${query}`);
    assert.equal(status, 200, text);
    return body.data.map((one: { name: string }) => one.name).join(" ");
  };
  assert.equal(await names(""), "Dots Apples Stars Coins");
  assert.equal(await names("order=name"), "Apples Coins Dots Stars");
  assert.equal(await names("order[]=-status&order[]=name"), "Apples Coins Dots Stars");
  assert.equal(await names("order=status&order=-name"), "Stars Dots Coins Apples");
  assert.equal(await names("filters[status][conditions][$is]=ACTIVE"), "Stars");
  assert.equal(
    await names("order=name&filters[name][conditions][$contains]=s&filters[name][conditions][$not_contain]=a"),
    "Coins Dots",
  );
  assert.equal(await names("filters[created_at][conditions][$is]=3"), "Coins");
  assert.equal(await names("filters[updated_at][conditions][$has_value]="), "");
  assert.equal(
    await names("filters[junction]=OR&filters[name][conditions][$is]=Dots&filters[status][conditions][$in][]=ACTIVE"),
    "Dots Stars",
  );
  for (const query of [
    ...["limit=0", "limit=101", "limit=x", "order=colour", "order=name&order=-name", "page=1", "order=updated_at"],
    ...["filters[colour][conditions][$is]=red", "filters[status][conditions][$contains]=A", "filters[name]=x"],
    ...["filters[name][conditions][$is][]=a&filters[name][conditions][$is][]=b", "filters[junction]=XOR"],
    `${Array.from({ length: 11 }, (_, n) => `filters[name][conditions][$in][]=${n}`).join("&")}`,
  ])
    assertRefused(await call(`GET ${PATH}?${query}`), "invalid_query_params");
  const first = (await call(`GET ${PATH}?limit=2&order=name`)).body;
  assert.deepEqual(Object.keys(first).sort(), ["cursor", "data", "object"]);
  assert.equal(first.cursor.expires_at, "2026-01-04T12:10:00.000Z");
  assert.match(first.cursor.next, /^lcrscdef_/);
  const next = (await call(`GET ${PATH}?cursor=${first.cursor.next}&limit=1&order=-name`)).body;
  assert.deepEqual([next.data.map((one: { name: string }) => one.name), next.cursor], [["Dots", "Stars"], null]);
  const other = await world();
  assertRefused(await other.call(`GET ${PATH}?cursor=${first.cursor.next}`), "invalid_or_expired_cursor");
  for (const cursor of ["x", `${first.cursor.next}0`, first.cursor.next.replace("lcrscdef", "lcrsts")])
    assertRefused(await call(`GET ${PATH}?cursor=${cursor}`), "invalid_or_expired_cursor");
  clock.now = "2026-01-04T12:10:00.000Z";
  const expired = await call(`GET ${PATH}?cursor=${first.cursor.next}`);
  assertRefused(expired, "invalid_or_expired_cursor", "The provided cursor is invalid or has expired");
});

test("the activities of a card definition tell what happened to it, newest first, page by page", async () => {
  const { clock, call, create } = await world();
  const { id } = await create();
  await create();
  const at = (minute: number) => `2026-01-01T12:0${minute}:00.000Z`;
  clock.now = at(1);
  await call(`PUT ${PATH}/${id}`, { name: "Stars" });
  clock.now = at(2);
  await call(`POST ${PATH}/${id}/activate`);
  clock.now = at(3);
  const draft = await call(`POST ${PATH}/${id}/draft`);
  const { body } = await call(`GET ${PATH}/${id}/activities`);
  assert.deepEqual(
    body.data.map((one: { type: string; created_at: string }) => [one.type, one.created_at]),
    [
      ["vl.card_definition.drafted", at(3)],
      ["vl.card_definition.activated", at(2)],
      ["vl.card_definition.updated", at(1)],
      ["vl.card_definition.created", NOW],
    ],
  );
  const [newest] = body.data;
  assert.match(newest.id, /^lacd_[0-9a-f]{24}$/);
  assert.deepEqual(newest, {
    id: newest.id,
    card_definition_id: id,
    type: "vl.card_definition.drafted",
    data: { card_definition: draft.body },
    created_at: at(3),
    group_id: draft.headers["x-request-id"],
  });
  const path = `GET ${PATH}/${id}/activities`;
  const page = (await call(`${path}?limit=3&order=created_at`)).body;
  assert.match(page.cursor.next, /^lcrsacd_/);
  assert.deepEqual((await call(`${path}?cursor=${page.cursor.next}`)).body, {
    object: "list",
    data: [newest],
    cursor: null,
  });
  const filtered = async (query: string) => (await call(`${path}?${query}`)).body.data.length;
  assert.equal(await filtered("filters[type][conditions][$is]=vl.card_definition.updated"), 1);
  assert.equal(
    await filtered(`filters[id][conditions][$in][]=${newest.id}&filters[id][conditions][$in][]=${body.data[1].id}`),
    2,
  );
  assert.equal(await filtered(`filters[created_at][conditions][$after]=${at(1)}`), 2);
  assertRefused(await call(`${path}?order=type`), "invalid_query_params");
  assertRefused(await call(`GET ${PATH}/${UNKNOWN}/activities`), "not_found");
});

test("of two who delete a card definition and put it to use at once, one is refused", async () => {
  const { call, create } = await world();
  for (let round = 0; round < 5; round += 1) {
    const { id } = await create();
    const structure = { name: "Tiers", type: "POINT_BALANCE", card_definition_id: id };
    const [deleted, used] = await Promise.all([
      call(`DELETE ${PATH}/${id}`),
      call("POST /v2/loyalties/tier-structures", structure),
    ]);
    assert.deepEqual([deleted.status, used.status].sort(), deleted.status === 200 ? [200, 400] : [200, 409]);
  }
});

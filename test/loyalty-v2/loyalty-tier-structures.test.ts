import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, type Reply, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertErrorBody, assertRefused } from "../support/http.ts";
import { holdsFields, holdsRows } from "../support/interface-rows.ts";
import { ok } from "../support/shop.ts";

const { db } = await testDatabase();
const PATH = "/v2/loyalties/tier-structures";
const UNKNOWN = "lts_000000000000000000";
const UNKNOWN_WALLET = "lcdef_000000000000000000";
const LATER = "2026-01-01T12:05:00.000Z";
const EARNED = { period: { value: 1, unit: "MONTH" }, type: "IMMEDIATELY" };

async function world() {
  const project = await testProject(db);
  const clock = { now: NOW };
  const { call } = await testEngine(db, project, { now: () => clock.now });
  const wallet = async () => {
    const reply = await call("POST /v2/loyalties/card-definitions", { name: "Points", type: "INDIVIDUAL" });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.id as string;
  };
  const card_definition_id = await wallet();
  const create = (body: object = {}) =>
    ok(call, `POST ${PATH}`, { name: "Club", type: "POINT_BALANCE", card_definition_id, ...body });
  const put = (id: string, body?: unknown) => call(`PUT ${PATH}/${id}`, body);
  return { project, clock, call, wallet, card_definition_id, create, put };
}

test("a tier structure is created, read, listed, updated and deleted, with every field at every step", async (t) => {
  const { clock, call, card_definition_id, create, put, wallet } = await world();
  const made = await create();
  assert.match(made.id, /^lts_[0-9a-f]{24}$/);
  const expected = {
    id: made.id,
    name: "Club",
    type: "POINT_BALANCE",
    card_definition_id,
    point_earned: null,
    expiration: { type: "NO_EXPIRATION" },
    downgrade: { type: "NO_DOWNGRADE" },
    metadata: {},
    status: "DRAFT",
    created_at: NOW,
    updated_at: null,
    object: "tier_structure",
  };
  assert.deepEqual(made, expected);
  assert.deepEqual((await call(`GET ${PATH}/${made.id}`)).body, expected);
  assert.deepEqual((await call(`GET ${PATH}`)).body, { object: "list", data: [expected], cursor: null });
  clock.now = LATER;
  const body = {
    name: "Gold club",
    type: "POINT_EARNED",
    card_definition_id: await wallet(),
    point_earned: { period: { value: 12, unit: "MONTH" }, type: "NEXT_TRACKING_PERIOD" },
    expiration: { type: "ROLLING_EXPIRATION", rolling_expiration: { period: { value: 1, unit: "YEAR" } } },
    downgrade: { type: "SINGLE_LEVEL", grace_period: { value: 30, unit: "DAY", round_up: true } },
    metadata: { colour: "gold" },
  };
  const updated = await put(made.id, body);
  await holdsRows(t, "tier_structure.put", {
    path: () => assert.equal(updated.status, 200, updated.text),
    answer: () => assert.deepEqual(updated.body, { ...expected, ...body, updated_at: LATER }),
  });
  assert.deepEqual(updated.body, { ...expected, ...body, updated_at: LATER });
  await holdsFields(t, "tier_structure", updated.body, { ...expected, ...body, updated_at: LATER });
  assert.deepEqual((await call(`GET ${PATH}/${made.id}`)).body, updated.body);
  assert.deepEqual((await create(body)).point_earned, body.point_earned);
  const deleted = await call(`DELETE ${PATH}/${made.id}`);
  assert.deepEqual(deleted.body, { ...updated.body, status: "DELETED" });
  for (const [method, path, sent] of [
    ["GET", ""],
    ["PUT", "", {}],
    ["DELETE", ""],
    ["POST", "/activate"],
    ["POST", "/deactivate"],
    ["POST", "/draft"],
    ["GET", "/tiers"],
    ["GET", "/activities"],
  ] as const)
    for (const id of [made.id, UNKNOWN, "nonsense"]) {
      const reply = await call(`${method} ${PATH}/${id}${path}`, sent);
      assertRefused(reply, "not_found", `Cannot find tier_structure with id ${id}`);
      assert.deepEqual([reply.body.resource_id, reply.body.resource_type], [id, "tier_structure"]);
    }
});

test("what is not sent keeps its value, what is sent replaces the whole of it, and {} changes nothing", async () => {
  const { clock, create, put } = await world();
  const made = await create({
    expiration: { type: "ROLLING_EXPIRATION", rolling_expiration: { period: { value: 12, unit: "MONTH" } } },
    downgrade: { type: "MULTI_LEVEL", grace_period: { value: 1, unit: "MONTH", round_up: true } },
    metadata: { a: 1, b: 2 },
  });
  clock.now = LATER;
  assert.deepEqual((await put(made.id, {})).body, made);
  const named = await put(made.id, { name: "x" });
  assert.deepEqual(named.body, { ...made, name: "x", updated_at: LATER });
  const downgrade = { type: "SINGLE_LEVEL" };
  const replaced = await put(made.id, { downgrade, metadata: { c: 3 } });
  assert.deepEqual(replaced.body, { ...named.body, downgrade, metadata: { c: 3 } });
});

const rolling = (value: unknown, unit: unknown, more: object = {}) => ({
  expiration: { type: "ROLLING_EXPIRATION", rolling_expiration: { period: { value, unit, ...more } } },
});
const calendar = (...calendar_dates: unknown[]) => ({
  expiration: { type: "CALENDAR_EXPIRATION", calendar_expiration: { calendar_dates } },
});
const sliding = (sliding_expiration: unknown) => ({
  expiration: { type: "SLIDING_EXPIRATION", sliding_expiration },
});
const earned = (value: unknown, unit: unknown, type: unknown = "IMMEDIATELY") => ({
  type: "POINT_EARNED",
  point_earned: { period: { value, unit }, type },
});
const grace = (value: unknown, unit: unknown, more: object = {}) => ({
  downgrade: { type: "MULTI_LEVEL", grace_period: { value, unit, ...more } },
});
const days = { value: 30, unit: "DAY" };
const flags = { earning_activity: false, spending_activity: false, custom_activity: false, custom_activity_types: [] };

/** Bodies for a draft of the type POINT_BALANCE, and what they make of it where that is not what was sent. */
const TAKEN: [body: object, after?: object][] = [
  [{ name: "a".repeat(200) }],
  [{ name: "𝒂".repeat(200) }],
  [{ metadata: { a: { b: [1] } } }],
  [{ metadata: null }, { metadata: {} }],
  [{ expiration: null, downgrade: null }],
  [{ point_earned: null }],
  [{ type: "POINT_BALANCE" }],
  [{ type: "POINT_BALANCE", point_earned: null }],
  [earned(12, "MONTH", "NEXT_TRACKING_PERIOD")],
  [earned(1, "HOUR")],
  [earned(100_000, "HOUR")],
  [earned(90, "DAY")],
  [earned(53, "WEEK")],
  [earned(5, "YEAR")],
  [{ expiration: { type: "NO_EXPIRATION" } }],
  [
    {
      expiration: {
        type: "NO_EXPIRATION",
        rolling_expiration: null,
        calendar_expiration: null,
        sliding_expiration: null,
      },
    },
    { expiration: { type: "NO_EXPIRATION" } },
  ],
  [rolling(1, "DAY")],
  [rolling(90, "DAY")],
  [rolling(12, "MONTH")],
  [rolling(5, "YEAR")],
  [
    { expiration: { ...rolling(1, "DAY").expiration, calendar_expiration: null } },
    { expiration: rolling(1, "DAY").expiration },
  ],
  [calendar({ day: 29, month: 2 })],
  [calendar({ day: 30, month: 4 }, { day: 30, month: 6 }, { day: 30, month: 9 }, { day: 30, month: 11 })],
  [calendar(...[1, 3, 5, 7, 8, 10, 12].map((month) => ({ day: 31, month })))],
  [calendar(...Array(20).fill({ day: 1, month: 1 }))],
  [
    sliding({ earning_activity: true, period: days }),
    { expiration: sliding({ ...flags, earning_activity: true, period: days }).expiration },
  ],
  [
    sliding({ spending_activity: true, period: null }),
    { expiration: sliding({ ...flags, spending_activity: true, period: null }).expiration },
  ],
  [
    sliding({
      ...flags,
      custom_activity: true,
      custom_activity_types: Array.from({ length: 10 }, (_, n) => `ms_${n}`),
      period: { value: 5, unit: "YEAR" },
    }),
  ],
  [{ downgrade: { type: "MULTI_LEVEL" } }],
  [{ downgrade: { type: "SINGLE_LEVEL", grace_period: null } }],
  [{ downgrade: { type: "SINGLE_LEVEL", grace_period: { value: 12, unit: "MONTH", round_up: true } } }],
  [{ downgrade: { type: "NO_DOWNGRADE", grace_period: { value: 1, unit: "DAY" } } }],
  [{ downgrade: {} }, { downgrade: { type: "NO_DOWNGRADE" } }],
  [grace(90, "DAY", { round_up: false })],
  [grace(5, "YEAR")],
];

test("every value that the interface allows is taken and returned, on update and on create", async (t) => {
  const { call, create, put } = await world();
  const holds = async ([body, after = body]: (typeof TAKEN)[number]) => {
    const { id } = await create();
    const reply = await put(id, body);
    assert.equal(reply.status, 200, `${JSON.stringify(body)} ${reply.text}`);
    for (const [name, value] of Object.entries(after)) assert.deepEqual(reply.body[name], value, JSON.stringify(body));
    assert.deepEqual((await call(`GET ${PATH}/${id}`)).body, reply.body);
    const made = await create(body);
    for (const [name, value] of Object.entries(after)) assert.deepEqual(made[name], value, JSON.stringify(body));
  };
  const isSpent = ([body]: (typeof TAKEN)[number]) => JSON.stringify(body).includes('"spending_activity":true');
  for (const one of TAKEN.filter((taken) => !isSpent(taken))) await holds(one);
  await holdsRows(t, "tier_structure.sliding_expiration", { spending_activity: () => holds(TAKEN.find(isSpent)!) });
});

const REFUSED: [body: unknown, details: string | RegExp][] = [
  // 1: no JSON object
  ["{", /./],
  ["5", "The body must be a JSON object"],
  ["null", "The request needs a JSON body"],
  ["[]", "The body must be a JSON object"],
  // 2 and 3: unknown keys, at every depth
  [{ status: "ACTIVE" }, "Payload must NOT have additional property 'status'"],
  [{ id: UNKNOWN }, /additional property 'id'/],
  [{ object: "tier_structure" }, /additional property 'object'/],
  [{ created_at: NOW }, /additional property 'created_at'/],
  [{ updated_at: null }, /additional property 'updated_at'/],
  [{ colour: 1 }, /additional property 'colour'/],
  [{ point_balance: { card_definition_id: UNKNOWN_WALLET } }, /additional property 'point_balance'/],
  [{ ...earned(1, "DAY"), point_earned: { ...EARNED, colour: 1 } }, /Property .point_earned must NOT have additional/],
  [
    { ...earned(1, "DAY"), point_earned: { ...EARNED, card_definition_id: UNKNOWN_WALLET } },
    /additional property 'card_definition_id'/,
  ],
  [
    { ...earned(1, "DAY"), point_earned: { ...EARNED, period: { value: 1, unit: "DAY", colour: 1 } } },
    /Property .point_earned.period must NOT have additional/,
  ],
  [{ expiration: { type: "NO_EXPIRATION", colour: 1 } }, /additional property 'colour'/],
  [{ expiration: { type: "NO_EXPIRATION", fixed_duration: null } }, /additional property 'fixed_duration'/],
  [rolling(1, "DAY", { colour: 1 }), /additional property 'colour'/],
  [
    { expiration: { type: "ROLLING_EXPIRATION", rolling_expiration: { period: days, rounding: null } } },
    /additional property 'rounding'/,
  ],
  [calendar({ day: 1, month: 1, year: 2026 }), /additional property 'year'/],
  [
    { expiration: { type: "CALENDAR_EXPIRATION", calendar_expiration: { calendar_dates: [], expiration_dates: [] } } },
    /additional property 'expiration_dates'|fewer than 1 items/,
  ],
  [sliding({ earning_activity: true, period: days, colour: 1 }), /additional property 'colour'/],
  [sliding({ earning_activity: true, period: { ...days, colour: 1 } }), /additional property 'colour'/],
  [{ downgrade: { type: "MULTI_LEVEL", colour: 1 } }, /additional property 'colour'/],
  [grace(1, "DAY", { colour: 1 }), /additional property 'colour'/],
  // 4 to 6: name, type, card definition
  [{ name: 5 }, "Property .name must be string"],
  [{ name: "" }, "Property .name must NOT have fewer than 1 characters"],
  [{ name: "a".repeat(201) }, "Property .name must NOT have more than 200 characters"],
  [{ name: null }, /must be string/],
  [{ type: "POINTS" }, "Property .type must be equal to one of the allowed values [ POINT_BALANCE, POINT_EARNED ]"],
  [{ type: null }, /must be string|allowed values/],
  [{ card_definition_id: 5 }, /must be string/],
  [{ card_definition_id: "" }, /fewer than 1 characters/],
  [{ card_definition_id: null }, /must be string/],
  [{ card_definition_id: UNKNOWN_WALLET }, `Property .card_definition_id names no card definition: ${UNKNOWN_WALLET}`],
  // 7: what is tracked
  [{ ...earned(1, "DAY"), point_earned: 5 }, /must be object/],
  [{ ...earned(1, "DAY"), point_earned: { type: "IMMEDIATELY" } }, /required property 'period'/],
  [{ ...earned(1, "DAY"), point_earned: { period: { value: 1, unit: "DAY" } } }, /required property 'type'/],
  [{ ...earned(1, "DAY"), point_earned: { ...EARNED, period: null } }, /must be object/],
  [{ ...earned(1, "DAY"), point_earned: { ...EARNED, period: { unit: "DAY" } } }, /required property 'value'/],
  [{ ...earned(1, "DAY"), point_earned: { ...EARNED, period: { value: 1 } } }, /required property 'unit'/],
  [earned(1, "DAY", "LATER"), /allowed values \[ IMMEDIATELY, NEXT_TRACKING_PERIOD \]/],
  [earned(0, "DAY"), /must be >= 1/],
  [earned(1.5, "DAY"), /must be integer/],
  [earned("1", "DAY"), /must be integer/],
  [earned(1e300, "HOUR"), /./],
  [earned(91, "DAY"), /Property .point_earned.period.value must be <= 90/],
  [earned(13, "MONTH"), /must be <= 12/],
  [earned(6, "YEAR"), /must be <= 5/],
  [earned(1, "MINUTE"), /allowed values \[ HOUR, DAY, WEEK, MONTH, YEAR \]/],
  // 8 and 9: the type and what is tracked
  [{ type: "POINT_EARNED" }, /required property 'point_earned'/],
  [{ type: "POINT_EARNED", point_earned: null }, /required property 'point_earned'/],
  [{ point_earned: EARNED }, "Property .point_earned must be null when the type is POINT_BALANCE"],
  [{ type: "POINT_BALANCE", point_earned: EARNED }, /must be null/],
  // 10 to 13: the kind of expiration
  [{ expiration: 5 }, /must be object/],
  [{ expiration: {} }, "Property .expiration must have required property 'type'"],
  [{ expiration: { rolling_expiration: { period: days } } }, /required property 'type'/],
  [{ expiration: { type: "NEVER" } }, /allowed values \[ NO_EXPIRATION, /],
  [{ expiration: { type: "NO_RETENTION" } }, /allowed values/],
  [{ expiration: { type: null } }, /must be string|allowed values/],
  [{ expiration: { type: "NO_EXPIRATION", rolling_expiration: { period: { value: 1, unit: "DAY" } } } }, /NOT have/],
  [{ expiration: { ...calendar({ day: 1, month: 1 }).expiration, type: "NO_EXPIRATION" } }, /NOT have/],
  ...["ROLLING", "CALENDAR", "SLIDING"].flatMap((kind): [unknown, RegExp][] => {
    const [type, name] = [`${kind}_EXPIRATION`, `${kind.toLowerCase()}_expiration`];
    const required = new RegExp(`required property '${name}'`);
    return [
      [{ expiration: { type } }, required],
      [{ expiration: { type, [name]: null } }, required],
    ];
  }),
  [
    { expiration: { type: "SLIDING_EXPIRATION", rolling_expiration: { period: { value: 1, unit: "DAY" } } } },
    /NOT have/,
  ],
  [{ expiration: { ...rolling(1, "DAY").expiration, ...calendar({ day: 1, month: 1 }).expiration } }, /NOT have/],
  // 14: rolling
  [{ expiration: { type: "ROLLING_EXPIRATION", rolling_expiration: {} } }, /required property 'period'/],
  [{ expiration: { type: "ROLLING_EXPIRATION", rolling_expiration: { period: null } } }, /must be object/],
  [rolling(undefined, "DAY"), /required property 'value'/],
  [rolling(1, undefined), /required property 'unit'/],
  [rolling(0, "DAY"), /must be >= 1/],
  [rolling(-1, "YEAR"), /must be >= 1/],
  [rolling(1.5, "DAY"), /must be integer/],
  [rolling(91, "DAY"), /Property .expiration.rolling_expiration.period.value must be <= 90/],
  [rolling(13, "MONTH"), /must be <= 12/],
  [rolling(6, "YEAR"), /must be <= 5/],
  [rolling(1, "HOUR"), /allowed values \[ DAY, MONTH, YEAR \]/],
  [rolling(1, "WEEK"), /allowed values \[ DAY, MONTH, YEAR \]/],
  // 15: calendar
  [{ expiration: { type: "CALENDAR_EXPIRATION", calendar_expiration: {} } }, /required property 'calendar_dates'/],
  [calendar(), /must NOT have fewer than 1 items/],
  [calendar(...Array(21).fill({ day: 1, month: 1 })), /must NOT have more than 20 items/],
  [calendar({ month: 1 }), /required property 'day'/],
  [calendar({ day: 1 }), /required property 'month'/],
  [calendar({ day: 0, month: 1 }), /must be >= 1/],
  [calendar({ day: 32, month: 1 }), /must be <= 31/],
  [calendar({ day: 1, month: 0 }), /must be >= 1/],
  [calendar({ day: 1, month: 13 }), /must be <= 12/],
  [calendar({ day: 1.5, month: 1 }), /must be integer/],
  [calendar({ day: "1", month: 1 }), /must be integer/],
  [calendar({ day: 30, month: 2 }), /calendar_dates\[0\].day must be <= 29/],
  ...[4, 6, 9, 11].map((month): [unknown, RegExp] => [
    calendar({ day: 1, month: 1 }, { day: 31, month }),
    /calendar_dates\[1\].day must be <= 30/,
  ]),
  // 16 to 18: sliding
  [sliding({ period: days }), /at least one of/],
  [sliding({ ...flags, period: days }), /at least one of/],
  [sliding({ earning_activity: "true", period: days }), /must be boolean/],
  [sliding({ earning_activity: null, period: days }), /must be boolean/],
  [sliding({ custom_activity: true, period: days }), /custom_activity_types must NOT have fewer than 1 items/],
  [sliding({ custom_activity: true, custom_activity_types: [], period: days }), /fewer than 1 items/],
  [sliding({ custom_activity: true, custom_activity_types: null, period: days }), /must be array/],
  [sliding({ custom_activity: true, custom_activity_types: ["ms_1", "ms_1"], period: days }), /duplicate items/],
  [sliding({ custom_activity: true, custom_activity_types: [5], period: days }), /must be string/],
  [sliding({ custom_activity: true, custom_activity_types: [""], period: days }), /fewer than 1 characters/],
  [
    sliding({
      custom_activity: true,
      custom_activity_types: Array.from({ length: 11 }, (_, n) => `ms_${n}`),
      period: days,
    }),
    /more than 10 items/,
  ],
  [sliding({ earning_activity: true }), /required property 'period'/],
  [sliding({ earning_activity: true, period: { value: 91, unit: "DAY" } }), /must be <= 90/],
  [sliding({ earning_activity: true, period: { value: 13, unit: "MONTH" } }), /must be <= 12/],
  [sliding({ earning_activity: true, period: { value: 6, unit: "YEAR" } }), /must be <= 5/],
  [sliding({ earning_activity: true, period: { value: 1, unit: "WEEK" } }), /allowed values/],
  [sliding({ earning_activity: true, period: { unit: "DAY" } }), /required property 'value'/],
  // 19: moving down
  [{ downgrade: 5 }, /must be object/],
  [{ downgrade: { type: "ONE" } }, /allowed values \[ MULTI_LEVEL, SINGLE_LEVEL, NO_DOWNGRADE \]/],
  [{ downgrade: { type: "MULTI_LEVEL", grace_period: { value: 1 } } }, /required property 'unit'/],
  [{ downgrade: { type: "MULTI_LEVEL", grace_period: { unit: "DAY" } } }, /required property 'value'/],
  [grace(0, "DAY"), /must be >= 1/],
  [grace(91, "DAY"), /Property .downgrade.grace_period.value must be <= 90/],
  [grace(13, "MONTH"), /must be <= 12/],
  [grace(6, "YEAR"), /must be <= 5/],
  [grace(1, "WEEK"), /allowed values/],
  [grace(1, "DAY", { round_up: "yes" }), /must be boolean/],
  // 21: metadata
  [{ metadata: [1] }, /must be object/],
  [{ metadata: "x" }, /must be object/],
];

/** What of the refused bodies is about which row of the interface. */
const has = (path: string) => (body: any) => path.split(".").reduce((one, name) => one?.[name], body) !== undefined;
const inRolling = has("expiration.rolling_expiration");
const inCalendar = has("expiration.calendar_expiration");
const inSliding = has("expiration.sliding_expiration");
type Concerns = (body: any, details: string) => boolean;
const REFUSED_ROWS: Record<string, Record<string, Concerns>> = {
  "tier_structure.point_earned": {
    period: has("point_earned.period"),
    type: (body, details) => has("point_earned")(body) && /IMMEDIATELY|property 'type'/.test(details),
  },
  "tier_structure.expiration": {
    type: (body) =>
      has("expiration")(body) && !/^(?:NO|ROLLING|CALENDAR|SLIDING)_EXPIRATION$/.test(body.expiration.type),
    rolling_expiration: inRolling,
    calendar_expiration: inCalendar,
    sliding_expiration: inSliding,
    rule1: (body) => body.expiration?.type === "NO_EXPIRATION",
    rule2: (_, details) => /required property '\w+_expiration'|NOT have/.test(details),
    rule3: (body, details) => inCalendar(body) && /must be <=/.test(details),
    rule4: (body, details) => inRolling(body) && /must be [<>]=/.test(details),
  },
  "tier_structure.sliding_expiration": {
    earning_activity: (body, details) => inSliding(body) && /must be boolean/.test(details),
    custom_activity: has("expiration.sliding_expiration.custom_activity"),
    custom_activity_types: has("expiration.sliding_expiration.custom_activity_types"),
    period: (body, details) => inSliding(body) && /'period'|'value'|<=|allowed values/.test(details),
    one_flag: (_, details) => /at least one of/.test(details),
  },
  "tier_structure.downgrade": {
    type: (_, details) => /MULTI_LEVEL/.test(details),
    grace_period: has("downgrade.grace_period"),
  },
  "tier_structure.put": {
    strict: (body, details) => typeof body === "string" || /Payload must NOT|property '(?:id|colour)'/.test(details),
    name: has("name"),
    type: (body) => has("type")(body) && !has("point_earned")(body),
    card_definition_id: has("card_definition_id"),
    point_earned: has("point_earned"),
    expiration: has("expiration"),
    downgrade: has("downgrade"),
    metadata: has("metadata"),
    rule2: (_, details) => /required property 'point_earned'/.test(details),
    rule3: (_, details) => /must be null/.test(details),
    rule4: (body, details) =>
      /additional property/.test(details) &&
      ["point_earned", "expiration", "downgrade"].some((name) => has(name)(body)),
  },
  limit: {
    tier_structure_name: (body, details) => has("name")(body) && /characters/.test(details),
    calendar_dates: (body, details) => inCalendar(body) && /items/.test(details),
    custom_activity_types: (_, details) => /10 items|duplicate items/.test(details),
    periods: (body, details) => !inCalendar(body) && /must be [<>]=/.test(details),
    calendar_day: (body, details) => inCalendar(body) && /must be <= (?:12|29|30|31)/.test(details),
  },
};

test("every value that the interface does not allow is a 400 that names the field, and nothing changes", async (t) => {
  const { call, create, put } = await world();
  const made = await create({ metadata: { a: 1 } });
  const replies: Reply[] = [];
  for (const [body] of REFUSED) replies.push(await put(made.id, body));
  const refuses = (some: (body: any, details: string) => boolean) => () => {
    const cases = [...REFUSED.entries()].filter(([, [body, details]]) => some(body, `${details}`));
    assert.ok(cases.length > 0);
    for (const [n, [, details]] of cases) assertRefused(replies[n]!, "invalid_payload", details);
  };
  refuses(() => true)();
  for (const [prefix, rows] of Object.entries(REFUSED_ROWS))
    await holdsRows(t, prefix, Object.fromEntries(Object.entries(rows).map(([name, some]) => [name, refuses(some)])));
  assertRefused(await put(made.id), "invalid_payload");
  assert.deepEqual((await call(`GET ${PATH}/${made.id}`)).body, made);
  for (const body of [{ name: "" }, rolling(91, "DAY"), sliding({ period: days })])
    assertRefused(await put(UNKNOWN, body), "invalid_payload");
  for (const [body, details] of REFUSED)
    if (typeof body === "object") {
      const whole = { name: "x", type: "POINT_BALANCE", card_definition_id: made.card_definition_id, ...body };
      // `status` is a field of a new one.
      if (!("status" in whole)) assertRefused(await call(`POST ${PATH}`, whole), "invalid_payload", details);
    }
  const whole = { name: "x", type: "POINT_BALANCE", card_definition_id: made.card_definition_id };
  for (const name of Object.keys(whole))
    assertRefused(
      await call(`POST ${PATH}`, { ...whole, [name]: undefined }),
      "invalid_payload",
      new RegExp(`'${name}'`),
    );
  assertRefused(await call(`POST ${PATH}`, { ...whole, status: "INACTIVE" }), "invalid_payload");
  assert.deepEqual((await call(`GET ${PATH}`)).body.data, [made]);
});

test("a type that becomes POINT_BALANCE clears what was tracked; POINT_EARNED keeps it and cannot be without", async () => {
  const { create, put } = await world();
  const stored = { type: "POINT_EARNED", point_earned: EARNED };
  const cleared = await put((await create(stored)).id, { type: "POINT_BALANCE" });
  assert.deepEqual([cleared.status, cleared.body.type, cleared.body.point_earned], [200, "POINT_BALANCE", null]);
  const explicit = await put((await create(stored)).id, { type: "POINT_BALANCE", point_earned: null });
  assert.deepEqual([explicit.status, explicit.body.point_earned], [200, null]);
  const { id } = await create(stored);
  const same = await put(id, { type: "POINT_EARNED" });
  assert.deepEqual([same.status, same.body.point_earned], [200, EARNED]);
  const other = { period: { value: 2, unit: "WEEK" }, type: "NEXT_TRACKING_PERIOD" };
  assert.deepEqual((await put(id, { point_earned: other })).body.point_earned, other);
  for (const body of [{ point_earned: null }, { type: "POINT_BALANCE", point_earned: EARNED }])
    assertRefused(await put(id, body), "invalid_payload", /point_earned/);
});

test("not in DRAFT only name and metadata are taken, whatever value another key has", async () => {
  const { clock, call, create, put, card_definition_id } = await world();
  const whole = { type: "POINT_EARNED", point_earned: EARNED };
  const restricted = [
    { downgrade: { type: "MULTI_LEVEL" } },
    { downgrade: null },
    { type: "POINT_EARNED" },
    { point_earned: null },
    { point_earned: EARNED },
    { expiration: { type: "NO_EXPIRATION" } },
    { expiration: null },
    { card_definition_id },
    { name: "x", downgrade: null },
  ];
  const active = await create({ ...whole, status: "ACTIVE" });
  const inactive = await create({ ...whole, status: "ACTIVE" });
  assert.equal((await call(`POST ${PATH}/${inactive.id}/deactivate`)).body.status, "INACTIVE");
  clock.now = LATER;
  for (const { id } of [active, inactive]) {
    const before = (await call(`GET ${PATH}/${id}`)).body;
    for (const body of restricted)
      assertRefused(
        await put(id, body),
        "invalid_payload",
        "Only name and metadata can be updated when tier structure status is not DRAFT",
      );
    assert.deepEqual((await put(id, {})).body, before);
    const updated = await put(id, { name: "Gold club", metadata: { a: 1 } });
    assert.deepEqual(updated.body, { ...before, name: "Gold club", metadata: { a: 1 }, updated_at: LATER });
    assert.deepEqual((await put(id, { metadata: null })).body.metadata, {});
  }
});

test("a tier structure is activated from every state, without a body, and again without a change", async () => {
  const { clock, call, create } = await world();
  const draft = await create();
  clock.now = LATER;
  const active = await call(`POST ${PATH}/${draft.id}/activate`);
  assert.deepEqual([active.status, active.body], [200, { ...draft, status: "ACTIVE", updated_at: LATER }]);
  clock.now = "2026-01-01T12:06:00.000Z";
  for (const body of [undefined, {}, { name: "ignored" }]) {
    const again = await call(`POST ${PATH}/${draft.id}/activate`, body);
    assert.deepEqual([again.status, again.body], [200, active.body], "nothing changed");
  }
  assert.equal((await call(`POST ${PATH}/${draft.id}/deactivate`)).body.status, "INACTIVE");
  assert.equal((await call(`POST ${PATH}/${draft.id}/activate`)).body.status, "ACTIVE");
  assert.equal((await call(`POST ${PATH}/${draft.id}/draft`)).body.status, "DRAFT");
  assert.equal((await call(`GET ${PATH}/${draft.id}`)).body.status, "DRAFT");
  const inactive = await create({ status: "ACTIVE" });
  await call(`POST ${PATH}/${inactive.id}/deactivate`);
  for (const [id, move, from] of [
    [draft.id, "deactivate", "DRAFT"],
    [draft.id, "draft", "DRAFT"],
    [inactive.id, "deactivate", "INACTIVE"],
    [inactive.id, "draft", "INACTIVE"],
  ]) {
    const reply = await call(`POST ${PATH}/${id}/${move}`);
    assertErrorBody(reply);
    assert.deepEqual([reply.status, reply.body.key], [409, "invalid_state_transition"]);
    assert.equal(reply.body.details, `Cannot ${move} tier structure from current state: '${from}'`);
  }
});

test("a tier structure of another project cannot be read, changed, moved, or linked to its card definition", async () => {
  const [one, other] = [await world(), await world()];
  const { id } = await one.create();
  for (const [request, body] of [
    [`GET ${PATH}/${id}`],
    [`PUT ${PATH}/${id}`, { name: "x" }],
    [`DELETE ${PATH}/${id}`],
    [`POST ${PATH}/${id}/activate`],
  ] as const)
    assertRefused(await other.call(request, body), "not_found", `Cannot find tier_structure with id ${id}`);
  const mine = await other.create();
  const body = { card_definition_id: one.card_definition_id };
  assertRefused(await other.put(mine.id, body), "invalid_payload", /names no card definition/);
  assert.deepEqual((await other.call(`GET ${PATH}`)).body.data, [mine]);
});

test("a card definition that was deleted cannot be linked", async () => {
  const { call, create, put, wallet } = await world();
  const gone = await wallet();
  assert.equal((await call(`DELETE /v2/loyalties/card-definitions/${gone}`)).status, 200);
  const { id } = await create();
  assertRefused(await put(id, { card_definition_id: gone }), "invalid_payload", /names no card definition/);
});

test("what a program uses is not deleted, and leaves ACTIVE only while the program is a draft", async () => {
  const { call, card_definition_id, create } = await world();
  const post = (path: string, body?: object) => ok(call, `POST /v2/loyalties/${path}`, body);
  await post(`card-definitions/${card_definition_id}/activate`);
  const { id } = await create({ status: "ACTIVE" });
  const rule = await post("earning-rules", {
    name: "Rule",
    status: "ACTIVE",
    trigger: { event: "customer.order.paid" },
    earnings: [{ effects: [{ type: "POINTS", points: { value: 1, card_definition_id } }] }],
  });
  const program = await post("programs", {
    name: "P",
    card_definitions: [{ id: card_definition_id }],
    earning_rules: [{ id: rule.id }],
    tier_structures: [{ id }],
  });
  const inUse = async (request: string) => {
    const reply = await call(request);
    assertErrorBody(reply);
    assert.deepEqual(
      [reply.status, reply.body.key, reply.body.related_object_type, reply.body.related_object_ids],
      [409, "resource_in_use", "program", [program.id]],
    );
  };
  await inUse(`DELETE ${PATH}/${id}`);
  assert.equal((await post(`tier-structures/${id}/draft`)).status, "DRAFT");
  await post(`tier-structures/${id}/activate`);
  await post(`programs/${program.id}/activate`);
  for (const request of [`POST ${PATH}/${id}/draft`, `POST ${PATH}/${id}/deactivate`, `DELETE ${PATH}/${id}`])
    await inUse(request);
  assert.equal((await call(`GET ${PATH}/${id}`)).body.status, "ACTIVE");
});

test("an update that fails inside is a 500 with the error body, and nothing changes", async (t) => {
  const { call, create, put } = await world();
  const made = await create();
  await db`alter table loyalty_tier_structures add constraint broken check (name <> 'broken')`;
  await holdsRows(t, "error", {
    rule1: async () => {
      assertRefused(await put(made.id, { name: 5 }), "invalid_payload");
      assertRefused(await put(UNKNOWN, { name: "x" }), "not_found");
      assertRefused(await put(made.id, { name: "broken" }), "internal_server_error");
    },
  });
  await db`alter table loyalty_tier_structures drop constraint broken`;
  assert.deepEqual((await call(`GET ${PATH}/${made.id}`)).body, made);
});

test("metadata of tier structures follows the project's schema for them", async () => {
  const { project, call, create, put } = await world();
  const properties = { size: { type: "number", optional: false, array: false } };
  const schema = { related_object: "vl_tier_structure", properties };
  assert.equal((await call(`POST /management/v1/projects/${project.id}/metadata-schemas`, schema)).status, 200);
  const { id } = await create({ metadata: { size: 5 } });
  assertRefused(await put(id, { metadata: { size: "large" } }), "metadata_validation_failed");
  // An update replaces all of it, so what is required must be in it.
  for (const metadata of [{}, null]) assertRefused(await put(id, { metadata }), "metadata_validation_failed");
  assert.equal((await put(id, { name: "New" })).status, 200);
});

test("the list of tier structures is ordered, filtered and paged", async () => {
  const { call, create } = await world();
  await create({ name: "A" });
  await create({ name: "B", status: "ACTIVE" });
  await create({ name: "C", type: "POINT_EARNED", point_earned: EARNED });
  const names = async (query: string) => {
    const { status, text, body } = await call(`GET ${PATH}?${query}`);
    assert.equal(status, 200, text);
    return body.data.map((one: { name: string }) => one.name).join("");
  };
  assert.equal(await names("order=name"), "ABC");
  assert.equal(await names("order=-type&order=-name"), "CBA");
  assert.equal(await names("order=status&order=name"), "BAC");
  assert.equal(await names("filters[type][conditions][$is]=POINT_EARNED"), "C");
  assert.equal(await names("filters[status][conditions][$is_not]=DRAFT"), "B");
  assertRefused(await call(`GET ${PATH}?filters[updated_at][conditions][$has_value]=`), "invalid_query_params");
  const { cursor } = (await call(`GET ${PATH}?limit=1&order=name`)).body;
  assert.match(cursor.next, /^lcrsts_/);
  assert.equal(await names(`cursor=${cursor.next}`), "B");
});

test("the activities of a tier structure tell of it and of its tiers", async () => {
  const { call, create, put } = await world();
  const { id } = await create();
  await put(id, { name: "Gold" });
  await put(id, {});
  const points = { qualification_rules: { type: "POINTS", points: { min_value: 0 } } };
  const tier = (await call(`POST ${PATH}/${id}/tiers`, { name: "T", ...points })).body;
  await call(`PUT ${PATH}/${id}/tiers/${tier.id}`, { name: "U" });
  await call(`DELETE ${PATH}/${id}/tiers/${tier.id}`);
  await call(`POST ${PATH}/${id}/activate`);
  await call(`POST ${PATH}/${id}/activate`);
  await call(`POST ${PATH}/${id}/deactivate`);
  const { data } = (await call(`GET ${PATH}/${id}/activities?order=created_at`)).body;
  assert.deepEqual(
    data.map(({ type }: { type: string }) => type.replace("vl.tier_structure.", "")),
    ["created", "updated", "tier.created", "tier.updated", "tier.deleted", "activated", "deactivated"],
  );
  assert.match(data[0].id, /^lats_/);
  assert.equal(data[0].tier_structure_id, id);
  assert.equal(data[1].data.tier_structure.name, "Gold");
  assert.deepEqual(data[2].data.tier, tier);
  const { cursor } = (await call(`GET ${PATH}/${id}/activities?limit=1`)).body;
  assert.match(cursor.next, /^lcrsats_/);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";
import { ok } from "../support/shop.ts";

const { db } = await testDatabase();
const STRUCTURES = "/v2/loyalties/tier-structures";
const UNKNOWN = "lt_000000000000000000";
const LATER = "2026-01-01T12:05:00.000Z";

async function world(wallet: object = {}) {
  const project = await testProject(db);
  const clock = { now: NOW };
  const { call } = await testEngine(db, project, { now: () => clock.now });
  const post = (path: string, body?: object) => ok(call, `POST ${path}`, body);
  const { id: card_definition_id } = await post("/v2/loyalties/card-definitions", {
    name: "Points",
    type: "INDIVIDUAL",
    ...wallet,
  });
  const structure = async () =>
    (await post(STRUCTURES, { name: "Club", type: "POINT_BALANCE", card_definition_id })).id as string;
  const path = `${STRUCTURES}/${await structure()}`;
  return { project, clock, call, post, path, structure };
}
const range = (min_value: number, max_value?: number) => ({
  qualification_rules: { type: "POINTS", points: { min_value, ...(max_value !== undefined && { max_value }) } },
});

test("a tier is created, listed, updated and deleted", async () => {
  const { clock, call, post, path } = await world();
  const made = await post(`${path}/tiers`, { name: "Bronze", ...range(0, 99) });
  assert.match(made.id, /^lt_[0-9a-f]{24}$/);
  const expected = {
    id: made.id,
    tier_structure_id: path.split("/").at(-1),
    name: "Bronze",
    ...range(0, 99),
    downgrade: { type: "INHERIT" },
    points_expiration: null,
    metadata: {},
    created_at: NOW,
    updated_at: null,
    object: "tier",
  };
  assert.deepEqual(made, expected);
  assert.deepEqual((await call(`GET ${path}/tiers`)).body, { object: "list", data: [expected], cursor: null });
  clock.now = LATER;
  assert.deepEqual((await call(`PUT ${path}/tiers/${made.id}`, {})).body, expected, "nothing was sent");
  const body = {
    name: "Silver",
    ...range(100),
    downgrade: { type: "NO_DOWNGRADE" },
    points_expiration: { type: "ROLLING_EXPIRATION", rolling_expiration: { period: { value: 1, unit: "YEAR" } } },
    metadata: { a: 1 },
  };
  const updated = await call(`PUT ${path}/tiers/${made.id}`, body);
  assert.deepEqual(updated.body, { ...expected, ...body, updated_at: LATER });
  const reset = await call(`PUT ${path}/tiers/${made.id}`, {
    downgrade: null,
    points_expiration: null,
    metadata: null,
  });
  assert.deepEqual(reset.body, { ...expected, name: "Silver", ...range(100), updated_at: LATER });
  assert.deepEqual((await call(`DELETE ${path}/tiers/${made.id}`)).body, reset.body);
  assertRefused(await call(`DELETE ${path}/tiers/${made.id}`), "not_found", `Cannot find tier with id ${made.id}`);
  assertRefused(await call(`PUT ${path}/tiers/${made.id}`, { name: "x" }), "not_found");
  assert.deepEqual((await call(`GET ${path}/tiers`)).body.data, []);
});

test("what does not fit a tier is refused with the field at fault", async () => {
  const { call, post, path } = await world();
  const { id } = await post(`${path}/tiers`, { name: "Bronze", ...range(0, 99) });
  const rules = (qualification_rules: unknown) => ({ qualification_rules });
  const points = { min_value: 200 };
  const cases: [body: object, details: RegExp][] = [
    [{ name: "" }, /fewer than 1 characters/],
    [{ name: "x".repeat(201) }, /more than 200 characters/],
    [{ name: null }, /must be string/],
    [{ colour: 1 }, /additional property 'colour'/],
    [{ tier_structure_id: "lts_1" }, /additional property/],
    [rules(null), /must be object/],
    [rules({ points }), /required property 'type'/],
    [rules({ type: "SEGMENT", segment: { id: "seg_1" } }), /allowed values|required/],
    [rules({ type: "POINTS" }), /required property 'points'/],
    [rules({ type: "POINTS", min_value: 1 }), /required property 'points'|additional/],
    [rules({ type: "POINTS", points, segment: { id: "seg_1" } }), /NOT have/],
    [rules({ type: "POINTS_AND_SEGMENT", points }), /required property 'segment'/],
    [
      rules({ type: "POINTS_AND_SEGMENT", points, segment: { id: "nonsense" } }),
      /must be an id that begins with seg_$/,
    ],
    [rules({ type: "POINTS", points: {} }), /required property 'min_value'/],
    [rules({ type: "POINTS", points: { min_value: -1 } }), /must be >= 0/],
    [rules({ type: "POINTS", points: { min_value: 1_000_000_001 } }), /must be <= 1000000000/],
    [rules({ type: "POINTS", points: { min_value: 200, max_value: 199 } }), /max_value must be >= 200/],
    [rules({ type: "POINTS", points: { min_value: 200, colour: 1 } }), /additional property 'colour'/],
    [{ downgrade: { type: "MULTI_LEVEL" } }, /allowed values \[ INHERIT, NO_DOWNGRADE \]/],
    [{ downgrade: {} }, /required property 'type'/],
    [{ points_expiration: { type: "ROLLING_EXPIRATION" } }, /rolling_expiration/],
    [{ metadata: [] }, /must be object/],
  ];
  for (const [body, details] of cases) {
    assertRefused(await call(`PUT ${path}/tiers/${id}`, body), "invalid_payload", details);
    const whole = { name: "x", ...range(200), ...body };
    assertRefused(await call(`POST ${path}/tiers`, whole), "invalid_payload", details);
  }
  for (const body of [{}, { name: "x" }, range(200)])
    assertRefused(await call(`POST ${path}/tiers`, body), "invalid_payload", /required property/);
  assert.equal((await call(`GET ${path}/tiers`)).body.data.length, 1);
});

test("the points of a tier are those of no other of its path: ranges with a segment are a path of their own", async () => {
  const { call, post, path, structure } = await world();
  const segment = (await post("/v1/segments", { name: "VIP", customers: [] })).id;
  const vip = (min_value: number, max_value?: number) => ({
    qualification_rules: {
      ...range(min_value, max_value).qualification_rules,
      type: "POINTS_AND_SEGMENT",
      segment: { id: segment },
    },
  });
  const silver = await post(`${path}/tiers`, { name: "Silver", ...range(100, 199) });
  const gold = await post(`${path}/tiers`, { name: "Gold", ...range(300) });
  const overlaps: [body: object, other: { id: string }][] = [
    [range(199, 250), silver],
    [range(0, 100), silver],
    [range(120, 130), silver],
    [range(0), silver],
    [range(400), gold],
    [range(299, 300), gold],
  ];
  for (const [body, other] of overlaps) {
    const reply = await call(`POST ${path}/tiers`, { name: "x", ...body });
    assertRefused(reply, "tier_overlap");
    assert.deepEqual([reply.body.related_object_type, reply.body.related_object_ids], ["tier", [other.id]]);
  }
  await post(`${path}/tiers`, { name: "Bronze", ...range(0, 99) });
  await post(`${path}/tiers`, { name: "Between", ...range(250, 260) });
  await post(`${path}/tiers`, { name: "VIP", ...vip(100) });
  assertRefused(await call(`POST ${path}/tiers`, { name: "x", ...vip(500, 600) }), "tier_overlap");
  assertRefused(await call(`PUT ${path}/tiers/${silver.id}`, range(100, 250)), "tier_overlap");
  assert.equal(
    (await call(`PUT ${path}/tiers/${silver.id}`, range(100, 249))).status,
    200,
    "its own points do not count",
  );
  await post(`${STRUCTURES}/${await structure()}/tiers`, { name: "x", ...range(0) });
  const unknown = { qualification_rules: { ...vip(0).qualification_rules, segment: { id: "seg_000000000000" } } };
  const reply = await call(`POST ${path}/tiers`, { name: "x", ...unknown });
  assertRefused(reply, "not_found");
  assert.equal(reply.body.resource_type, "segment");
});

test("tiers are made and deleted only in a draft; outside of it only name and metadata change", async () => {
  const { call, post, path } = await world();
  const { id } = await post(`${path}/tiers`, { name: "Bronze", ...range(0, 99) });
  for (const move of ["activate", "deactivate"]) {
    await post(`${path}/${move}`);
    assertRefused(await call(`POST ${path}/tiers`, { name: "x", ...range(100) }), "invalid_payload", /DRAFT/);
    assertRefused(await call(`DELETE ${path}/tiers/${id}`), "invalid_payload", /DRAFT/);
    for (const body of [range(0, 50), { downgrade: null }, { points_expiration: null }, { name: "x", ...range(0, 99) }])
      assertRefused(await call(`PUT ${path}/tiers/${id}`, body), "invalid_payload", /Only name and metadata/);
    const updated = await call(`PUT ${path}/tiers/${id}`, { name: "Copper", metadata: { a: 1 } });
    assert.deepEqual([updated.body.name, updated.body.metadata], ["Copper", { a: 1 }]);
  }
});

test("a structure has at most 100 tiers, and they go with it", async () => {
  const { call, post, path } = await world();
  for (let n = 0; n < 100; n += 1) await post(`${path}/tiers`, { name: `${n}`, ...range(n * 10, n * 10 + 9) });
  assertRefused(await call(`POST ${path}/tiers`, { name: "x", ...range(1000) }), "tier_limit_exceeded");
  const { data, cursor } = (await call(`GET ${path}/tiers?limit=60&order=created_at`)).body;
  assert.match(cursor.next, /^lcrst_/);
  const rest = (await call(`GET ${path}/tiers?cursor=${cursor.next}`)).body;
  const names = [...data, ...rest.data].map((one: { name: string }) => Number(one.name));
  assert.deepEqual([names, rest.cursor], [Array.from({ length: 100 }, (_, n) => n), null]);
  assertRefused(await call(`GET ${path}/tiers?filters[name][conditions][$is]=1`), "invalid_query_params");
  await call(`DELETE ${path}`);
  assertRefused(await call(`PUT ${path}/tiers/${data[0].id}`, { name: "x" }), "not_found", /tier_structure/);
  const [{ count } = { count: 0 }] = await db<{ count: number }[]>`
    select count(*) from loyalty_tiers where tier_structure_id = ${path.split("/").at(-1)!} and deleted_at is null`;
  assert.equal(count, 0);
});

test("a tier of another structure or project is not there", async () => {
  const { call, post, path, structure } = await world();
  const { id } = await post(`${path}/tiers`, { name: "Bronze", ...range(0, 99) });
  const beside = `${STRUCTURES}/${await structure()}`;
  const stranger = await world();
  for (const [ask, where, tier] of [
    [call, beside, id],
    [call, path, UNKNOWN],
    [stranger.call, stranger.path, id],
  ] as const) {
    assertRefused(
      await ask(`PUT ${where}/tiers/${tier}`, { name: "x" }),
      "not_found",
      `Cannot find tier with id ${tier}`,
    );
    assertRefused(await ask(`DELETE ${where}/tiers/${tier}`), "not_found", `Cannot find tier with id ${tier}`);
  }
  assertRefused(await stranger.call(`GET ${path}/tiers`), "not_found");
  assertRefused(await stranger.call(`POST ${path}/tiers`, { name: "x", ...range(0) }), "not_found");
});

test("the expiration of a tier fits that of the wallet", async () => {
  const period = { period: { value: 1, unit: "YEAR" } };
  const rolling = { type: "ROLLING_EXPIRATION", rolling_expiration: period };
  const calendar = { type: "CALENDAR_EXPIRATION", calendar_expiration: { expiration_dates: [{ day: 1, month: 1 }] } };
  const { call, post, path } = await world({ points_expiration: rolling });
  const { id } = await post(`${path}/tiers`, { name: "Bronze", ...range(0, 99), points_expiration: rolling });
  assertRefused(await call(`PUT ${path}/tiers/${id}`, { points_expiration: calendar }), "invalid_payload");
  const kept = await call(`PUT ${path}/tiers/${id}`, { points_expiration: { type: "NO_EXPIRATION" } });
  assert.deepEqual(kept.body.points_expiration, { type: "NO_EXPIRATION" });
});

test("two overlapping tiers that are made at once do not both come to be", async () => {
  const { call, path } = await world();
  const body = { name: "x", ...range(0) };
  const replies = await Promise.all([1, 2, 3].map(() => call(`POST ${path}/tiers`, body)));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409]);
});

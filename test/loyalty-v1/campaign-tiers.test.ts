import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { advanceCards } from "../../src/jobs/advance-cards.ts";
import { runAsyncActions } from "../../src/jobs/run-async-actions.ts";
import { type Call, NOW, newId, testDatabase } from "../support/engine.ts";
import { ok, testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const voucher = { loyalty_card: { points: 0 }, code_config: { pattern: "CLUB-######" } };

async function start() {
  const { call, project } = await testShop(db);
  const campaign = (await ok(call, "POST /v1/loyalties", { name: "Club", voucher })).id;
  return { project, call, campaign, program: `/v1/loyalties/${campaign}`, of: `/v1/loyalties/${campaign}/tiers` };
}
async function refused(call: Call, request: string, body: unknown, details: string) {
  const reply = await call(request, body as object);
  assert.deepEqual([reply.status, reply.body.key], [400, "invalid_payload"], `${JSON.stringify(body)} ${reply.text}`);
  assert.ok(reply.body.details.includes(details), `${details}: ${reply.text}`);
}
const fixed = (points: number) => ({ event: "order.paid", loyalty: { type: "FIXED", points } });

/** Rewards of each type, the price of each: assignments in the order cheap, dear, paid. */
async function makeRewards(call: Call, program: string): Promise<string[]> {
  const product = (await ok(call, "POST /v1/products", { name: "Mug" })).id;
  const reward = async (name: string, parameters: object) =>
    (await ok(call, "POST /v1/rewards", { name, parameters })).id;
  const mug = { product: { id: product } };
  const points = (points: number) => ({ parameters: { loyalty: { points } } });
  const sent = [
    { reward: await reward("Cheap", mug), ...points(30) },
    { reward: await reward("Dear", mug), ...points(300) },
    { reward: await reward("Paid", { coin: { exchange_ratio: 1, points_ratio: 100 } }) },
  ];
  const made = await ok(call, `POST ${program}/rewards`, sent);
  return made.map(({ id }: { id: string }) => id);
}

test("tiers: create a list, list, read, update, delete", async () => {
  const { project, call, campaign, of } = await start();
  const [silver, gold] = await ok(call, `POST ${of}`, [
    { name: "Silver", points: { from: 1, to: 249 }, metadata: { a: 1 }, colour: "ignored" },
    { name: "Gold", points: { from: 250 } },
  ]);
  assert.match(silver.id, /^ltr_[0-9a-f]{24}$/);
  const points = { from: 1, to: 249 };
  const expected = {
    ...{ id: silver.id, name: "Silver", campaign_id: campaign, points, config: { points } },
    ...{ earning_rules: {}, rewards: {}, metadata: { a: 1 } },
    ...{ created_at: silver.created_at, updated_at: null, object: "loyalty_tier" },
  };
  assert.deepEqual(silver, expected);
  assert.deepEqual([gold.points, gold.config, gold.metadata], [{ from: 250 }, { points: { from: 250 } }, {}]);
  const list = (data: object[]) => ({ object: "list", data_ref: "data", data, total: 2 });
  assert.deepEqual((await call(`GET ${of}`)).body, list([gold, silver]));
  assert.deepEqual((await call(`GET ${of}?order=created_at&limit=1`)).body, list([silver]));
  assert.equal((await call(`GET ${of}?order=name`)).body.key, "invalid_query_params");
  assert.deepEqual((await call(`GET /v1/loyalties/Club/tiers/${silver.id}`)).body, expected);

  const one = `${of}/${silver.id}`;
  const changed = await ok(call, `PUT ${one}`, { name: "Bronze", points: { from: 0, to: 100 }, metadata: { b: 2 } });
  const range = { from: 0, to: 100 };
  const after = { ...expected, name: "Bronze", points: range, config: { points: range }, metadata: { a: 1, b: 2 } };
  assert.deepEqual(changed, { ...after, updated_at: NOW });
  assert.deepEqual(await ok(call, `PUT ${one}`, {}), changed);
  const deleted = await call(`DELETE ${one}`);
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  for (const [request, body] of [["GET"], ["PUT", {}], ["DELETE"]] as [string, object?][]) {
    const reply = await call(`${request} ${one}`, body);
    assert.deepEqual(
      [reply.status, reply.body.resource_type, reply.body.resource_id],
      [404, "loyalty_tier", silver.id],
    );
  }
  const events = await db`
    select kind, campaign_id, payload from events
    where project_id = ${project.id} and kind like 'campaign.loyalty_tier%' order by id`;
  assert.deepEqual(
    events.map(({ kind, payload }) => [kind.replace("campaign.loyalty_tier.", ""), payload.loyalty_tier.name]),
    [
      ...[
        ["created", "Silver"],
        ["created", "Gold"],
      ],
      ...["updated", "updated", "deleted"].map((kind) => [kind, "Bronze"]),
    ],
  );
  assert.ok(events.every(({ campaign_id }) => campaign_id === campaign));
});

test("tiers: both ends of a range belong to it, and no two ranges overlap", async () => {
  const { call, of } = await start();
  const tier = (from: unknown, to?: unknown) => ({ name: `T${from}`, points: { from, to } });
  const [low, high] = await ok(call, `POST ${of}`, [tier(0, 9), tier(20, 29)]);
  const overlapping: [sent: object[], details: string][] = [
    [[tier(9, 12)], "Property [0].points overlaps the range of the tier T0, from 0 to 9"],
    [[tier(12, 20)], "overlaps the range of the tier T20, from 20 to 29"],
    [[tier(22, 23)], "the tier T20"],
    [[tier(10)], "the tier T20"],
    [[tier(30), tier(50, 60)], "Property [1].points overlaps the range of the tier T30, from 30 to no end"],
    [[tier(12, 11)], "Property [0].points.to must be >= 12, which is points.from"],
    [[tier(-1, 5)], ".from must be >= 0"],
    [[tier(30, 1e17)], ".to"],
    [[tier("30")], ".from must be integer"],
    [[tier(30.5)], ".from must be integer"],
    [[{ name: "A", points: {} }], "'from'"],
    [[{ name: "A" }], "'points'"],
    [[{ points: { from: 30 } }], "'name'"],
    [[{ ...tier(30), name: "" }], ".name"],
    [[], "must NOT have fewer than 1 items"],
  ];
  for (const [sent, details] of overlapping) await refused(call, `POST ${of}`, sent, details);
  await refused(call, `PUT ${of}/${low.id}`, { points: { from: 5, to: 20 } }, "Property .points overlaps the range of");
  await refused(call, `PUT ${of}/${low.id}`, { points: { from: 5, to: 4 } }, "Property .points.to must be >= 5");
  assert.equal((await ok(call, `GET ${of}`)).total, 2);
  await ok(call, `PUT ${of}/${high.id}`, { points: { from: 25, to: null } });
  await refused(call, `POST ${of}`, [tier(9_007_199_254_740_991)], "the tier T20, from 25 to no end");
  await ok(call, `POST ${of}`, [tier(10, 10), tier(11, 24)]);
  const reply = await Promise.all([1, 2].map(() => call(`PUT ${of}/${high.id}`, { points: { from: 25, to: 40 } })));
  assert.deepEqual(
    reply.map(({ status }) => status),
    [200, 200],
  );
  const both = await Promise.all([1, 2].map(() => call(`POST ${of}`, [tier(50, 60)])));
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400]);
  await refused(call, `POST ${of}`, Array(101).fill(tier(70)), "must NOT have more than 100 items");
  const many = Array.from({ length: 96 }, (_, n) => tier(100 + n, 100 + n));
  await refused(call, `POST ${of}`, many, "A campaign has at most 100 tiers, and has 5");
});

test("tiers: mappings name rules and rewards of the campaign", async () => {
  const { call, program, of } = await start();
  const [rule] = await ok(call, `POST ${program}/earning-rules`, [fixed(5)]);
  const [cheap, dear, paid] = await makeRewards(call, program);
  const other = (await ok(call, "POST /v1/loyalties", { name: "Other", voucher })).id;
  const [foreign] = await ok(call, `POST /v1/loyalties/${other}/earning-rules`, [fixed(5)]);
  const earning_rules = { [rule.id]: { type: "MULTIPLY", multiplier: 1.5, ignored: 1 } };
  const rewards = {
    [cheap!]: { type: "CUSTOM", points: 0 },
    [dear!]: { type: "NOT_AVAILABLE" },
    [paid!]: { type: "MULTIPLY", multiplier: 0.5 },
  };
  const [made] = await ok(call, `POST ${of}`, [{ name: "Gold", points: { from: 1 }, earning_rules, rewards }]);
  assert.deepEqual(made.earning_rules, { [rule.id]: { type: "MULTIPLY", multiplier: 1.5 } });
  assert.deepEqual(made.rewards, rewards);
  const one = `${of}/${made.id}`;
  const low = { name: "Low", points: { from: 0, to: 0 } };
  const missing: [sent: object, type: string, id: string][] = [
    [{ earning_rules: { ern_none: { type: "CUSTOM", points: 1 } } }, "earning_rule", "ern_none"],
    [{ earning_rules: { [foreign.id]: { type: "CUSTOM", points: 1 } } }, "earning_rule", foreign.id],
    [{ rewards: { rewa_none: { type: "CUSTOM", points: 1 } } }, "reward_assignment", "rewa_none"],
    [{ rewards: { [rule.id]: { type: "CUSTOM", points: 1 } } }, "reward_assignment", rule.id],
  ];
  for (const [sent, type, id] of missing)
    for (const reply of [await call(`POST ${of}`, [{ ...low, ...sent }]), await call(`PUT ${one}`, sent)])
      assert.deepEqual([reply.status, reply.body.resource_type, reply.body.resource_id], [404, type, id], reply.text);
  const faulty: [sent: object, details: string][] = [
    [{ earning_rules: { [rule.id]: { type: "NOT_AVAILABLE" } } }, ".type must be equal to one of the allowed values"],
    [{ earning_rules: { [rule.id]: { type: "MULTIPLY" } } }, "must have required property 'multiplier'"],
    [{ earning_rules: { [rule.id]: { type: "CUSTOM", multiplier: 2 } } }, "must have required property 'points'"],
    [{ earning_rules: { [rule.id]: { type: "MULTIPLY", multiplier: -1 } } }, ".multiplier must be >= 0"],
    [{ earning_rules: { [rule.id]: { type: "MULTIPLY", multiplier: 1e9 } } }, ".multiplier must be <= 1000000"],
    [{ earning_rules: { [rule.id]: { type: "CUSTOM", points: 1.5 } } }, ".points must be integer"],
    [{ earning_rules: { [rule.id]: {} } }, "'type'"],
    [{ earning_rules: [] }, ".earning_rules must be object"],
    [{ rewards: { [paid!]: { type: "CUSTOM", points: 5 } } }, "cannot be CUSTOM: the reward is to pay with points"],
  ];
  for (const [sent, details] of faulty) {
    await refused(call, `POST ${of}`, [{ ...low, ...sent }], details);
    await refused(call, `PUT ${one}`, sent, details);
  }
  const kept = await ok(call, `PUT ${one}`, { rewards: { [cheap!]: { type: "MULTIPLY", multiplier: 2 } } });
  assert.deepEqual(Object.keys(kept.rewards), [cheap], "a map is replaced as a whole");
  assert.deepEqual(kept.earning_rules, made.earning_rules, "what is not sent stays");
  assert.equal((await call(`DELETE ${program}/rewards/${cheap}`)).status, 204);
  assert.deepEqual((await ok(call, `GET ${one}`)).rewards, {}, "a reward that is taken away is mapped no more");
  await ok(call, `PUT ${one}`, { rewards: { [dear!]: { type: "NOT_AVAILABLE" } } });
  assert.deepEqual((await ok(call, `PUT ${one}`, { rewards: null })).rewards, {});
  assert.equal((await call(`DELETE ${program}/earning-rules/${rule.id}`)).status, 204);
  assert.deepEqual((await ok(call, `GET ${one}`)).earning_rules, {}, "a rule that is deleted is mapped no more");
});

test("tiers: what members of a tier get for earning rules, and pay for rewards", async () => {
  const { call, program, of } = await start();
  const joined = {
    event: "order.paid",
    loyalty: { type: "PROPORTIONAL", calculation_type: "ORDER_AMOUNT", order: { amount: { every: 10, points: 100 } } },
  };
  const rules = await ok(call, `POST ${program}/earning-rules`, [fixed(100), fixed(20), fixed(5), joined]);
  const [r100, r20, r5, ratio] = rules.map(({ id }: { id: string }) => id);
  const [cheap, dear, paid] = await makeRewards(call, program);
  const times = (multiplier: number) => ({ type: "MULTIPLY", multiplier });
  const custom = (points: number) => ({ type: "CUSTOM", points });
  const tiers = await ok(call, `POST ${of}`, [
    { name: "Bottom", points: { from: 1, to: 249 }, earning_rules: { [r20]: custom(5), [ratio]: times(1) } },
    { name: "Middle", points: { from: 250, to: 499 }, earning_rules: { [ratio]: times(1.005), [r5]: times(0.39) } },
    {
      ...{ name: "Top", points: { from: 500, to: 1000 } },
      earning_rules: { [r100]: times(3), [r20]: custom(200), [r5]: times(5), [ratio]: times(3) },
      rewards: { [cheap!]: custom(300), [dear!]: { type: "NOT_AVAILABLE" }, [paid!]: times(1.005) },
    },
  ]);
  const [bottom, middle, top] = tiers.map(({ id }: { id: string }) => id);
  const given = async (tier: string, query = "?limit=100") => {
    const { data, total } = await ok(call, `GET ${of}/${tier}/earning-rules${query}`);
    assert.equal(total, 4);
    return Object.fromEntries(
      data.map(({ id, loyalty }: Record<string, any>) => [id, loyalty.points ?? loyalty.order.amount.points]),
    );
  };
  assert.deepEqual(await given(top), { [r100]: 300, [r20]: 200, [r5]: 25, [ratio]: 300 });
  assert.deepEqual(await given(bottom), { [r100]: 100, [r20]: 5, [r5]: 5, [ratio]: 100 });
  assert.deepEqual(
    await given(middle),
    { [r100]: 100, [r20]: 20, [r5]: 1, [ratio]: 100.5 },
    "only a ratio keeps its rest",
  );
  assert.deepEqual(await given(top, "?limit=1&page=2"), { [r5]: 25 });
  const whole = (await ok(call, `GET ${of}/${top}/earning-rules?limit=1`)).data[0];
  assert.deepEqual(whole, {
    ...rules[3],
    loyalty: { ...joined.loyalty, order: { amount: { every: 10, points: 300 } } },
  });

  const priced = async (tier: string) => {
    const { data, total, data_ref } = await ok(call, `GET ${of}/${tier}/rewards`);
    assert.deepEqual([total, data_ref], [data.length, "data"]);
    return data.map(({ reward, assignment, object }: Record<string, any>) => {
      assert.deepEqual([object, assignment.reward_id], ["loyalty_tier_reward", reward.id]);
      return [reward.name, assignment.parameters?.loyalty.points ?? reward.parameters.coin.points_ratio];
    });
  };
  assert.deepEqual(await priced(bottom), [
    ["Cheap", 30],
    ["Dear", 300],
    ["Paid", 100],
  ]);
  assert.deepEqual(await priced(top), [
    ["Cheap", 300],
    ["Paid", 100.5],
  ]);
});

test("tiers: one that an earning rule names is kept until that rule is gone", async () => {
  const { call, of } = await start();
  const [{ id }] = await ok(call, `POST ${of}`, [{ name: "Gold", points: { from: 1 } }]);
  const other = (await ok(call, "POST /v1/loyalties", { name: "Other", voucher })).id;
  const move = { event: "customer.loyalty.tier.joined", loyalty_tier: { id }, loyalty: { type: "FIXED", points: 5 } };
  const [rule] = await ok(call, `POST /v1/loyalties/${other}/earning-rules`, [move]);
  const kept = await call(`DELETE ${of}/${id}`);
  assert.deepEqual([kept.status, kept.body.key], [400, "resource_in_use"]);
  assert.deepEqual([kept.body.related_object_type, kept.body.related_object_ids], ["earning_rule", [rule.id]]);
  await call(`DELETE /v1/loyalties/${other}`);
  assert.equal((await call(`DELETE ${of}/${id}`)).status, 204);
});

test("tiers: metadata is checked with the schema of tiers", async () => {
  const { project, call, of } = await start();
  const properties = { size: { type: "number", optional: false, array: false } };
  const schema = { related_object: "loyalty_tier", properties };
  await ok(call, `POST /management/v1/projects/${project.id}/metadata-schemas`, schema);
  const tier = { name: "Gold", points: { from: 1 } };
  assert.equal((await call(`POST ${of}`, [tier])).body.key, "metadata_validation_failed");
  const [{ id }] = await ok(call, `POST ${of}`, [{ ...tier, metadata: { size: 1 } }]);
  assert.equal((await call(`PUT ${of}/${id}`, { metadata: { size: "big" } })).body.key, "metadata_validation_failed");
});

test("tiers: those of a campaign of another type, in the bin or of another project are not found", async () => {
  const { call, campaign, of } = await start();
  const tier = { name: "Gold", points: { from: 1 } };
  const [{ id }] = await ok(call, `POST ${of}`, [tier]);
  const body = { name: "Codes", voucher: { discount: { type: "PERCENT", percent_off: 10 } } };
  const codes = (await ok(call, "POST /v1/campaigns", body)).id;
  const other = (await ok(call, "POST /v1/loyalties", { name: "Other", voucher })).id;
  const stranger = await testShop(db);
  const everything = (of: string): [string, object?][] => [
    [`GET ${of}`],
    [`POST ${of}`, [tier]],
    [`GET ${of}/${id}`],
    [`PUT ${of}/${id}`, {}],
    [`DELETE ${of}/${id}`],
    [`GET ${of}/${id}/earning-rules`],
    [`GET ${of}/${id}/rewards`],
  ];
  const missing = async (call: Call, requests: readonly [string, object?][]) => {
    for (const [request, sent] of requests) assert.equal((await call(request, sent)).status, 404, request);
  };
  await missing(call, everything(`/v1/loyalties/${codes}/tiers`));
  await missing(call, everything(`/v1/loyalties/${other}/tiers`).slice(2));
  await missing(stranger.call, everything(of));
  assert.equal((await ok(call, `GET ${of}/${id}`)).name, "Gold");
  await call(`DELETE /v1/loyalties/${campaign}`);
  await missing(call, everything(of));
});

const run = (job: typeof advanceCards) => job.run({ db, now: () => NOW, newId, random: randomBytes } as never);

test("tiers: when tiers change, or how they are kept, members are looked at again", async () => {
  const { call, program, of } = await start();
  const card = await ok(call, `POST ${program}/members`, { customer: { source_id: "ann" } });
  await ok(call, `POST ${program}/members/${card.code}/balance`, { points: 100 });
  const tierNow = async () => {
    await run(advanceCards);
    const { data } = await ok(call, `GET /v1/loyalties/members/${card.code}/tiers`);
    return data.map(({ name }: { name: string }) => name);
  };
  assert.deepEqual(await tierNow(), []);
  const [low] = await ok(call, `POST ${of}`, [{ name: "Low", points: { from: 0, to: 200 } }]);
  assert.deepEqual(await tierNow(), ["Low"]);
  await ok(call, `PUT ${of}/${low.id}`, { points: { from: 0, to: 99 } });
  const [high] = await ok(call, `POST ${of}`, [{ name: "High", points: { from: 100 } }]);
  assert.deepEqual(await tierNow(), ["High"]);
  assert.equal((await call(`DELETE ${of}/${high.id}`)).status, 204);
  assert.deepEqual(await tierNow(), []);
  const reviews = async (body: object) => {
    await ok(call, `PUT ${program}`, body);
    const [{ count }] = await db<[{ count: number }]>`
      with gone as (delete from loyalty_reviews where program_id = ${low.campaign_id} returning 1)
      select count(*) from gone`;
    return count;
  };
  const kept = {
    qualification_type: "BALANCE",
    start_date: { type: "IMMEDIATE" },
    expiration_date: { type: "CUSTOM", extend: "P1M" },
  };
  assert.equal(await reviews({ description: "New" }), 0);
  assert.equal(await reviews({ loyalty_tiers_expiration: kept }), 1);
  assert.equal(await reviews({ loyalty_tiers_expiration: kept }), 0);
  assert.equal(await reviews({ options: { recalculate_tiers: true } }), 1);
  assert.equal(await reviews({ loyalty_tiers_expiration: null, options: { recalculate_tiers: false } }), 0);
});

test("tiers and earning rules are deleted with their campaign, for good", async () => {
  const { project, call, campaign, program, of } = await start();
  const rule = (await ok(call, "POST /v1/validation-rules", { name: "A" })).id;
  await ok(call, `POST ${program}/earning-rules`, [{ ...fixed(5), validation_rule_id: rule }]);
  await ok(call, `POST ${of}`, [{ name: "Gold", points: { from: 1 } }]);
  const rows = async () => {
    const [counts] = await db<[{ rules: number; tiers: number; assigned: number }]>`
      select (select count(*) from campaign_earning_rules where project_id = ${project.id}) as rules,
        (select count(*) from campaign_tiers where project_id = ${project.id}) as tiers,
        (select count(*) from validation_rule_assignments where project_id = ${project.id}) as assigned`;
    return counts;
  };
  const all = { rules: 1, tiers: 1, assigned: 1 };
  await ok(call, `DELETE ${program}`);
  await run(runAsyncActions);
  assert.deepEqual({ ...(await rows()) }, all, "in the bin everything stays");
  const [entry] = (await ok(call, "GET /v1/trash-bin")).data;
  assert.equal(entry.resource_id, campaign);
  assert.equal((await call(`DELETE /v1/trash-bin/${entry.id}`)).status, 204);
  await run(runAsyncActions);
  assert.deepEqual({ ...(await rows()) }, { rules: 0, tiers: 0, assigned: 0 });
});

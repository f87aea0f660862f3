import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW, type Reply, testDatabase } from "../support/engine.ts";
import { assertErrorBody } from "../support/http.ts";
import { loyaltyProject } from "../support/loyalty-rules.ts";
import { okOf, testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const V2 = "/v2/loyalties";
const refused = (reply: Reply, code: number, key: string, details?: RegExp) => {
  assertErrorBody(reply);
  assert.deepEqual([reply.status, reply.body.key], [code, key], reply.text);
  if (details) assert.match(reply.body.details, details);
};

/** A project with a wallet, a rule and a reward that fit together, and a structure with tiers. */
async function parts() {
  const it = await loyaltyProject(db);
  const wallet = await it.wallet();
  const effects = [{ points: { value: 10, card_definition_id: wallet.id } }];
  const ruleOf = (given: object = {}) =>
    it.rule({
      name: "Order",
      status: "ACTIVE",
      trigger: { event: "customer.order.paid" },
      earnings: [{ effects }],
      ...given,
    });
  const product = await it.product("Cup");
  const rewardOf = (card_definition_id: string, given: object = {}) =>
    it.reward({
      name: "Cup",
      status: "ACTIVE",
      type: "MATERIAL",
      material: { type: "PRODUCT", product: { id: product.id } },
      costs: [{ spending: [{ points: 5, card_definition_id }] }],
      ...given,
    });
  const { structure } = await it.tiers(wallet.id, "Bronze", "Silver");
  await it.call(`POST ${V2}/tier-structures/${structure.id}/activate`);
  const [rule, reward] = [await ruleOf(), await rewardOf(wallet.id)];
  const ok = okOf(it.call);
  const draft = (given: object = {}) => ok(`POST ${V2}/programs`, { name: "Club", ...given });
  const batch = (programId: string, path: string, body: object) =>
    it.call(`POST ${V2}/programs/${programId}/${path}/batch`, body);
  return { ...it, wallet, rule, reward, structure, ruleOf, rewardOf, ok, draft, batch };
}

test("a program is made a draft with what is assigned to it, and read, updated, activated, deactivated, deleted", async () => {
  const { ok, call, wallet, rule, reward, structure } = await parts();
  const stock = { type: "LIMITED", limited: { quantity: 3 } };
  const hours = { daily: [{ days_of_week: [1], start_time: "09:00", end_time: "17:00" }] };
  const made = await ok(`POST ${V2}/programs`, {
    name: "Club",
    start_date: "2026-01-01T00:00:00Z",
    end_date: "2027-01-01T00:00:00+01:00",
    validity_hours: hours,
    metadata: { colour: "red" },
    card_definitions: [{ id: wallet.id }],
    earning_rules: [{ id: rule.id }],
    rewards: [{ id: reward.id, stock }],
    tier_structures: [{ id: structure.id }],
  });
  const program = {
    id: made.id,
    name: "Club",
    status: "DRAFT",
    start_date: "2026-01-01T00:00:00.000Z",
    end_date: "2026-12-31T23:00:00.000Z",
    validity_hours: { type: "DAILY", ...hours },
    metadata: { colour: "red" },
    created_at: NOW,
    updated_at: null,
    object: "program",
  };
  assert.match(made.id, /^lprg_/);
  assert.deepEqual(made, {
    ...program,
    card_definitions: [{ id: wallet.id }],
    earning_rules: [{ id: rule.id }],
    rewards: [{ id: reward.id, stock }],
    tier_structures: [{ id: structure.id }],
  });
  const path = `${V2}/programs/${made.id}`;
  assert.deepEqual(await ok(`GET ${path}`), program);
  const changes = { name: "Big club", end_date: null, validity_hours: null, metadata: null };
  const updated = await ok(`PUT ${path}`, changes);
  const anyTime = { type: "ANY_TIME", daily: [] };
  assert.deepEqual(updated, {
    ...{ ...program, ...changes, validity_hours: anyTime, metadata: {}, updated_at: NOW },
  });
  assert.equal((await ok(`POST ${path}/activate`)).status, "ACTIVE");
  refused(await call(`POST ${path}/activate`), 400, "invalid_state_transition", /from current state: 'ACTIVE'/);
  refused(await call(`PUT ${path}`, { start_date: null }), 400, "invalid_payload", /start_date/);
  assert.deepEqual((await ok(`PUT ${path}`, { name: "Club", metadata: { a: 1 } })).metadata, { a: 1 });
  assert.equal((await ok(`POST ${path}/deactivate`)).status, "INACTIVE");
  refused(await call(`POST ${path}/deactivate`), 400, "invalid_state_transition");
  assert.equal((await ok(`PUT ${path}`, { start_date: null })).start_date, null);
  assert.equal((await ok(`POST ${path}/activate`)).status, "ACTIVE");
  assert.equal((await ok(`DELETE ${path}`)).status, "DELETED");
  for (const line of [
    `GET ${path}`,
    `DELETE ${path}`,
    `POST ${path}/activate`,
    `GET ${path}/rewards`,
    `GET ${path}/activities`,
  ])
    refused(await call(line), 404, "not_found");
  assert.deepEqual((await ok(`GET ${V2}/programs`)).data, []);
  // What was assigned is free again.
  await ok(`DELETE ${V2}/earning-rules/${rule.id}`);
});

test("a body that is not right is refused, and nothing is made", async () => {
  const { call, ok, wallet, rule, reward } = await parts();
  const post = (given: object) => call(`POST ${V2}/programs`, { name: "Club", ...given });
  const cases: [object, RegExp][] = [
    [{ name: "" }, /name/],
    [{ name: "x".repeat(201) }, /name/],
    [{ colour: "red" }, /colour/],
    [{ status: "INACTIVE" }, /status/],
    [{ start_date: "soon" }, /start_date/],
    [{ start_date: "2026-02-01T00:00:00Z", end_date: "2026-01-01T00:00:00Z" }, /end_date/],
    [{ validity_hours: { type: "DAILY" } }, /daily/],
    [{ card_definitions: [] }, /fewer than 1/],
    [{ card_definitions: [{ id: "cat_1" }] }, /must be an id that begins with/],
    [{ card_definitions: [{ id: wallet.id }, { id: wallet.id }] }, /duplicate/],
    [{ card_definitions: [{ id: wallet.id, stock: { type: "UNLIMITED" } }] }, /stock/],
    [{ rewards: [{ id: reward.id }] }, /stock/],
    [{ rewards: [{ id: reward.id, stock: { type: "UNLIMITED", limited: { quantity: 1 } } }] }, /limited/],
    [{ rewards: [{ id: reward.id, stock: { type: "LIMITED" } }] }, /limited/],
    [{ rewards: [{ id: reward.id, stock: { type: "LIMITED", limited: { quantity: -1 } } }] }, /quantity/],
    [{ earning_rules: Array.from({ length: 11 }, () => ({ id: rule.id })) }, /more than 10/],
  ];
  for (const [given, details] of cases) refused(await post(given), 400, "invalid_payload", details);
  refused(await post({ card_definitions: [{ id: "lcdef_1" }] }), 404, "not_found", /card_definition/);
  refused(await post({ rewards: [{ id: "lrew_1", stock: { type: "UNLIMITED" } }] }), 404, "not_found", /reward/);
  assert.deepEqual((await ok(`GET ${V2}/programs`)).data, []);
});

test("metadata is checked with the schema vl_program", async () => {
  const { call, project } = await parts();
  const properties = { colour: { type: "string", optional: false, array: false } };
  const schema = { related_object: "vl_program", properties };
  assert.equal((await call(`POST /management/v1/projects/${project.id}/metadata-schemas`, schema)).status, 200);
  refused(await call(`POST ${V2}/programs`, { name: "Club" }), 400, "metadata_validation_failed");
  const { body } = await call(`POST ${V2}/programs`, { name: "Club", metadata: { colour: "red" } });
  refused(await call(`PUT ${V2}/programs/${body.id}`, { metadata: {} }), 400, "metadata_validation_failed");
});

test("a program is activated only with an active card definition, an active rule, and nothing unready", async () => {
  const { call, ok, draft, batch, wallet, rule, ruleOf, rewardOf, structure } = await parts();
  const active = (given: object) => call(`POST ${V2}/programs`, { name: "Club", status: "ACTIVE", ...given });
  const [card_definitions, earning_rules] = [[{ id: wallet.id }], [{ id: rule.id }]];
  refused(await active({}), 423, "missing_active_card_definition");
  refused(await active({ card_definitions }), 423, "missing_active_earning_rule");
  refused(await active({ earning_rules }), 423, "missing_active_card_definition");
  const unready = await ruleOf({ status: "DRAFT" });
  refused(await active({ card_definitions, earning_rules: [{ id: unready.id }] }), 423, "missing_active_earning_rule");
  refused(
    await active({ card_definitions, earning_rules: [{ id: rule.id }, { id: unready.id }] }),
    423,
    "resource_locked",
    /must be ACTIVE/,
  );
  const cup = await rewardOf(wallet.id, { status: "DRAFT" });
  const { id } = await draft({ card_definitions, earning_rules, tier_structures: [{ id: structure.id }] });
  assert.equal((await batch(id, "rewards", { assign: [{ id: cup.id, stock: { type: "UNLIMITED" } }] })).status, 200);
  const path = `${V2}/programs/${id}`;
  refused(await call(`POST ${path}/activate`), 423, "resource_locked", /reward/);
  await ok(`POST ${V2}/rewards/${cup.id}/activate`);
  await ok(`POST ${path}/activate`);
  // Deactivated components do not keep an inactive program from coming back.
  await ok(`POST ${path}/deactivate`);
  await ok(`POST ${V2}/rewards/${cup.id}/deactivate`);
  assert.equal((await ok(`POST ${path}/activate`)).status, "ACTIVE");
});

test("components are assigned and unassigned in batches, and listed by kind", async () => {
  const { call, ok, draft, batch, wallet, rule, reward, structure, rewardOf } = await parts();
  const { id } = await draft();
  const other = await rewardOf(wallet.id);
  const sent: [path: string, kind: string, item: object, shown: object][] = [
    ["card-definitions", "card_definition", { id: wallet.id }, { card_type: "INDIVIDUAL" }],
    ["earning-rules", "earning_rule", { id: rule.id }, {}],
    ["tier-structures", "tier_structure", { id: structure.id }, {}],
    [
      "rewards",
      "reward",
      { id: reward.id, stock: { type: "LIMITED", limited: { quantity: 7 } } },
      { stock: { type: "LIMITED", limited: { quantity: 7 } }, redeemed: 0, updated_at: null },
    ],
  ];
  for (const [path, kind, item, more] of sent) {
    const shown = { [`${kind}_id`]: (item as { id: string }).id, created_at: NOW, object: `program_${kind}`, ...more };
    assert.deepEqual((await batch(id, path, { assign: [item] })).body, { assigned: [shown], unassigned: null });
    assert.deepEqual((await ok(`GET ${V2}/programs/${id}/${path}`)).data, [shown]);
    refused(await batch(id, path, { assign: [item] }), 409, "duplicate_found");
  }
  const swap = { assign: [{ id: other.id, stock: { type: "UNLIMITED" } }], unassign: [{ id: reward.id }] };
  const swapped = (await batch(id, "rewards", swap)).body;
  assert.deepEqual(
    [swapped.assigned[0].reward_id, swapped.assigned[0].stock, swapped.unassigned[0].reward_id],
    [other.id, { type: "UNLIMITED" }, reward.id],
  );
  refused(await batch(id, "rewards", { unassign: [{ id: reward.id }] }), 404, "not_found");
  refused(await batch(id, "rewards", { assign: [{ id: "lrew_1", stock: { type: "UNLIMITED" } }] }), 404, "not_found");
  refused(await batch(id, "rewards", { unassign: [{ id: other.id }, { id: other.id }] }), 400, "invalid_payload");
  refused(await batch(id, "rewards", { assign: [{ id: other.id }] }), 400, "invalid_payload", /stock/);
  refused(await batch(id, "earning-rules", { assign: [{ id: rule.id, stock: {} }] }), 400, "invalid_payload");
  refused(await batch(id, "earning-rules", { added: [] }), 400, "invalid_payload", /added/);
  assert.deepEqual((await batch(id, "rewards", {})).body, { assigned: null, unassigned: null });
  // One entry that is wrong ends the batch as a whole.
  refused(await batch(id, "rewards", { unassign: [{ id: other.id }, { id: "lrew_1" }] }), 404, "not_found");
  const { data } = await ok(`GET ${V2}/programs/${id}/rewards`);
  assert.deepEqual([data.length, data[0].reward_id], [1, other.id]);
  refused(await call(`GET ${V2}/programs/lprg_1/rewards`), 404, "not_found");
  refused(await call(`GET ${V2}/programs/${id}/rewards?order=reward_id`), 400, "invalid_query_params");
});

test("what uses a wallet needs it in the program, and wallets and tiers change in a draft only", async () => {
  const { ok, call, draft, batch, wallet: own, rule, reward, structure, rewardOf, ruleOf, tiers } = await parts();
  const { id } = await draft();
  refused(await batch(id, "earning-rules", { assign: [{ id: rule.id }] }), 423, "resource_locked", /card definition/);
  refused(await batch(id, "tier-structures", { assign: [{ id: structure.id }] }), 423, "resource_locked");
  const unlimited = { stock: { type: "UNLIMITED" } };
  refused(await batch(id, "rewards", { assign: [{ id: reward.id, ...unlimited }] }), 423, "resource_locked");
  const second = (await ok(`POST ${V2}/card-definitions`, { name: "Stars", type: "INDIVIDUAL", status: "ACTIVE" })).id;
  await batch(id, "card-definitions", { assign: [{ id: own.id }, { id: second }] });
  await batch(id, "earning-rules", { assign: [{ id: rule.id }] });
  refused(await batch(id, "card-definitions", { unassign: [{ id: own.id }] }), 423, "resource_locked", /earning rule/);
  assert.equal((await batch(id, "card-definitions", { unassign: [{ id: second }] })).status, 200);
  const stars = await rewardOf(second);
  refused(await batch(id, "rewards", { assign: [{ id: stars.id, ...unlimited }] }), 423, "resource_locked");
  const more = (await tiers(own.id, "Other")).structure;
  refused(
    await batch(id, "tier-structures", { assign: [{ id: structure.id }, { id: more.id }] }),
    409,
    "tier_structure_limit_exceeded",
  );
  await ok(`POST ${V2}/programs/${id}/activate`);
  refused(
    await batch(id, "card-definitions", { assign: [{ id: second }] }),
    423,
    "non_draft_program",
    /status is not DRAFT/,
  );
  refused(await batch(id, "tier-structures", { assign: [{ id: structure.id }] }), 423, "non_draft_program");
  refused(await batch(id, "earning-rules", { unassign: [{ id: rule.id }] }), 423, "missing_active_earning_rule");
  const next = await ruleOf();
  const swap = { assign: [{ id: next.id }], unassign: [{ id: rule.id }] };
  assert.equal((await batch(id, "earning-rules", swap)).status, 200);
  refused(await call(`DELETE ${V2}/card-definitions/${own.id}`), 409, "resource_in_use");
});

test("the stock of a reward is set in its program", async () => {
  const { ok, call, draft, wallet, reward } = await parts();
  const rewards = [{ id: reward.id, stock: { type: "UNLIMITED" } }];
  const { id } = await draft({ card_definitions: [{ id: wallet.id }], rewards });
  const path = `${V2}/programs/${id}/rewards/${reward.id}`;
  const stock = { type: "LIMITED", limited: { quantity: 2 } };
  const set = await ok(`PUT ${path}`, { stock });
  const shown = {
    reward_id: reward.id,
    stock,
    redeemed: 0,
    created_at: NOW,
    updated_at: NOW,
    object: "program_reward",
  };
  assert.deepEqual(set, shown);
  assert.deepEqual((await ok(`GET ${V2}/programs/${id}/rewards`)).data, [shown]);
  refused(await call(`PUT ${path}`, {}), 400, "invalid_payload");
  refused(
    await call(`PUT ${path}`, { stock: { type: "UNLIMITED", limited: { quantity: 1 } } }),
    400,
    "invalid_payload",
  );
  refused(await call(`PUT ${V2}/programs/${id}/rewards/lrew_1`, { stock }), 404, "not_found", /reward/);
  refused(await call(`PUT ${V2}/programs/lprg_1/rewards/${reward.id}`, { stock }), 404, "not_found", /program/);
});

test("programs are listed in pages, filtered and ordered", async () => {
  const { ok, call, draft, wallet, rule } = await parts();
  for (const name of ["Beta", "alpha 50%", "Gamma"]) await draft({ name });
  await draft({
    name: "Live",
    status: "ACTIVE",
    card_definitions: [{ id: wallet.id }],
    earning_rules: [{ id: rule.id }],
  });
  const names = async (query: string) =>
    (await ok(`GET ${V2}/programs?${query}`)).data.map(({ name }: { name: string }) => name);
  assert.deepEqual(await names("order=name"), ["Beta", "Gamma", "Live", "alpha 50%"].sort());
  assert.deepEqual(await names("filters[status][conditions][$is]=ACTIVE"), ["Live"]);
  assert.deepEqual(await names("filters[name][conditions][$contains]=50%25"), ["alpha 50%"]);
  assert.deepEqual(
    await names(
      "filters[junction]=OR&filters[name][conditions][$is]=Beta&filters[status][conditions][$is]=ACTIVE&order=name",
    ),
    ["Beta", "Live"],
  );
  const first = await ok(`GET ${V2}/programs?limit=3&order=-name`);
  assert.match(first.cursor.next, /^lcrsprg_/);
  const second = await ok(`GET ${V2}/programs?cursor=${first.cursor.next}`);
  assert.deepEqual([first.data.length, second.data.length, second.cursor], [3, 1, null]);
  refused(await call(`GET ${V2}/programs?cursor=lcrsprg_1`), 400, "invalid_or_expired_cursor");
  refused(await call(`GET ${V2}/programs?filters[colour][conditions][$is]=red`), 400, "invalid_query_params");
  refused(await call(`GET ${V2}/programs?limit=0`), 400, "invalid_query_params");
});

test("what happens to a program is told, and an assignment is told on both sides", async () => {
  const { ok, batch, draft, wallet, reward } = await parts();
  const { id } = await draft({ card_definitions: [{ id: wallet.id }] });
  await batch(id, "rewards", { assign: [{ id: reward.id, stock: { type: "UNLIMITED" } }] });
  await ok(`PUT ${V2}/programs/${id}/rewards/${reward.id}`, { stock: { type: "UNLIMITED" } });
  await ok(`PUT ${V2}/programs/${id}`, { name: "New" });
  const { data } = await ok(`GET ${V2}/programs/${id}/activities?order=created_at`);
  assert.deepEqual(
    data.map(({ type }: { type: string }) => type),
    [
      "vl.program.created",
      "vl.program.card_definition.assigned",
      "vl.program.reward.assigned",
      "vl.program.reward.updated",
      "vl.program.updated",
    ],
  );
  assert.match(data[0].id, /^laprg_/);
  assert.deepEqual([data[0].program_id, data[0].data.program.id, data[4].data.program.name], [id, id, "New"]);
  assert.deepEqual(
    [data[2].data.reward.id, data[2].data.program.id, data[2].data.program_reward.reward_id],
    [reward.id, id, reward.id],
  );
  const [own] = (await ok(`GET ${V2}/rewards/${reward.id}/activities`)).data;
  assert.deepEqual([own.type, own.data.program.id], ["vl.reward.assigned", id]);
});

test("another project finds no program, and nothing of another project can be assigned", async () => {
  const { draft, wallet } = await parts();
  const { id } = await draft();
  const { call } = await testShop(db);
  const own = (await call(`POST ${V2}/programs`, { name: "Own" })).body.id;
  for (const line of [`GET ${V2}/programs/${id}`, `DELETE ${V2}/programs/${id}`, `POST ${V2}/programs/${id}/activate`])
    refused(await call(line), 404, "not_found");
  const assign = [{ id: wallet.id }];
  refused(await call(`POST ${V2}/programs/${own}/card-definitions/batch`, { assign }), 404, "not_found");
  refused(await call(`POST ${V2}/programs/${id}/card-definitions/batch`, { assign }), 404, "not_found", /program/);
});

test("of two requests that assign the same component at once, one is told that it is assigned", async () => {
  const { draft, batch, wallet } = await parts();
  const { id } = await draft();
  const replies = await Promise.all(
    [1, 2, 3].map(() => batch(id, "card-definitions", { assign: [{ id: wallet.id }] })),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409]);
});

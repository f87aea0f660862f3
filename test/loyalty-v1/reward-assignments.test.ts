import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { runAsyncActions } from "../../src/jobs/run-async-actions.ts";
import { type Call, NOW, newId, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { assertRefused } from "../support/http.ts";

const { db, open } = await testDatabase();
const COST = { loyalty: { points: 10 } };
const COIN = { coin: { exchange_ratio: 1 } };

async function made(call: Call, request: string, body: object) {
  const reply = await call(request, body);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** A loyalty campaign, and rewards for it. */
async function club(pool = db) {
  const project = await testProject(db);
  const { call } = await testEngine(pool, project);
  const campaign = async (name: string, voucher: object = { loyalty_card: { points: 0 } }): Promise<string> =>
    (await made(call, "POST /v1/campaigns", { name, voucher })).id;
  const product = await made(call, "POST /v1/products", { name: "Mug" });
  const reward = async (parameters: object = { product: { id: product.id } }): Promise<string> =>
    (await made(call, "POST /v1/rewards", { name: "Reward", parameters })).id;
  const assign = (rewardId: string, body: object) => made(call, `POST /v1/rewards/${rewardId}/assignments`, body);
  const id = await campaign("Club");
  return { project, call, campaign, id, reward, assign, path: `/v1/loyalties/${id}/rewards` };
}

test("reward assignments: create, read, list, update and delete, by the reward and by the campaign", async () => {
  const { project, call, id: campaign, reward, assign, path } = await club();
  const rewardId = await reward();
  const created = await assign(rewardId, { campaign: "Club", parameters: COST, colour: "ignored" });
  assert.match(created.id, /^rewa_[0-9a-f]{24}$/);
  const expected = {
    id: created.id,
    reward_id: rewardId,
    related_object_id: campaign,
    related_object_type: "campaign",
    parameters: COST,
    created_at: NOW,
    updated_at: null,
    object: "reward_assignment",
  };
  assert.deepEqual(created, expected);
  const ofReward = `/v1/rewards/${rewardId}/assignments`;
  const lists = [ofReward, path, `/v1/loyalties/${campaign}/reward-assignments`, "/v1/loyalties/Club/rewards"];
  const all = lists.map((list) => `${list}/${created.id}`);
  for (const one of all) assert.deepEqual((await call(`GET ${one}`)).body, expected, one);
  for (const list of lists)
    assert.deepEqual((await call(`GET ${list}`)).body, {
      object: "list",
      data_ref: "data",
      data: [expected],
      total: 1,
    });
  const shown = await call(`GET /v1/loyalties/Club/reward-assignments/${created.id}/reward`);
  assert.deepEqual(shown.body, (await call(`GET /v1/rewards/${rewardId}`)).body);

  const changes: [path: string, sent: object, loyalty: object][] = [
    [all[0]!, {}, { points: 10 }],
    [all[1]!, { parameters: { loyalty: { points: "25" } } }, { points: 25 }],
    [all[0]!, { parameters: { loyalty: { auto_redeem: true } } }, { points: 25, auto_redeem: true }],
    [all[1]!, { parameters: { loyalty: { points: 5, auto_redeem: null } } }, { points: 5, auto_redeem: true }],
    [all[1]!, { parameters: { loyalty: { auto_redeem: false } } }, { points: 5, auto_redeem: false }],
    [all[0]!, { parameters: null }, { points: 5, auto_redeem: false }],
  ];
  for (const [one, sent, loyalty] of changes)
    assert.deepEqual((await call(`PUT ${one}`, sent)).body, { ...expected, parameters: { loyalty }, updated_at: NOW });

  const second = await reward();
  const [other] = await made(call, `POST ${path}`, [{ reward: second, parameters: COST }]);
  for (const gone of [all[0]!, `${path}/${other.id}`]) {
    const deleted = await call(`DELETE ${gone}`);
    assert.deepEqual([deleted.status, deleted.text], [204, ""]);
    for (const request of [`GET ${gone}`, `DELETE ${gone}`]) assertRefused(await call(request), "not_found");
    assertRefused(await call(`PUT ${gone}`, {}), "not_found");
  }
  assert.equal((await call(`GET ${path}`)).body.total, 0);
  assert.equal((await call(`DELETE /v1/rewards/${rewardId}`)).status, 204, "nothing uses it any more");

  const events = await db`
    select kind, campaign_id, payload from events
    where project_id = ${project.id} and kind like 'campaign.reward%' order by id`;
  assert.deepEqual(
    events.map(({ kind }) => kind.replace("campaign.reward.assignment.", "")),
    ["created", ...changes.map(() => "updated"), "created", "deleted", "deleted"],
  );
  const { campaign_id, payload } = events[0]!;
  assert.deepEqual([campaign_id, payload.campaign.name], [campaign, "Club"]);
  assert.deepEqual([payload.reward.id, payload.reward_assignment], [rewardId, expected]);
});

test("reward assignments: several at once, all of them or none", async () => {
  const { call, reward, path } = await club();
  const [first, second, coin] = [await reward(), await reward(), await reward(COIN)];
  const rewards = [{ reward: first, parameters: COST }, { reward: coin }, { reward: second, parameters: COST }];
  const refusals: [body: unknown, key: "not_found" | "duplicate_found" | "missing_param" | "invalid_payload"][] = [
    [[...rewards, { reward: "rew_0", parameters: COST }], "not_found"],
    [[...rewards, { reward: first, parameters: COST }], "duplicate_found"],
    [[{ reward: coin }, { reward: first }], "missing_param"],
    [[], "invalid_payload"],
    [rewards[0], "invalid_payload"],
    [Array.from({ length: 101 }, () => rewards[0]), "invalid_payload"],
  ];
  for (const [body, key] of refusals) assertRefused(await call(`POST ${path}`, body), key);
  assert.equal((await call(`GET ${path}`)).body.total, 0);
  const all = await made(call, `POST ${path}`, rewards);
  assert.deepEqual(
    all.map(({ reward_id, parameters }: any) => [reward_id, parameters]),
    [
      [first, COST],
      [coin, undefined],
      [second, COST],
    ],
  );
});

test("reward assignments: all but points to pay with have a price of one point or more", async () => {
  const { call, id: campaign, reward, assign } = await club();
  const [coin, mug] = [await reward(COIN), await reward()];
  const free = await assign(coin, { campaign, parameters: COST });
  assert.equal("parameters" in free, false);
  const changed = await call(`PUT /v1/rewards/${coin}/assignments/${free.id}`, { parameters: COST });
  assert.deepEqual([changed.status, "parameters" in changed.body], [200, false]);
  const path = `POST /v1/rewards/${mug}/assignments`;
  for (const parameters of [undefined, null, {}, { loyalty: null }])
    assertRefused(
      await call(path, { campaign, parameters }),
      "missing_param",
      "Parameter 'parameters.loyalty' is required",
    );
  for (const loyalty of [{}, { points: null }, { auto_redeem: true }])
    assertRefused(
      await call(path, { campaign, parameters: { loyalty } }),
      "missing_param",
      "Parameter 'parameters.loyalty.points' is required",
    );
  const { id } = await assign(mug, { campaign, parameters: COST });
  for (const points of [0, -1, 1.5, "0", "-1", "ten", "9999999999999999", 1e300, true])
    for (const request of [
      `POST /v1/rewards/${await reward()}/assignments`,
      `PUT /v1/rewards/${mug}/assignments/${id}`,
    ])
      assertRefused(await call(request, { campaign, parameters: { loyalty: { points } } }), "invalid_payload");
  for (const body of [{}, { campaign: "" }, { campaign: 1 }, { campaign, parameters: [] }])
    assertRefused(await call(path, { parameters: COST, ...body }), "invalid_payload");
});

test("reward assignments: a campaign has a reward once, and one reward that is redeemed by itself", async () => {
  const { call, campaign, id, reward, assign, path } = await club();
  const [mug, cup] = [await reward(), await reward()];
  const auto = { loyalty: { points: 10, auto_redeem: true } };
  const first = await assign(mug, { campaign: id, parameters: auto });
  for (const [request, body] of [
    [`POST /v1/rewards/${mug}/assignments`, { campaign: id, parameters: COST }],
    [`POST ${path}`, [{ reward: mug, parameters: COST }]],
  ] as const) {
    const reply = await call(request, body);
    assertRefused(reply, "duplicate_found", `Duplicated reward_assignment exists with related_object ${id}`);
    assert.equal(reply.body.resource_id, first.id);
  }
  const says = "Duplicated reward_assignment exists with auto_redeem true";
  assertRefused(
    await call(`POST /v1/rewards/${cup}/assignments`, { campaign: id, parameters: auto }),
    "duplicate_found",
    says,
  );
  const second = await assign(cup, { campaign: id, parameters: COST });
  assertRefused(await call(`PUT ${path}/${second.id}`, { parameters: auto }), "duplicate_found", says);
  assert.equal((await call(`PUT ${path}/${first.id}`, { parameters: auto })).status, 200, "it is that one itself");
  const other = await campaign("Other");
  assert.equal((await assign(cup, { campaign: other, parameters: auto })).related_object_id, other);
});

test("reward assignments: of many who assign the same reward at once one succeeds", async () => {
  const { call, id, reward, path } = await club(open({ max: 6 }));
  const rewards = [await reward(), await reward(), await reward()];
  const parameters = { loyalty: { points: 1, auto_redeem: true } };
  const sent = rewards.flatMap((one) => [one, one]);
  const replies = await Promise.all(
    sent.map((one) => call(`POST /v1/rewards/${one}/assignments`, { campaign: id, parameters })),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409]);
  assert.equal((await call(`GET ${path}`)).body.total, 1);
});

test("reward assignments: points of a campaign are not given for its own points", async () => {
  const { call, campaign, id, reward, assign } = await club();
  const own = await reward({ campaign: { id, balance: 5 } });
  const says = `Campaign ${id} cannot have a reward of its own points`;
  const body = { campaign: id, parameters: COST };
  assertRefused(await call(`POST /v1/rewards/${own}/assignments`, body), "invalid_payload", says);
  const other = await campaign("Other");
  const points = await reward({ campaign: { id: other, balance: 5 } });
  await assign(points, body);
  const change = { parameters: { campaign: { id, balance: 5 } } };
  assertRefused(await call(`PUT /v1/rewards/${points}`, change), "invalid_payload", says);
});

test("reward assignments: only loyalty campaigns have rewards", async () => {
  const { call, campaign, reward } = await club();
  const mug = await reward();
  const coupons = await campaign("Coupons", { discount: { type: "PERCENT", percent_off: 10 } });
  for (const id of [coupons, "Coupons", "camp_0"]) {
    const reply = await call(`POST /v1/rewards/${mug}/assignments`, { campaign: id, parameters: COST });
    assertRefused(reply, "not_found", `Cannot find campaign with id ${id}`);
    const own = `/v1/loyalties/${id}`;
    for (const path of ["rewards", "reward-assignments", "rewards/x", "reward-assignments/x/reward"])
      assertRefused(await call(`GET ${own}/${path}`), "not_found", `Cannot find campaign with id ${id}`);
    assertRefused(await call(`POST ${own}/rewards`, [{ reward: mug, parameters: COST }]), "not_found");
  }
});

test("reward assignments: what a path names belongs together", async () => {
  const { call, campaign, id, reward, assign } = await club();
  const [mug, cup] = [await reward(), await reward()];
  const other = await campaign("Other");
  const { id: assigned } = await assign(mug, { campaign: id, parameters: COST });
  for (const path of [`/v1/rewards/${cup}/assignments/${assigned}`, `/v1/loyalties/${other}/rewards/${assigned}`]) {
    for (const method of ["GET", "PUT", "DELETE"]) {
      const reply = await call(`${method} ${path}`, method === "PUT" ? {} : undefined);
      assertRefused(reply, "not_found", `Cannot find reward_assignment with id ${assigned}`);
    }
  }
  for (const path of ["", "/reward"])
    assertRefused(await call(`GET /v1/loyalties/Other/reward-assignments/${assigned}${path}`), "not_found");
  for (const request of ["GET /v1/rewards/rew_0/assignments", `GET /v1/rewards/rew_0/assignments/${assigned}`])
    assertRefused(await call(request), "not_found", "Cannot find reward with id rew_0");
  assertRefused(await call("POST /v1/rewards/rew_0/assignments", { campaign: id, parameters: COST }), "not_found");
  assertRefused(await call(`PUT /v1/rewards/rew_0/assignments/${assigned}`, {}), "not_found");
});

test("reward assignments: lists have pages, and find one by its id", async () => {
  const { call, id, reward, assign, path } = await club();
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.push((await assign(await reward(), { campaign: id, parameters: COST })).id);
  const idsOf = async (request: string) => {
    const { data, total } = (await call(`GET ${request}`)).body;
    return [data.map((one: { id: string }) => ids.indexOf(one.id)).join(""), total];
  };
  const twin = `/v1/loyalties/${id}/reward-assignments`;
  for (const list of [path, twin]) {
    assert.deepEqual(await idsOf(`${list}?limit=2`), ["21", 3]);
    assert.deepEqual(await idsOf(`${list}?limit=2&page=2`), ["0", 3]);
    assert.deepEqual(await idsOf(`${list}?order=created_at`), ["012", 3]);
    assertRefused(await call(`GET ${list}?limit=101`), "invalid_query_params");
  }
  assert.deepEqual(await idsOf(`${path}?assignment_id=${ids[1]}`), ["1", 1]);
  assert.deepEqual(await idsOf(`${twin}?assignmentId=${ids[1]}`), ["1", 1]);
  assert.deepEqual(await idsOf(`${twin}?assignmentId=rewa_0`), ["", 0]);
});

test("reward assignments: rules are assigned with them, and go with them", async () => {
  const { call, id, reward, path } = await club();
  const rules = [
    (await made(call, "POST /v1/validation-rules", { name: "A" })).id,
    (await made(call, "POST /v1/validation-rules", { name: "B" })).id,
  ];
  const [mug, coin] = [await reward(), await reward(COIN)];
  const parts = { parameters: COST, validation_rules: [rules[0], rules[0]] };
  const [first] = await made(call, `POST ${path}`, [{ reward: mug, ...parts }]);
  const second = await made(call, `POST /v1/rewards/${coin}/assignments`, { campaign: id, validation_rules: rules });
  const ofObject = async (object: string) => {
    const { data } = (await call(`GET /v1/validation-rules-assignments?related_object_id=${object}`)).body;
    return data.map((one: any) => [one.rule_id, one.related_object_type]).sort();
  };
  assert.deepEqual(await ofObject(first.id), [[rules[0], "reward_assignment"]]);
  assert.deepEqual(await ofObject(second.id), rules.map((rule) => [rule, "reward_assignment"]).sort());
  const unknown = await call(`POST ${path}`, [{ reward: await reward(COIN), validation_rules: ["val_0"] }]);
  assertRefused(unknown, "not_found", "Cannot find validation_rules with id val_0");
  const later = { related_object_type: "reward_assignment", related_object_id: first.id };
  assert.equal((await call(`POST /v1/validation-rules/${rules[1]}/assignments`, later)).status, 200);
  assert.equal((await ofObject(first.id)).length, 2);
  await call(`DELETE ${path}/${first.id}`);
  assert.deepEqual(await ofObject(first.id), []);
  assertRefused(await call(`POST /v1/validation-rules/${rules[1]}/assignments`, later), "not_found");
});

test("reward assignments: they go to the bin with their campaign", async () => {
  const { call, id, reward, assign, path } = await club();
  const mug = await reward();
  const { id: assigned } = await assign(mug, { campaign: id, parameters: COST });
  await call(`DELETE /v1/campaigns/${id}`);
  assert.equal((await call(`GET /v1/rewards/${mug}/assignments`)).body.total, 0);
  for (const one of [`/v1/rewards/${mug}/assignments/${assigned}`, `${path}/${assigned}`])
    for (const method of ["GET", "PUT", "DELETE"])
      assertRefused(await call(`${method} ${one}`, method === "PUT" ? {} : undefined), "not_found");
});

test("reward assignments: they are deleted for good with their campaign, and the reward stays", async () => {
  const { project, call, id, campaign, reward, assign } = await club();
  const mug = await reward();
  const rule = (await made(call, "POST /v1/validation-rules", { name: "A" })).id;
  await assign(mug, { campaign: id, parameters: COST, validation_rules: [rule] });
  const kept = await assign(mug, { campaign: await campaign("Other"), parameters: COST });
  await call(`DELETE /v1/campaigns/${id}?force=true`);
  await runAsyncActions.run({ db, now: () => NOW, newId, random: randomBytes });
  const rows = await db`select id from reward_assignments where project_id = ${project.id}`;
  assert.deepEqual(
    rows.map((row) => row.id),
    [kept.id],
  );
  assert.equal((await db`select from campaigns where project_id = ${project.id} and id = ${id}`).length, 0);
  assert.equal((await call("GET /v1/validation-rules-assignments")).body.total, 0);
  assert.equal((await call(`GET /v1/rewards/${mug}`)).status, 200);
});

test("reward assignments: those of another project do not exist", async () => {
  const [a, b] = [await club(), await club()];
  const mug = await a.reward();
  const { id } = await a.assign(mug, { campaign: a.id, parameters: COST });
  const own = await b.reward();
  for (const path of [`/v1/rewards/${mug}/assignments`, `/v1/rewards/${own}/assignments`, a.path, b.path])
    for (const method of ["GET", "PUT", "DELETE"])
      assertRefused(await b.call(`${method} ${path}/${id}`, method === "PUT" ? {} : undefined), "not_found");
  assertRefused(await b.call(`POST /v1/rewards/${own}/assignments`, { campaign: a.id, parameters: COST }), "not_found");
  assertRefused(await b.call(`POST ${b.path}`, [{ reward: mug, parameters: COST }]), "not_found");
  assert.equal((await a.call(`GET ${a.path}/${id}`)).status, 200);
});

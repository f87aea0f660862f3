import assert from "node:assert/strict";
import { test } from "node:test";
import { loadVoucherAssignments } from "../../src/resources/promotions/validation-rule-assignments/store.ts";
import { type Call, NOW, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { ok, testShop } from "../support/shop.ts";
import { insertCampaign, TEN_PERCENT } from "./promotions.ts";

const { db, open } = await testDatabase();
const RULES = "/v1/validation-rules";
const ALL = "/v1/validation-rules-assignments";

const makeRule = async (call: Call, name = "Rule"): Promise<string> => (await call(`POST ${RULES}`, { name })).body.id;
const makeVoucher = async (call: Call, code: string): Promise<string> =>
  (await call("POST /v1/vouchers", { code, ...TEN_PERCENT })).body.id;
const assign = (call: Call, rule: string, related_object_id: string, related_object_type = "distribution") =>
  ok(call, `POST ${RULES}/${rule}/assignments`, { related_object_type, related_object_id });
const idsOf = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);

test("assignments: assign, list, list of a rule, take away", async () => {
  const { call, project } = await testShop(db);
  const rule = await makeRule(call);
  const created = await call(`POST ${RULES}/${rule}/assignments`, {
    related_object_type: "distribution",
    related_object_id: "dist_1",
    colour: "ignored",
  });
  const { id } = created.body;
  assert.match(id, /^asgm_[0-9a-f]{24}$/);
  const expected = {
    id,
    rule_id: rule,
    related_object_id: "dist_1",
    related_object_type: "distribution",
    created_at: NOW,
    object: "validation_rules_assignment",
  };
  assert.deepEqual([created.status, created.body], [200, expected]);
  const list = { object: "list", data_ref: "data", data: [expected], total: 1 };
  assert.deepEqual((await call(`GET ${ALL}`)).body, list);
  assert.deepEqual((await call(`GET ${RULES}/${rule}/assignments`)).body, list);
  assert.equal((await call(`GET ${RULES}/${rule}`)).body.assignments_count, 1);

  const deleted = await call(`DELETE ${RULES}/${rule}/assignments/${id}`);
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  assert.equal((await call(`GET ${ALL}`)).body.total, 0);
  assert.equal("assignments_count" in (await call(`GET ${RULES}/${rule}`)).body, false);
  const events = await db`
    select kind, payload from events where project_id = ${project.id} and kind like '%assignment%' order by id`;
  assert.deepEqual(
    events.map(({ kind, payload }) => [kind, payload.assignment]),
    [
      ["business_validation_rule.assignment.created", expected],
      ["business_validation_rule.assignment.deleted", expected],
    ],
  );
});

test("assignments: every type of object, with a voucher as the default, and the older ways to name one", async () => {
  const { call, project } = await testShop(db);
  const campaign = await insertCampaign(db, project.id);
  const tier = (await call(`POST /v1/promotions/${campaign}/tiers`, { name: "T", action: TEN_PERCENT })).body.id;
  const voucher = await makeVoucher(call, "WELCOME 💐");
  const cases: [body: object, type: string, id: string][] = [
    [{ related_object_id: voucher }, "voucher", voucher],
    [{ related_object_type: "voucher", related_object_id: voucher }, "voucher", voucher],
    [{ related_object_type: "distribution", related_object_id: "x" }, "distribution", "x"],
    [{ voucher: "welcome 💐" }, "voucher", voucher],
    [{ related_object_type: "campaign", related_object_id: campaign }, "campaign", campaign],
    [{ campaign }, "campaign", campaign],
    [{ related_object_type: "promotion_tier", related_object_id: tier }, "promotion_tier", tier],
    [{ promotion_tier: tier }, "promotion_tier", tier],
    [{ related_object_id: voucher, campaign: "dist_1" }, "voucher", voucher],
  ];
  for (const [body, type, id] of cases) {
    const { body: made } = await call(`POST ${RULES}/${await makeRule(call)}/assignments`, body);
    assert.deepEqual([made.related_object_type, made.related_object_id], [type, id], JSON.stringify(body));
  }
  const subjects = await db`
    select distinct voucher_id, campaign_id from events
    where project_id = ${project.id} and coalesce(voucher_id, campaign_id) in (${voucher}, ${campaign})
      and kind like 'business%' order by 1, 2`;
  assert.deepEqual(
    subjects.map(({ voucher_id, campaign_id }) => [voucher_id, campaign_id]),
    [
      [voucher, null],
      [null, campaign],
    ],
  );
});

test("assignments: the same pair again is refused; with force a new one takes its place", async () => {
  const { call } = await testShop(db);
  const [rule, other] = [await makeRule(call), await makeRule(call)];
  const first = await assign(call, rule, "dist_1");
  const second = await assign(call, other, "dist_1");
  const request = `POST ${RULES}/${rule}/assignments`;
  const body = { related_object_type: "distribution", related_object_id: "dist_1" };
  for (const query of ["", "?force=false"]) {
    const refused = await call(`${request}${query}`, body);
    assert.deepEqual([refused.status, refused.body.key], [409, "duplicate_found"]);
    assert.equal(refused.body.details, `Duplicated validation_rules_assignment exists with id ${first.id}`);
    assert.deepEqual([refused.body.resource_id, refused.body.resource_type], [first.id, "validation_rules_assignment"]);
  }
  const replaced = await call(`${request}?force=true`, body);
  assert.equal(replaced.status, 200);
  assert.notEqual(replaced.body.id, first.id);
  assert.deepEqual(idsOf(await call(`GET ${ALL}?order=created_at`)), [second.id, replaced.body.id]);
  assert.equal((await call(`${request}?force=true`, { ...body, related_object_id: "dist_2" })).status, 200);
});

test("assignments: lists by object and rule, in pages of ten", async () => {
  const { call } = await testShop(db);
  const [rule, other] = [await makeRule(call), await makeRule(call)];
  const ids: string[] = [];
  for (let n = 0; n < 12; n += 1) ids.push((await assign(call, rule, `dist_${n}`)).id);
  const shared = (await assign(call, other, "dist_3")).id;
  const newestFirst = [...ids, shared].toReversed();
  assert.deepEqual(idsOf(await call(`GET ${ALL}`)), newestFirst.slice(0, 10));
  assert.deepEqual(idsOf(await call(`GET ${ALL}?page=2`)), newestFirst.slice(10));
  assert.deepEqual(idsOf(await call(`GET ${ALL}?order=created_at&limit=5&page=3`)), [...ids, shared].slice(10));
  assert.deepEqual(idsOf(await call(`GET ${ALL}?related_object_id=dist_3&order=created_at`)), [ids[3], shared]);
  assert.deepEqual(idsOf(await call(`GET ${ALL}?rule=${other}`)), [shared]);
  assert.deepEqual(idsOf(await call(`GET ${ALL}?rule=${rule}&related_object_id=dist_3`)), [ids[3]]);
  assert.equal((await call(`GET ${ALL}?rule=${rule}`)).body.total, 12);
  assert.deepEqual(idsOf(await call(`GET ${RULES}/${rule}/assignments`)), newestFirst.slice(1, 11));
  assert.deepEqual(idsOf(await call(`GET ${RULES}/${rule}/assignments?order=created_at&limit=2`)), ids.slice(0, 2));
  const none = { object: "list", data_ref: "data", data: [], total: 0 };
  assert.deepEqual((await call(`GET ${RULES}/nope/assignments`)).body, none, "of an unknown rule there are none");
  assert.deepEqual((await call(`GET ${ALL}?rule=nope`)).body, none);
});

test("assignments: every refusal has the error body and changes nothing", async (t) => {
  const { call } = await testShop(db);
  const [rule, other] = [await makeRule(call), await makeRule(call)];
  const { id } = await assign(call, rule, "dist_1");
  const noRule = "Cannot find validation_rules with id nope";
  const own = `${RULES}/${rule}/assignments`;
  const cases: [request: string, body: unknown, status: number, key: string, details: string][] = [
    [`POST ${RULES}/nope/assignments`, { related_object_id: "v" }, 404, "not_found", noRule],
    [`POST ${RULES}/nope/assignments`, {}, 404, "not_found", noRule],
    [`POST ${own}`, {}, 400, "invalid_payload", "Payload must have required property 'related_object_id'"],
    [
      `POST ${own}`,
      { voucher: "A", campaign: "B" },
      400,
      "invalid_payload",
      "Payload must have only one of: voucher, campaign, promotion_tier",
    ],
    [
      `POST ${own}`,
      { related_object_id: "x", related_object_type: "customer" },
      400,
      "invalid_payload",
      "Property .related_object_type must be equal to one of the allowed values [ voucher, campaign, promotion_tier, earning_rule, reward_assignment, distribution ]",
    ],
    [
      `POST ${own}`,
      { related_object_id: "" },
      400,
      "invalid_payload",
      "Property .related_object_id must NOT have fewer than 1 characters",
    ],
    [`POST ${own}`, { voucher: {} }, 400, "invalid_payload", "Property .voucher must be string"],
    [`POST ${own}?force=perhaps`, { voucher: "A" }, 400, "invalid_query_params", "Property .force must be boolean"],
    [`DELETE ${RULES}/nope/assignments/${id}`, undefined, 404, "not_found", noRule],
    [`DELETE ${own}/nope`, undefined, 404, "not_found", "Cannot find validation_rules_assignment with id nope"],
    [
      `DELETE ${RULES}/${other}/assignments/${id}`,
      undefined,
      404,
      "not_found",
      `Cannot find validation_rules_assignment with id ${id}`,
    ],
    [
      `GET ${ALL}?order=name`,
      undefined,
      400,
      "invalid_query_params",
      "Property .order must be equal to one of the allowed values [ created_at, -created_at ]",
    ],
    [`GET ${own}?limit=0`, undefined, 400, "invalid_query_params", "Property .limit must be >= 1"],
    [`GET ${ALL}?rule[a]=b`, undefined, 400, "invalid_query_params", "Property .rule must be string"],
  ];
  const before = (await call(`GET ${ALL}`)).text;
  for (const [request, body, status, key, details] of cases)
    await t.test(`${request} ${JSON.stringify(body) ?? ""} gives ${status} ${key}`, async () => {
      const reply = await call(request, body);
      assert.deepEqual([reply.status, reply.body.code, reply.body.key], [status, status, key]);
      assert.equal(reply.body.details, details);
      assert.equal(reply.body.request_id, reply.headers["x-request-id"]);
    });
  assert.equal((await call(`GET ${ALL}`)).text, before);
});

test("assignments: of many who assign the same at once one succeeds; with force all do, and one stays", async () => {
  const project = await testProject(db);
  const [one, two] = [await testEngine(open({ max: 4 }), project), await testEngine(open({ max: 4 }), project)];
  const rule = await makeRule(one.call);
  const body = { related_object_type: "distribution", related_object_id: "dist_1" };
  const all = (query: string) =>
    Promise.all(
      Array.from({ length: 12 }, (_, n) => (n % 2 ? one : two).call(`POST ${RULES}/${rule}/assignments${query}`, body)),
    );
  const statuses = (await all("")).map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, ...Array.from({ length: 11 }, () => 409)]);
  assert.ok((await all("?force=true")).every(({ status }) => status === 200));
  assert.equal((await one.call(`GET ${ALL}`)).body.total, 1);
});

test("assignments: who assigns a rule that is being deleted is told that it is gone, and nothing is left", async () => {
  const { call } = await testEngine(open({ max: 6 }), await testProject(db));
  for (let round = 0; round < 5; round += 1) {
    const rule = await makeRule(call);
    const { id } = await assign(call, rule, "dist_0");
    const assigns = [1, 2, 3].map((n) =>
      call(`POST ${RULES}/${rule}/assignments`, {
        related_object_type: "distribution",
        related_object_id: `dist_${n}`,
      }),
    );
    const unassigns = [call(`DELETE ${RULES}/${rule}/assignments/${id}`)];
    const deletes = [1, 2].map(() => call(`DELETE ${RULES}/${rule}`));
    for (const { status, text } of await Promise.all(assigns)) assert.ok([200, 404].includes(status), text);
    for (const { status, text } of await Promise.all(unassigns)) assert.ok([204, 404].includes(status), text);
    assert.deepEqual((await Promise.all(deletes)).map(({ status }) => status).sort(), [204, 404]);
    assert.equal((await call(`GET ${RULES}/${rule}/assignments`)).body.total, 0);
  }
});

test("assignments: those of vouchers are read with the vouchers and raise no revision; all others do", async () => {
  const { call, project } = await testShop(db);
  const revision = async () => {
    const [row] = await db<{ revision: number }[]>`
      select catalog_revision as revision from tenants where project_id = ${project.id}`;
    return row!.revision;
  };
  const [rule, other] = [await makeRule(call), await makeRule(call)];
  const [one, two] = [await makeVoucher(call, "ONE"), await makeVoucher(call, "TWO")];
  const before = await revision();
  const ids = [await assign(call, rule, one, "voucher"), await assign(call, other, one, "voucher")].map(({ id }) => id);
  await assign(call, rule, two, "voucher");
  assert.equal(await revision(), before);
  const rows = await loadVoucherAssignments(db, project.id, [one, "v_none"]);
  assert.deepEqual(
    rows.map(({ id }) => id),
    ids,
  );
  await assign(call, rule, "dist_1");
  assert.equal(await revision(), before + 1);
});

test("assignments: those of another project do not exist", async () => {
  const [a, b] = [await testShop(db), await testShop(db)];
  const rule = await makeRule(a.call);
  const { id } = await assign(a.call, rule, "dist_1");
  const theirs = await makeRule(b.call);
  const body = { related_object_type: "distribution", related_object_id: "dist_1" };
  for (const path of [ALL, `${RULES}/${rule}/assignments`]) assert.equal((await b.call(`GET ${path}`)).body.total, 0);
  assert.equal((await b.call(`POST ${RULES}/${rule}/assignments`, body)).status, 404);
  for (const owner of [rule, theirs])
    assert.equal((await b.call(`DELETE ${RULES}/${owner}/assignments/${id}`)).status, 404);
  assert.equal((await b.call(`POST ${RULES}/${theirs}/assignments`, body)).status, 200);
  assert.equal((await a.call(`GET ${ALL}`)).body.total, 1);
});

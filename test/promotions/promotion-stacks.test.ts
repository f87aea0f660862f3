import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { read } from "../../src/http/route.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { NOW, testDatabase, testEngine } from "../support/engine.ts";
import { ok, testShop } from "../support/shop.ts";
import { changeCampaign, insertCampaign, TEN_PERCENT } from "./promotions.ts";

const { db, open } = await testDatabase();
const STACKS = "/v1/promotions/stacks";
const at = (minute: number) => `2026-01-01T12:${String(minute).padStart(2, "0")}:00.000Z`;

/** A promotion campaign with tiers, and its path. */
async function promotion(count = 3) {
  const { call, project } = await testShop(db);
  const campaignId = await insertCampaign(db, project.id, { name: "Spring" });
  const addTier = async (campaign = campaignId) =>
    (await call(`POST /v1/promotions/${campaign}/tiers`, { name: "Tier", action: TEN_PERCENT })).body.id as string;
  const tiers: string[] = [];
  while (tiers.length < count) tiers.push(await addTier());
  const path = `/v1/promotions/${campaignId}/stacks`;
  const add = (body: object) => ok(call, `POST ${path}`, { name: "Stack", tiers: { ids: tiers }, ...body });
  return { project, call, campaignId, path, tiers, add, addTier };
}

test("stacks: create, read, list, update, delete", async () => {
  const { project, call, campaignId, path, tiers, add } = await promotion();
  const category = (await call("POST /v1/categories", { name: "Summer", hierarchy: 1 })).body;
  const ids = [tiers[2], tiers[0]];
  const created = await add({ name: "Both", tiers: { ids, colour: "ignored" }, category_id: category.id, id: "x" });
  assert.match(created.id, /^stack_[0-9a-f]{24}$/);
  const expected = {
    id: created.id,
    name: "Both",
    tiers: { ids, hierarchy_mode: "MANUAL" },
    campaign_id: campaignId,
    category_id: category.id,
    categories: [category],
    created_at: created.created_at,
    updated_at: null,
    object: "promotion_stack",
  };
  assert.deepEqual(created, expected);
  for (const campaign of [campaignId, "Spring"])
    assert.deepEqual((await call(`GET /v1/promotions/${campaign}/stacks/${created.id}`)).body, expected);
  const list = { object: "list", data_ref: "data", data: [expected], total: 1 };
  for (const request of [STACKS, path, "/v1/promotions/Spring/stacks"])
    assert.deepEqual((await call(`GET ${request}`)).body, list);

  const one = `${path}/${created.id}`;
  const patch = { name: "All", tiers: { ids: tiers, hierarchy_mode: "MANUAL" } };
  const updated = await call(`PUT ${one}`, { ...patch, campaign_id: "ignored" });
  assert.deepEqual(updated.body, { ...expected, ...patch, updated_at: NOW });
  assert.deepEqual((await call(`PUT ${one}`, {})).body, updated.body, "what is not sent stays");
  const cleared = (await call(`PUT ${one}`, { category_id: null })).body;
  assert.deepEqual([cleared.category_id, cleared.categories], [null, []]);
  assert.deepEqual((await call(`GET ${one}`)).body, cleared);

  const deleted = await call(`DELETE ${one}`);
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  assert.equal((await call(`GET ${one}`)).status, 404);
  assert.equal((await call(`PUT ${one}`, {})).status, 404);
  assert.equal((await call(`DELETE ${one}`)).status, 404);
  assert.equal((await call(`GET ${STACKS}`)).body.total, 0);
  assert.equal((await call(`GET /v1/promotions/tiers`)).body.total, 3, "its tiers stay");

  const events = await db`
    select kind, campaign_id, payload from events
    where project_id = ${project.id} and kind like '%stack%' order by id`;
  assert.deepEqual(
    events.map(({ kind, campaign_id, payload }) => [kind, campaign_id, payload.promotion_stack.id]),
    ["created", "updated", "updated", "updated"].map((kind) => [
      `campaign.promotion_stack.${kind}`,
      campaignId,
      created.id,
    ]),
  );
});

test("stacks: up to 30 tiers, each once, in the order they are sent", async () => {
  const { call, path, tiers, add, addTier } = await promotion(30);
  const reversed = tiers.toReversed();
  assert.deepEqual((await add({ tiers: { ids: reversed } })).tiers.ids, reversed);
  const wrong = [
    { ids: [...tiers, await addTier()] },
    { ids: [] },
    { ids: [tiers[0], tiers[0]] },
    { ids: [1] },
    { ids: ["a\u0000"] },
    { ids: tiers[0] },
    {},
    null,
    { ids: [tiers[0]], hierarchy_mode: "AUTO" },
  ];
  for (const ids of wrong) {
    const reply = await call(`POST ${path}`, { name: "Stack", tiers: ids });
    assert.deepEqual([reply.status, reply.body.key], [400, "invalid_payload"], JSON.stringify(ids));
  }
  for (const name of [undefined, null, "", "x".repeat(201), 5, "\ud800"]) {
    const reply = await call(`POST ${path}`, { name, tiers: { ids: tiers } });
    assert.deepEqual([reply.status, reply.body.key], [400, "invalid_payload"], String(name));
  }
  assert.equal((await call(`GET ${STACKS}`)).body.total, 1);
});

test("stacks: tiers of other campaigns, of other projects and unknown ones are not found", async () => {
  const { project, call, path, tiers, add, addTier } = await promotion();
  const elsewhere = await addTier(await insertCampaign(db, project.id));
  const foreign = (await promotion()).tiers[0]!;
  const stack = await add({});
  for (const id of [elsewhere, foreign, "promo_none"])
    for (const [request, body] of [
      [`POST ${path}`, { name: "S", tiers: { ids: [tiers[0], id] } }],
      [`PUT ${path}/${stack.id}`, { tiers: { ids: [tiers[0], id] } }],
    ] as const) {
      const reply = await call(request, body);
      assert.deepEqual([reply.status, reply.body.resource_type, reply.body.resource_id], [404, "promotion_tier", id]);
    }
  const unknown = await call(`PUT ${path}/${stack.id}`, { category_id: "cat_none" });
  assert.deepEqual([unknown.status, unknown.body.resource_type], [404, "category"]);
  assert.deepEqual((await call(`GET ${STACKS}`)).body.data, [stack]);
});

test("stacks: only of promotions, and each only of its own campaign", async () => {
  const { project, call, tiers, add } = await promotion();
  const { id } = await add({});
  const codes = await insertCampaign(db, project.id, { campaign_type: "GIFT_VOUCHERS" });
  const other = await insertCampaign(db, project.id);
  const body = { name: "S", tiers: { ids: tiers } };
  const ask = (campaign: string) =>
    Promise.all([
      call(`GET /v1/promotions/${campaign}/stacks/${id}`),
      call(`PUT /v1/promotions/${campaign}/stacks/${id}`, { name: "x" }),
      call(`DELETE /v1/promotions/${campaign}/stacks/${id}`),
    ]);
  for (const reply of [
    ...(await ask(codes)),
    await call(`GET /v1/promotions/${codes}/stacks`),
    await call(`POST /v1/promotions/${codes}/stacks`, body),
  ])
    assert.deepEqual([reply.status, reply.body.key], [400, "invalid_campaign"]);
  for (const reply of await ask(other))
    assert.deepEqual([reply.status, reply.body.resource_type], [404, "promotion_stack"]);
  for (const reply of [...(await ask("camp_none")), await call("GET /v1/promotions/camp_none/stacks")])
    assert.deepEqual([reply.status, reply.body.resource_type], [404, "campaign"]);
  assert.equal((await call(`GET /v1/promotions/${other}/stacks`)).body.total, 0);
  assert.equal((await call(`GET ${STACKS}`)).body.data[0].name, "Stack");
});

test("stacks: a list has pages, orders, dates and filters", async () => {
  const { project, campaignId, tiers } = await promotion();
  let now = NOW;
  const { call } = await testEngine(db, project, { now: () => now });
  const names = ["B", "C", "A"];
  for (const [minute, name] of names.entries()) {
    now = at(minute + 1);
    await call(`POST /v1/promotions/${campaignId}/stacks`, { name, tiers: { ids: tiers } });
  }
  const listed = async (query: string) =>
    (await call(`GET ${STACKS}?${query}`)).body.data.map((stack: any) => stack.name).join("");
  assert.equal(await listed(""), "ACB");
  assert.equal(await listed("limit=2"), "AC");
  assert.equal(await listed("limit=2&page=2"), "B");
  assert.equal(await listed("order=name"), "ABC");
  assert.equal(await listed("order=-name"), "CBA");
  assert.equal(await listed("order=created_at"), "BCA");
  assert.equal(await listed(`created_at[after]=${at(1)}&created_at[before]=${at(3)}`), "C");
  assert.equal(await listed("filters[name][conditions][$is][0]=C"), "C");
  const { data } = (await call(`GET ${STACKS}`)).body;
  now = at(9);
  await call(`PUT /v1/promotions/${campaignId}/stacks/${data[2].id}`, {});
  assert.equal(await listed(`updated_at[after]=${at(5)}`), "B");
  assert.equal(await listed("order=updated_at&limit=1"), "B");
  for (let n = 0; n < 9; n += 1)
    await call(`POST /v1/promotions/${campaignId}/stacks`, { name: "N", tiers: { ids: tiers } });
  const { body } = await call(`GET ${STACKS}`);
  assert.deepEqual([body.data.length, body.total], [10, 12]);
  assert.equal((await call(`GET /v1/promotions/${campaignId}/stacks`)).body.data.length, 12, "all of a campaign");
  for (const query of ["limit=0", "limit=101", "page=0", "order=tiers", "created_at[after]=soon"]) {
    const reply = await call(`GET ${STACKS}?${query}`);
    assert.deepEqual([reply.status, reply.body.key], [400, "invalid_query_params"], query);
  }
});

test("stacks: a tier is kept while a stack names it", async () => {
  const { call, path, tiers, add } = await promotion();
  const [first, second] = [await add({}), await add({ tiers: { ids: [tiers[0]] } })];
  const refused = await call(`DELETE /v1/promotions/tiers/${tiers[0]}`);
  assert.deepEqual([refused.status, refused.body.key], [400, "resource_in_use"]);
  assert.deepEqual(refused.body.related_object_ids, [first.id, second.id]);
  assert.equal(refused.body.related_object_type, "promotion_stack");
  await call(`PUT ${path}/${first.id}`, { tiers: { ids: [tiers[1]] } });
  await call(`DELETE ${path}/${second.id}`);
  assert.equal((await call(`DELETE /v1/promotions/tiers/${tiers[0]}`)).status, 204);
  assert.equal((await call(`DELETE /v1/promotions/tiers/${tiers[1]}`)).status, 400);
});

test("stacks: made while one of its tiers is deleted, a stack never names a tier that is gone", async () => {
  const { project, path, campaignId } = await promotion(0);
  const { call } = await testEngine(open({ max: 8 }), project);
  const outcomes = new Set<string>();
  for (let round = 0; round < 10; round += 1) {
    const body = { name: "T", action: TEN_PERCENT };
    const { id } = (await call(`POST /v1/promotions/${campaignId}/tiers`, body)).body;
    const requests = [
      () => call(`POST ${path}`, { name: "S", tiers: { ids: [id] } }),
      () => call(`DELETE /v1/promotions/tiers/${id}`),
    ];
    const replies = await Promise.all((round % 2 ? requests.toReversed() : requests).map((send) => send()));
    outcomes.add(
      replies
        .map(({ status }) => status)
        .sort()
        .join(" "),
    );
  }
  for (const outcome of outcomes) assert.ok(["200 400", "204 404"].includes(outcome), outcome);
});

test("stacks: those of a campaign in the bin, or of another project, are not there", async () => {
  const { project, call, campaignId, path, tiers, add } = await promotion();
  const { id } = await add({});
  const stranger = await testShop(db);
  const ask = async ({ call }: Pick<typeof stranger, "call">) => {
    for (const [request, body] of [
      [`GET ${path}`],
      [`POST ${path}`, { name: "S", tiers: { ids: tiers } }],
      [`GET ${path}/${id}`],
      [`PUT ${path}/${id}`, { name: "x" }],
      [`DELETE ${path}/${id}`],
      [`GET /v1/promotions/Spring/stacks/${id}`],
    ] as const)
      assert.equal((await call(request, body)).status, 404, request);
    assert.equal((await call(`GET ${STACKS}`)).body.total, 0);
  };
  await ask(stranger);
  assert.equal((await call(`GET ${STACKS}`)).body.total, 1);
  await changeCampaign(db, project.id, campaignId, { deleted_at: NOW });
  await ask({ call });
});

const look = read("GET /v1/stacks-in-catalog", { id: "look", summary: "", ok: Type.Any() }, async (c) =>
  [...(await c.catalog()).promotion_stacks.values()].map(({ name, tiers }) => [name, tiers.ids]),
);

test("stacks: every process decides on a change as soon as it was answered", async () => {
  const { project, path, tiers } = await promotion(2);
  const routes = [...ALL_ROUTES, look];
  const [one, two] = [
    await testEngine(open({ max: 2 }), project, { routes }),
    await testEngine(open({ max: 2 }), project, { routes }),
  ];
  const seen = async () => (await two.call(`GET ${look.path}`)).body;
  assert.deepEqual(await seen(), []);
  const { id } = (await one.call(`POST ${path}`, { name: "A", tiers: { ids: tiers } })).body;
  assert.deepEqual(await seen(), [["A", tiers]]);
  await one.call(`PUT ${path}/${id}`, { tiers: { ids: [tiers[1]] } });
  assert.deepEqual(await seen(), [["A", [tiers[1]]]]);
  await one.call(`DELETE ${path}/${id}`);
  assert.deepEqual(await seen(), []);
});

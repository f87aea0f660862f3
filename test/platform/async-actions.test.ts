import assert from "node:assert/strict";
import { test } from "node:test";
import { enqueueAsyncAction } from "../../src/resources/platform/async-actions/store.ts";
import { NOW, newId, testDatabase, testProject } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const PATH = "/v1/async-actions";
const at = (minute: number) => `2026-01-01T12:${String(minute).padStart(2, "0")}:00.000Z`;

async function enqueue(project_id: string, created_at = NOW, patch: object = {}) {
  const id = newId("aa");
  const type = "CAMPAIGN.VOUCHERS_GENERATE";
  await enqueueAsyncAction(db, { project_id, id, type, request_id: "v-1", work: { secret: "plan" }, created_at });
  if (Object.keys(patch).length > 0) await db`update async_actions set ${db(patch as never)} where id = ${id}`;
  return id;
}

test("async actions: one that waits, and how it is shown when it is done", async () => {
  const { call, project } = await testShop(db);
  const id = await enqueue(project.id);
  const listed = {
    id,
    type: "CAMPAIGN.VOUCHERS_GENERATE",
    status: "ENQUEUED",
    operation_status: "UNKNOWN",
    request_id: "v-1",
    progress: 0,
    created_at: NOW,
    updated_at: null,
    object: "async_action",
  };
  assert.deepEqual((await call(`GET ${PATH}/${id}`)).body, { ...listed, processing_time: 0, result: null });
  const list = { object: "list", data_ref: "async_actions", async_actions: [listed], has_more: false };
  assert.deepEqual((await call(`GET ${PATH}`)).body, list, "the list leaves out the result and the time it took");

  const done = { status: "DONE", operation_status: "SUCCESS", progress: 100, updated_at: at(1) };
  const end = { processing_time: 1234, result: { message: "Generated 2 vouchers.", done_count: 2 } };
  await db`update async_actions set ${db({ ...done, ...end })} where project_id = ${project.id} and id = ${id}`;
  assert.deepEqual((await call(`GET ${PATH}/${id}`)).body, { ...listed, ...done, ...end });
  assert.deepEqual((await call(`GET ${PATH}`)).body.async_actions, [{ ...listed, ...done }]);
});

test("async actions: newest first, ten unless told otherwise, and on with the date of the last one", async () => {
  const { call, project } = await testShop(db);
  const ids: string[] = [];
  for (let minute = 1; minute <= 12; minute += 1) ids.unshift(await enqueue(project.id, at(minute)));
  const get = async (query: string) => {
    const { async_actions, has_more } = (await call(`GET ${PATH}?${query}`)).body;
    return { ids: async_actions.map(({ id }: any) => id), has_more, last: async_actions.at(-1)?.created_at };
  };
  const first = await get("");
  assert.deepEqual([first.ids, first.has_more], [ids.slice(0, 10), true]);
  const second = await get(`end_date=${first.last}`);
  assert.deepEqual([second.ids, second.has_more], [ids.slice(10), false]);
  assert.deepEqual(await get("limit=12"), { ids, has_more: false, last: at(1) });
  assert.deepEqual((await get("limit=11")).has_more, true);
  assert.deepEqual((await get("end_date=2026-01-01")).ids, []);
  assert.equal((await get("end_date=2026-01-02")).ids.length, 10);
  for (const query of ["limit=0", "limit=101", "limit=x", "end_date=soon", "end_date=10000-01-01T00:00:00Z"]) {
    const reply = await call(`GET ${PATH}?${query}`);
    assert.deepEqual([reply.status, reply.body.key], [400, "invalid_query_params"], query);
  }
});

test("async actions: those of another project are not there", async () => {
  const project = await testProject(db);
  const id = await enqueue(project.id);
  const { call } = await testShop(db);
  for (const unknown of [id, "aa_none"]) {
    const reply = await call(`GET ${PATH}/${unknown}`);
    assert.deepEqual([reply.status, reply.body.resource_type], [404, "async_action"]);
  }
  assert.deepEqual((await call(`GET ${PATH}`)).body.async_actions, []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { V1_TYPES, WEBHOOK_TYPES } from "../../src/core/webhooks/event-names.ts";
import { transaction } from "../../src/db/batches/commit.ts";
import { testDatabase } from "../support/engine.ts";
import { lockWaits } from "../support/nodes.ts";
import { testShop } from "../support/shop.ts";
import { until } from "../support/storage.ts";

const { db, open } = await testDatabase();

async function webhookShop(pool = db) {
  const shop = await testShop(pool);
  return { ...shop, path: `/management/v1/projects/${shop.project.id}/webhooks` };
}
const target_url = "https://shop.example/hooks";

test("webhooks: create, list, read, update, delete", async () => {
  const { call, ok, path } = await webhookShop();
  const created = await ok(`POST ${path}`, { target_url, events: ["voucher.created", "redemption.succeeded"] });
  assert.match(created.id, /^wh_[0-9a-f]{24}$/);
  assert.deepEqual(created, {
    id: created.id,
    target_url,
    events: ["redemption.succeeded", "voucher.created"],
    active: true,
    headers: {},
    created_at: "2026-01-01T12:00:00.000Z",
    updated_at: null,
    object: "webhook",
  });
  assert.deepEqual(await ok(`GET ${path}/${created.id}`), created);
  assert.deepEqual(await ok(`GET ${path}`), { object: "list", data_ref: "data", data: [created], total: 1 });

  const headers = { "x-shop": "berlin", authorization: "Bearer abc" };
  const changed = { target_url: "http://10.0.0.1:8080/a?b=c", events: ["customer.updated"], active: false, headers };
  const updated = await ok(`PUT ${path}/${created.id}`, changed);
  assert.deepEqual(updated, { ...created, ...changed, updated_at: "2026-01-01T12:00:00.000Z" });
  const kept = await ok(`PUT ${path}/${created.id}`, { target_url, events: ["customer.created"] });
  assert.deepEqual(kept, { ...updated, target_url, events: ["customer.created"] }, "switch and headers stay");

  assert.equal((await call(`DELETE ${path}/${created.id}`)).status, 204);
  assert.equal((await call(`GET ${path}/${created.id}`)).status, 404);
  assert.equal((await ok(`GET ${path}`)).total, 0);
});

test("every type can be named, misspelled ones are stored as they are meant, and none is stored twice", async () => {
  const { ok, path } = await webhookShop();
  const all = await ok(`POST ${path}`, { target_url, events: WEBHOOK_TYPES });
  assert.deepEqual(all.events, WEBHOOK_TYPES);
  const events = [
    ...["campaign.vouchers.aded", "voucher.gift.balance_aded", "voucher.loyalty_card.points_aded"],
    ...["voucher.loyalty_card.pending_points.aded", "campaign.vouchers.added"],
  ];
  const { id } = await ok(`POST ${path}`, { target_url, events });
  assert.deepEqual((await ok(`GET ${path}/${id}`)).events, [
    ...["voucher.gift.balance_added", "voucher.loyalty_card.points_added"],
    ...["voucher.loyalty_card.pending_points.added", "campaign.vouchers.added"],
  ]);
  assert.equal(V1_TYPES.length, 61);
});

test("a body with a wrong value is refused with the field's name and changes nothing", async () => {
  const { call, ok, path } = await webhookShop();
  const events = ["redemption.succeeded"];
  const { id } = await ok(`POST ${path}`, { target_url, events });
  const before = await ok(`GET ${path}`);
  const wrong: [object, RegExp][] = [
    [{ events }, /target_url/],
    [{ target_url }, /events/],
    [{ target_url, events: [] }, /events/],
    [{ target_url, events: ["redemption.made"] }, /events/],
    [{ target_url, events: ["customer.custom_event"] }, /events/],
    [{ target_url: "shop.example", events }, /target_url/],
    [{ target_url: "ftp://shop.example", events }, /target_url/],
    [{ target_url: "https://a:b@shop.example", events }, /target_url/],
    [{ target_url: 5, events }, /target_url/],
    [{ target_url, events, active: "yes" }, /active/],
    [{ target_url, events, headers: { "X-Shop": "a" } }, /headers/],
    [{ target_url, events, headers: { "x shop": "a" } }, /headers/],
    [{ target_url, events, headers: { "x-shop": "a\r\nb: c" } }, /headers/],
    [{ target_url, events, headers: { "x-shop": 5 } }, /headers/],
    [{ target_url, events, headers: { host: "other.example" } }, /host/],
    [{ target_url, events, headers: { "webhook-signature": "v1,x" } }, /webhook-signature/],
    [{ target_url, events, colour: "blue" }, /colour/],
  ];
  for (const [body, details] of wrong)
    for (const line of [`POST ${path}`, `PUT ${path}/${id}`]) {
      const reply = await call(line, body);
      assert.equal(reply.status, 400, `${line} ${JSON.stringify(body)}`);
      assert.equal(reply.body.key, "invalid_payload");
      assert.match(reply.body.details, details);
    }
  assert.deepEqual(await ok(`GET ${path}`), before);
});

test("a webhook of another project, and an unknown one, is 404; other keys than management keys are refused", async () => {
  const { call, ok, path, project } = await webhookShop();
  const other = await webhookShop();
  const body = { target_url, events: ["redemption.succeeded"] };
  const { id } = await ok(`POST ${path}`, body);
  for (const line of [`GET ${other.path}/${id}`, `DELETE ${other.path}/${id}`, `GET ${path}/wh_none`])
    assert.equal((await call(line)).status, 404, line);
  const reply = await call(`PUT ${other.path}/${id}`, body);
  assert.equal(reply.status, 404);
  assert.equal(reply.body.resource_type, "webhook");
  assert.equal((await call("GET /management/v1/projects/proj_none/webhooks")).status, 404);
  for (const line of [`GET ${path}`, `GET ${path}/${id}`, `DELETE ${path}/${id}`]) {
    const headers = { "x-management-id": project.app.id, "x-management-token": project.app.secret };
    assert.equal((await call(line, undefined, headers)).status, 401, line);
    assert.equal((await call(line, undefined, { "x-management-token": "wrong" })).status, 401, line);
  }
  assert.equal((await ok(`GET ${path}`)).total, 1, "it is still there");
});

test("a project has at most 50 webhooks", async () => {
  const { project, call, ok, path } = await webhookShop(open({ max: 4 }));
  const body = { target_url, events: ["redemption.succeeded"] };
  for (let n = 0; n < 49; n += 1) await ok(`POST ${path}`, body);
  // Both have begun before one of them ends: whoever configures something holds the row of the project.
  const { both } = await transaction(db, async (tx) => {
    await tx`select 1 from tenants where project_id = ${project.id} for no key update`;
    const both = Promise.all([call(`POST ${path}`, body), call(`POST ${path}`, body)]);
    both.catch(() => {});
    await until("both wait", async () => (await lockWaits(db)) === 2);
    return { both };
  });
  const replies = await both;
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400], "also at once");
  assert.match(replies.find(({ status }) => status === 400)!.body.details, /at most 50/);
  assert.equal((await ok(`GET ${path}`)).total, 50);
});

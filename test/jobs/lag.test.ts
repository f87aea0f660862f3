import assert from "node:assert/strict";
import { test } from "node:test";
import { lagOfJobs } from "../../src/jobs/lag.ts";
import { JOB_NAMES } from "../../src/jobs/registry.ts";
import { enqueueAsyncAction } from "../../src/resources/platform/async-actions/store.ts";
import { NOW, newId, testDatabase } from "../support/engine.ts";
import { listeningShop } from "../support/webhook-story.ts";

const { db } = await testDatabase();
const later = (seconds: number) => new Date(Date.parse(NOW) + seconds * 1000).toISOString();
const NOTHING = { "run-async-actions": 0, "run-exports": 0, "send-webhooks": 0, "advance-cards": 0 };

test("what has waited longest tells how late each job is, in all projects, and nothing that is done or not due", async () => {
  for (const job of Object.keys(NOTHING)) assert.ok(JOB_NAMES.includes(job), job);
  assert.deepEqual(await lagOfJobs(db, later(90)), NOTHING);
  const { ok, project, webhook, path } = await listeningShop(db, ["customer.created"]);
  await enqueueAsyncAction(db, {
    ...{ project_id: project.id, id: newId("aa"), type: "CAMPAIGN.VOUCHERS_DELETE" as const, request_id: "req" },
    ...{ work: {}, created_at: NOW },
  });
  await ok("POST /v1/exports", { exported_object: "customer" });
  await ok("POST /v1/customers", { source_id: "ann" });
  await ok("POST /v1/vouchers/CARD", { type: "GIFT_VOUCHER", gift: { amount: 100 } });
  await db`update vouchers set due_at = ${later(30)} where project_id = ${project.id}`;
  assert.deepEqual(await lagOfJobs(db, NOW), NOTHING);
  const waiting = { "run-async-actions": 90, "run-exports": 90, "send-webhooks": 90, "advance-cards": 60 };
  assert.deepEqual(await lagOfJobs(db, later(90)), waiting);

  // Since its last turn, since a retry was due, and by the clock of its project.
  await db`update async_actions set status = 'IN_PROGRESS', updated_at = ${later(80)}`;
  await db`update exports set status = 'DONE'`;
  await db`update webhook_deliveries set attempts = 1, due_at = ${later(50)}`;
  await db`update projects set clock_offset_ms = 20000 where id = ${project.id}`;
  const moved = { "run-async-actions": 30, "run-exports": 0, "send-webhooks": 40, "advance-cards": 80 };
  assert.deepEqual(await lagOfJobs(db, later(90)), moved);
  const { target_url, events } = webhook;
  await ok(`PUT ${path}/${webhook.id}`, { target_url, events, active: false });
  assert.equal((await lagOfJobs(db, later(90)))["send-webhooks"], 0, "nothing is sent while it is off");
  await db`update projects set deleted_at = ${NOW}`;
  assert.deepEqual(await lagOfJobs(db, later(90)), NOTHING);
});

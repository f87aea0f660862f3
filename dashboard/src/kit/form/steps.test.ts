import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyOp } from "../../api/op.ts";
import { callsOf } from "./steps.ts";

const RULE: AnyOp = { id: "createValidationRule", method: "POST", path: "/v1/validation-rules" };
const CAMPAIGN: AnyOp = { id: "createCampaign", method: "POST", path: "/v1/campaigns" };

test("a form of several steps shows all of them, with names for the ids that are not there yet", async () => {
  const calls = await callsOf(async (send) => {
    const { id } = await send(RULE, { params: {}, body: { name: "r" } }, "rule");
    await send(CAMPAIGN, { params: {}, body: { name: "c", rules: [id] }, ifMatch: "1" });
  });
  assert.deepEqual(calls, [
    { operation: RULE, params: {}, body: { name: "r" } },
    { operation: CAMPAIGN, params: {}, body: { name: "c", rules: ["ID_FROM_createValidationRule"] } },
  ]);
});

test("half a form shows the calls that it would begin with", async () => {
  const calls = await callsOf(async (send) => {
    await send(RULE, { params: {} });
    throw new Error("nothing is chosen yet");
  });
  assert.deepEqual(calls, [{ operation: RULE, params: {} }]);
});

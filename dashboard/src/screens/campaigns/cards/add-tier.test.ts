import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestError } from "../../../api/errors.ts";
import type { CampaignTier } from "../../../api/operations.gen.ts";
import type { SendStep } from "../../../kit/form/steps.ts";
import { type Adding, addTier } from "./add-tier.ts";

const guest = { id: "lt_guest", name: "Guest", points: { from: 0 } } as CampaignTier;
const values = { name: "Friend", from: 500, to: null, earns: {}, pays: {} };
const refused = new RequestError(400, { key: "invalid_payload", details: "the name is taken" });

type Sent = { id: string; body: unknown; ifMatch?: string };
/** A server that refuses the calls with these numbers. */
function serverThat(refuses: readonly number[]) {
  const sent: Sent[] = [];
  const send = (async (operation, { body, ifMatch }) => {
    sent.push({ id: operation.id, body, ...(ifMatch !== undefined && { ifMatch }) });
    if (refuses.includes(sent.length)) throw refused;
    return null;
  }) as SendStep;
  return { sent, send };
}
const adding = (): Adding => ({
  campaignId: "camp_1",
  top: { current: { body: guest, etag: '"1"' } },
  read: async () => ({ body: guest, etag: '"3"' }),
});
const cut = (ifMatch: string): Sent => ({ id: "updateCampaignTier", body: { points: { from: 0, to: 499 } }, ifMatch });
const made = {
  id: "createCampaignTiers",
  body: [{ name: "Friend", points: { from: 500 }, earning_rules: {}, rewards: {} }],
};
const opened = { id: "updateCampaignTier", body: { points: { from: 0, to: null } } };

test("the highest tier ends first, in the version that was read", async () => {
  const { sent, send } = serverThat([]);
  await addTier(send, adding(), values);
  assert.deepEqual(sent, [cut('"1"'), made]);
});

test("when the new tier is refused, the other one has no end again; trying once more does both", async () => {
  const { sent, send } = serverThat([2]);
  const tried = adding();
  await assert.rejects(addTier(send, tried, values), refused);
  assert.deepEqual(sent, [cut('"1"'), made, opened]);
  await addTier(send, tried, values);
  assert.deepEqual(sent.slice(3), [cut('"3"'), made]);
});

test("when that is refused too, it is said; trying once more only adds the tier", async () => {
  const { sent, send } = serverThat([2, 3]);
  const tried = adding();
  await assert.rejects(addTier(send, tried, values), (error) => error instanceof Error && error !== refused);
  await addTier(send, tried, values);
  assert.deepEqual(sent.slice(3), [made]);
});

test("a colleague who changed the highest tier is not overwritten, and nothing is added", async () => {
  const { sent, send } = serverThat([1]);
  await assert.rejects(addTier(send, adding(), values), refused);
  assert.deepEqual(sent, [cut('"1"')]);
});

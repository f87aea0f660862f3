import assert from "node:assert/strict";
import { test } from "node:test";
import { publishedClient, refused } from "./sdk.ts";

const { client } = await publishedClient();
const isGone = refused(404, "not_found");

test("rewards: created, read, listed, updated, assigned, deleted", async () => {
  const { rewards, loyalties, campaigns, products } = client;
  const card = await campaigns.create({
    name: "Card",
    campaign_type: "LOYALTY_PROGRAM",
    type: "STATIC",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 0 } },
  });
  const mug = await products.create({ name: "Mug" });
  const made = await rewards.create({ name: "A mug", stock: 3, parameters: { product: { id: mug.id } } });
  assert.deepEqual([made.object, made.type, made.stock, made.redeemed], ["reward", "MATERIAL", 3, 0]);
  assert.deepEqual(await rewards.get(made.id), made);
  const updated = await rewards.update({ id: made.id, name: "Mugs", stock: 2 });
  assert.deepEqual([updated.name, updated.stock], ["Mugs", 2]);
  const coin = await rewards.create({ name: "Pay", parameters: { coin: { exchange_ratio: 2 } } });
  assert.deepEqual(coin.parameters, { coin: { exchange_ratio: 2, points_ratio: 1 } });
  const all = await rewards.list({ limit: 1, page: 2 });
  assert.deepEqual([all.total, all.data.map(({ id }: any) => id)], [2, [made.id]]);

  const cost = { loyalty: { points: 30 } };
  const assignment = await rewards.createAssignment(made.id, { campaign: card.id, parameters: cost });
  assert.deepEqual([assignment.related_object_id, assignment.parameters], [card.id, cost]);
  assert.deepEqual(await rewards.getAssignment(made.id, assignment.id), assignment);
  assert.equal((await rewards.listAssignments(made.id)).total, 1);
  await assert.rejects(rewards.delete(made.id), refused(400, "resource_in_use"));

  const [paying] = await loyalties.createRewardAssignments(card.id, [{ reward: coin.id }]);
  assert.equal(paying.reward_id, coin.id);
  const cheaper = { id: assignment.id, parameters: { loyalty: { points: 20 } } };
  assert.equal((await loyalties.updateRewardAssignment(card.id, cheaper)).parameters.loyalty.points, 20);
  assert.equal((await loyalties.listRewardAssignments(card.id, { limit: 10 })).total, 2);
  assert.equal((await loyalties.getRewardAssignment(card.id, paying.id)).id, paying.id);
  assert.equal((await loyalties.getRewardDetails(card.id, paying.id)).name, "Pay");

  await loyalties.deleteRewardAssignment(card.id, paying.id);
  await assert.rejects(loyalties.getRewardAssignment(card.id, paying.id), isGone);
  await rewards.deleteAssignment(made.id, assignment.id);
  await rewards.delete(made.id);
  await assert.rejects(rewards.get(made.id), isGone);
});

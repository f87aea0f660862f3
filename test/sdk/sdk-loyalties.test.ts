import assert from "node:assert/strict";
import { test } from "node:test";
import { publishedClient, refused } from "./sdk.ts";

const { client, pageOf, manage } = await publishedClient();
const { loyalties, rewards, customers, orders, events } = client;
const isGone = refused(404, "not_found");

const program = (name: string, more: object = {}) =>
  loyalties.create({
    name,
    campaign_type: "LOYALTY_PROGRAM",
    type: "AUTO_UPDATE",
    voucher: {
      type: "LOYALTY_CARD",
      loyalty_card: { points: 100, expiration_rules: { period_type: "MONTH", period_value: 12 } },
      code_config: { pattern: "CARD-######" },
    },
    ...more,
  });
const balanceOf = async (code: string) => (await loyalties.getMember(null, code)).loyalty_card.balance;

test("loyalty programs: created, read, listed, changed, deleted", async () => {
  const made = await program("First club", { metadata: { a: 1 } });
  assert.deepEqual([made.campaign_type, made.name], ["LOYALTY_PROGRAM", "First club"]);
  assert.equal((await loyalties.get("First club")).id, made.id);
  const updated = await loyalties.update({ id: made.id, description: "Points", metadata: { b: 2 } });
  assert.deepEqual([updated.description, updated.metadata], ["Points", { a: 1, b: 2 }]);
  const list = await loyalties.list({ limit: 5 });
  assert.deepEqual([list.total, list.campaigns[0].id], [1, made.id]);
  await loyalties.delete(made.id, { force: true });
  await assert.rejects(loyalties.get(made.id), isGone);
});

test("members: joined, read, listed; points added, taken away and moved; what happened to them", async () => {
  const { id } = await program("Club");
  const ann = await loyalties.createMember(id, { customer: { source_id: "ann", name: "Ann" } });
  assert.match(ann.code, /^CARD-/);
  assert.deepEqual([ann.type, ann.loyalty_card.balance, ann.is_referral_code], ["LOYALTY_CARD", 100, false]);
  assert.equal(ann.holder_id, (await customers.get("ann")).id);
  const bob = await loyalties.createMember("Club", { customer: { source_id: "bob" } });
  assert.equal((await loyalties.getMember(id, ann.code)).id, ann.id);
  assert.equal((await loyalties.getMember(null, ann.id)).code, ann.code);
  const members = await loyalties.listMembers(id, { limit: 10 });
  assert.deepEqual(members.vouchers.map(({ code }: any) => code).sort(), [ann.code, bob.code].sort());
  const added = await loyalties.addOrRemoveCardBalance(ann.code, { points: 50 });
  assert.deepEqual([added.points, added.balance], [50, 150]);
  assert.equal((await loyalties.addPoints(id, ann.code, { points: -20 })).balance, 130);
  await loyalties.transferPoints(id, ann.code, [{ code: bob.code, points: 30, source_id: "t-1" }]);
  assert.deepEqual([await balanceOf(ann.code), await balanceOf(bob.code)], [160, 70]);
  const expiring = await loyalties.getPointsExpiration(id, ann.code, { limit: 10 });
  assert.ok(expiring.total >= 1);
  const moved = await loyalties.listCardTransactions(ann.code, id, { limit: 10 });
  assert.deepEqual(moved.data.map(({ type }: any) => type).slice(0, 3), [
    "POINTS_TRANSFER_IN",
    "POINTS_REMOVAL",
    "POINTS_ADDITION",
  ]);
  assert.equal((await loyalties.listCardTransactions(ann.code, null, { limit: 1 })).data.length, 1);
  const happened = await loyalties.listMemberActivity(id, ann.code, { limit: 20 });
  assert.ok(happened.data.length > 0);
  await assert.rejects(loyalties.getMember(null, "CARD-NOBODY"), isGone);
});

test("earning rules: created, read, switched off and on; orders, and events of a server and of a page, earn points", async () => {
  await manage("PUT", "", { client_trusted_domains: ["https://shop.example"], client_loyalty_events_enabled: true });
  const schema = await manage("POST", "/custom-event-schemas", { name: "visit", schema: { properties: {} } });
  const { id } = await program("Earners");
  const eve = await loyalties.createMember(id, { customer: { source_id: "eve" } });
  const [paid, visited] = await loyalties.createEarningRule(id, [
    {
      event: "order.paid",
      loyalty: {
        type: "PROPORTIONAL",
        calculation_type: "ORDER_AMOUNT",
        order: { amount: { every: 100, points: 1 } },
      },
      source: { banner: "A point for each unit" },
    },
    {
      event: "visit",
      loyalty: { type: "FIXED", points: 7 },
      custom_event: { schema_id: schema.id },
      source: { banner: "Seven" },
    },
  ]);
  assert.equal((await loyalties.getEarningRule(id, paid.id)).id, paid.id);
  assert.equal((await loyalties.listEarningRules(id, { limit: 10 })).total, 2);
  await orders.create({ source_id: "o-1", amount: 5000, status: "PAID", customer: { source_id: "eve" } });
  assert.equal(await balanceOf(eve.code), 150);
  await events.create("visit", { customer: { source_id: "eve" } });
  assert.equal(await balanceOf(eve.code), 157);
  await pageOf("https://shop.example").track("visit", { source_id: "eve" });
  assert.equal(await balanceOf(eve.code), 164);
  assert.equal((await loyalties.disableEarningRule(id, visited.id)).active, false);
  await events.create("visit", { customer: { source_id: "eve" } });
  assert.equal(await balanceOf(eve.code), 164);
  assert.equal((await loyalties.enableEarningRule(id, visited.id)).active, true);
  await loyalties.updateEarningRule(id, { id: visited.id, loyalty: { type: "FIXED", points: 9 } });
  await events.create("visit", { customer: { source_id: "eve" }, loyalty: { code: eve.code } });
  assert.equal(await balanceOf(eve.code), 173);
  await loyalties.deleteEarningRule(id, visited.id);
  await assert.rejects(loyalties.getEarningRule(id, visited.id), isGone);
});

test("a member spends points on a reward, or pays with them", async () => {
  const { id } = await program("Spenders");
  const dan = await loyalties.createMember(id, { customer: { source_id: "dan" } });
  const mug = await client.products.create({ name: "Mug" });
  const reward = await rewards.create({ name: "A mug", parameters: { product: { id: mug.id } } });
  await rewards.createAssignment(reward.id, { campaign: id, parameters: { loyalty: { points: 40 } } });
  const offered = await loyalties.listMemberRewards(dan.code, { limit: 10 });
  assert.deepEqual(
    offered.data.map((one: any) => one.reward.id),
    [reward.id],
  );
  const redeemed = await loyalties.redeemReward(id, dan.code, { reward: { id: reward.id } });
  assert.deepEqual([redeemed.result, redeemed.reward.id], ["SUCCESS", reward.id]);
  assert.equal(await balanceOf(dan.code), 60);
  const coin = await rewards.create({ name: "Pay", parameters: { coin: { exchange_ratio: 10 } } });
  await rewards.createAssignment(coin.id, { campaign: id });
  const paying = { reward: { id: coin.id, points: 20 }, order: { amount: 100_000 } };
  const paid = await loyalties.redeemReward(id, dan.code, paying);
  assert.equal(paid.result, "SUCCESS");
  assert.equal(await balanceOf(dan.code), 40);
  await client.redemptions.rollback(redeemed.id, { reason: "returned" });
  assert.equal(await balanceOf(dan.code), 80);
});

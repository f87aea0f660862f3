import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../support/engine.ts";
import { friends, refused } from "../support/friends.ts";

const { db } = await testDatabase();

test("a referral code that nobody shares is not redeemed, and neither validated nor offered", async () => {
  const { call, ok, redeem, referral, publish } = await friends(db);
  await ok(`POST /v1/campaigns/${referral.id}/vouchers`, { code: "FREE" });
  refused(await redeem("FREE", "bob"), 400, "not_published", /FREE/);
  refused(await redeem("FREE", "", { customer: undefined }), 400, "not_published");
  const asked = { customer: { source_id: "bob" }, order: { amount: 1000 } };
  const validate = async (more: object = {}) =>
    ok("POST /v1/validations", { redeemables: [{ object: "voucher", id: "FREE" }], ...asked, ...more });
  const { valid, redeemables, inapplicable_redeemables } = await validate();
  const [one] = redeemables ?? inapplicable_redeemables;
  assert.deepEqual([valid, one.status, one.result.error.key], [false, "INAPPLICABLE", "not_published"]);
  const traced = await validate({ options: { expand: ["trace"] } });
  assert.match(JSON.stringify(traced), /"check":"published","passed":false/);
  assert.equal((await ok("GET /v1/vouchers/FREE")).redemption.redeemed_quantity, 0);
  await publish("FREE", "zoe");
  assert.equal((await redeem("FREE", "bob")).status, 200);
  // A friend who holds the code is offered it while there is somebody who shares it.
  await ok("POST /v1/referrals/members/FREE/holders", { holders: [{ source_id: "cleo" }] });
  const wallet = async () => {
    const reply = await ok("POST /v1/qualifications", {
      ...{ customer: { source_id: "cleo" }, order: { amount: 1000 }, scenario: "CUSTOMER_WALLET" },
    });
    return reply.redeemables.data.map((offer: any) => offer.id);
  };
  assert.deepEqual(await wallet(), ["FREE"]);
  await call("DELETE /v1/customers/zoe");
  assert.deepEqual(await wallet(), []);
  refused(await redeem("FREE", "dora"), 400, "not_published");
});

test("a custom event is kept with its schema, the referral code and the card that it names", async () => {
  const { ok, ann, track, customer, event, referral } = await friends(db);
  const cards = await ok("POST /v1/campaigns", { name: "Cards", voucher: { loyalty_card: { points: 0 } } });
  const card = (await ok("POST /v1/publications", { campaign: "Cards", customer: { source_id: "bob" } })).voucher;
  const shared = await ok("GET /v1/vouchers/ANN");
  assert.equal((await track("bob", { loyalty: { code: card.code }, metadata: { stars: 2 } })).status, 200);
  assert.equal((await track("cleo", { referral: null })).status, 200);
  const kept = async (name: string) =>
    (await ok(`GET /v1/customers/${name}/activity?type=customer.custom_event`)).data[0].data;
  const { id } = await customer("bob");
  const told = await kept("bob");
  assert.deepEqual(told, {
    event: { id: told.event.id, type: "joined", metadata: { stars: 2 } },
    event_schema: { id: event.id, name: "joined" },
    customer: { ...told.customer, id },
    referral: {
      referrer: { id: ann, object: "customer" },
      voucher: { id: shared.id, code: "ANN", object: "voucher" },
      campaign: { id: referral.id, name: "Friends", object: "campaign" },
    },
    loyalty: {
      voucher: { id: card.id, code: card.code, object: "voucher" },
      campaign: { id: cards.id, name: "Cards", object: "campaign" },
    },
  });
  const plain = await kept("cleo");
  assert.deepEqual([plain.referral, plain.loyalty, plain.event_schema.id], [null, null, event.id]);
  await ok("POST /v1/customers/ann/permanent-deletion", {});
  assert.deepEqual(Object.keys((await kept("bob")).referral).sort(), ["campaign", "voucher"]);
});

/** A reward that brings credits of a campaign of gift cards, assigned to a club. */
async function thanks(ok: Awaited<ReturnType<typeof friends>>["ok"]) {
  const gifts = await ok("POST /v1/campaigns", { name: "Gifts", voucher: { gift: { amount: 100 } } });
  const club = await ok("POST /v1/campaigns", { name: "Club", voucher: { loyalty_card: { points: 0 } } });
  const reward = await ok("POST /v1/rewards", {
    name: "Thanks",
    parameters: { campaign: { id: gifts.id, balance: 3 } },
  });
  const assigned = await ok(`POST /v1/rewards/${reward.id}/assignments`, {
    ...{ campaign: club.id, parameters: { loyalty: { points: 100 } } },
  });
  return { gifts, club, reward, assigned };
}

test("what a referral program needs is not deleted", async () => {
  const { call, ok, project, event } = await friends(db);
  const { gifts, club, reward, assigned } = await thanks(ok);
  const set = (referral_program: object | null) => ok("PUT /v1/campaigns/Friends", { referral_program });
  const tiers = [{ parameters: { type: "EACH" }, reward: { assignment_id: assigned.id } }];
  const program = {
    ...{ conversion_event_type: "custom_event", custom_event: { id: event.id }, tiers },
    referee_reward: { related_object_parent: { id: gifts.id }, type: "GIFT_VOUCHER", amount: 500 },
  };
  await set(program);
  const { id } = await ok("GET /v1/campaigns/Friends");
  const schema = `DELETE /management/v1/projects/${project.id}/custom-event-schemas/${event.id}`;
  const lines = {
    reward_assignment: `DELETE /v1/rewards/${reward.id}/assignments/${assigned.id}`,
    campaign: `DELETE /v1/campaigns/${gifts.id}`,
    custom_event_schema: schema,
  };
  const inUse = async (line: string, type: string) => {
    const reply = await call(line);
    refused(reply, 400, "resource_in_use", new RegExp(`Resource ${type} with id .* is in use by campaigns`));
    assert.deepEqual(
      [reply.body.resource_type, reply.body.related_object_ids, reply.body.related_object_type],
      [type, [id], "campaign"],
    );
  };
  for (const [type, line] of Object.entries(lines)) await inUse(line, type);
  await inUse(`${lines.campaign}?force=true`, "campaign");
  await inUse(`DELETE /v1/loyalties/${club.id}/rewards/${assigned.id}`, "reward_assignment");
  await inUse(`DELETE /v1/campaigns/${club.id}`, "campaign");
  refused(await call(`DELETE /v1/rewards/${reward.id}`), 400, "resource_in_use");
  // Without a program, and of a program in the bin, they go.
  await set({ conversion_event_type: "redemption", custom_event: null, referee_reward: null });
  await ok(schema);
  await ok("DELETE /v1/campaigns/Friends");
  await ok(lines.reward_assignment);
  await ok(lines.campaign);
  await ok(`DELETE /v1/rewards/${reward.id}`);
});

test("what of a referral program is not sent stays, null takes it away, and no two tiers are one", async () => {
  const { call, ok, event } = await friends(db);
  const { gifts, assigned } = await thanks(ok);
  const set = async (referral_program: object) =>
    (await ok("PUT /v1/campaigns/Friends", { referral_program })).referral_program;
  const tier = { parameters: { type: "EACH" }, reward: { assignment_id: assigned.id } };
  const referee_reward = { related_object_parent: { id: gifts.id }, type: "GIFT_VOUCHER", amount: 500 };
  const whole = await set({
    ...{ conversion_event_type: "custom_event", custom_event: { name: "joined" }, referee_reward, tiers: [tier] },
  });
  assert.deepEqual(await set({}), whole);
  assert.deepEqual(await set({ tiers: whole.tiers }), whole);
  const { tiers: _, ...rest } = whole;
  assert.deepEqual(await set({ tiers: [] }), { ...rest, tiers: [] });
  assert.deepEqual(await set({ tiers: null }), rest);
  const { referee_reward: __, ...event_only } = rest;
  assert.deepEqual(await set({ referee_reward: null }), event_only);
  const put = (referral_program: object) => call("PUT /v1/campaigns/Friends", { referral_program });
  refused(await put({ custom_event: null }), 400, "invalid_payload", /custom_event/);
  // The event goes with what it was for.
  assert.deepEqual(await set({ conversion_event_type: "redemption" }), { conversion_event_type: "redemption" });
  refused(await put({ custom_event: { id: event.id } }), 400, "invalid_payload", /custom_event/);
  const [one] = (await set({ tiers: [tier] })).tiers;
  refused(await put({ tiers: [one, one] }), 400, "invalid_payload", /\.tiers\[1\]\.id/);
  const twice = { ...tier, id: "mine" };
  refused(await put({ tiers: [twice, twice] }), 400, "invalid_payload", /\.tiers\[1\]\.id/);
  assert.equal((await set({ tiers: [one, tier] })).tiers.length, 2);
});

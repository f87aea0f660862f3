import assert from "node:assert/strict";
import { test } from "node:test";
import { INVARIANTS } from "../../src/db/invariants.ts";
import { NOW, testDatabase } from "../support/engine.ts";
import { type Friends, friends, refused } from "../support/friends.ts";
import { holdsRows } from "../support/interface-rows.ts";

const { db } = await testDatabase();
const eventsOf = ({ project }: Friends, kind: string) =>
  db<{ customer_id: string; campaign_id: string; voucher_id: string; payload: any }[]>`
    select customer_id, campaign_id, voucher_id, payload from events
    where project_id = ${project.id} and kind = ${kind} order by id`;
const onEvent = { conversion_event_type: "custom_event", custom_event: { name: "joined" } };
const holds = async () => {
  for (const [says, query] of Object.entries(INVARIANTS)) assert.equal((await query(db))[0]!.count, 0, says);
};

/** The program of the campaign from now on. */
const setProgram = ({ ok }: Friends, referral_program: object) => ok("PUT /v1/campaigns/Friends", { referral_program });

test("the first redemption of a referral code by a friend counts: once for each friend, with all that is told of it", async () => {
  const world = await friends(db);
  const { ok, redeem, customer, ann, referral, holders, activities } = world;
  const voucher = await ok("GET /v1/vouchers/ANN");
  const first = await redeem("ANN", "bob");
  assert.equal(first.status, 200, first.text);
  assert.equal((await redeem("ANN", "bob")).status, 200);
  const bob = await customer("bob");
  const redemption = first.body.redemptions[0].id;
  assert.deepEqual(bob.referrals, {
    total: 1,
    campaigns: [
      {
        campaign_id: referral.id,
        referrer_id: ann,
        related_object_id: redemption,
        related_object_type: "redemption",
        date: NOW,
      },
    ],
  });
  assert.equal((await redeem("ANN", "cleo")).status, 200);
  assert.deepEqual((await customer("ann")).loyalty, {
    points: 0,
    referred_customers: 2,
    campaigns: { Friends: { referred_customers: 2 } },
  });
  const summed = async (query: string) => (await ok(`GET /v1/campaigns/Friends/summary?${query}`)).referred_customers;
  assert.deepEqual([await summed(""), await summed("start_date=2026-01-02")], [2, 0]);
  const told = await eventsOf(world, "customer.referred");
  assert.deepEqual(
    told.map((one) => one.customer_id),
    [bob.id, (await customer("cleo")).id],
  );
  assert.deepEqual(told[0], {
    customer_id: bob.id,
    campaign_id: referral.id,
    voucher_id: voucher.id,
    payload: {
      customer: { id: bob.id, object: "customer" },
      referrer: { id: ann, object: "customer" },
      campaign: { id: referral.id, name: "Friends", object: "campaign" },
      voucher: { id: voucher.id, code: "ANN", object: "voucher" },
      redemption: { id: redemption },
    },
  });
  assert.ok((await activities("bob")).includes("customer.referred"));
  assert.deepEqual(
    (await holders()).filter((one: any) => one.customer_id === bob.id).map((one: any) => one.holder_role),
    ["REFEREE"],
  );
  await holds();
});

test("the referrer cannot redeem the code, nor who has their address, nor a guest", async () => {
  const { call, redeem, customer, ann } = await friends(db);
  refused(await redeem("ANN", "ann"), 400, "referrer_not_permitted_to_redeem", /ANN/);
  refused(await redeem("ANN", "x", { customer: { id: ann } }), 400, "referrer_not_permitted_to_redeem");
  const again = { customer: { source_id: "ann again", email: " Ann@Example.com" } };
  refused(await redeem("ANN", "", again), 400, "referrer_not_permitted_to_redeem");
  refused(await redeem("ANN", "", { customer: undefined }), 400, "missing_customer");
  const validated = await call("POST /v1/validations", {
    redeemables: [{ object: "voucher", id: "ANN" }],
    customer: { id: ann },
    order: { amount: 100 },
  });
  assert.equal(validated.body.redeemables[0].result.error.key, "referrer_not_permitted_to_redeem");
  assert.equal((await customer("ann")).loyalty.referred_customers, 0);
});

test("a redemption that fails, and one of a code that nobody shares, bring nobody", async () => {
  const { ok, redeem, customer, referral } = await friends(db);
  await ok("POST /v1/customers", { source_id: "bob" });
  await ok(`POST /v1/campaigns/${referral.id}/vouchers/FREE`, {});
  refused(await redeem("FREE", "bob"), 400, "not_published", /FREE/);
  await ok("POST /v1/vouchers/ANN/disable");
  refused(await redeem("ANN", "bob"), 400, "voucher_disabled");
  assert.equal((await customer("bob")).referrals.total, 0);
});

test("a friend who was brought stays so when the redemption is rolled back, and does not count again", async () => {
  const { call, redeem, customer } = await friends(db);
  const { body } = await redeem("ANN", "bob");
  const undone = await call(`POST /v1/redemptions/${body.redemptions[0].id}/rollback`);
  assert.equal(undone.status, 200, undone.text);
  assert.equal((await customer("bob")).referrals.total, 1);
  assert.equal((await redeem("ANN", "bob")).status, 200);
  assert.equal((await customer("ann")).loyalty.referred_customers, 1);
});

test("a custom event converts that names the code, once, and its answer says nothing of it", async (t) => {
  const world = await friends(db);
  const { call, ok, track, customer, ann, referral, redeem, holders } = world;
  await setProgram(world, onEvent);
  const reply = await track("bob", { referral: { code: " ann ", referrer_id: ann } });
  assert.deepEqual([reply.status, reply.body.referral], [200, null], reply.text);
  assert.equal((await track("bob")).status, 200);
  assert.equal((await track("cleo", { referral: { code: "ANN", referrer_id: "ann" } })).status, 200);
  assert.equal((await track("dora", { referral: { code: "ANN", referrer_id: null } })).status, 200);
  // A redemption gives the discount and is no conversion here.
  assert.equal((await redeem("ANN", "eve")).status, 200);
  assert.equal((await customer("eve")).referrals.total, 0);
  const [entry] = (await customer("bob")).referrals.campaigns;
  const [told] = await eventsOf(world, "customer.referred");
  const expected = {
    campaign_id: referral.id,
    referrer_id: ann,
    related_object_id: told!.payload.custom_event.id,
    related_object_type: "custom_event",
    date: NOW,
  };
  await holdsRows(t, "events", { rule3: () => assert.deepEqual(entry, expected) });
  assert.match(entry.related_object_id, /^event_/);
  const recorded = await eventsOf(world, "customer.custom_event");
  assert.ok(recorded.some(({ payload }) => payload.event.id === entry.related_object_id));
  assert.deepEqual((await customer("ann")).loyalty.referred_customers, 3);
  assert.equal((await holders()).length, 4);
  const unknown = await call("POST /v1/events", {
    event: "joined",
    customer: { source_id: "x" },
    referral: { code: "" },
  });
  refused(unknown, 400, "invalid_payload");
  assert.equal((await ok("GET /v1/referrals/members/ANN/holders")).total, 4);
});

test("an event with a code that is unknown, not shared, somebody else's or one's own is refused and not recorded", async (t) => {
  const world = await friends(db);
  const { ok, track, campaign, publish, referral } = world;
  await setProgram(world, onEvent);
  await ok(`POST /v1/campaigns/${referral.id}/vouchers/FREE`, {});
  await ok("POST /v1/vouchers/PLAIN", { type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 10 } });
  await campaign("Others", "BEA");
  const bea = (await publish("BEA", "bea")).customer_id;
  const cases: [name: string, who: string, more: object, code: number, key: string][] = [
    ["unknown", "bob", { referral: { code: "NOTHING" } }, 404, "not_found"],
    ["no referral code", "bob", { referral: { code: "PLAIN" } }, 404, "not_found"],
    ["not shared", "bob", { referral: { code: "FREE" } }, 400, "not_published"],
    ["somebody else's", "bob", { referral: { code: "ANN", referrer_id: bea } }, 400, "invalid_payload"],
    ["nobody's", "bob", { referral: { code: "ANN", referrer_id: "cust_x" } }, 400, "invalid_payload"],
    ["one's own", "ann", {}, 400, "referral_self_redemption"],
    [
      "the same address",
      "",
      { customer: { source_id: "b", email: "ANN@EXAMPLE.COM" } },
      400,
      "referral_self_redemption",
    ],
  ];
  for (const [name, who, more, code, key] of cases)
    await t.test(name, async () => refused(await track(who, more), code, key));
  assert.equal((await eventsOf(world, "customer.custom_event")).length, 0);
  assert.equal((await eventsOf(world, "customer.referred")).length, 0);
});

test("an event is only recorded while the campaign is off, outside its time, or waits for something else", async () => {
  const world = await friends(db);
  const { ok, define, track, customer, campaign, publish } = world;
  await define("left");
  await setProgram(world, onEvent);
  assert.equal((await track("bob", { event: "left" })).status, 200);
  await campaign("Later", "BEA", { start_date: "2026-02-01T00:00:00Z", referral_program: onEvent });
  await publish("BEA", "bea");
  assert.equal((await track("bob", { referral: { code: "BEA" } })).status, 200);
  await ok("POST /v1/campaigns/Friends/disable");
  assert.equal((await track("bob")).status, 200);
  assert.equal((await customer("bob")).referrals.total, 0);
  await ok("POST /v1/campaigns/Friends/enable");
  assert.equal((await track("bob")).status, 200);
  assert.equal((await customer("bob")).referrals.total, 1);
  await setProgram(world, { conversion_event_type: "redemption" });
  assert.equal((await track("cleo")).status, 200);
  assert.equal((await customer("cleo")).referrals.total, 0);
});

test("a paid order converts: through the code that was redeemed with it, a code that the customer was given, or its referrer", async () => {
  const world = await friends(db);
  const { ok, redeem, customer, ann } = world;
  await setProgram(world, { conversion_event_type: "order.paid" });
  const open = await redeem("ANN", "bob", { order: { source_id: "o1", amount: 1000, status: "CREATED" } });
  assert.equal(open.status, 200, open.text);
  assert.equal((await customer("bob")).referrals.total, 0);
  const paid = await ok("POST /v1/orders", { source_id: "o1", status: "PAID" });
  assert.deepEqual((await customer("bob")).referrals.campaigns[0], {
    ...(await customer("bob")).referrals.campaigns[0],
    referrer_id: ann,
    related_object_id: paid.id,
    related_object_type: "order",
  });
  await ok("PUT /v1/orders/o1", { status: "FULFILLED" });
  await ok("PUT /v1/orders/o1", { status: "PAID" });
  // At once, when the order is paid with the redemption.
  assert.equal((await redeem("ANN", "cleo")).status, 200);
  assert.equal((await customer("cleo")).referrals.total, 1);
  await ok("POST /v1/referrals/members/ANN/holders", { holders: [{ source_id: "dora" }] });
  await ok("POST /v1/orders", { source_id: "o2", customer: { source_id: "dora" }, amount: 5, status: "CREATED" });
  assert.equal((await customer("dora")).referrals.total, 0);
  await ok("PUT /v1/orders/o2", { status: "PAID" });
  assert.equal((await customer("dora")).referrals.total, 1);
  const named = { customer: { source_id: "eve" }, referrer: { source_id: "ann" }, amount: 5, status: "PAID" };
  await ok("POST /v1/orders", named);
  assert.equal((await customer("eve")).referrals.total, 1);
  // Nobody brings themselves, and who came alone came alone.
  await ok("POST /v1/orders", { ...named, customer: { source_id: "ann" } });
  await ok("POST /v1/orders", { ...named, customer: { source_id: "f", email: "ann@example.com" } });
  await ok("POST /v1/orders", { customer: { source_id: "gus" }, amount: 5, status: "PAID" });
  assert.equal((await customer("ann")).loyalty.referred_customers, 4);
  await holds();
});

test("the friend gets credits on the gift card they have, or on one that is published to them first", async () => {
  const world = await friends(db);
  const { ok, redeem, publish, customer, activities } = world;
  await ok("POST /v1/campaigns", { name: "Gifts", voucher: { gift: { amount: 100 } } });
  const referee_reward = { related_object_parent: { name: "Gifts" }, type: "GIFT_VOUCHER", amount: 500 };
  await setProgram(world, { referee_reward });
  const { voucher: held } = await ok("POST /v1/publications", { campaign: "Gifts", customer: { source_id: "bob" } });
  await redeem("ANN", "bob");
  await redeem("ANN", "cleo");
  await redeem("ANN", "cleo");
  assert.equal((await ok(`GET /v1/vouchers/${held.code}`)).gift.balance, 600);
  const cards = async (who: string) =>
    (await ok(`GET /v1/customers/${who}/redeemables`)).data.filter((one: any) => one.voucher_type === "GIFT_VOUCHER");
  const [card, ...more] = await cards("cleo");
  assert.deepEqual([card.redeemable.voucher.gift.balance, card.holder_role, more], [600, "OWNER", []]);
  assert.equal((await cards("bob")).length, 1);
  const { data } = await ok(`GET /v1/vouchers/${card.redeemable.voucher.code}/transactions`);
  assert.deepEqual(
    data.map((one: any) => [one.type, one.details.balance.amount, one.details.balance.balance]),
    [["CREDITS_ADDITION", 500, 600]],
  );
  const seen = await activities("cleo");
  for (const kind of ["customer.publication.succeeded", "customer.voucher.gift.balance_added", "customer.rewarded"])
    assert.equal(seen.filter((one) => one === kind).length, 1, kind);
  const [told] = await eventsOf(world, "customer.rewarded");
  assert.deepEqual([told!.customer_id, told!.payload.balance.balance], [(await customer("bob")).id, 600]);
  await publish("ANN", "ann").catch(() => {});
  await holds();
});

test("the friend gets points on their loyalty card, and becomes a member when they are none", async () => {
  const world = await friends(db);
  const { ok, track, customer } = world;
  await ok("POST /v1/campaigns", { name: "Club", voucher: { loyalty_card: { points: 10 } } });
  const referee_reward = { related_object_parent: { name: "Club" }, type: "LOYALTY_CARD", amount: 50 };
  await setProgram(world, { ...onEvent, referee_reward });
  const { voucher: held } = await ok("POST /v1/publications", { campaign: "Club", customer: { source_id: "bob" } });
  await track("bob");
  await track("cleo");
  await track("cleo");
  assert.deepEqual((await ok(`GET /v1/vouchers/${held.code}`)).loyalty_card.balance, 60);
  assert.deepEqual((await customer("cleo")).loyalty.campaigns, { Club: { points: 60, referred_customers: 0 } });
  await holds();
});

test("the referrer gets the reward of a tier for each friend, and of another once for so many, while there is stock", async () => {
  const world = await friends(db);
  const { ok, redeem, customer, referral } = world;
  const codes = await ok("POST /v1/campaigns", {
    name: "Codes",
    voucher: { discount: { type: "AMOUNT", amount_off: 100 } },
  });
  const club = await ok("POST /v1/campaigns", { name: "Club", voucher: { loyalty_card: { points: 0 } } });
  const shop = await ok("POST /v1/campaigns", { name: "Shop", voucher: { loyalty_card: { points: 0 } } });
  const reward = async (name: string, parameters: object, stock: number | null = null) => {
    const { id } = await ok("POST /v1/rewards", { name, parameters, stock });
    const cost = { parameters: { loyalty: { points: 1 } } };
    return { id, assignment: (await ok(`POST /v1/rewards/${id}/assignments`, { campaign: shop.id, ...cost })).id };
  };
  const coupon = await reward("Coupon", { campaign: { id: codes.id } }, 2);
  const points = await reward("Points", { campaign: { id: club.id, balance: 30 } });
  const vips = await ok("POST /v1/segments", { name: "vips", customers: [(await customer("ann")).id] });
  const others = await ok("POST /v1/segments", { name: "others", customers: [] });
  const tier = (parameters: object, { assignment }: { assignment: string }, banner?: string) => ({
    ...{ banner, parameters, reward: { assignment_id: assignment } },
  });
  const shown = await setProgram(world, {
    tiers: [
      tier({ type: "EACH" }, coupon, "One each"),
      tier({ type: "MINIMUM", min: 2, segment_id: vips.id }, points),
      tier({ type: "EACH", segment_id: others.id }, points),
    ],
  });
  const [each, second] = shown.referral_program.tiers;
  assert.match(each.id, /^reft_/);
  assert.deepEqual(second, {
    id: second.id,
    banner: null,
    parameters: { type: "MINIMUM", min: 2, segment_id: vips.id },
    reward: { assignment_id: points.assignment },
  });
  for (const friend of ["bob", "cleo", "dora", "cleo"]) await redeem("ANN", friend);
  const held = (await ok("GET /v1/customers/ann/redeemables")).data;
  const counts = (type: string) => held.filter((one: any) => one.voucher_type === type && one.holder_role === "OWNER");
  assert.deepEqual([counts("DISCOUNT_VOUCHER").length, counts("LOYALTY_CARD").length], [2, 1]);
  assert.deepEqual((await customer("ann")).loyalty, {
    points: 30,
    referred_customers: 3,
    campaigns: { Club: { points: 30, referred_customers: 0 }, Friends: { referred_customers: 3 } },
  });
  const left = await ok(`GET /v1/rewards/${coupon.id}`);
  assert.deepEqual([left.stock, left.redeemed], [0, 2]);
  const told = await eventsOf(world, "customer.rewarded");
  assert.deepEqual(
    told.map(({ payload }) => [payload.reward.id, payload.referral_tier.id, payload.referral_tier.banner]),
    [
      [coupon.id, each.id, "One each"],
      [coupon.id, each.id, "One each"],
      [points.id, second.id, null],
    ],
  );
  await setProgram(world, { tiers: [{ ...each, banner: "Other" }] });
  const kinds = await db`
    select kind from events where project_id = ${world.project.id} and campaign_id = ${referral.id}
      and kind like 'campaign.referral_tier.%' order by id`;
  assert.deepEqual(
    kinds.map(({ kind }) => kind.split(".")[2]),
    ["created", "created", "created", "updated", "deleted", "deleted"],
  );
  await holds();
});

test("who was referred and who referred are found by segments", async () => {
  const world = await friends(db);
  const { ok, redeem, ann } = world;
  const filter = { junction: "AND", "loyalty.referred_customers": { conditions: { $more_than: [0] } } };
  const { id } = await ok("POST /v1/segments", { name: "referrers", type: "auto-update", filter });
  await redeem("ANN", "bob");
  await redeem("ANN", "cleo");
  const entered = await eventsOf(world, "customer.segment.entered");
  assert.deepEqual(
    entered.map(({ customer_id, payload }) => [customer_id, payload.segment.id]),
    [[ann, id]],
  );
});

test("a friend who is erased still counts for the referrer, and a referrer who is erased is nobody", async () => {
  const world = await friends(db);
  const { ok, redeem, customer, ann, project } = world;
  await redeem("ANN", "bob");
  await redeem("ANN", "cleo");
  const bob = await customer("bob");
  await ok(`POST /v1/customers/${bob.id}/permanent-deletion`);
  assert.equal((await customer("ann")).loyalty.referred_customers, 2);
  await ok(`POST /v1/customers/${ann}/permanent-deletion`);
  const [entry] = (await customer("cleo")).referrals.campaigns;
  assert.equal(entry.referrer_id, null);
  for (const id of [bob.id, ann])
    for (const table of ["referral_conversions", "events", "redeemable_holders"]) {
      const rows = await db`
        select 1 from ${db(table)} t where project_id = ${project.id} and to_jsonb(t)::text like ${`%${id}%`}
          and to_jsonb(t) ->> 'kind' is distinct from 'customer.deleted'`;
      assert.equal(rows.length, 0, `${table} ${id === ann}`);
    }
  await holds();
});

test("what is in the bin, and what is deleted, brings nobody", async () => {
  const world = await friends(db);
  const { ok, redeem, customer } = world;
  await redeem("ANN", "bob");
  await ok("DELETE /v1/campaigns/Friends");
  refused(await redeem("ANN", "cleo"), 404, "not_found");
  assert.deepEqual((await customer("ann")).loyalty, { points: 0, referred_customers: 1, campaigns: {} });
  assert.equal((await customer("bob")).referrals.total, 1);
  await holds();
});

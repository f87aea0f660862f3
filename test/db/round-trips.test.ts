import assert from "node:assert/strict";
import { test } from "node:test";
import { createBehind } from "../../src/db/batches/behind.ts";
import { planOnce } from "../../src/db/db.ts";
import { testDatabase, testEngine } from "../support/engine.ts";
import { NODES, skipOnCitus } from "../support/nodes.ts";
import { type Ok, okOf, testShop } from "../support/shop.ts";
import { startProxy, until } from "../support/storage.ts";

// A lone request waits for the network and the disk as often as it asks and needs the answer to go on. What is counted is how
// often a connection turns from answers back to questions.
const { db, url, open } = await testDatabase();

/** What one connection says: pieces that were sent without waiting are one question. */
async function watched() {
  const proxy = await startProxy(url);
  let [trips, isAsking] = [0, false];
  let answers: Buffer[] = [];
  proxy.watch = (from, chunk) => {
    if (from === "client" && !isAsking) trips += 1;
    if (from === "server") answers.push(chunk);
    isAsking = from === "client";
    return false;
  };
  const pool = open({ max: 1 }, proxy.url);
  if (NODES.length === 0) planOnce(pool);
  return {
    pool,
    begin: () => {
      [trips, isAsking] = [0, false];
      answers = [];
    },
    isAsking: () => isAsking,
    seen: () => ({ trips, tags: tagsIn(Buffer.concat(answers)) }),
  };
}

/** What the server says of each statement that is done (`CommandComplete`), in the order in which they were sent. */
function tagsIn(answers: Buffer): string[] {
  const tags: string[] = [];
  for (let at = 0; at < answers.length; at += 1 + answers.readUInt32BE(at + 1))
    if (answers[at] === "C".charCodeAt(0))
      tags.push(answers.toString("latin1", at + 5, at + answers.readUInt32BE(at + 1)));
  return tags;
}
const [credentials, lanes] = [await watched(), await watched()];

/** So often a request is sent before it is counted: a statement that is new to its connection is described first. */
const WARM = 5;
let count = 0;
const next = () => String(++count);
const voucher = (id: string, more: object = {}) => ({ object: "voucher", id, ...more });
const discount = { type: "PERCENT", percent_off: 10 };

/** A project of its own: `ok` makes what is needed on a server beside, `send` and `redeem` are for what is counted. */
async function world() {
  const { ok, project } = await testShop(db);
  // What a validation promised is written behind its answer: that is not waited for, and not counted.
  const behind = createBehind(db, { waitingMax: 0, report: assert.fail });
  const { call } = await testEngine(credentials.pool, project, { hot: lanes.pool, behind });
  const send: Ok = okOf(call);
  return {
    ok,
    project,
    send,
    redeem: (redeemables: readonly object[], more: object = {}, headers?: Record<string, string>) =>
      send("POST /v1/redemptions", { redeemables, order: { amount: 10_000 }, ...more }, headers),
    code: async (name: string, more: object = {}) => {
      await ok(`POST /v1/vouchers/${name}`, { type: "DISCOUNT_VOUCHER", discount, ...more });
      return name;
    },
    listen: (...events: string[]) =>
      ok(`POST /management/v1/projects/${project.id}/webhooks`, { target_url: "https://shop.example/hooks", events }),
    define: (name: string) =>
      ok(`POST /management/v1/projects/${project.id}/custom-event-schemas`, { name, schema: { properties: {} } }),
  };
}
type World = Awaited<ReturnType<typeof world>>;

/** Rolls back one of ten redemptions each time. */
async function undoing(send: Ok, redeem: () => Promise<any>) {
  const ids: string[] = [];
  for (let n = 0; n < 10; n += 1) ids.push((await redeem()).redemptions[0].id);
  return () => send(`POST /v1/redemptions/${ids.pop()}/rollback`, {});
}

/** What codes of the campaign took off is compared with what it may, so it is locked before codes. */
async function codeWhoseCampaignCounts(ok: Ok): Promise<string> {
  const rules = {
    1: { name: "campaign.orders.amount_discounted", conditions: { $less_than_or_equal: [1e9] } },
    logic: "1",
  };
  const rule = await ok("POST /v1/validation-rules", { name: `r ${next()}`, rules });
  const campaign = await ok("POST /v1/campaigns", {
    name: `C ${next()}`,
    campaign_type: "DISCOUNT_COUPONS",
    voucher: { type: "DISCOUNT_VOUCHER", discount, redemption: { quantity: null } },
    validation_rules: [rule.id],
  });
  const one = `C-${next()}`;
  await ok(`POST /v1/campaigns/${campaign.id}/vouchers/${one}`, {});
  return one;
}

/** A loyalty card of a customer, and what it buys for ten points. */
async function cardWithReward(ok: Ok, reward: object) {
  const one = `L-${next()}`;
  const customer = { source_id: `holder ${one}` };
  const loyalty_card = { points: 1000 };
  const club = await ok("POST /v1/loyalties", { name: one, voucher: { type: "LOYALTY_CARD", loyalty_card } });
  await ok(`POST /v1/campaigns/${club.id}/vouchers/${one}`, {});
  await ok("POST /v1/publications", { voucher: one, customer });
  const { id } = await ok("POST /v1/rewards", { name: one, ...reward });
  await ok(`POST /v1/rewards/${id}/assignments`, { campaign: club.id, parameters: { loyalty: { points: 10 } } });
  return { customer, redeemable: voucher(one, { reward: { id } }) };
}

/** Makes what is needed, and gives the request that is counted. */
type Form = { name: string; trips: number; setUp(world: World): Promise<() => Promise<unknown>> };

/** The trips of each form, credentials among them. A number that falls is written down here, and none rises. */
const FORMS: Form[] = [
  {
    name: "a code",
    trips: 3,
    setUp: async ({ redeem, code }) => {
      const one = await code(`C-${next()}`);
      return () => redeem([voucher(one)]);
    },
  },
  {
    name: "a code, and a webhook is told of it",
    trips: 3,
    setUp: async ({ ok, redeem, code, listen }) => {
      await listen("redemption.succeeded", "voucher.gift.transaction.created");
      const one = await code(`C-${next()}`);
      await ok("POST /v1/customers", { source_id: "anna" });
      return () => redeem([voucher(one)], { customer: { source_id: "anna" } });
    },
  },
  {
    name: "a gift card, and a webhook is told of its credits",
    trips: 3,
    setUp: async ({ ok, redeem, listen }) => {
      await listen("redemption.succeeded", "voucher.gift.transaction.created");
      const one = `G-${next()}`;
      await ok(`POST /v1/vouchers/${one}`, { type: "GIFT_VOUCHER", gift: { amount: 1_000_000 } });
      return () => redeem([voucher(one, { gift: { credits: 10 } })]);
    },
  },
  {
    name: "a code with a customer and an order by their source ids",
    trips: 3,
    setUp: async ({ ok, redeem, code }) => {
      const one = await code(`C-${next()}`);
      await ok("POST /v1/customers", { source_id: `anna ${one}` });
      return () =>
        redeem([voucher(one)], {
          customer: { source_id: `anna ${one}` },
          order: {
            source_id: `order ${next()}`,
            amount: 10_000,
            items: [{ product_id: "p", quantity: 1, price: 10_000 }],
          },
        });
    },
  },
  {
    name: "a code with a customer who is new",
    trips: 4,
    setUp: async ({ redeem, code }) => {
      const one = await code(`C-${next()}`);
      return () => redeem([voucher(one)], { customer: { source_id: `new ${next()}`, name: "New" } });
    },
  },
  {
    name: "a code whose rule counts what a customer redeemed",
    trips: 4,
    setUp: async ({ ok, redeem, code }) => {
      const rules = {
        1: { name: "redemption.count.per_customer", conditions: { $less_than_or_equal: [100] } },
        logic: "1",
      };
      const rule = await ok("POST /v1/validation-rules", { name: `r ${next()}`, rules });
      const one = await code(`C-${next()}`, { validation_rules: [rule.id] });
      return () => redeem([voucher(one)], { customer: { source_id: "berta" } });
    },
  },
  {
    name: "a gift card",
    trips: 3,
    setUp: async ({ ok, redeem }) => {
      const name = `G-${next()}`;
      await ok(`POST /v1/vouchers/${name}`, { type: "GIFT_VOUCHER", gift: { amount: 100_000, balance: 100_000 } });
      return () => redeem([voucher(name, { gift: { credits: 100 } })]);
    },
  },
  {
    name: "a stack of 5",
    trips: 3,
    setUp: async ({ redeem, code }) => {
      const codes: string[] = [];
      for (let n = 0; n < 5; n += 1) codes.push(await code(`S-${next()}`));
      return () => redeem(codes.map((one) => voucher(one)));
    },
  },
  {
    name: "a tier",
    trips: 3,
    setUp: async ({ ok, redeem }) => {
      const promotion = { tiers: [{ name: "t", banner: "b", action: { discount } }] };
      const made = await ok("POST /v1/campaigns", { name: `P ${next()}`, campaign_type: "PROMOTION", promotion });
      const { id } = made.promotion.tiers[0];
      return () => redeem([{ object: "promotion_tier", id }]);
    },
  },
  {
    name: "a code that a session holds",
    trips: 3,
    setUp: async ({ redeem, code }) => {
      const one = await code(`C-${next()}`);
      return () => redeem([voucher(one)], { session: { type: "LOCK", key: `s ${next()}` } });
    },
  },
  {
    name: "a code that a validation promised",
    trips: 3,
    setUp: async ({ ok, redeem, code }) => {
      const one = await code(`C-${next()}`);
      const cart = { redeemables: [voucher(one)], order: { amount: 10_000 } };
      const ids: string[] = [];
      for (let n = 0; n < 10; n += 1) ids.push((await ok("POST /v1/validations", cart)).id);
      return () => redeem([voucher(one)], { validation_id: ids.pop()! });
    },
  },
  {
    name: "a code under an Idempotency-Key",
    trips: 3,
    setUp: async ({ redeem, code }) => {
      const one = await code(`C-${next()}`);
      return () => redeem([voucher(one)], {}, { "idempotency-key": `key ${next()}` });
    },
  },
  {
    name: "a code of a campaign whose counts decide",
    trips: 5,
    setUp: async ({ ok, redeem }) => {
      const one = await codeWhoseCampaignCounts(ok);
      return () => redeem([voucher(one)]);
    },
  },
  {
    name: "a code whose rule looks at a segment",
    trips: 7,
    setUp: async ({ ok, redeem, code }) => {
      const filter = { junction: "and", "metadata.vip": { conditions: { $is: [true] } } };
      const segment = await ok("POST /v1/segments", { name: next(), type: "auto-update", filter });
      const rules = { 1: { name: "customer.segment", conditions: { $is: [segment.id] } }, logic: "1" };
      const rule = await ok("POST /v1/validation-rules", { name: `r ${next()}`, rules });
      await ok("POST /v1/customers", { source_id: "vip", metadata: { vip: true } });
      const one = await code(`C-${next()}`, { validation_rules: [rule.id] });
      return () => redeem([voucher(one)], { customer: { source_id: "vip" } });
    },
  },
  {
    name: "a code, and points follow from who is in a segment",
    trips: 8,
    setUp: async ({ ok, redeem, code }) => {
      const filter = { junction: "and", "summary.orders.total_amount": { conditions: { $more_than: [1] } } };
      const segment = await ok("POST /v1/segments", { name: next(), type: "auto-update", filter });
      const club = await ok("POST /v1/loyalties", {
        name: next(),
        voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 0 } },
      });
      await ok(`POST /v1/loyalties/${club.id}/earning-rules`, [
        { event: "customer.segment.entered", segment: { id: segment.id }, loyalty: { type: "FIXED", points: 5 } },
      ]);
      await ok("POST /v1/customers", { source_id: "watched" });
      const one = await code(`C-${next()}`);
      return () => redeem([voucher(one)], { customer: { source_id: "watched" } });
    },
  },
  {
    name: "a reward that brings a code of another campaign",
    trips: 15,
    setUp: async ({ ok, redeem }) => {
      const gifts = await ok("POST /v1/campaigns", {
        name: `G ${next()}`,
        type: "AUTO_UPDATE",
        voucher: { type: "GIFT_VOUCHER", gift: { amount: 10 } },
      });
      const campaign = { id: gifts.id, type: "GIFT_VOUCHERS", balance: 7 };
      const card = await cardWithReward(ok, { parameters: { campaign } });
      return () => redeem([card.redeemable], { customer: card.customer });
    },
  },
  {
    name: "a code with a paid order, and paid orders bring friends",
    trips: 7,
    setUp: async ({ ok, redeem, code }) => {
      const one = `R-${next()}`;
      const body = { type: "DISCOUNT_VOUCHER", discount, is_referral_code: true };
      const referral_program = { conversion_event_type: "order.paid" };
      const made = await ok("POST /v1/campaigns", {
        ...{ name: one, campaign_type: "REFERRAL_PROGRAM", voucher: body, referral_program },
      });
      await ok(`POST /v1/campaigns/${made.id}/vouchers/${one}`, {});
      await ok("POST /v1/publications", { voucher: one, customer: { source_id: `ann ${one}` } });
      const plain = await code(`C-${next()}`);
      await ok("POST /v1/customers", { source_id: "fay" });
      return () => redeem([voucher(plain)], { customer: { source_id: "fay" } });
    },
  },
  {
    name: "a rollback",
    trips: 3,
    setUp: async ({ send, redeem, code }) => {
      const one = await code(`C-${next()}`);
      return undoing(send, () => redeem([voucher(one)]));
    },
  },
  {
    name: "a rollback of a customer's order with a gift card",
    trips: 3,
    setUp: async ({ ok, send, redeem }) => {
      const made = await ok("POST /v1/campaigns", {
        name: `G ${next()}`,
        campaign_type: "GIFT_VOUCHERS",
        voucher: { type: "GIFT_VOUCHER", gift: { amount: 1000 } },
      });
      const one = `G-${next()}`;
      await ok(`POST /v1/campaigns/${made.id}/vouchers/${one}`, {});
      await ok("POST /v1/customers", { source_id: "emil" });
      return undoing(send, () => {
        const body = { customer: { source_id: "emil" }, order: { source_id: next(), amount: 500 } };
        return redeem([voucher(one, { gift: { credits: 10 } })], body);
      });
    },
  },
  {
    name: "a rollback of a tier",
    trips: 4,
    setUp: async ({ ok, send, redeem }) => {
      const promotion = { tiers: [{ name: "t", banner: "b", action: { discount } }] };
      const made = await ok("POST /v1/campaigns", { name: `P ${next()}`, campaign_type: "PROMOTION", promotion });
      return undoing(send, () => redeem([{ object: "promotion_tier", id: made.promotion.tiers[0].id }]));
    },
  },
  {
    name: "a rollback of a reward",
    trips: 7,
    setUp: async ({ ok, send, redeem }) => {
      const { id } = await ok("POST /v1/products", { name: "Mug" });
      const card = await cardWithReward(ok, { parameters: { product: { id } } });
      return undoing(send, () => redeem([card.redeemable], { customer: card.customer }));
    },
  },
  {
    name: "a rollback where a campaign's counts decide",
    trips: 4,
    setUp: async ({ ok, send, redeem }) => {
      const one = await codeWhoseCampaignCounts(ok);
      return undoing(send, () => redeem([voucher(one)]));
    },
  },
  {
    name: "a validation with a session",
    trips: 3,
    setUp: async ({ send, code }) => {
      const one = await code(`C-${next()}`);
      return () =>
        send("POST /v1/validations", {
          redeemables: [voucher(one)],
          order: { amount: 10_000 },
          session: { type: "LOCK", key: `session ${one}` },
        });
    },
  },
  {
    name: "an event",
    trips: 3,
    setUp: async ({ ok, send, define }) => {
      const event = `seen_${next()}`;
      await define(event);
      await ok("POST /v1/customers", { source_id: "clara" });
      return () => send("POST /v1/events", { event, customer: { source_id: "clara" } });
    },
  },
  {
    name: "an event under an Idempotency-Key",
    trips: 3,
    setUp: async ({ ok, send, define }) => {
      await define("seen");
      await ok("POST /v1/customers", { source_id: "clara" });
      const body = { event: "seen", customer: { source_id: "clara" } };
      return () => send("POST /v1/events", body, { "idempotency-key": `key ${next()}` });
    },
  },
  {
    name: "a referral code",
    trips: 3,
    setUp: async ({ ok, redeem }) => {
      const one = `R-${next()}`;
      const body = { type: "DISCOUNT_VOUCHER", discount, is_referral_code: true };
      const made = await ok("POST /v1/campaigns", { name: one, campaign_type: "REFERRAL_PROGRAM", voucher: body });
      await ok(`POST /v1/campaigns/${made.id}/vouchers/${one}`, {});
      await ok("POST /v1/publications", { voucher: one, customer: { source_id: `ann ${one}` } });
      const friends: string[] = [];
      for (let n = 0; n < 10; n += 1) friends.push((await ok("POST /v1/customers", { source_id: `f ${next()}` })).id);
      return () => redeem([voucher(one)], { customer: { id: friends.pop()! } });
    },
  },
  {
    name: "a loyalty card",
    trips: 3,
    setUp: async ({ ok, redeem }) => {
      const { id } = await ok("POST /v1/products", { name: "Mug" });
      const card = await cardWithReward(ok, { parameters: { product: { id } } });
      return () => redeem([card.redeemable], { customer: card.customer });
    },
  },
  {
    name: "an event with an earning rule",
    trips: 3,
    setUp: async ({ ok, send, define }) => {
      const event = `earns_${next()}`;
      const { id: schema_id } = await define(event);
      const club = await ok("POST /v1/loyalties", {
        name: event,
        type: "AUTO_UPDATE",
        voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 0 } },
      });
      await ok(`POST /v1/loyalties/${club.id}/earning-rules`, [
        { event, custom_event: { schema_id }, loyalty: { type: "FIXED", points: 5 }, source: { banner: "b" } },
      ]);
      await ok("POST /v1/customers", { source_id: "dora" });
      await ok("POST /v1/publications", { campaign: { name: event }, customer: { source_id: "dora" } });
      return () => send("POST /v1/events", { event, customer: { source_id: "dora" } });
    },
  },
  {
    name: "an event with an earning rule of a program",
    trips: 3,
    setUp: async ({ ok, send, define }) => {
      const event = `earns_${next()}`;
      const { id: schema_id } = await define(event);
      const wallet = await ok("POST /v2/loyalties/card-definitions", {
        name: "w",
        type: "INDIVIDUAL",
        status: "ACTIVE",
      });
      const rule = await ok("POST /v2/loyalties/earning-rules", {
        name: "r",
        status: "ACTIVE",
        trigger: { event: "customer.custom_event", custom_event: { schema_id } },
        earnings: [{ effects: [{ points: { value: 5, card_definition_id: wallet.id } }] }],
      });
      const program = await ok("POST /v2/loyalties/programs", {
        name: "p",
        status: "ACTIVE",
        card_definitions: [{ id: wallet.id }],
        earning_rules: [{ id: rule.id }],
      });
      const { id: customer_id } = await ok("POST /v1/customers", { source_id: "doris" });
      await ok(`POST /v2/loyalties/programs/${program.id}/members`, { customer_id });
      return () => send("POST /v1/events", { event, customer: { source_id: "doris" } });
    },
  },
];

/** Where the rows of a project are on another machine, the revision of its catalog is asked for there. */
const CREDENTIALS = NODES.length > 0 ? 2 : 1;
for (const { name, trips, setUp } of FORMS)
  test(`a lone request makes ${trips} round trips: ${name}`, async () => {
    const send = await setUp(await world());
    // A connection asks what a statement takes when it sees it for the first time.
    for (let n = 0; n < WARM; n += 1) await send();
    const seen = async () => {
      for (const one of [credentials, lanes]) one.begin();
      await send();
      return [credentials.seen(), lanes.seen()] as const;
    };
    let [before, during] = await seen();
    // Twice a minute servers note on this connection when keys were used last, some in two steps: then it is counted again.
    for (let again = 0; before.trips > CREDENTIALS && again < 3; again += 1) [before, during] = await seen();
    assert.equal(before.trips, CREDENTIALS, "the catalog is known");
    assert.equal(before.trips - CREDENTIALS + 1 + during.trips, trips);
    const { tags } = during;
    assert.deepEqual([tags[0], tags.at(-1)], ["BEGIN", "COMMIT"]);
    assert.equal(tags.filter((tag) => !/^(?:SELECT|INSERT|UPDATE|DELETE)\b/.test(tag)).length, 2, "one transaction");
  });

const CART = {
  customer: { source_id: "anna" },
  order: {
    source_id: "o-1",
    amount: 10_000,
    items: [{ product_id: "p", quantity: 1, price: 10_000, source_id: "unknown" }],
  },
};
const validate =
  ({ send }: World, redeemables: readonly object[]) =>
  () =>
    send("POST /v1/validations", { redeemables, ...CART });

/** A rule with one condition, by its id. */
async function ruleOf({ ok }: World, name: string, conditions: object = { $more_than: [-1] }): Promise<string> {
  const rules = { 1: { name, conditions }, logic: "1" };
  return (await ok("POST /v1/validation-rules", { name: `r ${next()}`, rules })).id;
}

async function validateCampaign(made: World, { rule, quantity }: { rule: string; quantity?: number }) {
  const campaign = await made.ok("POST /v1/campaigns", {
    name: `c ${next()}`,
    campaign_type: "DISCOUNT_COUPONS",
    voucher: { type: "DISCOUNT_VOUCHER", discount, ...(quantity && { redemption: { quantity } }) },
    validation_rules: [await ruleOf(made, rule)],
  });
  const codes = Array.from({ length: 5 }, () => `C-${next()}`);
  for (const one of codes) await made.ok(`POST /v1/campaigns/${campaign.id}/vouchers/${one}`, {});
  return validate(
    made,
    codes.map((one) => voucher(one)),
  );
}

/** A code for a segment. */
async function codeOfSegment(made: World, condition: object): Promise<string> {
  const filter = { junction: "and", ...condition };
  const { id } = await made.ok("POST /v1/segments", { name: next(), type: "auto-update", filter });
  return made.code(`C-${next()}`, { validation_rules: [await ruleOf(made, "customer.segment", { $is: [id] })] });
}
const BOUGHT = { "summary.orders.total_amount": { conditions: { $more_than: [1] } } };

/** Five sessions hold one each, and one of them is over by the time of the request. */
async function holdFive({ ok, project, code }: World, one: string): Promise<void> {
  await code(one, { redemption: { quantity: 100 } });
  for (let n = 0; n < 5; n += 1)
    await ok("POST /v1/validations", {
      redeemables: [voucher(one)],
      order: { amount: 10_000 },
      session: { type: "LOCK", key: `${one} ${n}`, ttl: 1, ttl_unit: "DAYS" },
    });
  await db`update session_locks set expires_at = '2020-01-01' where project_id = ${project.id} and session_key = ${`${one} 0`}`;
}

/** A tier of a promotion. */
async function tierOf({ ok }: World, action: object = { discount }, rules: readonly string[] = []) {
  const tier = { name: "t", banner: "b", action, validation_rules: rules };
  const made = await ok("POST /v1/campaigns", {
    ...{ name: `P ${next()}`, campaign_type: "PROMOTION", promotion: { tiers: [tier] } },
  });
  return { object: "promotion_tier", id: made.promotion.tiers[0].id };
}

const unitOf = (id: string) => ({ type: "UNIT", unit_off: 1, unit_type: id, effect: "ADD_NEW_ITEMS" });

/** All that a qualification finds: a tier, codes for everybody, and a wallet with codes of each kind. */
async function offers(made: World) {
  const { ok, code } = made;
  const rule = await ruleOf(made, "order.amount");
  const { id: mug } = await ok("POST /v1/products", { name: "Mug" });
  await tierOf(made, { discount: unitOf(mug) }, [rule]);
  await code(`A-${next()}`, { validation_rules: [rule] });
  await holdFive(made, `H-${next()}`);
  const kinds = [
    ["DISCOUNT_COUPONS", { type: "DISCOUNT_VOUCHER", discount, redemption: { quantity: 3 } }],
    ["GIFT_VOUCHERS", { type: "GIFT_VOUCHER", gift: { amount: 1000 } }],
    ["REFERRAL_PROGRAM", { type: "DISCOUNT_VOUCHER", discount, is_referral_code: true }],
  ] as const;
  for (const [campaign_type, body] of kinds) {
    const campaign = await ok("POST /v1/campaigns", { name: `K ${next()}`, campaign_type, voucher: body });
    const one = `K-${next()}`;
    await ok(`POST /v1/campaigns/${campaign.id}/vouchers/${one}`, {});
    await ok("POST /v1/publications", { voucher: one, customer: { source_id: "anna" } });
  }
  await ok("POST /v1/campaigns", {
    ...{ name: `E ${next()}`, campaign_type: "DISCOUNT_COUPONS", type: "STANDALONE" },
    voucher: { type: "DISCOUNT_VOUCHER", discount, code: `E-${next()}` },
  });
  const club = await ok("POST /v1/loyalties", {
    ...{ name: `L ${next()}`, voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 1000 } } },
  });
  await ok(`POST /v1/loyalties/${club.id}/members`, { customer: { source_id: "anna" } });
}

const qualify =
  ({ send }: World, scenario: string, more: object = {}) =>
  () =>
    send("POST /v1/qualifications", { scenario, ...CART, ...more });

/** Nothing is locked. The credentials are checked meanwhile. Where a request waits twice, the table says what for. */
const READS: (Form & { for?: string })[] = [
  {
    name: "a validation of a code",
    trips: 1,
    setUp: async (made) => validate(made, [voucher(await made.code(`C-${next()}`))]),
  },
  {
    name: "a validation of a code that has rules",
    trips: 1,
    setUp: async (made) => {
      const validation_rules = [await ruleOf(made, "order.amount")];
      return validate(made, [voucher(await made.code(`C-${next()}`, { validation_rules }))]);
    },
  },
  {
    name: "a validation of five codes of a campaign with a rule",
    trips: 1,
    setUp: (made) => validateCampaign(made, { rule: "order.amount" }),
  },
  {
    name: "a validation of five codes of a campaign with a rule and a limit, of which sessions may hold some",
    trips: 1,
    setUp: (made) => validateCampaign(made, { rule: "order.amount", quantity: 5 }),
  },
  {
    name: "a validation of a code with a limit, of which sessions hold some",
    trips: 1,
    setUp: async (made) => {
      const one = `C-${next()}`;
      await holdFive(made, one);
      return validate(made, [voucher(one)]);
    },
  },
  {
    name: "a validation of five codes of a campaign with a rule about what it counts",
    trips: 1,
    setUp: (made) => validateCampaign(made, { rule: "campaign.redemptions.count" }),
  },
  {
    name: "a validation of a gift card",
    trips: 1,
    setUp: async (made) => {
      const one = `G-${next()}`;
      await made.ok(`POST /v1/vouchers/${one}`, { type: "GIFT_VOUCHER", gift: { amount: 1000 } });
      return validate(made, [voucher(one, { gift: { credits: 10 } })]);
    },
  },
  {
    name: "a validation of a loyalty card",
    trips: 1,
    setUp: async (made) => {
      const { id } = await made.ok("POST /v1/products", { name: "Mug" });
      return validate(made, [(await cardWithReward(made.ok, { parameters: { product: { id } } })).redeemable]);
    },
  },
  {
    name: "a validation of a code in a wallet",
    trips: 1,
    setUp: async (made) => {
      const one = await made.code(`C-${next()}`);
      await made.ok("POST /v1/publications", { voucher: one, customer: { source_id: "anna" } });
      return validate(made, [voucher(one)]);
    },
  },
  {
    name: "a validation of a referral code",
    trips: 1,
    setUp: async (made) => {
      const one = `R-${next()}`;
      const body = { type: "DISCOUNT_VOUCHER", discount, is_referral_code: true };
      const campaign = await made.ok("POST /v1/campaigns", {
        ...{ name: one, campaign_type: "REFERRAL_PROGRAM", voucher: body },
      });
      await made.ok(`POST /v1/campaigns/${campaign.id}/vouchers/${one}`, {});
      await made.ok("POST /v1/publications", { voucher: one, customer: { source_id: `ann ${one}` } });
      return validate(made, [voucher(one)]);
    },
  },
  {
    name: "a validation of a tier",
    trips: 1,
    setUp: async (made) => validate(made, [await tierOf(made)]),
  },
  {
    name: "a validation of a tier whose rule looks at what it counts",
    trips: 1,
    setUp: async (made) =>
      validate(made, [await tierOf(made, { discount }, [await ruleOf(made, "redemption.count.per_api_key")])]),
  },
  {
    name: "a validation of a tier that adds a product",
    trips: 1,
    setUp: async (made) => {
      const { id } = await made.ok("POST /v1/products", { name: "Mug" });
      return validate(made, [await tierOf(made, { discount: unitOf(id) })]);
    },
  },
  {
    name: "a validation of a code, with SKUs in the order",
    trips: 1,
    setUp: async (made) => {
      const one = await made.code(`C-${next()}`);
      const { id } = await made.ok("POST /v1/products", { name: "Mug" });
      const sku = await made.ok(`POST /v1/products/${id}/skus`, { sku: "Blue", source_id: `sku ${id}` });
      const items = [sku.id, sku.source_id].map((sku_id) => ({ sku_id, quantity: 1, price: 100 }));
      const order = { amount: 200, items };
      return () => made.send("POST /v1/validations", { redeemables: [voucher(one)], order });
    },
  },
  {
    name: "a validation of a code that adds a product",
    trips: 2,
    for: "the code, which names the product",
    setUp: async (made) => {
      const { id } = await made.ok("POST /v1/products", { name: "Mug" });
      return validate(made, [voucher(await made.code(`C-${next()}`, { discount: unitOf(id) }))]);
    },
  },
  {
    name: "a validation of a code whose rule counts what a customer redeemed",
    trips: 2,
    for: "the code and the customer, of whom it is counted",
    setUp: async (made) => {
      const validation_rules = [await ruleOf(made, "redemption.count.per_customer")];
      return validate(made, [voucher(await made.code(`C-${next()}`, { validation_rules }))]);
    },
  },
  {
    name: "a validation of a code whose rule looks at a segment of customers' own fields",
    trips: 1,
    setUp: async (made) =>
      validate(made, [voucher(await codeOfSegment(made, { "metadata.vip": { conditions: { $is: [true] } } }))]),
  },
  {
    name: "a validation of a code whose rule looks at a segment of what customers bought",
    trips: 2,
    for: "the customer, and what the segment looks at",
    setUp: async (made) => validate(made, [voucher(await codeOfSegment(made, BOUGHT))]),
  },
  {
    name: "a validation of a code whose rule limits units of a product over time",
    trips: 2,
    for: "the code and the cart, of which it is counted",
    setUp: async (made) => {
      const { id } = await made.ok("POST /v1/products", { name: "Mug" });
      const included = [{ object: "product", id, product_campaign_quantity_limit: 5 }];
      const rule = await made.ok("POST /v1/validation-rules", {
        ...{ name: `r ${next()}`, applicable_to: { included, included_all: false } },
      });
      return validate(made, [voucher(await made.code(`C-${next()}`, { validation_rules: [rule.id] }))]);
    },
  },
  ...[
    ...["ALL", "CUSTOMER_WALLET", "AUDIENCE_ONLY", "PRODUCTS", "PRODUCTS_DISCOUNT", "PROMOTION_STACKS"],
    ...["PRODUCTS_BY_CUSTOMER", "PRODUCTS_DISCOUNT_BY_CUSTOMER"],
  ].map((scenario) => ({
    name: `a qualification: ${scenario}`,
    trips: 1,
    setUp: async (made: World) => {
      await offers(made);
      return qualify(made, scenario);
    },
  })),
  {
    name: "a qualification: ALL, of a project with a tier only",
    trips: 1,
    setUp: async (made) => {
      await tierOf(made);
      return qualify(made, "ALL");
    },
  },
  {
    name: "a qualification: ALL, the best deals first",
    trips: 1,
    setUp: async (made) => {
      await offers(made);
      return qualify(made, "ALL", { options: { sorting_rule: "BEST_DEAL" } });
    },
  },
  {
    name: "a qualification: ALL, and a rule looks at what tiers count",
    trips: 2,
    for: "the cart, which says which tiers may apply",
    setUp: async (made) => {
      await offers(made);
      await tierOf(made, { discount }, [await ruleOf(made, "redemption.count.per_api_key")]);
      return qualify(made, "ALL");
    },
  },
  {
    name: "a qualification: ALL, and a rule looks at a segment of what customers bought",
    trips: 2,
    for: "the customer, and what the segment looks at",
    setUp: async (made) => {
      await offers(made);
      await codeOfSegment(made, BOUGHT);
      return qualify(made, "ALL");
    },
  },
  {
    name: "a qualification: ALL, of a code that adds a product which no promotion adds",
    trips: 2,
    for: "the code, which names the product",
    setUp: async (made) => {
      await offers(made);
      const { id } = await made.ok("POST /v1/products", { name: "Mug" });
      await made.code(`C-${next()}`, { discount: unitOf(id) });
      return qualify(made, "ALL");
    },
  },
  {
    name: "a qualification: ALL, with a session",
    trips: 2,
    for: "the codes of which the session may hold some",
    setUp: async (made) => {
      await offers(made);
      return qualify(made, "ALL", { session: { type: "LOCK", key: "s" } });
    },
  },
  {
    name: "a qualification: ALL, of 101 codes of which none can be used",
    trips: 2,
    for: "the first 100 codes, which do not fill the page",
    setUp: async (made) => {
      const validation_rules = [await ruleOf(made, "order.amount", { $less_than: [1] })];
      for (let n = 0; n < 101; n += 1) await made.code(`N-${next()}`, { validation_rules });
      return qualify(made, "ALL");
    },
  },
];
for (const { name, trips, for: reason, setUp } of READS)
  test(`a lone request waits ${trips === 1 ? "once" : `${trips} times, for ${reason}`}, and locks nothing: ${name}`, async () => {
    const made = await world();
    await made.ok("POST /v1/customers", { source_id: "anna" });
    const send = await setUp(made);
    for (let n = 0; n < WARM; n += 1) await send();
    for (const one of [credentials, lanes]) one.begin();
    // While this is held, no credentials are answered: what is read meanwhile does not wait for them.
    let isAnswered = false;
    let answer: Promise<unknown> = Promise.resolve();
    await db.begin(async (tx) => {
      await tx`lock table keys in access exclusive mode`;
      answer = send().then(() => {
        isAnswered = true;
      });
      await until("everything is read", () => lanes.seen().trips === trips && !lanes.isAsking());
      assert.equal(isAnswered, false, "nobody is answered who was not checked");
    });
    await answer;
    assert.equal(lanes.seen().trips, trips);
  });

/** What is locked, in the order of ARCHITECTURE.md, and what is read behind the locks. */
const LOCKS = [/pg_advisory_xact_lock/, /insert into sessions/, ...["customers", "orders", "vouchers"].map(lockOf)];
const BEHIND = [/from voucher_states/, /from session_sums/, /from validation_rule_assignments|join validation_rule/];
function lockOf(table: string): RegExp {
  return new RegExp(`from ${table}[^;]*for no key update`);
}

test("locks go out in the one order that all flows keep, and what is read of codes goes out behind them", async () => {
  const { ok, project } = await testShop(db);
  const texts: string[] = [];
  const hot = open({ max: 1, onQuery: (text: string) => texts.push(text) });
  const send: Ok = okOf((await testEngine(db, project, { hot })).call);
  await ok("POST /v1/vouchers/CODE", { type: "DISCOUNT_VOUCHER", discount, redemption: { quantity: 100 } });
  await ok("POST /v1/customers", { source_id: "anna" });
  const body = {
    redeemables: [voucher("CODE")],
    customer: { source_id: "anna" },
    order: { source_id: "o-1", amount: 10_000 },
    session: { type: "LOCK", key: "s" },
  };
  const order = (patterns: readonly RegExp[]) => patterns.map((one) => texts.findIndex((text) => one.test(text)));
  for (const operation of ["validations", "redemptions"]) {
    texts.length = 0;
    await send(`POST /v1/${operation}`, body, { "idempotency-key": operation });
    const locks = operation === "validations" ? LOCKS.filter((_, n) => n !== 2 && n !== 3) : LOCKS;
    const seen = order(locks);
    assert.ok(
      seen.every((at) => at >= 0),
      `${operation}: ${seen}`,
    );
    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => a - b),
      operation,
    );
    for (const at of order(BEHIND)) assert.ok(at > seen.at(-1)!, `${operation}: ${at} behind ${seen}`);
  }
});

/** What a rollback locks: counters of tiers decide, so they come before codes. */
const UNDOING = ["customers", "orders", "counters", "vouchers"].map(lockOf);
const OF_REDEMPTIONS = /^\s*select (?:r\.)?id\b[^(]*from redemptions[^;]*for no key update/;

for (const withTier of [false, true])
  test(`locks of a rollback go out in the same order: ${withTier ? "with a tier" : "of codes"}`, async () => {
    const { ok, project } = await testShop(db);
    const texts: string[] = [];
    const hot = open({ max: 1, onQuery: (text: string) => texts.push(text) });
    const send: Ok = okOf((await testEngine(db, project, { hot })).call);
    for (const one of ["CODE", "OTHER"]) await ok(`POST /v1/vouchers/${one}`, { type: "DISCOUNT_VOUCHER", discount });
    const promotion = { tiers: [{ name: "t", banner: "b", action: { discount } }] };
    const made = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION", promotion });
    const tier = { object: "promotion_tier", id: made.promotion.tiers[0].id };
    const { parent_redemption } = await ok("POST /v1/redemptions", {
      redeemables: [withTier ? tier : voucher("OTHER"), voucher("CODE")],
      customer: { source_id: "anna" },
      order: { source_id: "o-1", amount: 10_000 },
    });
    texts.length = 0;
    await send(`POST /v1/redemptions/${parent_redemption.id}/rollbacks`, {});
    // With a tier the first message locks no code and no redemption: they are locked by what comes after it.
    const locks = withTier ? UNDOING : UNDOING.filter((_, n) => n !== 2);
    const seen = [...locks, OF_REDEMPTIONS].map((one) => texts.findLastIndex((text) => one.test(text)));
    assert.ok(
      seen.every((at) => at >= 0),
      `${seen}`,
    );
    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => a - b),
    );
  });

test("a webhook that listens costs a redemption one statement, and one that listens to other things none", async () => {
  const { ok, project } = await testShop(db);
  const texts: string[] = [];
  const hot = open({ max: 1, onQuery: (text: string) => texts.push(text) });
  const send: Ok = okOf((await testEngine(db, project, { hot })).call);
  await ok("POST /v1/vouchers/CODE", { type: "DISCOUNT_VOUCHER", discount });
  const path = `/management/v1/projects/${project.id}/webhooks`;
  const statements = async (): Promise<string[]> => {
    const body = { redeemables: [voucher("CODE")], order: { amount: 10_000 } };
    for (let n = 0; n < 3; n += 1) await send("POST /v1/redemptions", body);
    texts.length = 0;
    await send("POST /v1/redemptions", body);
    return [...texts];
  };
  const without = await statements();
  const target_url = "https://shop.example/hooks";
  const { id } = await ok(`POST ${path}`, { target_url, events: ["customer.rewarded", "voucher.updated"] });
  assert.deepEqual(await statements(), without, "it listens to other things");
  await ok(`PUT ${path}/${id}`, { target_url, events: ["redemption.succeeded"] });
  const heard = await statements();
  assert.equal(heard.filter((text) => text.includes("insert into webhook_deliveries")).length, 1);
  assert.equal(heard.length, without.length + 1);
  await ok(`PUT ${path}/${id}`, { target_url, events: ["redemption.succeeded"], active: false });
  assert.deepEqual(await statements(), without, "it does not listen any more");
});

test("what the requests above ask is planned once", skipOnCitus("its machines plan what they are sent"), async () => {
  const planned = await lanes.pool<{ statement: string; custom: number; generic: number }[]>`
    select statement, custom_plans::int as custom, generic_plans::int as generic from pg_prepared_statements`;
  assert.ok(planned.filter(({ generic }) => generic > 5).length > 50, `${planned.length} statements`);
  assert.deepEqual(
    planned.filter(({ custom }) => custom > 0),
    [],
  );
});

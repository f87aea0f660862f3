import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FORMS } from "../../src/steps/checkout/redemption-answer.ts";
import { testDatabase } from "../support/engine.ts";
import { type Ok, testShop } from "../support/shop.ts";

const { db } = await testDatabase();

/** A shop that has some of everything that the answer of a redemption shows. */
async function world() {
  const { project, call, ok, engine } = await testShop(db);
  const percent = (percent_off: number) => ({ type: "PERCENT", percent_off });
  const category = await ok("POST /v1/categories", { name: "Sale", hierarchy: 1 });
  await ok("POST /v1/products", { source_id: "shoe", name: "Shoe", price: 1000, metadata: { b: 1, aa: 2 } });
  const campaign = await ok("POST /v1/campaigns", {
    name: "Summer",
    campaign_type: "DISCOUNT_COUPONS",
    category_id: category.id,
    start_date: "2025-01-01T00:00:00Z",
    expiration_date: "2027-01-01T00:00:00Z",
    voucher: { type: "DISCOUNT_VOUCHER", discount: percent(10), redemption: { quantity: null } },
  });
  await ok(`POST /v1/campaigns/${campaign.id}/vouchers/SUMMER`, { metadata: { long_name: 1, b: { z: 1, a: 2 } } });
  await ok("POST /v1/vouchers/FIVE", { type: "DISCOUNT_VOUCHER", discount: percent(5) });
  await ok("POST /v1/vouchers/GIFT", { type: "GIFT_VOUCHER", gift: { amount: 9000, balance: 9000 } });
  const unit = { type: "UNIT", unit_off: 1, unit_type: "shoe", effect: "ADD_NEW_ITEMS" };
  const { id: shoe } = await ok("GET /v1/products/shoe");
  await ok("POST /v1/vouchers/FREE", { type: "DISCOUNT_VOUCHER", discount: { ...unit, unit_type: shoe } });
  const promo = await ok("POST /v1/campaigns", {
    name: "Promo",
    campaign_type: "PROMOTION",
    promotion: {
      tiers: [7, 3].map((off) => ({ name: `Tier ${off}`, banner: "Less", action: { discount: percent(off) } })),
    },
  });
  const [tier, second] = promo.promotion.tiers.map(({ id }: { id: string }) => id) as [string, string];
  const tiers = { ids: [tier, second] };
  const { id: stack } = await ok(`POST /v1/promotions/${promo.id}/stacks`, { name: "Both", tiers });
  const friends = await ok("POST /v1/campaigns", {
    name: "Friends",
    campaign_type: "REFERRAL_PROGRAM",
    voucher: { type: "DISCOUNT_VOUCHER", discount: percent(4), is_referral_code: true },
    referral_program: { conversion_event_type: "redemption" },
  });
  await ok(`POST /v1/campaigns/${friends.id}/vouchers/FRIEND`, {});
  await ok("POST /v1/publications", { voucher: "FRIEND", customer: { source_id: "zoe", name: "Zoe" } });
  const club = await setUpClub(ok);
  const redeemables: Record<string, object> = {
    GIFT: { object: "voucher", id: "GIFT", gift: { credits: 50 } },
    COIN: { object: "voucher", id: "CARD", reward: { id: club.coin, points: 20 } },
    FILL: { object: "voucher", id: "CARD", reward: { id: club.fill } },
    [tier]: { object: "promotion_tier", id: tier },
    [stack]: { object: "promotion_stack", id: stack },
  };
  const sent = new Map<string, { line: string; body: object; text: string }>();
  const send = async (line: string, body: object) => {
    const key = `key-${sent.size}`;
    const { status, text } = await call(line, body, { "Idempotency-Key": key });
    assert.equal(status, 200, text);
    sent.set(key, { line, body, text });
    return JSON.parse(text);
  };
  const redeem = (codes: readonly string[], more: object) =>
    send("POST /v1/redemptions", {
      redeemables: codes.map((id) => redeemables[id] ?? { object: "voucher", id }),
      ...more,
    });
  const again = async (key: string) => {
    const { line, body } = sent.get(key)!;
    return call(line, body, { "Idempotency-Key": key });
  };
  const repeatAll = async (when: string) => {
    for (const [key, { line, text }] of sent) {
      const reply = await again(key);
      assert.equal(reply.text, text, `${line} ${when}`);
      assert.equal(reply.headers["idempotent-replayed"], "true");
    }
  };
  const keptOf = async (key: string) =>
    (
      await db`select status, body, made_of, bytes, sha256 from idempotency_keys
      where project_id = ${project.id} and key = ${key}`
    )[0] as any;
  const promotions = { promo, tiers, tier, stack, friends };
  return {
    project,
    call,
    ok,
    engine,
    campaign,
    category,
    ...promotions,
    club,
    send,
    redeem,
    again,
    repeatAll,
    sent,
    keptOf,
  };
}

/** A card of Anna, and one of Zoe, that points pay with and buy a gift card of another campaign. Paid orders bring points. */
async function setUpClub(ok: Ok) {
  const gifts = await ok("POST /v1/campaigns", {
    name: "Gifts",
    type: "AUTO_UPDATE",
    voucher: { type: "GIFT_VOUCHER", gift: { amount: 10 } },
  });
  const voucher = { type: "LOYALTY_CARD", loyalty_card: { points: 5000 } };
  const { id } = await ok("POST /v1/loyalties", { name: "Club", voucher });
  for (const [code, customer] of [
    ["CARD", ANNA],
    ["OTHER", { source_id: "zoe" }],
  ] as const) {
    await ok(`POST /v1/campaigns/${id}/vouchers/${code}`, { metadata: { b: 1, aa: 2 } });
    await ok("POST /v1/publications", { voucher: code, customer });
  }
  const reward = async (name: string, parameters: object, price: object) => {
    const made = await ok("POST /v1/rewards", { name, parameters, metadata: { b: 1, aa: 2 } });
    await ok(`POST /v1/rewards/${made.id}/assignments`, { campaign: id, ...price });
    return made.id as string;
  };
  const coin = await reward("Money", { coin: { exchange_ratio: 1, points_ratio: 3 } }, {});
  const campaign = { id: gifts.id, type: "GIFT_VOUCHERS", balance: 7 };
  const fill = await reward("Card", { campaign }, { parameters: { loyalty: { points: 40 } } });
  const order = { amount: { every: 100, points: 1 } };
  const loyalty = { type: "PROPORTIONAL", calculation_type: "ORDER_AMOUNT", order };
  await ok(`POST /v1/loyalties/${id}/earning-rules`, [{ event: "order.paid", loyalty, source: { banner: "b" } }]);
  return { id: id as string, gifts: gifts.id as string, coin, fill };
}
const ANNA = { source_id: "anna", name: "Anna", email: "anna@shop.example", metadata: { shoe: 42, a: 1 } };
const ITEMS = [
  { source_id: "shoe", related_object: "product", quantity: 2, metadata: { size: 1, a: 2 } },
  { source_id: "unheard-of", related_object: "product", quantity: 1, price: 777, product: { name: "Other" } },
];
const METADATA = { store: "Berlin", b: 1, a: { z: 1, a: [] } };

/** Something of everything that is answered with a success. */
async function redeemAll({ redeem, send, tier, stack, club }: Awaited<ReturnType<typeof world>>) {
  const customer = ANNA;
  const made = [
    await redeem(["SUMMER"], { order: { items: ITEMS, metadata: METADATA }, customer, metadata: METADATA }),
    await redeem(["FIVE"], { order: { amount: 3000, source_id: "o-1" }, customer }),
    await redeem(["GIFT"], { order: { source_id: "o-1" } }),
    await redeem(["SUMMER", "GIFT", "FREE"], { order: { items: ITEMS, source_id: "o-2" }, customer }),
    await redeem([tier], { order: { items: ITEMS } }),
    await redeem([tier, "FIVE"], { order: { amount: 500 }, tracking_id: "guest-1" }),
    await redeem(["FIVE"], {}),
    await redeem(["FREE"], { customer }),
    await redeem([stack], { order: { items: ITEMS }, customer }),
    await redeem(["FRIEND"], { order: { amount: 700 }, customer }),
    await redeem(["COIN"], { order: { amount: 3000, source_id: "o-4" }, customer }),
    await redeem(["COIN", "SUMMER"], { order: { items: ITEMS } }),
    await redeem(["FILL"], { customer, metadata: METADATA }),
  ];
  await send("POST /v1/vouchers/SUMMER/redemption", { order: { items: ITEMS }, customer, metadata: METADATA });
  await send("POST /v1/vouchers/GIFT/redemption", { order: { amount: 500 }, gift: { credits: 10 } });
  await send(`POST /v1/promotions/tiers/${tier}/redemption`, { order: { amount: 500 }, customer });
  await send("POST /v1/loyalties/members/CARD/redemption", { reward: { id: club.fill } });
  return made.map(({ parent_redemption, redemptions }) => (parent_redemption ?? redemptions[0]).id as string);
}

test("the key of a redemption has no line of its order, and its answer is repeated to the byte", async () => {
  const shop = await world();
  await redeemAll(shop);
  for (const [key, { line, text }] of shop.sent) {
    const { body, made_of, bytes, sha256 } = await shop.keptOf(key);
    assert.equal(body, null, line);
    assert.deepEqual([bytes, sha256.length], [Buffer.byteLength(text), 32]);
    if (key === "key-0") {
      assert.equal(JSON.stringify(made_of).includes("unheard-of"), false);
      assert.ok(JSON.stringify(made_of).length < text.length / 4, JSON.stringify(made_of));
    }
  }
  await shop.repeatAll("at once");
});

test("an answer is repeated to the byte whatever becomes of all that it shows", async () => {
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat()), async (dice) => {
      const shop = await world();
      const { ok, call, campaign, category, promo, tiers, stack, friends, club, redeem } = shop;
      const ids = await redeemAll(shop);
      const { orders } = await ok("GET /v1/orders?limit=100");
      const pick = <T>(list: readonly T[]): T => list[dice.next().value! % list.length]!;
      const edits: Record<string, () => Promise<unknown>> = {
        "the campaign was renamed": () =>
          ok(`PUT /v1/campaigns/${campaign.id}`, { name: `Winter ${dice.next().value}` }),
        "the campaign was moved in time": () =>
          ok(`PUT /v1/campaigns/${campaign.id}`, { expiration_date: "2028-01-01T00:00:00Z" }),
        "the category was renamed": () => ok(`PUT /v1/categories/${category.id}`, { name: "Else", hierarchy: 7 }),
        "the code was changed": () => ok("PUT /v1/vouchers/SUMMER", { metadata: { later: 1 }, active: true }),
        "the gift card was filled": () => ok("POST /v1/vouchers/GIFT/balance", { amount: 100 }),
        "the code was redeemed again": () => redeem(["GIFT"], { order: { source_id: pick(["o-1", "o-2", "o-3"]) } }),
        "the code was deleted": () => call(`DELETE /v1/vouchers/FIVE?force=${pick([true, false])}`),
        "the product was renamed": () => ok("PUT /v1/products/shoe", { name: "Boot", price: 5 }),
        "the customer was renamed": () =>
          ok("POST /v1/customers", { source_id: "anna", name: `Ann ${dice.next().value}`, metadata: { more: 1 } }),
        "an order was changed": () =>
          ok(`PUT /v1/orders/${pick(orders as any[]).id}`, { status: "FULFILLED", metadata: { n: dice.next().value } }),
        "an order lost its lines": () => ok(`PUT /v1/orders/${pick(orders as any[]).id}`, { items: [], amount: 7 }),
        "it was rolled back": () => call(`POST /v1/redemptions/${pick(ids)}/rollbacks`, {}),
        "the campaign was deleted": () => call(`DELETE /v1/campaigns/${campaign.id}`),
        "the stack was renamed": () =>
          ok(`PUT /v1/promotions/${promo.id}/stacks/${stack}`, { name: `All ${dice.next().value}`, tiers }),
        "the referral code was changed": () => ok("PUT /v1/vouchers/FRIEND", { metadata: { later: 1 } }),
        "the referral program was renamed": () =>
          ok(`PUT /v1/campaigns/${friends.id}`, { name: `Friends ${dice.next().value}` }),
        "the club was renamed": () => ok(`PUT /v1/loyalties/${club.id}`, { name: `Club ${dice.next().value}` }),
        "a reward was renamed": () =>
          ok(`PUT /v1/rewards/${pick([club.coin, club.fill])}`, { name: `Reward ${dice.next().value}` }),
        "points were added": () => ok("POST /v1/loyalties/members/CARD/balance", { points: 11 }),
        "points were moved": () => {
          const [to, code] = pick([
            ["CARD", "OTHER"],
            ["OTHER", "CARD"],
          ] as const);
          const moved = [{ code, points: 5, source_id: `moved ${dice.next().value}` }];
          return ok(`POST /v1/loyalties/${club.id}/members/${to}/transfers`, moved);
        },
        "points were spent": () => redeem(["COIN"], { order: { source_id: pick(["o-1", "o-2", "o-4"]) } }),
        "the gifts were renamed": () => ok(`PUT /v1/campaigns/${club.gifts}`, { name: `Gifts ${dice.next().value}` }),
        "the tier was renamed": () => ok(`PUT /v1/promotions/tiers/${shop.tier}`, { name: "Other", banner: "More" }),
      };
      const customer = (await ok("GET /v1/customers/anna")).id;
      const names = Object.keys(edits);
      for (let n = 0; n < 20; n += 1) {
        const name = pick(names);
        await edits[name]!().catch((error) => {
          // What was deleted before cannot be changed, and need not be.
          assert.match(String(error), /: 4\d\d |was deleted/, name);
        });
      }
      await shop.repeatAll("after all was changed");
      await ok(`DELETE /v1/customers/${customer}`);
      await shop.repeatAll("after the customer was deleted");
    }),
    { numRuns: 4 },
  );
});

test("the answers of an erased customer are gone, and those of others are repeated", async () => {
  const shop = await world();
  await redeemAll(shop);
  // With Anna's order, and by a friend of hers.
  await shop.redeem(["FIVE"], { order: { source_id: "o-2" }, customer: { source_id: "ben" } });
  await shop.redeem(["FIVE"], {
    order: { amount: 9, referrer: { source_id: "anna" } },
    customer: { source_id: "ben" },
  });
  const { id: anna } = await shop.ok("GET /v1/customers/anna");
  await shop.ok("POST /v1/customers/anna/permanent-deletion");
  const gone: string[] = [];
  for (const [key, { text }] of shop.sent) {
    const reply = await shop.again(key);
    if (reply.text === text) continue;
    assert.deepEqual([reply.status, reply.body.key], [404, "not_found"], key);
    const kept = await shop.keptOf(key);
    assert.deepEqual([kept.made_of, kept.bytes, kept.sha256], [null, null, null]);
    gone.push(key);
  }
  const named = [...shop.sent].filter(([, { text }]) => text.includes(anna));
  assert.deepEqual(
    gone,
    named.map(([key]) => key),
  );
});

test("an answer that cannot be made again is a 500, which is counted, and never another answer", async () => {
  const shop = await world();
  await shop.redeem(["SUMMER"], { order: { items: ITEMS }, customer: ANNA });
  const count = async () =>
    (await shop.engine.metrics.registry.getSingleMetric("laurel_idempotency_mismatches_total")!.get()).values[0]!.value;
  const before = await count();
  await db`update orders set amount = amount + 1 where project_id = ${shop.project.id}`;
  const { status, body, headers } = await shop.again("key-0");
  assert.deepEqual([status, body.key, headers["idempotent-replayed"]], [500, "internal_server_error", undefined]);
  assert.equal(await count(), before + 1);
  await db`update orders set amount = amount - 1 where project_id = ${shop.project.id}`;
  await shop.repeatAll("when it was mended");
  await db`delete from redemptions where project_id = ${shop.project.id}`;
  assert.equal((await shop.again("key-0")).status, 500);
});

test("an answer is made again in the form that it was taken apart in", async () => {
  const shop = await world();
  const { expected } = FORMS[0]!;
  await redeemAll(shop);
  FORMS.push({ form: 2, expected: (...given) => ({ news: true, ...expected(...given) }) });
  try {
    await shop.redeem(["SUMMER"], { order: { items: ITEMS }, customer: ANNA });
    const last = `key-${shop.sent.size - 1}`;
    assert.equal((await shop.keptOf(last)).made_of.form, 2);
    await shop.repeatAll("with a new form");
    FORMS.splice(0, 1);
    assert.equal((await shop.again("key-0")).status, 500, "nobody knows its form any more");
    assert.equal((await shop.again(last)).status, 200);
  } finally {
    FORMS.splice(0, FORMS.length, { form: 1, expected });
  }
});

test("refusals and what client applications are shown are kept as they were sent", async () => {
  const shop = await world();
  const body = { redeemables: [{ object: "voucher", id: "nobody" }], order: { amount: 100 } };
  const headers = { "Idempotency-Key": "refused" };
  const first = await shop.call("POST /v1/redemptions", body, headers);
  assert.equal((await shop.call("POST /v1/redemptions", body, headers)).text, first.text);
  const { body: kept, made_of } = await shop.keptOf("refused");
  assert.deepEqual([kept, made_of], [first.text, null]);
});

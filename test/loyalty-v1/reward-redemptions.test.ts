import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase, testEngine, testProject } from "../support/engine.ts";
import { ok, testShop } from "../support/shop.ts";

const { db } = await testDatabase();
type Call = Awaited<ReturnType<typeof testEngine>>["call"];

type Setup = { points?: number; quantity?: number | null };

/** A loyalty campaign whose members begin with so many points, and one member. */
async function club({ points = 1000, quantity = null }: Setup = {}) {
  const project = await testProject(db);
  const engine = await testEngine(db, project);
  const { call } = engine;
  const campaign = await ok(call, "POST /v1/loyalties", {
    name: "Club",
    type: "AUTO_UPDATE",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points }, redemption: { quantity } },
  });
  const join = async (source_id: string): Promise<{ code: string; id: string }> =>
    (await ok(call, "POST /v1/publications", { campaign: { name: "Club" }, customer: { source_id } })).voucher;
  const reward = async (body: object, assigned: object | null, to = campaign.id) => {
    const made = await ok(call, "POST /v1/rewards", { name: "A reward", ...body });
    const assignment = await ok(call, `POST /v1/rewards/${made.id}/assignments`, {
      campaign: to,
      parameters: assigned,
    });
    return { id: made.id as string, assignment: assignment.id as string };
  };
  const coin = (exchange_ratio: number, points_ratio: number) =>
    reward({ parameters: { coin: { exchange_ratio, points_ratio } } }, null);
  const material = async (cost: number, stock: number | null = null) => {
    const { id } = await ok(call, "POST /v1/products", { name: "Mug" });
    return reward({ parameters: { product: { id } }, stock }, { loyalty: { points: cost } });
  };
  const balance = async (code: string): Promise<number> =>
    (await ok(call, `GET /v1/vouchers/${code}`)).loyalty_card.balance;
  const types = async (code: string): Promise<string[]> =>
    (await ok(call, `GET /v1/vouchers/${code}/transactions`)).data.map(({ type }: { type: string }) => type);
  return { ...engine, project, call, campaign, join, reward, coin, material, balance, types };
}

const spend = (code: string, reward: object, more: object = {}) => ({
  redeemables: [{ object: "voucher", id: code, reward }],
  ...more,
});
const items = (amount: number) => ({ amount });

test("points pay a part of the order, and the redemption shows the reward", async () => {
  const { call, coin, join, balance, types } = await club();
  const { code, id } = await join("anna");
  const reward = await coin(20, 100);
  const product = await ok(call, "POST /v1/products", { name: "Shoe", price: 22500 });
  const order = {
    items: [
      { product: { name: "no price" }, quantity: 1 },
      { product_id: product.id, quantity: 2 },
    ],
  };
  const { redemptions, order: final } = await ok(
    call,
    "POST /v1/redemptions",
    spend(code, { id: reward.id, points: 100 }, { order, customer: { source_id: "anna" } }),
  );
  const [made] = redemptions;
  assert.deepEqual(
    [final.amount, final.discount_amount, final.total_discount_amount, final.total_amount, final.status],
    [45000, 2000, 2000, 43000, "PAID"],
  );
  assert.deepEqual([final.applied_discount_amount, final.total_applied_discount_amount], [2000, 2000]);
  assert.deepEqual([made.amount, made.loyalty_card, made.related_object_id], [100, { points: 100 }, id]);
  const { customer, created_at, updated_at, ...shown } = made.reward;
  assert.equal(customer.source_id, "anna");
  assert.deepEqual(shown, {
    id: reward.id,
    assignment_id: reward.assignment,
    name: "A reward",
    type: "COIN",
    parameters: { coin: { exchange_ratio: 20, points_ratio: 100 } },
    product: null,
    sku: null,
    loyalty_tier_id: null,
    object: "reward",
    voucher: null,
  });
  assert(created_at && updated_at === null);
  assert.deepEqual((await ok(call, `GET /v1/redemptions/${made.id}`)).reward, made.reward);
  assert.equal(await balance(code), 900);
  const voucher = await ok(call, `GET /v1/vouchers/${code}`);
  assert.deepEqual([voucher.redemption.redeemed_quantity, voucher.redemption.redeemed_points], [1, 100]);
  assert.deepEqual(await types(code), ["POINTS_REDEMPTION"]);
  const [told] = (await ok(call, `GET /v1/vouchers/${code}/transactions`)).data;
  assert.deepEqual(told.details.reward, { id: reward.id, name: "A reward" });
  assert.deepEqual([told.details.redemption, told.details.order.id], [{ id: made.id }, final.id]);
  assert.deepEqual([told.details.balance.points, told.details.balance.balance], [-100, 900]);
  assert.equal((await ok(call, `GET /v1/rewards/${reward.id}`)).redeemed, 1);
});

test("each reward takes its price, and the holder redeems when nobody is named", async () => {
  const { call, material, join, balance } = await club({ points: 8000 });
  const { code } = await join("anna");
  const dear = await material(1113);
  const cheap = await material(1);
  const two = await material(2);
  for (const [{ id }, left] of [
    [dear, 6887],
    [cheap, 6886],
    [two, 6884],
  ] as const) {
    const made = await ok(call, `POST /v1/loyalties/members/${code}/redemption`, { reward: { id } });
    assert.deepEqual([made.customer.source_id, made.reward.customer.source_id, made.order], ["anna", "anna", null]);
    assert.equal(made.voucher.loyalty_card.balance, left);
    assert.equal(await balance(code), left);
  }
});

test("an order is paid with no more points than it takes, and without a number with as many as there are", async () => {
  const { call, coin, join, balance } = await club({ points: 300 });
  const { code } = await join("anna");
  const { id } = await coin(20, 100);
  const first = await ok(call, "POST /v1/redemptions", spend(code, { id, points: 200 }, { order: items(3950) }));
  assert.deepEqual([first.redemptions[0].amount, first.order.total_amount], [198, 0]);
  const second = await ok(call, "POST /v1/redemptions", spend(code, { id }, { order: items(5000) }));
  assert.deepEqual([second.redemptions[0].amount, second.order.total_amount], [102, 2960]);
  assert.equal(await balance(code), 0);
});

test("what is missing or too little refuses, is kept as a failure, and changes nothing", async () => {
  const { call, coin, material, join, balance, reward, campaign } = await club({ points: 100 });
  const { code } = await join("anna");
  const money = await coin(1, 1);
  const dear = await material(101);
  const other = await ok(call, "POST /v1/loyalties", {
    name: "Other",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 1 } },
  });
  const elsewhere = await reward({ parameters: { coin: { exchange_ratio: 1 } } }, null, other.id);
  const order = items(5000);
  for (const [body, status, key] of [
    [spend(code, {}, { order }), 400, "missing_reward"],
    [spend(code, { id: money.id }), 400, "missing_order"],
    [spend(code, { id: money.id }, { order: {} }), 400, "missing_amount"],
    [spend(code, { id: money.id, points: 101 }, { order }), 400, "loyalty_card_points_exceeded"],
    [spend(code, { id: dear.id }), 400, "loyalty_card_points_exceeded"],
    [spend(code, { id: elsewhere.id }, { order }), 404, "not_found"],
    [spend(code, { id: "rew_none" }, { order }), 404, "not_found"],
    [spend(code, { id: money.id }, { order, customer: { source_id: "bert" } }), 400, "invalid_customer"],
    [spend(code, { id: money.id }, { order, tracking_id: "nobody" }), 400, "invalid_customer"],
  ] as const) {
    const reply = await call("POST /v1/redemptions", body);
    assert.deepEqual([reply.status, reply.body.key], [status, key], reply.text);
    const kept = await ok(call, `GET /v1/redemptions/${reply.body.resource_id}`);
    assert.deepEqual([kept.result, kept.failure_code, kept.reward], ["FAILURE", key, undefined]);
  }
  const older = await call(`POST /v1/loyalties/members/${code}/redemption`, {});
  assert.equal(older.body.key, "missing_reward");
  assert.equal(await balance(code), 100);
  assert.equal((await ok(call, `GET /v1/vouchers/${code}`)).redemption.redeemed_quantity, 0);
  const loose = await ok(call, `POST /v1/campaigns/${campaign.id}/vouchers`, {});
  const nobodys = await call("POST /v1/redemptions", spend(loose.code, { id: money.id }, { order }));
  assert.equal(nobodys.body.key, "invalid_customer");
  assert.equal((await call(`POST /v1/vouchers/${code}/disable`)).status, 200);
  assert.equal(
    (await call(`POST /v1/loyalties/members/${code}/redemption`, { reward: money })).body.key,
    "voucher_disabled",
  );
});

test("a member is a loyalty card, of the campaign that is named", async () => {
  const { call, material, join, campaign } = await club();
  const { code, id: voucherId } = await join("anna");
  const { id } = await material(10);
  const reward = { id };
  for (const path of [`members/${code}`, `Club/members/${code}`, `${campaign.id}/members/${voucherId}`])
    await ok(call, `POST /v1/loyalties/${path}/redemption`, { reward });
  await ok(call, "POST /v1/loyalties", {
    name: "Other",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 1 } },
  });
  await ok(call, "POST /v1/vouchers/SALE", { discount: { type: "AMOUNT", amount_off: 1 } });
  for (const path of [`Other/members/${code}`, `None/members/${code}`, "members/NONE", "members/SALE"]) {
    const reply = await call(`POST /v1/loyalties/${path}/redemption`, { reward });
    assert.deepEqual([reply.status, reply.body.resource_type], [404, "voucher"], path);
  }
  const { call: stranger } = await testShop(db);
  assert.equal((await stranger(`POST /v1/loyalties/members/${code}/redemption`, { reward })).status, 404);
});

test("paying with points is a step of a stack: what comes after it is of what is left", async () => {
  const { call, coin, material, join } = await club();
  const { code } = await join("anna");
  const { id } = await coin(1, 1);
  await ok(call, "POST /v1/vouchers/HALF", { discount: { type: "PERCENT", percent_off: 50 } });
  const body = {
    redeemables: [
      { object: "loyalty_card", id: code, reward: { id, points: 10 } },
      { object: "voucher", id: "HALF" },
    ],
    order: items(3000),
  };
  const valid = await ok(call, "POST /v1/validations", body);
  assert.deepEqual([valid.valid, valid.redeemables[0].result.loyalty_card], [true, { points: 10 }]);
  const made = await ok(call, "POST /v1/redemptions", body);
  assert.deepEqual([made.order.total_discount_amount, made.order.total_amount], [2000, 1000]);
  assert.deepEqual(
    made.redemptions.map((one: { order: { total_applied_discount_amount: number } }) => [
      one.order.total_applied_discount_amount,
    ]),
    [[1000], [1000]],
  );
  const mug = await material(4);
  const bought = await ok(call, "POST /v1/redemptions", {
    redeemables: [
      { object: "voucher", id: "HALF" },
      { object: "voucher", id: code, reward: { id: mug.id } },
    ],
    order: items(100),
  });
  assert.deepEqual(bought.redemptions[1].loyalty_card, { points: 4 });
  assert.equal(bought.redemptions[1].order.total_applied_discount_amount ?? 0, 0);
  assert.equal(bought.order.total_amount, 50);
});

test("the older validation of a card tells what its reward costs, and refuses one without a reward", async () => {
  const { call, coin, join, balance } = await club();
  const { code } = await join("anna");
  const { id, assignment } = await coin(1, 10);
  const validate = (body: object) => call(`POST /v1/vouchers/${code}/validate`, body);
  const { body } = await validate({ reward: { id, points: 25 }, order: { amount: 1000 } });
  assert.deepEqual([body.valid, body.loyalty, body.order.total_amount], [true, { points_cost: 25 }, 750]);
  assert.deepEqual(body.reward, { id, assignment_id: assignment, points: 25 });
  const missing = await validate({ order: { amount: 1000 } });
  assert.deepEqual([missing.status, missing.body.key], [400, "missing_reward"]);
  const other = await validate({ reward: { id }, order: { amount: 1000 }, customer: { source_id: "bert" } });
  assert.deepEqual([other.body.valid, other.body.error.key], [false, "invalid_customer"]);
  assert.equal(await balance(code), 1000);
});

test("names that cannot be stored, and numbers that cannot be counted, are refused or not there", async () => {
  const { call, coin, join } = await club();
  const { code } = await join("anna");
  const { id } = await coin(1, 10);
  const order = { amount: 1000 };
  for (const [reward, status] of [
    [{ id: "rew_\u0000" }, 404],
    [{ id: "\ud800" }, 404],
    [{ id, points: -1 }, 400],
    [{ id, points: 1e300 }, 400],
    [{ id, points: 2 ** 53 - 1 }, 400],
    [{ id, points: "5" }, 400],
    ["rew", 400],
  ] as const) {
    for (const line of ["POST /v1/redemptions", `POST /v1/loyalties/members/${code}/redemption`]) {
      const reply = await call(
        line,
        line.endsWith("ns") ? spend(code, reward as object, { order }) : { reward, order },
      );
      assert(reply.status === status || reply.status === 400, `${line} ${JSON.stringify(reward)}: ${reply.text}`);
    }
  }
  assert.equal((await call("POST /v1/loyalties/members/%00/redemption", { reward: { id }, order })).status, 400);
  assert.equal((await call(`GET /v1/loyalties/members/none/rewards`)).status, 404);
  assert.equal((await call(`GET /v1/loyalties/members/${code}/rewards?affordable_only=maybe`)).status, 400);
});

test("a tier changes the price, or leaves the reward out", async () => {
  const { call, campaign, coin, material, join } = await club({ points: 100 });
  const { code } = await join("anna");
  const [mug, pen, cup, money] = [await material(90), await material(10), await material(20), await coin(1, 1)];
  await ok(call, `POST /v1/loyalties/${campaign.id}/tiers`, [
    {
      name: "Low",
      points: { from: 1 },
      rewards: {
        [mug.assignment]: { type: "CUSTOM", points: 5 },
        [pen.assignment]: { type: "MULTIPLY", multiplier: 1.55 },
        [cup.assignment]: { type: "NOT_AVAILABLE" },
        [money.assignment]: { type: "MULTIPLY", multiplier: 2 },
      },
    },
  ]);
  const prices = async (query = "") =>
    (await ok(call, `GET /v1/loyalties/members/${code}/rewards${query}`)).data.map(
      ({ reward, assignment, object }: never) => [
        object,
        (reward as { id: string }).id,
        (assignment as { parameters?: { loyalty: { points: number } } }).parameters?.loyalty.points ??
          (reward as { parameters: { coin: { points_ratio: number } } }).parameters.coin.points_ratio,
      ],
    );
  assert.deepEqual(await prices(), [
    ["loyalty_reward", mug.id, 5],
    ["loyalty_reward", pen.id, 15],
    ["loyalty_reward", money.id, 2],
  ]);
  const pay = async (id: string, more = {}) => {
    const reply = await call("POST /v1/redemptions", spend(code, { id }, more));
    return reply.body.redemptions?.[0].amount ?? reply.body.key;
  };
  assert.equal(await pay(mug.id), 5);
  assert.equal(await pay(pen.id), 15);
  assert.equal(await pay(cup.id), "not_found");
  assert.equal(await pay(money.id, { order: items(3000) }), 60);
  // 20 are left: all of it is still in the tier.
  assert.deepEqual(await prices("?affordable_only=true"), await prices());
  assert.equal(await pay(pen.id), 15);
  assert.deepEqual(await prices("?affordable_only=true"), [
    ["loyalty_reward", mug.id, 5],
    ["loyalty_reward", money.id, 2],
  ]);
});

test("of a material reward no more is redeemed than there is, and a rollback brings it back", async () => {
  const { call, material, join, balance } = await club();
  const { code } = await join("anna");
  const { id } = await material(10, 2);
  const redeem = () => call("POST /v1/redemptions", spend(code, { id }));
  const stock = async () => {
    const { stock: left, redeemed } = await ok(call, `GET /v1/rewards/${id}`);
    return [left, redeemed];
  };
  const first = (await redeem()).body.redemptions[0];
  assert.equal((await redeem()).status, 200);
  const valid = await ok(call, "POST /v1/validations", spend(code, { id }));
  assert.equal(valid.redeemables[0].result.error.key, "reward_out_of_stock");
  const out = await redeem();
  assert.deepEqual([out.status, out.body.key], [423, "reward_out_of_stock"]);
  assert.deepEqual([await stock(), await balance(code)], [[0, 2], 980]);
  await ok(call, `POST /v1/redemptions/${first.id}/rollback`);
  assert.deepEqual([await stock(), await balance(code)], [[1, 1], 990]);
  assert.equal((await redeem()).status, 200);
});

/** A campaign whose codes are given for points. */
const codes = (call: Call, name: string, voucher: object, more: object = {}) =>
  ok(call, "POST /v1/campaigns", { name, type: "AUTO_UPDATE", voucher, ...more });
const kinds = (rows: { type: string }[]) => rows.map(({ type }) => type).sort();

test("a reward of a discount campaign gives the holder a code of it", async () => {
  const { call, reward, join, balance } = await club();
  const { code } = await join("anna");
  const coupons = await codes(call, "Coupons", {
    type: "DISCOUNT_VOUCHER",
    discount: { type: "AMOUNT", amount_off: 500 },
  });
  const parameters = { campaign: { id: coupons.id, type: "DISCOUNT_COUPONS" } };
  const { id } = await reward({ parameters }, { loyalty: { points: 100 } });
  const made = (await ok(call, "POST /v1/redemptions", spend(code, { id }))).redemptions[0];
  const { voucher } = made.reward;
  assert.deepEqual([made.amount, voucher.campaign, voucher.type], [100, "Coupons", "DISCOUNT_VOUCHER"]);
  const given = await ok(call, `GET /v1/vouchers/${voucher.code}`);
  assert.deepEqual([given.id, given.holder_id, given.publish.count], [voucher.id, made.customer_id, 1]);
  assert.equal(await balance(code), 900);
  const { publications } = await ok(call, "GET /v1/publications?campaign=Coupons");
  assert.deepEqual(
    publications.map((one: { voucher: { code: string } }) => one.voucher.code),
    [voucher.code],
  );
  const again = (await ok(call, `POST /v1/loyalties/members/${code}/redemption`, { reward: { id } })).reward;
  assert.notEqual(again.voucher.id, voucher.id);
  const activity = await ok(call, `GET /v1/customers/${made.customer_id}/activity?limit=100`);
  for (const kind of ["rewarded", "reward_redemptions.created", "reward_redemptions.completed"])
    assert(kinds(activity.data).includes(`customer.${kind}`), kind);
});

test("a campaign that has no code to give refuses, and no points are spent", async () => {
  const { call, reward, join, balance } = await club();
  const { code } = await join("anna");
  const discount = { type: "AMOUNT", amount_off: 500 };
  const last = await ok(call, "POST /v1/campaigns", {
    name: "Last",
    type: "STATIC",
    vouchers_count: 1,
    voucher: { type: "DISCOUNT_VOUCHER", discount },
  });
  const once = await codes(call, "Once", { type: "DISCOUNT_VOUCHER", discount }, { join_once: true });
  await ok(call, `POST /v1/campaigns/${last.id}/vouchers/LAST`, {});
  for (const campaign of [last, once]) {
    const parameters = { campaign: { id: campaign.id, type: "DISCOUNT_COUPONS" } };
    const { id } = await reward({ parameters }, { loyalty: { points: 100 } });
    let given = 0;
    for (;;) {
      const reply = await call("POST /v1/redemptions", spend(code, { id }));
      if (reply.status === 200) given += 1;
      else {
        assert.deepEqual([reply.status, reply.body.key], [400, "no_voucher_suitable_for_publication"], reply.text);
        break;
      }
      assert(given < 5);
    }
    assert(given >= 1);
  }
  const { total } = await ok(call, "GET /v1/redemptions?result=SUCCESS");
  assert.equal(await balance(code), 1000 - 100 * total);
});

test("a reward of a gift campaign fills up the card that the holder has, and gives one who has none", async () => {
  const { call, reward, join } = await club();
  const { code } = await join("anna");
  const gifts = await codes(call, "Gifts", { type: "GIFT_VOUCHER", gift: { amount: 50 } });
  const parameters = { campaign: { id: gifts.id, type: "GIFT_VOUCHERS", balance: 200 } };
  const { id } = await reward({ parameters }, { loyalty: { points: 100 } });
  const first = (await ok(call, "POST /v1/redemptions", spend(code, { id }))).redemptions[0].reward.voucher;
  const second = (await ok(call, "POST /v1/redemptions", spend(code, { id }))).redemptions[0].reward.voucher;
  assert.equal(first.id, second.id);
  const card = await ok(call, `GET /v1/vouchers/${first.code}`);
  assert.deepEqual([card.gift.balance, card.gift.amount, card.publish.count], [450, 450, 1]);
  const { data } = await ok(call, `GET /v1/vouchers/${first.code}/transactions`);
  assert.deepEqual(kinds(data), ["CREDITS_ADDITION", "CREDITS_ADDITION"]);
});

test("a reward of another loyalty campaign puts points on the holder's card of it, and makes one who has none", async () => {
  const { call, reward, join, balance } = await club();
  const { code } = await join("anna");
  const miles = await ok(call, "POST /v1/loyalties", {
    name: "Miles",
    type: "AUTO_UPDATE",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 5 } },
  });
  const parameters = { campaign: { id: miles.id, type: "LOYALTY_PROGRAM", balance: 70 } };
  const { id } = await reward({ parameters }, { loyalty: { points: 100 } });
  const first = (await ok(call, "POST /v1/redemptions", spend(code, { id }))).redemptions[0].reward.voucher;
  assert.equal(await balance(first.code), 75);
  const second = (await ok(call, "POST /v1/redemptions", spend(code, { id }))).redemptions[0].reward.voucher;
  assert.equal(second.id, first.id);
  assert.deepEqual([await balance(first.code), await balance(code)], [145, 800]);
});

test("several rewards of campaigns in one batch each find what those before them left", async () => {
  const { call, reward, join, balance } = await club({ points: 500 });
  const cards = [await join("anna"), await join("bert")];
  const gifts = await codes(call, "Gifts", { type: "GIFT_VOUCHER", gift: { amount: 0 } });
  const parameters = { campaign: { id: gifts.id, type: "GIFT_VOUCHERS", balance: 10 } };
  const { id } = await reward({ parameters }, { loyalty: { points: 100 } });
  const replies = await Promise.all(
    Array.from({ length: 16 }, (_, n) => call("POST /v1/redemptions", spend(cards[n % 2]!.code, { id }))),
  );
  assert.equal(replies.filter(({ status }) => status === 200).length, 10);
  for (const { code } of cards) assert.equal(await balance(code), 0);
  const { vouchers } = await ok(call, "GET /v1/vouchers?campaign=Gifts");
  assert.deepEqual(
    vouchers.map((one: { gift: { balance: number } }) => one.gift.balance),
    [50, 50],
  );
});

test("64 at once on a card with points for 10: ten are redeemed, and the last piece of a reward once", async () => {
  const { call, material, join, balance } = await club({ points: 100 });
  const { code } = await join("anna");
  const { id } = await material(10);
  const all = (request: () => ReturnType<Call>) => Promise.all(Array.from({ length: 64 }, request));
  const replies = await all(() => call("POST /v1/redemptions", spend(code, { id })));
  assert.equal(replies.filter(({ status }) => status === 200).length, 10);
  assert(replies.every(({ status, body }) => status === 200 || body.key === "loyalty_card_points_exceeded"));
  assert.equal(await balance(code), 0);
  assert.equal((await ok(call, `GET /v1/rewards/${id}`)).redeemed, 10);
  const cards = await Promise.all(["bert", "carl", "dora", "eva"].map((name) => join(name)));
  const last = await material(1, 1);
  let n = 0;
  const raced = await all(() => call("POST /v1/redemptions", spend(cards[n++ % 4]!.code, { id: last.id })));
  assert.equal(raced.filter(({ status }) => status === 200).length, 1);
  assert(raced.every(({ status, body }) => status === 200 || body.key === "reward_out_of_stock"));
  assert.equal((await ok(call, `GET /v1/rewards/${last.id}`)).stock, 0);
});

test("the same request with the same key spends points once", async () => {
  const { call, material, join, balance } = await club();
  const { code } = await join("anna");
  const { id } = await material(10);
  const request = () =>
    call(`POST /v1/loyalties/members/${code}/redemption`, { reward: { id } }, { "idempotency-key": "once" });
  const [one, two] = await Promise.all([request(), request()]);
  assert.deepEqual([one.status, one.text], [200, two.text]);
  assert.equal(await balance(code), 990);
});

test("what a session holds of a card cannot be spent by others", async () => {
  const { call, material, join } = await club({ points: 15 });
  const { code } = await join("anna");
  const { id } = await material(10);
  const session = { type: "LOCK", key: "s" };
  await ok(call, "POST /v1/validations", spend(code, { id }, { session }));
  const other = await call("POST /v1/redemptions", spend(code, { id }));
  assert.equal(other.body.key, "loyalty_card_points_exceeded");
  await ok(call, "POST /v1/redemptions", spend(code, { id }, { session }));
});

test("a rollback puts points back where they came from, and those that are over by now into a bucket of the day", async () => {
  let now = "2026-01-10T12:00:00Z";
  const { call, project } = await (async () => {
    const made = await testProject(db);
    return { ...(await testEngine(db, made, { now: () => now })), project: made };
  })();
  assert(project);
  const campaign = await ok(call, "POST /v1/loyalties", {
    name: "Club",
    type: "AUTO_UPDATE",
    voucher: {
      type: "LOYALTY_CARD",
      loyalty_card: { points: 10, expiration_rules: { period_type: "MONTH", period_value: 1 } },
    },
  });
  const { voucher } = await ok(call, "POST /v1/publications", {
    campaign: { name: "Club" },
    customer: { source_id: "anna" },
  });
  const { code } = voucher;
  const low = [{ name: "Low", points: { from: 1 } }];
  const [tier] = await ok(call, `POST /v1/loyalties/${campaign.id}/tiers`, low);
  const product = await ok(call, "POST /v1/products", { name: "Mug" });
  const { id } = await ok(call, "POST /v1/rewards", { name: "R", parameters: { product: { id: product.id } } });
  await ok(call, `POST /v1/rewards/${id}/assignments`, {
    campaign: campaign.id,
    parameters: { loyalty: { points: 15 } },
  });
  now = "2026-01-20T12:00:00Z";
  await ok(call, `POST /v1/loyalties/members/${code}/balance`, { points: 10 });
  const redeem = async () => (await ok(call, "POST /v1/redemptions", spend(code, { id }))).redemptions[0].id;
  const buckets = async () =>
    (await ok(call, `GET /v1/loyalties/${campaign.id}/members/${code}/points-expiration`)).data
      .map((one: { bucket: { total_points: number }; expires_at: string }) => [one.expires_at, one.bucket.total_points])
      .filter(([, points]: [string, number]) => points > 0);
  const before = await buckets();
  assert.deepEqual(before, [
    ["2026-02-10", 10],
    ["2026-02-20", 10],
  ]);
  const first = await redeem();
  assert.deepEqual(await buckets(), [["2026-02-20", 5]]);
  const back = await ok(call, `POST /v1/redemptions/${first}/rollback`);
  assert.deepEqual([back.amount, back.loyalty_card, back.reward.id], [-15, { points: -15 }, id]);
  assert.deepEqual(await buckets(), before);
  const second = await redeem();
  now = "2026-02-15T12:00:00Z";
  await ok(call, `POST /v1/redemptions/${second}/rollback`);
  assert.deepEqual(await buckets(), [
    ["2026-02-15", 10],
    ["2026-02-20", 10],
  ]);
  const tiers = async () =>
    (await ok(call, `GET /v1/loyalties/members/${code}/tiers`)).data.map((t: { id: string }) => t.id);
  assert.deepEqual(await tiers(), [tier.id]);
  const { data } = await ok(call, `GET /v1/vouchers/${code}/transactions?limit=100`);
  assert.deepEqual(kinds(data), [
    "POINTS_ADDITION",
    "POINTS_REDEMPTION",
    "POINTS_REDEMPTION",
    "POINTS_REFUND",
    "POINTS_REFUND",
  ]);
  const refund = data.find((one: { type: string }) => one.type === "POINTS_REFUND");
  assert.deepEqual([refund.details.reward, refund.details.redemption.id], [{ id, name: "R" }, second]);
  assert(refund.details.rollback.id);
  now = "2026-02-16T12:00:00Z";
  const left = await ok(call, `GET /v1/loyalties/members/${code}`);
  assert.deepEqual([left.loyalty_card.balance, left.loyalty_card.expired_points], [10, 10]);
});

test("spending points leaves a tier, and the rollback brings it back", async () => {
  const { call, campaign, material, join } = await club({ points: 100 });
  const { code } = await join("anna");
  const [tier] = await ok(call, `POST /v1/loyalties/${campaign.id}/tiers`, [{ name: "Top", points: { from: 95 } }]);
  const { id } = await material(10);
  const tiers = async () =>
    (await ok(call, `GET /v1/loyalties/members/${code}/tiers`)).data.map((t: { id: string }) => t.id);
  const made = (await ok(call, "POST /v1/redemptions", spend(code, { id }))).redemptions[0];
  assert.deepEqual(await tiers(), []);
  await ok(call, `POST /v1/redemptions/${made.id}/rollback`);
  assert.deepEqual(await tiers(), [tier.id]);
  const activity = await ok(call, `GET /v1/customers/${made.customer_id}/activity?limit=100`);
  const moved = kinds(activity.data).filter((kind) => kind.startsWith("customer.loyalty.tier."));
  assert.deepEqual(moved, [
    "customer.loyalty.tier.joined",
    "customer.loyalty.tier.joined",
    "customer.loyalty.tier.left",
  ]);
});

test("rules of an assignment decide who gets the reward", async () => {
  const { call, campaign, join } = await club();
  const { code } = await join("anna");
  const rules = { 1: { name: "order.amount", conditions: { $more_than_or_equal: [1000] } }, logic: "1" };
  const rule = await ok(call, "POST /v1/validation-rules", { name: "r", rules });
  const reward = await ok(call, "POST /v1/rewards", { name: "R", parameters: { coin: { exchange_ratio: 1 } } });
  await ok(call, `POST /v1/loyalties/${campaign.id}/rewards`, [{ reward: reward.id, validation_rules: [rule.id] }]);
  const redeem = (amount: number) =>
    call("POST /v1/redemptions", spend(code, { id: reward.id, points: 1 }, { order: { amount } }));
  assert.equal((await redeem(999)).body.key, "order_rules_violated");
  assert.equal((await redeem(1000)).status, 200);
});

test("redemptions of points are listed with their reward, also of the card and of the customer", async () => {
  const { call, material, join } = await club();
  const { code } = await join("anna");
  const { id } = await material(10);
  const made = (await ok(call, "POST /v1/redemptions", spend(code, { id }))).redemptions[0];
  const { redemptions } = await ok(call, "GET /v1/redemptions?customer=anna");
  assert.deepEqual([redemptions[0].reward, redemptions[0].loyalty_card], [made.reward, { points: 10 }]);
  const own = await ok(call, `GET /v1/vouchers/${code}/redemption`);
  assert.deepEqual([own.redeemed_quantity, own.redeemed_points, own.redemption_entries[0].id], [1, 10, made.id]);
});

test("a rollback takes back what the reward brought, as far as it is there", async () => {
  const { call, reward, join, balance } = await club();
  const { code } = await join("anna");
  const discount = { type: "AMOUNT", amount_off: 500 };
  const coupons = await codes(call, "Coupons", { type: "DISCOUNT_VOUCHER", discount });
  const gifts = await codes(call, "Gifts", { type: "GIFT_VOUCHER", gift: { amount: 0 } });
  const miles = await ok(call, "POST /v1/loyalties", {
    name: "Miles",
    type: "AUTO_UPDATE",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 5 } },
  });
  const given = async (campaign: object) =>
    (await reward({ parameters: { campaign } }, { loyalty: { points: 100 } })).id;
  const coupon = await given({ id: coupons.id, type: "DISCOUNT_COUPONS" });
  const gift = await given({ id: gifts.id, type: "GIFT_VOUCHERS", balance: 200 });
  const points = await given({ id: miles.id, type: "LOYALTY_PROGRAM", balance: 70 });
  const redeem = async (id: string) => (await ok(call, "POST /v1/redemptions", spend(code, { id }))).redemptions[0];
  const back = ({ id }: { id: string }) => ok(call, `POST /v1/redemptions/${id}/rollback`);

  const [used, unused] = [await redeem(coupon), await redeem(coupon)];
  await ok(call, `POST /v1/vouchers/${used.reward.voucher.code}/redemption`, { order: { amount: 1000 } });
  for (const one of [used, unused]) await back(one);
  assert.equal((await call(`GET /v1/vouchers/${used.reward.voucher.code}`)).status, 200);
  assert.equal((await call(`GET /v1/vouchers/${unused.reward.voucher.code}`)).status, 404);

  const [first, second] = [await redeem(gift), await redeem(gift)];
  const card = first.reward.voucher.code;
  const credits = async () => (await ok(call, `GET /v1/vouchers/${card}`)).gift.balance;
  await back(first);
  assert.equal(await credits(), 200);
  await ok(call, `POST /v1/vouchers/${card}/redemption`, { gift: { credits: 1 }, order: { amount: 100 } });
  await back(second);
  assert.equal(await credits(), 0, "some of it is spent: the rest goes back");

  const bought = await redeem(points);
  assert.equal(await balance(bought.reward.voucher.code), 75);
  await back(bought);
  assert.equal(await balance(bought.reward.voucher.code), 5);
  assert.equal(await balance(code), 1000);
});

test("a reward whose campaign was deleted is refused by every operation, and no longer offered", async () => {
  const { call, reward, join, balance } = await club();
  const { code } = await join("anna");
  const gifts = await codes(call, "Gifts", { type: "GIFT_VOUCHER", gift: { amount: 50 } });
  const parameters = { campaign: { id: gifts.id, type: "GIFT_VOUCHERS", balance: 200 } };
  const { id } = await reward({ parameters }, { loyalty: { points: 100 } });
  const offered = async () => (await ok(call, `GET /v1/loyalties/members/${code}/rewards`)).total;
  assert.equal(await offered(), 1);
  await call(`DELETE /v1/campaigns/${gifts.id}`);
  const order = { amount: 1000 };
  for (const [line, body] of [
    ["POST /v1/redemptions", spend(code, { id }, { order })],
    [`POST /v1/loyalties/members/${code}/redemption`, { reward: { id } }],
    [`POST /v1/vouchers/${code}/redemption`, { reward: { id }, customer: { source_id: "anna" } }],
  ] as const) {
    const reply = await call(line, body);
    assert.deepEqual([reply.status, reply.body.key], [400, "no_voucher_suitable_for_publication"], reply.text);
    const kept = await ok(call, `GET /v1/redemptions/${reply.body.resource_id}`);
    assert.deepEqual([kept.result, kept.failure_code], ["FAILURE", "no_voucher_suitable_for_publication"]);
  }
  const { valid, redeemables } = await ok(call, "POST /v1/validations", spend(code, { id }, { order }));
  assert.deepEqual([valid, redeemables[0].status], [false, "INAPPLICABLE"]);
  assert.equal(redeemables[0].result.error.key, "no_voucher_suitable_for_publication");
  assert.equal(await offered(), 0);
  assert.equal(await balance(code), 1000);
});

test("the answer of a rollback shows the card with the points that came back", async () => {
  const { call, material, join } = await club({ points: 100 });
  const { code } = await join("anna");
  const { id } = await material(10);
  const made = (await ok(call, "POST /v1/redemptions", spend(code, { id }))).redemptions[0];
  const points = ({ voucher: { loyalty_card } }: any) => [loyalty_card.points, loyalty_card.balance];
  assert.deepEqual(points(made), [100, 90]);
  const back = await ok(call, `POST /v1/redemptions/${made.id}/rollback`);
  assert.deepEqual(points(back), [100, 100]);
  assert.deepEqual((await ok(call, `GET /v1/redemptions/${made.id}`)).voucher.loyalty_card.balance, 90);
});

test("who does not hold the card is told so, and the failure tells the same", async () => {
  const { call, material, join, campaign } = await club();
  const { code } = await join("anna");
  const { id } = await material(10);
  const loose = await ok(call, `POST /v1/campaigns/${campaign.id}/vouchers`, {});
  const message = "Customer must be a holder of a loyalty card.";
  for (const [body, about] of [
    [spend(code, { id }, { customer: { source_id: "bert" } }), code],
    [spend(loose.code, { id }), loose.code],
  ] as const) {
    const { body: refused } = await call("POST /v1/redemptions", body);
    assert.deepEqual([refused.key, refused.message, refused.details], ["invalid_customer", message, about]);
    assert.equal((await ok(call, `GET /v1/redemptions/${refused.resource_id}`)).failure_message, message);
  }
  const { body: refused } = await call(`POST /v1/loyalties/members/${loose.code}/balance`, { points: 5 });
  assert.deepEqual([refused.key, refused.message, refused.details], ["invalid_customer", message, loose.code]);
});

test("points that pay for nothing are not redeemed", async () => {
  const { call, coin, join, balance } = await club();
  const { code } = await join("anna");
  const [money, dust] = [await coin(1, 1), await coin(1, 1000)];
  for (const [reward, amount] of [
    [{ id: money.id, points: 0 }, 1000],
    [{ id: money.id }, 0],
    [{ id: money.id, points: 5 }, 0],
    [{ id: dust.id, points: 9 }, 1000],
  ] as const) {
    const { status, body } = await call("POST /v1/redemptions", spend(code, reward, { order: { amount } }));
    assert.deepEqual([status, body.key], [400, "invalid_amount"], JSON.stringify(reward));
    assert.equal((await ok(call, `GET /v1/redemptions/${body.resource_id}`)).result, "FAILURE");
  }
  assert.equal((await ok(call, "GET /v1/redemptions?result=SUCCESS")).total, 0);
  assert.equal(await balance(code), 1000);
  assert.equal((await ok(call, `GET /v1/vouchers/${code}`)).redemption.redeemed_quantity, 0);
});

test("what was covered before leaves nothing for points of a stack to pay, and none are spent", async () => {
  const { call, coin, join, balance } = await club();
  const { code } = await join("anna");
  const { id } = await coin(1, 1);
  await ok(call, "POST /v1/vouchers/ALL", { discount: { type: "PERCENT", percent_off: 100 } });
  const all = { object: "voucher", id: "ALL" };
  await ok(call, "POST /v1/redemptions", {
    redeemables: [all, { object: "voucher", id: code, reward: { id } }],
    order: items(1000),
  });
  assert.equal(await balance(code), 1000);
});

test("a redemption shows what its reward is of: the product, and the tier of the card", async () => {
  const { call, campaign, join, reward } = await club({ points: 100 });
  const { code } = await join("anna");
  const product = await ok(call, "POST /v1/products", { name: "Mug" });
  const sku = await ok(call, `POST /v1/products/${product.id}/skus`, { sku: "Blue" });
  const loyalty = { loyalty: { points: 10 } };
  const mug = await reward({ parameters: { product: { id: product.id } } }, loyalty);
  const blue = await reward({ parameters: { product: { id: product.id, sku_id: sku.id } } }, loyalty);
  const shown = async (id: string) => {
    const made = (await ok(call, "POST /v1/redemptions", spend(code, { id }))).redemptions[0];
    assert.deepEqual((await ok(call, `GET /v1/redemptions/${made.id}`)).reward, made.reward);
    const { product: of, sku: one, loyalty_tier_id } = made.reward;
    return [of?.id ?? null, one?.id ?? null, loyalty_tier_id];
  };
  assert.deepEqual(await shown(mug.id), [product.id, null, null]);
  const [tier] = await ok(call, `POST /v1/loyalties/${campaign.id}/tiers`, [{ name: "Low", points: { from: 1 } }]);
  assert.deepEqual(await shown(blue.id), [product.id, sku.id, tier.id]);
});

test("a qualification tells all points that a card ever got, what is left of them, and what they are worth", async () => {
  const { call, material, coin, join } = await club({ points: 6500 });
  const { code } = await join("anna");
  const { id } = await material(1414);
  await ok(call, "POST /v1/redemptions", spend(code, { id }));
  const shown = async () => {
    const sent = { scenario: "CUSTOMER_WALLET", customer: { source_id: "anna" }, order: { amount: 1000 } };
    const { redeemables } = await ok(call, "POST /v1/qualifications", sent);
    return redeemables.data.find((one: { id: string }) => one.id === code).result.loyalty_card;
  };
  assert.deepEqual(await shown(), { points: 6500, balance: 5086 });
  await coin(20, 100);
  assert.deepEqual(await shown(), { points: 6500, balance: 5086, exchange_ratio: 20, points_ratio: 100 });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { addUse } from "../../src/core/vouchers/uses.ts";
import { INVARIANTS } from "../../src/db/invariants.ts";
import { saveUses } from "../../src/resources/promotions/vouchers/state-store.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { NOW, testDatabase } from "../support/engine.ts";
import {
  atMost,
  credits,
  errorsOf,
  inParallel,
  type Reply,
  type Request,
  sender,
  twoServers,
  voucher,
  type World,
  worldOf,
} from "../support/two-servers.ts";

// 64 clients over two server processes, all at once on the same thing. test/laws/mutants.test.ts takes each guard out and
// sees these tests fail.
const database = await testDatabase();
const { db, url } = database;
const servers = await twoServers(database);

type Race = {
  /** What is raced for. */
  name: string;
  /** An operation without which there is nothing to test yet. */
  needs?: string;
  setUp(world: World): Promise<(n: number) => Request>;
  calls?: number;
  /** How many of the calls must succeed. Null: that many as `check` finds right. */
  successes: number | null;
  /** The keys of the refusals that may come. */
  refusals: readonly string[];
  check?(world: World, replies: readonly Reply[]): Promise<void>;
};

const won = (replies: readonly Reply[]) => replies.filter(({ status }) => status === 200);
const quantityOf = async ({ ok }: World, code: string) =>
  (await ok(`GET /v1/vouchers/${code}`)).redemption.redeemed_quantity;
const kept = async ({ project }: World): Promise<number> =>
  (
    await db`select count(*) from redemptions where project_id = ${project.id} and result = 'SUCCESS'
      and object = 'redemption' and related_object_type <> 'redemption'`
  )[0]!.count;

const ofLimit = (limit: number, calls: number): Race => ({
  name: `a code that can be redeemed ${limit} times`,
  calls,
  successes: limit,
  refusals: ["quantity_exceeded"],
  setUp: async ({ code, redeeming }) => {
    await code("C", { redemption: { quantity: limit } });
    return (n) => (n % 4 === 0 ? { line: "POST /v1/vouchers/c/redemption", body: {} } : redeeming([voucher("C")]));
  },
  check: async (world) => {
    assert.equal(await quantityOf(world, "C"), limit);
    assert.equal(await kept(world), limit);
  },
});

/** Codes of a campaign: each call takes another code, so that only what the campaign counts holds them back. */
const ofCampaign = (name: string, rule: string, limit: number, successes: number): Race => ({
  name: `a campaign's ${name}`,
  successes,
  refusals: ["redemption_rules_violated"],
  setUp: async (world) => {
    await world.campaign("B", 64, { validation_rules: [await world.rule(atMost(rule, limit))] });
    return (n) => world.redeeming([voucher(`B-${n}`)]);
  },
  check: async (world) => assert.equal(await kept(world), successes),
});

const ofCustomer = (name: string, exists: boolean, limit: number): Race => ({
  name,
  calls: 128,
  successes: limit,
  refusals: ["redemption_rules_violated"],
  setUp: async ({ ok, rule, code, redeeming }) => {
    await code("C", { validation_rules: [await rule(atMost("redemption.count.per_customer", limit))] });
    const id = exists ? (await ok("POST /v1/customers", { source_id: "anna" })).id : null;
    return (n) => redeeming([voucher("C")], { customer: id && n % 2 === 0 ? { id } : { source_id: "anna" } });
  },
  check: async (world) => {
    assert.equal(await kept(world), limit);
    const [{ count }] = (await db`select count(*) from customers where project_id = ${world.project.id}`) as any;
    assert.equal(count, 1);
  },
});

/** A loyalty campaign with cards, `L-0` and so on, each of its own customer, and a reward for 10 points. */
async function club({ ok }: World, cards: number, points: number, reward: object) {
  const loyalty_card = { points };
  const { id } = await ok("POST /v1/loyalties", { name: "L", voucher: { type: "LOYALTY_CARD", loyalty_card } });
  for (let n = 0; n < cards; n += 1) {
    await ok(`POST /v1/campaigns/${id}/vouchers/L-${n}`, {});
    await ok("POST /v1/publications", { voucher: `L-${n}`, customer: { source_id: `holder ${n}` } });
  }
  const made = await ok("POST /v1/rewards", { name: "R", ...reward });
  await ok(`POST /v1/rewards/${made.id}/assignments`, { campaign: id, parameters: { loyalty: { points: 10 } } });
  return { id: made.id as string };
}
const material = async ({ ok }: World, stock: number | null = null) => ({
  parameters: { product: { id: (await ok("POST /v1/products", { name: "Mug" })).id } },
  stock,
});

const RACES: Race[] = [
  {
    name: "the points of a loyalty card",
    calls: 128,
    successes: 10,
    refusals: ["loyalty_card_points_exceeded"],
    setUp: async (world) => {
      const reward = await club(world, 1, 100, await material(world));
      return (n) =>
        n % 2 === 0
          ? { line: "POST /v1/loyalties/members/L-0/redemption", body: { reward } }
          : world.redeeming([voucher("L-0", { reward })]);
    },
    check: async ({ ok }) => {
      const { loyalty_card, redemption } = await ok("GET /v1/vouchers/L-0");
      assert.deepEqual([loyalty_card.balance, redemption.redeemed_points, redemption.redeemed_quantity], [0, 100, 10]);
    },
  },
  {
    name: "the last pieces of a reward, for several cards",
    calls: 64,
    successes: 3,
    refusals: ["reward_out_of_stock"],
    setUp: async (world) => {
      const reward = await club(world, 4, 1000, await material(world, 3));
      return (n) => world.redeeming([voucher(`L-${n % 4}`, { reward })]);
    },
    check: async ({ ok }) => {
      const { data } = await ok("GET /v1/rewards");
      assert.deepEqual([data[0].stock, data[0].redeemed], [0, 3]);
    },
  },
  {
    name: "codes that rewards bring, beside redemptions of them and rollbacks",
    calls: 128,
    successes: null,
    refusals: ["loyalty_card_points_exceeded", "gift_amount_exceeded", "already_rolled_back"],
    setUp: async (world) => {
      const { ok } = world;
      const voucherOf = { type: "GIFT_VOUCHER", gift: { amount: 1 } };
      const gifts = await ok("POST /v1/campaigns", { name: "G", type: "AUTO_UPDATE", voucher: voucherOf });
      const parameters = { campaign: { id: gifts.id, type: "GIFT_VOUCHERS", balance: 5 } };
      const reward = await club(world, 3, 100, { parameters });
      const made: any[] = [];
      for (const n of [0, 1, 2])
        made.push((await ok("POST /v1/redemptions", { redeemables: [voucher(`L-${n}`, { reward })] })).redemptions[0]);
      const cards = made.map((one) => one.reward.voucher.code as string);
      return (n) => {
        if (n % 16 === 15) return { line: `POST /v1/redemptions/${made[n % 3].id}/rollback`, body: {} };
        if (n % 4 === 3) return world.redeeming([credits(cards[n % 3]!, 1), credits(cards[(n + 1) % 3]!, 1)]);
        return world.redeeming([voucher(`L-${n % 3}`, { reward })]);
      };
    },
    check: async ({ ok }) => {
      for (const n of [0, 1, 2]) {
        const { loyalty_card, redemption } = await ok(`GET /v1/vouchers/L-${n}`);
        assert.equal(loyalty_card.balance, 100 - redemption.redeemed_points);
      }
    },
  },
  ofLimit(1, 64),
  ofLimit(10, 128),
  ofLimit(1000, 1100),
  {
    name: "the balance of a gift card",
    calls: 128,
    successes: 10,
    refusals: ["gift_amount_exceeded"],
    setUp: async ({ gift, redeeming }) => {
      await gift("CARD", 1000);
      return () => redeeming([credits("CARD", 100)]);
    },
    check: async ({ ok, project }) => {
      const card = await ok("GET /v1/vouchers/CARD");
      assert.deepEqual([card.gift.balance, card.redemption.redeemed_amount], [0, 1000]);
      const entries =
        await db`select balance from ledger_entries where project_id = ${project.id} order by balance desc`;
      assert.deepEqual(
        entries.map(({ balance }) => balance),
        [1000, 900, 800, 700, 600, 500, 400, 300, 200, 100, 0],
        "every balance was seen once",
      );
    },
  },
  ofCampaign("number of redemptions", "campaign.redemptions.count", 10, 10),
  ofCampaign("number of redemptions in a day", "campaign.redemptions.count.daily", 10, 10),
  ofCampaign("sum of orders", "campaign.orders.amount", 7500, 7),
  ofCampaign("sum of discounts", "campaign.orders.amount_discounted", 1250, 12),
  {
    name: "a campaign's sum of gift credits",
    successes: 10,
    refusals: ["redemption_rules_violated"],
    setUp: async (world) => {
      const card = { type: "GIFT_VOUCHER", gift: { amount: 100 } };
      const rule = await world.rule(atMost("redemption.gift.amount", 1000));
      await world.campaign("G", 64, { voucher: card, validation_rules: [rule] });
      return (n) => world.redeeming([credits(`G-${n}`, 100)]);
    },
    check: async (world) => assert.equal(await kept(world), 10),
  },
  {
    name: "a promotion tier that can be redeemed so often with an API key",
    successes: 10,
    refusals: ["redemption_rules_violated"],
    setUp: async ({ ok, rule }) => {
      const campaign = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
      const rules = [await rule(atMost("redemption.count.per_api_key", 10))];
      const action = { discount: { type: "AMOUNT", amount_off: 10 } };
      const tier = await ok(`POST /v1/promotions/${campaign.id}/tiers`, { name: "T", action, validation_rules: rules });
      return () => ({ line: `POST /v1/promotions/tiers/${tier.id}/redemption`, body: { order: { amount: 1000 } } });
    },
  },
  {
    name: "a code that can be redeemed so often with an API key",
    successes: 10,
    refusals: ["redemption_rules_violated"],
    setUp: async ({ rule, code, redeeming }) => {
      await code("C", { validation_rules: [await rule(atMost("redemption.count.per_api_key", 10))] });
      return () => redeeming([voucher("C")]);
    },
  },
  ofCustomer("a code that a customer can redeem so often, named by id and by source id", true, 3),
  ofCustomer("a code that a customer can redeem once, who is made by the redemption", false, 1),
  {
    name: "a campaign whose codes a customer can redeem once, who is made by the redemption",
    successes: 1,
    refusals: ["redemption_rules_violated"],
    setUp: async (world) => {
      const rule = await world.rule(atMost("campaign.redemptions.customers_count", 1));
      await world.campaign("B", 64, { validation_rules: [rule] });
      return (n) => world.redeeming([voucher(`B-${n}`)], { customer: { source_id: "anna" } });
    },
  },
  {
    name: "codes and cards that stacks name in different orders",
    calls: 256,
    successes: null,
    refusals: ["quantity_exceeded", "gift_amount_exceeded"],
    setUp: async ({ code, gift, redeeming }) => {
      for (const name of ["A", "B", "C", "D"]) await code(name, { redemption: { quantity: 40 } });
      for (const name of ["G", "H"]) await gift(name, 600);
      const all = [voucher("A"), voucher("B"), voucher("C"), voucher("D"), credits("G", 10), credits("H", 10)];
      return (n) => {
        const some = all.filter((_, i) => (n + i) % 3 !== 0);
        const turned = [...some.slice(n % some.length), ...some.slice(0, n % some.length)];
        return redeeming(n % 2 === 0 ? turned : turned.toReversed());
      };
    },
    check: async (world, replies) => {
      const sums = new Map<string, number>();
      for (const { body } of won(replies))
        for (const one of body.redemptions) {
          const { code } = one.voucher;
          sums.set(code, (sums.get(code) ?? 0) + 1);
        }
      for (const name of ["A", "B", "C", "D", "G", "H"])
        assert.equal(await quantityOf(world, name), sums.get(name), `${name} counts what was answered`);
      for (const name of ["G", "H"])
        assert.equal((await world.ok(`GET /v1/vouchers/${name}`)).gift.balance, 600 - 10 * sums.get(name)!);
      assert.ok(
        ["A", "B", "C", "D"].some((name) => sums.get(name) === 40),
        "at least one code was used up",
      );
    },
  },
  {
    name: "a customer of whom every redemption changes something else",
    successes: 64,
    refusals: [],
    setUp: async ({ ok, code, redeeming }) => {
      await ok("POST /v1/customers", { source_id: "anna" });
      for (let n = 0; n < 64; n += 1) await code(`C${n}`);
      return (n) => redeeming([voucher(`C${n}`)], { customer: { source_id: "anna", metadata: { [`m${n}`]: n } } });
    },
    check: async ({ ok }) => {
      const { metadata } = await ok("GET /v1/customers/anna");
      assert.equal(Object.keys(metadata).length, 64, "no change was lost");
    },
  },
  {
    name: "an order that every redemption adds to",
    successes: 64,
    refusals: [],
    setUp: async ({ code, redeeming }) => {
      for (let n = 0; n < 64; n += 1) await code(`C${n}`, { discount: { type: "AMOUNT", amount_off: 1 } });
      return (n) => redeeming([voucher(`C${n}`)], { order: { source_id: "o-1", amount: 1000 } });
    },
    check: async ({ ok, project }) => {
      const order = await ok("GET /v1/orders/o-1");
      assert.equal(Object.keys(order.redemptions).length, 64, "no redemption was lost");
      const [{ count }] = (await db`select count(*) from orders where project_id = ${project.id}`) as any;
      assert.equal(count, 1);
    },
  },
  {
    name: "customers and orders that are all new, named by several at once",
    calls: 256,
    successes: 256,
    refusals: [],
    setUp: async ({ code, redeeming }) => {
      for (let n = 0; n < 16; n += 1) await code(`C${n}`);
      return (n) =>
        redeeming([voucher(`C${n % 16}`)], {
          customer: { source_id: `cust ${(n * 7) % 40}` },
          order: { source_id: `order ${(n * 11) % 48}`, amount: 500 },
        });
    },
    check: async ({ project }) => {
      const count = async (table: string) =>
        (await db`select count(*) from ${db(table)} where project_id = ${project.id}`)[0]!.count;
      assert.deepEqual([await count("customers"), await count("orders")], [40, 48]);
    },
  },
  {
    name: "units that sessions hold",
    calls: 64,
    successes: null,
    refusals: ["quantity_exceeded"],
    setUp: async ({ ok, code, redeeming }) => {
      await code("C", { redemption: { quantity: 10 } });
      for (let n = 0; n < 6; n += 1) {
        const session = { type: "LOCK", key: `s${n}` };
        const { valid } = await ok("POST /v1/validations", { ...(redeeming([voucher("C")]).body as object), session });
        assert.equal(valid, true);
      }
      // The first six have a session, each tried several times; all others have none.
      return (n) => redeeming([voucher("C")], n % 2 === 0 ? { session: { type: "LOCK", key: `s${(n / 2) % 6}` } } : {});
    },
    check: async (world, replies) => {
      assert.equal(await quantityOf(world, "C"), 10);
      assert.equal(won(replies).length, 10);
      const sessions = new Set(
        replies.flatMap(({ status }, n) => (status === 200 && n % 2 === 0 ? [(n / 2) % 6] : [])),
      );
      assert.equal(sessions.size, 6, "what a session held was there for it");
    },
  },
  {
    name: "locks and redemptions without a session",
    calls: 128,
    successes: null,
    refusals: ["quantity_exceeded"],
    setUp: async ({ code, redeeming }) => {
      await code("C", { redemption: { quantity: 20 } });
      return (n) =>
        n % 2 === 0
          ? redeeming([voucher("C")])
          : {
              line: "POST /v1/validations",
              body: { ...(redeeming([voucher("C")]).body as object), session: { type: "LOCK", key: `s${n}` } },
            };
    },
    check: async (world, replies) => {
      const redeemed = replies.filter(({ status, body }, n) => n % 2 === 0 && status === 200 && body).length;
      const held = replies.filter(({ body }, n) => n % 2 === 1 && body.valid).length;
      assert.equal(await quantityOf(world, "C"), redeemed);
      assert.equal(redeemed + held, 20, "every unit is redeemed or held, and none twice");
    },
  },
  {
    name: "one Idempotency-Key",
    successes: 64,
    refusals: [],
    setUp: async ({ gift, redeeming }) => {
      await gift("CARD", 1000);
      return () => ({ ...redeeming([credits("CARD", 100)]), headers: { "idempotency-key": "once" } });
    },
    check: async (world, replies) => {
      assert.equal(new Set(replies.map(({ text }) => text)).size, 1, "all are answered the same");
      assert.equal((await world.ok("GET /v1/vouchers/CARD")).gift.balance, 900);
    },
  },
  {
    name: "codes of customers who enter segments, beside orders and customers that are saved",
    calls: 128,
    successes: 128,
    refusals: [],
    setUp: async ({ ok, code, redeeming }) => {
      const filter = { junction: "AND", "metadata.vip": { conditions: { $is: [true] } } };
      await ok("POST /v1/segments", { name: "vips", type: "auto-update", filter });
      for (let n = 0; n < 16; n += 1) await code(`C${n}`);
      for (let n = 0; n < 4; n += 1) await ok("POST /v1/customers", { source_id: `cust ${n}` });
      return (n) => {
        const source_id = `cust ${n % 4}`;
        const customer = { source_id, metadata: { vip: n % 3 === 0, [`m${n % 5}`]: n } };
        const order = { source_id: `order ${n % 8} of ${source_id}`, amount: 500 };
        if (n % 16 === 1) return { line: "POST /v1/customers", body: customer };
        if (n % 16 === 3) return { line: "POST /v1/orders", body: { ...order, customer } };
        const first = n % 2 === 0 ? n : 15 * n;
        return redeeming([voucher(`C${first % 16}`), voucher(`C${(first + 3) % 16}`)], { customer, order });
      };
    },
  },
  {
    name: "the rollback of one redemption",
    needs: "POST /v1/redemptions/{redemptionId}/rollback",
    successes: 1,
    refusals: ["already_rolled_back"],
    setUp: async ({ ok, gift, redeeming }) => {
      await gift("CARD", 1000);
      const { redemptions } = await ok("POST /v1/redemptions", redeeming([credits("CARD", 100)]).body);
      return () => ({ line: `POST /v1/redemptions/${redemptions[0].id}/rollback`, body: {} });
    },
    check: async (world) => {
      assert.equal((await world.ok("GET /v1/vouchers/CARD")).gift.balance, 1000);
      assert.equal(await quantityOf(world, "CARD"), 0);
    },
  },
  {
    name: "the rollback of one stack",
    needs: "POST /v1/redemptions/{parentRedemptionId}/rollbacks",
    successes: 1,
    refusals: ["already_rolled_back"],
    setUp: async ({ ok, code, gift, redeeming }) => {
      await gift("CARD", 1000);
      await code("C", { redemption: { quantity: 1 } });
      const body = redeeming([voucher("C"), credits("CARD", 100)]).body;
      const { parent_redemption } = await ok("POST /v1/redemptions", body);
      return () => ({ line: `POST /v1/redemptions/${parent_redemption.id}/rollbacks`, body: {} });
    },
    check: async (world) => {
      assert.equal((await world.ok("GET /v1/vouchers/CARD")).gift.balance, 1000);
      assert.equal(await quantityOf(world, "C"), 0);
    },
  },
  {
    name: "redemptions and rollbacks of one code and one card",
    needs: "POST /v1/redemptions/{redemptionId}/rollback",
    calls: 256,
    successes: null,
    refusals: ["quantity_exceeded", "gift_amount_exceeded", "already_rolled_back"],
    setUp: async ({ ok, code, gift, redeeming }) => {
      await code("C", { redemption: { quantity: 40 } });
      await gift("CARD", 200);
      const ids: string[] = [];
      for (let n = 0; n < 32; n += 1) {
        const one = n % 2 === 0 ? voucher("C") : credits("CARD", 10);
        ids.push((await ok("POST /v1/redemptions", redeeming([one]).body)).redemptions[0].id);
      }
      return (n) => {
        if (n % 4 === 0) return { line: `POST /v1/redemptions/${ids[(n / 4) % 32]}/rollback`, body: {} };
        return redeeming([n % 2 === 0 ? voucher("C") : credits("CARD", 10)]);
      };
    },
    check: async (world, replies) => {
      const done = replies.flatMap(({ status, body }, n) => (status === 200 ? [{ body, n }] : []));
      const back = done.filter(({ n }) => n % 4 === 0);
      const taken = done.filter(({ n }) => n % 4 !== 0).map(({ body }) => body.redemptions[0].voucher.code);
      assert.equal(back.length, 32, "each is rolled back once");
      const count = (name: string) => taken.filter((one) => one === name).length;
      assert.equal(await quantityOf(world, "C"), 16 + count("C") - 16);
      assert.equal(await quantityOf(world, "CARD"), 16 + count("CARD") - 16);
      assert.equal((await world.ok("GET /v1/vouchers/CARD")).gift.balance, 200 - 10 * count("CARD"));
      // A rollback may come after the last one who would have had its credits. They can be spent still, and no more than that.
      for (let n = count("CARD"); n < 20; n += 1)
        await world.ok("POST /v1/redemptions", world.redeeming([credits("CARD", 10)]).body);
      assert.equal((await world.ok("GET /v1/vouchers/CARD")).gift.balance, 0, "all credits are spent in the end");
    },
  },
  {
    name: "the one code that a customer may have",
    needs: "POST /v1/publications",
    calls: 64,
    successes: null,
    refusals: [],
    setUp: async ({ campaign }) => {
      const { name } = await campaign("JOIN", 20, { type: "STATIC", join_once: true });
      return () => ({
        line: "POST /v1/publications",
        body: { campaign: { name }, customer: { source_id: "anna" } },
      });
    },
    check: async (_, replies) => {
      assert.equal(new Set(won(replies).map(({ body }) => body.voucher.code)).size, 1, "always the same code");
    },
  },
  {
    name: "the codes of a campaign that are given away",
    needs: "POST /v1/publications",
    successes: 10,
    refusals: ["no_voucher_suitable_for_publication"],
    setUp: async ({ campaign }) => {
      const { name } = await campaign("GIVEN", 10, { type: "STATIC" });
      return (n) => ({
        line: "POST /v1/publications",
        body: { campaign: { name }, customer: { source_id: `cust ${n}` } },
      });
    },
    check: async (_, replies) => {
      const codes = won(replies).map(({ body }) => body.voucher.code);
      assert.equal(new Set(codes).size, 10, "no code is given to two");
    },
  },
];

/** Path parameters may be called otherwise. */
const shape = (line: string) => line.replace(/\{[^}]*\}/g, "{}");
const there = new Set(ALL_ROUTES.map(({ method, path }) => shape(`${method} ${path}`)));

for (const { name, needs, setUp, calls = 64, successes, refusals, check } of RACES) {
  const skip = needs && !there.has(shape(needs)) ? `${needs} is not there` : false;
  test(`64 clients over two processes: ${name}`, { skip }, async () => {
    const world = await worldOf(db, (project) => sender(servers, project));
    const requestOf = await setUp(world);
    const replies = await inParallel(calls, (n) => world.send(requestOf(n), n));
    for (const { status, body, text } of replies) {
      assert.ok(status < 500, text);
      if (status !== 200) assert.ok(refusals.includes(body.key), text);
    }
    if (successes !== null) assert.equal(won(replies).length, successes);
    await check?.(world, replies);
  });
}

test("a use that breaks a limit, or was decided on another balance, is not stored even by who forgot to lock", async () => {
  const world = await worldOf(db, (project) => sender(servers, project));
  const code = await world.code("C", { redemption: { quantity: 1 } });
  const card = await world.gift("CARD", 100);
  const starts = { day: "2026-01-01", week: "2025-12-29", month: "2026-01-01" };
  const uses = addUse(null, { starts, keyId: "k", by: 1 });
  const use = { by: 1, uses, template_version: null, account: null, updated_at: NOW };
  await world.ok("POST /v1/redemptions", world.redeeming([credits("CARD", 10)]).body);
  const undone = new Error("nothing of this is kept");
  const trying = db.begin(async (tx) => {
    const save = (more: { id: string; by?: number; quantity: number | null; available: number | null }) =>
      tx.savepoint((own) => saveUses(own as never, world.project.id, [{ ...use, ...more }]));
    const fails = { code: "22012" };
    await assert.rejects(save({ id: code.id, quantity: 1, available: null, by: 2 }), fails);
    await save({ id: code.id, quantity: 1, available: null });
    await assert.rejects(save({ id: code.id, quantity: 1, available: null }), fails);
    await assert.rejects(save({ id: card.id, quantity: null, available: 100 }), fails);
    throw undone;
  });
  await assert.rejects(trying, undone);
});

test("no two transactions waited for each other in a circle, and everything adds up", async () => {
  // A session of the database tells what it counted when it ends.
  await Promise.all(servers.map(({ stop }) => stop()));
  const [stats] = await db`
    select deadlocks from pg_stat_database where datname = ${new URL(url).pathname.slice(1)}`;
  assert.equal(stats!.deadlocks, 0);
  for (const [name, find] of Object.entries(INVARIANTS)) assert.equal((await find(db))[0]!.count, 0, name);
  for (const server of servers) assert.deepEqual(errorsOf(server), [], "nothing was logged as an error");
});

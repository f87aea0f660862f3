import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createCatalogs } from "../../src/catalog/catalog.ts";
import type { Answer } from "../../src/core/answer.ts";
import { DEFAULT_TTL } from "../../src/core/validate/session.ts";
import { transaction } from "../../src/db/batches/commit.ts";
import type { Tx } from "../../src/db/db.ts";
import { redeem } from "../../src/flows/redeem/redeem.ts";
import type { Project } from "../../src/request.ts";
import type { RedeemRequest } from "../../src/steps/checkout/requests.ts";
import { assertBatchLaw } from "../laws/batch-law.ts";
import { assertNotSteep, type Calls, countCalls } from "../support/calls.ts";
import { testDatabase } from "../support/engine.ts";
import { testShop } from "../support/shop.ts";
import { atMost } from "../support/two-servers.ts";

// BATCH_RUNS raises the number of mixes, BATCH_SEED repeats one.
const RUNS = Number(process.env.BATCH_RUNS ?? 4);
const SEED = process.env.BATCH_SEED === undefined ? {} : { seed: Number(process.env.BATCH_SEED) };
const { db, open } = await testDatabase();

type World = {
  quantity: number;
  credits: number;
  budget: number;
  isSegmented: boolean;
  isTiered: boolean;
  /** A new order needs metadata, one that is there does not. */
  isStrict?: boolean;
};
const CODES = ["ONE", "CARD", "PURSE", "VIP", "C1", "C2", "ONCE", "NONE", "TIER", "STACK", "SEG", "RICH"] as const;
/** Loyalty cards: one pays, one buys what there is little of, one gets what another campaign gives. */
const CARDS = ["COIN", "MUG", "FILL"] as const;
const NAMES = [...CODES, ...CARDS] as const;
type Name = (typeof NAMES)[number];
type Input = {
  ids: Name[];
  credits: number;
  customer: "nobody" | "anna" | "anna's id" | "bert" | "new 1" | "new 2" | "unnamed" | "tracked";
  vip: boolean | null;
  order: "none" | "amount" | "items" | "o-1" | "o-2" | "huge" | "unknown";
  session: string | null;
  key: string | null;
  promise: boolean;
  api_key: "k1" | "k2";
  isSingle: boolean;
};
type BatchShop = Pick<RedeemRequest, "project" | "catalog"> & { ids: Record<string, string> };

/** Commands carry the project and its catalog, which are other ones for each world: found by the project's id. */
const worlds = new Map<string, BatchShop>();
/** The ids of a world by what they stand for, so that two worlds can be compared. */
const meaning = new Map<string, string>();

async function setUp({ quantity, credits, budget, isSegmented, isTiered, isStrict }: World): Promise<string> {
  const { project, ok } = await testShop(db);
  const rule = async (rules: object): Promise<string> =>
    (await ok("POST /v1/validation-rules", { name: "r", rules })).id;
  const discount = { type: "PERCENT", percent_off: 10 };
  const ids: Record<string, string> = {};
  const code = async (name: string, body: object) => {
    ids[name] = (await ok(`POST /v1/vouchers/${name}`, body)).id;
  };
  const vip = { name: "customer.metadata", property: "vip", conditions: { $is: [true] } };
  await code("ONE", { discount, redemption: { quantity } });
  await code("CARD", { type: "GIFT_VOUCHER", gift: { amount: credits, balance: credits } });
  await code("PURSE", { type: "GIFT_VOUCHER", gift: { amount: 5000, balance: 5000 }, redemption: { quantity: 4 } });
  await code("VIP", { discount, validation_rules: [await rule({ 1: vip, logic: "1" })] });
  const per = await rule(atMost("redemption.count.per_customer.daily", 2));
  await code("ONCE", { discount, validation_rules: [per] });
  const campaign = await ok("POST /v1/campaigns", {
    name: "C",
    voucher: { type: "DISCOUNT_VOUCHER", discount: { type: "AMOUNT", amount_off: 300 } },
    validation_rules: [await rule(atMost("campaign.orders.amount_discounted", budget))],
  });
  for (const name of ["C1", "C2"]) ids[name] = (await ok(`POST /v1/campaigns/${campaign.id}/vouchers/${name}`, {})).id;
  const promotion = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  const perKey = await rule(atMost("redemption.count.per_api_key", 2));
  const tier = (name: string, more: object) =>
    ok(`POST /v1/promotions/${promotion.id}/tiers`, { name, action: { discount }, ...more });
  ids.TIER = (await tier("T", { validation_rules: [perKey] })).id;
  const second = (await tier("U", {})).id;
  const stack = { name: "S", tiers: { ids: [ids.TIER, second] } };
  ids.STACK = (await ok(`POST /v1/promotions/${promotion.id}/stacks`, stack)).id;
  ids.anna = (await ok("POST /v1/customers", { source_id: "anna", metadata: { vip: true } })).id;
  ids.bert = (await ok("POST /v1/customers", { source_id: "bert" })).id;
  ids["o-1"] = (await ok("POST /v1/orders", { source_id: "o-1", amount: 3000, customer: { id: ids.bert } })).id;
  const cards = await setUpCards(ok, ids, credits);
  if (isTiered) {
    const held = { name: "customer.loyalty.tier", conditions: { $is: [cards["tier COIN"]] } };
    await code("RICH", { discount, validation_rules: [await rule({ 1: held, logic: "1" })] });
  }
  if (isSegmented) {
    const filter = { junction: "AND", "metadata.vip": { conditions: { $is: [true] } } };
    const segment = await ok("POST /v1/segments", { name: "vips", type: "auto-update", filter });
    const isIn = { name: "customer.segment", conditions: { $is: [segment.id] } };
    await code("SEG", { discount, validation_rules: [await rule({ 1: isIn, logic: "1" })] });
    meaning.set(segment.id, "segment");
    // Who is in it changes for both when an order is given to another customer.
    const spent = { junction: "AND", "summary.orders.total_amount": { conditions: { $more_than: [3_500] } } };
    const spenders = await ok("POST /v1/segments", { name: "spenders", type: "auto-update", filter: spent });
    meaning.set(spenders.id, "spenders");
  }
  const promised = { redeemables: [{ object: "voucher", id: "ONE" }], order: { amount: 5000 } };
  ids.promise = (await ok("POST /v1/validations", promised)).id;
  if (isStrict) {
    const properties = { n: { type: "number", optional: false, array: false } };
    await ok(`POST /management/v1/projects/${project.id}/metadata-schemas`, { related_object: "order", properties });
  }
  for (const [name, id] of Object.entries({ ...ids, ...cards, campaign: campaign.id, promotion: promotion.id, second }))
    meaning.set(id, name);
  const [row] = await db<
    Project[]
  >`select p.*, t.catalog_revision from projects p join tenants t on t.project_id = p.id where p.id = ${project.id}`;
  worlds.set(project.id, {
    project: row!,
    catalog: await createCatalogs(db, { bytesMax: 2 ** 20 }).catalogOf(row!),
    ids,
  });
  return project.id;
}

type Ok = (request: string, body: unknown) => Promise<any>;

/** The reward of each card is named after it. The tiers change its price when points are spent. */
async function setUpCards(ok: Ok, ids: Record<string, string>, points: number): Promise<Record<string, string>> {
  const named: Record<string, string> = {};
  const gifts = await ok("POST /v1/campaigns", {
    name: "G",
    type: "AUTO_UPDATE",
    voucher: { type: "GIFT_VOUCHER", gift: { amount: 10 } },
  });
  const product = (await ok("POST /v1/products", { name: "Mug" })).id;
  Object.assign(named, { gifts: gifts.id, product });
  const rewards = {
    COIN: { parameters: { coin: { exchange_ratio: 1, points_ratio: 3 } } },
    MUG: { parameters: { product: { id: product } }, stock: 2 },
    FILL: { parameters: { campaign: { id: gifts.id, type: "GIFT_VOUCHERS", balance: 7 } } },
  };
  for (const name of CARDS) {
    const loyalty_card = { points: points + 50, expiration_rules: { period_type: "MONTH", period_value: 0 } };
    const club = await ok("POST /v1/loyalties", { name, voucher: { type: "LOYALTY_CARD", loyalty_card } });
    await ok(`POST /v1/campaigns/${club.id}/vouchers/${name}`, {});
    const customer = { id: name === "MUG" ? ids.bert : ids.anna };
    ids[name] = (await ok("POST /v1/publications", { voucher: name, customer })).voucher.id;
    const reward = await ok("POST /v1/rewards", { name, ...rewards[name] });
    const price = name === "COIN" ? {} : { parameters: { loyalty: { points: 40 } } };
    const to = { campaign: club.id, ...price };
    const assignment = await ok(`POST /v1/rewards/${reward.id}/assignments`, to);
    const mapping = { type: "MULTIPLY", multiplier: 2 };
    const tiers = [{ name: "Rich", points: { from: 300 }, rewards: { [assignment.id]: mapping } }];
    const [tier] = await ok(`POST /v1/loyalties/${club.id}/tiers`, tiers);
    // Orders bring points that the next ones spend, and so does a move to the tier.
    const loyalty = {
      type: "PROPORTIONAL",
      calculation_type: "ORDER_AMOUNT",
      order: { amount: { every: 100, points: 1 } },
    };
    await ok(`POST /v1/loyalties/${club.id}/earning-rules`, [
      { event: "order.paid", loyalty },
      { event: "customer.loyalty.tier.joined", loyalty_tier: { id: tier.id }, loyalty: { type: "FIXED", points: 9 } },
      { event: "customer.loyalty.tier.left", loyalty_tier: { id: tier.id }, loyalty: { type: "FIXED", points: 4 } },
    ]);
    ids[`reward ${name}`] = reward.id;
    Object.assign(named, { [`club ${name}`]: club.id, [`tier ${name}`]: tier.id, [`assigned ${name}`]: assignment.id });
  }
  return named;
}

/** What is left of ids are those of things that only the set-up made. */
const stable = (text: string) =>
  text
    .replace(/\b[a-z]+_[0-9a-f]{24}\b/g, (id) => meaning.get(id) ?? id.replace(/_.*/, "_x"))
    .replace(/track_[\w-]+/g, "track_x")
    // The microseconds of customers come from their ids, and those of the set-up are other ones in each world.
    .replace(/(2026-01-01T12:00:00)\.\d{4,6}/g, "$1")
    // Pictures of codes, by the project's secret.
    .replace(/\bWy[\w-]+\.[\w-]{43}/g, "picture")
    // Reviews of tiers, which the set-up asks for.
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, "uuid")
    // Of configuration and of answers, with ids in them.
    .replace(/\bx?(?:[0-9a-f]{32}){1,2}\b/g, "hash")
    .replace(/("(?:group_id|request_id)": ?"v-)[0-9a-f]{24}/g, "$1x");

type Numbered = { n: number; input: Input };

function orderOf({ order }: Input, ids: BatchShop["ids"], n: number): Record<string, unknown> | null {
  if (order === "none") return null;
  if (order === "amount") return { amount: 5000, metadata: { n } };
  if (order === "huge") return { amount: Number.MAX_SAFE_INTEGER };
  if (order === "unknown") return { id: "ord_nobody" };
  if (order === "items") return { items: [{ source_id: "p1", price: 1200, quantity: 2 }], metadata: { n } };
  if (order === "o-1" && n % 2 === 0) return { id: ids["o-1"], amount: 3000 };
  return { source_id: order, amount: 4000, ...(n % 2 === 0 && { metadata: { n } }) };
}

function customerOf({ customer, vip }: Input, ids: BatchShop["ids"]): object {
  if (customer === "nobody") return {};
  if (customer === "tracked") return { tracking_id: "anna" };
  const metadata = vip === null ? {} : { metadata: { vip } };
  if (customer === "unnamed") return { customer: { name: "No name", ...metadata } };
  return { customer: customer === "anna's id" ? { id: ids.anna, ...metadata } : { source_id: customer, ...metadata } };
}

/** The n-th command, as it is in a world. All that it makes is named after it. */
function commandOf({ n, input }: Numbered, { project, catalog, ids }: BatchShop): RedeemRequest {
  let made = 0;
  const redeemables = input.ids.map((name) => {
    const object = name === "TIER" ? "promotion_tier" : name === "STACK" ? "promotion_stack" : "voucher";
    const id = object === "voucher" ? (n % 3 === 0 ? name.toLowerCase() : name) : ids[name]!;
    const reward = ids[`reward ${name}`];
    return {
      object,
      id,
      ...(/CARD|PURSE/.test(name) && { gift: { credits: input.credits } }),
      ...(reward && n % 4 !== 3 && { reward: { id: reward, ...(n % 2 === 0 && { points: input.credits }) } }),
    };
  });
  const order = orderOf(input, ids, n);
  const now = new Date(Date.parse("2026-01-01T23:52:00Z") + n * 60_000).toISOString();
  return {
    project,
    catalog,
    now,
    request_id: `v-${n}`,
    api_key_id: input.api_key,
    newId: (prefix) => `${prefix}_f${String(n).padStart(4, "0")}e${String(made++).padStart(4, "0")}`,
    newSecret: () => "0".repeat(64),
    sent: {
      redeemables: redeemables as RedeemRequest["sent"]["redeemables"],
      ...(order && { order }),
      ...customerOf(input, ids),
      metadata: { n },
    },
    session: input.session === null ? null : { type: "LOCK", key: input.session, ...DEFAULT_TTL },
    validation_id: input.promise ? ids.promise! : null,
    expand: new Set(),
    forCaller: (shown) => shown,
    ...(input.isSingle && input.ids.length === 1 && input.ids[0] !== "STACK" && { isSingle: true as const }),
    claim: input.key && {
      caller_id: "app a",
      key: input.key,
      input_hash: JSON.stringify(input.ids),
      sealed_with: null,
      received_at: now,
    },
  } as RedeemRequest;
}

/** Most of it succeeds; of what is refused everywhere there is little. */
const often = <T>(...weighted: readonly (readonly [weight: number, value: T])[]): fc.Arbitrary<T> =>
  fc.oneof(...weighted.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));
const name = often<Name>(
  ...NAMES.map((one) => [one === "NONE" ? 1 : /^(ONE|PURSE|C1|C2|ONCE|STACK)$/.test(one) ? 8 : 4, one] as const),
);
const input: fc.Arbitrary<Input> = fc.record({
  ids: fc.oneof(
    { weight: 2, arbitrary: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }) },
    { weight: 3, arbitrary: name.map((one) => [one]) },
  ),
  credits: fc.integer({ min: 1, max: 200 }),
  customer: fc.constantFrom("nobody", "anna", "anna's id", "bert", "new 1", "new 2", "unnamed", "tracked"),
  vip: fc.constantFrom(true, false, null),
  order: often<Input["order"]>(
    [1, "none"],
    [4, "amount"],
    [4, "items"],
    [6, "o-1"],
    [6, "o-2"],
    [1, "huge"],
    [1, "unknown"],
  ),
  session: fc.constantFrom("s1", "s2", null, null, null),
  key: often<Input["key"]>([1, "a"], [1, "b"], [10, null]),
  promise: often([1, true], [19, false]),
  api_key: fc.constantFrom("k1", "k2"),
  isSingle: fc.boolean(),
});
const world: fc.Arbitrary<World> = fc.record({
  quantity: fc.integer({ min: 1, max: 6 }),
  credits: fc.integer({ min: 0, max: 900 }),
  budget: fc.integer({ min: 300, max: 3000 }),
  isSegmented: fc.boolean(),
  isTiered: fc.boolean(),
  isStrict: often([1, true], [3, false]),
});

/** How often each operation of a law ended with which key: a law about refusals only would say little. */
const outcomes = new Map<string, number>();
const run = async (tx: Tx, projectId: string, commands: readonly Numbered[]): Promise<Answer[]> => {
  const made = worlds.get(projectId)!;
  const answers = await redeem.run(
    tx,
    projectId,
    commands.map((one) => commandOf(one, made)),
  );
  for (const { status, body } of answers) {
    const name = status === 200 ? "redeemed" : JSON.parse(body).key;
    outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
  }
  return answers.map(({ madeOf, ...answer }) => ({
    ...answer,
    body: stable(answer.body),
    ...(madeOf && { madeOf: JSON.parse(stable(JSON.stringify(madeOf))) }),
  }));
};

test("a batch of redemptions is the same as one after the other", async (t) => {
  await assertBatchLaw<World, Input, Numbered, Answer>({
    db,
    flow: { ...redeem, run } as never,
    world,
    setUp,
    input,
    command: (n, given) => ({ n, input: given }),
    numRuns: RUNS,
    commandsMin: 6,
    commandsMax: 12,
    ...SEED,
    same: stable,
    alike: {
      // Each batch adds rows of its own; the total is their sum.
      redemption_tallies: (rows) =>
        [...Map.groupBy(rows, ({ object, result, campaign_id }) => `${object} ${result} ${campaign_id}`)].map(
          ([name, group]) => [name, group.reduce((sum: number, { count }) => sum + count, 0)],
        ),
      // A counter at zero is one that is not there.
      counters: (rows) => rows.filter(({ redemptions }) => redemptions > 0),
    },
  });
  t.diagnostic([...outcomes].map(([name, count]) => `${name} ${count}`).join(", "));
  assert.ok((outcomes.get("redeemed") ?? 0) > RUNS * 4 && outcomes.size > 3, "it is not about refusals only");
});

test("a batch of 40 redemptions takes as many statements as two", async () => {
  const seen: string[] = [];
  const watched = open({ max: 1, onQuery: (text) => seen.push(text) });
  await watched`select 1`;
  const base = { vip: null, session: "s1", key: null, promise: true, api_key: "k1", isSingle: false } as const;
  const ids: Name[] = ["CARD", "PURSE", "C1", "TIER"];
  const count = async (size: number) => {
    const projectId = await setUp({
      quantity: 100,
      credits: 9000,
      budget: 100_000,
      isSegmented: false,
      isTiered: false,
    });
    const commands = Array.from({ length: size }, (_, n): Numbered => {
      const customer = (["anna", "bert", "new 1", "unnamed"] as const)[n % 4]!;
      const order = (["o-1", "o-2", "items", "amount"] as const)[n % 4]!;
      // The first two have of everything, a new customer and one who has a loyalty card.
      const given = n === 0 ? { customer: "new 2" as const, order: "o-2" as const } : { customer, order };
      return { n: 0, input: { ...base, ...given, ids, credits: 10, promise: false, key: `key ${n}` } };
    });
    const unique = commands.map((one, n) => ({ ...one, n: -n }));
    await watched`select 1`;
    seen.length = 0;
    const answers = await transaction(watched, (tx) => run(tx, projectId, unique));
    assert.ok(
      answers.some(({ status }) => status === 200),
      answers[0]!.body,
    );
    return [...seen];
  };
  await count(2);
  const [few, many] = [await count(2), await count(40)];
  assert.equal(many.length, few.length, `${many.filter((text) => !few.includes(text)).join("\n")}`);
  assert.ok(few.length <= 45, `${few.length} statements`);
});

/** What the commands of a batch redeem. Nobody has a card that each order brings a lot to: each of them looks at all lots. */
const OF_BATCHES: Record<string, (n: number) => Partial<Input>> = {
  "one code and one customer": () => ({ ids: ["ONE"], customer: "new 1" }),
  "gift cards, stacks of codes, tiers and new customers": (n) => ({
    ids: ([["CARD"], ["C1", "ONE"], ["TIER"], ["STACK", "C2"]] as Name[][])[n % 4]!,
    customer: n % 2 === 0 ? "unnamed" : "new 2",
  }),
};
for (const [what, of] of Object.entries(OF_BATCHES))
  test(`twice as many redemptions take at most 2.2 times as many steps: ${what}`, async () => {
    const base = { vip: null, session: null, promise: false, api_key: "k1", isSingle: false, credits: 1 } as const;
    const calls = await countCalls(/src\/(?:core|flows|steps|resources|events)\//);
    const countFor = async (size: number): Promise<Calls> => {
      const big = { quantity: 10_000, credits: 900_000, budget: 1e9, isSegmented: false, isTiered: false };
      const projectId = await setUp(big);
      const commands = Array.from({ length: size }, (_, n): Numbered => {
        const order = n % 2 === 0 ? "items" : "amount";
        // Further numbers are further minutes: no day ends in between.
        return { n: -n, input: { ...base, order, key: `key ${n}`, ids: [], customer: "nobody", ...of(n) } };
      });
      return calls.of(async () => {
        const answers = await transaction(db, (tx) => run(tx, projectId, commands));
        assert.ok(answers.filter(({ status }) => status === 200).length > size / 2, answers[0]!.body);
      });
    };
    await countFor(2);
    const [once, twice] = [await countFor(64), await countFor(128)];
    await calls.end();
    assertNotSteep(once, twice, 64);
  });

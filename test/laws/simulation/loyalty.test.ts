import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { type Seeded, seeded } from "../../../src/demo/requests.ts";
import { advanceCards } from "../../../src/jobs/advance-cards.ts";
import { runAsyncActions } from "../../../src/jobs/run-async-actions.ts";
import { NOW, newId, type Reply, testDatabase, testEngine, testProject } from "../../support/engine.ts";
import { assertInvariants } from "../../support/loyalty-club.ts";
import { okOf } from "../../support/shop.ts";
import {
  adjust,
  available,
  buy,
  type Card,
  cancel,
  daysOf,
  earn,
  emptyModel,
  expire,
  faultOfPurchase,
  giveBack,
  type Limit,
  type Member,
  type Model,
  memberOf,
  newCard,
  type Order,
  passTo,
  payInMoney,
  payInPoints,
  pending,
  RATIO,
  settleWaiting,
  type WalletName,
  ZONE,
} from "./loyalty-model.ts";

// Random operations on a loyalty program and on a model of it, while time goes on.
//   npm run test:simulation                      a long run
//   SIMULATION_SEED=7 SIMULATION_STEPS=400 …     one again, to its failure
const SEED = Number(process.env.SIMULATION_SEED ?? Math.floor(Math.random() * 2 ** 31));
const STEPS = Number(process.env.SIMULATION_STEPS ?? 120);
const ALL_EVERY = 50;
const V2 = "/v2/loyalties";
const NAMES: readonly WalletName[] = ["points", "stars"];
const { db } = await testDatabase();
const jobs = { db, now: () => NOW, newId, random: randomBytes };

type Delivery = { body: object; key: Record<string, string>; text: string };
type Club = {
  model: Model;
  random: Seeded;
  call(request: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** Sends something with a key of its own, and sometimes again: what is done once is done once. */
  send(request: string, body?: object): Promise<Reply>;
  ok(request: string, body?: object): Promise<any>;
  projectId: string;
  program: string;
  /** Names of the wallets, by their ids. */
  wallets: Map<string, WalletName>;
  delivered: Delivery[];
  customers: string[];
  /** Members that the last step looked at. */
  touched: Set<Member>;
  counts: { earned: number; replayed: number };
};

const days = (value: number) => ({ period: { value, unit: "DAY" } });
const rolling = (period: object) => ({ type: "ROLLING_EXPIRATION", rolling_expiration: { period } });
const REFUNDS = {
  spent_points: { type: "REFUNDABLE", methods: [{ type: "RETURN_POINTS", mode: "REFUND_ALL" }] },
  earned_points: { type: "REFUNDABLE", methods: [{ type: "REVOKE_FROM_BALANCE", mode: "REVOKE_TO_ZERO" }] },
};
const CARDS: Record<WalletName, object> = {
  points: {
    points_expiration: rolling({ value: 1, unit: "MONTH" }),
    pay_with_points: { exchange_ratio: { formula: RATIO } },
  },
  stars: {
    points_expiration: rolling({ value: 20, unit: "DAY" }),
    pending_points: { type: "PERIOD_BASED", period_based: days(5) },
  },
};

async function openClub(): Promise<Club> {
  const project = await testProject(db, { timezone: ZONE });
  const random = seeded(SEED);
  const { call } = await testEngine(db, project);
  const counts = { earned: 0, replayed: 0 };
  let sent = 0;
  const send: Club["send"] = async (request, body) => {
    const key = { "idempotency-key": `sent ${++sent}` };
    const reply = await call(request, body, key);
    if (random.integer(0, 3) === 0) {
      const again = await call(request, body, key);
      counts.replayed += 1;
      assert.equal(again.status, reply.status, again.text);
      if (reply.status < 300) assert.equal(again.text, reply.text, request);
    }
    return reply;
  };
  const ok = okOf((request, body) => (request.startsWith("GET") ? call(request) : send(request, body as object)));
  const ids = {} as Record<WalletName, string>;
  for (const name of NAMES) {
    const card = { name, type: "INDIVIDUAL", status: "ACTIVE", refunds: REFUNDS, ...CARDS[name] };
    ids[name] = (await ok(`POST ${V2}/card-definitions`, card)).id;
  }
  const visit = await ok(`POST /management/v1/projects/${project.id}/custom-event-schemas`, {
    name: "visit",
    schema: { properties: { worth: { type: "number", optional: false } } },
  });
  const per = (calculation_type: string, card_definition_id: string, base: object) => ({
    points_proportional: { calculation_type, card_definition_id, ...base },
  });
  const byVisit = { custom_event: { metadata: { every: 1, value: 1, property: "worth" } } };
  const byOrder = { order: { amount: { every: 100, value: 1 } } };
  const rule = async (name: string, trigger: object, effects: object[]): Promise<{ id: string }> => {
    const { id } = await ok(`POST ${V2}/earning-rules`, { name, status: "ACTIVE", trigger, earnings: [{ effects }] });
    return { id };
  };
  const earning_rules = [
    await rule("Visit", { event: "customer.custom_event", custom_event: { schema_id: visit.id } }, [
      per("CUSTOM_EVENT_METADATA_VALUE", ids.points, byVisit),
    ]),
    await rule(
      "Order",
      { event: "customer.order.paid" },
      NAMES.map((name) => per("PRE_DISCOUNT_ORDER_AMOUNT", ids[name], byOrder)),
    ),
  ];
  const card_definitions = NAMES.map((name) => ({ id: ids[name] }));
  const program = await ok(`POST ${V2}/programs`, { name: "Club", status: "ACTIVE", card_definitions, earning_rules });
  const model = emptyModel(Date.parse(NOW));
  const material = { product: { id: (await ok("POST /v1/products", { name: "Mug" })).id } };
  const path = `${V2}/programs/${program.id}`;
  for (const [wallet, cost, stock] of [
    ["points", 15, 5] as const,
    ["points", 60, 3] as const,
    ["stars", 6, 4] as const,
  ]) {
    const costs = [{ spending: [{ points: cost, card_definition_id: ids[wallet] }] }];
    const refunds = { type: "REFUNDABLE" };
    const body = { name: "Mug", type: "MATERIAL", status: "ACTIVE", material, costs, refunds };
    const { id } = await ok(`POST ${V2}/rewards`, body);
    const limited = { type: "LIMITED", limited: { quantity: stock } };
    await ok(`POST ${path}/rewards/batch`, { assign: [{ id, stock: limited }] });
    model.rewards.set(id, { wallet, cost, stock, redeemed: 0 });
  }
  const wallets = new Map(NAMES.map((name) => [ids[name], name]));
  const lists = { delivered: [], customers: [], touched: new Set<Member>() };
  return { model, random, call, send, ok, projectId: project.id, program: path, wallets, counts, ...lists };
}

async function meet({ ok, customers }: Club) {
  const source_id = `customer-${customers.length}`;
  await ok("POST /v1/customers", { source_id });
  customers.push(source_id);
}

/** The newest come more often: of them there is not too much to read. */
const someOf = <T>({ integer }: Seeded, all: readonly T[]): T | undefined =>
  all[Math.max(0, all.length - 1 - integer(0, 4))];

async function enrol(club: Club) {
  const { model, customers, call, ok, wallets, touched, random } = club;
  if (random.integer(0, 4) > 0) await meet(club);
  const source = random.integer(0, 3) > 0 ? customers.at(-1)! : someOf(random, customers)!;
  const { id: customer_id } = await ok(`GET /v1/customers/${source}`);
  const line = `${club.program}/members`;
  if (memberOf(model, source)) {
    const { status } = await call(`POST ${line}`, { customer_id });
    return assert.ok(status >= 400 && status < 500, "nobody is a member twice");
  }
  const { id, cards } = await ok(`POST ${line}`, { customer_id });
  const own = {} as Member["cards"];
  for (const { card } of cards) {
    const name = wallets.get(card.card_definition_id)!;
    own[name] = { ...newCard(name), id: card.id };
  }
  const member = { path: `${line}/${id}`, source, cards: own };
  model.members.push(member);
  touched.add(member);
}

const touch = ({ model, touched }: Club, source: string) => {
  const member = memberOf(model, source);
  if (member) touched.add(member);
};

/** An event comes once or twice, one after the other or at once, and some come again much later. */
async function visit(club: Club) {
  const { model, random, call, delivered, customers, counts } = club;
  const old = random.integer(0, 5) === 0 ? someOf(random, delivered) : undefined;
  if (old) {
    const { text, headers } = await call("POST /v1/events", old.body, old.key);
    counts.replayed += 1;
    touch(club, (old.body as { customer: { source_id: string } }).customer.source_id);
    return assert.deepEqual([text, headers["idempotent-replayed"]], [old.text, "true"]);
  }
  const source_id = someOf(random, customers)!;
  const worth = random.integer(0, 60);
  const body = { event: "visit", customer: { source_id }, metadata: { worth } };
  const key = { "idempotency-key": `visit ${delivered.length}` };
  const deliver = () => call("POST /v1/events", body, key);
  const how = random.pick(["once", "twice", "at once"] as const);
  const replies = how === "at once" ? await Promise.all([deliver(), deliver()]) : [await deliver()];
  if (how === "twice") replies.push(await deliver());
  for (const { status, text } of replies) assert.deepEqual([status, text], [200, replies[0]!.text], text);
  delivered.push({ body, key, text: replies[0]!.text });
  const member = memberOf(model, source_id);
  if (member && worth > 0) {
    earn(model, member.cards.points, { points: worth, orderId: null });
    counts.earned += 1;
  }
  touch(club, source_id);
}

async function createOrder(club: Club) {
  const { model, random, ok, customers, counts } = club;
  const customer = someOf(random, customers)!;
  const total = random.integer(0, 3000);
  const status = random.pick(["CREATED", "PAID", "PAID"] as const);
  const sent = { status, amount: total, customer: { source_id: customer }, items: [] };
  const { id } = await ok("POST /v1/orders", sent);
  const order: Order = { id, total, status: "CREATED", customer, paid: 0, spent: new Map() };
  model.orders.push(order);
  if (status === "PAID") payInMoney(model, order);
  if (status === "PAID") counts.earned += 1;
  touch(club, customer);
}

async function payOrder(club: Club) {
  const { model, random, ok } = club;
  const order = someOf(
    random,
    model.orders.filter(({ status }) => status !== "CANCELED"),
  );
  if (!order) return;
  await ok(`PUT /v1/orders/${order.id}`, { status: "PAID" });
  payInMoney(model, order);
  touch(club, order.customer);
}

async function cancelOrder(club: Club) {
  const { model, random, ok, touched } = club;
  const order = someOf(random, model.orders);
  if (!order) return;
  await ok(`PUT /v1/orders/${order.id}`, { status: "CANCELED" });
  for (const member of model.members)
    if (Object.values(member.cards).some((card) => order.spent.has(card))) touched.add(member);
  cancel(model, order);
  touch(club, order.customer);
}

function someMember({ model, random, touched }: Club): Member {
  const member = someOf(random, model.members)!;
  touched.add(member);
  return member;
}
const someCard = (club: Club, { cards }: Member) => cards[club.random.pick(NAMES)];

async function adjustPoints(club: Club) {
  const member = someMember(club);
  const card = someCard(club, member);
  const points = club.random.integer(-40, 80);
  await club.ok(`POST ${member.path}/cards/${card.id}/points`, { points });
  adjust(club.model, card, points);
}

async function purchase(club: Club) {
  const { model, random, send } = club;
  const member = someMember(club);
  const [id, reward] = random.pick([...model.rewards]);
  const fault = faultOfPurchase(reward, member.cards[reward.wallet]);
  const { status, body, text } = await send(`POST ${member.path}/rewards/purchases`, { reward_id: id });
  if (fault) return assert.deepEqual([status, body.key], [423, fault], text);
  assert.equal(status, 202, text);
  buy(model, { id: body.transaction.id, reward: id, member, isBack: false });
}

async function refund(club: Club) {
  const { model, random, send, touched } = club;
  const one = someOf(random, model.purchases);
  if (!one) return;
  const isWrittenOff = random.integer(0, 5) === 0;
  const policies = isWrittenOff ? { stock: "WRITE_OFF" } : {};
  const { status, body, text } = await send(`POST ${club.program}/rewards/purchases/${one.id}/refund`, { policies });
  touched.add(one.member);
  if (one.isBack) return assert.deepEqual([status, body.key], [409, "invalid_reward_transaction_status"], text);
  assert.equal(status, 202, text);
  giveBack(model, one, { isWrittenOff });
}

async function restock({ model, random, ok, program }: Club) {
  const [id, reward] = random.pick([...model.rewards]);
  reward.stock = random.integer(0, 6);
  const stock = { type: "LIMITED", limited: { quantity: reward.stock } };
  await ok(`PUT ${program}/rewards/${id}`, { stock });
}

async function payWithPoints(club: Club) {
  const { model, random, send, ok } = club;
  const order = someOf(random, model.orders);
  if (!order) return;
  const member = someMember(club);
  const max = random.integer(1, 60);
  const [limit, payment_limit] = random.pick<[Limit, object]>([
    [{}, { type: "CARD_BALANCE" }],
    [{ points: max }, { type: "POINTS_LIMIT", points_limit: { max } }],
    [{ amount: max }, { type: "AMOUNT_LIMIT", amount_limit: { max } }],
  ]);
  const line = `${member.path}/orders/payments`;
  const card_id = member.cards.points.id;
  const { status, body, text } = await send(`POST ${line}`, { card_id, order: { id: order.id }, payment_limit });
  const said = payInPoints(order, member.cards.points, limit);
  if (said !== "APPROVED" && said !== "REJECTED") return assert.deepEqual([status, body.key], [423, said], text);
  assert.equal(status, 202, text);
  const { data } = await ok(`GET ${line}?limit=100`);
  const settled = data.find(({ id }: { id: string }) => id === body.transaction.id);
  assert.equal(settled.status, said, JSON.stringify(settled));
}

async function expireBucket(club: Club) {
  const member = someMember(club);
  const card = someCard(club, member);
  const path = `${member.path}/cards/${card.id}/expiring-points`;
  const bucket = club.random.pick((await club.ok(`GET ${path}?limit=100`)).data as { [K in string]: string }[]);
  if (!bucket) return;
  await club.ok(`POST ${path}/${bucket.id}/expire`);
  expire(card, bucket.expiration_date!);
}

async function settleBucket(club: Club) {
  const member = someMember(club);
  const card = member.cards.stars;
  const path = `${member.path}/cards/${card.id}/pending-points`;
  const bucket = club.random.pick((await club.ok(`GET ${path}?limit=100`)).data as { [K in string]: string }[]);
  if (!bucket) return;
  const how = club.random.pick(["activate", "cancel"]);
  await club.ok(`POST ${path}/${bucket.id}/${how}`);
  settleWaiting(club.model, card, { day: bucket.date!, how });
}

const HOUR = 3_600_000;
async function passTime(club: Club) {
  const { model, random, ok, projectId, touched } = club;
  const { integer, pick } = random;
  const hours = pick([integer(1, 30), integer(1, 30), integer(1, 8) * 24, integer(1, 8) * 24, integer(1, 1200)]);
  const to = model.now + pick([integer(1, 1000), hours * HOUR, hours * HOUR]);
  await ok(`POST /management/v1/projects/${projectId}/test-clock`, { now: new Date(to).toISOString() });
  passTo(model, to);
  if (integer(0, 2) > 0) await sweep(club);
  for (const member of model.members.slice(-3)) touched.add(member);
}

/** By the move of the clock, or by the job of every minute. */
async function sweep({ model, random }: Club) {
  for (const job of random.pick([[runAsyncActions], [advanceCards], [advanceCards, runAsyncActions]]))
    await job.run(jobs);
  for (const { cards } of model.members) for (const name of NAMES) cards[name].isLate = false;
}

type Step = { name: string; weight: number; run(club: Club): Promise<void> };
const STEPS_OF: Step[] = [
  { name: "enrol", weight: 3, run: enrol },
  { name: "visit", weight: 26, run: visit },
  { name: "create an order", weight: 14, run: createOrder },
  { name: "pay an order", weight: 5, run: payOrder },
  { name: "cancel an order", weight: 8, run: cancelOrder },
  { name: "adjust", weight: 8, run: adjustPoints },
  { name: "purchase", weight: 14, run: purchase },
  { name: "refund", weight: 8, run: refund },
  { name: "restock", weight: 2, run: restock },
  { name: "pay with points", weight: 10, run: payWithPoints },
  { name: "expire", weight: 4, run: expireBucket },
  { name: "settle what waits", weight: 4, run: settleBucket },
  { name: "time passes", weight: 8, run: passTime },
  { name: "sweep", weight: 3, run: sweep },
];
const DICE = STEPS_OF.flatMap((step) => Array.from({ length: step.weight }, () => step));

async function allOf({ ok }: Club, path: string): Promise<any[]> {
  let page = await ok(`GET ${path}?limit=100`);
  const all = [...page.data];
  while (page.cursor?.next) {
    page = await ok(`GET ${path}?cursor=${page.cursor.next}`);
    all.push(...page.data);
  }
  return all;
}

const bucketsOf = (buckets: readonly any[], field: string) =>
  Object.fromEntries(buckets.map((one) => [one[field], one.points.total]));

async function compareMember(club: Club, { path, source, cards }: Member) {
  const shown = (await club.ok(`GET ${path}`)).cards;
  for (const [name, card] of Object.entries(cards)) {
    const says = `${name} of ${source}`;
    const { balance } = shown.find((one: any) => one.card.id === card.id).card;
    assert.deepEqual(balance, { points: available(card), pending_points: pending(card) }, says);
    if (card.isLate) continue;
    const own = `${path}/cards/${card.id}`;
    assert.equal((await allOf(club, `${own}/transactions`)).length, card.transactions, `transactions of ${says}`);
    const lots = bucketsOf(await allOf(club, `${own}/expiring-points`), "expiration_date");
    assert.deepEqual(lots, daysOf(card.lots), `days of ${says}`);
    const waits = bucketsOf(await allOf(club, `${own}/pending-points`), "date");
    assert.deepEqual(waits, daysOf(card.waits), `what waits of ${says}`);
  }
}

async function compareStock({ model, ok, program }: Club) {
  const { data } = await ok(`GET ${program}/rewards?limit=100`);
  for (const { reward_id, stock, redeemed } of data) {
    const reward = model.rewards.get(reward_id)!;
    assert.deepEqual([stock.limited.quantity, redeemed], [reward.stock, reward.redeemed], reward_id);
  }
}

async function compare(club: Club, members: Iterable<Member>) {
  for (const member of members) await compareMember(club, member);
  await compareStock(club);
}

const isEmpty = (card: Card) => available(card) + pending(card) === 0;

test(`${STEPS} random steps of a club while time goes on: points, stock and transactions are those of a small model`, async (t) => {
  t.diagnostic(`SIMULATION_SEED=${SEED} SIMULATION_STEPS=${STEPS}`);
  const club = await openClub();
  const done = new Map<string, number>();
  await meet(club);
  while (club.model.members.length < 3) await enrol(club);
  let [step, name] = [0, ""];
  try {
    for (step = 1; step <= STEPS; step += 1) {
      club.touched.clear();
      const chosen = club.random.pick(DICE);
      name = chosen.name;
      await chosen.run(club);
      done.set(name, (done.get(name) ?? 0) + 1);
      await compare(club, club.touched);
      if (step % ALL_EVERY === 0) await assertInvariants(db);
    }
    await sweep(club);
    await compare(club, club.model.members);
    // A year later nobody has anything left, and every point went somewhere.
    const to = club.model.now + 365 * 24 * HOUR;
    await club.ok(`POST /management/v1/projects/${club.projectId}/test-clock`, { now: new Date(to).toISOString() });
    passTo(club.model, to);
    await sweep(club);
    await compare(club, club.model.members);
    assert.ok(club.model.members.every(({ cards }) => Object.values(cards).every(isEmpty)));
    await assertInvariants(db);
  } catch (error) {
    (error as Error).message = `SIMULATION_SEED=${SEED}, step ${step} (${name}): ${(error as Error).message}`;
    throw error;
  }
  const { earned, replayed } = club.counts;
  const { members, purchases } = club.model;
  t.diagnostic(`${[...done].map(([one, times]) => `${one} ${times}`).join(", ")}`);
  t.diagnostic(`${members.length} members, ${earned} earned, ${purchases.length} purchases, ${replayed} sent again`);
  // In a short run there may be few of anything.
  assert.ok(
    earned > STEPS / 40 && (STEPS < 1000 || purchases.length > STEPS / 100),
    "enough happened to say something",
  );
});

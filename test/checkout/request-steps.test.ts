import assert from "node:assert/strict";
import { test } from "node:test";
import { SCENARIOS } from "../../src/core/qualify/scenario.ts";
import { newSteps, STEPS_MAX, type Steps } from "../../src/core/steps.ts";
import { ALL_ROUTES } from "../../src/routes.ts";
import { cardClub, on } from "../support/card-clubs.ts";
import { type Call, testDatabase } from "../support/engine.ts";
import { makeClub } from "../support/loyalty-club.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

const SHOP = "https://shop.example.com";
const LINES = 500;
const items = Array.from({ length: LINES }, (_, n) => ({ product_id: `p${n}`, price: 1000 + n, quantity: 2 }));
const order = { items, metadata: { d: "2026-01-01T00:00:00Z" } };
const POWERS = Array(35).fill("POW(ORDER_ITEM_PRICE;0.37)").join("+");
/** Of a formula that has no line to look at: as dear as one formula can be. */
const DEAREST = Array(39).fill("POW(7;0.37)").join("+");
const vouchers = (codes: readonly string[]) => codes.map((id) => ({ object: "voucher", id }));

/** Calls, and says what the last request cost. */
function counting() {
  const all: Steps[] = [];
  const newCounter = () => {
    const steps = newSteps();
    all.push(steps);
    return steps;
  };
  return { newSteps: newCounter, used: () => all.at(-1)!.used };
}

/** What is sent, and how it is answered. */
type Request = readonly [what: string, status: 200 | 202 | 400, ...Parameters<Call>];

/** Requests that were counted, without their queries. */
const counted = new Set<string>();

/** Answered within the budget, or refused before it was passed. */
async function ask(call: Call, used: () => number, [request, body, headers]: Parameters<Call>) {
  counted.add(request.split("?")[0]!);
  const reply = await call(request, body, headers);
  const cost = used();
  assert.ok(cost <= STEPS_MAX, `${request} took ${cost} steps`);
  if (reply.status === 200 || reply.status === 202) return { status: reply.status, cost };
  assert.equal(reply.status, 400, reply.text);
  assert.deepEqual([reply.body.key, reply.body.code], ["request_too_expensive", 400], reply.text);
  assert.match(reply.body.details, /fewer lines or fewer redeemables at once/);
  return { status: 400, cost };
}

test("the dearest request of each hot operation on a cart is answered within the budget, or refused with a 400", async (t) => {
  const counter = counting();
  const { project, call, ok } = await testShop(
    db,
    { client_trusted_domains: [SHOP], client_redeem_enabled: true },
    { newSteps: counter.newSteps },
  );
  await ok(`POST /management/v1/projects/${project.id}/stacking-rules`, {
    applicable_redeemables_limit: 30,
    redeemables_limit: 30,
  });
  const onItems = { type: "PERCENT", percent_off: 1, effect: "APPLY_TO_ITEMS" };
  const node = (r: number, n: number) => ({
    name: "order.items.any",
    conditions: { $is_not: Array.from({ length: 1000 }, (_, i) => ({ id: `${r}_${n}_${i}`, object: "product" })) },
  });
  const ruleIds: string[] = [];
  for (let r = 0; r < 10; r += 1) {
    const rules = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [String(n + 1), node(r, n)]));
    ruleIds.push((await ok("POST /v1/validation-rules", { name: `r${r}`, rules })).id);
  }
  const code = (name: string, body: object) => ok(`POST /v1/vouchers/${name}`, body);
  const ruled = Array.from({ length: 5 }, (_, n) => `RULED${n}`);
  for (const name of ruled) await code(name, { discount: onItems, validation_rules: ruleIds });
  const powers = { type: "AMOUNT", amount_off: 1, amount_off_formula: POWERS, effect: "APPLY_TO_ITEMS" };
  await code("POWERS", { discount: powers });
  const plain = Array.from({ length: 30 }, (_, n) => `PLAIN${n}`);
  for (const name of plain) await code(name, { discount: onItems });
  const { id: campaign } = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  const tierOf = (name: string, discount: object) =>
    ok(`POST /v1/promotions/${campaign}/tiers`, { name, action: { discount }, validation_rules: ruleIds });
  for (let n = 0; n < 3; n += 1) await tierOf(`T${n}`, onItems);

  const client = {
    "x-client-application-id": project.client.id,
    "x-client-token": project.client.secret,
    origin: SHOP,
  };
  // As many lines as fit into an address.
  const query = items
    .slice(0, LINES_IN_QUERY)
    .map(({ product_id, price, quantity }, n) =>
      Object.entries({ product_id, price, quantity })
        .map(([name, value]) => `item[${n}][${name}]=${value}`)
        .join("&"),
    )
    .join("&");
  const expand = { options: { expand: ["order", "redeemable", "category", "trace"] } };
  const qualification = (scenario: string, more: object = {}) => ({
    scenario,
    order,
    options: { limit: 50, sorting_rule: "BEST_DEAL", expand: ["redeemable", "validation_rules"], ...more },
  });
  const REQUESTS: readonly Request[] = [
    ["30 plain codes", 200, "POST /v1/validations", { redeemables: vouchers(plain), order }],
    ["30 plain codes, all shown", 200, "POST /v1/validations", { redeemables: vouchers(plain), order, ...expand }],
    ["a code with 10 rules", 200, "POST /v1/validations", { redeemables: vouchers(["RULED0"]), order }],
    ["5 codes with 10 rules", 400, "POST /v1/validations", { redeemables: vouchers(ruled), order }],
    ["35 powers", 400, "POST /v1/validations", { redeemables: vouchers(["POWERS"]), order }],
    [
      "held for a session",
      400,
      "POST /v1/validations",
      { redeemables: vouchers(["POWERS"]), order, session: { type: "LOCK" } },
    ],
    ["one code", 400, "POST /v1/vouchers/POWERS/validate", { order }],
    ["one code in a query", 400, `GET /client/v1/validate?code=POWERS&${query}`, undefined, client],
    ["all promotions", 400, "POST /v1/promotions/validation", { order }],
    ["by a client", 400, "POST /client/v1/validations", { redeemables: vouchers(ruled), order }, client],
    ["30 plain codes", 200, "POST /v1/redemptions", { redeemables: vouchers(plain), order }],
    ["35 powers", 400, "POST /v1/redemptions", { redeemables: vouchers(["POWERS"]), order }],
    ["one code", 400, "POST /v1/vouchers/POWERS/redemption", { order }],
    ["one code by a client", 400, "POST /client/v1/redeem?code=POWERS", { order }, client],
    ["by a client", 400, "POST /client/v1/redemptions", { redeemables: vouchers(ruled), order }, client],
    ["by a client", 400, "POST /client/v1/qualifications", qualification("ALL"), client],
    ["the newest five", 200, "POST /v1/qualifications", { order: { items: items.slice(0, 20) } }],
    ...Object.keys(SCENARIOS).map(
      (scenario) =>
        [
          `scenario ${scenario}`,
          EMPTY.has(scenario) ? 200 : 400,
          "POST /v1/qualifications",
          qualification(scenario),
        ] as const,
    ),
  ];
  const askAll = async (requests: readonly Request[]) => {
    for (const [what, status, ...request] of requests) {
      const answer = await ask(call, counter.used, request as Parameters<Call>);
      const line = request[0].split("?")[0];
      t.diagnostic(`${line}, ${what}: ${answer.status}, ${answer.cost} steps`);
      assert.equal(answer.status, status, `${line}, ${what}`);
      const again = await ask(call, counter.used, request as Parameters<Call>);
      if (!request[0].endsWith("/redemptions"))
        assert.equal(again.cost, answer.cost, "the same request costs the same");
    }
  };
  await askAll(REQUESTS);
  // It would be among the newest five.
  const tier = (await tierOf("Powers", powers)).id;
  await askAll([
    ["one tier", 400, `POST /v1/promotions/tiers/${tier}/validation`, { order }],
    ["promotions in a query", 400, `GET /client/v1/promotions/validation?${query}`, undefined, client],
    ["one tier", 400, `POST /v1/promotions/tiers/${tier}/redemption`, { order }],
  ]);
});
const LINES_IN_QUERY = 100;
/** Nobody holds a code here, and there is no stack. */
const EMPTY: ReadonlySet<string> = new Set(["CUSTOMER_WALLET", "PROMOTION_STACKS"]);

test("what follows from an event or a paid order has the budget of the request; who is in the same batch is not concerned", async () => {
  const counter = counting();
  const club = await cardClub(db, { options: { newSteps: counter.newSteps } });
  const visit = await club.define("visit");
  const dear = { type: "FIXED", points: 1, points_formula: DEAREST };
  const program = await club.open([
    ...Array.from({ length: 5 }, () => ({ ...on(visit, 1), loyalty: dear })),
    ...Array.from({ length: 5 }, () => ({ event: "order.paid", loyalty: dear })),
  ]);
  const ann = await program.join("ann");
  await club.ok("POST /v1/customers", { source_id: "bob" });
  const track = (source_id: string) => club.call("POST /v1/events", { event: "visit", customer: { source_id } });
  const replies = await Promise.all(["bob", "ann", "bob", "ann", "bob"].map(track));
  assert.deepEqual(
    replies.map(({ status, body }) => [status, body.key]),
    ["bob", "ann", "bob", "ann", "bob"].map((name) =>
      name === "bob" ? [200, undefined] : [400, "request_too_expensive"],
    ),
  );
  assert.match(replies[1]!.body.details, /simpler/);
  const visited = { event: "visit", customer: { source_id: "ann" } };
  assert.equal((await ask(club.call, counter.used, ["POST /v1/events", visited])).status, 400);
  assert.equal((await club.events("customer.custom_event")).length, 3);
  assert.equal(await ann.balance(), 0);
  const paid = { status: "PAID", customer: { source_id: "ann" }, amount: 1000 };
  assert.equal((await ask(club.call, counter.used, ["POST /v1/orders", paid])).status, 400);
  await club.ok("POST /v1/vouchers/TEN", { discount: { type: "AMOUNT", amount_off: 10 } });
  const redeemed = await ask(club.call, counter.used, [
    "POST /v1/redemptions",
    { redeemables: vouchers(["TEN"]), customer: { source_id: "ann" }, order: { amount: 1000, status: "PAID" } },
  ]);
  assert.equal(redeemed.status, 400);
  assert.equal((await club.call("GET /v1/orders")).body.total, 0);
  assert.equal(await ann.balance(), 0);
  const { body } = await club.call("GET /v1/vouchers/TEN");
  assert.equal(body.redemption.redeemed_quantity, 0);
});

test("paying with points, of v1 and v2, and buying a reward have the budget of the request", async (t) => {
  const counter = counting();
  const { call } = await testShop(db, {}, { newSteps: counter.newSteps });
  // Of each line is looked which is the cheapest, as often as a formula takes it.
  const cheapest = Array(CHEAPEST).fill("CHEAPEST_ORDER_ITEM_PRICE").join("+");
  const pays = (formula: string) => ({ pay_with_points: { exchange_ratio: { formula } } });
  const club = await makeClub(call, { wallet: pays(`(${cheapest})/1000000`), second: pays(`(${DEAREST})/1000000`) });
  const { member, ok, adjust, wallet } = club;
  await adjust(1_000_000);
  await adjust(1_000_000, member, member.other);
  const made = await ok("POST /v1/orders", { ...order, customer: { source_id: "ann" } });
  const payment = (card_id: string) => ({
    card_id,
    order: { id: made.id },
    mode: "DRY_RUN",
  });
  // Nine prices whose rules do not hold, each with as many words as a rule takes; then one for everybody.
  const words = (c: number, r: number) => Array.from({ length: 1000 }, (_, n) => `${c} ${r} ${n}`);
  const never = (c: number) => ({
    ...Object.fromEntries(
      Array.from({ length: 9 }, (_, r) => [
        String(r + 1),
        { name: "customer.metadata", property: "tag", conditions: { $in: words(c, r) } },
      ]),
    ),
    logic: "1 or 2 or 3 or 4 or 5 or 6 or 7 or 8 or 9",
  });
  const spending = [{ points: 1, card_definition_id: wallet.id }];
  const costs = [...Array.from({ length: 9 }, (_, c) => ({ spending, rules: never(c) })), { spending }];
  const reward = await club.reward({ costs });
  const coin = await ok("POST /v1/rewards", {
    name: "Coins",
    type: "COIN",
    parameters: { coin: { exchange_ratio: 1, points_ratio: 1 } },
  });
  const v1 = await ok("POST /v1/loyalties", {
    name: "Cards",
    type: "AUTO_UPDATE",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: 1000 } },
  });
  await ok(`POST /v1/rewards/${coin.id}/assignments`, { campaign: v1.id });
  const { voucher } = await ok("POST /v1/publications", {
    campaign: { name: "Cards" },
    customer: { source_id: "ann" },
  });
  const withPoints = { reward: { id: coin.id, points: 1 }, order };
  const REQUESTS: readonly Request[] = [
    ["the cheapest line", 200, `POST ${member.path}/orders/payments`, payment(member.card)],
    ["39 powers", 200, `POST ${member.path}/orders/payments`, payment(member.other)],
    ["settled", 202, `POST ${member.path}/orders/payments`, { ...payment(member.other), mode: undefined }],
    ["81 rules of costs", 200, `POST ${member.path}/rewards/purchases`, { reward_id: reward.id, mode: "DRY_RUN" }],
    ["settled", 202, `POST ${member.path}/rewards/purchases`, { reward_id: reward.id }],
    ["500 lines", 200, `POST /v1/loyalties/members/${voucher.code}/redemption`, withPoints],
    ["500 lines", 200, `POST /v1/loyalties/${v1.id}/members/${voucher.code}/redemption`, withPoints],
  ];
  for (const [what, status, ...request] of REQUESTS) {
    const { status: got, cost } = await ask(call, counter.used, request as Parameters<Call>);
    t.diagnostic(`${request[0]}, ${what}: ${got}, ${cost} steps`);
    assert.equal(got, status, `${request[0]}, ${what}`);
    assert.ok(cost > 0, `${request[0]} is counted`);
  }
});
const CHEAPEST = 30;

/** They decide nothing about a cart, and what follows from them is that of the events and orders above. */
const WITHOUT_CART = new Set([
  "createLoyaltyMember",
  "createPublication",
  "publishClientSide",
  "rollbackRedemption",
  "rollbackStackedRedemptions",
]);
/** As dear as on the server side: they differ in what a client may send and see. */
const AS_SERVER_SIDE = new Set(["trackCustomEventClientSide"]);

test("the dearest request of every hot operation was counted above", () => {
  const isCounted = ({ method, path }: { method: string; path: string }) => {
    const pattern = new RegExp(`^${method} ${path.replace(/\{\w+\}/g, "[^/]+")}$`);
    return [...counted].some((request) => pattern.test(request));
  };
  const hot = ALL_ROUTES.filter(({ runs, id }) => runs === "hot" && !WITHOUT_CART.has(id) && !AS_SERVER_SIDE.has(id));
  assert.deepEqual(
    hot.filter((route) => !isCounted(route)).map(({ id }) => id),
    [],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { SCENARIOS } from "../src/core/qualify/scenario.ts";
import { newSteps, STEPS_MAX, type Steps } from "../src/core/steps.ts";
import { cardClub, on } from "./card-clubs.ts";
import { type Call, testDatabase, testEngine, testProject } from "./support.ts";

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

/** Answered within the budget, or refused before it was passed. */
async function ask(call: Call, used: () => number, [request, body, headers]: Parameters<Call>) {
  const reply = await call(request, body, headers);
  const cost = used();
  assert.ok(cost <= STEPS_MAX, `${request} took ${cost} steps`);
  if (reply.status === 200) return { status: 200, cost };
  assert.equal(reply.status, 400, reply.text);
  assert.deepEqual([reply.body.key, reply.body.code], ["request_too_expensive", 400], reply.text);
  assert.match(reply.body.details, /fewer lines or fewer redeemables at once/);
  return { status: 400, cost };
}

test("the dearest request of each hot operation on a cart is answered within the budget, or refused with a 400", async (t) => {
  const counter = counting();
  const project = await testProject(db, { client_trusted_domains: [SHOP], client_redeem_enabled: true });
  const { call } = await testEngine(db, project, { newSteps: counter.newSteps });
  const ok = async (request: string, body: unknown) => {
    const reply = await call(request, body);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
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
  await code("POWERS", {
    discount: { type: "AMOUNT", amount_off: 1, amount_off_formula: POWERS, effect: "APPLY_TO_ITEMS" },
  });
  const plain = Array.from({ length: 30 }, (_, n) => `PLAIN${n}`);
  for (const name of plain) await code(name, { discount: onItems });
  const { id: campaign } = await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" });
  for (let n = 0; n < 3; n += 1)
    await ok(`POST /v1/promotions/${campaign}/tiers`, {
      name: `T${n}`,
      action: { discount: onItems },
      validation_rules: ruleIds,
    });

  const client = {
    "x-client-application-id": project.client.id,
    "x-client-token": project.client.secret,
    origin: SHOP,
  };
  const expand = { options: { expand: ["order", "redeemable", "category", "trace"] } };
  const qualification = (scenario: string, more: object = {}) => ({
    scenario,
    order,
    options: { limit: 50, sorting_rule: "BEST_DEAL", expand: ["redeemable", "validation_rules"], ...more },
  });
  /** What is sent, and whether it is answered. */
  const REQUESTS: readonly (readonly [what: string, status: 200 | 400, ...Parameters<Call>])[] = [
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
    ["all promotions", 400, "POST /v1/promotions/validation", { order }],
    ["by a client", 400, "POST /client/v1/validations", { redeemables: vouchers(ruled), order }, client],
    ["30 plain codes", 200, "POST /v1/redemptions", { redeemables: vouchers(plain), order }],
    ["35 powers", 400, "POST /v1/redemptions", { redeemables: vouchers(["POWERS"]), order }],
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
  for (const [what, status, ...request] of REQUESTS) {
    const answer = await ask(call, counter.used, request as Parameters<Call>);
    t.diagnostic(`${request[0]}, ${what}: ${answer.status}, ${answer.cost} steps`);
    assert.equal(answer.status, status, `${request[0]}, ${what}`);
    const again = await ask(call, counter.used, request as Parameters<Call>);
    if (!request[0].endsWith("/redemptions")) assert.equal(again.cost, answer.cost, "the same request costs the same");
  }
});
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

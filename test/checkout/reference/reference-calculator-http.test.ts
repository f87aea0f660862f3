import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { testDatabase } from "../../support/engine.ts";
import { testShop } from "../../support/shop.ts";
import { bundleRules, cart, redeemable, SHOP, written } from "./random-carts.ts";
import { type CartRequest, type CartShown, calculate, type Scenario, type Shop } from "./reference-calculator.ts";

// MONEY_SEED chooses the codes and carts, as a failure prints it; MONEY_HTTP_CARTS says how many are validated.
const SEED = Number(process.env.MONEY_SEED ?? Math.floor(Math.random() * 2 ** 31));
const CARTS = Number(process.env.MONEY_HTTP_CARTS ?? 300);
const POOL = 45;

const { db } = await testDatabase();

/** What was made of something that is asked, as a request names it. */
type Sample = { asked: CartRequest; object: "voucher" | "promotion_tier"; sent: Record<string, unknown> };

async function shop() {
  const { project, call, ok } = await testShop(db);
  const ids: Record<string, string> = {};
  for (const [source_id, { price }] of Object.entries(SHOP.products))
    ids[source_id] = (await ok("POST /v1/products", { source_id, name: source_id, price })).id;
  for (const [source_id, { price, product }] of Object.entries(SHOP.skus))
    ids[source_id] = (await ok(`POST /v1/products/${ids[product]}/skus`, { source_id, sku: source_id, price })).id;
  for (const [name, members] of Object.entries(SHOP.collections)) {
    const products = members.map((one) => ({ id: ids[one], object: one in SHOP.skus ? "sku" : "product" }));
    ids[name] = (await ok("POST /v1/product-collections", { name, type: "STATIC", products })).id;
  }
  for (const name of ["INITIAL_AMOUNT", "DISCOUNTED_AMOUNT"])
    ids[name] = (await ok("POST /v1/categories", { name, hierarchy: 1 })).id;
  const path = `/management/v1/projects/${project.id}/stacking-rules`;
  const { id } = await ok(`POST ${path}`, {
    initial_amount_mode_categories: [ids.INITIAL_AMOUNT],
    discounted_amount_mode_categories: [ids.DISCOUNTED_AMOUNT],
  });
  const setRules = ({ mode, once, partial, skipNoEffect }: Scenario["settings"]) =>
    ok(`PUT ${path}/${id}`, {
      discount_calculation_mode: mode,
      redeemables_products_application_mode: once ? "ONCE" : "STACK",
      redeemables_application_mode: partial ? "PARTIAL" : "ALL",
      redeemables_no_effect_rule: skipNoEffect ? "SKIP" : "REDEEM_ANYWAY",
    });
  const promotion = (await ok("POST /v1/campaigns", { name: "P", campaign_type: "PROMOTION" })).id as string;
  return { call, ok, ids, setRules, promotion };
}
type World = Awaited<ReturnType<typeof shop>>;

/** The same with the ids of the project. */
const named = <T>(value: T, { ids }: World): T =>
  JSON.parse(JSON.stringify(value), (key, own) => (key === "id" || key === "unit_type" ? (ids[own] ?? own) : own));

/** Makes the code, the tier or the card that is asked for. */
async function make(given: CartRequest, n: number, world: World): Promise<Sample> {
  const { ok, ids, promotion } = world;
  if ("points" in given) return makeCard(given, n, world);
  const { targets, bundle } = given;
  const rule = await ok("POST /v1/validation-rules", {
    name: `R${n}`,
    type: "basic",
    rules: {},
    applicable_to: named(written(targets), world),
    ...(bundle && { bundle_rules: named(bundleRules(bundle), world) }),
  });
  const common = { validation_rules: [rule.id], ...(given.mode && { category_id: ids[given.mode] }) };
  if ("gift" in given) {
    const { balance, credits, effect } = given.gift;
    await ok(`POST /v1/vouchers/CODE${n}`, { type: "GIFT_VOUCHER", gift: { amount: balance, effect }, ...common });
    const gift = credits === null ? {} : { gift: { credits } };
    return { asked: { ...given, used: 0, campaign: null }, object: "voucher", sent: { id: `CODE${n}`, ...gift } };
  }
  const discount = named(written(given.discount), world);
  if (n % 3 === 0) {
    const tier = await ok(`POST /v1/promotions/${promotion}/tiers`, { name: `T${n}`, action: { discount }, ...common });
    return { asked: { ...given, used: 0, campaign: "P" }, object: "promotion_tier", sent: { id: tier.id } };
  }
  await ok(`POST /v1/vouchers/CODE${n}`, { type: "DISCOUNT_VOUCHER", discount, ...common });
  return { asked: { ...given, used: 0, campaign: null }, object: "voucher", sent: { id: `CODE${n}` } };
}

async function makeCard(given: Extract<CartRequest, { points: unknown }>, n: number, { ok }: World): Promise<Sample> {
  const { balance, points, exchange_ratio, points_ratio } = given.points;
  const club = await ok("POST /v1/loyalties", {
    name: `Club ${n}`,
    type: "AUTO_UPDATE",
    voucher: { type: "LOYALTY_CARD", loyalty_card: { points: balance } },
  });
  const joined = { campaign: { name: `Club ${n}` }, customer: { source_id: `somebody ${n}` } };
  const { code } = (await ok("POST /v1/publications", joined)).voucher;
  const reward = await ok("POST /v1/rewards", {
    name: `Money ${n}`,
    parameters: { coin: { exchange_ratio, points_ratio } },
  });
  await ok(`POST /v1/rewards/${reward.id}/assignments`, { campaign: club.id });
  const sent = { id: code, reward: { id: reward.id, ...(points !== null && { points }) } };
  const asked = { ...given, targets: NOTHING_NAMED, used: 0, campaign: null, mode: null, bundle: null };
  return { asked, object: "voucher", sent };
}
const NOTHING_NAMED = { included: [], excluded: [], included_all: false };

const sum = (values: number[]): number => values.reduce((all, one) => all + one, 0);

/** The cart as an answer shows it; what is left out there is zero here. */
const shown = (order: any) => ({
  amount: order.amount ?? null,
  discount_amount: order.discount_amount ?? 0,
  items_discount_amount: order.items_discount_amount ?? 0,
  total_discount_amount: order.total_discount_amount ?? 0,
  total_amount: order.total_amount ?? 0,
  applied_discount_amount: order.applied_discount_amount ?? 0,
  items_applied_discount_amount: order.items_applied_discount_amount ?? 0,
  total_applied_discount_amount: order.total_applied_discount_amount ?? 0,
  items: (order.items ?? []).map((item: any) => ({
    quantity: item.quantity,
    amount: item.amount ?? null,
    initial_quantity: item.initial_quantity ?? null,
    discount_amount: item.discount_amount ?? 0,
    discount_quantity: item.discount_quantity ?? 0,
    applied_discount_amount: item.applied_discount_amount ?? 0,
    subtotal_amount: item.subtotal_amount ?? 0,
  })),
});
function expected({ lines, ...order }: CartShown) {
  const items = sum(lines.map(({ discount_amount }) => discount_amount));
  const applied = sum(lines.map(({ applied_discount_amount }) => applied_discount_amount));
  return {
    amount: order.amount,
    discount_amount: order.discount_amount,
    items_discount_amount: items,
    total_discount_amount: order.discount_amount + items,
    total_amount: order.total_amount,
    applied_discount_amount: order.applied_discount_amount,
    items_applied_discount_amount: applied,
    total_applied_discount_amount: order.applied_discount_amount + applied,
    items: lines.map((line) => ({
      quantity: line.quantity,
      amount: line.amount,
      initial_quantity: line.initial_quantity,
      discount_amount: line.discount_amount,
      discount_quantity: line.discount_quantity,
      applied_discount_amount: line.applied_discount_amount,
      subtotal_amount: Math.max(0, (line.amount ?? 0) - line.discount_amount),
    })),
  };
}

const SETTINGS: Scenario["settings"][] = [
  { mode: "DISCOUNTED_AMOUNT", once: false, partial: false, skipNoEffect: false },
  { mode: "INITIAL_AMOUNT", once: false, partial: true, skipNoEffect: true },
  { mode: "DISCOUNTED_AMOUNT", once: true, partial: true, skipNoEffect: false },
  { mode: "INITIAL_AMOUNT", once: true, partial: false, skipNoEffect: true },
];

/** Validates a cart, and compares every redeemable and the whole order with the calculator. */
async function compare(scenario: Scenario, redeemables: readonly object[], { call, ids }: World): Promise<void> {
  const why = `MONEY_SEED=${SEED}: ${JSON.stringify({ scenario, redeemables })}`;
  const items = scenario.lines.map(({ product, sku, price, amount, quantity }) => ({
    ...(sku === null ? product !== null && { product_id: ids[product] } : { sku_id: ids[sku] }),
    ...(price !== null && { price }),
    ...(amount !== null && { amount }),
    quantity,
  }));
  const order = { items, ...(scenario.amount !== null && { amount: scenario.amount }) };
  const { status, body, text } = await call("POST /v1/validations", { redeemables, order });
  assert.equal(status, 200, `${text}\n${why}`);
  const result = calculate(scenario, SHOP as Shop);
  assert.equal(body.valid, result.valid, why);
  const steps = result.steps.filter((step) => !scenario.settings.partial || step.status === "APPLICABLE");
  assert.equal(body.redeemables.length, steps.length, why);
  for (const [n, step] of steps.entries()) {
    const answer = body.redeemables[n];
    assert.equal(answer.status, step.status, why);
    if (step.status === "INAPPLICABLE") assert.equal(answer.result.error.key, step.key, why);
    if (step.status === "SKIPPED") assert.equal(answer.details.key, step.key, why);
    if (step.status !== "APPLICABLE") continue;
    assert.deepEqual(shown(answer.order), expected(step.order), why);
    if (step.credits !== undefined) assert.equal(answer.result.gift.credits, step.credits, why);
    if (step.points !== undefined) assert.equal(answer.result.loyalty_card.points, step.points, why);
    if (step.bundles !== undefined) assert.equal(answer.result.bundle.quantity, step.bundles, why);
  }
  if (result.order) assert.deepEqual(shown(body.order), expected(result.order), why);
}

test("validations of codes, cards, tiers and stacks agree with the calculator", async () => {
  const world = await shop();
  const pool: Sample[] = [];
  for (const [n, asked] of fc.sample(redeemable, { numRuns: POOL, seed: SEED }).entries())
    pool.push(await make(asked, n, world));
  const tiers = pool.filter(({ object }) => object === "promotion_tier");
  const carts = fc.sample(fc.tuple(cart, fc.array(fc.nat(POOL - 1), { minLength: 1, maxLength: 4 })), {
    numRuns: CARTS,
    seed: SEED,
  });
  for (const [part, settings] of SETTINGS.entries()) {
    await world.setRules(settings);
    const stacked = tiers.slice(part, part + 3);
    const stack = await world.ok(`POST /v1/promotions/${world.promotion}/stacks`, {
      name: `S${part}`,
      tiers: { ids: stacked.map(({ sent }) => sent.id), hierarchy_mode: "MANUAL" },
    });
    const own = carts.slice((part * CARTS) / SETTINGS.length, ((part + 1) * CARTS) / SETTINGS.length);
    for (const [n, [given, picked]] of own.entries()) {
      const isStack = n % 10 === 0;
      const chosen = isStack ? stacked : [...new Set(picked)].map((one) => pool[one]!);
      const redeemables = isStack
        ? [{ object: "promotion_stack", id: stack.id }]
        : chosen.map(({ object, sent }) => ({ object, ...sent }));
      await compare({ ...given, redeemables: chosen.map(({ asked }) => asked), settings }, redeemables, world);
    }
  }
});

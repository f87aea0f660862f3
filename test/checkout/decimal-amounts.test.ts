import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../support/engine.ts";
import { assertErrorBody } from "../support/http.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();
const SHOP = "https://shop.example";
const CLIENT = { origin: SHOP };
const { call } = await testShop(db, { client_trusted_domains: [SHOP] });

const SAYS = "must be a whole number of cents (4999 for 49.99)";
const validation = (order: object, more: object = {}) => ({
  redeemables: [{ object: "voucher", id: "A", ...more }],
  order,
});
const rule = (more: object) => ({ name: "R", type: "basic", rules: {}, ...more });
const TOTAL = "Property .filter.summary.orders.total_amount $more_than";
const segment = (field: string, conditions: object) => ({
  name: "S",
  type: "auto-update",
  filter: { junction: "and", [field]: { conditions } },
});
const earning = (calculation_type: string, more: object) => [
  { event: "order.paid", loyalty: { type: "PROPORTIONAL", calculation_type, ...more } },
];
const proportional = (base: object) => ({
  name: "R",
  trigger: { event: "customer.order.paid" },
  earnings: [{ name: "E", effects: [{ points_proportional: { card_definition_id: "lcdef_1", ...base } }] }],
});

/** Every place of a request that takes money, with a decimal in it. */
const BODIES: [request: string, body: (money: unknown) => object, field: string][] = [
  ["POST /v1/validations", (amount) => validation({ amount }), "Property .order.amount"],
  ["POST /v1/validations", (price) => validation({ items: [{ price }] }), "Property .order.items[0].price"],
  ["POST /v1/validations", (amount) => validation({ items: [{ amount }] }), "Property .order.items[0].amount"],
  [
    "POST /v1/validations",
    (price) => validation({ items: [{ sku: { price } }] }),
    "Property .order.items[0].sku.price",
  ],
  [
    "POST /v1/validations",
    (credits) => validation({ amount: 1 }, { gift: { credits } }),
    "Property .redeemables[0].gift.credits",
  ],
  [
    "POST /v1/redemptions",
    (credits) => validation({ amount: 1 }, { gift: { credits } }),
    "Property .redeemables[0].gift.credits",
  ],
  ["POST /v1/qualifications", (amount) => ({ order: { amount } }), "Property .order.amount"],
  ["POST /v1/orders", (amount) => ({ amount }), "Property .amount"],
  ["POST /v1/products", (price) => ({ name: "P", price }), "Property .price"],
  [
    "POST /v1/vouchers",
    (amount_off) => ({ type: "DISCOUNT_VOUCHER", discount: { type: "AMOUNT", amount_off } }),
    "Property .discount.amount_off",
  ],
  [
    "POST /v1/vouchers",
    (fixed_amount) => ({ type: "DISCOUNT_VOUCHER", discount: { type: "FIXED", fixed_amount } }),
    "Property .discount.fixed_amount",
  ],
  [
    "POST /v1/vouchers",
    (amount_limit) => ({ type: "DISCOUNT_VOUCHER", discount: { type: "PERCENT", percent_off: 1, amount_limit } }),
    "Property .discount.amount_limit",
  ],
  ["POST /v1/vouchers", (amount) => ({ type: "GIFT_VOUCHER", gift: { amount } }), "Property .gift.amount"],
  [
    "POST /v1/campaigns",
    (amount) => ({ name: "C", voucher: { type: "GIFT_VOUCHER", gift: { amount } } }),
    "Property .voucher.gift.amount",
  ],
  [
    "POST /v1/validation-rules",
    (amount) => rule({ rules: { 1: { name: "order.amount", conditions: { $more_than: [amount] } }, logic: "1" } }),
    "Rule 'order.amount': '$more_than'",
  ],
  [
    "POST /v1/validation-rules",
    (price) => rule({ applicable_to: { included: [{ object: "product", id: "p", price }] } }),
    "applicable_to.included[0].price",
  ],
  ["POST /v1/segments", (money) => segment("summary.orders.total_amount", { $more_than: [money] }), TOTAL],
  [
    "POST /v1/segments",
    (money) => segment("summary.orders.total_amount", { $is: money }),
    TOTAL.replace("$more_than", "$is"),
  ],
  [
    "POST /v1/segments",
    (money) => segment("summary.redemptions.gift.amount_to_go", { $less_than: [100, money] }),
    "Property .filter.summary.redemptions.gift.amount_to_go $less_than",
  ],
  [
    "POST /v1/product-collections",
    (money) => ({
      name: "C",
      type: "AUTO_UPDATE",
      filter: { junction: "and", price: { conditions: { $less_than: [money] } } },
    }),
    "Property .filter.price $less_than",
  ],
  ...(["amount", "total_amount"] as const).map((field): (typeof BODIES)[number] => [
    "POST /v1/loyalties/CLUB/earning-rules",
    (every) => earning(`ORDER_${field.toUpperCase()}`, { order: { [field]: { every, points: 1 } } }),
    `Property [0].loyalty.order.${field}.every`,
  ]),
  ...(["amount", "subtotal_amount"] as const).map((field): (typeof BODIES)[number] => [
    "POST /v1/loyalties/CLUB/earning-rules",
    (every) =>
      earning(`ORDER_ITEMS_${field.toUpperCase()}`, {
        order_items: { [field]: { every, points: 1, object: "product", id: "p" } },
      }),
    `Property [0].loyalty.order_items.${field}.every`,
  ]),
  [
    "POST /v2/loyalties/earning-rules",
    (every) => proportional({ order: { amount: { every, value: 1 } } }),
    "Property .earnings[0].effects[0].points_proportional.order.amount.every",
  ],
  [
    "POST /v2/loyalties/earning-rules",
    (every) =>
      proportional({
        order_items: { subtotal_amount: { every, value: 1, applicable_to: [{ product: { id: "prod_1" } }] } },
      }),
    "Property .earnings[0].effects[0].points_proportional.order_items.subtotal_amount.every",
  ],
  [
    "POST /v2/loyalties/card-definitions",
    (min_amount) => ({
      name: "C",
      type: "INDIVIDUAL",
      earning_limits: { global: {}, transactions: { limits: [{ min_amount }] } },
    }),
    "Property .earning_limits.transactions.limits[0].min_amount",
  ],
  [
    "POST /v2/loyalties/benefits",
    (balance) => ({ name: "B", type: "DIGITAL", digital: { gift_vouchers: { campaign_id: "camp_1", balance } } }),
    "Property .digital.gift_vouchers.balance",
  ],
];
/** The same in query strings, where everything is text. */
const QUERIES: [request: string, field: string][] = [
  ["GET /client/v1/validate?code=A&amount=", "Property .amount"],
  ["GET /client/v1/promotions/validation?amount=", "Property .amount"],
  ["GET /client/v1/validate?code=A&item[0][price]=", "Property .item[0].price"],
  ["GET /v1/orders?filters[amount][conditions][$more_than]=", "filters.amount $more_than"],
  ["GET /v1/orders?filters[amount][conditions][$in][0]=1&filters[amount][conditions][$in][1]=", "filters.amount $in"],
  ["GET /v1/products?filters[price][conditions][$is]=", "filters.price $is"],
];

test("money with a decimal point, as a number or a text, is refused with what to send instead", async () => {
  for (const [request, body, field] of BODIES)
    for (const money of [49.99, "49.99"]) {
      const reply = await call(request, body(money));
      assertErrorBody(reply);
      assert.equal(reply.status, 400, `${request} ${JSON.stringify(body(money))}`);
      assert.ok(reply.body.details.includes(`${field} ${SAYS}`), `${request}: ${reply.body.details}`);
    }
});

test("money with a decimal point in a query string is refused with the same words, and whole cents are taken", async () => {
  for (const [request, field] of QUERIES)
    for (const money of ["49.99", "4999.00"]) {
      const reply = await call(`${request}${money}`, undefined, CLIENT);
      assertErrorBody(reply);
      assert.equal(reply.status, 400, request);
      assert.equal(reply.body.key, "invalid_query_params", request);
      assert.equal(reply.body.details, `${field} ${SAYS}`);
      const whole = await call(`${request}4999`, undefined, CLIENT);
      assert.ok(whole.status === 200, `${request}: ${whole.text}`);
    }
});

test("whole cents are taken, as a number or a text, and numbers that are no money may have decimals", async () => {
  for (const [request, body] of [
    ["POST /v1/segments", segment("summary.orders.total_amount", { $more_than: ["4999"] })],
    ["POST /v1/segments", segment("metadata.score", { $more_than: [4.5] })],
    ["POST /v1/segments", segment("loyalty.points", { $more_than: ["4.5"] })],
  ] as const) {
    const { status, text } = await call(request, body);
    assert.equal(status, 200, text);
  }
});

test("what a balance changes by may be cents or points", async () => {
  await call("POST /v1/vouchers/GIFT", { type: "GIFT_VOUCHER", gift: { amount: 100 } });
  const { status, body } = await call("POST /v1/vouchers/GIFT/balance", { amount: 4.5 });
  const says = "must be a whole number: of cents (4999 for 49.99), or of points";
  assert.deepEqual([status, body.details], [400, `Property .amount ${says}`]);
});

test("what is no money keeps its own words", async () => {
  const { status, body } = await call("POST /v1/categories", { name: "C", hierarchy: 1.5 });
  assert.deepEqual([status, body.details], [400, "Property .hierarchy must be integer"]);
});

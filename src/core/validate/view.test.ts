import assert from "node:assert/strict";
import { test } from "node:test";
import { cart } from "../../../test/support/carts.ts";
import { gift, redeemable, rule, SITUATION } from "../../../test/support/redeemables.ts";
import type { Order } from "../order/order.ts";
import { orderView } from "../order/view.ts";
import { DEFAULT_STACKING } from "../stacking/settings.ts";
import { decide } from "./decide.ts";
import type { Candidate } from "./redeemable.ts";
import { decisionView } from "./view.ts";

const show = (order: Order) => orderView(order, { customer_id: null, referrer_id: null });
function view(
  candidates: readonly Candidate[],
  order: Order | null,
  mode: "ALL" | "PARTIAL" = "ALL",
  showsOrder = true,
) {
  const settings = { ...DEFAULT_STACKING, redeemables_application_mode: mode };
  const decision = decide(candidates, order, { settings, situation: SITUATION });
  return decisionView(decision, { mode, showOrder: showsOrder ? show : null, showWhole: show }) as any;
}
const unknown: Candidate = { object: "voucher", id: "eee33463", unknown: true, category_id: null, hierarchy: null };
const EMPTY = { data: [], total: 0, data_ref: "data", object: "list" };

test("an order-level discount: amounts of the order, empty product lists, the effect that was resolved", () => {
  const answer = view([redeemable({ type: "AMOUNT", amount_off: 1000 })], cart([], { amount: 46500 }));
  const order = {
    amount: 46500,
    initial_amount: 46500,
    discount_amount: 1000,
    total_discount_amount: 1000,
    total_amount: 45500,
    applied_discount_amount: 1000,
    total_applied_discount_amount: 1000,
    metadata: {},
    customer_id: null,
    referrer_id: null,
    object: "order",
  };
  assert.deepEqual(answer, {
    valid: true,
    redeemables: [
      {
        status: "APPLICABLE",
        id: "CODE",
        object: "voucher",
        order,
        applicable_to: EMPTY,
        inapplicable_to: EMPTY,
        result: { discount: { type: "AMOUNT", amount_off: 1000, effect: "APPLY_TO_ORDER", is_dynamic: false } },
      },
    ],
    order,
  });
});

test("without an order there are no amounts at all", () => {
  const [entry] = view([redeemable({ type: "AMOUNT", amount_off: 1 })], null).redeemables;
  assert.deepEqual(Object.keys(entry), ["status", "id", "object", "applicable_to", "inapplicable_to", "result"]);
});

test("ALL: a failure carries the error body, what follows it is skipped with an empty result and a reason beside it", () => {
  const tier = redeemable({ type: "AMOUNT", amount_off: 1 }, { object: "promotion_tier", id: "promo_X" });
  const answer = view([unknown, tier], cart([], { amount: 100 }));
  const error = {
    code: 404,
    key: "not_found",
    message: "Resource not found",
    details: "Cannot find voucher with id eee33463",
    resource_id: "eee33463",
    resource_type: "voucher",
  };
  const failed = {
    status: "INAPPLICABLE",
    id: "eee33463",
    object: "voucher",
    result: { error, details: { message: "Resource not found", key: "not_found" } },
  };
  const skipped = {
    status: "SKIPPED",
    id: "promo_X",
    object: "promotion_tier",
    result: {},
    details: {
      key: "preceding_validation_failed",
      message: "Redeemable cannot be applied due to preceding validation failure",
    },
  };
  assert.deepEqual(answer, {
    valid: false,
    redeemables: [failed, skipped],
    skipped_redeemables: [skipped],
    inapplicable_redeemables: [failed],
  });
});

test("PARTIAL: the answer lists what applies, the others stand beside it; when none applies the list is empty", () => {
  const good = redeemable(gift(500, { requested: 100 }));
  const answer = view([unknown, good], cart([], { amount: 1000 }), "PARTIAL");
  assert.deepEqual([answer.valid, answer.redeemables.length, answer.inapplicable_redeemables.length], [true, 1, 1]);
  assert.deepEqual(answer.redeemables[0].result, { gift: { credits: 100, balance: 400 } });
  const none = view([unknown], cart([], { amount: 1000 }), "PARTIAL");
  assert.deepEqual([none.valid, none.redeemables, "order" in none], [false, [], false]);
});

test("a discount on products names the rule's entries and the products of the cart that it found, with their units", () => {
  const rules = [
    rule({
      applicable_to: {
        included: [
          { object: "products_collection", id: "pc_1", effect: "APPLY_FROM_CHEAPEST", target: "UNIT", repeat: 2 },
        ],
        excluded: [{ object: "product", id: "prod_9" }],
      },
    }),
  ];
  const lines = [
    { product: "prod_1", price: 200, quantity: 3, collections: ["pc_1"] },
    { product: "prod_2", price: 100, quantity: 2, collections: ["pc_1"] },
    { product: "prod_9", price: 50, collections: ["pc_1"] },
  ];
  const answer = view(
    [redeemable({ type: "PERCENT", percent_off: 50, effect: "APPLY_TO_ITEMS" }, { rules })],
    cart(lines),
  );
  const [entry] = answer.redeemables;
  const units = [
    { index: 1, units: [1] },
    { index: 0, units: [1, 3] },
  ];
  const [definition, ...found] = entry.applicable_to.data;
  assert.deepEqual(
    [definition.id, definition.order_item_indices, definition.order_item_units],
    ["pc_1", [1, 0], units],
  );
  assert.deepEqual([definition.repeat, definition.skip_initially, definition.target], [2, 0, "UNIT"]);
  assert.deepEqual(
    found.map((one: { id: string; strict: boolean; order_item_indices: number[] }) => [
      one.id,
      one.strict,
      one.order_item_indices,
    ]),
    [
      ["prod_2", true, [1]],
      ["prod_1", true, [0]],
    ],
  );
  assert.deepEqual(
    entry.inapplicable_to.data.map((one: { id: string }) => one.id),
    ["prod_9"],
  );
  assert.deepEqual(
    answer.order.items.map((item: any) => [item.discount_amount, item.subtotal_amount, item.product.id]),
    [
      [200, 400, "prod_1"],
      [50, 150, "prod_2"],
      [undefined, 50, "prod_9"],
    ],
  );
});

test("of an order with more than a thousand units only the lines are told, and the numbers are exact all the same", () => {
  const answer = view(
    [
      redeemable(
        { type: "PERCENT", percent_off: 10, effect: "APPLY_TO_ITEMS" },
        { rules: [rule({ applicable_to: { included: [{ object: "product", id: "p" }] } })] },
      ),
    ],
    cart([{ product: "p", price: 10, quantity: 1001 }]),
  );
  assert.deepEqual(answer.redeemables[0].applicable_to.data[0].order_item_units, [
    { index: 0, units_limit_exceeded: true },
  ]);
  assert.equal(answer.order.total_discount_amount, 1001);
});

test("the orders of the single steps are left out when they are not asked for", () => {
  const answer = view([redeemable({ type: "AMOUNT", amount_off: 1 })], cart([], { amount: 10 }), "ALL", false);
  assert.deepEqual(["order" in answer.redeemables[0], "order" in answer], [false, true]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Catalog } from "../../catalog/catalog.ts";
import type { OrderRow } from "../../core/rows/order.ts";
import type { OrderWrite } from "../../resources/orders/orders/schema.ts";
import { loadGoods } from "../../steps/goods/goods.ts";
import { type OrderPlan, type OrderState, planOrder } from "./plan.ts";

const NOW = "2026-03-04T10:00:00.000Z";
const NONE = new Map<string, never>();
/** A project that has configured nothing. */
const CATALOG = new Proxy({}, { get: () => NONE }) as unknown as Catalog;

/** No statement is sent for any of it. */
async function stateOf(
  body: OrderWrite,
  { before = null, people = { saved: [] } }: Partial<OrderState> = {},
): Promise<OrderState> {
  let count = 0;
  return {
    catalog: CATALOG,
    project: { id: "proj" },
    now: NOW,
    newId: (prefix) => `${prefix}_${++count}`,
    body,
    before,
    people,
    goods: await loadGoods(undefined as never, "proj", { products: [], skus: [] }),
  };
}
const created = (plan: OrderPlan): OrderRow => ("create" in plan ? plan.create : assert.fail("it is made"));
const changed = (plan: OrderPlan) => ("change" in plan ? plan.change : assert.fail("it is changed"));

const lines = fc.array(
  fc.record({
    quantity: fc.integer({ min: 1, max: 9 }),
    price: fc.integer({ min: 0, max: 9_900 }),
    discount_amount: fc.integer({ min: 0, max: 20_000 }),
  }),
  { minLength: 1, maxLength: 5 },
);

test("law: no more comes off a line, and off an order, than it costs; planning changes nothing", async () => {
  await fc.assert(
    fc.asyncProperty(lines, fc.integer({ min: 0, max: 100_000 }), async (items, discount_amount) => {
      const state = await stateOf({ items, discount_amount } as OrderWrite);
      const body = JSON.stringify(state.body);
      const row = created(planOrder(state));
      assert.equal(JSON.stringify(state.body), body);
      assert.equal(
        row.amount,
        items.reduce((sum, { quantity, price }) => sum + quantity * price, 0),
      );
      for (const item of row.items) assert.ok(item.discount_amount <= item.amount!);
      const off = row.items.reduce((sum, item) => sum + item.discount_amount, 0);
      assert.ok(row.discount_amount + off <= row.amount!);
      assert.deepEqual([row.status, row.customer_id, row.created_at], ["CREATED", null, NOW]);
    }),
  );
});

test("what is not sent stays as it is, and what is sent as null is taken away", async () => {
  const items = [{ quantity: 2, price: 500 }];
  const sent = { items, discount_amount: 100, metadata: { a: 1 }, source_id: "shop-1" } as OrderWrite;
  const people = { customer: "cust_1", referrer: "cust_2", saved: [] };
  const before = created(planOrder(await stateOf(sent, { people })));
  assert.deepEqual(changed(planOrder(await stateOf({} as OrderWrite, { before }))), { updated_at: NOW });
  const cleared = { people: { customer: null, saved: [] }, before };
  assert.deepEqual(changed(planOrder(await stateOf({ metadata: { b: 2 } } as OrderWrite, cleared))), {
    customer_id: null,
    metadata: { a: 1, b: 2 },
    updated_at: NOW,
  });
  const smaller = changed(planOrder(await stateOf({ discount_amount: 40 } as OrderWrite, { before })));
  assert.deepEqual([smaller.amount, smaller.discount_amount, smaller.items], [1_000, 40, before.items]);
});

test("an order that cannot be is refused", async () => {
  const items = Array.from({ length: 2 }, () => ({ quantity: 1, price: Number.MAX_SAFE_INTEGER }));
  const state = await stateOf({ items } as OrderWrite);
  assert.throws(() => planOrder(state), /amount must be <=/);
});

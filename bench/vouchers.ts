import type { Server } from "./lab.ts";
import { type Cart, CHANNELS, COUNTRIES, numbers, randomCarts, type Shop } from "./shop.ts";

const CODES = 200;
const CODES_A_CART = 5;
const LINES = 10;
const CARTS = 200;
const code = (n: number): string => `BENCH-${n}`;

// Each of them leaves something of the cart, so that all five of a request apply.
const DISCOUNTS = [
  { type: "PERCENT", percent_off: 10 },
  { type: "AMOUNT", amount_off: 300 },
  { type: "PERCENT", percent_off: 5, effect: "APPLY_TO_ITEMS" },
  { type: "AMOUNT", amount_off: 50, effect: "APPLY_TO_ITEMS" },
  { type: "PERCENT", percent_off: 15, amount_limit: 1000 },
];

/** Three rules that hold for every cart here, and that have to be looked at to know it. */
const rulesFor = (n: number) => ({
  1: { name: "customer.metadata", property: "country", conditions: { $in: COUNTRIES } },
  2: { name: "order.initial_amount", conditions: { $more_than: [1000 + n] } },
  3:
    n % 2 === 0
      ? { name: "order.metadata", property: "channel", conditions: { $in: CHANNELS } }
      : { name: "order.items.count", conditions: { $more_than_or_equal: [LINES] } },
  logic: "1 and 2 and 3",
});

export async function makeCodes(server: Server, { project }: Shop): Promise<void> {
  for (const n of numbers(CODES)) {
    const body = { name: `Rule ${n}`, rules: rulesFor(n) };
    const rule = await server.call<{ id: string }>(project, "POST /v1/validation-rules", body);
    const discount = DISCOUNTS[n % DISCOUNTS.length];
    const voucher = { type: "DISCOUNT_VOUCHER", discount, validation_rules: [rule.id], redemption: { quantity: null } };
    await server.call(project, `POST /v1/vouchers/${code(n)}`, voucher);
  }
}

/** Requests of five codes for a cart of ten lines, each code once and one of every discount. */
export const validationBodies = (): (Cart & { redeemables: object[] })[] =>
  randomCarts(7, { count: CARTS, lines: LINES }).map((cart: Cart, n) => ({
    ...cart,
    redeemables: numbers(CODES_A_CART).map((k) => ({
      object: "voucher",
      id: code((((n * 7) % (CODES / CODES_A_CART)) * CODES_A_CART + k) % CODES),
    })),
  }));

type Validation = { valid: boolean; redeemables: { status: string }[] };

/** Every one of the answers applies all its codes: otherwise less is measured than is said. */
export function requireAllApply(answers: readonly Validation[]): void {
  for (const { valid, redeemables } of answers)
    if (!valid || redeemables.length !== CODES_A_CART || redeemables.some(({ status }) => status !== "APPLICABLE"))
      throw new Error(`not all codes apply: ${JSON.stringify(redeemables).slice(0, 500)}`);
}

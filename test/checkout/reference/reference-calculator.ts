import type { Scenario, Shop } from "./asked.ts";
import { type Cart, cartOf, type Line, NOTHING, toPay } from "./cart.ts";
import { redeem } from "./redeemable.ts";
import type { Used } from "./targets.ts";

export type {
  CartRequest,
  DiscountAsked,
  Entry,
  Formula,
  LineAsked,
  Scenario,
  Shop,
  Targets,
} from "./asked.ts";

/**
 * Calculates what redeemables do to a cart, a second time and from the description of the interface alone. It imports
 * nothing, so that a fault of the engine cannot be in here as well, and counts in whole numbers and fractions only.
 * It is written to be compared with: short and slow.
 */

type Numbers<T> = { [K in keyof T]: T[K] extends bigint ? number : T[K] extends bigint | null ? number | null : T[K] };
export type CartShown = Numbers<Omit<Cart, "lines">> & { total_amount: number; lines: Numbers<Line>[] };
export type StepShown =
  | {
      status: "APPLICABLE";
      order: CartShown;
      units: [line: number, units: number[]][];
      credits?: number;
      points?: number;
      bundles?: number;
    }
  | { status: "INAPPLICABLE"; key: string }
  | { status: "SKIPPED"; key: string };
export type Result = { steps: StepShown[]; valid: boolean; order: CartShown | null };

const plain = <T extends object>(fields: T): Numbers<T> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value]),
  ) as Numbers<T>;
const shown = ({ lines, ...cart }: Cart): CartShown => ({
  ...plain(cart),
  total_amount: Number(toPay({ ...cart, lines })),
  lines: lines.map(plain),
});

/** What the whole request took off: the difference to the cart as it was sent. */
function sinceStart(cart: Cart, start: Cart): Cart {
  const lines = cart.lines.map((line, n) => {
    const first = start.lines[n] ?? { ...line, quantity: 0n, amount: 0n, ...NOTHING };
    const quantity = line.quantity - first.quantity;
    return {
      ...line,
      applied_discount_amount: line.discount_amount - first.discount_amount,
      applied_discount_quantity: line.discount_quantity - first.discount_quantity,
      applied_zero_discounts: line.zero_discounts - first.zero_discounts,
      applied_quantity: quantity,
      applied_quantity_amount: quantity === 0n ? 0n : (line.amount ?? 0n) - (first.amount ?? 0n),
    };
  });
  return {
    ...cart,
    applied_discount_amount: cart.discount_amount - start.discount_amount,
    applied_zero_discounts: cart.zero_discounts - start.zero_discounts,
    lines,
  };
}

/** Takes the redeemables one after the other, each on the cart that those before it left. */
export function calculate(scenario: Scenario, shop: Shop): Result {
  const { redeemables, settings } = scenario;
  const start = cartOf(scenario, shop);
  const blocked = new Set<number>();
  const used = new Map<string, Used>();
  let [cart, failed, applied] = [start, false, 0];
  const steps = redeemables.map((asked): StepShown => {
    if (failed && !settings.partial) return { status: "SKIPPED", key: "preceding_validation_failed" };
    const own = (asked.campaign !== null && used.get(asked.campaign)) || new Map();
    const outcome = redeem({ cart, asked, shop, mode: asked.mode ?? settings.mode, blocked, used: own });
    if ("refused" in outcome) {
      failed = true;
      return { status: "INAPPLICABLE", key: outcome.refused };
    }
    if (!outcome.hasEffect && settings.skipNoEffect) return { status: "SKIPPED", key: "no_effect" };
    applied += 1;
    cart = outcome.cart;
    if (settings.once)
      for (const [n, line] of cart.lines.entries()) if (line.applied_discount_amount > 0n) blocked.add(n);
    if (asked.campaign !== null)
      used.set(
        asked.campaign,
        new Map([...own, ...[...outcome.used].map(([key, count]) => [key, count + (own.get(key) ?? 0n)] as const)]),
      );
    const { credits, points, bundles } = outcome;
    return {
      status: "APPLICABLE",
      order: shown(cart),
      units: outcome.eligible.map(({ index, units }) => [index, units.map(Number)]),
      ...(credits !== undefined && { credits: Number(credits) }),
      ...(points !== undefined && { points: Number(points) }),
      ...(bundles !== undefined && { bundles }),
    };
  });
  const valid = applied > 0 && (settings.partial || !failed);
  return { steps, valid, order: valid ? shown(sinceStart(cart, start)) : null };
}

import type { CartRequest, DiscountAsked, Entry, Mode, Shop } from "./asked.ts";
import { APPLIED, big, type Cart, type Line, left, takeOff, takeOffOrder, toPay, worth, zero } from "./cart.ts";
import { hundredth, moneyOf, percentOf, type Values, worked } from "./formulas.ts";
import {
  ceil,
  compare,
  decimal,
  type Fraction,
  floor,
  fraction,
  halfUp,
  least,
  minus,
  over,
  sum,
  times,
} from "./fractions.ts";
import {
  amountLimit,
  BUDGETS,
  counterOf,
  type Eligible,
  eligible,
  limited,
  names,
  SPECIFIC,
  type Used,
} from "./targets.ts";
import { unitsOff } from "./units.ts";

// Part of the reference calculator: one redeemable.

export type Outcome = {
  cart: Cart;
  eligible: Eligible[];
  used: Used;
  credits?: bigint;
  points?: bigint;
  bundles?: number;
  hasEffect: boolean;
};
export type Refusal = { refused: string };
export type RedeemableCase = {
  cart: Cart;
  asked: CartRequest;
  shop: Shop;
  mode: Mode;
  blocked: Set<number>;
  used: Used;
  bundles: bigint;
};

/** Whole bundles in the cart: SKUs are looked for first, then products, then collections; a unit serves one part. */
function bundlesIn({ lines }: Cart, { parts, limit }: NonNullable<CartRequest["bundle"]>): number {
  const sorted = parts.toSorted((a, b) => SPECIFIC.indexOf(a.object) - SPECIFIC.indexOf(b.object));
  for (let count = limit; count > 0; count--) {
    const free = lines.map(({ quantity }) => quantity);
    const isThere = sorted.every((part) => {
      let needed = BigInt(part.quantity * count);
      for (const [index, line] of lines.entries()) {
        const taken = names(part, line) ? least(free[index]!, needed) : 0n;
        free[index]! -= taken;
        needed -= taken;
      }
      return needed === 0n;
    });
    if (isThere) return count;
  }
  return 0;
}

export function redeem(given: Omit<RedeemableCase, "bundles">): Outcome | Refusal {
  const { asked, cart: before } = given;
  const found = asked.bundle && bundlesIn(before, asked.bundle);
  if (found === 0) return { refused: "order_rules_violated" };
  const cart: Cart = {
    ...before,
    applied_discount_amount: 0n,
    applied_zero_discounts: 0n,
    lines: before.lines.map((line) => ({ ...line, ...APPLIED })),
  };
  const all = { ...given, cart, bundles: BigInt(found ?? 1) };
  const outcome =
    "gift" in asked
      ? payGift(all, asked.gift)
      : "points" in asked
        ? payPoints(all, asked.points)
        : discountCart(all, asked.discount);
  return "refused" in outcome || found === null ? outcome : { ...outcome, bundles: found };
}

function payGift(
  given: RedeemableCase,
  { balance, credits, effect }: { balance: number; credits: number | null; effect: string },
): Outcome | Refusal {
  const { cart, asked } = given;
  if ((credits ?? 0) > balance) return { refused: "gift_amount_exceeded" };
  const nothing = { eligible: [], used: new Map() };
  if (cart.amount === null) {
    if (credits === null) return { refused: "missing_amount" };
    return { cart: given.cart, ...nothing, credits: BigInt(credits), hasEffect: credits > 0 };
  }
  const wanted = BigInt(credits ?? balance);
  if (effect === "APPLY_TO_ORDER") {
    const paid = takeOffOrder(cart, wanted);
    return { cart, ...nothing, credits: paid, hasEffect: paid > 0n };
  }
  const start: Cart = { ...cart, lines: cart.lines.map((line) => ({ ...line })) };
  const lines = eligible(cart, asked.targets, new Set());
  if (!lines.some(({ index }) => cart.lines[index]!.amount !== null)) return { refused: "missing_order_items_amount" };
  const fitting = limited(lines, { ...given, before: asked.used, factor: 1n });
  const perEntry = new Map<Entry | null, bigint>();
  let rest = wanted;
  const paid = fitting.map(({ entry, index, units }) => {
    const line = cart.lines[index]!;
    const most = least(
      rest,
      halfUp(worth(line, BigInt(units.length))),
      entry && amountLimit(entry, { cart: start, item: null }),
      entry?.aggregated_amount_limit === undefined
        ? null
        : zero(BigInt(entry.aggregated_amount_limit) - (perEntry.get(entry) ?? 0n)),
    );
    const taken = takeOff(cart, line, most, 0n, units.length > 0);
    perEntry.set(entry, (perEntry.get(entry) ?? 0n) + taken);
    rest -= taken;
    return taken;
  });
  const all = sum(paid);
  return {
    cart,
    eligible: fitting,
    used: counted(cart, fitting, (n) => paid[n]! > 0n),
    credits: all,
    hasEffect: all > 0n,
  };
}

/** What lines that were discounted add to the counters over time. */
export function counted({ lines }: Cart, all: Eligible[], isDiscounted: (n: number) => boolean): Used {
  const used: Used = new Map();
  for (const [n, { entry, index, units }] of all.entries())
    for (const limit of entry && isDiscounted(n) ? BUDGETS.filter((one) => entry[one] !== undefined) : []) {
      const key = counterOf(limit, entry!, lines[index]!);
      used.set(key, (used.get(key) ?? 0n) + BigInt(units.length));
    }
  return used;
}

export type Points = { balance: number; points: number | null; exchange_ratio: number; points_ratio: number };
function payPoints(
  { cart }: RedeemableCase,
  { balance, points: asked, exchange_ratio, points_ratio }: Points,
): Outcome | Refusal {
  if ((asked ?? 0) > balance) return { refused: "loyalty_card_points_exceeded" };
  if (cart.amount === null) return { refused: "missing_amount" };
  const points = BigInt(asked ?? balance);
  const each = over(times(decimal(exchange_ratio), fraction(100n)), decimal(points_ratio))!;
  const [cash, before] = [floor(times(fraction(points), each)), toPay(cart)];
  const paid = takeOffOrder(cart, cash);
  if (paid === 0n && !(cart.amount > 0n && before === 0n)) return { refused: "invalid_amount" };
  const used = cash <= before ? points : least(points, ceil(over(fraction(before), each)!));
  return { cart, eligible: [], used: new Map(), points: used, hasEffect: used > 0n };
}

function discountCart(given: RedeemableCase, discount: DiscountAsked): Outcome | Refusal {
  const { cart, asked } = given;
  const isFor = asked.targets.included_all || asked.targets.included.length + asked.targets.excluded.length > 0;
  const effect =
    discount.effect ??
    (discount.type === "UNIT"
      ? discount.units
        ? "ADD_MANY_ITEMS"
        : "ADD_MISSING_ITEMS"
      : isFor
        ? "APPLY_TO_ITEMS"
        : "APPLY_TO_ORDER");
  if (discount.type !== "UNIT" && effect !== "APPLY_TO_ORDER" && cart.lines.length === 0)
    return { refused: "missing_order_items" };
  const done =
    discount.type === "UNIT"
      ? unitsOff(given, discount, effect)
      : effect === "APPLY_TO_ORDER"
        ? orderOff(given, discount)
        : itemsOff(given, discount, effect);
  const applied = cart.applied_discount_amount + sum(cart.lines.map((line) => line.applied_discount_amount));
  return { cart, ...done, hasEffect: applied > 0n || cart.lines.some((line) => line.applied_quantity !== 0n) };
}

function orderOff(
  { cart, mode, bundles }: RedeemableCase,
  discount: DiscountAsked,
): Pick<Outcome, "eligible" | "used"> {
  const values = { cart, item: null };
  const rest = toPay(cart);
  if (discount.type === "AMOUNT")
    takeOffOrder(cart, moneyOf(discount.amount_off_formula, discount.amount_off, values) * bundles);
  if (discount.type === "FIXED")
    takeOffOrder(cart, rest - moneyOf(discount.fixed_amount_formula, discount.fixed_amount, values));
  if (discount.type === "PERCENT") {
    const base = mode === "INITIAL_AMOUNT" ? (cart.initial_amount ?? 0n) : rest;
    takeOffOrder(cart, least(halfUp(percent(discount, values, bundles, fraction(base))), big(discount.amount_limit)));
  }
  return { eligible: [], used: new Map() };
}
function percent(discount: DiscountAsked, values: Values, bundles: bigint, base: Fraction): Fraction {
  const own = times(percentOf(discount.percent_off_formula, discount.percent_off, values), fraction(bundles));
  const most = compare(own, fraction(100n)) > 0 ? fraction(100n) : own;
  return times(times(most, base), hundredth);
}

function itemsOff(given: RedeemableCase, discount: DiscountAsked, effect: string): Pick<Outcome, "eligible" | "used"> {
  const { cart, asked, mode, bundles, blocked } = given;
  const perUnit = discount.type === "FIXED" || effect === "APPLY_TO_ITEMS_BY_QUANTITY";
  const all = limited(eligible(cart, asked.targets, blocked), {
    ...given,
    before: asked.used,
    factor: perUnit ? bundles : 1n,
  });
  // Formulas see the cart as it was before this redeemable.
  const start: Cart = { ...cart, lines: cart.lines.map((line) => ({ ...line })) };
  const valuesOf = (index: number): Values => ({ cart: start, item: start.lines[index]! });
  const taken: bigint[] = [];
  if (effect.startsWith("APPLY_TO_ITEMS_PROPORTIONALLY")) {
    const whole = moneyOf(discount.amount_off_formula, discount.amount_off, { cart: start, item: null }) * bundles;
    const shares = split(least(whole, big(discount.aggregated_amount_limit), toPay(cart)), all, {
      cart: start,
      byQuantity: effect.endsWith("BY_QUANTITY"),
    });
    for (const [n, { index, units }] of all.entries())
      taken.push(takeOff(cart, cart.lines[index]!, shares[n]!, 0n, units.length > 0));
  } else {
    const perEntry = new Map<Entry | null, bigint>();
    for (const { entry, index, units } of all) {
      const [line, values, n] = [cart.lines[index]!, valuesOf(index), BigInt(units.length)];
      const own = lineOff({ line, discount, effect, values, bundles, mode, units: n, entry });
      const most = least(
        own,
        entry && amountLimit(entry, { cart: start, item: null }),
        entry?.aggregated_amount_limit === undefined
          ? null
          : zero(BigInt(entry.aggregated_amount_limit) - (perEntry.get(entry) ?? 0n)),
        discount.type === "PERCENT" ? big(discount.amount_limit) : null,
        discount.type === "FIXED" || discount.aggregated_amount_limit === undefined
          ? null
          : zero(BigInt(discount.aggregated_amount_limit) - sum(taken)),
      );
      taken.push(takeOff(cart, line, most, 0n, n > 0n));
      perEntry.set(entry, (perEntry.get(entry) ?? 0n) + taken.at(-1)!);
    }
  }
  return { eligible: all, used: counted(cart, all, (n) => taken[n]! > 0n) };
}

export type LineOff = {
  line: Line;
  discount: DiscountAsked;
  effect: string;
  values: Values;
  bundles: bigint;
  mode: Mode;
  units: bigint;
  entry: Entry | null;
};

/** What comes off one line for its eligible units, before limits on money. */
function lineOff({ line, discount, effect, values, bundles, mode, units, entry }: LineOff): bigint {
  const value = worth(line, units);
  const atMost = (a: Fraction, b: Fraction) => (compare(a, b) < 0 ? a : b);
  if (discount.type === "FIXED") {
    const own = entry && (worked(entry.price_formula, values) || entry.price !== undefined);
    const price = own
      ? moneyOf(entry.price_formula, entry.price, values)
      : moneyOf(discount.fixed_amount_formula, discount.fixed_amount, values);
    return zero(halfUp(minus(value, fraction(price * units))));
  }
  if (discount.type === "PERCENT") {
    const initial = worth({ amount: line.initial_amount, quantity: line.initial_quantity }, units);
    const base = mode === "INITIAL_AMOUNT" ? initial : units >= line.quantity ? fraction(left(line)) : value;
    return halfUp(percent(discount, values, bundles, base));
  }
  const off = moneyOf(discount.amount_off_formula, discount.amount_off, values);
  if (effect === "APPLY_TO_ITEMS_BY_QUANTITY") return halfUp(atMost(fraction(off * units), value));
  return halfUp(atMost(fraction(off * bundles), value));
}

/** One amount over lines in proportion: floor shares, the spare units to the largest remainders, then the earlier line. */
function shareOut(whole: bigint, weights: { weight: bigint; index: number }[]): bigint[] {
  const total = sum(weights.map(({ weight }) => weight));
  if (total === 0n) return weights.map(() => 0n);
  const shares = weights.map(({ weight }) => (whole * weight) / total);
  const places = weights.map((_, n) => n);
  const remainder = (n: number) => (whole * weights[n]!.weight) % total;
  places.sort((a, b) => Number(remainder(b) - remainder(a)) || weights[a]!.index - weights[b]!.index);
  for (const n of places.slice(0, Number(whole - sum(shares)))) shares[n]! += 1n;
  return shares;
}

export type Share = { entry: Entry | null; index: number; weight: bigint; room: bigint };

/** The same where a line has only so much room: what it cannot take is split again over the others. */
function shareWithin(whole: bigint, lines: Share[]): bigint[] {
  const shares = lines.map(() => 0n);
  for (let rest = whole; rest > 0n; ) {
    const open = lines.flatMap((line, n) => (shares[n]! < line.room && line.weight > 0n ? [n] : []));
    if (open.length === 0) break;
    const wanted = shareOut(
      rest,
      open.map((n) => lines[n]!),
    );
    for (const [at, n] of open.entries()) {
      const taken = least(wanted[at]!, lines[n]!.room - shares[n]!);
      shares[n]! += taken;
      rest -= taken;
    }
  }
  return shares;
}

/**
 * A proportional split within limits. The value and the quantity of a line are those of its eligible units. Lines whose
 * entry allows them less than their shares get that, in proportion, and the others share the rest.
 */
function split(whole: bigint, all: Eligible[], { cart, byQuantity }: { cart: Cart; byQuantity: boolean }): bigint[] {
  const lines = all.map(({ entry, index, units }): Share => {
    const line = cart.lines[index]!;
    const value = halfUp(worth(line, BigInt(units.length)));
    const room = least(left(line), value, entry && amountLimit(entry, { cart, item: null }));
    return { entry, index, weight: byQuantity ? BigInt(units.length) : value, room };
  });
  const settled = new Map<Share, bigint>();
  let [rest, open] = [whole, lines];
  for (;;) {
    const shares = shareWithin(rest, open);
    const full = [...new Set(open.map(({ entry }) => entry))].filter((entry) => {
      const own = sum(shares.filter((_, n) => open[n]!.entry === entry));
      return entry?.aggregated_amount_limit !== undefined && own > BigInt(entry.aggregated_amount_limit);
    });
    if (full.length === 0) {
      for (const [n, line] of open.entries()) settled.set(line, shares[n]!);
      return lines.map((line) => settled.get(line)!);
    }
    for (const entry of full) {
      const [own, most] = [open.filter((line) => line.entry === entry), BigInt(entry!.aggregated_amount_limit!)];
      for (const [n, share] of shareWithin(most, own).entries()) settled.set(own[n]!, share);
      rest -= most;
    }
    open = open.filter(({ entry }) => !full.includes(entry));
  }
}

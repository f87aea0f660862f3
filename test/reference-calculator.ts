/**
 * Calculates what redeemables do to a cart, a second time and from the description of the interface alone. It imports
 * nothing, so that a fault of the engine cannot be in here as well, and counts in whole numbers and fractions only.
 * It is written to be compared with: short and slow.
 */

// --- Exact numbers ---------------------------------------------------------------------------------------------------

/** A fraction; `d` is above zero. */
type Fraction = { n: bigint; d: bigint };
const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));
const fraction = (n: bigint, d = 1n): Fraction => {
  const by = gcd(n, d) * (d < 0n ? -1n : 1n);
  return { n: n / by, d: d / by };
};
const plus = (a: Fraction, b: Fraction) => fraction(a.n * b.d + b.n * a.d, a.d * b.d);
const minus = (a: Fraction, b: Fraction) => fraction(a.n * b.d - b.n * a.d, a.d * b.d);
const times = (a: Fraction, b: Fraction) => fraction(a.n * b.n, a.d * b.d);
const over = (a: Fraction, b: Fraction) => (b.n === 0n ? null : fraction(a.n * b.d, a.d * b.n));
const compare = (a: Fraction, b: Fraction): number =>
  Number(a.n * b.d - b.n * a.d > 0n) - Number(a.n * b.d < b.n * a.d);
const floor = ({ n, d }: Fraction): bigint => (n >= 0n ? n / d : -((-n + d - 1n) / d));
const ceil = ({ n, d }: Fraction): bigint => -floor({ n: -n, d });
/** Half away from zero: 2.5 is 3. */
const halfUp = (x: Fraction): bigint => (x.n < 0n ? -halfUp({ n: -x.n, d: x.d }) : (2n * x.n + x.d) / (2n * x.d));
/** A number as it is written: 33.33 is 3,333 / 100. */
function decimal(value: number): Fraction {
  const [digits = "", exponent = "0"] = String(value).split("e");
  const [whole = "", part = ""] = digits.split(".");
  const scale = BigInt(Number(exponent) - part.length);
  const own = BigInt(whole + part);
  return scale >= 0n ? fraction(own * 10n ** scale) : fraction(own, 10n ** -scale);
}
const least = (...values: (bigint | null)[]): bigint =>
  values.reduce<bigint | null>((a, b) => (a === null ? b : b === null || a < b ? a : b), null)!;
const sum = (values: bigint[]): bigint => values.reduce((a, b) => a + b, 0n);

// --- What is asked ---------------------------------------------------------------------------------------------------

export type Formula =
  | { number: number }
  | { variable: string }
  | { operator: "+" | "-" | "*" | "/"; left: Formula; right: Formula }
  | { choose: "MIN" | "MAX"; of: Formula[] }
  | { round: "ROUND" | "FLOOR" | "CEIL"; value: Formula; places: number }
  | { if: Formula; above: Formula; so: Formula; otherwise: Formula }
  /** Metadata that nobody has: it makes the formula fail. */
  | { missing: true };

type Named = { object: "product" | "sku" | "products_collection"; id: string; strict?: boolean };
export type Entry = Named & {
  effect?: string;
  target?: "ITEM" | "UNIT";
  skip_initially?: number;
  repeat?: number;
  price?: number;
  price_formula?: Formula;
  amount_limit?: number;
  amount_limit_formula?: Formula;
  aggregated_amount_limit?: number;
  quantity_limit?: number;
  quantity_limit_formula?: Formula;
  aggregated_quantity_limit?: number;
  product_campaign_quantity_limit?: number;
  product_in_collection_campaign_quantity_limit?: number;
};
export type Targets = { included: Entry[]; excluded: Named[]; included_all: boolean };
type Units = { unit_type: string; unit_off?: number; unit_off_formula?: Formula; effect?: string };
export type DiscountAsked = { type: "AMOUNT" | "PERCENT" | "FIXED" | "UNIT"; effect?: string } & Partial<Units> & {
    amount_off?: number;
    amount_off_formula?: Formula;
    percent_off?: number;
    percent_off_formula?: Formula;
    fixed_amount?: number;
    fixed_amount_formula?: Formula;
    amount_limit?: number;
    aggregated_amount_limit?: number;
    units?: Units[];
  };
export type Asked = {
  targets: Targets;
  campaign: string | null;
  /** Units that were discounted before, of every counter of a limit over time. */
  used: number;
  /** Overrides how the project calculates percentages. */
  mode: Mode | null;
  bundle: { parts: (Named & { quantity: number })[]; limit: number } | null;
} & (
  | { discount: DiscountAsked }
  | { gift: { balance: number; credits: number | null; effect: "APPLY_TO_ORDER" | "APPLY_TO_ITEMS" } }
  | { points: { balance: number; points: number | null; exchange_ratio: number; points_ratio: number } }
);
export type Mode = "INITIAL_AMOUNT" | "DISCOUNTED_AMOUNT";
export type LineAsked = {
  product: string | null;
  sku: string | null;
  quantity: number;
  price: number | null;
  amount: number | null;
};
export type Scenario = {
  lines: LineAsked[];
  amount: number | null;
  redeemables: Asked[];
  settings: { mode: Mode; once: boolean; partial: boolean; skipNoEffect: boolean };
};
/** What the shop sells: products and SKUs with their prices, and the collections they are in. */
export type Shop = {
  products: Record<string, { price: number | null }>;
  skus: Record<string, { price: number | null; product: string }>;
  /** A product stands for its SKUs too. */
  collections: Record<string, string[]>;
};

// --- The cart --------------------------------------------------------------------------------------------------------

type Line = {
  product: string | null;
  sku: string | null;
  collections: string[];
  price: bigint | null;
  quantity: bigint;
  amount: bigint | null;
  initial_quantity: bigint;
  initial_amount: bigint | null;
  discount_amount: bigint;
  discount_quantity: bigint;
  applied_discount_amount: bigint;
  applied_discount_quantity: bigint;
  applied_quantity: bigint;
  applied_quantity_amount: bigint;
};
type Cart = {
  amount: bigint | null;
  initial_amount: bigint | null;
  discount_amount: bigint;
  applied_discount_amount: bigint;
  lines: Line[];
};

const big = (value: number | null | undefined): bigint | null => (value == null ? null : BigInt(value));
const collectionsOf = (shop: Shop, product: string | null, sku: string | null): string[] =>
  Object.entries(shop.collections).flatMap(([id, members]) =>
    members.some((one) => one === product || one === sku) ? [id] : [],
  );

function lineOf({ product, sku, ...given }: LineAsked, shop: Shop): Line {
  const price =
    given.price ??
    (sku === null ? null : shop.skus[sku]!.price) ??
    (product === null ? null : shop.products[product]!.price);
  const [quantity, amount] = [
    BigInt(given.quantity),
    big(given.amount) ?? (price === null ? null : BigInt(price) * BigInt(given.quantity)),
  ];
  return {
    ...{ product, sku, collections: collectionsOf(shop, product, sku), price: big(price), quantity, amount },
    ...{ initial_quantity: quantity, initial_amount: amount, ...NOTHING },
  };
}
const APPLIED = {
  applied_discount_amount: 0n,
  applied_discount_quantity: 0n,
  applied_quantity: 0n,
  applied_quantity_amount: 0n,
};
const NOTHING = { discount_amount: 0n, discount_quantity: 0n, ...APPLIED };

function cartOf({ lines: asked, amount: sent }: Scenario, shop: Shop): Cart {
  const lines = asked.map((one) => lineOf(one, shop));
  const known = lines.flatMap(({ amount }) => (amount === null ? [] : [amount]));
  const amount = big(sent) ?? (known.length === 0 ? null : sum(known));
  return { amount, initial_amount: amount, discount_amount: 0n, applied_discount_amount: 0n, lines };
}

const zero = (value: bigint): bigint => (value < 0n ? 0n : value);
const toPay = ({ amount, discount_amount, lines }: Cart): bigint =>
  zero((amount ?? 0n) - discount_amount - sum(lines.map((one) => one.discount_amount)));
const left = ({ amount, discount_amount }: Line): bigint => zero((amount ?? 0n) - discount_amount);
/** What so many units of a line cost: their part of its amount. */
const worth = ({ amount, quantity }: { amount: bigint | null; quantity: bigint }, units: bigint): Fraction =>
  amount === null || quantity === 0n ? fraction(0n) : fraction(amount * least(units, quantity), quantity);
const unitPrice = (line: Line): Fraction => (line.price === null ? worth(line, 1n) : fraction(line.price));

/** Takes money off a line, never more than is left of it and to pay. */
function takeOff(cart: Cart, line: Line, amount: bigint, units = 0n): bigint {
  const taken = zero(least(amount, left(line), toPay(cart)));
  line.discount_amount += taken;
  line.applied_discount_amount += taken;
  line.discount_quantity += units;
  line.applied_discount_quantity += units;
  return taken;
}
function takeOffOrder(cart: Cart, amount: bigint): bigint {
  const taken = zero(least(amount, toPay(cart)));
  cart.discount_amount += taken;
  cart.applied_discount_amount += taken;
  return taken;
}

// --- Formulas --------------------------------------------------------------------------------------------------------

const hundredth = fraction(1n, 100n);
const money = (value: bigint | null): Fraction | null => (value === null ? null : times(fraction(value), hundredth));

function variable(name: string, cart: Cart, item: Line | null): Fraction | null {
  if (name === "ORDER_AMOUNT") return money(cart.amount);
  if (name === "ORDER_ITEMS_QUANTITY") return fraction(BigInt(cart.lines.length));
  if (name === "ORDER_UNITS_QUANTITY") return fraction(sum(cart.lines.map(({ quantity }) => quantity)));
  const [, which, what] = /^(CHEAPEST_|MOST_EXPENSIVE_|)ORDER_ITEM_(\w+)$/.exec(name)!;
  const line = which === "" ? item : extreme(cart.lines, which === "CHEAPEST_" ? 1 : -1);
  if (line === null) return null;
  if (what === "PRICE") return money(line.price);
  if (what === "AMOUNT") return money(line.amount);
  if (what === "SUBTOTAL") return line.amount === null ? null : money(left(line));
  return fraction(line.quantity);
}
function extreme(lines: Line[], sign: 1 | -1): Line | null {
  const priced = lines.filter(({ price }) => price !== null);
  const order = (a: Line, b: Line) => sign * Number(a.price! - b.price!) || Number(left(a) - left(b));
  return priced.toSorted(order)[0] ?? null;
}

/** Null: it cannot be worked out. */
function evaluate(formula: Formula, cart: Cart, item: Line | null): Fraction | null {
  const of = (one: Formula) => evaluate(one, cart, item);
  if ("number" in formula) return decimal(formula.number);
  if ("variable" in formula) return variable(formula.variable, cart, item);
  if ("missing" in formula) return null;
  if ("operator" in formula) {
    const [a, b] = [of(formula.left), of(formula.right)];
    if (a === null || b === null) return null;
    return { "+": plus, "-": minus, "*": times, "/": over }[formula.operator](a, b);
  }
  if ("choose" in formula) {
    const values = formula.of.map(of);
    if (values.includes(null)) return null;
    const sign = formula.choose === "MIN" ? 1 : -1;
    return (values as Fraction[]).toSorted((a, b) => sign * compare(a, b))[0]!;
  }
  if ("round" in formula) {
    const value = of(formula.value);
    const scale = fraction(10n ** BigInt(formula.places));
    return (
      value && over(fraction({ ROUND: halfUp, FLOOR: floor, CEIL: ceil }[formula.round](times(value, scale))), scale)
    );
  }
  const [one, other] = [of(formula.if), of(formula.above)];
  if (one === null || other === null) return null;
  return of(compare(one, other) > 0 ? formula.so : formula.otherwise);
}

type Values = { cart: Cart; item: Line | null };
const worked = (formula: Formula | undefined, { cart, item }: Values): Fraction | null => {
  const value = formula && evaluate(formula, cart, item);
  return value ? (value.n < 0n ? fraction(0n) : value) : null;
};
/** An amount in minor units, or the fixed one that stands beside the formula. */
const moneyOf = (formula: Formula | undefined, fixed: number | undefined, values: Values): bigint => {
  const value = worked(formula, values);
  return value ? halfUp(times(value, fraction(100n))) : BigInt(fixed ?? 0);
};
const countOf = (formula: Formula | undefined, fixed: number | undefined, values: Values): bigint => {
  const value = worked(formula, values);
  return value ? least(floor(value), 1_000_000n) : BigInt(fixed ?? 0);
};
const percentOf = (formula: Formula | undefined, fixed: number | undefined, values: Values): Fraction => {
  const value = worked(formula, values) ?? decimal(fixed ?? 0);
  return compare(value, fraction(100n)) > 0 ? fraction(100n) : value;
};

// --- Which lines and units -------------------------------------------------------------------------------------------

type Eligible = { entry: Entry | null; index: number; units: bigint[] };

const SPECIFIC = ["sku", "product", "products_collection"];
function names({ object, id, strict }: Named, line: Line): boolean {
  if (object === "sku") return line.sku === id;
  if (object === "product") return line.product === id && !(strict && line.sku !== null);
  return line.collections.includes(id);
}
/** The entry that counts for a line; null: it is for every line; undefined: the line is not discounted. */
function entryOf({ included, excluded, included_all }: Targets, line: Line): Entry | null | undefined {
  if (excluded.some((one) => names(one, line))) return undefined;
  const fitting = included.filter((one) => names(one, line));
  fitting.sort((a, b) => SPECIFIC.indexOf(a.object) - SPECIFIC.indexOf(b.object));
  return fitting[0] ?? (included_all || included.length === 0 ? null : undefined);
}

const range = (count: bigint): bigint[] => Array.from({ length: Number(count) }, (_, n) => BigInt(n + 1));

/** Lines and their units in the order in which they are discounted: entry by entry. */
function eligible(cart: Cart, targets: Targets, blocked: Set<number>): Eligible[] {
  const entries = cart.lines.map((line, index) => (blocked.has(index) ? undefined : entryOf(targets, line)));
  return [...targets.included, null].flatMap((entry) => {
    const indices = entries.flatMap((one, index) => (one === entry ? [index] : []));
    return indices.length === 0 ? [] : sequence(entry, indices, cart.lines);
  });
}
function sequence(entry: Entry | null, indices: number[], lines: Line[]): Eligible[] {
  const { effect = "APPLY_TO_EVERY", target = "ITEM", skip_initially: skip = 0, repeat = 1 } = entry ?? {};
  const sign = effect.endsWith("CHEAPEST") ? 1 : -1;
  const order = (a: number, b: number) =>
    sign * compare(unitPrice(lines[a]!), unitPrice(lines[b]!)) || Number(left(lines[a]!) - left(lines[b]!)) || a - b;
  if (effect !== "APPLY_TO_EVERY") indices.sort(order);
  const one = effect === "APPLY_TO_CHEAPEST" || effect === "APPLY_TO_MOST_EXPENSIVE";
  const picked = <T>(all: T[]): T[] =>
    (one ? all.slice(0, 1) : all).filter((_, n) => n >= skip && (n - skip) % repeat === 0);
  if (target === "ITEM")
    return picked(indices).map((index) => ({ entry, index, units: range(lines[index]!.quantity) }));
  const every = (one ? indices.slice(0, 1) : indices).flatMap((index) =>
    range(lines[index]!.quantity).map((unit) => ({ index, unit })),
  );
  const chosen = picked(every);
  return indices.flatMap((index) => {
    const units = chosen.flatMap((at) => (at.index === index ? [at.unit] : []));
    return units.length === 0 ? [] : [{ entry, index, units }];
  });
}

/** Units discounted so far, by counter. */
type Used = Map<string, bigint>;
const BUDGETS = ["product_campaign_quantity_limit", "product_in_collection_campaign_quantity_limit"] as const;
const counterOf = (limit: (typeof BUDGETS)[number], { object, id }: Entry, line: Line): string =>
  [limit, object, id, ...(limit === "product_campaign_quantity_limit" ? [] : [line.sku ?? line.product ?? ""])].join();

/** Leaves each line the units that the limits of its entry allow. */
function limited(all: Eligible[], given: { cart: Cart; used: Used; before: number; factor: bigint }): Eligible[] {
  const { cart, used, before, factor } = given;
  const perEntry = new Map<Entry, bigint>();
  const perCounter = new Map<string, bigint>();
  return all.map(({ entry, index, units }) => {
    if (entry === null) return { entry, index, units };
    const values = { cart, item: null };
    const perLine =
      entry.quantity_limit === undefined && !entry.quantity_limit_formula ? null : countLimit(entry, values) * factor;
    const overall =
      entry.aggregated_quantity_limit === undefined
        ? null
        : BigInt(entry.aggregated_quantity_limit) * factor - (perEntry.get(entry) ?? 0n);
    const counters = BUDGETS.flatMap((limit) =>
      entry[limit] === undefined ? [] : [{ limit, key: counterOf(limit, entry, cart.lines[index]!) }],
    );
    const budgets = counters.map(
      ({ limit, key }) => BigInt(entry[limit]! - before) - (used.get(key) ?? 0n) - (perCounter.get(key) ?? 0n),
    );
    const count = zero(least(BigInt(units.length), perLine, overall, ...budgets));
    perEntry.set(entry, (perEntry.get(entry) ?? 0n) + count);
    for (const { key } of counters) perCounter.set(key, (perCounter.get(key) ?? 0n) + count);
    return { entry, index, units: units.slice(0, Number(count)) };
  });
}
/** A formula that fails leaves the fixed limit; without one there is no limit. */
function countLimit({ quantity_limit, quantity_limit_formula }: Entry, values: Values): bigint {
  return worked(quantity_limit_formula, values) || quantity_limit !== undefined
    ? countOf(quantity_limit_formula, quantity_limit, values)
    : 10n ** 15n;
}
const amountLimit = ({ amount_limit, amount_limit_formula }: Entry, values: Values): bigint | null =>
  worked(amount_limit_formula, values) || amount_limit !== undefined
    ? moneyOf(amount_limit_formula, amount_limit, values)
    : null;

// --- One redeemable --------------------------------------------------------------------------------------------------

type Outcome = {
  cart: Cart;
  eligible: Eligible[];
  used: Used;
  credits?: bigint;
  points?: bigint;
  bundles?: number;
  hasEffect: boolean;
};
type Refusal = { refused: string };
type Given = { cart: Cart; asked: Asked; shop: Shop; mode: Mode; blocked: Set<number>; used: Used; bundles: bigint };

/** Whole bundles in the cart: SKUs are looked for first, then products, then collections; a unit serves one part. */
function bundlesIn({ lines }: Cart, { parts, limit }: NonNullable<Asked["bundle"]>): number {
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

function redeem(given: Omit<Given, "bundles">): Outcome | Refusal {
  const { asked, cart: before } = given;
  const found = asked.bundle && bundlesIn(before, asked.bundle);
  if (found === 0) return { refused: "order_rules_violated" };
  const cart: Cart = {
    ...before,
    applied_discount_amount: 0n,
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
  given: Given,
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
    const taken = takeOff(cart, line, most);
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
function counted({ lines }: Cart, all: Eligible[], isDiscounted: (n: number) => boolean): Used {
  const used: Used = new Map();
  for (const [n, { entry, index, units }] of all.entries())
    for (const limit of entry && isDiscounted(n) ? BUDGETS.filter((one) => entry[one] !== undefined) : []) {
      const key = counterOf(limit, entry!, lines[index]!);
      used.set(key, (used.get(key) ?? 0n) + BigInt(units.length));
    }
  return used;
}

type Points = { balance: number; points: number | null; exchange_ratio: number; points_ratio: number };
function payPoints(
  { cart }: Given,
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

function discountCart(given: Given, discount: DiscountAsked): Outcome | Refusal {
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

function orderOff({ cart, mode, bundles }: Given, discount: DiscountAsked): Pick<Outcome, "eligible" | "used"> {
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

function itemsOff(given: Given, discount: DiscountAsked, effect: string): Pick<Outcome, "eligible" | "used"> {
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
    for (const [n, { index }] of all.entries()) taken.push(takeOff(cart, cart.lines[index]!, shares[n]!));
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
      taken.push(takeOff(cart, line, most));
      perEntry.set(entry, (perEntry.get(entry) ?? 0n) + taken.at(-1)!);
    }
  }
  return { eligible: all, used: counted(cart, all, (n) => taken[n]! > 0n) };
}

type LineOff = {
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

type Share = { entry: Entry | null; index: number; weight: bigint; room: bigint };

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

// --- Free units ------------------------------------------------------------------------------------------------------

const isUnit = (line: Line, unit: string): boolean => (line.sku === null ? line.product === unit : line.sku === unit);

function linesOf(cart: Cart, unit: string, shop: Shop): Line[] {
  const there = cart.lines.filter((line) => isUnit(line, unit));
  if (there.length > 0) return there;
  const sku = unit in shop.skus ? unit : null;
  const product = sku === null ? unit : shop.skus[sku]!.product;
  const line = lineOf({ product, sku, quantity: 0, price: null, amount: null }, shop);
  cart.lines.push(line);
  return [line];
}
function addUnits(cart: Cart, line: Line, count: bigint): bigint {
  line.quantity += count;
  line.applied_quantity += count;
  if (line.price === null) return 0n;
  const added = line.price * count;
  line.amount = (line.amount ?? 0n) + added;
  line.applied_quantity_amount += added;
  cart.amount = (cart.amount ?? 0n) + added;
  return added;
}
const addFree = (cart: Cart, line: Line, count: bigint) => takeOff(cart, line, addUnits(cart, line, count), count);

function unitsOff(given: Given, discount: DiscountAsked, effect: string): Pick<Outcome, "eligible" | "used"> {
  const { cart, shop, asked, bundles, blocked } = given;
  const before: Cart = { ...cart, lines: cart.lines.map((line) => ({ ...line })) };
  const countFor = ({ unit_off_formula, unit_off }: Partial<Units>) =>
    countOf(unit_off_formula, unit_off, { cart: before, item: null });
  const one = (unit: Units, how: string): void => {
    const count = countFor(unit) * bundles;
    if (count === 0n) return;
    const lines = linesOf(cart, unit.unit_type, shop);
    if (how === "ADD_NEW_ITEMS") {
      addFree(cart, lines[0]!, count);
      return;
    }
    const missing = count - sum(lines.map(({ quantity }) => quantity));
    if (missing > 0n) addUnits(cart, lines[0]!, missing);
    let rest = count;
    for (const line of lines) {
      const units = least(rest, line.quantity);
      if (units === 0n) continue;
      const value = line.price === null ? halfUp(worth(line, units)) : line.price * units;
      takeOff(cart, line, units === line.quantity ? left(line) : value, units);
      rest -= units;
    }
  };
  const within = () =>
    limited(eligible(cart, asked.targets, blocked), { ...given, before: asked.used, factor: bundles });
  const nothing = { eligible: [], used: new Map() };
  if (effect === "ADD_MANY_ITEMS") {
    for (const unit of discount.units ?? []) one(unit, unit.effect ?? "ADD_MISSING_ITEMS");
    return nothing;
  }
  if (effect === "ADD_SAME_ITEMS") {
    const unit = discount.unit_type!;
    const all = within().filter(
      ({ index }) => cart.lines[index]!.collections.includes(unit) || isUnit(cart.lines[index]!, unit),
    );
    const count = countFor(discount) * bundles;
    for (const { index, units } of all) if (units.length > 0) addFree(cart, cart.lines[index]!, count);
    return { eligible: all, used: counted(cart, all, () => true) };
  }
  if (effect === "REPLACE_ITEMS") {
    const [all, count] = [within(), countFor(discount)];
    for (const { index, units } of all)
      replace(given, discount.unit_type!, { index, taken: BigInt(units.length), count });
    return { eligible: all, used: counted(cart, all, () => true) };
  }
  one({ ...discount, unit_type: discount.unit_type! }, effect);
  return nothing;
}

/** Units go, with their part of what was taken off them, and others come. The difference to what was to pay is free. */
function replace(
  { cart, shop }: Given,
  unit: string,
  { index, taken, count }: { index: number; taken: bigint; count: bigint },
): void {
  const source = cart.lines[index]!;
  if (taken === 0n || source.amount === null || cart.lines.findIndex((line) => isUnit(line, unit)) === index) return;
  const target = linesOf(cart, unit, shop)[0]!;
  const part = (whole: bigint) => halfUp(fraction(whole * taken, source.quantity));
  const [amount, discount] = [part(source.amount), part(source.discount_amount)];
  cart.amount = (cart.amount ?? 0n) - amount;
  source.amount -= amount;
  source.discount_amount -= discount;
  source.quantity -= taken;
  source.discount_quantity = least(source.discount_quantity, source.quantity);
  source.applied_quantity -= taken;
  source.applied_quantity_amount -= amount;
  const added = addUnits(cart, target, taken * count);
  takeOff(cart, target, zero(added - (amount - discount)));
  // The amount of an order may be less than its lines cost: neither it nor what is to pay falls below zero.
  cart.amount = zero(cart.amount ?? 0n);
  cart.discount_amount = least(
    cart.discount_amount,
    zero(cart.amount - sum(cart.lines.map((line) => line.discount_amount))),
  );
}

// --- All redeemables of a request ------------------------------------------------------------------------------------

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
      applied_quantity: quantity,
      applied_quantity_amount: quantity === 0n ? 0n : (line.amount ?? 0n) - (first.amount ?? 0n),
    };
  });
  return { ...cart, applied_discount_amount: cart.discount_amount - start.discount_amount, lines };
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

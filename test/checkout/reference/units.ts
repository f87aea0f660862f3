import type { DiscountAsked, Shop, Units } from "./asked.ts";
import { type Cart, type Line, left, lineOf, takeOff, worth, zero } from "./cart.ts";
import { countOf } from "./formulas.ts";
import { fraction, halfUp, least, sum } from "./fractions.ts";
import { counted, type Outcome, type RedeemableCase } from "./redeemable.ts";
import { eligible, limited } from "./targets.ts";

// Part of the reference calculator: free units.

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

export function unitsOff(
  given: RedeemableCase,
  discount: DiscountAsked,
  effect: string,
): Pick<Outcome, "eligible" | "used"> {
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
  { cart, shop }: RedeemableCase,
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

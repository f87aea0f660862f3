import { sum } from "../money/amounts.ts";
import { type OrderItem, subtotalOf } from "../order/order.ts";
import { parseDay, parseInstant } from "../time/instant.ts";
import type { FormulaFacts, FormulaValue, Run } from "./facts.ts";
import { count, major } from "./values.ts";

export type FormulaVariable = (run: Run) => FormulaValue;

/** The variables of one line. The subtotal is what discounts so far have left of the amount. */
const lineVariables = (prefix: string, line: (run: Run) => OrderItem | null): Record<string, FormulaVariable> => {
  const of = (read: (item: OrderItem) => FormulaValue) => (run: Run) => {
    const item = line(run);
    return item && read(item);
  };
  return {
    [`${prefix}_PRICE`]: of(({ price }) => major(price)),
    [`${prefix}_AMOUNT`]: of(({ amount }) => major(amount)),
    [`${prefix}_SUBTOTAL`]: of((item) => major(item.amount === null ? null : subtotalOf(item))),
    [`${prefix}_UNITS_QUANTITY`]: of(({ quantity }) => count(quantity)),
  };
};

const instantOf = ({ zone }: FormulaFacts, text: string | null | undefined): FormulaValue =>
  text ? parseInstant(text, zone) : null;

/** The day as it is written: a birthday at midnight UTC does not move to the day before in America. */
const birthdate: FormulaVariable = ({ facts }) => parseDay(facts.customer?.birthdate?.slice(0, 10) ?? "");

const startDate: FormulaVariable = ({ facts }) => instantOf(facts, facts.redeemable?.start_date);
const expirationDate: FormulaVariable = ({ facts }) => instantOf(facts, facts.redeemable?.expiration_date);

const nowOf = ({ facts }: Run) => Temporal.Instant.from(facts.now).toZonedDateTimeISO(facts.zone);

export const VARIABLES: ReadonlyMap<string, FormulaVariable> = new Map(
  Object.entries<FormulaVariable>({
    TRUE: () => true,
    FALSE: () => false,
    TODAY: (run) => nowOf(run).toPlainDate(),
    NOW: nowOf,
    ORDER_AMOUNT: ({ facts }) => major(facts.order?.amount ?? null),
    ORDER_ITEMS_QUANTITY: ({ facts }) => count(facts.order?.items.length ?? null),
    ORDER_UNITS_QUANTITY: ({ facts, spendOnLines }) => {
      spendOnLines();
      return facts.order && count(sum(facts.order.items.map(({ quantity }) => quantity)));
    },
    ORDER_BUNDLE_QUANTITY: ({ facts }) => count(facts.bundle_quantity),
    ...lineVariables("ORDER_ITEM", ({ facts }) => facts.item),
    ...lineVariables("CHEAPEST_ORDER_ITEM", (run) => run.cheapest()),
    ...lineVariables("MOST_EXPENSIVE_ORDER_ITEM", (run) => run.mostExpensive()),
    VOUCHER_REDEMPTION_QUANTITY: ({ facts }) => count(facts.redeemable?.redemption_quantity ?? null),
    VOUCHER_REDEEMED_QUANTITY: ({ facts }) => count(facts.redeemable?.redeemed_quantity ?? null),
    VOUCHER_PUBLISH_COUNT: ({ facts }) => count(facts.redeemable?.publish_count ?? null),
    VOUCHER_START_DATE: startDate,
    VOUCHER_EXPIRATION_DATE: expirationDate,
    PROMOTION_TIER_START_DATE: startDate,
    PROMOTION_TIER_EXPIRATION_DATE: expirationDate,
    CUSTOMER_BIRTHDATE: birthdate,
  }),
);

/**
 * The line of the lowest price, or with `sign` -1 of the highest. Among equal prices it is in both cases the one of
 * which discounts have left least, then the first. Lines without a price are not looked at.
 */
export function extremeLine(items: readonly OrderItem[], sign: 1 | -1): OrderItem | null {
  let best: OrderItem | null = null;
  for (const item of items) {
    if (item.price === null) continue;
    const byPrice = best === null ? -1 : sign * (item.price - best.price!);
    if (best === null || byPrice < 0 || (byPrice === 0 && subtotalOf(item) < subtotalOf(best))) best = item;
  }
  return best;
}

import type { Decimal } from "decimal.js";
import type { Metadata, Order, OrderItem } from "../order/order.ts";
import type { Steps } from "../steps.ts";
import type { FormulaNode } from "./syntax.ts";

/** Everything a formula may look at. What is null was not sent or does not apply: a formula that needs it is null. */
export type FormulaFacts = {
  /** Pays for the evaluation; without it nothing is counted. */
  steps?: Steps | undefined;
  now: string;
  /** The project's zone, as `resolveZone` gives it. */
  zone: string;
  /** The cart as the redeemables before this one left it. */
  order: Order | null;
  /** The line that a discount on products is about. */
  item: OrderItem | null;
  customer: { metadata: Metadata; birthdate: string | null } | null;
  /** The voucher or the promotion tier that the formula belongs to. */
  redeemable: {
    metadata: Metadata;
    redemption_quantity: number | null;
    redeemed_quantity: number | null;
    publish_count: number | null;
    start_date: string | null;
    expiration_date: string | null;
  } | null;
  redemption_metadata: Metadata | null;
  publication_metadata: Metadata | null;
  /** How many times the cart holds the bundle of the rule. */
  bundle_quantity: number | null;
};

/** A day of the calendar, or a moment on the clocks of the zone. */
export type DateValue = Temporal.PlainDate | Temporal.ZonedDateTime;
export type FormulaScalar = Decimal | string | boolean | DateValue;
/** Null: cannot be evaluated. It makes null of everything that needs it. */
export type FormulaValue = FormulaScalar | readonly FormulaScalar[] | null;

/** One evaluation of a formula, as functions, operators and variables see it. */
export type Run = {
  facts: FormulaFacts;
  /** The value of a part of the formula. Functions call it only for the arguments they need. */
  value(node: FormulaNode): FormulaValue;
  /**
   * Pays for work that grows with the facts, and with `microseconds` what the request pays for it where that is not one
   * for each step. False when the evaluation has used up its steps.
   */
  spend(steps: number, microseconds?: number): boolean;
  /** Pays for going through the lines of the order once. */
  spendOnLines(): void;
  cheapest(): OrderItem | null;
  mostExpensive(): OrderItem | null;
};

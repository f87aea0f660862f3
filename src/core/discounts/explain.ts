import { Decimal } from "decimal.js";
import type { FormulaStep } from "../formula/evaluate.ts";
import { exactPercentOf, type Percent, shownPercent } from "../money/amounts.ts";

/** What an amount may not pass, by name; null where nothing limits it. */
export type Caps = Readonly<Record<string, number | null | undefined>>;

/** A discount on the order before limits: its value, what the value is of, and what that makes. */
export type OrderPiece = { value: Percent; base: number; amount: number };
/** The same for a line; `units_counted`: how many of its units count. Some units cost a part of a minor unit. */
export type LinePiece = { units_counted: number; value: Percent; base: number | Decimal; amount: number };

/** One piece of the arithmetic of a discount. Amounts are in minor units. */
export type Explained =
  | {
      kind: "formula";
      formula: string;
      /** Null: it cannot be worked out, and the fixed value holds. */
      value: number | null;
      steps: readonly FormulaStep[];
    }
  | (OrderPiece & { kind: "order"; type: string; words(piece: OrderPiece): string; caps: Caps })
  | (LinePiece & {
      kind: "line";
      way: { readonly name: string; words(piece: LinePiece): string };
      line: number;
      /** Units of the line that the discount is for; `units_counted` are those that its limits leave. */
      units: number;
      caps: Caps;
    })
  | {
      kind: "split";
      by: "amount" | "quantity";
      value: number;
      caps: Caps;
      whole: number;
      shares: readonly { line: number; weight: number; share: number; most: number }[];
    };

/** Is told every piece as it is worked out. Only a trace gives one, so that a decision pays nothing for it. */
export type Explain = (piece: Explained) => void;

/** 1,150 minor units are 11.50; half a minor unit more is 11.505. */
export function moneyText(minor: number | Decimal): string {
  const major = new Decimal(minor).div(100);
  return major.decimalPlaces() > 2 ? major.toString() : major.toFixed(2);
}

export function percentWords({ value, base, amount }: OrderPiece | LinePiece): string {
  const exact = exactPercentOf(base, value);
  const is = `${shownPercent(value)}% of ${moneyText(base)} is ${moneyText(exact)}`;
  return exact.eq(amount) ? is : `${is}, rounded ${moneyText(amount)}`;
}

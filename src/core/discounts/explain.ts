import type { Decimal } from "decimal.js";
import type { FormulaStep } from "../formula/evaluate.ts";
import type { Percent } from "../money/amounts.ts";

/** What an amount may not pass, by name; null where nothing limits it. */
export type Caps = Readonly<Record<string, number | null | undefined>>;

/** One piece of the arithmetic of a discount. Amounts are in minor units. */
export type Explained =
  | {
      kind: "formula";
      formula: string;
      /** Null: it cannot be worked out, and the fixed value holds. */
      value: number | null;
      steps: readonly FormulaStep[];
    }
  | { kind: "order"; type: "AMOUNT" | "PERCENT" | "FIXED"; value: Percent; base: number; amount: number; caps: Caps }
  | {
      kind: "line";
      type: "amount_per_line" | "amount_per_unit" | "percent" | "new_price";
      line: number;
      /** Units of the line that the discount is for, and how many of them its limits leave. */
      units: number;
      units_counted: number;
      value: Percent;
      /** Units of a line may cost a part of a minor unit. */
      base: number | Decimal;
      amount: number;
      caps: Caps;
    }
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

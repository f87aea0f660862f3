import { DISCOUNTS } from "../discounts/registry.ts";
import { type Cell, countCell, moneyCell, numberCell } from "./cells.ts";

export const DISCOUNT_TYPES: readonly string[] = DISCOUNTS.map(({ type }) => type);

type FieldSchema = { type?: string[]; format?: string; minimum?: number; maximum?: number };

/**
 * A discount of a type whose value a cell holds. The value of a type is its first field; money is written in the unit of the
 * currency.
 */
export function discountCell(type: string, text: string): Cell {
  const { fields } = DISCOUNTS.find((one) => one.type === type)!;
  const [field, schema] = Object.entries(fields)[0] as unknown as [string, FieldSchema];
  const parse = schema.format === "cents" ? moneyCell : schema.type?.includes("integer") ? countCell : numberCell;
  const cell = parse(text);
  if ("fault" in cell) return cell;
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const value = Number(cell.value);
  if (value < minimum || value > maximum) return { fault: `must be between ${minimum} and ${maximum}` };
  return { value: { type, [field]: value } };
}

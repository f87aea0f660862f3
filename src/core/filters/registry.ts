import { DATE_OPERATORS } from "./date-operators.ts";
import type { ContentKind, FilterOperator } from "./operator.ts";
import { PLAIN_OPERATORS } from "./plain-operators.ts";

/** Every operator of a filter over objects; forms, documents, checks and tests follow from it. */
export const FILTER_OPERATORS: readonly FilterOperator[] = [...PLAIN_OPERATORS, ...DATE_OPERATORS];

const byName: ReadonlyMap<string, FilterOperator> = new Map(FILTER_OPERATORS.map((one) => [one.name, one]));

/**
 * The operator of that name. What is asked of a date of birth is asked of the birthday: where an operator has a twin
 * that ignores the year, a date of birth takes the twin.
 */
export function findFilterOperator(name: string, kind: ContentKind): FilterOperator | undefined {
  return (kind === "birthdate" ? byName.get(`${name}_md`) : undefined) ?? byName.get(name);
}

export const filterOperatorsFor = (kind: ContentKind): FilterOperator[] =>
  FILTER_OPERATORS.filter(({ on }) => on[kind]);

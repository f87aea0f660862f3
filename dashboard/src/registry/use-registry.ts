import { useMemo } from "react";
import { getRegistry, type RegistryOperator, type RegistryRule } from "../api/operations.gen.ts";
import { useOp } from "../api/use-op.ts";

export type Registered = {
  rules: ReadonlyMap<string, RegistryRule>;
  operators: ReadonlyMap<string, RegistryOperator>;
  /** It is on its way: nobody knows yet which numbers are amounts. */
  isPending?: boolean;
};
const NOTHING: Registered = { rules: new Map(), operators: new Map() };
const PENDING: Registered = { ...NOTHING, isPending: true };

/** What rules there are and what they take, by name; old names too. Empty until it is read. */
export function useRegistry(): Registered {
  const { data, isPending } = useOp(getRegistry, {});
  return useMemo(() => {
    if (!data) return isPending ? PENDING : NOTHING;
    const rules = data.rules.flatMap((rule) =>
      [rule.name, rule.name.replaceAll(".", "_")].map((name) => [name, rule] as const),
    );
    const operators = data.operators.flatMap((one) => [one.name, ...one.aliases].map((name) => [name, one] as const));
    return { rules: new Map(rules), operators: new Map(operators) };
  }, [data, isPending]);
}

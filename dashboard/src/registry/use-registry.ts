import { useMemo } from "react";
import { getRegistry, type RegistryOperator, type RegistryRule } from "../api/operations.gen.ts";
import { useOp } from "../api/use-op.ts";

export type Registered = {
  rules: ReadonlyMap<string, RegistryRule>;
  operators: ReadonlyMap<string, RegistryOperator>;
};
const NOTHING: Registered = { rules: new Map(), operators: new Map() };

/** What rules there are and what they take, by name; old names too. Empty until it is read. */
export function useRegistry(): Registered {
  const { data } = useOp(getRegistry, {});
  return useMemo(() => {
    if (!data) return NOTHING;
    const rules = data.rules.flatMap((rule) =>
      [rule.name, rule.name.replaceAll(".", "_")].map((name) => [name, rule] as const),
    );
    const operators = data.operators.flatMap((one) => [one.name, ...one.aliases].map((name) => [name, one] as const));
    return { rules: new Map(rules), operators: new Map(operators) };
  }, [data]);
}

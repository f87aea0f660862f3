import type { RuleTrace } from "../../api/operations.gen.ts";

/** What single rules saw, by their keys from the top: `1`, and `1/2` for what stands below it. */
export type Traces = ReadonlyMap<string, RuleTrace>;
export function tracesIn(trace: RuleTrace, above = ""): [string, RuleTrace][] {
  if (trace.kind !== "rule") return (trace.terms ?? []).flatMap((term) => tracesIn(term, above));
  const path = `${above}${trace.key}`;
  return [[path, trace], ...(trace.below ? tracesIn(trace.below, `${path}/`) : [])];
}

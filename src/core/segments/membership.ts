import type { CustomerSubject } from "../filters/fields.ts";
import { evaluationOf, type FilterContext } from "../filters/operator.ts";
import { type CompiledFilter, matchesFilter } from "../filters/predicate.ts";

/** A segment as it is asked: a list of customers that never changes, or a filter over what is known of them now. */
export type Segment =
  | { id: string; type: "static"; members: { has(customerId: string): boolean } }
  | { id: string; type: "passive" | "auto-update"; filter: CompiledFilter };

/** The ids of the segments that hold the customer, in the order given. A customer nobody knows has no id. */
export function segmentsOf(customer: CustomerSubject, segments: readonly Segment[], context: FilterContext): string[] {
  const at = evaluationOf(context);
  const holds = (segment: Segment): boolean =>
    segment.type === "static"
      ? typeof customer.id === "string" && segment.members.has(customer.id)
      : matchesFilter(segment.filter, customer, at);
  return segments.filter(holds).map(({ id }) => id);
}

/** Segments entered and left between two times. Events follow from those of `auto-update` segments only. */
export function membershipChanges(
  before: Iterable<string>,
  after: Iterable<string>,
): { entered: string[]; left: string[] } {
  const [then, now] = [new Set(before), new Set(after)];
  return { entered: [...now.difference(then)], left: [...then.difference(now)] };
}

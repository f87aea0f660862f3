import type { ErrorBody } from "../errors.ts";
import type { Trace, TracedRule } from "../rules/trace.ts";
import { SKIPS } from "../stacking/walk.ts";
import { newSteps, tooExpensive } from "../steps.ts";
import type { Decided, Decision } from "../validate/decide.ts";
import { type RedeemableTrace, type TraceWithin, traceDecision } from "../validate/trace.ts";

export type RefusalKind = "validation" | "redemption";

/** A redeemable that was refused, and why. */
export type RefusedRedeemable = { object: string; id: string; campaign_id: string | null; reason: string };

/** What an answer that refuses something says of it beside its text. */
export type RefusalNote = {
  kind: RefusalKind;
  reason: string;
  message: string;
  /** Empty: the request was refused before its redeemables were looked at. */
  redeemables: readonly RefusedRedeemable[];
  /** What the customer is known by, whatever the request said. */
  customers: readonly string[];
  /** The record of a redemption that failed. */
  redemption_id: string | null;
  /** What a trace is made from, when the refusal is written; null: nothing was decided. */
  decided: { decision: Decision; within: TraceWithin } | null;
};

/** A request that was refused before anything was decided. */
export const refusedBefore = (kind: RefusalKind, { key, message }: ErrorBody): RefusalNote => ({
  kind,
  reason: key,
  message,
  redeemables: [],
  customers: [],
  redemption_id: null,
  decided: null,
});

type Refusing = TraceWithin & {
  kind: RefusalKind;
  redemption_id?: string | null;
  customer: { id?: string | null; source_id?: string | null } | null;
  /** Why the whole request was refused; without it the first redeemable says why. */
  error?: ErrorBody;
};

/** What is noted of a decision that refuses something; null: all that was asked for applies, or was skipped beside others. */
export function refusalIn(decision: Decision, refusing: Refusing): RefusalNote | null {
  const { kind, redemption_id = null, customer, error, settings, situation } = refusing;
  const { valid, decided } = decision;
  const failed = decided.filter(({ outcome }) => outcome.status === "INAPPLICABLE");
  if (!error && valid && failed.length === 0) return null;
  // Where nothing failed alone, what was skipped is what was refused; a changed price concerns all of them.
  const refused = failed.length > 0 ? failed : decided;
  const redeemables = refused.map((one) => redeemableOf(one, error?.key));
  const first = error ?? reasonOf(refused[0]!);
  return {
    kind,
    reason: first?.key ?? "no_applicable_redeemables",
    message: first?.message ?? "",
    redeemables,
    customers: [customer?.id, customer?.source_id].flatMap((name) => name ?? []),
    redemption_id,
    decided: { decision, within: { settings, situation } },
  };
}

/** Asks the same questions again, with a budget of their own: the request has spent its own. Null: that is not enough. */
export function traceRefusal({ decided }: RefusalNote): readonly RedeemableTrace[] | null {
  if (!decided) return null;
  const { decision, within } = decided;
  try {
    return traceDecision(decision, { ...within, situation: { ...within.situation, steps: newSteps() } });
  } catch (error) {
    tooExpensive(error);
    return null;
  }
}

function redeemableOf(decided: Decided, whole: string | undefined): RefusedRedeemable {
  const { candidate } = decided;
  const campaign_id = "campaign_id" in candidate ? (candidate.campaign_id as string | null) : null;
  const reason = reasonOf(decided)?.key ?? whole ?? "no_applicable_redeemables";
  return { object: candidate.object, id: candidate.id, campaign_id, reason };
}

/** Null: it applies. */
function reasonOf({ outcome }: Decided): { key: string; message: string } | null {
  if (outcome.status === "APPLICABLE") return null;
  if (outcome.status === "INAPPLICABLE") return outcome.failure.error;
  return { key: outcome.reason, message: SKIPS[outcome.reason] };
}

/** A limit that is reached: `quantity`, or the name of a rule that counts. `with_this`: what it would come to with this redemption. */
export type ReachedLimit = { name: string; most: number; with_this: number };

/** What decided: the first check that did not pass, or the first rule that does not hold. */
export function decidedBy(trace: RedeemableTrace | undefined): {
  check: string | null;
  rule_id: string | null;
  limit?: ReachedLimit;
} {
  const check = trace?.checks.find(({ passed }) => !passed)?.check ?? null;
  const rule = trace?.rules.find(({ passed }) => !passed)?.id ?? null;
  const limit = trace && limitIn(trace);
  return { check, rule_id: rule, ...(limit && { limit }) };
}

const COUNTING = /^(campaign|redemption)\./;
/** The most that a condition allows: all of these rules count in whole numbers, so less than 2 is 1, and less than 10.5 is 10. */
const MOST: Readonly<Record<string, (value: number) => number>> = {
  $less_than_or_equal: Math.floor,
  $less_than: (value) => Math.ceil(value) - 1,
};

function limitIn({ checks, rules }: RedeemableTrace): ReachedLimit | null {
  const check = checks.find(({ passed }) => !passed);
  if (check?.check === "quantity") {
    const { redeemed, locked } = check.seen as { redeemed: number; locked: number };
    return { name: "quantity", most: check.expected as number, with_this: redeemed + locked + 1 };
  }
  const trace = check ? undefined : rules.find(({ passed }) => !passed)?.trace;
  const leaf = trace && failedLeaf(trace);
  if (!leaf || !COUNTING.test(leaf.name) || typeof leaf.seen !== "number") return null;
  const failed = leaf.conditions.find(({ passed, operator }) => !passed && operator in MOST);
  if (typeof failed?.expected[0] !== "number") return null;
  return { name: leaf.name, most: MOST[failed.operator]!(failed.expected[0]), with_this: leaf.seen };
}

/** The first single rule that did not hold. */
function failedLeaf(trace: Trace): TracedRule | null {
  if (trace.passed) return null;
  if (trace.kind === "rule") return trace;
  for (const term of trace.terms) {
    const leaf = failedLeaf(term);
    if (leaf) return leaf;
  }
  return null;
}

import type { StackingSettings } from "./settings.ts";

/** Why a redeemable was not tried, or had nothing to do. Public: clients read the key. */
export const SKIPS = {
  applicable_redeemables_limit_exceeded: "Applicable redeemables limit exceeded",
  applicable_redeemables_per_category_limit_exceeded: "Applicable redeemables limit per category exceeded",
  applicable_exclusive_redeemables_limit_exceeded: "Applicable exclusive redeemables limit exceeded",
  applicable_exclusive_redeemables_per_category_limit_exceeded:
    "Applicable exclusive redeemables limit per category exceeded",
  exclusion_rules_not_met: "Redeemable cannot be applied due to exclusion rules",
  preceding_validation_failed: "Redeemable cannot be applied due to preceding validation failure",
  no_effect: "Redeemable cannot be applied due to no effect",
} as const;
export type SkipKey = keyof typeof SKIPS;

/** What decides the place of a redeemable in a stack. */
export type Stackable = { category_id: string | null; hierarchy: number | null };

export type StackOutcome<R, F> =
  | { status: "APPLICABLE"; result: R }
  | { status: "INAPPLICABLE"; failure: F }
  | { status: "SKIPPED"; reason: SkipKey };

/** What became of one candidate, and the state in which its turn came. */
export type Settled<C, S, R, F> = { candidate: C; outcome: StackOutcome<R, F>; before: S };

/** How one redeemable is judged. `try` sees the cart as those before it left it. */
export type Judge<C, S, R, F> = {
  /** Whether it would apply alone: asked only where exclusive categories make a difference. */
  standsAlone(candidate: C, state: S): boolean;
  /** Why it cannot apply to any cart, or null: asked only where a limit is full, which does not hide that. */
  failsAnyway(candidate: C): F | null;
  try(candidate: C, state: S): { state: S; result: R; hasEffect: boolean } | { failure: F };
};

type Group = "exclusive" | "joint" | "common";
const groupOf = ({ category_id }: Stackable, { exclusive_categories, joint_categories }: StackingSettings): Group =>
  category_id === null
    ? "common"
    : exclusive_categories.includes(category_id)
      ? "exclusive"
      : joint_categories.includes(category_id)
        ? "joint"
        : "common";

/** Stable: those that are equal keep the order of the request. Without a category comes last. */
function sorted<C extends Stackable>(candidates: readonly C[], { redeemables_sorting_rule }: StackingSettings): C[] {
  if (redeemables_sorting_rule === "REQUESTED_ORDER") return [...candidates];
  const place = ({ hierarchy }: Stackable) => hierarchy ?? Number.POSITIVE_INFINITY;
  return candidates.toSorted((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
}

/** Which limit is full for a redeemable of this category, given those that were applied. */
function fullLimit(candidate: Stackable, applied: readonly Stackable[], settings: StackingSettings): SkipKey | null {
  const { category_id } = candidate;
  const same = applied.filter((one) => category_id !== null && one.category_id === category_id).length;
  const exclusive = applied.filter((one) => groupOf(one, settings) === "exclusive").length;
  const isExclusive = groupOf(candidate, settings) === "exclusive";
  if (applied.length >= settings.applicable_redeemables_limit) return "applicable_redeemables_limit_exceeded";
  if (isExclusive && exclusive >= settings.applicable_exclusive_redeemables_limit)
    return "applicable_exclusive_redeemables_limit_exceeded";
  const perExclusive = settings.applicable_exclusive_redeemables_per_category_limit;
  if (isExclusive && perExclusive !== null && same >= perExclusive)
    return "applicable_exclusive_redeemables_per_category_limit_exceeded";
  const own = category_id === null ? undefined : settings.applicable_redeemables_category_limits[category_id];
  const perCategory = own ?? settings.applicable_redeemables_per_category_limit;
  if (category_id !== null && perCategory !== null && same >= perCategory)
    return "applicable_redeemables_per_category_limit_exceeded";
  return null;
}

/** Whether a redeemable that changes nothing is left out. */
export function skipsWithoutEffect({ category_id }: Stackable, settings: StackingSettings): boolean {
  if (category_id !== null && settings.no_effect_skip_categories.includes(category_id)) return true;
  if (category_id !== null && settings.no_effect_redeem_anyway_categories.includes(category_id)) return false;
  return settings.redeemables_no_effect_rule === "SKIP";
}

/**
 * Takes the redeemables of a request one after the other, each on the cart that those before it left. A valid exclusive
 * one drops the common ones, wherever it stands. With `ALL` the first failure ends it; a skip never does.
 */
export function walkStack<C extends Stackable, S, R, F>(
  candidates: readonly C[],
  settings: StackingSettings,
  { initial, judge }: { initial: S; judge: Judge<C, S, R, F> },
): { outcomes: Settled<C, S, R, F>[]; state: S } {
  let list = sorted(candidates, settings);
  const inGroup = (group: Group) => list.filter((one) => groupOf(one, settings) === group);
  const isExcluding = inGroup("exclusive").some((one) => judge.standsAlone(one, initial));
  const dropped = new Set(isExcluding ? inGroup("common").filter((one) => judge.standsAlone(one, initial)) : []);
  if (isExcluding && settings.grouped_redeemables_sorting_rule === "JOINT_ALWAYS_LAST")
    list = [...list.filter((one) => groupOf(one, settings) !== "joint"), ...inGroup("joint")];

  const applied: C[] = [];
  let [state, failed] = [initial, false];
  const outcomes = list.map((candidate) => {
    const before = state;
    const settle = (outcome: StackOutcome<R, F>) => ({ candidate, outcome, before });
    const skip = (reason: SkipKey) => settle({ status: "SKIPPED", reason });
    if (failed && settings.redeemables_application_mode === "ALL") return skip("preceding_validation_failed");
    if (dropped.has(candidate)) return skip("exclusion_rules_not_met");
    const refuse = (failure: F) => {
      failed = true;
      return settle({ status: "INAPPLICABLE", failure });
    };
    const full = fullLimit(candidate, applied, settings);
    const anyway = full && judge.failsAnyway(candidate);
    if (full) return anyway ? refuse(anyway) : skip(full);
    const tried = judge.try(candidate, state);
    if ("failure" in tried) return refuse(tried.failure);
    // It applies only because of earlier discounts. It is a common redeemable all the same, and is skipped.
    if (isExcluding && groupOf(candidate, settings) === "common") return skip("exclusion_rules_not_met");
    if (!tried.hasEffect && skipsWithoutEffect(candidate, settings)) return skip("no_effect");
    applied.push(candidate);
    state = tried.state;
    return settle({ status: "APPLICABLE", result: tried.result });
  });
  return { outcomes, state };
}

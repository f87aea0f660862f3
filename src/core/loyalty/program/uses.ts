import { durationOf, instantText, isBefore, zoned } from "../../time/calendar.ts";
import { type LimitUnit, periodStartOf } from "../earning/limits.ts";
import { CURRENT_PERIODS, type UseLimits } from "../earning/use-limits.ts";

/** When a member last used a rule or a reward, and how often in the calendar periods that held that moment. */
export type MemberUse = { last_at: string; counts: { [U in LimitUnit]?: readonly [start: string, count: number] } };
/** By the id of the rule or reward. The column `uses` of a member holds it. */
export type MemberUses = Readonly<Record<string, MemberUse>>;
type When = { now: string; zone: string };

/** Why something cannot be used again now, or null. The pause ends with its last moment. */
export function useFault(uses: MemberUses, id: string, { limits, ...when }: When & { limits: UseLimits }) {
  const use = uses[id];
  if (!use) return null;
  const pause = limits.cooldown.fixed_cooldown?.period;
  if (pause) {
    const ends = instantText(zoned(use.last_at, when.zone).add(durationOf(pause)));
    if (isBefore(when.now, ends)) return "cooldown";
  }
  for (const { period, triggers } of limits.frequency.limits) {
    const { unit } = period.current_period;
    const [start, count] = use.counts[unit] ?? ["", 0];
    if (start === periodStartOf(unit, when) && count >= triggers.max) return "frequency";
  }
  return null;
}

/** With one use more. All periods are counted: the limit may be changed to another one. */
export function used(uses: MemberUses, id: string, when: When): MemberUses {
  const counts = Object.fromEntries(
    CURRENT_PERIODS.map((unit) => {
      const start = periodStartOf(unit, when);
      const known = uses[id]?.counts[unit];
      return [unit, [start, known?.[0] === start ? known[1] + 1 : 1]];
    }),
  );
  return { ...uses, [id]: { last_at: when.now, counts } };
}

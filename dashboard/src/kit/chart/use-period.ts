import { useSearchParams } from "react-router";
import { useProject } from "../../api/session.ts";
import { momentOf, wallTimeOf } from "../date/zoned.ts";

export const PERIODS = [7, 30, 90] as const;
const DAY_MS = 86_400_000;

/** The last days that the address names: whole days on the clock of the project, today among them. */
export function usePeriod() {
  const [query, setQuery] = useSearchParams();
  const { timezone } = useProject();
  const days = PERIODS.find((one) => String(one) === query.get("days")) ?? 30;
  const today = wallTimeOf(new Date().toISOString(), timezone).slice(0, 10);
  const dayAfter = (count: number) => new Date(Date.parse(today) + count * DAY_MS).toISOString().slice(0, 10);
  const [from, to] = [momentOf(dayAfter(1 - days), timezone)!, momentOf(dayAfter(1), timezone)!];
  const choose = (wanted: string) =>
    setQuery((old) => ({ ...Object.fromEntries(old), days: wanted }), { replace: true });
  return { days, from, to, choose };
}

import type { Lot } from "../../ledger/account.ts";
import { dayEnd, dayStart, later, localDate, nextListed } from "../../time/calendar.ts";
import type { PendingPoints } from "./wallet.ts";

export type Waiting = Pick<Lot, "activates_at" | "expires_at" | "bucket_date" | "bucket_type">;

/**
 * Until when points wait that are earned at `now`; null: they do not. Those that wait for an event have until the end of
 * their day, and are cancelled then.
 */
export function waitingOf(settings: PendingPoints, { now, zone }: { now: string; zone: string }): Waiting | null {
  const today = localDate(now, zone);
  const until = (day: Temporal.PlainDate): Waiting => ({
    activates_at: dayStart(day, zone),
    expires_at: null,
    bucket_date: day.toString(),
    bucket_type: settings.type,
  });
  switch (settings.type) {
    case "IMMEDIATE":
      return null;
    case "PERIOD_BASED":
      return until(later(today, settings.period_based!.period));
    case "FIXED_DATES":
      return until(nextListed(today, settings.fixed_dates!.dates, { isSameCounted: false }));
    case "EVENT_BASED": {
      const deadline = later(today, settings.event_based!.cancel_period);
      return { ...until(deadline), activates_at: null, expires_at: dayEnd(deadline, zone) };
    }
  }
}

/** The lots that an event of a schema makes available: all that wait for one. */
export const activatedBy = (settings: PendingPoints, lots: readonly Lot[], schemaId: string): Lot[] =>
  settings.event_based?.event_types.includes(schemaId)
    ? lots.filter(({ pot, bucket_type }) => pot === "pending" && bucket_type === "EVENT_BASED")
    : [];

import { type Static, Type } from "typebox";
import { invalid } from "../../errors.ts";
import { Choice, Nullable, strict } from "../../shapes.ts";

const Hours = strict({
  days_of_week: Type.Array(Type.Integer({ minimum: 0, maximum: 6 }), { minItems: 1, maxItems: 7, uniqueItems: true }),
  start_time: Type.String({ maxLength: 8, description: "Such as 09:00, in the project's zone; seconds are ignored." }),
  end_time: Type.String({ maxLength: 8, description: "Open until the last second of that minute." }),
});
/** As it is sent: the type may be left out when there are hours. */
export const ValidityHoursSent = strict({
  type: Type.Optional(Choice(["ANY_TIME", "DAILY"])),
  daily: Type.Optional(Nullable(Type.Array(Hours, { maxItems: 100 }))),
});
export type ValidityHoursSent = Static<typeof ValidityHoursSent>;
export const ValidityHours = strict({ type: Choice(["ANY_TIME", "DAILY"]), daily: Type.Array(Hours) });
export type ValidityHours = Static<typeof ValidityHours>;
export const ANY_TIME: ValidityHours = { type: "ANY_TIME", daily: [] };

/** When something of a loyalty program is open, as it is stored. */
export type Window = { start_date: string | null; end_date: string | null; validity_hours: ValidityHours };

/** The hours as they are stored. Without any it is open at any time. */
export function parseHours(sent: ValidityHoursSent | null | undefined): ValidityHours {
  if (!sent) return ANY_TIME;
  const daily = sent.daily ?? [];
  const type = sent.type ?? (daily.length > 0 ? "DAILY" : null);
  if (type === null) throw invalid("Property .validity_hours must have required property 'type'");
  return { type, daily };
}

type WindowSent = { start_date?: string | null; end_date?: string | null; validity_hours?: ValidityHoursSent | null };
const ALWAYS: Window = { start_date: null, end_date: null, validity_hours: ANY_TIME };

/** The window of a body. What is not sent is as it was before, and null is without a limit. */
export function parseWindow(sent: WindowSent, before: Window = ALWAYS): Window {
  const window = {
    start_date: sent.start_date === undefined ? before.start_date : sent.start_date,
    end_date: sent.end_date === undefined ? before.end_date : sent.end_date,
    validity_hours: sent.validity_hours === undefined ? before.validity_hours : parseHours(sent.validity_hours),
  };
  const details = windowFault(window);
  if (details !== null) throw invalid(details);
  return window;
}

// Contract is silent: 24:00, so that the last minute of a day can be open too.
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$|^24:00(?::00)?$/;
const millisOf = (instant: string): number => Temporal.Instant.from(instant).epochMilliseconds;
const minuteOf = (time: string): string => time.slice(0, 5);

/** What is wrong with a window, in words for the `details` of an answer, or null. */
export function windowFault({ start_date, end_date, validity_hours }: Window): string | null {
  if (start_date !== null && end_date !== null && millisOf(start_date) >= millisOf(end_date))
    return "Property .end_date must be after start_date";
  const { type, daily } = validity_hours;
  const at = "Property .validity_hours";
  if (type === "ANY_TIME") return daily.length > 0 ? `${at} must NOT have 'daily' when type is ANY_TIME` : null;
  if (daily.length === 0) return `${at} must have required property 'daily'`;
  for (const [n, { start_time, end_time }] of daily.entries()) {
    for (const [field, time] of Object.entries({ start_time, end_time }))
      if (!TIME.test(time)) return `${at}.daily[${n}].${field} must have the form HH:mm`;
    if (minuteOf(start_time) >= minuteOf(end_time)) return `${at}.daily[${n}].end_time must be after start_time`;
  }
  return overlapFault(daily);
}

function overlapFault(daily: ValidityHours["daily"]): string | null {
  for (const [n, one] of daily.entries())
    for (const [before, other] of daily.slice(0, n).entries())
      if (
        minuteOf(one.start_time) < minuteOf(other.end_time) &&
        minuteOf(other.start_time) < minuteOf(one.end_time) &&
        one.days_of_week.some((day) => other.days_of_week.includes(day))
      )
        return `Property .validity_hours.daily[${n}] overlaps daily[${before}] on the same day`;
  return null;
}

/** Whether it is open at `now`. The end of the dates does not count; the minute in which hours end does, as a whole. */
export function isInWindow({ start_date, end_date, validity_hours }: Window, now: string, zone: string): boolean {
  if (start_date !== null && millisOf(now) < millisOf(start_date)) return false;
  if (end_date !== null && millisOf(now) >= millisOf(end_date)) return false;
  if (validity_hours.type === "ANY_TIME") return true;
  const local = Temporal.Instant.from(now).toZonedDateTimeISO(zone);
  const minute = local.toPlainTime().toString({ smallestUnit: "minute" });
  return validity_hours.daily.some(
    ({ days_of_week, start_time, end_time }) =>
      // Temporal counts from Monday, 1, to Sunday, 7.
      days_of_week.includes(local.dayOfWeek % 7) && minuteOf(start_time) <= minute && minute <= minuteOf(end_time),
  );
}

/** What is said of a text that is no date: the words of the published API, and how to write one. */
export const NOT_A_DAY = "cannot be recognized as a ISO-8601 compliant date: write a day such as 2027-01-31";
export const NOT_A_TIME =
  "cannot be recognized as a ISO-8601 compliant date: it needs a time and a zone, such as 2027-01-01T00:00:00Z";

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?$/;

/** A day of the calendar as `YYYY-MM-DD`, or null: 2026-02-30 is none. */
export function parseDay(text: string): Temporal.PlainDate | null {
  if (!DAY.test(text)) return null;
  try {
    return Temporal.PlainDate.from(text, { overflow: "reject" });
  } catch {
    return null;
  }
}

/**
 * A date-time, or null. One without an offset is meant as the clocks of the zone show it; where they skip that hour it
 * is the hour after, where they show it twice the first.
 */
export function parseMoment(text: string, zone: string): Temporal.ZonedDateTime | null {
  const match = MOMENT.exec(text);
  if (!match) return null;
  try {
    return match[1]
      ? Temporal.Instant.from(text).toZonedDateTimeISO(zone)
      : Temporal.PlainDateTime.from(text, { overflow: "reject" }).toZonedDateTime(zone);
  } catch {
    return null;
  }
}

// Contract is silent: a day where a moment is asked for; one that expires on a day expires when that day begins.
/** A date-time or a day, which is its first moment in the zone; null for what is neither. */
export const parseInstant = (text: string, zone: string): Temporal.ZonedDateTime | null =>
  parseDay(text)?.toZonedDateTime(zone) ?? parseMoment(text, zone);

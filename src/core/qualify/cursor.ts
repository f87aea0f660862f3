/** UTC with six digits of a second: such texts are in the order of the moments they stand for. */
export type CursorMoment = string;

const MILLISECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MICROSECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** The moment in microseconds. Answers print it, and pages are compared by it. */
export function cursorMoment(text: string): CursorMoment {
  if (MILLISECONDS.test(text)) return `${text.slice(0, -1)}000Z`;
  if (MICROSECONDS.test(text)) return text;
  // Rounded up, so that what is older than the given nanosecond stays older.
  return Temporal.Instant.from(text).toString({ fractionalSecondDigits: 6, roundingMode: "ceil" });
}

/** A cursor as clients send it. Some of them send the word null for none. */
export const parseStartingAfter = (text: string | null | undefined): CursorMoment | null =>
  text === null || text === undefined || text === "null" ? null : cursorMoment(text);

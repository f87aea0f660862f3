const DURATION =
  /^P(?:(\d{1,6})Y)?(?:(\d{1,6})M)?(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/;

/** Longer than any campaign, and short enough that a date of four digits plus a duration is always a date. */
const DAYS_MAX = 36_525;
const MS_PER_DAY = 86_400_000;
/** A month of the Gregorian calendar on average: 146,097 days in 4,800 months. */
const DAYS_PER_MONTH = 146_097 / 4800;

/**
 * An ISO 8601 duration of whole units, such as `P1W`, `P1M`, `PT1H30M` or `P1DT12H`; null for what is not one, for no
 * time at all, and for more than 100 years. Signs and fractions are refused.
 */
export function parseDuration(text: string): Temporal.Duration | null {
  const match = DURATION.exec(text);
  if (!match) return null;
  const [years, months, weeks, days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0));
  const duration = Temporal.Duration.from({ years, months, weeks, days, hours, minutes, seconds });
  return duration.blank || roughLengthMs(duration) > DAYS_MAX * MS_PER_DAY ? null : duration;
}

/** The length with months as long as they are on average: P1M is 30.436875 days. */
export function roughLengthMs({ years, months, weeks, days, hours, minutes, seconds }: Temporal.Duration): number {
  const daysInAll = (years * 12 + months) * DAYS_PER_MONTH + weeks * 7 + days;
  return daysInAll * MS_PER_DAY + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

// Contract is silent: PT24H is 24 hours and moves with the clocks; P1D is a day and does not.
/**
 * The moment a duration after an instant. Days, weeks, months and years keep the time that clocks in the zone show;
 * hours, minutes and seconds are time that really passes. A month after 31 January is the last day of February.
 */
export const addDuration = (instant: string, duration: Temporal.Duration, zone: string): string =>
  Temporal.Instant.from(instant)
    .toZonedDateTimeISO(zone)
    .add(duration)
    .toInstant()
    .toString({ fractionalSecondDigits: 3 });

const [SPACE, T, POINT] = [0x20, 0x54, 0x2e];
const OWN = "2026-03-01T12:00:00.123Z".length;
const LONGEST = "2026-03-01 12:00:00.123456+00".length;

/**
 * Instants stay text in one form, so that a row, an answer and a stored answer show the same characters: milliseconds,
 * and the microseconds of those that have some.
 */
export function toInstantText(text: string): string {
  // What is in this form already stays.
  if (text.length === OWN && text.charCodeAt(10) === T && text.charCodeAt(19) === POINT && text.endsWith("Z"))
    return text;
  // "2026-03-01 12:00:00.5+00": almost all of them are in UTC and need no calendar.
  if (text.charCodeAt(10) === SPACE && text.endsWith("+00") && text.length <= LONGEST) {
    const fraction = text.slice(20, -3);
    const digits = fraction.padEnd(fraction.length > 3 ? 6 : 3, "0");
    return `${text.slice(0, 10)}T${text.slice(11, 19)}.${digits}Z`;
  }
  const iso = new Date(text).toISOString();
  const micros = /\.\d{3}(\d{1,3})/.exec(text)?.[1];
  return micros === undefined ? iso : `${iso.slice(0, -1)}${micros.padEnd(3, "0")}Z`;
}

import type { Column, Look } from "./columns.tsx";

/** A text that a spreadsheet would take for a formula gets a quote before it. */
export const cell = (value: string | number | null): string => {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** The unit stands above the numbers, so that these are numbers for every program. */
export const withUnit = (title: string, unit: string | undefined): string => (unit ? `${title} (${unit})` : title);

export const csvOf = <R>(rows: readonly R[], columns: readonly Column<R>[], look: Look): string =>
  [
    columns.map(({ title, unit }) => cell(withUnit(look.t(title), unit === "money" ? look.currency : unit))),
    ...rows.map((row) => columns.map((one) => cell(one.csv(row, look)))),
  ]
    .map((line) => line.join(","))
    .join("\r\n");

/** Offers a text as a file. */
export function download(name: string, content: string, type = "text/csv;charset=utf-8"): void {
  const url = URL.createObjectURL(new Blob([`\ufeff${content}`], { type }));
  const anchor = Object.assign(document.createElement("a"), { href: url, download: name });
  anchor.click();
  URL.revokeObjectURL(url);
}

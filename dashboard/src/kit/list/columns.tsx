import type { ReactNode } from "react";
import { Link } from "react-router";
import { localeOf, type Text, type TextKey } from "../../text/text.ts";
import { Sparkline, UsedBar } from "../chart/small.tsx";
import { formatMoment, formatPeriod, formatShort } from "../date/date.ts";
import { formatCount } from "../money/count.ts";
import { formatDiscount, formatMoney, plainMoney } from "../money/money.ts";
import { StatusBadge } from "../status/status-badge.tsx";

/** What a cell needs beside its row. */
export type Look = { t: Text; currency: string; zone: string };
export type Column<R> = {
  id: string;
  title: TextKey;
  cell: (row: R, look: Look) => ReactNode;
  /** The value in an exported file. */
  csv: (row: R, look: Look) => string | number | null;
  /** What the numbers in a file are: `money` is the unit of the project's currency. It stands in the first line. */
  unit?: "money" | "%";
  isNumber?: boolean;
  /** What `order` takes to sort by it. */
  sort?: string;
  /** Shown only when somebody asks for it. */
  isExtra?: boolean;
};

const UNKNOWN = "–";
/** The value at a path such as `counters.redemptions`; undefined where something is missing on the way. */
export const valueAt = (row: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((at, name) => (at as Record<string, unknown> | null | undefined)?.[name], row);

const numberAt = (row: unknown, path: string): number | null => {
  const value = valueAt(row, path);
  return typeof value === "number" ? value : null;
};
const textAt = (row: unknown, path: string): string | null => {
  const value = valueAt(row, path);
  const text = value === null || value === undefined ? "" : Array.isArray(value) ? value.join(", ") : String(value);
  return text === "" ? null : text;
};

// Each makes a column: the name of its text, the field, and what is special.

/** The column that opens the row. `field` may also say what is shown. */
export const link = <R,>(
  title: TextKey,
  field: string | ((row: R, look: Look) => string),
  to: (row: R) => string,
  more: Partial<Column<R>> = {},
): Column<R> => {
  const shown = (row: R, look: Look) => (typeof field === "string" ? textAt(row, field) : field(row, look));
  return {
    id: typeof field === "string" ? field : title,
    title,
    cell: (row, look) => (
      <Link to={to(row)} data-opens="">
        {shown(row, look) ?? UNKNOWN}
      </Link>
    ),
    csv: shown,
    ...more,
  };
};

export const text = <R,>(title: TextKey, field: string, more: Partial<Column<R>> = {}): Column<R> => ({
  id: field,
  title,
  cell: (row) => textAt(row, field) ?? UNKNOWN,
  csv: (row) => textAt(row, field),
  ...more,
});

/** Codes and ids. */
export const mono = <R,>(title: TextKey, field: string, more: Partial<Column<R>> = {}): Column<R> => ({
  ...text<R>(title, field),
  cell: (row) => <span className="mono">{textAt(row, field) ?? UNKNOWN}</span>,
  ...more,
});

/** A word of a closed list, by a table of texts. */
export const word = <R,>(title: TextKey, field: string, words: Record<string, TextKey>): Column<R> => ({
  id: field,
  title,
  cell: (row, { t }) => {
    const value = textAt(row, field);
    if (value === null) return UNKNOWN;
    return words[value] ? t(words[value]) : value;
  },
  csv: (row) => textAt(row, field),
});

export const status = <R,>(title: TextKey, field: string, more: Partial<Column<R>> = {}): Column<R> => ({
  id: field,
  title,
  cell: (row) => {
    const value = textAt(row, field);
    return value === null ? UNKNOWN : <StatusBadge status={value} />;
  },
  csv: (row) => textAt(row, field),
  ...more,
});

export const moment = <R,>(title: TextKey, field: string, more: Partial<Column<R>> = {}): Column<R> => ({
  id: field,
  title,
  cell: (row, { zone }) => {
    const value = textAt(row, field);
    if (value === null) return UNKNOWN;
    return (
      <time dateTime={value} title={formatMoment(value, zone)}>
        {formatShort(value, zone)}
      </time>
    );
  },
  csv: (row) => textAt(row, field),
  ...more,
});

/** A period is one line, or two where there is no room: a day is never divided. */
const unbroken = (period: string): string => period.replace(/\s/g, "\u00a0").replace("–\u00a0", "– ");

export const period = <R,>(title: TextKey, from: string, to: string): Column<R> => ({
  id: from,
  title,
  cell: (row, { t, zone }) => {
    const shown = formatPeriod(textAt(row, from), textAt(row, to), zone, {
      from: (day) => t("kit.date.from", { day }),
      until: (day) => t("kit.date.until", { day }),
    });
    return shown === null ? t("kit.date.always") : unbroken(shown);
  },
  csv: (row) => [textAt(row, from), textAt(row, to)].map((one) => one ?? "").join("/"),
});

export const count = <R,>(title: TextKey, field: string, more: Partial<Column<R>> = {}): Column<R> => ({
  id: field,
  title,
  isNumber: true,
  cell: (row) => {
    const value = numberAt(row, field);
    return value === null ? UNKNOWN : formatCount(value);
  },
  csv: (row) => numberAt(row, field),
  ...more,
});

export const money = <R,>(title: TextKey, field: string, more: Partial<Column<R>> = {}): Column<R> => ({
  id: field,
  title,
  isNumber: true,
  cell: (row, { currency }) => {
    const value = numberAt(row, field);
    return value === null ? UNKNOWN : formatMoney(value, currency, { locale: localeOf(), sign: false });
  },
  csv: (row) => plainMoney(numberAt(row, field)),
  unit: "money",
  ...more,
});

/** What was taken off, with a minus. */
export const discount = <R,>(title: TextKey, field: string, more: Partial<Column<R>> = {}): Column<R> => ({
  ...money<R>(title, field),
  cell: (row, { currency }) => {
    const value = numberAt(row, field);
    return value === null ? UNKNOWN : formatDiscount(value, currency, { locale: localeOf(), sign: false });
  },
  ...more,
});

export const spark = <R,>(title: TextKey, field: string): Column<R> => ({
  id: field,
  title,
  cell: (row, { t }) => {
    const values = valueAt(row, field);
    if (!Array.isArray(values)) return UNKNOWN;
    const sum = (values as number[]).reduce((all, one) => all + one, 0);
    return <Sparkline values={values as number[]} label={`${t(title)}: ${formatCount(sum)}`} />;
  },
  csv: (row) => ((valueAt(row, field) as number[] | undefined) ?? []).join(" "),
});

/** The first limit that there is, and how much of it is used: `[used, of, says]` each. */
export const used = <R,>(
  title: TextKey,
  limits: readonly (readonly [used: string, of: string, says: TextKey, least?: number])[],
): Column<R> => ({
  id: limits[0]![0],
  title,
  cell: (row, { t }) => {
    const found = limits.find(([, of, , least = 1]) => (numberAt(row, of) ?? 0) >= least);
    if (!found) return UNKNOWN;
    const share = (numberAt(row, found[0]) ?? 0) / numberAt(row, found[1])!;
    return <UsedBar share={share} label={t(found[2], { percent: Math.floor(share * 100) })} />;
  },
  csv: (row) => {
    const found = limits.find(([, of, , least = 1]) => (numberAt(row, of) ?? 0) >= least);
    return found ? Math.floor((100 * (numberAt(row, found[0]) ?? 0)) / numberAt(row, found[1])!) : null;
  },
  unit: "%",
});

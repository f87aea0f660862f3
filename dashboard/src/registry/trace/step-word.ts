import type { TracedStep } from "../../api/operations.gen.ts";
import { formatCount } from "../../kit/money/count.ts";
import { formatMoney } from "../../kit/money/money.ts";
import { localeOf, type Text, type TextKey } from "../../text/text.ts";

type Look = { t: Text; currency: string };

/** How a discount on the order, or on a line, is told, by the type that the server gives. */
const WAYS: Record<string, TextKey> = {
  PERCENT: "registry.steps.percent",
  AMOUNT: "registry.steps.amount",
  FIXED: "registry.steps.fixed",
  percent: "registry.steps.percent",
  amount_per_line: "registry.steps.perLine",
  amount_per_unit: "registry.steps.perUnit",
  new_price: "registry.steps.newPrice",
};
const SHARES_SHOWN = 12;

function wayWord(step: TracedStep, { t, currency }: Look): string | null {
  const { type = "", value = 0, base = 0, amount = 0 } = step;
  const way = WAYS[type];
  if (way === undefined) return null;
  const money = moneyIn(currency);
  return t(way, {
    percent: new Intl.NumberFormat(localeOf(), { maximumFractionDigits: 4 }).format(value ?? 0),
    value: money(value ?? 0),
    base: money(base),
    amount: money(amount),
    units: formatCount(step.units_counted ?? 0),
  });
}

/** A unit may cost a part of a cent: only whole ones are shown. */
const moneyIn = (currency: string) => (minor: number) =>
  formatMoney(Math.round(minor), currency, { locale: localeOf(), sign: false });

function cutWord({ cut }: TracedStep, { t, currency }: Look): string {
  if (!cut) return "";
  const key = `registry.caps.${cut.by}` as TextKey;
  const cap = t(key);
  return t("registry.steps.cut", { cap: cap === key ? cut.by : cap, to: moneyIn(currency)(cut.to) });
}

function spentWord(step: TracedStep, { t, currency }: Look): string {
  const money = moneyIn(currency);
  const shown = (value: number) =>
    step.kind === "credits" ? money(value) : t("worth.points", { count: value, points: formatCount(value) });
  const { requested, payable } = step;
  return t("registry.steps.spent", {
    balance: shown(step.balance ?? 0),
    locked: shown(step.locked ?? 0),
    wanted:
      requested === null || requested === undefined
        ? t("registry.steps.allWanted")
        : t("registry.steps.wanted", { amount: shown(requested) }),
    pays: payable === null || payable === undefined ? "" : t("registry.steps.toPay", { amount: money(payable) }),
    used: shown(step.used ?? 0),
  });
}

function lineWord(step: TracedStep, look: Look): string | null {
  const { t } = look;
  const said = wayWord(step, look);
  if (said === null) return null;
  const { line = 0, units = 0, units_counted = 0 } = step;
  const head = t("registry.steps.line", { line: line + 1 });
  const few = units_counted < units ? t("registry.steps.unitsCounted", { counted: units_counted, units }) : "";
  return `${head}${few}: ${said}${cutWord(step, look)}`;
}

const WORDS: Record<TracedStep["kind"], (step: TracedStep, look: Look) => string | null> = {
  formula: ({ value }, { t }) =>
    value === null || value === undefined ? t("registry.steps.noFormula") : t("registry.steps.formula", { value }),
  order: (step, look) => {
    const said = wayWord(step, look);
    return said === null ? null : `${said}${cutWord(step, look)}`;
  },
  line: lineWord,
  split: ({ value, by = "amount", shares = [] }, { t, currency }) => {
    const money = moneyIn(currency);
    const parts = shares.slice(0, SHARES_SHOWN).map(({ share }) => money(share));
    const values = { value: money(value ?? 0), parts: parts.join(" + ") };
    return t(by === "amount" ? "registry.steps.splitByAmount" : "registry.steps.splitByQuantity", values);
  },
  units: ({ line = 0, added = 0, taken = 0 }, { t, currency }) => {
    const said = t(added < 0 ? "registry.steps.unitsTaken" : "registry.steps.unitsAdded", { count: Math.abs(added) });
    const off = t("registry.steps.off", { amount: moneyIn(currency)(taken) });
    return `${t("registry.steps.line", { line: line + 1 })}: ${said}, ${off}`;
  },
  credits: spentWord,
  points: spentWord,
};

/** A step of the arithmetic in words. Every amount is the server's; what it adds later is told in its own words. */
export const stepWord = (step: TracedStep, look: Look): string => WORDS[step.kind]?.(step, look) ?? step.says;

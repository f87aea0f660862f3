import { Fragment } from "react";
import { useProject } from "../api/session.ts";
import { formatMoment } from "../kit/date/date.ts";
import { formatCount } from "../kit/money/count.ts";
import { formatMoney } from "../kit/money/money.ts";
import { localeOf, useText } from "../text/text.ts";
import { kindOf, RecordName } from "./record-name.tsx";

const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;
export type Unit = "amount" | "count" | null;

/** A value of a rule as people write it: amounts as money, ids by name, moments in the project's zone. */
export function RuleValue({ value, unit = null }: { value: unknown; unit?: Unit }) {
  const t = useText();
  const { currency, timezone } = useProject();
  if (value === null || value === undefined) return "–";
  if (Array.isArray(value))
    return value.map((one, place) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: values have no names, and never move.
      <Fragment key={place}>
        {place > 0 && ", "}
        <RuleValue value={one} unit={unit} />
      </Fragment>
    ));
  if (typeof value === "boolean") return t(value ? "registry.yes" : "registry.no");
  if (typeof value === "number")
    return unit === "amount" ? formatMoney(value, currency, { locale: localeOf(), sign: false }) : formatCount(value);
  if (typeof value === "object" && "id" in value) return <RecordName of={value} />;
  if (typeof value === "object") return JSON.stringify(value);
  const text = String(value);
  if (kindOf(text)) return <RecordName of={text} />;
  return MOMENT.test(text) ? formatMoment(text, timezone) : text;
}

import { Group, Stack } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { NumberInput, Select } from "../kit/later/fields.ts";
import { useText } from "../text/text.ts";
import { months, type PointsExpiry, ROUNDINGS } from "./points-expiry.ts";

type Props = {
  defaultValue?: PointsExpiry;
  onChange?: (expiry: PointsExpiry) => void;
  error?: ReactNode;
  "data-path"?: string;
};
type Kind = "never" | "MONTH" | "FIXED_DAY_OF_YEAR";
const FIRST = {
  never: null,
  MONTH: { period_type: "MONTH", period_value: 12, rounding_type: "END_OF_MONTH" },
  FIXED_DAY_OF_YEAR: { period_type: "FIXED_DAY_OF_YEAR", fixed_month: 12, fixed_day: 31 },
} as const satisfies Record<Kind, PointsExpiry>;
const NONE = "none";

/** When the points of a card expire: never, so long after they were earned, or on one day of each year. */
export default function PointsExpiryField({ defaultValue = null, onChange, error, "data-path": path }: Props) {
  const t = useText();
  const [expiry, setExpiry] = useState(defaultValue);
  const put = (next: PointsExpiry) => {
    setExpiry(next);
    onChange?.(next);
  };
  const kind: Kind = expiry?.period_type ?? "never";
  const number = (name: "period_value" | "fixed_day", max: number) => (
    <NumberInput
      label={t(`points.fields.${name}`)}
      required
      min={name === "fixed_day" ? 1 : 0}
      max={max}
      allowDecimal={false}
      maw={160}
      value={expiry?.[name] ?? ""}
      onChange={(typed) => expiry && put({ ...expiry, [name]: typed === "" ? null : Number(typed) })}
      error={error}
    />
  );
  const named = months().map((label, place) => ({ value: String(place + 1), label }));
  return (
    <Stack gap="md">
      <Select
        label={t("points.expiry")}
        allowDeselect={false}
        data={(Object.keys(FIRST) as Kind[]).map((value) => ({ value, label: t(`points.kinds.${value}`) }))}
        value={kind}
        onChange={(chosen) => put(FIRST[chosen as Kind])}
        {...(path !== undefined && { "data-path": path })}
      />
      {expiry?.period_type === "MONTH" && (
        <Group align="flex-start">
          {number("period_value", 1200)}
          <Select
            label={t("points.fields.rounding_type")}
            allowDeselect={false}
            data={[
              { value: NONE, label: t("points.exactly") },
              ...ROUNDINGS.map((value) => ({ value, label: t(`points.rounding.${value}`) })),
              { value: "PARTICULAR_MONTH", label: t("points.rounding.PARTICULAR_MONTH") },
            ]}
            value={expiry.rounding_type ?? NONE}
            onChange={(rounding) => {
              const { rounding_type: _, rounding_value: __, ...rest } = expiry;
              if (rounding === NONE) put(rest);
              else if (rounding === "PARTICULAR_MONTH") put({ ...rest, rounding_type: rounding, rounding_value: 12 });
              else put({ ...rest, rounding_type: rounding as (typeof ROUNDINGS)[number] });
            }}
          />
          {expiry.rounding_type === "PARTICULAR_MONTH" && (
            <Select
              label={t("points.fields.fixed_month")}
              allowDeselect={false}
              data={named}
              value={String(expiry.rounding_value ?? 12)}
              onChange={(month) => put({ ...expiry, rounding_value: Number(month) })}
            />
          )}
        </Group>
      )}
      {expiry?.period_type === "FIXED_DAY_OF_YEAR" && (
        <Group align="flex-start">
          {number("fixed_day", 31)}
          <Select
            label={t("points.fields.fixed_month")}
            allowDeselect={false}
            data={named}
            value={String(expiry.fixed_month ?? 12)}
            onChange={(month) => put({ ...expiry, fixed_month: Number(month) })}
          />
        </Group>
      )}
    </Stack>
  );
}

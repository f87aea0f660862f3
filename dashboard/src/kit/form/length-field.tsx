import { Fieldset, Group, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useText } from "../../text/text.ts";
import { isoOf, lengthOf, lengthSays, type Unit } from "../date/length.ts";
import { NumberInput, Select } from "../later/fields.ts";

type Props = {
  label: string;
  help?: string;
  units: readonly Unit[];
  required?: boolean;
  /** As ISO 8601 writes it; empty: none. */
  defaultValue?: string;
  onChange?: (iso: string) => void;
  error?: ReactNode;
  "data-path"?: string;
};
const OTHER = "other";

/** A length of time: a number and a unit. One that is made of several units is shown, and stays until another is chosen. */
export function LengthField({ label, help, units, required, defaultValue = "", onChange, error, ...rest }: Props) {
  const t = useText();
  const isOther = defaultValue !== "" && lengthOf(defaultValue) === null;
  const first = lengthOf(defaultValue);
  const [count, setCount] = useState(first?.count ?? null);
  const [unit, setUnit] = useState<Unit | typeof OTHER>(isOther ? OTHER : (first?.unit ?? units[0]!));
  const put = (nextCount: number | null, nextUnit: Unit | typeof OTHER) => {
    setCount(nextCount);
    setUnit(nextUnit);
    onChange?.(nextUnit === OTHER ? defaultValue : isoOf(nextCount, nextUnit));
  };
  const offered = first && !units.includes(first.unit) ? [...units, first.unit] : units;
  return (
    <Fieldset legend={label}>
      <Group align="flex-start" gap="sm">
        {unit !== OTHER && (
          <NumberInput
            label={t("kit.length.count")}
            {...(required && { required })}
            min={1}
            max={999_999}
            allowDecimal={false}
            w={90}
            value={count ?? ""}
            onChange={(typed) => put(typed === "" ? null : Number(typed), unit)}
            error={error}
            data-path={rest["data-path"]}
          />
        )}
        <Select
          label={t("kit.length.unit")}
          allowDeselect={false}
          w={140}
          data={[
            ...offered.map((one) => ({ value: one, label: t(`kit.length.units.${one}`) })),
            ...(isOther ? [{ value: OTHER, label: lengthSays(defaultValue) }] : []),
          ]}
          value={unit}
          onChange={(chosen) => put(count, chosen as Unit)}
          {...(unit === OTHER && { error, "data-path": rest["data-path"] })}
        />
      </Group>
      {help !== undefined && (
        <Text size="xs" c="dimmed" mt="sm">
          {help}
        </Text>
      )}
    </Fieldset>
  );
}

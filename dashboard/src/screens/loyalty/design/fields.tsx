import { Button, Group, type NumberInputProps, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { MultiSelect, NumberInput, Select } from "../../../kit/later/fields.ts";
import { type TextKey, useText } from "../../../text/text.ts";
import classes from "../loyalty.module.css";
import { byPoints, type Design } from "./parts.ts";

/** A fault of fields that are no single input. */
export const Fault = ({ says }: { says: ReactNode }) =>
  says ? (
    <Text c="var(--mantine-color-error)" size="sm" role="alert">
      {says}
    </Text>
  ) : null;

type NamedForm = { key: (field: "name") => string; getInputProps: (field: "name") => object };
/** What a part of a program is called. `isFixed`: the rest of it cannot be changed any more. */
export function NameField({ form, isFixed = false }: { form: NamedForm; isFixed?: boolean }) {
  const t = useText();
  return (
    <TextInput
      key={form.key("name")}
      label={t("designer.name")}
      {...(isFixed && { description: t("designer.fixed") })}
      data-autofocus
      {...form.getInputProps("name")}
    />
  );
}

type PointsProps = Omit<NumberInputProps, "value" | "onChange"> & {
  value: number | null;
  onChange: (value: number | null) => void;
};
/** A number that may be left out. */
export const NumberField = ({ value, onChange, ...rest }: PointsProps) => (
  <NumberInput
    allowDecimal={false}
    allowNegative={false}
    {...rest}
    value={value ?? ""}
    onChange={(next) => onChange(next === "" ? null : Number(next))}
  />
);

type WalletProps = { design: Design; label: string; value: string; onChange: (id: string) => void; disabled?: boolean };
export const WalletSelect = ({ design, value, onChange, ...rest }: WalletProps) => (
  <Select
    {...rest}
    allowDeselect={false}
    data={design.wallets.map(({ id, name }) => ({ value: id, label: name }))}
    value={value === "" ? null : value}
    onChange={(id) => onChange(id ?? value)}
  />
);

type TiersProps = { design: Design; value: string[]; onChange: (ids: string[]) => void };
/** For members in some tiers only. Nothing where there are no tiers. */
export function TiersSelect({ design, value, onChange }: TiersProps) {
  const t = useText();
  if (design.tiers.length === 0) return null;
  return (
    <MultiSelect
      label={t("designer.onlyTiers")}
      placeholder={value.length === 0 ? t("designer.everybody") : ""}
      data={byPoints(design.tiers).map(({ id, name }) => ({ value: id, label: name }))}
      value={value}
      onChange={onChange}
    />
  );
}

const UNITS = ["DAY", "MONTH", "YEAR"] as const;
export type Unit = (typeof UNITS)[number];
export type Period = { value: number; unit: Unit };
type PeriodProps = { label: string; value: Period; onChange: (period: Period) => void; disabled?: boolean };
export function PeriodField({ label, value: { value, unit }, onChange, disabled }: PeriodProps) {
  const t = useText();
  return (
    <Group gap="sm" align="flex-end">
      <NumberField
        label={label}
        min={1}
        w={120}
        value={value}
        disabled={disabled ?? false}
        onChange={(next) => onChange({ value: next ?? 1, unit })}
      />
      <Select
        aria-label={t("designer.unit")}
        w={140}
        allowDeselect={false}
        disabled={disabled ?? false}
        data={UNITS.map((one) => ({ value: one, label: t(`designer.units.${one}`) }))}
        value={unit}
        onChange={(next) => onChange({ value, unit: (next ?? unit) as Unit })}
      />
    </Group>
  );
}

type WaysProps<W> = {
  ways: W[];
  onChange: (ways: W[]) => void;
  make: (key: number) => W;
  texts: { one: TextKey; add: TextKey; remove: TextKey };
  children: (way: W, change: (more: Partial<W>) => void) => ReactNode;
};
const MANY = 10;
/** Several ways of one thing, in their order: the first one that fits counts. */
export function Ways<W extends { key: number }>({ ways, onChange, make, texts, children }: WaysProps<W>) {
  const t = useText();
  const nextKey = Math.max(0, ...ways.map(({ key }) => key)) + 1;
  return (
    <Stack gap="md">
      {ways.map((way, place) => (
        <fieldset key={way.key} className={classes.way}>
          <legend>{t(texts.one, { number: place + 1 })}</legend>
          <Stack gap="md">
            {children(way, (more) => onChange(ways.map((one) => (one.key === way.key ? { ...one, ...more } : one))))}
            {ways.length > 1 && (
              <div>
                <Button variant="default" size="xs" onClick={() => onChange(ways.filter(({ key }) => key !== way.key))}>
                  {t(texts.remove, { number: place + 1 })}
                </Button>
              </div>
            )}
          </Stack>
        </fieldset>
      ))}
      {ways.length < MANY && (
        <div>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={16} stroke={1.75} />}
            onClick={() => onChange([make(nextKey), ...ways])}
          >
            {t(texts.add)}
          </Button>
        </div>
      )}
    </Stack>
  );
}

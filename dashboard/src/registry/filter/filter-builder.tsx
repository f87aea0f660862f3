import { ActionIcon, Button, Group, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { MoneyField } from "../../kit/form/money-field.tsx";
import { NumberInput, Select, TagsInput } from "../../kit/later/fields.ts";
import { type TextKey, useText } from "../../text/text.ts";
import { type FilterField, type FilterRow, type FilterRows, OPERATORS, type ValueKind } from "./filter.ts";
import classes from "./filter-builder.module.css";

/** What somebody typed for metadata: true, a number, or a text. */
const parseAny = (text: string): unknown =>
  text === "true" ? true : text === "false" ? false : /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;

type ValueProps = { kind: ValueKind; row: FilterRow; onChange: (values: unknown[]) => void };

function ValueField({ kind, row, onChange }: ValueProps) {
  const t = useText();
  const label = t("filter.value");
  const [first] = row.values;
  if (kind === "money")
    return (
      <MoneyField
        aria-label={label}
        defaultValue={typeof first === "number" ? first : null}
        onChange={(minor) => onChange(minor === null ? [] : [minor])}
      />
    );
  if (kind === "number" || kind === "days")
    return (
      <NumberInput
        aria-label={label}
        hideControls
        {...(kind === "days" && { suffix: ` ${t("filter.daysAgo")}` })}
        value={typeof first === "number" ? first : ""}
        onChange={(value) => onChange(typeof value === "number" ? [value] : [])}
      />
    );
  return (
    <TagsInput
      aria-label={label}
      placeholder={row.values.length === 0 ? t("filter.values") : ""}
      value={row.values.map(String)}
      onChange={(values) => onChange(kind === "any" ? values.map(parseAny) : values)}
      acceptValueOnBlur
    />
  );
}

type RowProps = {
  fields: readonly FilterField[];
  row: FilterRow;
  onChange: (row: FilterRow) => void;
  onRemove: () => void;
};

function Row({ fields, row, onChange, onRemove }: RowProps) {
  const t = useText();
  const known = fields.find(({ field }) => field === row.field);
  const kind = known?.kind ?? "any";
  const options = fields.map(({ field, text }) => ({ value: field, label: t(text) }));
  const operators = OPERATORS[kind].includes(row.operator) ? OPERATORS[kind] : [row.operator, ...OPERATORS[kind]];
  const isNamed = row.field.includes("*");
  const nameOf = (operator: string) =>
    operator.slice(1) in WORDS
      ? t(`filter.${kind === "days" ? "days" : "operators"}.${operator.slice(1)}` as TextKey)
      : operator;
  return (
    <li className={classes.row}>
      <Select
        aria-label={t("filter.field")}
        searchable
        allowDeselect={false}
        data={known ? options : [{ value: row.field, label: row.field }, ...options]}
        value={row.field}
        onChange={(field) => {
          const next = fields.find((one) => one.field === field);
          if (next) onChange({ field: next.field, name: "", operator: OPERATORS[next.kind][0]!, values: [] });
        }}
      />
      {isNamed && (
        <TextInput
          aria-label={t("filter.name")}
          placeholder={t("filter.name")}
          value={row.name}
          onChange={(event) => onChange({ ...row, name: event.currentTarget.value })}
        />
      )}
      <Select
        aria-label={t("filter.operator")}
        allowDeselect={false}
        data={operators.map((operator) => ({ value: operator, label: nameOf(operator) }))}
        value={row.operator}
        onChange={(operator) => operator && onChange({ ...row, operator })}
      />
      <ValueField key={row.field} kind={kind} row={row} onChange={(values) => onChange({ ...row, values })} />
      <ActionIcon aria-label={t("filter.remove")} onClick={onRemove}>
        <IconTrash size={18} stroke={1.75} />
      </ActionIcon>
    </li>
  );
}
/** Operators that have a word. */
const WORDS: Record<string, true> = Object.fromEntries(
  Object.values(OPERATORS).flatMap((some) => some.map((operator) => [operator.slice(1), true])),
);

type Props = { fields: readonly FilterField[]; value: FilterRows; onChange: (next: FilterRows) => void };

/** Conditions below each other, all of which or one of which must hold. */
export function FilterBuilder({ fields, value, onChange }: Props) {
  const t = useText();
  const { junction, rows } = value;
  const first = fields[0]!;
  const put = (next: FilterRow[]) => onChange({ junction, rows: next });
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label={t("filter.junction")}
        w="fit-content"
        value={junction}
        onChange={(next) => onChange({ junction: next as "and" | "or", rows })}
        data={[
          { value: "and", label: t("filter.all") },
          { value: "or", label: t("filter.any") },
        ]}
      />
      <ul className={classes.rows}>
        {rows.map((row, place) => (
          <Row
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place.
            key={place}
            fields={fields}
            row={row}
            onChange={(next) => put(rows.with(place, next))}
            onRemove={() => put(rows.toSpliced(place, 1))}
          />
        ))}
      </ul>
      <Group>
        <Button
          variant="default"
          leftSection={<IconPlus size={16} />}
          onClick={() =>
            put([...rows, { field: first.field, name: "", operator: OPERATORS[first.kind][0]!, values: [] }])
          }
        >
          {t("filter.add")}
        </Button>
      </Group>
    </Stack>
  );
}

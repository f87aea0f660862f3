import { Text } from "@mantine/core";
import { Select } from "../../kit/later/fields.ts";
import { useText } from "../../text/text.ts";
import classes from "./codes.module.css";
import type { CsvHead } from "./csv-file.ts";
import { FIELDS, type Field } from "./import-fields.ts";

export function Preview({ head: { columns, rows } }: { head: CsvHead }) {
  const t = useText();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by keys.
    <section className={classes.preview} aria-label={t("codes.firstRows")} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place in the file.
            <tr key={place}>
              {columns.map((name, cell) => (
                <td key={name}>{row[cell]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type MappingProps = {
  fields: readonly Field[];
  columns: readonly string[];
  mapping: Record<string, string>;
  onChange: (next: Record<string, string>) => void;
};

/** For each field the column that it is read from. Columns that no field takes become metadata. */
export function Mapping({ fields, columns, mapping, onChange }: MappingProps) {
  const t = useText();
  const rest = columns.filter((column) => !Object.values(mapping).includes(column));
  return (
    <>
      <div className={classes.mapping}>
        {fields.map((field) => (
          <Select
            key={field}
            label={t(FIELDS[field])}
            placeholder={t("codes.noColumn")}
            data={[...new Set(columns)].filter((name) => name !== "")}
            value={mapping[field] ?? null}
            clearable
            clearButtonProps={{ "aria-label": t("kit.clearFilters") }}
            error={field === "Code" && mapping.Code === undefined && t("codes.codeColumn")}
            onChange={(column) => {
              const { [field]: _, ...others } = mapping;
              onChange(column === null ? others : { ...others, [field]: column });
            }}
          />
        ))}
      </div>
      {rest.length > 0 && (
        <Text size="sm" c="dimmed" mt="md">
          {t("codes.toMetadata", { columns: rest.join(", ") })}
        </Text>
      )}
    </>
  );
}

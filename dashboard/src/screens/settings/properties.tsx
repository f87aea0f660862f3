import { ActionIcon, Button, Checkbox, Input, TextInput } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { Select } from "../../kit/later/fields.ts";
import { useText } from "../../text/text.ts";
import classes from "./settings.module.css";

export type Property = { type: string; optional: boolean; array?: boolean; deleted?: boolean };
export type Properties = Record<string, Property>;

type Row = { key: number; name: string; was: Property | null; property: Property };
type Props = {
  label: string;
  types: readonly string[];
  hasArrays: boolean;
  defaultValue?: Properties;
  error?: ReactNode;
  onChange?: (properties: Properties) => void;
};

const rowsOf = (properties: Properties): Row[] =>
  Object.entries(properties).map(([name, property], key) => ({ key, name, was: property, property }));

/** The fields of a schema. What was saved once keeps its name and type; what a form does not know of it stays as it is. */
export function PropertiesField({ label, types, hasArrays, defaultValue = {}, error, onChange }: Props) {
  const t = useText();
  const [rows, setRows] = useState(() => rowsOf(defaultValue));
  const change = (next: Row[]) => {
    setRows(next);
    onChange?.(
      Object.fromEntries(next.filter(({ name }) => name.trim() !== "").map((row) => [row.name.trim(), row.property])),
    );
  };
  const set = (key: number, more: Partial<Row>) =>
    change(rows.map((row) => (row.key === key ? { ...row, ...more } : row)));
  // What was saved is only marked: values that objects have stay there.
  const remove = (key: number, was: Property | null) =>
    was === null ? change(rows.filter((row) => row.key !== key)) : set(key, { property: { ...was, deleted: true } });
  const add = () => {
    const property: Property = { type: "string", optional: true, ...(hasArrays && { array: false }) };
    change([...rows, { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, name: "", was: null, property }]);
  };
  return (
    <Input.Wrapper label={label} labelElement="div" error={error}>
      <div className={classes.properties}>
        {rows
          .filter(({ property }) => !property.deleted)
          .map(({ key, name, was, property }) => (
            <div key={key} className={classes.property}>
              <TextInput
                aria-label={t("settings.propertyName")}
                placeholder={t("settings.propertyName")}
                value={name}
                readOnly={was !== null}
                onChange={({ currentTarget }) => set(key, { name: currentTarget.value })}
              />
              <Select
                aria-label={`${t("settings.propertyType")} ${name}`}
                data={[...types]}
                value={property.type}
                disabled={was !== null}
                allowDeselect={false}
                onChange={(type) => set(key, { property: { ...property, type: type ?? property.type } })}
              />
              <span>
                <Checkbox
                  size="xs"
                  label={t("settings.propertyRequired")}
                  checked={!property.optional}
                  onChange={({ currentTarget }) =>
                    set(key, { property: { ...property, optional: !currentTarget.checked } })
                  }
                />
                {hasArrays && (
                  <Checkbox
                    size="xs"
                    mt={4}
                    label={t("settings.propertyArray")}
                    checked={property.array ?? false}
                    onChange={({ currentTarget }) =>
                      set(key, { property: { ...property, array: currentTarget.checked } })
                    }
                  />
                )}
              </span>
              <ActionIcon aria-label={t("settings.propertyRemove", { name })} onClick={() => remove(key, was)}>
                <IconTrash size={16} stroke={1.75} />
              </ActionIcon>
            </div>
          ))}
        <Button variant="default" w="fit-content" onClick={add}>
          {t("settings.addProperty")}
        </Button>
      </div>
    </Input.Wrapper>
  );
}

import { TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import type { AnyOp } from "../../api/op.ts";
import { useCan } from "../../api/session.ts";
import { type TextKey, useText } from "../../text/text.ts";
import { Select } from "../later/fields.ts";
import { type Option, RecordSelect, type RecordSource } from "../pick/record-select.tsx";
import type { Filter, FilterProps } from "./filters.tsx";

/** Only rows of a record, such as a campaign. */
export function record<O extends AnyOp>(name: string, title: TextKey, source: RecordSource<O>): Filter {
  function RecordFilter({ list }: FilterProps) {
    const t = useText();
    const can = useCan();
    const id = list.query.get(name);
    const [chosen, setChosen] = useState<Option | null>(null);
    const value = id === null ? null : chosen?.value === id ? chosen : { value: id, label: id };
    // Who may not read these records cannot choose one either.
    if (!can(source.operation.id)) return null;
    return (
      <RecordSelect
        source={source}
        size="sm"
        w={{ base: "100%", xs: 190 }}
        key={value?.value ?? ""}
        aria-label={t(title)}
        placeholder={t("kit.list.any", { name: t(title).toLowerCase() })}
        clearButtonProps={{ "aria-label": t("kit.clearFilters") }}
        value={value}
        onChange={(next) => {
          setChosen(next);
          list.filter({ [name]: next?.value ?? null });
        }}
      />
    );
  }
  return { kind: "own", name, title, field: RecordFilter };
}

/** Only what is at or after, or before, a day. */
export function day(name: string, title: TextKey): Filter {
  function DayFilter({ list }: FilterProps) {
    const t = useText();
    const value = list.query.get(name) ?? "";
    const [typed, setTyped] = useState(value);
    useEffect(() => setTyped(value), [value]);
    return (
      <TextInput
        type="date"
        size="sm"
        w={{ base: "100%", xs: 200 }}
        aria-label={t(title)}
        leftSection={<span>{t(title)}</span>}
        leftSectionWidth={64}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          list.filter({ [name]: currentTarget.value });
        }}
      />
    );
  }
  return { kind: "own", name, title, field: DayFilter };
}

/** Few states, each of which the server finds by a parameter of its own. */
export function states(
  title: TextKey,
  options: Record<string, { text: TextKey; name: string; value: string }>,
): Filter {
  const names = [...new Set(Object.values(options).map(({ name }) => name))];
  const none = Object.fromEntries(names.map((name) => [name, null]));
  function StatesFilter({ list }: FilterProps) {
    const t = useText();
    const chosen = Object.entries(options).find(([, { name, value }]) => list.query.get(name) === value);
    return (
      <Select
        size="sm"
        w={170}
        aria-label={t(title)}
        placeholder={t("kit.list.any", { name: t(title).toLowerCase() })}
        data={Object.entries(options).map(([value, { text }]) => ({ value, label: t(text) }))}
        value={chosen?.[0] ?? null}
        onChange={(key) => {
          const option = key === null ? null : options[key]!;
          list.filter({ ...none, ...(option && { [option.name]: option.value }) });
        }}
        clearable
        clearButtonProps={{ "aria-label": t("kit.clearFilters") }}
      />
    );
  }
  return { kind: "own", name: names.join(), title, field: StatesFilter };
}

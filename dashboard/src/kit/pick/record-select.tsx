import type { SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useState } from "react";
import type { AnyOp, ParamsOf, RowOf } from "../../api/op.ts";
import { useCan } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { Select } from "../later/fields.ts";
import { rowsOf } from "../list/use-list.ts";

const TYPING_MS = 200;

export type Option = { value: string; label: string };
/** An operation that finds records by how they begin, from so many letters on. */
type RecordSearch = {
  operation: AnyOp;
  shortest: number;
  paramsOf: (text: string) => object;
  optionsOf: (answer: never) => Option[];
};
/** How the records of a list are looked for and named. */
export type RecordSource<O extends AnyOp> = {
  operation: O;
  /** Where the list itself finds only whole names. */
  search?: RecordSearch;
  /** The parameters that find records by what somebody typed; the first ones for an empty text. */
  paramsOf: (text: string) => ParamsOf<O>;
  /** A row may hold several. */
  optionOf: (row: RowOf<O>) => Option | readonly Option[];
};

type Props<O extends AnyOp> = Omit<SelectProps, "data" | "onChange" | "value" | "defaultValue"> & {
  source: RecordSource<O>;
  value: Option | null;
  onChange: (chosen: Option | null) => void;
};

/** The records for a text: of the search, where there is one and the text is long enough, else of the list. */
function useOptions<O extends AnyOp>({ operation, paramsOf, optionOf, search }: RecordSource<O>, text: string) {
  const can = useCan();
  const isSearched = search !== undefined && text.length >= search.shortest && can(search.operation.id);
  const list = useOp(operation, paramsOf(isSearched ? "" : text), { keepOld: true, enabled: can(operation.id) });
  const found = useOp(search?.operation ?? operation, isSearched ? search.paramsOf(text) : {}, {
    enabled: isSearched,
    keepOld: true,
  });
  if (isSearched) return found.data === undefined ? [] : search.optionsOf(found.data as never);
  return list.data === undefined ? [] : rowsOf<RowOf<O>>(list.data).flatMap(optionOf);
}

/** Chooses a record. The server searches, so that no record is out of reach because it is not among the first ones. */
export function RecordSelect<O extends AnyOp>({ source, value, onChange, ...rest }: Props<O>) {
  const [text, setText] = useState(value?.label ?? "");
  const [typed, setTyped] = useState("");
  const [asked] = useDebouncedValue(typed, TYPING_MS);
  const found = useOptions(source, asked);
  // A link has the id only: the name comes later, with the first answer or from who gave the id.
  const name = value && (found.find((one) => one.value === value.value) ?? value).label;
  const isUnnamed = value !== null && text === value.value;
  useEffect(() => {
    if (isUnnamed && name) setText(name);
  }, [isUnnamed, name]);
  const isKnown = value === null || found.some((one) => one.value === value.value);
  return (
    <Select
      {...rest}
      searchable
      clearable
      data={isKnown ? found : [value, ...found]}
      filter={({ options }) => options}
      value={value?.value ?? null}
      searchValue={text}
      onSearchChange={setText}
      onInput={(event) => setTyped(event.currentTarget.value.trim())}
      onChange={(_, option) => {
        setTyped("");
        // Where what was chosen stands elsewhere, the field is ready for the next one, and keeps the focus.
        setText("");
        onChange(option ? { value: option.value, label: option.label } : null);
      }}
    />
  );
}

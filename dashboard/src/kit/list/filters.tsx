import { SegmentedControl, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { type ComponentType, useEffect, useRef } from "react";
import { type TextKey, useText } from "../../text/text.ts";
import { Select } from "../later/fields.ts";
import type { List } from "./use-list.ts";

const TYPING_MS = 250;

/** A filter of a list. `name` is the parameter of the operation, which stands in the address as it is. */
export type Filter =
  | { kind: "tabs" | "pick"; name: string; title: TextKey; options: Record<string, TextKey> }
  | { kind: "search"; name: string; title: TextKey; width: number | undefined }
  /** A field of its own, see `more-filters.tsx`. */
  | { kind: "own"; name: string; title: TextKey; field: ComponentType<FilterProps> };
export type FilterProps = { list: Pick<List<never>, "query" | "filter"> };

/** Few options, all of them visible. */
export const tabs = (name: string, title: TextKey, options: Record<string, TextKey>): Filter => ({
  kind: "tabs",
  name,
  title,
  options,
});
export const pick = (name: string, title: TextKey, options: Record<string, TextKey>): Filter => ({
  kind: "pick",
  name,
  title,
  options,
});
/** Asks the server for each text that somebody stops typing at. `/` moves there. */
export const search = (name: string, title: TextKey, width?: number): Filter => ({
  kind: "search",
  name,
  title,
  width,
});

type Props = FilterProps & { filter: Filter };

type SearchProps = { label: string; value: string; width?: number; onSearch: (text: string) => void };
/** A text that the server is asked for, once somebody stops typing. */
export function SearchField({ label, value, width = 220, onSearch }: SearchProps) {
  const field = useRef<HTMLInputElement>(null);
  const change = useDebouncedCallback((text: string) => onSearch(text.trim()), TYPING_MS);
  // The address changes under the field with back and "clear filters", never while somebody types in it.
  useEffect(() => {
    if (field.current && document.activeElement !== field.current) field.current.value = value;
  }, [value]);
  return (
    <TextInput
      ref={field}
      type="search"
      size="sm"
      w={{ base: "100%", xs: width }}
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} stroke={1.75} />}
      defaultValue={value}
      data-list-search=""
      onChange={(event) => change(event.currentTarget.value)}
      // Who leaves for a link is not brought back by a search that comes late.
      onBlur={() => change.flush()}
    />
  );
}

function SearchFilter({ filter, list }: Props & { filter: Extract<Filter, { kind: "search" }> }) {
  const t = useText();
  return (
    <SearchField
      label={t(filter.title)}
      value={list.query.get(filter.name) ?? ""}
      {...(filter.width !== undefined && { width: filter.width })}
      onSearch={(text) => list.filter({ [filter.name]: text }, { replace: true })}
    />
  );
}

function TabsFilter({ filter, list }: Props & { filter: Extract<Filter, { options: unknown }> }) {
  const t = useText();
  const data = [
    { value: "", label: t("kit.list.all") },
    ...Object.entries(filter.options).map(([value, key]) => ({ value, label: t(key) })),
  ];
  return (
    <SegmentedControl
      aria-label={t(filter.title)}
      size="sm"
      visibleFrom="sm"
      data={data}
      value={list.query.get(filter.name) ?? ""}
      onChange={(value) => list.filter({ [filter.name]: value })}
    />
  );
}

function PickFilter({
  filter,
  list,
  hiddenFrom,
}: Props & { filter: Extract<Filter, { options: unknown }>; hiddenFrom?: "sm" }) {
  const t = useText();
  return (
    <Select
      size="sm"
      w={170}
      aria-label={t(filter.title)}
      placeholder={t("kit.list.any", { name: t(filter.title).toLowerCase() })}
      data={Object.entries(filter.options).map(([value, key]) => ({ value, label: t(key) }))}
      value={list.query.get(filter.name)}
      onChange={(value) => list.filter({ [filter.name]: value })}
      clearable
      clearButtonProps={{ "aria-label": t("kit.clearFilters") }}
      {...(hiddenFrom && { hiddenFrom })}
    />
  );
}

export function FilterField({ filter, list }: Props) {
  if (filter.kind === "search") return <SearchFilter filter={filter} list={list} />;
  if (filter.kind === "own") return <filter.field list={list} />;
  if (filter.kind === "pick") return <PickFilter filter={filter} list={list} />;
  return (
    <>
      <TabsFilter filter={filter} list={list} />
      <PickFilter filter={filter} list={list} hiddenFrom="sm" />
    </>
  );
}

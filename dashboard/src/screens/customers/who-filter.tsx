import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import type { Filter, FilterProps } from "../../kit/list/filters.tsx";
import { useText } from "../../text/text.ts";

const TYPING_MS = 250;

/** One field for names and e-mail addresses: what has an @ is one. */
function WhoFilter({ list }: FilterProps) {
  const t = useText();
  const field = useRef<HTMLInputElement>(null);
  const value = list.query.get("email") ?? list.query.get("name") ?? "";
  const change = useDebouncedCallback((typed: string) => {
    const text = typed.trim();
    const isEmail = text.includes("@");
    list.filter({ email: isEmail ? text : null, name: isEmail ? null : text }, { replace: true });
  }, TYPING_MS);
  useEffect(() => {
    if (field.current && document.activeElement !== field.current) field.current.value = value;
  }, [value]);
  return (
    <TextInput
      ref={field}
      type="search"
      size="sm"
      w={{ base: "100%", xs: 300 }}
      aria-label={t("customers.search")}
      placeholder={t("customers.search")}
      leftSection={<IconSearch size={16} stroke={1.75} />}
      defaultValue={value}
      data-list-search=""
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

export const who: Filter = { kind: "own", name: "name", title: "customers.search", field: WhoFilter };

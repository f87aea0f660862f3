import { Button, Checkbox, Group, Input, SimpleGrid, TextInput } from "@mantine/core";
import { type ReactNode, useId, useState } from "react";
import { useText } from "../../text/text.ts";
import classes from "./developers.module.css";
import { EVENT_TYPES, type EventType, groupOf } from "./event-types.ts";

type Props = {
  label: string;
  defaultValue?: EventType[];
  error?: ReactNode;
  onChange?: (events: EventType[]) => void;
};

const GROUPS = [...new Set(EVENT_TYPES.map(groupOf))];

/** The events of a webhook, by what they are about. A group can be taken as a whole. */
export function EventPicker({ label, defaultValue = [], error, onChange }: Props) {
  const t = useText();
  const id = useId();
  const [chosen, setChosen] = useState(defaultValue);
  const [search, setSearch] = useState("");
  const choose = (events: EventType[]) => {
    setChosen(events);
    onChange?.(events);
  };
  const found = EVENT_TYPES.filter((type) => type.includes(search.trim().toLowerCase()));
  return (
    <Input.Wrapper label={label} labelElement="div" required error={error} labelProps={{ id }}>
      <Group my={4} gap="sm">
        <TextInput
          type="search"
          size="xs"
          aria-label={t("developers.searchEvents")}
          placeholder={t("developers.searchEvents")}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <span className={classes.dimmed} role="status">
          {t("developers.chosen", { count: chosen.length })}
        </span>
        {chosen.length > 0 && (
          <Button size="compact-sm" variant="subtle" onClick={() => choose([])}>
            {t("developers.chooseNone")}
          </Button>
        )}
      </Group>
      <Checkbox.Group value={chosen} onChange={(events) => choose(events as EventType[])}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reached by keyboard. */}
        <section className={classes.picker} aria-labelledby={id} tabIndex={0}>
          {GROUPS.map((group) => {
            const types = found.filter((type) => groupOf(type) === group);
            if (types.length === 0) return null;
            const isAll = types.every((type) => chosen.includes(type));
            const rest = chosen.filter((type) => !types.includes(type));
            return (
              <fieldset key={group} className={classes.events}>
                <legend>
                  <Checkbox
                    size="xs"
                    label={group}
                    checked={isAll}
                    indeterminate={!isAll && types.some((type) => chosen.includes(type))}
                    onChange={() => choose(isAll ? rest : [...rest, ...types])}
                  />
                </legend>
                <SimpleGrid cols={{ base: 1, sm: 2 }} spacing={4} verticalSpacing={4}>
                  {types.map((type) => (
                    <Checkbox key={type} size="xs" value={type} label={type} />
                  ))}
                </SimpleGrid>
              </fieldset>
            );
          })}
        </section>
      </Checkbox.Group>
    </Input.Wrapper>
  );
}

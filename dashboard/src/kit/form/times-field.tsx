import { Checkbox, Fieldset, Group, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useProject } from "../../api/session.ts";
import { useText } from "../../text/text.ts";
import { ALWAYS, type Times, weekdays } from "../date/times.ts";

type Props = {
  defaultValue?: Times;
  onChange?: (times: Times) => void;
  error?: ReactNode;
  "data-path"?: string;
};

/** On which days of the week and in which hours something applies. */
export default function TimesField({ defaultValue = ALWAYS, onChange, error, "data-path": path }: Props) {
  const t = useText();
  const { timezone } = useProject();
  const [times, setTimes] = useState(defaultValue);
  const put = (change: Partial<Times>) => {
    const next = { ...times, ...change };
    setTimes(next);
    onChange?.(next);
  };
  const hour = (name: "from" | "to") => (
    <TextInput
      type="time"
      label={t(`kit.times.${name}`)}
      value={times[name]}
      onChange={({ currentTarget }) => put({ [name]: currentTarget.value })}
      {...(name === "to" && { error })}
      {...(name === "from" && path !== undefined && { "data-path": path })}
    />
  );
  return (
    <Fieldset legend={t("kit.times.title")}>
      <Checkbox.Group
        label={t("kit.times.days")}
        value={times.days.map(String)}
        onChange={(days) => put({ days: days.map(Number).sort((one, other) => one - other) })}
      >
        <Group gap="md" mt="xs" mb="lg">
          {weekdays().map(({ day, name }) => (
            <Checkbox key={day} value={String(day)} label={name} />
          ))}
        </Group>
      </Checkbox.Group>
      {times.isKept ? (
        <Text size="sm">{t("kit.times.kept")}</Text>
      ) : (
        <Group gap="lg" align="flex-start">
          {hour("from")}
          {hour("to")}
        </Group>
      )}
      <Text size="xs" c="dimmed" mt="sm">
        {t("kit.times.help", { zone: timezone })}
      </Text>
    </Fieldset>
  );
}

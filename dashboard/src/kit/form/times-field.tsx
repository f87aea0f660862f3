import { Button, Checkbox, Fieldset, Group, Stack, Switch, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { useProject } from "../../api/session.ts";
import { useText } from "../../text/text.ts";
import { ALWAYS, againFaults, hoursFaults, isBlank, NO_HOURS, type Times, weekdays } from "../date/times.ts";
import { AgainFields } from "./again-fields.tsx";
import { HoursFields } from "./hours-fields.tsx";

type Props = {
  defaultValue?: Times;
  onChange?: (times: Times) => void;
  error?: ReactNode;
  "data-path"?: string;
};
const MANY = 20;
/** What one begins with. */
const WEEKLY = { every: "P1W", lasts: "P1D" };

/** On which days of the week, in which hours and in which windows something applies. */
export default function TimesField({ defaultValue = ALWAYS, onChange, error, "data-path": path }: Props) {
  const t = useText();
  const { timezone } = useProject();
  const [times, setTimes] = useState(defaultValue);
  // One row of hours is always there to be filled in.
  const [rows, setRows] = useState(defaultValue.hours.length > 0 ? defaultValue.hours : [{ key: 0, ...NO_HOURS }]);
  const put = (change: Partial<Times>) => {
    const next = { ...times, ...change };
    setTimes(next);
    onChange?.(next);
  };
  const putRows = (next: Times["hours"]) => {
    setRows(next);
    put({ hours: next.filter((one) => !isBlank(one)) });
  };
  const [wrong, wrongAgain] = [hoursFaults(times, t), againFaults(times, t)];
  const isOwn = wrong.size > 0 || Object.keys(wrongAgain).length > 0;
  const faulty = isOwn && wrong.size === 0 ? null : ([...wrong.keys()][0] ?? rows[0]!.key);
  const last = Math.max(...rows.map(({ key }) => key));
  return (
    <Fieldset legend={t("kit.times.title")}>
      <Stack gap="lg">
        <Checkbox.Group
          label={t("kit.times.days")}
          value={times.days.map(String)}
          onChange={(days) => put({ days: days.map(Number).sort((one, other) => one - other) })}
        >
          <Group gap="md" mt="xs">
            {weekdays().map(({ day, name }) => (
              <Checkbox key={day} value={String(day)} label={name} />
            ))}
          </Group>
        </Checkbox.Group>
        {rows.map((row, place) => (
          <HoursFields
            key={row.key}
            number={place + 1}
            hours={row}
            isAlone={rows.length === 1}
            put={(change) => putRows(rows.map((one) => (one === row ? { ...one, ...change } : one)))}
            drop={() => putRows(rows.filter((one) => one !== row))}
            {...(error && { faults: wrong.get(row.key) ?? {} })}
            {...(path !== undefined && row.key === faulty && { path })}
          />
        ))}
        {rows.length < MANY && (
          <div>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPlus size={14} stroke={1.75} />}
              onClick={() => putRows([...rows, { key: last + 1, ...NO_HOURS }])}
            >
              {t("kit.times.more")}
            </Button>
          </div>
        )}
        <Switch
          label={t("kit.times.again")}
          checked={times.again !== null}
          onChange={({ currentTarget }) => put({ again: currentTarget.checked ? WEEKLY : null })}
        />
        {times.again && (
          <AgainFields
            again={times.again}
            put={(change) => put({ again: { ...times.again!, ...change } })}
            {...(error && { faults: wrongAgain })}
            {...(path !== undefined && faulty === null && { path })}
          />
        )}
        {error && !isOwn && (
          <Text c="var(--mantine-color-error)" size="sm" role="alert">
            {error}
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {t("kit.times.help", { zone: timezone })}
        </Text>
      </Stack>
    </Fieldset>
  );
}

import { Button, Group, TextInput } from "@mantine/core";
import { useText } from "../../text/text.ts";
import { type Hours, weekdays } from "../date/times.ts";
import { MultiSelect } from "../later/fields.ts";

type Props = {
  number: number;
  hours: Hours;
  /** The days of all hours are chosen above: those of one row are asked for when there are more. */
  isAlone: boolean;
  put: (change: Partial<Hours>) => void;
  drop: () => void;
  faults?: { from?: string; to?: string };
  path?: string;
};

/** From when until when, and on which days. */
export function HoursFields({ number, hours, isAlone, put, drop, faults = {}, path }: Props) {
  const t = useText();
  const focused = path === undefined ? {} : { "data-path": path };
  const hour = (name: "from" | "to") => (
    <TextInput
      type="time"
      w={130}
      label={t(`kit.times.${name}`)}
      value={hours[name]}
      onChange={({ currentTarget }) => put({ [name]: currentTarget.value })}
      error={faults[name]}
      {...(name === (faults.to ? "to" : "from") && focused)}
    />
  );
  return (
    <Group gap="md" align="flex-start" role="group" aria-label={t("kit.times.hours", { number })}>
      {hour("from")}
      {hour("to")}
      {(!isAlone || hours.days.length > 0) && (
        <MultiSelect
          label={t("kit.times.on")}
          placeholder={hours.days.length === 0 ? t("kit.times.allDays") : ""}
          w={220}
          data={weekdays().map(({ day, name }) => ({ value: String(day), label: name }))}
          value={weekdays().flatMap(({ day }) => (hours.days.includes(day) ? [String(day)] : []))}
          onChange={(days) => put({ days: days.map(Number).sort((one, other) => one - other) })}
        />
      )}
      {!isAlone && (
        <Button variant="default" size="xs" mt={{ base: 0, sm: "xl" }} onClick={drop}>
          {t("kit.times.remove", { number })}
        </Button>
      )}
    </Group>
  );
}

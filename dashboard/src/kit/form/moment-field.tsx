import { TextInput, type TextInputProps } from "@mantine/core";
import { useState } from "react";
import { useProject } from "../../api/session.ts";
import { otherZone } from "../date/date.ts";
import { momentOf, wallTimeOf } from "../date/zoned.ts";

export type MomentProps = Omit<TextInputProps, "value" | "defaultValue" | "onChange"> & {
  value?: string | null;
  defaultValue?: string | null;
  onChange?: (iso: string | null) => void;
};

/** A moment, chosen on the clock of the project. The zone is named where the browser has another one. */
export function MomentField({ value, defaultValue, onChange, ...rest }: MomentProps) {
  const { timezone } = useProject();
  const first = value ?? defaultValue ?? null;
  const [wall, setWall] = useState(first === null ? "" : wallTimeOf(first, timezone));
  return (
    <TextInput
      description={otherZone(timezone)}
      {...rest}
      type="datetime-local"
      value={wall}
      onChange={({ currentTarget }) => {
        setWall(currentTarget.value);
        onChange?.(momentOf(currentTarget.value, timezone));
      }}
    />
  );
}

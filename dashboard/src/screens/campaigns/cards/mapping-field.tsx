import { Fieldset, Group } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Select } from "../../../kit/later/fields.ts";
import { type TextKey, useText } from "../../../text/text.ts";
import { AS_EVERYBODY, hasNumber, type Mapped, type MappingKind } from "./mapping.ts";
import { CountInput } from "./part.tsx";

type Props = {
  /** The earning rule or the reward. */
  name: string;
  kinds: Partial<Record<MappingKind, TextKey>>;
  defaultValue?: Mapped;
  onChange?: (mapped: Mapped) => void;
  error?: ReactNode;
  "data-path"?: string;
};

/** What members of a tier get or pay instead of what everybody does. */
export function MappingField({ name, kinds, defaultValue = AS_EVERYBODY, onChange, error, "data-path": path }: Props) {
  const t = useText();
  const [mapped, setMapped] = useState(defaultValue);
  const put = (next: Mapped) => {
    setMapped(next);
    onChange?.(next);
  };
  const { type, number } = mapped;
  const focused = path === undefined ? {} : { "data-path": path };
  return (
    <Fieldset legend={name}>
      <Group align="flex-start" gap="lg">
        <Select
          label={t("cards.inTier")}
          allowDeselect={false}
          data={Object.entries(kinds).map(([value, label]) => ({ value, label: t(label) }))}
          value={type}
          // Twice as many is a number of another kind than so many points.
          onChange={(chosen) => put({ type: chosen as MappingKind, number: null })}
          {...(!hasNumber(mapped) && focused)}
        />
        {hasNumber(mapped) && (
          <CountInput
            key={type}
            label={t(type === "MULTIPLY" ? "cards.timesCount" : "cards.points")}
            required
            allowDecimal={type === "MULTIPLY"}
            maw={160}
            defaultValue={number}
            onChange={(typed) => put({ type, number: typed })}
            error={error}
            {...focused}
          />
        )}
      </Group>
    </Fieldset>
  );
}

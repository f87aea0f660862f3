import { Anchor, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useState } from "react";
import { Link, useParams } from "react-router";
import { SEGMENTS } from "../../../api/sources.ts";
import { NumberInput } from "../../../kit/later/fields.ts";
import { type Option, RecordSelect } from "../../../kit/pick/record-select.tsx";
import { type TextKey, useText } from "../../../text/text.ts";
import type { Field, Values } from "./values.ts";

export function CountField({
  form,
  field,
  label,
  help,
  required,
}: {
  form: UseFormReturnType<Values>;
  field: Field;
  label: string;
  help?: string;
  required?: boolean;
}) {
  const { defaultValue, onChange, ...rest } = form.getInputProps(field);
  return (
    <NumberInput
      label={label}
      {...(help !== undefined && { description: help })}
      {...(required && { required })}
      min={1}
      allowDecimal={false}
      maw={240}
      defaultValue={defaultValue ?? ""}
      onChange={(typed) => onChange(typed === "" ? null : Number(typed))}
      {...rest}
    />
  );
}

export function SegmentField({
  label,
  placeholder,
  defaultValue = null,
  onChange,
}: {
  label: string;
  placeholder: string;
  defaultValue?: Option | null;
  onChange?: (chosen: Option | null) => void;
}) {
  const [chosen, setChosen] = useState(defaultValue);
  const choose = (option: Option | null) => {
    setChosen(option);
    onChange?.(option);
  };
  return <RecordSelect source={SEGMENTS} label={label} placeholder={placeholder} value={chosen} onChange={choose} />;
}

/** What is not changed in this form, and where it is. */
export function Elsewhere({ text, to, link }: { text: TextKey; to: string; link: TextKey }) {
  const t = useText();
  const { campaignId = "" } = useParams();
  return (
    <Text size="sm" c="dimmed">
      {t(text)}{" "}
      <Anchor component={Link} to={`/campaigns/${campaignId}${to}`} inherit underline="always">
        {t(link)}
      </Anchor>
    </Text>
  );
}

import { TextInput, type TextInputProps } from "@mantine/core";
import { useState } from "react";
import { useProject } from "../../api/session.ts";
import { localeOf, useText } from "../../text/text.ts";
import { moneyInput, parseMoney } from "../money/money.ts";

type Props = Omit<TextInputProps, "value" | "defaultValue" | "onChange"> & {
  /** In 1/100. */
  value?: number | null;
  defaultValue?: number | null;
  onChange?: (minor: number | null) => void;
};

/** An amount as people write it. What is no amount is told at the field, and stays as it was typed. */
export function MoneyField({ value, defaultValue, onChange, onBlur, error, ...rest }: Props) {
  const t = useText();
  const { currency } = useProject();
  const first = value ?? defaultValue ?? null;
  const [text, setText] = useState(first === null ? "" : moneyInput(first, localeOf()));
  const [isWrong, setWrong] = useState(false);
  const isAmount = text.trim() === "" || parseMoney(text, localeOf()) !== null;
  return (
    <TextInput
      {...rest}
      inputMode="decimal"
      value={text}
      // A form is not sent while this stands there: the amount before would be saved in silence.
      data-wrong={isAmount ? undefined : true}
      rightSection={<span aria-hidden>{currency}</span>}
      rightSectionWidth={48}
      error={isWrong ? t("kit.form.money") : error}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        const minor = parseMoney(currentTarget.value, localeOf());
        if (minor !== null || currentTarget.value.trim() === "") {
          setWrong(false);
          onChange?.(minor);
        }
      }}
      onBlur={(event) => {
        const minor = parseMoney(text, localeOf());
        setWrong(!isAmount);
        if (minor !== null) setText(moneyInput(minor, localeOf()));
        onBlur?.(event);
      }}
    />
  );
}

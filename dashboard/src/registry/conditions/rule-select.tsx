import { type ReactNode, useState } from "react";
import { getValidationRule } from "../../api/operations.gen.ts";
import { VALIDATION_RULES } from "../../api/sources.ts";
import { useOp } from "../../api/use-op.ts";
import { type Option, RecordSelect } from "../../kit/pick/record-select.tsx";

type Props = {
  label: string;
  description?: string;
  /** Rules that are not offered. */
  without?: readonly string[];
  value: string | null;
  onChange: (id: string | null) => void;
  error?: ReactNode;
};

/** Those that are not offered take no place among the first ones. */
const sourceWithout = (ids: readonly string[]) => ({
  ...VALIDATION_RULES,
  paramsOf: (text: string) => {
    const { filters, ...params } = { filters: {}, ...VALIDATION_RULES.paramsOf(text) };
    return { ...params, filters: { ...filters, ...(ids.length > 0 && { id: { conditions: { $not_in: [...ids] } } }) } };
  },
});

/** Chooses a rule by its name. */
export function RuleSelect({ without = [], value, onChange, ...rest }: Props) {
  const [chosen, setChosen] = useState<Option | null>(null);
  const isChosenHere = chosen?.value === value;
  const { data } = useOp(
    getValidationRule,
    { validationRuleId: value ?? "" },
    { enabled: value !== null && !isChosenHere },
  );
  const named = value === null ? null : { value, label: data?.name ?? value };
  return (
    <RecordSelect
      {...rest}
      source={sourceWithout(without)}
      value={isChosenHere ? chosen : named}
      onChange={(option) => {
        setChosen(option);
        onChange(option?.value ?? null);
      }}
    />
  );
}

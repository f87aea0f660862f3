import { useState } from "react";
import { RuleSelect } from "../../../registry/conditions/rule-select.tsx";
import { useText } from "../../../text/text.ts";

type Props = { defaultValue?: string | null; onChange?: (id: string | null) => void };

/** The rule that a new offer begins with. More can be added when it is there. */
export function NewRuleField({ defaultValue = null, onChange }: Props) {
  const t = useText();
  const [rule, setRule] = useState(defaultValue);
  return (
    <RuleSelect
      label={t("conditions.title")}
      description={t("offers.ruleHelp")}
      value={rule}
      onChange={(id) => {
        setRule(id);
        onChange?.(id);
      }}
    />
  );
}

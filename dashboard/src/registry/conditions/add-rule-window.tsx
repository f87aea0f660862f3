import { Anchor, Text } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { assignValidationRule } from "../../api/operations.gen.ts";
import { useCan } from "../../api/session.ts";
import { useSend } from "../../api/use-op.ts";
import { WindowForm } from "../../kit/form/window-form.tsx";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";
import type { Ruled } from "./assigned-rules.tsx";
import { RuleSelect } from "./rule-select.tsx";
import { RuleWords } from "./rule-words.tsx";

type Props = { of: Ruled; taken: readonly string[]; onClose: () => void };

/** Gives an offer a rule that is there already, or leads to a new one, which is then given to it. */
export default function AddRuleWindow({ of, taken, onClose }: Props) {
  const t = useText();
  const can = useCan();
  const { mutate, error, isPending } = useSend(assignValidationRule);
  const [rule, setRule] = useState<string | null>(null);
  const [isPressed, setPressed] = useState(false);
  const add = () => {
    setPressed(true);
    if (rule === null) return;
    const onSuccess = () => {
      notifyDone(t("conditions.added"));
      onClose();
    };
    const body = { related_object_type: of.type, related_object_id: of.id };
    mutate({ params: { validationRuleId: rule }, body }, { onSuccess });
  };
  return (
    <WindowForm
      title={t("conditions.add")}
      act={t("conditions.act")}
      error={error}
      isBusy={isPending}
      onClose={onClose}
      onSubmit={add}
    >
      <RuleSelect
        label={t("conditions.choose")}
        description={t("conditions.chooseHelp")}
        without={taken}
        value={rule}
        onChange={setRule}
        error={isPressed && rule === null && t("kit.form.required")}
      />
      {rule !== null && (
        <Text size="sm" component="div">
          <RuleWords id={rule} />
        </Text>
      )}
      {can("createValidationRule") && (
        <Anchor component={Link} to={`/rules/new?for=${of.type}:${of.id}`} size="sm">
          {t("conditions.makeNew")}
        </Anchor>
      )}
    </WindowForm>
  );
}

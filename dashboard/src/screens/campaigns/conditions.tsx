import { Text } from "@mantine/core";
import { Fragment } from "react";
import { type Campaign, getValidationRule } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useOps } from "../../api/use-ops.ts";
import { RuleWords } from "../../registry/conditions/rule-words.tsx";
import { worthOf } from "../../registry/worth.ts";
import { useText } from "../../text/text.ts";

function Line({ of, rules }: { of: string; rules: readonly { rule_id: string }[] }) {
  const t = useText();
  const { data } = useOps(
    getValidationRule,
    rules.map(({ rule_id: validationRuleId }) => ({ validationRuleId })),
  );
  // A rule may say nothing but the products: the sentence has them.
  const asking = (data ?? []).filter((rule) => Object.keys(rule.rules).length > 0);
  if (asking.length === 0) return null;
  return (
    <Text size="sm" component="div">
      {of}:{" "}
      {asking.map(({ id }, place) => (
        <Fragment key={id}>
          {place > 0 && t("sentence.and")}
          <RuleWords id={id} />
        </Fragment>
      ))}
    </Text>
  );
}

/** The conditions of a campaign and of each of its promotions, in words. */
export default function Conditions({ campaign }: { campaign: Campaign }) {
  const t = useText();
  const { currency } = useProject();
  return (
    <>
      <Line of={t("sentence.onlyIf")} rules={campaign.validation_rules_assignments.data} />
      {(campaign.promotion?.tiers ?? []).map(({ id, name, action, validation_rule_assignments }) => (
        <Line
          key={id}
          of={t("sentence.offerIf", { offer: worthOf({ discount: action.discount }, { t, currency }) ?? name })}
          rules={validation_rule_assignments.data}
        />
      ))}
    </>
  );
}

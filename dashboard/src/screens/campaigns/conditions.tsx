import { Text } from "@mantine/core";
import { Fragment } from "react";
import type { Campaign } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { RuleWords } from "../../registry/conditions/rule-words.tsx";
import { worthOf } from "../../registry/worth.ts";
import { useText } from "../../text/text.ts";

function Line({ of, rules }: { of: string; rules: readonly { rule_id: string }[] }) {
  const t = useText();
  if (rules.length === 0) return null;
  return (
    <Text size="sm" component="div">
      {of}:{" "}
      {rules.map(({ rule_id }, place) => (
        <Fragment key={rule_id}>
          {place > 0 && t("sentence.and")}
          <RuleWords id={rule_id} />
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

import { Text } from "@mantine/core";
import { Fragment } from "react";
import { type Campaign, getValidationRule } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { parseRules, type RuleGroup, type RuleItem, type StoredRules } from "../../registry/rule-tree/tree.ts";
import { RuleSentence } from "../../registry/trace/trace-tree.tsx";
import { worthOf } from "../../registry/worth.ts";
import { useText } from "../../text/text.ts";

const leafOf = ({ name, property, conditions }: RuleItem) => ({
  ...{ name, property },
  conditions: conditions.map(({ operator, values }) => ({ operator, expected: values })),
});

/** What a group asks, as a part of a sentence. */
function Asked({ group }: { group: RuleGroup }) {
  const t = useText();
  return group.terms.map((term, place) => (
    <Fragment key={term.id}>
      {place > 0 && t(group.kind === "and" ? "sentence.and" : "sentence.or")}
      {term.kind !== "rule" ? (
        <>
          (<Asked group={term} />)
        </>
      ) : (
        <RuleSentence leaf={leafOf(term)} />
      )}
      {term.kind === "rule" && term.below.terms.length > 0 && (
        <>
          (<Asked group={term.below} />)
        </>
      )}
    </Fragment>
  ));
}

function Rule({ id }: { id: string }) {
  const { data } = useOp(getValidationRule, { validationRuleId: id });
  return data ? <Asked group={parseRules(data.rules as StoredRules)} /> : null;
}

function Line({ of, rules }: { of: string; rules: readonly { rule_id: string }[] }) {
  const t = useText();
  if (rules.length === 0) return null;
  return (
    <Text size="sm" component="div">
      {of}:{" "}
      {rules.map(({ rule_id }, place) => (
        <Fragment key={rule_id}>
          {place > 0 && t("sentence.and")}
          <Rule id={rule_id} />
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

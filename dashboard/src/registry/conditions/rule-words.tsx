import { Fragment } from "react";
import { getValidationRule } from "../../api/operations.gen.ts";
import { useOp } from "../../api/use-op.ts";
import { useText } from "../../text/text.ts";
import { parseRules, type RuleGroup, type RuleItem, type StoredRules } from "../rule-tree/tree.ts";
import { RuleSentence } from "../trace/trace-tree.tsx";

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

/** What a rule asks, in words. */
export function RuleWords({ id }: { id: string }) {
  const { data } = useOp(getValidationRule, { validationRuleId: id });
  return data ? <Asked group={parseRules(data.rules as StoredRules)} /> : null;
}

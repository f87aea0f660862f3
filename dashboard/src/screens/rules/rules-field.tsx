import { Input } from "@mantine/core";
import { useState } from "react";
import { RuleGroupEditor } from "../../registry/rule-tree/rule-tree.tsx";
import type { Traces } from "../../registry/rule-tree/traces.ts";
import {
  isComplete,
  itemsOf,
  parseRules,
  printRules,
  type RuleGroup,
  type StoredRules,
  withKeys,
} from "../../registry/rule-tree/tree.ts";
import { useRegistry } from "../../registry/use-registry.ts";
import { useText } from "../../text/text.ts";
import classes from "./rules.module.css";

type Props = {
  label: string;
  traces: Traces;
  defaultValue?: StoredRules;
  error?: React.ReactNode;
  onChange?: (rules: StoredRules) => void;
  /** How many conditions have no value yet: they are not part of what is stored. */
  onUnfinished?: (count: number) => void;
};

/** The tree of conditions as a field of a form: its value is what is stored. */
export default function RulesField({ label, traces, defaultValue = {}, error, onChange, onUnfinished }: Props) {
  const t = useText();
  const { rules } = useRegistry();
  const [root, setRoot] = useState(() => parseRules(defaultValue));
  const change = (changed: RuleGroup) => {
    const next = withKeys(changed);
    setRoot(next);
    // What this page does not know is sent as it came.
    const isSent = (item: Parameters<typeof isComplete>[0]) =>
      !rules.has(item.name) || isComplete(item, (name) => rules.get(name)?.takes === "products");
    onUnfinished?.(itemsOf(next).filter((item) => !isSent(item)).length);
    onChange?.(printRules(next, isSent));
  };
  return (
    <section aria-label={label} className={classes.field}>
      <Input.Label component="div">{label}</Input.Label>
      {root.terms.length === 0 && <div className={classes.dimmed}>{t("rules.none")}</div>}
      <RuleGroupEditor group={root} place="top" path="" traces={traces} onChange={change} />
      {error && <Input.Error>{error}</Input.Error>}
    </section>
  );
}

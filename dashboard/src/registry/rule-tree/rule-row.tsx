import { ActionIcon, Button, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { RegistryRule, RuleTrace } from "../../api/operations.gen.ts";
import { Select } from "../../kit/later/fields.ts";
import { localeOf, useText } from "../../text/text.ts";
import { Seen } from "../trace/trace-tree.tsx";
import { Verdict } from "../trace/verdict.tsx";
import { useRegistry } from "../use-registry.ts";
import { operatorWord, ruleWord } from "../words.ts";
import classes from "./rule-tree.module.css";
import { type Condition, isComplete, type RuleItem } from "./tree.ts";
import { ValueField } from "./value-field.tsx";

type RowProps = { item: RuleItem; rule: RegistryRule; label: string; onChange: (item: RuleItem) => void };

function Conditions({ item, rule, label, onChange }: RowProps) {
  const t = useText();
  const registry = useRegistry();
  const { conditions } = item;
  const nameOf = (operator: string) => registry.operators.get(operator)?.name ?? operator;
  const used = conditions.map(({ operator }) => nameOf(operator));
  const free = rule.operators.filter((name) => !used.includes(name));
  const set = (place: number, next: readonly Condition[]) =>
    onChange({ ...item, conditions: conditions.toSpliced(place, 1, ...next) });
  const isSingle = (operator: string) =>
    registry.operators.get(operator)?.values.find(({ takes }) => takes === rule.takes)?.values_max === 1;
  return (
    <>
      {conditions.map((condition, place) => (
        <div className={classes.condition} key={condition.operator}>
          <Select
            size="xs"
            aria-label={t("rules.operator", { name: label })}
            data={rule.operators
              .filter((name) => name === nameOf(condition.operator) || !used.includes(name))
              .map((name) => ({ value: name, label: operatorWord(t, registry, name) }))}
            allowDeselect={false}
            value={nameOf(condition.operator)}
            onChange={(operator) => operator && set(place, [{ ...condition, operator }])}
          />
          <ValueField
            rule={rule}
            label={label}
            condition={condition}
            isSingle={isSingle(condition.operator)}
            onChange={(values) => set(place, [{ ...condition, values }])}
          />
        </div>
      ))}
      {free[0] !== undefined && rule.takes !== "flag" && rule.takes !== "ids" && (
        <Button
          size="compact-xs"
          variant="subtle"
          w="fit-content"
          leftSection={<IconPlus size={14} />}
          onClick={() => set(conditions.length, [{ operator: free[0]!, values: [] }])}
        >
          {t("rules.more")}
        </Button>
      )}
    </>
  );
}

type Props = {
  item: RuleItem;
  /** What the rule saw on the cart; undefined: nothing was asked. */
  trace: RuleTrace | undefined;
  onChange: (item: RuleItem) => void;
  onRemove: () => void;
  below: React.ReactNode;
};

/** One condition: what is asked, how it is compared, with which values, and what it saw on the cart. */
export function RuleRow({ item, trace, onChange, onRemove, below }: Props) {
  const t = useText();
  const registry = useRegistry();
  const rule = registry.rules.get(item.name);
  const label = ruleWord(t, registry, item.name, item.property);
  const takesProducts = (name: string) => registry.rules.get(name)?.takes === "products";
  return (
    <li className={classes.item}>
      <div className={classes.title}>
        {trace && <Verdict passed={trace.skipped ? null : trace.passed} />}
        <b title={localeOf().startsWith("en") ? rule?.help : undefined}>{label}</b>
        {trace && <Seen leaf={trace} unit={rule?.unit ?? null} />}
        <ActionIcon
          className={classes.end!}
          variant="subtle"
          aria-label={t("rules.remove", { name: label })}
          onClick={onRemove}
        >
          <IconTrash size={16} stroke={1.75} />
        </ActionIcon>
      </div>
      {!rule && registry.rules.size > 0 && (
        <>
          <span className={classes.warning}>{t("rules.unknown", { name: item.name })}</span>
          <code>{JSON.stringify(item.conditions)}</code>
        </>
      )}
      {rule?.has_property && (
        <TextInput
          size="xs"
          label={t("rules.property")}
          value={item.property ?? ""}
          onChange={({ currentTarget }) => onChange({ ...item, property: currentTarget.value })}
        />
      )}
      {rule && <Conditions item={item} rule={rule} label={label} onChange={onChange} />}
      {rule && !isComplete(item, takesProducts) && <span className={classes.warning}>{t("rules.incomplete")}</span>}
      {below}
      {item.message === null ? (
        <Button
          size="compact-xs"
          variant="subtle"
          w="fit-content"
          leftSection={<IconPlus size={14} />}
          onClick={() => onChange({ ...item, message: "" })}
        >
          {t("rules.addMessage")}
        </Button>
      ) : (
        <TextInput
          size="xs"
          label={t("rules.message")}
          value={item.message}
          onChange={({ currentTarget }) => onChange({ ...item, message: currentTarget.value })}
        />
      )}
    </li>
  );
}

import { ActionIcon, Button, SegmentedControl } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { Select } from "../../kit/later/fields.ts";
import { useText } from "../../text/text.ts";
import { useRegistry } from "../use-registry.ts";
import { ruleWord } from "../words.ts";
import { RuleRow } from "./rule-row.tsx";
import classes from "./rule-tree.module.css";
import type { Traces } from "./traces.ts";
import { newGroup, newId, type RuleGroup, type RuleItem, replaceTerm } from "./tree.ts";

const newItem = (name: string, operator: string | undefined): RuleItem => ({
  ...{ kind: "rule", id: newId(), key: null, name, property: null, message: null },
  conditions: operator === undefined ? [] : [{ operator, values: [] }],
  below: newGroup(),
});
/** What a new condition begins with: for numbers it is mostly "at least". */
const FIRST: Record<string, string> = { number: "$more_than_or_equal" };

function AddRule({ place, onAdd }: { place: "top" | "below"; onAdd: (item: RuleItem) => void }) {
  const t = useText();
  const registry = useRegistry();
  const [added, setAdded] = useState(0);
  // Old names of a rule mean the same: one of them is offered.
  const offered = new Map<string, { value: string; label: string; family: "customer" | "order" | "redemption" }>();
  for (const { name, family, place: at } of new Set(registry.rules.values())) {
    const label = ruleWord(t, registry, name);
    if (at === place && !offered.has(label)) offered.set(label, { value: name, label, family });
  }
  const families = (["customer", "order", "redemption"] as const).map((family) => ({
    group: t(`rules.families.${family}`),
    items: [...offered.values()].filter((one) => one.family === family),
  }));
  const label = t(place === "top" ? "rules.add" : "rules.addBelow");
  return (
    <Select
      key={added}
      size="xs"
      w={240}
      searchable
      aria-label={label}
      placeholder={label}
      leftSection={<IconPlus size={14} />}
      data={families.filter(({ items }) => items.length > 0)}
      maxDropdownHeight={320}
      value={null}
      onChange={(name) => {
        const rule = name === null ? undefined : registry.rules.get(name);
        if (!rule) return;
        onAdd(newItem(rule.name, FIRST[rule.takes] ?? rule.operators[0]));
        setAdded(added + 1);
      }}
    />
  );
}

type Props = {
  group: RuleGroup;
  place: "top" | "below";
  path: string;
  traces: Traces;
  onChange: (group: RuleGroup) => void;
  onRemove?: () => void;
};

/** Conditions that all must hold, or of which one is enough. A group may hold groups: they are the brackets. */
export function RuleGroupEditor({ group, place, path, traces, onChange, onRemove }: Props) {
  const t = useText();
  const add = (term: RuleItem | RuleGroup) => onChange({ ...group, terms: [...group.terms, term] });
  const isPlain = place === "below" && group.terms.length < 2;
  return (
    <div className={classes.group}>
      {!isPlain && (group.terms.length > 1 || onRemove) && (
        <div className={classes.head}>
          <SegmentedControl
            size="xs"
            aria-label={t("rules.join")}
            data={[
              { value: "and", label: t("registry.and") },
              { value: "or", label: t("registry.or") },
            ]}
            value={group.kind}
            onChange={(kind) => onChange({ ...group, kind: kind as "and" | "or" })}
          />
          {onRemove && (
            <ActionIcon variant="subtle" aria-label={t("rules.removeGroup")} onClick={onRemove}>
              <IconTrash size={16} stroke={1.75} />
            </ActionIcon>
          )}
        </div>
      )}
      {group.terms.length > 0 && (
        <ul className={classes.list}>
          {group.terms.map((term) =>
            term.kind === "rule" ? (
              <Row key={term.id} {...{ term, path, traces, group, onChange }} />
            ) : (
              <li key={term.id}>
                <RuleGroupEditor
                  {...{ group: term, place, path, traces }}
                  onChange={(next) => onChange(replaceTerm(group, term.id, next))}
                  onRemove={() => onChange(replaceTerm(group, term.id, null))}
                />
              </li>
            ),
          )}
        </ul>
      )}
      <div className={classes.actions}>
        <AddRule place={place} onAdd={add} />
        {place === "top" && group.terms.length > 0 && (
          <Button size="xs" variant="default" onClick={() => add(newGroup(group.kind === "and" ? "or" : "and"))}>
            {t("rules.addGroup")}
          </Button>
        )}
      </div>
    </div>
  );
}

type RowProps = Pick<Props, "group" | "path" | "traces" | "onChange"> & { term: RuleItem };

function Row({ term, path, traces, group, onChange }: RowProps) {
  const registry = useRegistry();
  const at = `${path}${term.key ?? term.id}`;
  const change = (item: RuleItem | null) => onChange(replaceTerm(group, term.id, item));
  const takesRules = registry.rules.get(term.name)?.takes_rules || term.below.terms.length > 0;
  return (
    <RuleRow
      item={term}
      trace={traces.get(at)}
      onChange={change}
      onRemove={() => change(null)}
      below={
        takesRules && (
          <RuleGroupEditor
            group={term.below}
            place="below"
            path={`${at}/`}
            traces={traces}
            onChange={(below) => change({ ...term, below })}
          />
        )
      }
    />
  );
}

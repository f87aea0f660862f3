import { Pill, TextInput } from "@mantine/core";
import { useState } from "react";
import { COLLECTIONS, goodIn } from "../../api/goods-sources.ts";
import type { RegistryRule } from "../../api/operations.gen.ts";
import { PRODUCTS, SEGMENTS } from "../../api/sources.ts";
import { MoneyField } from "../../kit/form/money-field.tsx";
import { NumberInput, Select, TagsInput } from "../../kit/later/fields.ts";
import { RecordSelect } from "../../kit/pick/record-select.tsx";
import { useText } from "../../text/text.ts";
import { RecordName } from "../record-name.tsx";
import classes from "./rule-tree.module.css";
import type { Condition } from "./tree.ts";

type Props = {
  rule: RegistryRule;
  label: string;
  condition: Condition;
  isSingle: boolean;
  onChange: (values: readonly unknown[]) => void;
};

/** A text as the value that it means. What was there before keeps its kind: "01" stays a text. */
function parseValue(text: string, old: readonly unknown[]): unknown {
  const same = old.find((one) => typeof one !== "object" && String(one) === text);
  if (same !== undefined) return same;
  if (text === "true" || text === "false") return text === "true";
  return text !== "" && String(Number(text)) === text ? Number(text) : text;
}

const idOf = (value: unknown) =>
  typeof value === "object" && value !== null ? (value as { id: string }).id : String(value);

/** Records that were chosen, and fields that find more of them. */
function PickRecords({ rule, label, condition: { operator, values }, onChange }: Props) {
  const t = useText();
  const [added, setAdded] = useState(0);
  const add = (value: unknown) => {
    onChange([...values.filter((one) => idOf(one) !== idOf(value)), value]);
    setAdded(added + 1);
  };
  const isSegment = rule.takes === "ids";
  return (
    <div className={classes.list}>
      {values.length > 0 && (
        <div className={classes.picked}>
          {values.map((value) => (
            <Pill
              key={idOf(value)}
              size="md"
              withRemoveButton
              removeButtonProps={{
                "aria-label": t("rules.remove", { name: idOf(value) }),
                "aria-hidden": false,
                tabIndex: 0,
              }}
              onRemove={() => onChange(values.filter((one) => one !== value))}
            >
              <RecordName of={value} />
            </Pill>
          ))}
        </div>
      )}
      {isSegment ? (
        <RecordSelect
          key={`segment-${added}`}
          size="xs"
          source={SEGMENTS}
          aria-label={t("rules.pick", { name: label })}
          placeholder={t("rules.addSegment")}
          value={null}
          onChange={(chosen) => chosen && add(chosen.value)}
        />
      ) : (
        <>
          {operator !== "$from" && (
            <RecordSelect
              key={`product-${added}`}
              size="xs"
              source={PRODUCTS}
              aria-label={t("rules.pick", { name: label })}
              placeholder={t("rules.addProduct")}
              value={null}
              onChange={(chosen) => chosen && add({ id: chosen.value, object: "product" })}
            />
          )}
          <RecordSelect
            key={`collection-${added}`}
            size="xs"
            source={COLLECTIONS}
            aria-label={t("rules.pickCollection", { name: label })}
            placeholder={t("rules.addCollection")}
            value={null}
            onChange={(chosen) => chosen && add(goodIn(chosen.value))}
          />
        </>
      )}
    </div>
  );
}

/** The field for the values of a condition, by what the rule takes. */
export function ValueField(props: Props) {
  const { rule, label, condition, isSingle, onChange } = props;
  const { values } = condition;
  const t = useText();
  const name = t("rules.value", { name: label });
  if (rule.takes === "products" || rule.name === "customer.segment") return <PickRecords {...props} />;
  if (rule.takes === "flag")
    return (
      <Select
        size="xs"
        aria-label={name}
        data={[
          { value: "true", label: t("registry.yes") },
          { value: "false", label: t("registry.no") },
        ]}
        allowDeselect={false}
        value={values.length === 0 ? null : String(values[0])}
        onChange={(value) => onChange([value === "true"])}
      />
    );
  const isOne = values.length <= 1 && (isSingle || rule.takes === "number");
  if (rule.takes === "number" && isOne && rule.unit === "amount")
    return (
      <MoneyField
        size="xs"
        aria-label={name}
        value={typeof values[0] === "number" ? values[0] : null}
        onChange={(minor) => onChange(minor === null ? [] : [minor])}
      />
    );
  if (rule.takes === "number" && isOne)
    return (
      <NumberInput
        size="xs"
        aria-label={name}
        value={typeof values[0] === "number" ? values[0] : ""}
        onChange={(value) => onChange(typeof value === "number" ? [value] : [])}
      />
    );
  if (isOne)
    return (
      <TextInput
        size="xs"
        aria-label={name}
        value={values.length === 0 ? "" : String(values[0])}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === "" ? [] : [parseValue(currentTarget.value, values)])
        }
      />
    );
  return (
    <TagsInput
      size="xs"
      aria-label={t("rules.values", { name: label })}
      value={values.map(String)}
      onChange={(texts) => onChange(texts.map((text) => parseValue(text, values)))}
    />
  );
}

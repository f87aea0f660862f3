import { Group, Stack, Switch, TextInput } from "@mantine/core";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { type Discount, getRegistry, type RegistryDiscount } from "../../api/operations.gen.ts";
import { PRODUCTS } from "../../api/sources.ts";
import { useOp } from "../../api/use-op.ts";
import { MoneyField } from "../../kit/form/money-field.tsx";
import { NumberInput, Select } from "../../kit/later/fields.ts";
import { type Option, RecordSelect } from "../../kit/pick/record-select.tsx";
import { Failure, LoadingRows } from "../../kit/states/states.tsx";
import { type TextKey, useText } from "../../text/text.ts";
import { effectsFor, FIRST_DISCOUNT, newDiscount } from "./effects.ts";

// The parser of formulas comes with it.
const FormulaField = lazy(() => import("../formula/formula-field.tsx"));

export type DiscountProps = {
  defaultValue?: Discount | null;
  onChange?: (discount: Discount) => void;
  error?: ReactNode;
  "data-path"?: string;
  /** It is for some products only: one on the whole order would take all of them. */
  isOnGoods?: boolean;
};
type Field = RegistryDiscount["fields"][number];

/** Here `unit_type` is a collection. */
const OF_COLLECTIONS = "ADD_SAME_ITEMS";

const inWords = (name: string) => {
  const words = name.toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};
/** The text of a name that the dashboard knows; for newer ones the name itself. */
function useWords() {
  const t = useText();
  return (group: "types" | "effects" | "fields", name: string): string => {
    const key = `discounts.${group}.${name}` as TextKey;
    const text = t(key);
    return text === key ? inWords(name) : text;
  };
}

function ProductField({ label, value, onChange }: { label: string; value: string; onChange: (id: string) => void }) {
  const [chosen, setChosen] = useState<Option | null>(value === "" ? null : { value, label: value });
  const choose = (option: Option | null) => {
    setChosen(option);
    onChange(option?.value ?? "");
  };
  return <RecordSelect source={PRODUCTS} label={label} value={chosen} onChange={choose} />;
}

type InputProps = {
  field: Field;
  discount: Discount;
  set: (value: unknown) => void;
  more: { error?: ReactNode; "data-path"?: string; required?: boolean };
};
function DiscountInput({ field: { name, kind }, discount, set, more }: InputProps) {
  const words = useWords();
  const value = (discount as Record<string, unknown>)[name] as number | string | null | undefined;
  const label = words("fields", name);
  if (kind === "amount")
    return <MoneyField label={label} defaultValue={(value as number | undefined) ?? null} onChange={set} {...more} />;
  if (kind === "percent" || kind === "count")
    return (
      <NumberInput
        label={label}
        min={0}
        {...(kind === "percent" ? { max: 100, suffix: " %", decimalScale: 2 } : { allowDecimal: false })}
        hideControls
        // What is too much is told at the field, and not changed without a word.
        clampBehavior="none"
        defaultValue={(value as number | undefined) ?? ""}
        onChange={(typed) => set(typed === "" ? null : Number(typed))}
        {...more}
      />
    );
  if (name === "unit_type" && discount.effect !== OF_COLLECTIONS)
    return <ProductField label={label} value={String(value ?? "")} onChange={set} />;
  return (
    <TextInput
      label={label}
      defaultValue={String(value ?? "")}
      onChange={({ currentTarget }) => set(currentTarget.value || null)}
      {...more}
    />
  );
}

/** What a discount takes off. Its fields are those that the server names, so a new kind needs no code here. */
export default function DiscountField({ isOnGoods = false, ...props }: DiscountProps) {
  const { defaultValue, onChange, error, "data-path": path } = props;
  const t = useText();
  const words = useWords();
  const { data, error: refused, refetch } = useOp(getRegistry, {});
  const [discount, setDiscount] = useState<Discount>(defaultValue ?? FIRST_DISCOUNT);
  const [isFormulaShown, setFormulaShown] = useState(false);
  if (data === undefined)
    return refused ? <Failure error={refused} retry={() => void refetch()} /> : <LoadingRows rows={2} />;
  const put = (next: Discount) => {
    setDiscount(next);
    onChange?.(next);
  };
  const kind = data.discounts.find(({ name }) => name === discount.type) ?? data.discounts[0]!;
  const effects = effectsFor(kind.effects, discount, isOnGoods);
  const formula = kind.fields.find((field) => field.kind === "formula" && field.name === `${kind.value}_formula`)?.name;
  const fields = kind.fields.filter(
    ({ name, kind: takes }) =>
      takes !== "list" && (takes !== "formula" || (name !== formula && Boolean(discount[name as keyof Discount]))),
  );
  const hasFormula = formula !== undefined && (isFormulaShown || Boolean(discount[formula as keyof Discount]));
  const chooseType = (type: string | null) => {
    const next = data.discounts.find(({ name }) => name === type);
    if (next) put(newDiscount(next, isOnGoods));
  };
  const effect = effects.find(({ name }) => name === (discount.effect ?? effects[0]!.name));
  return (
    <Stack gap="md">
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <Select
          label={t("discounts.type")}
          data={data.discounts.map(({ name }) => ({ value: name, label: words("types", name) }))}
          value={discount.type}
          onChange={chooseType}
          allowDeselect={false}
          miw={200}
        />
        <Select
          label={t("discounts.effect")}
          data={effects.map(({ name }) => ({ value: name, label: words("effects", name) }))}
          value={effect?.name ?? null}
          onChange={(name) => name && put({ ...discount, effect: name as "APPLY_TO_ORDER" })}
          allowDeselect={false}
          miw={200}
        />
      </Group>
      {fields.map((field) => (
        <DiscountInput
          key={`${kind.name} ${field.name}`}
          field={field}
          discount={discount}
          set={(value) => put({ ...discount, [field.name]: value })}
          more={
            field.name === kind.value
              ? { required: !hasFormula, ...(error ? { error } : {}), ...(path !== undefined && { "data-path": path }) }
              : {}
          }
        />
      ))}
      {formula !== undefined && (
        <Switch
          label={t("discounts.byFormula")}
          checked={hasFormula}
          onChange={({ currentTarget }) => {
            setFormulaShown(currentTarget.checked);
            if (!currentTarget.checked) put({ ...discount, [formula]: null });
          }}
        />
      )}
      {formula !== undefined && hasFormula && (
        <Suspense>
          <FormulaField
            key={`${kind.name} ${formula}`}
            label={words("fields", formula)}
            description={t("discounts.formulaHelp")}
            defaultValue={discount[formula as keyof Discount] as string | null}
            onChange={(text) => put({ ...discount, [formula]: text.trim() === "" ? null : text })}
          />
        </Suspense>
      )}
    </Stack>
  );
}

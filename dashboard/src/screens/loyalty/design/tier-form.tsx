import { Text } from "@mantine/core";
import { useState } from "react";
import {
  activateTierStructure,
  createTier,
  createTierStructure,
  draftTierStructure,
  type LoyaltyTier,
  updateTier,
} from "../../../api/operations.gen.ts";
import { RecordForm } from "../../../kit/form/record-form.tsx";
import type { SendStep } from "../../../kit/form/steps.ts";
import { type RecordForm as RecordState, useRecordForm } from "../../../kit/form/use-record-form.ts";
import { useText } from "../../../text/text.ts";
import { assignNew } from "./assign.ts";
import { NameField, NumberField, WalletSelect } from "./fields.tsx";
import type { PartFormProps } from "./part-window.tsx";
import { byPoints, type Design } from "./parts.ts";

type Values = { name: string; from: number | null; to: number | null; wallet: string };

const valuesOf = (tier: LoyaltyTier | null, { tiers, structure, wallets }: Design): Values => {
  const { min_value, max_value } = tier?.qualification_rules.points ?? {};
  const top = byPoints(tiers).at(-1)?.qualification_rules.points;
  return {
    name: tier?.name ?? "",
    from: min_value ?? (top === undefined ? 0 : (top.max_value ?? top.min_value + 999) + 1),
    to: max_value ?? null,
    wallet: structure?.card_definition_id ?? wallets[0]?.id ?? "",
  };
};
/** A segment that a tier asks for stays as it is. */
const rulesOf = ({ from, to }: Values, tier: LoyaltyTier | null) => ({
  ...(tier?.qualification_rules ?? { type: "POINTS" as const }),
  points: { min_value: from ?? 0, ...(to !== null && { max_value: to }) },
});

/** The tier that has no end yet, and has to end where a new one above it begins. */
const endedBy = ({ tiers }: Design, { from, to }: Values): LoyaltyTier | null => {
  const top = byPoints(tiers).at(-1);
  const { min_value, max_value } = top?.qualification_rules.points ?? {};
  return top && max_value === undefined && to === null && from !== null && from > min_value! ? top : null;
};

/** Makes a tier: the structure first, where there is none; and one that is active is a draft meanwhile. */
async function addTier(send: SendStep, { program, design }: PartFormProps, values: Values): Promise<void> {
  const { structure } = design;
  const make = async () => {
    const body = { name: program.name, type: "POINT_BALANCE" as const, card_definition_id: values.wallet };
    const { id } = await send(createTierStructure, { params: {}, body }, "structure");
    await assignNew(send, "tier", program.id, id);
    return id;
  };
  const params = { tierStructureId: structure?.id ?? (await make()) };
  const wasActive = structure?.status === "ACTIVE";
  if (wasActive) await send(draftTierStructure, { params });
  try {
    const top = endedBy(design, values);
    if (top) {
      const points = { ...top.qualification_rules.points, max_value: values.from! - 1 };
      const body = { qualification_rules: { ...top.qualification_rules, points } };
      await send(updateTier, { params: { ...params, tierId: top.id }, body });
    }
    await send(createTier, { params, body: { name: values.name, qualification_rules: rulesOf(values, null) } });
  } finally {
    if (wasActive) await send(activateTierStructure, { params });
  }
}

type FieldsProps = PartFormProps & { tier: LoyaltyTier | null };

function useTierForm(props: FieldsProps, onEdit: (values: Values) => void): RecordState<Values> {
  const { program, design, tier, onDone } = props;
  const t = useText();
  const state: RecordState<Values> = useRecordForm<Values>({
    record: `tier:${tier?.id ?? `new:${program.id}`}`,
    from: { values: valuesOf(tier, design), etag: null },
    validate: ({ name, from, to }) => ({
      ...(name.trim() === "" && { name: t("kit.form.required") }),
      ...(from === null && { from: t("kit.form.required") }),
      ...(from !== null && to !== null && to < from && { to: t("designer.endsBefore") }),
    }),
    save: async (send, changes, version) => {
      const values = state.form.getValues();
      if (!tier) return addTier(send, props, values);
      const body = {
        ...(changes.name !== undefined && { name: values.name }),
        ...(("from" in changes || "to" in changes) && { qualification_rules: rulesOf(values, tier) }),
      };
      const params = { tierStructureId: tier.tier_structure_id, tierId: tier.id };
      return send(updateTier, { params, body, ...version });
    },
    onSaved: onDone,
    onEdit,
  });
  return state;
}

function Fields(props: FieldsProps) {
  const { design, tier } = props;
  const t = useText();
  const [shown, setShown] = useState(() => valuesOf(tier, design));
  const state = useTierForm(props, setShown);
  const { form } = state;
  const isFixed = tier !== null && design.structure?.status !== "DRAFT";
  const top = tier === null ? endedBy(design, shown) : null;
  const number = (name: "from" | "to") => ({
    label: t(`designer.${name}`),
    disabled: isFixed,
    value: shown[name],
    onChange: (value: number | null) => form.setFieldValue(name, value as never),
    error: form.errors[name],
  });
  return (
    <RecordForm state={state} saveText={t(tier ? "kit.form.save" : "designer.add.tier")}>
      <NameField form={form} isFixed={isFixed} />
      <NumberField {...number("from")} />
      <NumberField {...number("to")} description={t("designer.toHelp")} />
      {design.structure === null && (
        <WalletSelect
          design={design}
          label={t("designer.counted")}
          value={shown.wallet}
          onChange={(wallet) => form.setFieldValue("wallet", wallet as never)}
        />
      )}
      {top && (
        <Text size="sm" role="status">
          {t("designer.ends", { name: top.name, to: shown.from! - 1 })}
        </Text>
      )}
    </RecordForm>
  );
}

/** Where members stand: its name, and from how many points to how many. */
export default function TierForm({ id, ...props }: PartFormProps & { id: string | null }) {
  return <Fields {...props} tier={props.design.tiers.find((one) => one.id === id) ?? null} />;
}

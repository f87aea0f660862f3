import { Text, TextInput } from "@mantine/core";
import { useState } from "react";
import {
  type CampaignEarningRule,
  type CampaignTier,
  createCampaignTiers,
  getCampaignTier,
  updateCampaignTier,
} from "../../../api/operations.gen.ts";
import { sendFor } from "../../../api/send.ts";
import { useRecord } from "../../../api/use-op.ts";
import { Edited } from "../../../kit/form/edited.tsx";
import { RecordForm } from "../../../kit/form/record-form.tsx";
import type { SendStep } from "../../../kit/form/steps.ts";
import { type RecordForm as RecordState, useRecordForm, type Version } from "../../../kit/form/use-record-form.ts";
import { notifyDone } from "../../../kit/undo/undo.tsx";
import { useText } from "../../../text/text.ts";
import { sentMappings } from "./mapping.ts";
import { CountInput, PartWindow } from "./part.tsx";
import { TierMappings } from "./tier-mappings.tsx";
import { endedBy, type TierValues, tierFaults, tierValuesOf } from "./tier-values.ts";
import type { AssignedReward } from "./use-rewards.ts";

type Earns = CampaignTier["earning_rules"][string];
type Pays = CampaignTier["rewards"][string];

type Props = {
  campaignId: string;
  tiers: readonly CampaignTier[];
  rules: readonly CampaignEarningRule[];
  rewards: readonly AssignedReward[];
  onClose: () => void;
};
type FieldsProps = Props & { tier: CampaignTier | null; from: Version<TierValues> };

/** Makes a tier. The one that had no end ends below it first. */
async function add(send: SendStep, { campaignId, tiers }: Props, values: TierValues): Promise<unknown> {
  const top = endedBy(tiers, values);
  if (top) {
    const points = { from: top.points.from, to: values.from! - 1 };
    await send(updateCampaignTier, { params: { campaignId, loyaltyTierId: top.id }, body: { points } }, "top");
  }
  const points = { from: values.from!, ...(values.to !== null && { to: values.to }) };
  const mapped = { earning_rules: sentMappings<Earns>(values.earns), rewards: sentMappings<Pays>(values.pays) };
  const tier = { name: values.name.trim(), points, ...mapped };
  return send(createCampaignTiers, { params: { campaignId }, body: [tier] });
}

function useTierForm(props: FieldsProps, onEdit: (values: TierValues) => void): RecordState<TierValues> {
  const { campaignId, tiers, tier, from, onClose } = props;
  const t = useText();
  const params = { campaignId, loyaltyTierId: tier?.id ?? "" };
  const state: RecordState<TierValues> = useRecordForm<TierValues>({
    record: `card-tier:${tier?.id ?? `new:${campaignId}`}`,
    from,
    validate: (typed) => tierFaults(typed, t),
    save: async (send, changes, version) => {
      const values = state.form.getValues();
      if (!tier) return add(send, props, values);
      const body = {
        ...(changes.name !== undefined && { name: values.name.trim() }),
        ...(("from" in changes || "to" in changes) && { points: { from: values.from!, to: values.to } }),
        ...("earns" in changes && { earning_rules: sentMappings<Earns>(values.earns) }),
        ...("pays" in changes && { rewards: sentMappings<Pays>(values.pays) }),
      };
      return send(updateCampaignTier, { params, body, ...version });
    },
    ...(tier && {
      readAgain: async () => {
        const { body, etag } = await sendFor(getCampaignTier, params);
        return { values: tierValuesOf(body, tiers), etag };
      },
    }),
    onSaved: () => {
      notifyDone(t("kit.form.saved"));
      onClose();
    },
    onEdit,
  });
  return state;
}

function Fields(props: FieldsProps) {
  const t = useText();
  const { tiers, tier, from } = props;
  const [shown, setShown] = useState(from.values);
  const state = useTierForm(props, (values) => setShown({ ...values }));
  const { form } = state;
  const top = tier === null ? endedBy(tiers, shown) : null;
  return (
    <RecordForm state={state} {...(tier === null && { saveText: t("cards.addTier") })}>
      <TextInput
        key={form.key("name")}
        label={t("campaigns.name")}
        required
        data-autofocus
        {...form.getInputProps("name")}
      />
      <CountInput key={form.key("from")} label={t("cards.from")} required {...form.getInputProps("from")} />
      <CountInput
        key={form.key("to")}
        label={t("cards.to")}
        description={t("designer.toHelp")}
        {...form.getInputProps("to")}
      />
      {top && (
        <Text size="sm" role="status">
          {t("designer.ends", { name: top.name, to: shown.from! - 1 })}
        </Text>
      )}
      <TierMappings {...props} form={form} />
    </RecordForm>
  );
}

function SavedTier({ id, ...props }: Props & { id: string }) {
  const record = useRecord(getCampaignTier, { campaignId: props.campaignId, loyaltyTierId: id });
  return (
    <Edited of={record}>
      {({ body, etag }) => <Fields {...props} tier={body} from={{ values: tierValuesOf(body, props.tiers), etag }} />}
    </Edited>
  );
}

/** A tier: from how many points to how many, and what its members earn more. */
export default function TierWindow({ id, ...props }: Props & { id: string | null }) {
  const t = useText();
  return (
    <PartWindow title={t(id === null ? "cards.addTier" : "cards.editTier")} onClose={props.onClose}>
      {id === null ? (
        <Fields {...props} tier={null} from={{ values: tierValuesOf(null, props.tiers), etag: null }} />
      ) : (
        <SavedTier {...props} id={id} />
      )}
    </PartWindow>
  );
}

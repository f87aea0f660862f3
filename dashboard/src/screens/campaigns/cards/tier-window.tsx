import { Text, TextInput } from "@mantine/core";
import { useRef, useState } from "react";
import {
  type CampaignEarningRule,
  type CampaignTier,
  getCampaignTier,
  updateCampaignTier,
} from "../../../api/operations.gen.ts";
import { type Answer, sendFor } from "../../../api/send.ts";
import { useRecord } from "../../../api/use-op.ts";
import { Edited } from "../../../kit/form/edited.tsx";
import { RecordForm } from "../../../kit/form/record-form.tsx";
import { type RecordForm as RecordState, useRecordForm, type Version } from "../../../kit/form/use-record-form.ts";
import { notifyDone } from "../../../kit/undo/undo.tsx";
import { useText } from "../../../text/text.ts";
import { addTier, earnsAndPays } from "./add-tier.ts";
import { CountInput, PartWindow } from "./part.tsx";
import { TierMappings } from "./tier-mappings.tsx";
import { byPoints, endedBy, type TierValues, tierFaults, tierValuesOf } from "./tier-values.ts";
import type { AssignedReward } from "./use-rewards.ts";

type Props = {
  campaignId: string;
  tiers: readonly CampaignTier[];
  rules: readonly CampaignEarningRule[];
  rewards: readonly AssignedReward[];
  onClose: () => void;
};
/** `top`: the highest tier, which a new one may end. */
type FieldsProps = Props & { tier: CampaignTier | null; from: Version<TierValues>; top?: Answer<CampaignTier> | null };

/** What the interface calls the fields, where it has other names for them. */
const PATHS = { points: "from", "points.to": "to", earning_rules: "earns", rewards: "pays" };

function useTierForm(props: FieldsProps, onEdit: (values: TierValues) => void): RecordState<TierValues> {
  const { campaignId, tiers, tier, from, top: read = null, onClose } = props;
  const t = useText();
  const params = { campaignId, loyaltyTierId: tier?.id ?? "" };
  const top = useRef(read);
  const state: RecordState<TierValues> = useRecordForm<TierValues>({
    record: `card-tier:${tier?.id ?? `new:${campaignId}`}`,
    from,
    validate: (typed) => tierFaults(typed, t),
    paths: PATHS,
    save: async (send, changes, version) => {
      const values = state.form.getValues();
      const readTop = (loyaltyTierId: string) => sendFor(getCampaignTier, { campaignId, loyaltyTierId });
      if (!tier) return addTier(send, { campaignId, top, read: readTop }, values);
      const { earning_rules, rewards } = earnsAndPays(values);
      const body = {
        ...(changes.name !== undefined && { name: values.name.trim() }),
        ...(("from" in changes || "to" in changes) && { points: { from: values.from!, to: values.to } }),
        ...("earns" in changes && { earning_rules }),
        ...("pays" in changes && { rewards }),
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
  const { tier, from } = props;
  const [shown, setShown] = useState(from.values);
  const state = useTierForm(props, (values) => setShown({ ...values }));
  const { form } = state;
  const top = tier === null ? endedBy(props.top ? [props.top.body] : [], shown) : null;
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

/** A new tier, once the highest one is read: a colleague may have changed it since the list was. */
function NewTier(props: Props) {
  const { campaignId, tiers } = props;
  const top = byPoints(tiers).at(-1);
  const record = useRecord(
    getCampaignTier,
    { campaignId, loyaltyTierId: top?.id ?? "" },
    { enabled: top !== undefined },
  );
  const from = (now: readonly CampaignTier[]) => ({ values: tierValuesOf(null, now), etag: null });
  if (!top) return <Fields {...props} tier={null} from={from([])} />;
  return <Edited of={record}>{(read) => <Fields {...props} tier={null} top={read} from={from([read.body])} />}</Edited>;
}

/** A tier: from how many points to how many, and what its members earn more. */
export default function TierWindow({ id, ...props }: Props & { id: string | null }) {
  const t = useText();
  return (
    <PartWindow title={t(id === null ? "cards.addTier" : "cards.editTier")} onClose={props.onClose}>
      {id === null ? <NewTier {...props} /> : <SavedTier {...props} id={id} />}
    </PartWindow>
  );
}

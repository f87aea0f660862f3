import { getRewardOfCampaign, updateRewardOfCampaign } from "../../../api/operations.gen.ts";
import { sendFor } from "../../../api/send.ts";
import { useRecord } from "../../../api/use-op.ts";
import { Edited } from "../../../kit/form/edited.tsx";
import { RecordForm } from "../../../kit/form/record-form.tsx";
import { useRecordForm, type Version } from "../../../kit/form/use-record-form.ts";
import { notifyDone } from "../../../kit/undo/undo.tsx";
import { useText } from "../../../text/text.ts";
import { CountInput, PartWindow } from "./part.tsx";

type Values = { cost: number | null };
type Props = { campaignId: string; id: string; onClose: () => void };
type Read = { body: { parameters?: { loyalty: { points: number } } }; etag: string | null };

const versionOf = ({ body, etag }: Read): Version<Values> => ({
  values: { cost: body.parameters?.loyalty.points ?? null },
  etag,
});

function Fields({ campaignId, id, from, onClose }: Props & { from: Version<Values> }) {
  const t = useText();
  const params = { campaignId, rewardAssignmentId: id };
  const state = useRecordForm<Values>({
    record: `card-reward:${id}`,
    from,
    validate: ({ cost }) => (cost ? {} : { cost: t("designer.noPoints") }),
    save: (send, { cost }, version) =>
      send(updateRewardOfCampaign, { params, body: { parameters: { loyalty: { points: cost! } } }, ...version }),
    readAgain: async () => versionOf(await sendFor(getRewardOfCampaign, params)),
    onSaved: () => {
      notifyDone(t("kit.form.saved"));
      onClose();
    },
  });
  const { form } = state;
  return (
    <RecordForm state={state} labels={{ cost: t("cards.cost") }}>
      <CountInput
        key={form.key("cost")}
        label={t("cards.cost")}
        required
        data-autofocus
        {...form.getInputProps("cost")}
      />
    </RecordForm>
  );
}

/** How many points a reward costs in a campaign. */
export default function RewardCost(props: Props) {
  const t = useText();
  const record = useRecord(getRewardOfCampaign, { campaignId: props.campaignId, rewardAssignmentId: props.id });
  return (
    <PartWindow title={t("cards.editCost")} onClose={props.onClose}>
      <Edited of={record}>{(read) => <Fields {...props} from={versionOf(read)} />}</Edited>
    </PartWindow>
  );
}
